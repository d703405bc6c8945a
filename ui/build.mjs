// Builds the web app into ui/dist. `node build.mjs` once, `--watch` again and again.
//
// Contract for the server (crates/web), which embeds or reads ui/dist:
// - `dist/manifest.json`: `{ version, shell, files: [{ path, file, type, sha256, bytes, cache, encodings }] }`.
//   `path` is the URL path, `file` the name below dist, `type` the Content-Type, `cache` is `immutable` (the name has a content
//   hash: `public, max-age=31536000, immutable`) or `revalidate` (`no-cache` with an ETag made of `sha256`), `encodings` lists
//   which of `br` and `gz` lie beside the file (`file.br`, `file.gz`).
// - `dist/index.html` is the shell. It is answered, with `no-cache`, for every path that is not a file of the manifest and does
//   not begin with /api, /admin/api, /reedme, /v1, /rss, /out, /assets, /metrics, /openapi., /docs. In it the server replaces
//   `data-theme=""` by `data-theme="NAME"`, where NAME is the cookie `courant_theme`, if that is one of the names in
//   manifest.themes. It has no other placeholders. Because of them the shell has no encodings of its own.
// - `manifest.csp` is the Content-Security-Policy of the shell; /sw.js needs no other.
import { build, context } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");

export const THEMES = ["light", "dark", "sepia", "black", "contrast"];
export const CSP = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' https: data:", "media-src 'self' https:",
  "connect-src 'self'", "font-src 'self'", "manifest-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'self'",
  "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types reader-article courant-worker",
].join("; ");

const TYPES = {
  ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
  ".json": "application/json", ".webmanifest": "application/manifest+json", ".svg": "image/svg+xml", ".png": "image/png",
  ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
};
const COMPRESSED = new Set([".js", ".css", ".json", ".webmanifest", ".svg", ".txt"]);

