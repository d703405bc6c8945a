// axe finds nothing on any screen, in light and dark, at three widths.
import { readFileSync } from "node:fs";
import { speakCalmly } from "../fixtures/calm.mjs";
import { operate } from "../fixtures/operator.mjs";

const axe = readFileSync(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const SCREENS = {
  list: { path: "/r/all", ready: ".rows .row" }, article: { path: "/r/all", ready: ".rows .row", open: true }, why: { path: "/r/all", ready: ".rows .row", open: true, click: ".why button", then: "[data-testid=why]" }, search: { path: "/r/search?q=arena", ready: ".rows .row" }, history: { path: "/r/history", ready: ".list" },
  manage: { path: "/feeds", ready: "[data-testid=manage-table]" }, import: { path: "/import", ready: ".import-start" }, reading: { path: "/settings/reading", ready: ".set" }, appearance: { path: "/settings/appearance", ready: ".themes" },
  shortcuts: { path: "/settings/shortcuts", ready: ".key-table" }, filters: { path: "/settings/filters?title=shock", ready: ".filters" }, ai: { path: "/settings/ai", ready: "[data-testid=ai-settings]" }, apps: { path: "/settings/apps", ready: ".set" }, sessions: { path: "/settings/sessions", ready: ".plain-list li" }, data: { path: "/settings/data", ready: ".set" },
  overview: { path: "/admin/overview", ready: ".charts" }, feeds: { path: "/admin/feeds", ready: "[data-testid=admin-feeds] tbody tr" }, drawer: { path: "/admin/feeds", ready: "[data-testid=admin-feeds] tbody tr", click: ".link-button", then: "[data-testid=visits]" }, budget: { path: "/admin/budget", ready: "[data-testid=breaker]" },
  users: { path: "/admin/users", ready: "[data-testid=users]" }, system: { path: "/admin/system", ready: "[data-testid=queues]" }, politeness: { path: "/admin/politeness", ready: "[data-testid=politeness]" },
  add: { path: "/r/all", ready: ".rows .row", keys: ["a"], then: "dialog.add" }, help: { path: "/r/all", ready: ".rows .row", keys: ["?"], then: "dialog.help" }, palette: { path: "/r/all", ready: ".rows .row", keys: ["Control+k"], then: "dialog.palette" },
  welcome: { path: "/welcome", ready: ".welcome" }, missing: { path: "/nowhere", ready: "[data-testid=missing]" }, login: { path: "/login", ready: ".login-form", login: false },
};

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe finds on a page. In dark the page is the same but for its colours, so only these are looked at again. */
async function check(tab, name) {
  await tab.evaluate(axe);
  const found = await tab.evaluate(async (rules) => {
    const run = async (options) => (await globalThis.axe.run(document, { resultTypes: ["violations"], ...options })).violations.map((one) => `${one.id} (${one.nodes.length}): ${one.nodes.slice(0, 2).map((node) => `${node.html.slice(0, 140)} — ${node.any[0]?.message ?? node.all[0]?.message ?? node.none[0]?.message ?? ""}`).join(" | ")}`);
    const still = () => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined)));
    await still();
    const light = await run({ runOnly: rules });
    document.documentElement.dataset.theme = "dark";
    await still();
    const dark = await run({ runOnly: { type: "rule", values: ["color-contrast"] } });
    return [...light.map((text) => `light, ${text}`), ...dark.map((text) => `dark, ${text}`)];
  }, RULES);
  return found.map((text) => `${name}, ${text}`);
}

export const tests = Object.fromEntries([1440, 1024, 390].map((width) => [`axe, light and dark, ${width} px`, async ({ page, ask }) => {
  const found = [], options = { width, height: 900, touch: width < 600, allow: [/401/], prefs: { markRead: "never", offeredPaged: true } };
  const tab = await page(options);
  await speakCalmly(tab);
  await operate(tab, ask);
  for (const [name, screen] of Object.entries(SCREENS)) {
    const shown = screen.login === false ? await page({ ...options, login: false }) : tab;
    await shown.open(screen.path);
    await shown.locator(screen.ready).first().waitFor();
    if (screen.open) { await shown.locator(".rows .row").first().click(); await shown.getByTestId("body").waitFor(); }
    for (const key of screen.keys ?? []) await shown.keyboard.press(key);
    if (screen.click) await shown.locator(screen.click).first().click();
    if (screen.then) await shown.locator(screen.then).waitFor();
    found.push(...(await check(shown, name)));
  }
  if (found.length) throw new Error(`${found.length} violations\n    ${found.join("\n    ")}`);
}]));
