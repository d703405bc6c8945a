// Calm titles and summaries, in every state, once the server says something about them; and very large trees.
import { speakCalmly } from "../fixtures/calm.mjs";
import { expect, same, until } from "./world.mjs";

// A number keeps its sign: the space before % does not break.
const CALM = "Per-core arenas cut p99 latency by 43\u00a0% on 1,200 servers";

export const tests = {
  async "rows show the calm title with the original under it; d swaps"({ page }) {
    const tab = await page({ prefs: { markRead: "never" } });
    await speakCalmly(tab);
    await tab.open("/r/all");
    const row = tab.locator(".row", { hasText: "ONE allocator" });
    await row.waitFor();
    same((await row.locator(".row-title").textContent()).replace(", unread", ""), CALM, "first title");
    expect((await row.locator(".original").textContent()).startsWith("This ONE allocator trick"), "the original under it");
    await tab.keyboard.press("d");
    await until("the original first", async () => (await row.locator(".row-title").textContent()).startsWith("This ONE"));
    await tab.keyboard.press("d");
    await row.click();
    await tab.getByText("Neutral title (AI)").waitFor();
    await tab.getByText(/Original title · loud, 0.86/).waitFor();
    await tab.getByRole("button", { name: "why" }).click();
    await tab.getByText("Clickbait").waitFor();
    await tab.getByTestId("summary-ready").waitFor();
    const top = (await tab.getByTestId("body").boundingBox()).y;
    await tab.keyboard.press("i");
    await until("the summary to go", async () => (await tab.getByTestId("summary-ready").count()) === 0);
    expect((await tab.getByTestId("body").boundingBox()).y < top, "the text moves up only when asked to");
  },

  async "a summary that is being made, and one that could not be made"({ page }) {
    for (const [state, words] of [["pending", /Generating summary….*number 3 in the queue/], ["failed", /Summary unavailable.*budget used up/]]) {
      const tab = await page({ prefs: { markRead: "never" } });
      await speakCalmly(tab, state);
      await tab.open("/r/all");
      await tab.locator(".row", { hasText: "allocator" }).first().click();
      await tab.getByTestId(`summary-${state}`).waitFor();
      await until(state, async () => words.test(await tab.getByTestId(`summary-${state}`).textContent()));
      await tab.context().close();
    }
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
