// Takes pictures of every screen at three widths in light and dark, into dist-test/screenshots. For looking at, not for comparing.
// `node test/screenshots.mjs [screen…] [--light] [--dark] [--1440] [--1024] [--390] [--plain]`; --plain leaves out what is laid over
// the server's answers (calm titles, operator's figures).
import { mkdirSync } from "node:fs";
import { speakCalmly } from "./fixtures/calm.mjs";
import { operate } from "./fixtures/operator.mjs";
import { startWorld } from "./e2e/world.mjs";

const SCREENS = {
  list: ["/r/unread"], article: ["/r/all", "j"], compact: ["/r/all", { settings: { density: "compact" } }], focus: ["/r/feed/LOWLAND", { settings: { theme: "sepia" } }, "j", "."], search: ["/r/search?q=arena", { click: ".rows .row" }], add: ["/r/all", "a"], help: ["/r/all", "?"], why: ["/r/all", "j", { click: ".why button" }],
  manage: ["/feeds"], import: ["/import"], reading: ["/settings/reading"], appearance: ["/settings/appearance"], shortcuts: ["/settings/shortcuts"], filters: ["/settings/filters?title=shock"], ai: ["/settings/ai"], apps: ["/settings/apps"], sessions: ["/settings/sessions"], data: ["/settings/data"],
  overview: ["/admin/overview"], feeds: ["/admin/feeds"], drawer: ["/admin/feeds", { click: "[data-testid=admin-feeds] .link-button" }], budget: ["/admin/budget"], users: ["/admin/users"], system: ["/admin/system"], politeness: ["/admin/politeness"],
  history: ["/r/history"], welcome: ["/welcome"], login: ["/login"], bookmarks: ["/r/bookmarks"],
};
const flags = process.argv.slice(2), out = "dist-test/screenshots", plain = flags.includes("--plain");
const wanted = flags.filter((flag) => !flag.startsWith("--")), one = (all) => { const chosen = all.filter((name) => flags.includes(`--${name}`)); return chosen.length ? chosen : all; };
for (const name of wanted) if (!(name in SCREENS)) throw new Error(`no screen ${name}: ${Object.keys(SCREENS).join(", ")}`);
mkdirSync(out, { recursive: true });
const world = await startWorld();
const posts = (await world.ask("GET", "/api/posts?limit=60")).posts;
for (const post of posts.slice(20, 44)) await world.ask("PATCH", `/api/posts/${post.id}/read`, { is_read: true });
for (const post of posts.slice(22, 26)) await world.ask("PATCH", `/api/posts/${post.id}/star`, { is_starred: true });
const long = (await world.ask("GET", "/api/feeds")).find((feed) => feed.title.includes("Lowland")).id;
for (const theme of one(["light", "dark"])) for (const width of one(["1440", "1024", "390"]).map(Number)) for (const [name, [path, ...steps]] of Object.entries(SCREENS)) {
  if (wanted.length && !wanted.includes(name)) continue;
  const options = Object.assign({}, ...steps.filter((step) => typeof step === "object"));
  await world.ask("PATCH", "/api/me/settings", { theme, density: "comfortable", ...options.settings });
  const page = await world.page({ theme: options.settings?.theme ?? theme, width, height: width === 390 ? 844 : width === 1024 ? 768 : 900, touch: width === 390, login: name !== "login", allow: [/401/], prefs: { markRead: "never", } });
  if (!plain && name !== "login") { await speakCalmly(page); if (path.startsWith("/admin")) await operate(page, world.ask); }
  await page.open(path.replace("LOWLAND", long));
  await page.waitForTimeout(700);
  for (const step of steps) {
    if (typeof step === "string") await page.keyboard.press(step); else if (step.click) await page.locator(step.click).first().click(); else continue;
    await page.waitForTimeout(600);
  }
  await page.screenshot({ path: `${out}/${name}-${width}-${theme}.png` });
  for (const problem of page.problems) console.log(`${name} ${width} ${theme}: ${problem.slice(0, 300)}`);
  await page.context().close();
}
await world.close();
console.log(out);
