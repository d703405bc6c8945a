// Serves ui/dist as the real server does (headers, shell, encodings) and passes everything of the API on to a running
// `courant serve`. `node dev.mjs [port] [server]`; tests call `serveApp`. Not for production: the binary serves the app itself.
import { createServer, request as send } from "node:http";
import { readFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = join(dirname(fileURLToPath(import.meta.url)), "dist");
const PASSED_ON = /^\/(api|admin\/api|reedme|v1|rss|out|metrics|openapi\.|docs)(\/|$|\?|json|yaml)/;

/** Serves the app on a port of loopback, in front of a server. */
export async function serveApp(port, server) {
  const target = new URL(server);
  const listener = createServer((request, response) => {
    const url = new URL(request.url, "http://127.0.0.1");
    if (PASSED_ON.test(url.pathname) || (request.method === "POST" && /^\/(login|setup)$/.test(url.pathname))) return passOn(request, response, target);
    const manifest = JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8"));
    const file = manifest.files.find(({ path }) => path === url.pathname);
    if (file) {
      const gz = file.encodings.includes("gz") && /gzip/.test(request.headers["accept-encoding"] ?? "");
      response.writeHead(200, {
        "content-type": file.type, vary: "accept-encoding", "content-security-policy": manifest.csp, "x-content-type-options": "nosniff",
        "cache-control": file.cache === "immutable" ? "public, max-age=31536000, immutable" : "no-cache", ...(gz ? { "content-encoding": "gzip" } : {}),
      });
      return response.end(readFileSync(join(dist, gz ? `${file.file}.gz` : file.file)));
    }
    if (url.pathname.startsWith("/assets/")) { response.writeHead(404); return response.end(); }
    const theme = /courant_theme=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    const shell = readFileSync(join(dist, manifest.shell), "utf8");
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8", "cache-control": "no-cache", "content-security-policy": manifest.csp,
      "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
    });
    response.end(manifest.themes.includes(theme) ? shell.replace('data-theme=""', `data-theme="${theme}"`) : shell);
  });
  await new Promise((ready) => listener.listen(port, "127.0.0.1", ready));
  return { base: `http://127.0.0.1:${listener.address().port}`, close: () => { listener.closeAllConnections(); listener.close(); } };
}

function passOn(request, response, target) {
  const headers = { ...request.headers };
  const passed = send({ host: target.hostname, port: target.port, method: request.method, path: request.url, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on("error", () => { if (!response.headersSent) response.writeHead(502, { "content-type": "application/json" }); response.end('{"error":"Bad Gateway","code":"unreachable","detail":"The server does not answer"}'); });
  response.on("close", () => passed.destroy());
  request.pipe(passed);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(join(dist, "manifest.json"))) throw new Error("build first: npm run build");
  const { base } = await serveApp(Number(process.argv[2] ?? 4800), process.argv[3] ?? "http://127.0.0.1:8080");
  console.log(base);
}
