// `courant demo` for pictures: started, entered by its link, ended. `null` if this program has no demo.
import { spawn } from "node:child_process";
import { chromium } from "playwright-core";
import { FLAGS, openPage } from "./e2e/world.mjs";

export async function startDemo() {
  const dist = new URL("../dist/", import.meta.url).pathname, env = { ...process.env };
  delete env.COURANT_BIN;
  const child = spawn(process.env.COURANT_BIN, ["demo", "--json", "--no-open", "--ui-dir", dist], { env, stdio: ["ignore", "pipe", "ignore"] });
  const link = await new Promise((found) => {
    let text = "";
    child.stdout.on("data", (part) => { text += part; const url = /"url"\s*:\s*"([^"]+)"/.exec(text)?.[1]; if (url) found(url); });
    child.once("exit", () => found(null));
    setTimeout(() => found(null), 60_000).unref();
  });
  if (!link) { child.kill("SIGTERM"); return null; }
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS }), { origin, hash } = new URL(link);
  const first = await openPage(browser, origin, { login: false, allow: [/401/] });
  await first.goto(origin + "/" + hash);
  await first.getByTestId("reader").waitFor();
  const state = await first.context().storageState();
  await first.context().close();
  return {
    async page(options = {}) { const page = await openPage(browser, origin, { ...options, login: false, allow: [/401/] }); await page.context().addCookies(state.cookies.filter((cookie) => cookie.name !== "courant_theme")); return page; },
    async close() { await browser.close(); const gone = new Promise((done) => child.once("exit", done)); child.kill("SIGTERM"); await Promise.race([gone, new Promise((late) => setTimeout(late, 8000))]); },
  };
}