/** Inlines the icons named in src/icons.txt (first view) and src/icons-more.txt (pages, operator): `import icons from "icons:used"`. */
const icons = {
  name: "icons",
  setup(setup) {
    setup.onResolve({ filter: /^icons:(used|more)$/ }, ({ path }) => ({ path, namespace: "icons" }));
    setup.onLoad({ filter: /.*/, namespace: "icons" }, async ({ path }) => {
      const list = join(root, path === "icons:more" ? "src/icons-more.txt" : "src/icons.txt");
      const names = (await readFile(list, "utf8")).split(/\s+/).filter(Boolean);
      const found = {};
      for (const name of names) {
        const svg = await readFile(join(root, "node_modules/lucide-static/icons", `${name}.svg`), "utf8");
        const shapes = [...svg.matchAll(/<(path|circle|rect|line|polyline|polygon|ellipse)\s([^>]*?)\/?>/g)];
        found[name] = shapes.map(([, tag, text]) => [
          tag, Object.fromEntries([...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
        ]);
      }
      return { contents: `export default ${JSON.stringify(found)}`, loader: "js", watchFiles: [list] };
    });
  },
};

const FONTS = {
  "newsreader-latin": "newsreader/files/newsreader-latin-wght-normal.woff2",
  "newsreader-latin-ext": "newsreader/files/newsreader-latin-ext-wght-normal.woff2",
  "newsreader-latin-italic": "newsreader/files/newsreader-latin-wght-italic.woff2",
  "newsreader-latin-ext-italic": "newsreader/files/newsreader-latin-ext-wght-italic.woff2",
  "archivo-latin": "archivo/files/archivo-latin-wght-normal.woff2",
  "archivo-latin-ext": "archivo/files/archivo-latin-ext-wght-normal.woff2",
};

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Puts the addresses of fonts into style sheets before they get their own hash. */
const fontAddresses = (fonts) => ({
  name: "fonts",
  setup: (setup) => setup.onLoad({ filter: /base\.css$/ }, async ({ path }) => {
    const text = await readFile(path, "utf8");
    return { contents: text.replace(/__FONT_([a-z-]+)__/g, (_, name) => fonts.get(name).path), loader: "css" };
  }),
});

const shared = {
  bundle: true, minify: true, target: ["es2022"], legalComments: "none", metafile: true, write: false, absWorkingDir: root, logLevel: "warning",
  outdir: "dist/assets", entryNames: "[name]-[hash]", chunkNames: "[name]-[hash]", external: ["/assets/*"],
};

/** Style sheets first: scripts name those that they load by their hash. */
const buildStyles = (fonts) => build({ ...shared, entryPoints: { style: "css/app.css", pages: "css/pages.css", admin: "css/admin.css" }, plugins: [fontAddresses(fonts)] });

const named = (result, entry) =>
  Object.entries(result.metafile.outputs).find(([, output]) => output.entryPoint === entry)?.[0].replace("dist/assets/", "");

const scripts = (styles) => ({
  ...shared, format: "esm", splitting: true, jsx: "automatic", jsxImportSource: "preact", entryPoints: { app: "src/app.tsx" }, plugins: [icons],
  define: { "process.env.NODE_ENV": '"production"', __PAGES_CSS__: JSON.stringify(`/assets/${named(styles, "css/pages.css")}`), __ADMIN_CSS__: JSON.stringify(`/assets/${named(styles, "css/admin.css")}`) },
});

async function writeAll(result, styles, fonts) {
  const files = new Map();
  const app = named(result, "src/app.tsx"), style = named(styles, "css/app.css");
  // What the first view imports statically, flat: the browser fetches all of it at once.
  const preload = new Set();
  const visit = (name) => {
    for (const { path, kind } of result.metafile.outputs[name]?.imports ?? []) {
      if (kind === "import-statement" && !preload.has(path)) { preload.add(path); visit(path); }
    }
  };
  visit(`dist/assets/${app}`);
  for (const { path, contents } of [...result.outputFiles, ...styles.outputFiles]) {
    files.set(`/assets/${path.slice(path.lastIndexOf("/") + 1)}`, { bytes: Buffer.from(contents), cache: "immutable" });
  }
  for (const { path, bytes } of fonts.values()) files.set(path, { bytes, cache: "immutable" });
  for (const name of await readdir(join(root, "public"))) {
    const bytes = await readFile(join(root, "public", name));
    files.set(name.endsWith(".webmanifest") ? `/${name}` : `/assets/${name}`, { bytes, cache: "revalidate" });
  }
  const shell = (await readFile(join(root, "index.html"), "utf8"))
    .replace("<!--preload-->", [
      ...[...preload].map((path) => `<link rel="modulepreload" href="/${path.replace("dist/", "")}">`),
      ...["newsreader-latin", "archivo-latin"].map((name) =>
        `<link rel="preload" as="font" type="font/woff2" href="${fonts.get(name).path}" crossorigin>`),
    ].join("\n  "))
    .replace("__CSS__", `/assets/${style}`).replace("__APP__", `/assets/${app}`);
  // The worker keeps the files of the shell; its own bytes change with them, so the browser notices a new version.
  const version = sha256([...files.keys(), shell].join("\n")).slice(0, 16);
  const kept = [...files.keys()].filter((path) => /\.(js|css)$/.test(path) && !/\/(admin|de)-/.test(path))
    .concat(["newsreader-latin", "archivo-latin"].map((name) => fonts.get(name).path));
  const worker = await build({
    entryPoints: [join(root, "src/sw.ts")], bundle: true, minify: true, write: false, format: "iife", target: ["es2022"],
    define: { __VERSION__: JSON.stringify(version), __FILES__: JSON.stringify(kept) },
  });
  files.set("/sw.js", { bytes: Buffer.from(worker.outputFiles[0].contents), cache: "revalidate" });

  await mkdir(dist, { recursive: true });
  for (const name of await readdir(dist)) if (name !== ".gitkeep") await rm(join(dist, name), { recursive: true, force: true });
  await mkdir(join(dist, "assets"), { recursive: true });
  const manifest = { version, shell: "index.html", themes: THEMES, csp: CSP, files: [] };
  for (const [path, { bytes, cache }] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = path.slice(1), kind = extname(file), encodings = [];
    await writeFile(join(dist, file), bytes);
    if (COMPRESSED.has(kind)) {
      const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
      await writeFile(join(dist, `${file}.br`), brotliCompressSync(bytes, { params: quality }));
      await writeFile(join(dist, `${file}.gz`), gzipSync(bytes, { level: 9 }));
      encodings.push("br", "gz");
    }
    const type = TYPES[kind] ?? "application/octet-stream";
    manifest.files.push({ path, file, type, sha256: sha256(bytes), bytes: bytes.length, cache, encodings });
  }
  await writeFile(join(dist, "index.html"), shell);
  await writeFile(join(dist, "manifest.json"), `${JSON.stringify(manifest, null, 1)}\n`);
  return manifest;
}

async function readFonts() {
  const fonts = new Map();
  for (const [name, path] of Object.entries(FONTS)) {
    const bytes = await readFile(join(root, "node_modules/@fontsource-variable", path));
    fonts.set(name, { path: `/assets/${name}-${sha256(bytes).slice(0, 8)}.woff2`, bytes });
  }
  return fonts;
}

const fonts = await readFonts();
const started = performance.now();
const styles = await buildStyles(fonts);
if (process.argv.includes("--watch")) {
  const again = {
    name: "write", setup: (setup) => setup.onEnd(async (result) => {
      if (result.errors.length === 0) {
        await writeAll(result, await buildStyles(fonts), fonts);
        console.log(new Date().toTimeString().slice(0, 8), "built");
      }
    }),
  };
  await (await context({ ...scripts(styles), plugins: [icons, again] })).watch();
} else {
  const manifest = await writeAll(await build(scripts(styles)), styles, fonts);
  console.log(`built ${manifest.files.length} files in ${Math.round(performance.now() - started)} ms`);
}
