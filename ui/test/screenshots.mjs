// Takes pictures of every screen at three widths in light and dark, into dist-test/screenshots. For looking at, not for comparing.
// `node test/screenshots.mjs [screen…] [--light] [--dark] [--1440] [--1024] [--390] [--plain] [--fixtures] [--docs]`. The content is
// that of `courant demo`; with --fixtures, or where the program has no demo, it is that of the tests, with calm titles and operator's
// figures laid over the answers, unless --plain. --docs takes the four pictures of the README into docs/images.
import { mkdirSync } from "node:fs";
import { speakCalmly } from "./fixtures/calm.mjs";
import { operate } from "./fixtures/operator.mjs";
import { startDemo } from "./demo.mjs";
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
const demo = flags.includes("--fixtures") ? null : await startDemo();
const world = demo ?? (await startWorld());
let long = 0;
if (demo) {
  console.log("from the demo");
  const follow = (title) => ({ click: `[data-testid=feed]:has-text("${title}")` });
  Object.assign(SCREENS, { article: ["/r/all", follow("Klaxon"), "j"], why: ["/r/all", follow("Klaxon"), "j", { click: ".why button" }], focus: ["/r/all", { settings: { theme: "sepia" } }, follow("Harbour Lamp"), "j", "."], search: ["/r/search?q=harbour", { click: ".rows .row" }] });
} else {
  const posts = (await world.ask("GET", "/api/posts?limit=60")).posts;
  for (const post of posts.slice(20, 44)) await world.ask("PATCH", `/api/posts/${post.id}/read`, { is_read: true });
  for (const post of posts.slice(22, 26)) await world.ask("PATCH", `/api/posts/${post.id}/star`, { is_starred: true });
  long = (await world.ask("GET", "/api/feeds")).find((feed) => feed.title.includes("Lowland")).id;
}

/** Opens a screen and does what leads to it. */
async function shoot(name, { theme, width, height, file, format = {} }) {
  const [path, ...steps] = SCREENS[name], options = Object.assign({}, ...steps.filter((step) => typeof step === "object")), own = { theme, density: "comfortable", ...options.settings };
  const page = await world.page({ theme: own.theme, width, height, touch: width < 600, login: name !== "login", allow: [/401/], prefs: { markRead: "never" } });
  if (!demo) {
    await world.ask("PATCH", "/api/me/settings", own);
    await world.ask("PATCH", "/api/me/settings", { ai: true }).catch(() => undefined);
    if (!plain && name !== "login") { await speakCalmly(page); if (path.startsWith("/admin")) await operate(page, world.ask); }
  } else await page.route("**/api/me/settings", async (route) => { if (route.request().method() !== "GET") return route.fallback(); const answer = await route.fetch(); await route.fulfill({ response: answer, json: { ...(await answer.json()), ...own } }); });
  await page.open(path.replace("LOWLAND", long));
  await page.waitForTimeout(900);
  for (const step of steps) {
    if (typeof step === "string") await page.keyboard.press(step);
    else if (step.click) { const target = page.locator(step.click).first(); if ((await target.count()) === 0) continue; await target.click(); } else continue;
    await page.waitForTimeout(700);
  }
  // The ring of the keyboard is for those who use it.
  if (format.quiet) await page.evaluate(() => document.activeElement?.blur());
  await page.screenshot({ path: file, ...(format.jpeg ? { type: "jpeg", quality: format.jpeg } : {}) });
  for (const problem of page.problems) console.log(`${name} ${width} ${theme}: ${problem.slice(0, 300)}`);
  await page.context().close();
}

if (flags.includes("--docs")) {
  const images = new URL("../../docs/images/", import.meta.url).pathname, format = { quiet: true, jpeg: 76 };
  mkdirSync(images, { recursive: true });
  await shoot("article", { theme: "light", width: 1280, height: 800, file: `${images}reader.jpg`, format });
  await shoot("article", { theme: "dark", width: 1280, height: 800, file: `${images}reader-dark.jpg`, format });
  await shoot("list", { theme: "light", width: 390, height: 720, file: `${images}phone.jpg`, format });
  await shoot("overview", { theme: "light", width: 1280, height: 800, file: `${images}operator.jpg`, format });
  console.log(images);
} else {
  for (const theme of one(["light", "dark"])) for (const width of one(["1440", "1024", "390"]).map(Number)) for (const name of Object.keys(SCREENS)) {
    if (!wanted.length || wanted.includes(name)) await shoot(name, { theme, width, height: width === 390 ? 844 : width === 1024 ? 768 : 900, file: `${out}/${name}-${width}-${theme}.png` });
  }
  console.log(out);
}
await world.close();
