// Takes pictures of every screen at three widths in light and dark, into dist-test/screenshots. For looking at, not for comparing.
import { mkdirSync } from "node:fs";
import { speakCalmly } from "./fixtures/calm.mjs";
import { startWorld } from "./e2e/world.mjs";

const SCREENS = {
  list: ["/r/all"], article: ["/r/all", "j"], search: ["/r/search?q=arena"], add: ["/r/all", "a"], help: ["/r/all", "?"], manage: ["/feeds"], import: ["/import"], reading: ["/settings/reading"], appearance: ["/settings/appearance"],
  shortcuts: ["/settings/shortcuts"], filters: ["/settings/filters?title=shock"], apps: ["/settings/apps"], sessions: ["/settings/sessions"], data: ["/settings/data"], users: ["/admin/users"], history: ["/r/history"], welcome: ["/welcome"], login: ["/login"],
};
const out = "dist-test/screenshots";
mkdirSync(out, { recursive: true });
const world = await startWorld(), calmly = process.argv.includes("--calm"), only = process.argv.find((one) => one in SCREENS);
for (const theme of ["light", "dark"]) for (const width of [1440, 1024, 390]) for (const [name, [path, ...keys]] of Object.entries(SCREENS)) {
  if (only && only !== name) continue;
  const page = await world.page({ theme, width, height: width === 390 ? 844 : width === 1024 ? 768 : 900, touch: width === 390, login: name !== "login", prefs: { markRead: "never" } });
  if (calmly) await speakCalmly(page);
  await page.open(path);
  await page.waitForTimeout(900);
  for (const key of keys) { await page.keyboard.press(key); await page.waitForTimeout(700); }
  await page.screenshot({ path: `${out}/${name}-${width}-${theme}.png` });
  await page.context().close();
}
await world.close();
console.log(out);
