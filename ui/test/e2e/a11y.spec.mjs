// axe finds nothing on any screen, in light and dark, at three widths.
import { readFileSync } from "node:fs";
import { until } from "./world.mjs";

const axe = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const SCREENS = {
  list: { path: "/r/all", ready: ".rows .row" }, article: { path: "/r/all", ready: ".rows .row", open: true }, search: { path: "/r/search?q=arena", ready: ".rows .row" }, history: { path: "/r/history", ready: ".list" },
  manage: { path: "/feeds", ready: "[data-testid=manage-table]" }, import: { path: "/import", ready: ".import-start" }, reading: { path: "/settings/reading", ready: ".set" }, appearance: { path: "/settings/appearance", ready: ".themes" },
  shortcuts: { path: "/settings/shortcuts", ready: ".key-table" }, filters: { path: "/settings/filters?title=shock", ready: ".filters" }, apps: { path: "/settings/apps", ready: ".set" }, sessions: { path: "/settings/sessions", ready: ".plain-list li" }, data: { path: "/settings/data", ready: ".set" },
  users: { path: "/admin/users", ready: "[data-testid=users]" }, add: { path: "/r/all", ready: ".rows .row", keys: ["a"], then: "dialog.add" }, help: { path: "/r/all", ready: ".rows .row", keys: ["?"], then: "dialog.help" }, palette: { path: "/r/all", ready: ".rows .row", keys: ["Control+k"], then: "dialog.palette" },
  welcome: { path: "/welcome", ready: ".welcome" }, login: { path: "/login", ready: ".login-form", login: false }, missing: { path: "/nowhere", ready: "[data-testid=missing]" },
};

async function check(tab, name) {
  await tab.evaluate(axe);
  const found = await tab.evaluate(async () => (await globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })).violations.map((one) => `${one.id} (${one.nodes.length}): ${one.nodes.slice(0, 2).map((node) => `${node.html.slice(0, 140)} — ${node.any[0]?.message ?? node.all[0]?.message ?? ""}`).join(" | ")}`));
  return found.map((text) => `${name}: ${text}`);
}

export const tests = Object.fromEntries(["light", "dark"].flatMap((theme) => [1440, 1024, 390].map((width) => [`axe, ${theme}, ${width} px`, async ({ page }) => {
  const found = [];
  for (const [name, screen] of Object.entries(SCREENS)) {
    const tab = await page({ theme, width, height: 900, login: screen.login ?? true, touch: width < 600, allow: [/401/], prefs: { markRead: "never", offeredPaged: true } });
    await tab.open(screen.path);
    await tab.locator(screen.ready).first().waitFor();
    if (screen.open) { await tab.locator(".rows .row").first().click(); await tab.getByTestId("body").waitFor(); }
    for (const key of screen.keys ?? []) await tab.keyboard.press(key);
    if (screen.then) await tab.locator(screen.then).waitFor();
    await tab.waitForTimeout(250);
    found.push(...(await check(tab, name)));
    await tab.context().close();
  }
  await until("no violations", async () => true);
  if (found.length) throw new Error(`${found.length} violations\n    ${found.join("\n    ")}`);
}])));
