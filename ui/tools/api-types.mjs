// Writes src/api.d.ts: one type for each schema of the server's OpenAPI document.
// `node tools/api-types.mjs openapi.json` (or the address of a server) writes it; with `--check` it fails if the file is stale.
import { readFile, writeFile } from "node:fs/promises";

const [source, flag] = process.argv.slice(2);
if (!source) throw new Error("say where the document is: node tools/api-types.mjs openapi.json");
const text = /^https?:/.test(source) ? await (await fetch(source)).text() : await readFile(source, "utf8");
const { components: { schemas } } = JSON.parse(text);

/** A schema as a TypeScript type. */
function type(schema, indent = "") {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return [...new Set(several.map((one) => type(one, indent)))].join(" | ");
  if (schema.allOf) return schema.allOf.map((one) => type(one, indent)).join(" & ");
  const kinds = [schema.type ?? (schema.properties ? "object" : "unknown")].flat();
  return kinds.map((kind) => {
    if (kind === "integer" || kind === "number") return "number";
    if (kind === "array") return `${wrapped(type(schema.items ?? {}, indent))}[]`;
    if (kind === "object") return object(schema, indent);
    return kind;
  }).join(" | ");
}

const wrapped = (text) => (text.includes(" ") ? `(${text})` : text);

function object(schema, indent) {
  if (!schema.properties) return "Record<string, unknown>";
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, property]) => {
    const doc = property.description ? `${inner}/** ${property.description.replaceAll("\n", " ")} */\n` : "";
    const optional = schema.required?.includes(name) ? "" : "?";
    return `${doc}${inner}${name}${optional}: ${type(property, inner)};`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

const parts = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => {
  const doc = schema.description ? `/** ${schema.description.replaceAll("\n", " ")} */\n` : "";
  return `${doc}export type ${name} = ${type(schema)};`;
});
const made = `// Made by tools/api-types.mjs from /openapi.json. Do not edit.\n\n${parts.join("\n\n")}\n`;
const file = new URL("../src/api.d.ts", import.meta.url);
if (flag === "--check") {
  if ((await readFile(file, "utf8")) !== made) { console.error("src/api.d.ts is stale: npm run types"); process.exit(1); }
} else await writeFile(file, made);
