// States of the tree, the list and the article that a healthy server seldom shows, and what can be done in them; input that nobody
// would send on purpose. Answers are laid over the server's where it has no such thing.
import { expect, same, until } from "./world.mjs";

const row = (page) => page.locator(".rows .row");
const feedId = async (ask, title) => (await ask("GET", "/api/feeds")).find((feed) => feed.title.includes(title)).id;
const CATEGORY = (id, name, more = {}) => ({ id, name, parent_id: null, position: id, unread_count: 0, is_default: id === 1, ...more });
/** Lays feeds over a page: what each is called and how it differs from a real one. */
async function withFeeds(tab, ask, feeds, categories = [CATEGORY(1, "Default"), CATEGORY(2, "World"), CATEGORY(3, "Technology")]) {
  const [sample] = await ask("GET", "/api/feeds");
  const all = feeds.map((feed, at) => ({ ...sample, id: 1000 + at, category_id: 2, position: at, unread_count: 0, error_count: 0, state: "active", icon: null, ...feed, fetch_state: { ...sample.fetch_state, ...feed.fetch_state } }));
  await tab.route("**/api/categories", (route) => route.fulfill({ json: categories }));
  await tab.route("**/api/feeds", (route) => (route.request().method() === "GET" ? route.fulfill({ json: all }) : route.fallback()));
  return all;
}
const paths = (tab, ...more) => tab.route("**/openapi.json", async (route) => { const answer = await route.fetch(), body = await answer.json(); for (const path of more) body.paths[path] ??= {}; await route.fulfill({ response: answer, json: body }); });
const names = (tab) => tab.locator("[data-testid=feed] .name").allTextContents();

