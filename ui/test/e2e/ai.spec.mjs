// What the language part says: summaries in every state, calm titles, ratings with their reasons, the quoted answer, topics; and
// that no word of it is there where it is off. The answers are laid over the server's (fixtures/calm.mjs).
import { STATES, speakCalmly } from "../fixtures/calm.mjs";
import { expect, same, until } from "./world.mjs";

// A number keeps its sign: the space before % does not break.
const CALM = "Per-core arenas cut p99 latency by 43\u00a0% on 1,200 servers";
const open = async (page, state, more, options = {}) => {
  const tab = await page({ prefs: { markRead: "never" }, ...options });
  const asked = await speakCalmly(tab, state, more);
  await tab.open("/r/all");
  const row = tab.locator(".row", { hasText: "allocator" }).first();
  await row.waitFor();
  return { tab, row, asked };
};

export const tests = {
  async "rows show the calm title with the original under it; d swaps; why gives the reasons"({ page }) {
    const { tab, row } = await open(page, "ready");
    same((await row.locator(".row-title").textContent()).replace(", unread", ""), CALM, "first title");
    expect((await row.locator(".original").textContent()).startsWith("This ONE allocator trick"), "the original under it");
    await tab.keyboard.press("d");
    await until("the original first", async () => (await row.locator(".row-title").textContent()).startsWith("This ONE"));
    await tab.keyboard.press("d");
    await row.click();
    await tab.getByText("Neutral title (AI)").waitFor();
    await tab.getByText(/Original title · loud, 0.86/).waitFor();
    await tab.getByRole("button", { name: "why" }).click();
    const why = tab.getByTestId("why");
    await why.waitFor();
    for (const words of ["Why loud: “ONE trick”", "Clickbait", "It holds back what the trick is", "Capital letters and two exclamation marks.", "0.93", "Judged by AI · local-1 · on this server"]) expect((await why.textContent()).includes(words), words);
    await tab.keyboard.press("Escape");
    await until("the box to close", async () => (await why.count()) === 0);
    expect(await tab.getByTestId("body").isVisible(), "the article stays open");
    same(await tab.locator(".topics").textContent(), "Technologymemory allocatorslatencyper-core arenasneutral in tone", "topics");
    await tab.locator(".topics a").first().click();
    await until("a search for the topic", async () => tab.url().includes("/r/search?q=%22memory%20allocators%22"));
  },

  async "a ready summary says who wrote it; i hides it and the text moves only then"({ page }) {
    const { tab, row } = await open(page, "ready");
    await row.click();
    const summary = tab.getByTestId("summary-ready");
    await summary.waitFor();
    expect((await summary.locator("footer").textContent()).startsWith("AI summary · qwen3-8b · by an outside model · 3 s"), "model and time");
    const top = (await tab.getByTestId("body").boundingBox()).y;
    await tab.keyboard.press("i");
    await until("the summary to go", async () => (await summary.count()) === 0);
    expect((await tab.getByTestId("body").boundingBox()).y < top, "the text moves up");
    await tab.keyboard.press("i");
    await summary.waitFor();
  },

  async "every reason for no summary has its words, and only some can be tried again"({ page }) {
    const words = { budget: /budget used up.*begins anew on 1 December/, provider: /provider error.*did not answer in 30 s/, too_short: /article too short/, admin: /turned off by the administrator/, private: /private/ };
    for (const [state, pattern] of Object.entries(words)) {
      const { tab, row } = await open(page, state);
      await row.click();
      const failed = tab.getByTestId("summary-failed");
      await failed.waitFor();
      expect(pattern.test(await failed.textContent()), `${state}: ${await failed.textContent()}`);
      same(await failed.getByRole("button", { name: "Retry" }).count(), state === "provider" ? 1 : 0, `retry for ${state}`);
      await tab.context().close();
    }
  },

  async "waiting says so after a moment, and its place in the queue after five seconds; Retry asks the server; the text never moves"({ page }) {
    let state = "provider";
    const { tab, row, asked } = await open(page, () => state);
    await row.click();
    await tab.getByTestId("summary-failed").getByRole("button", { name: "Retry" }).click();
    state = "pending";
    const waiting = tab.getByTestId("summary-pending");
    await waiting.waitFor();
    await until("the request", async () => asked.length === 1);
    await until("the word", async () => (await waiting.textContent()).includes("Generating summary…"));
    const top = (await tab.getByTestId("body").boundingBox()).y;
    await until("the place in the queue", async () => /number 3 in the queue/.test(await waiting.textContent()), 12);
    state = "ready";
    await tab.getByTestId("summary-ready").waitFor({ timeout: 20000 });
    expect(Math.abs((await tab.getByTestId("body").boundingBox()).y - top) < 12, "the text has not moved");
    await until("it is announced", async () => (await tab.locator("[aria-live=polite]").allTextContents()).join().includes("The summary is there"));
  },

  async "an event brings what was made meanwhile, in the row and in the article"({ page }) {
    let state = "off", told = "";
    const tab = await page({ prefs: { markRead: "never" } });
    await speakCalmly(tab, () => state);
    await tab.route("**/api/events", async (route) => { await until("something to tell", async () => told, 30); await route.fulfill({ contentType: "text/event-stream", body: told }).catch(() => undefined); });
    await tab.open("/r/all");
    const row = tab.locator(".row", { hasText: "ONE allocator" }).first();
    await row.waitFor();
    same(await row.locator(".original").count(), 0, "no calm title yet");
    const id = await row.getAttribute("data-id");
    await row.click();
    await tab.getByTestId("body").waitFor();
    same(await tab.locator(".summary").count(), 0, "no summary yet");
    state = "ready";
    told = `event: enriched\ndata: {"post_id":${id},"kind":"summary"}\n\n`;
    await tab.getByTestId("summary-ready").waitFor();
    await tab.locator(`[data-id="${id}"] .original`).waitFor();
  },

  async "the answer to a headline is quoted beside it, never instead of it"({ page }) {
    const { tab, row } = await open(page, "ready", { answer: { text: "We gave every core an arena of its own.", confidence: 0.83 } });
    await row.click();
    await tab.getByTestId("answer").waitFor();
    same(await tab.getByTestId("answer").locator("p").textContent(), "“We gave every core an arena of its own.”", "quotation");
    expect((await tab.locator(".article-head .title").textContent()).includes("Per-core arenas"), "the title stays");
  },

  async "where it is off, no word of it is on the page"({ page }) {
    const { tab, row } = await open(page, "off");
    await row.click();
    await tab.getByTestId("body").waitFor();
    same(await tab.locator(".summary, .other-title, .rating, .topics, .answer, .original").count(), 0, "parts");
    same(await tab.locator("body").getByText(/\bAI\b|neutral/i).count(), 0, "words");
    await tab.keyboard.press("i");
    same(await tab.locator(".summary").count(), 0, "after i");
  },

  async "settings: the switch is kept by the server; without AI there is no such page; a feed has a switch of its own"({ page, ask }) {
    const none = await page();
    await none.route("**/api/status", async (route) => { const answer = await route.fetch(); const { ai: _, ...body } = await answer.json(); await route.fulfill({ response: answer, json: body }); });
    await none.open("/settings/reading");
    await none.locator(".side").waitFor();
    same(await none.locator(".side").getByText("AI", { exact: true }).count(), 0, "the link where there is no AI");
    const tab = await page(), sent = [];
    await speakCalmly(tab);
    await tab.route("**/api/me/settings", async (route) => { if (route.request().method() !== "PATCH") return route.fallback(); sent.push(route.request().postDataJSON()); await route.fulfill({ json: {} }); });
    await tab.open("/settings/ai");
    await tab.getByTestId("ai-settings").waitFor();
    await tab.getByRole("switch", { name: "Summaries and neutral titles" }).click();
    await until("the switch on the server", async () => sent.some((body) => body.ai === false));
    same(await tab.getByText("Show summaries").count(), 0, "what depends on it");
    const [feed] = await ask("GET", "/api/feeds"), changes = [];
    await tab.route("**/api/feeds", async (route) => { const answer = await route.fetch(); await route.fulfill({ response: answer, json: (await answer.json()).map((one) => ({ ...one, ai: null })) }); });
    await tab.route(`**/api/feeds/${feed.id}`, async (route) => { if (route.request().method() !== "PUT") return route.fallback(); changes.push(route.request().postDataJSON()); await route.fulfill({ json: { ...feed, ai: "off" } }); });
    await tab.open(`/r/feed/${feed.id}`);
    await tab.locator(".rows .row").first().waitFor();
    await tab.keyboard.press("Shift+E");
    await tab.getByRole("radiogroup", { name: "AI" }).getByRole("radio").nth(2).check();
    await tab.getByRole("button", { name: "Save", exact: true }).click();
    await until("the feed's switch", async () => changes[0]?.ai === false);
  },

  async "the operator is told when the budget is nearly used"({ page }) {
    const tab = await page();
    await tab.route("**/api/status", async (route) => { const answer = await route.fetch(); await route.fulfill({ response: answer, json: { ...(await answer.json()), health_warning: null, ai: { enabled: true, provider: "openai", budget_state: "stopped" } } }); });
    await tab.open("/r/all");
    await tab.getByTestId("banner").waitFor();
    expect((await tab.getByTestId("banner").textContent()).includes("AI budget used up"), "words");
  },
};
expect(Object.keys(STATES).length >= 8, "all states have a fixture");
