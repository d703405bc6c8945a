// What every end-to-end test stands on: the real binary with an empty data directory, which serves ui/dist, the fixture feeds,
// and a browser that reports every console error and every violation of the content security policy.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { PICTURES, SOUNDS, sound, startOrigin } from "../fixtures/origin.mjs";
import { scene } from "../fixtures/prose.mjs";

export const PASSWORD = "correct-horse-battery";
export const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const DIST = new URL("../../dist/", import.meta.url).pathname;
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const freePort = () => new Promise((found) => { const server = createServer(); server.listen(0, "127.0.0.1", () => { const { port } = server.address(); server.close(() => found(port)); }); });

/** Waits until something is true; the message says what was waited for. */
export async function until(what, check, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for: ${what}`);
    await new Promise((next) => setTimeout(next, 60));
  }
}

/** Starts a server of its own. `stop` and `start` restart it on the same data. */
export async function startServer(password = PASSWORD) {
  const binary = process.env.COURANT_BIN;
  if (!binary) throw new Error("COURANT_BIN must name the server's binary");
  const data = mkdtempSync(join(tmpdir(), "courant-e2e-")), port = await freePort(), base = `http://127.0.0.1:${port}`;
  let child, output = "";
  const env = { ...process.env, COURANT_DATA: data, COURANT_LISTEN: `127.0.0.1:${port}`, COURANT_ALLOW_PRIVATE: "127.0.0.1" };
  // The server refuses variables that it does not know.
  delete env.COURANT_BIN;
  if (password) env.COURANT_PASSWORD = password; else delete env.COURANT_PASSWORD;
  const server = {
    base, port, data, output: () => output,
    async start() {
      child = spawn(binary, ["serve", "--ui-dir", DIST], { env, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.on("data", (text) => { output += text; });
      child.stderr.on("data", (text) => { output += text; });
      await until("the server to answer", async () => (await fetch(`${base}/api/health`).catch(() => null))?.ok, 30);
    },
    async stop() { const gone = new Promise((done) => child.once("exit", done)); child.kill("SIGTERM"); await Promise.race([gone, new Promise((late) => setTimeout(late, 8000))]); if (child.exitCode === null) child.kill("SIGKILL"); },
    async close() { await server.stop(); rmSync(data, { recursive: true, force: true }); },
  };
  await server.start();
  return server;
}

/** Asks the API as the owner, outside the browser. */
export async function owner(base, password = PASSWORD) {
  const response = await fetch(`${base}/api/auth/session`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ password }) });
  const cookie = response.headers.getSetCookie().map((one) => one.split(";")[0]).join("; "), { csrf_token: csrf } = await response.json();
  return async (method, path, body, type = "application/json") => {
    const answer = await fetch(base + path, { method, headers: { cookie, "x-csrf-token": csrf, origin: base, ...(body === undefined ? {} : { "content-type": type }) }, body: body === undefined ? undefined : type === "application/json" ? JSON.stringify(body) : body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    return text ? JSON.parse(text) : null;
  };
}

/** A whole world: server, feeds, app, browser. */
export async function startWorld({ seeded = true, password = PASSWORD } = {}) {
  const [server, origin] = await Promise.all([startServer(password), startOrigin()]);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const world = {
    server, origin, browser,
    /** Follows the fixture feeds and waits until they were visited. */
    async seed() {
      const ask = await owner(server.base);
      await ask("POST", "/api/feeds/import-opml", origin.opml(), "text/x-opml");
      await until("the feeds to be visited", async () => (await ask("GET", "/api/feeds")).every((feed) => feed.post_count > 0 || feed.error_count > 0), 90);
      return ask;
    },
    async page(options = {}) { return openPage(browser, server.base, options); },
    async close() { await browser.close(); await origin.close(); await server.close(); },
  };
  if (seeded) world.ask = await world.seed();
  // What the language part adds arrives when it is ready: tests lay it over the answers themselves. Older servers have no such switch.
  if (password) await (world.ask ?? (await owner(server.base)))("PATCH", "/api/me/settings", { ai: false }).catch(() => undefined);
  return world;
}

/** A page with a fresh profile that collects its own problems. */
export async function openPage(browser, base, { width = 1440, height = 900, theme = "light", login = true, locale = "en-GB", touch = false, prefs = {}, allow = [], worker = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, locale, timezoneId: "Europe/Berlin", hasTouch: touch, colorScheme: theme === "dark" ? "dark" : "light", serviceWorkers: worker ? "allow" : "block" });
  await context.addCookies([{ name: "courant_theme", value: theme, url: base }]);
  await context.route(`${PICTURES}/**`, (route) => route.fulfill({ contentType: "image/svg+xml", body: scene(new URL(route.request().url()).pathname.slice(1)) }));
  await context.route(`${SOUNDS}/**`, (route) => route.fulfill({ contentType: "audio/wav", body: sound() }));
  // Nothing leaves loopback.
  await context.route((url) => !["127.0.0.1", new URL(PICTURES).hostname, new URL(SOUNDS).hostname].includes(url.hostname) && url.protocol.startsWith("http"), (route) => route.abort());
  if (login) {
    const answer = await context.request.post(`${base}/api/auth/session`, { data: { password: PASSWORD } });
    if (!answer.ok()) throw new Error(`login: ${answer.status()}`);
  }
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const problems = [];
  const ignored = (text) => /Service Worker registration blocked/.test(text) || allow.some((pattern) => pattern.test(text));
  page.on("console", (message) => { if (message.type() === "error" && !ignored(message.text())) problems.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => problems.push(`error: ${error.stack ?? error}`));
  await page.addInitScript(([chosen, more]) => {
    document.addEventListener("securitypolicyviolation", (event) => console.error(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
    if (!localStorage.getItem("courant.prefs")) localStorage.setItem("courant.prefs", JSON.stringify({ theme: chosen, ...more }));
  }, [theme, prefs]);
  page.problems = problems;
  page.base = base;
  page.open = (path) => page.goto(base + path);
  return page;
}

export function expect(condition, what) { if (!condition) throw new Error(`expected: ${what}`); }
export function same(found, wanted, what) { if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${what}: expected ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`); }