export const tests = {
  async "tree: bones while it loads, a word and Retry when it fails, counts to 9,999+, every state has a word or a shape"({ page, ask }) {
    const tab = await page({ allow: [/503/] });
    let state = "slow";
    await withFeeds(tab, ask, [{ title: "Very full", unread_count: 12_345 }, { title: "Failing", error_count: 2, last_error: "500" }, { title: "Paused", state: "paused" }, { title: "Gone", state: "disabled", state_reason: "410 Gone" }, { title: "All read" }]);
    await tab.route("**/api/feeds", async (route) => { if (state === "slow") await new Promise((late) => setTimeout(late, 900)); if (state !== "well") return route.fulfill({ status: 503, json: { error: "x", code: "unavailable", detail: "The database does not respond" } }); return route.fallback(); });
    await tab.open("/r/all");
    await tab.getByTestId("tree-loading").waitFor();
    await tab.getByTestId("tree-failed").waitFor();
    state = "well";
    await tab.getByTestId("tree-failed").getByRole("button", { name: "Retry" }).click();
    await tab.locator("[data-testid=feed]").first().waitFor();
    const text = async (title) => (await tab.locator("[data-testid=feed]", { hasText: title }).textContent());
    expect((await text("Very full")).includes("9,999+"), "a count that does not grow for ever");
    expect((await tab.locator("[data-testid=category]", { hasText: "World" }).textContent()).includes("9,999+"), "a category sums up");
    expect((await text("Failing")).includes("failing") && (await text("Gone")).includes("disabled") && (await text("Paused")).includes("paused"), "words");
    await tab.getByRole("button", { name: "Options of the tree" }).click();
    await tab.getByRole("menuitemcheckbox", { name: "Hide read feeds" }).click();
    await until("only what is unread, or needs somebody", async () => (await names(tab)).join() === "Very full,Gone");
  },

  async "feeds are put into an order with Alt and arrows, announced, undone, and put back where the server refuses"({ page, ask }) {
    const tab = await page({ allow: [/409/] }), sent = [];
    let refuse = false;
    await paths(tab, "/api/feeds/reorder");
    await withFeeds(tab, ask, [{ title: "One" }, { title: "Two" }, { title: "Three", category_id: 3 }]);
    await tab.route("**/api/feeds/reorder", (route) => { sent.push(route.request().postDataJSON()); return refuse ? route.fulfill({ status: 409, json: { error: "x", code: "conflict", detail: "Not now" } }) : route.fulfill({ json: { ok: true } }); });
    await tab.open("/r/all");
    await tab.locator("[data-key=f1000]").focus();
    await tab.keyboard.press("Alt+ArrowDown");
    await until("the order", async () => (await names(tab)).join() === "Two,One,Three");
    same(sent[0], { category_id: 2, ids: [1001, 1000] }, "what the server is told");
    await until("it is said", async () => (await tab.locator("[aria-live=polite]").allTextContents()).join().includes("One is now 2 of 2"));
    await tab.keyboard.press("Alt+ArrowDown");
    await until("the next category", async () => (await names(tab)).join() === "Two,One,Three" && sent.length === 2);
    same(sent[1], { category_id: 3, ids: [1000, 1002] }, "at the head of the next category");
    await tab.keyboard.press("z");
    await until("undone", async () => sent.length === 3 && sent[2].category_id === 2);
    refuse = true;
    // The row that was moved gets the focus back a moment later.
    await until("the focus", async () => { await tab.locator("[data-key=f1001]").focus(); await tab.waitForTimeout(120); return tab.evaluate(() => document.activeElement?.dataset.key === "f1001"); });
    await tab.keyboard.press("Alt+ArrowDown");
    await tab.getByText(/Two stays as it was. Not now/).first().waitFor();
    await until("as before", async () => (await names(tab))[0] === "Two");
  },

  async "feeds are dragged: a line shows where, a category takes them in"({ page, ask }) {
    const tab = await page(), sent = [];
    await paths(tab, "/api/feeds/reorder");
    await withFeeds(tab, ask, [{ title: "One" }, { title: "Two" }, { title: "Three" }]);
    await tab.route("**/api/feeds/reorder", (route) => { sent.push(route.request().postDataJSON()); return route.fulfill({ json: { ok: true } }); });
    await tab.open("/r/all");
    await tab.locator("[data-key=f1002]").dragTo(tab.locator("[data-key=f1000]"), { targetPosition: { x: 60, y: 4 } });
    await until("three before one", async () => (await names(tab)).join() === "Three,One,Two");
    same(sent[0], { category_id: 2, ids: [1002, 1000, 1001] }, "order");
    await tab.locator("[data-key=f1000]").dragTo(tab.locator("[data-key=c3]"));
    await until("one in the other category", async () => sent[1]?.category_id === 3);
  },

  async "list: caught up with the way on, the end of a list, no results with tips, a tag without posts"({ page }) {
    const tab = await page({ allow: [/404/], prefs: { markRead: "never" } });
    await tab.route(/\/api\/posts\?.*unread_only=true/, async (route) => { const answer = await route.fetch(); await route.fulfill({ response: answer, json: { ...(await answer.json()), posts: [], total: 0 } }); });
    await tab.open("/r/unread");
    await tab.getByTestId("empty-caught-up").waitFor();
    await tab.getByRole("link", { name: "Show read articles" }).click();
    await row(tab).first().waitFor();
    await tab.keyboard.press("Shift+G");
    await tab.getByTestId("list-end").waitFor();
    await tab.open("/r/search?q=nothinghasthisword");
    await tab.getByTestId("empty-search").waitFor();
    await tab.open("/r/search?q=");
    await tab.getByText("these words in this order").waitFor();
    await tab.open("/r/tag/nobody");
    await tab.getByTestId("empty-tag").waitFor();
    await tab.open("/r/bookmarks");
    await tab.getByTestId("empty-bookmarks").waitFor();
  },

  async "article: gone, failing with Retry, only a title, larger than a megabyte, changed by its source"({ page, ask }) {
    const tab = await page({ allow: [/404|500/], prefs: { markRead: "never" } });
    let answer = "missing";
    await tab.route(/\/api\/posts\/\d+$/, async (route) => {
      if (answer === "missing" || answer === "failed") return route.fulfill({ status: answer === "missing" ? 404 : 500, json: { error: "x", code: "x", detail: "Something went wrong here" } });
      const real = await route.fetch(), body = await real.json();
      const forms = { empty: { content: "", full_content: null }, large: { content: `<p>${"A sentence of about fifty letters, again and again. ".repeat(26_000)}</p>` }, edited: { updated_at: new Date().toISOString() } };
      await route.fulfill({ response: real, json: { ...body, full_content: null, ...forms[answer] } });
    });
    await tab.open("/r/all");
    await row(tab).first().click();
    await tab.getByTestId("article-missing").waitFor();
    answer = "failed";
    await row(tab).nth(1).click();
    await tab.getByTestId("article-failed").waitFor();
    answer = "empty";
    await tab.getByRole("button", { name: "Retry" }).click();
    await tab.getByTestId("article-empty").waitFor();
    answer = "large";
    await row(tab).nth(3).click();
    await tab.getByTestId("too-large").waitFor({ timeout: 30000 });
    expect((await tab.getByTestId("body").textContent()).length < 100_000, "only the beginning is on the page");
    await tab.keyboard.press("j");
    answer = "edited";
    await row(tab).nth(6).click();
    await tab.locator(".byline", { hasText: "updated" }).waitFor();
  },

  async "search: the server's snippets and facets, narrowing by one, a month, and back"({ page, ask }) {
    const tab = await page(), asked = [], feed = (await ask("GET", "/api/feeds")).find((one) => one.title.includes("Kernel"));
    await tab.route("**/api/search?**", async (route) => {
      const query = new URL(route.request().url()).searchParams;
      asked.push(query.get("q"));
      const answer = await ask("GET", "/api/search?q=arena&limit=60");
      const snippet = "…one shared heap gave way to a per-core arena for everything";
      await route.fulfill({ json: { ...answer, posts: answer.posts.map((post) => ({ ...post, snippet, highlights: [[31, 45], [9999, 10002]], title_highlights: [[0, 4]] })), ...(query.get("facets") ? { facets: { feeds: [{ id: feed.id, title: feed.title, count: 14 }], categories: [{ id: feed.category_id, name: "Technology", count: 38 }], months: [{ month: "2026-11", count: 9 }, { month: "2026-08", count: 4 }] } } : {}) } });
    });
    await tab.open("/r/search?q=arena");
    await row(tab).first().waitFor();
    same(await row(tab).first().locator(".preview mark").textContent(), "per-core arena", "the hit in the snippet");
    await row(tab).first().click();
    await tab.getByTestId("matches").waitFor();
    await tab.getByRole("button", { name: "Next match" }).click();
    await tab.getByText(/^match 1 of \d+$/).waitFor();
    await tab.getByRole("button", { name: "Previous match" }).click();
    await until("the last match", async () => { const [, n, of] = /match (\d+) of (\d+)/.exec(await tab.getByTestId("matches").textContent()); return n === of; });
    const facets = tab.getByTestId("facets");
    await until("counts of all hits", async () => /Technology38/.test(await facets.textContent()) && /Kernel & Crate14/.test(await facets.textContent()));
    same(await facets.locator(".months button").count(), 4, "months, with those between");
    await facets.locator(".months button").first().click();
    await until("the month in the query", async () => asked.some((q) => q.includes("after:2026-08 before:2026-09")));
    await tab.getByRole("checkbox", { name: "Technology" }).check();
    await until("a chip", async () => (await tab.locator(".token", { hasText: "Technology" }).count()) === 1);
    await tab.getByRole("button", { name: "Search all articles" }).click();
    await until("no chip", async () => (await tab.locator(".token", { hasText: "Technology" }).count()) === 0);
  },

  async "the journal of mass marks: also those of other devices, with what an undo would still bring back"({ page, ask }) {
    const tab = await page(), undone = [];
    await paths(tab, "/api/posts/mark-read/recent");
    const id = await feedId(ask, "Kernel"), at = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
    await tab.route("**/api/posts/mark-read/recent", (route) => route.fulfill({ json: { marks: [{ undo: "u1", at: at(5), marked: 412, can_restore: 412, scope: "all", feed_ids: [], feeds: 9 }, { undo: "u2", at: at(90), marked: 38, can_restore: 30, scope: "feed", feed_ids: [id], feeds: 1 }, { undo: "u3", at: at(3000), marked: 7, can_restore: 0, scope: "feeds", feed_ids: [], feeds: 3 }] } }));
    await tab.route("**/api/posts/mark-read/undo", (route) => { undone.push(route.request().postDataJSON().undo); return route.fulfill({ json: { ok: true, restored: 30 } }); });
    await tab.open("/r/history");
    const journal = tab.getByTestId("journal");
    await journal.getByText("412 in All articles").waitFor();
    expect((await journal.textContent()).includes("38 in Kernel & Crate") && (await journal.textContent()).includes("8 of them were read or bookmarked since"), "place and what stays");
    same(await journal.locator("li.undone").count(), 1, "what cannot come back is struck");
    await journal.getByRole("button", { name: "Undo 30" }).click();
    await until("the undo", async () => undone.join() === "u2");
    await tab.getByText(/unread again in Kernel/).first().waitFor();
  },

  async "pictures that never load, thumbnails that fail: rows keep their height and the text is there"({ page }) {
    const tab = await page({ prefs: { density: "cards", markRead: "never" }, allow: [/ERR_|Failed to load/] });
    await tab.route("**/api/me/settings", async (route) => { const answer = await route.fetch(); await route.fulfill({ response: answer, json: { ...(await answer.json()), density: "cards" } }); });
    await tab.route(/\/api\/posts\?/, async (route) => { const answer = await route.fetch(), body = await answer.json(); await route.fulfill({ response: answer, json: { ...body, posts: body.posts.map((post, n) => ({ ...post, image: n % 2 ? "https://pictures.example/never.svg" : "https://pictures.example/broken.svg" })) } }); });
    const held = [];
    await tab.context().route("https://pictures.example/**", (route) => { if (route.request().url().includes("broken")) return route.abort(); held.push(route); });
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    await until("broken ones go", async () => (await tab.locator(".thumb[hidden]").count()) > 0);
    const heights = await tab.evaluate(() => [...new Set([...document.querySelectorAll(".rows .row")].map((one) => one.getBoundingClientRect().height))]);
    same(heights, [112], "heights");
    await row(tab).nth(1).click();
    await tab.getByTestId("body").waitFor();
    for (const route of held) await route.abort().catch(() => undefined);
  },

  async "a clock an hour off: nothing is from the future, and what is new is still seen"({ page }) {
    const tab = await page({ prefs: { markRead: "never" } });
    await tab.addInitScript(() => { const real = Date.now.bind(Date), Real = Date; Date.now = () => real() - 3600_000; globalThis.Date = class extends Real { constructor(...args) { if (args.length) super(...args); else super(Real.now()); } static now() { return Real.now(); } }; });
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    const stamps = await tab.locator(".rows .row time").allTextContents();
    expect(stamps.every((text) => !text.includes("-") && text.trim() !== ""), `no odd times: ${stamps.slice(0, 5)}`);
    await row(tab).first().click();
    await tab.getByTestId("body").waitFor();
  },

  async "import: rows of the server's job, one left out, the result as a file"({ page, origin, ask }) {
    const tab = await page(), sent = [];
    const list = `<?xml version="1.0"?><opml version="2.0"><body>\n<outline text="Sky">\n<outline text="Alpha" xmlUrl="${origin.base}/alpha.xml"/>\n<outline text="Beta &amp; co" xmlUrl="${origin.base}/beta.xml"/>\n</outline></body></opml>`;
    const job = { id: 77, kind: "import", state: "done", created_at: new Date().toISOString(), finished_at: new Date().toISOString(), done: 2, total: 2, imported: 1, skipped: 1, errors: [], rows: [{ title: "Alpha", url: `${origin.base}/alpha.xml`, category: "Sky", state: "skipped", reason: "it was here since 2024", feed_id: null }, { title: "Beta & co", url: `${origin.base}/beta.xml`, category: "Sky", state: "imported", reason: null, feed_id: null }] };
    await tab.route("**/api/feeds/import-opml**", (route) => { if (!route.request().url().includes("dry_run")) sent.push(route.request().postData()); return route.fulfill({ json: { imported: 2, skipped: 0, errors: [], job_id: route.request().url().includes("dry_run") ? null : 77 } }); });
    await tab.route("**/api/jobs/77", (route) => route.fulfill({ json: job }));
    await tab.open("/import");
    await tab.locator("#opml-file").setInputFiles({ name: "feeds.opml", mimeType: "text/x-opml", buffer: Buffer.from(list) });
    await tab.getByTestId("import-table").waitFor();
    await tab.getByRole("checkbox", { name: "Select Alpha" }).uncheck();
    await tab.getByRole("button", { name: "Import one feed" }).click();
    await tab.getByText("it was here since 2024").waitFor();
    expect(sent[0].includes("Beta &amp; co") && !sent[0].includes("alpha.xml") && sent[0].includes('text="Sky"'), "only what was ticked is sent, in its category");
    const file = tab.waitForEvent("download");
    await tab.getByRole("button", { name: "Result as CSV" }).click();
    same((await file).suggestedFilename(), "courant-import.csv", "file");
  },

  async "5,000 feeds in one category and a tree ten levels deep stay quick"({ page, ask }) {
    const [sample] = await ask("GET", "/api/feeds"), tab = await page();
    const categories = [{ id: 1, name: "Default", parent_id: null, position: 0, unread_count: 0, is_default: true }, ...Array.from({ length: 10 }, (_, n) => ({ id: n + 2, name: `Level ${n + 1} with a long name that goes on`, parent_id: n ? n + 1 : null, position: n, unread_count: 0, is_default: false }))];
    await tab.route("**/api/categories", (route) => route.fulfill({ json: categories }));
    await tab.route("**/api/feeds", (route) => route.fulfill({ json: Array.from({ length: 5000 }, (_, n) => ({ ...sample, id: n + 1, title: `Feed number ${n}`, category_id: 11, unread_count: n % 7 })) }));
    await tab.open("/r/all");
    await tab.locator("[role=treeitem]").first().waitFor();
    expect((await tab.locator("[role=treeitem]").count()) < 120, "only what is in sight is drawn");
    await tab.locator("[role=tree]").evaluate((box) => { box.scrollTop = box.scrollHeight; });
    await tab.getByText("Feed number 4999", { exact: true }).waitFor();
    expect((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 1440, "nothing is too wide");
  },

  async "feed and category titles of 10,000 characters, right to left with Chinese and emoji: nothing overlaps or is too wide"({ page, ask }) {
    const long = "A very long name 😀 that goes on ".repeat(320), mixed = "صحيفة 朝刊 Ledger 🌊 ‮reversed‬ الميناء";
    for (const width of [1440, 390]) {
      const tab = await page({ width, touch: width < 600, allow: [/404/] });
      await withFeeds(tab, ask, [{ title: long, unread_count: 3 }, { title: mixed, unread_count: 3 }, { title: "", unread_count: 1 }, { title: "Z͑ͫ̓ͪ̂ă̩lgo", unread_count: 2 }], [CATEGORY(1, "Default"), CATEGORY(2, long), CATEGORY(3, mixed)]);
      for (const path of ["/r/all", "/r/feed/1000", "/feeds"]) {
        await tab.open(path);
        if (path === "/r/all" && width < 600) await tab.getByRole("button", { name: "Feeds" }).click();
        await tab.locator(path === "/feeds" ? "[data-testid=manage-table]" : path === "/r/all" ? "[role=treeitem]" : ".list-head").first().waitFor();
        expect((await tab.evaluate(() => document.documentElement.scrollWidth)) <= width, `${path} at ${width} is not too wide`);
        const tall = await tab.evaluate(() => [...document.querySelectorAll("[role=treeitem]")].filter((one) => one.scrollHeight > one.clientHeight + 2).length);
        same(tall, 0, `rows of the tree that overflow at ${width}`);
      }
      await tab.context().close();
    }
  },

  async "a feed that was switched off says why, and is switched on again"({ page, ask }) {
    const [sample] = await ask("GET", "/api/feeds"), tab = await page();
    let enabled = 0;
    const feed = () => ({ ...sample, state: enabled ? "active" : "disabled", state_reason: enabled ? null : "410 Gone", error_count: enabled ? 0 : 10 });
    await tab.route("**/api/feeds", (route) => route.fulfill({ json: [feed()] }));
    await tab.route(`**/api/feeds/${sample.id}`, (route) => route.fulfill({ json: feed() }));
    await tab.route(`**/api/feeds/${sample.id}/enable`, (route) => { enabled++; return route.fulfill({ json: { ok: true } }); });
    await tab.open(`/r/feed/${sample.id}`);
    await tab.getByTestId("banner").waitFor();
    same((await tab.getByTestId("banner").locator(".grow").textContent()), "One feed stopped updating", "banner");
    const row = tab.locator("[data-testid=feed]");
    expect((await row.textContent()).includes("disabled, 410 Gone"), "the word and the reason are in the name");
    await row.focus();
    await tab.keyboard.press("e");
    await until("the feed to be on", async () => enabled === 1 && (await tab.getByTestId("banner").count()) === 0);
  },
};
