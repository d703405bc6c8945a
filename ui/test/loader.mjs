import { transform } from "esbuild";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

export async function load(url, context, next) {
  if (url.endsWith(".json")) return { format: "module", shortCircuit: true, source: `export default ${await readFile(fileURLToPath(url), "utf8")}` };
  if (!/\.tsx?$/.test(url)) return next(url, context);
  const source = await readFile(fileURLToPath(url), "utf8");
  const { code } = await transform(source, { loader: url.endsWith("x") ? "tsx" : "ts", format: "esm", jsx: "automatic", jsxImportSource: "preact", target: "es2022", define: { __VERSION__: '"test"', __FILES__: "[]", __ADMIN_CSS__: '""', __PAGES_CSS__: '""' } });
  return { format: "module", shortCircuit: true, source: code };
}
export async function resolve(name, context, next) {
  if (name.startsWith("icons:")) return { url: "data:text/javascript,export default {}", shortCircuit: true };
  return next(name, context);
}
