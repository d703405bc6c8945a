// The operator's room: figures, a broken feed that is found, explained and mended, the budget with its switches, and what is absent.
// Answers that the server of today may not have are laid over it (fixtures/operator.mjs).
import { operate } from "../fixtures/operator.mjs";
import { expect, same, until } from "./world.mjs";

export const tests = {
  async "an operator finds a broken feed, reads why, and mends it"({ page, ask, origin }) {
    const tab = await page({ allow: [/409|429/] });
    await operate(tab, ask);
    await tab.open("/r/unread");
    await tab.locator(".tree-foot").waitFor();
    await tab.keyboard.press("g");
    await tab.keyboard.press("d");
    await tab.getByRole("heading", { name: "Overview" }).waitFor();
    await tab.getByRole("link", { name: "Feed health" }).click();
    await tab.getByTestId("admin-feeds").waitFor();
    await tab.getByRole("button", { name: /^Failing/ }).click();
    await until("only what fails", async () => (await tab.locator("[data-testid=admin-feeds] tbody tr:not(.detail)").count()) === 2);
    expect((await tab.getByTestId("admin-feeds").textContent()).includes("the server answered 500"), "the cause is in the list");
    await tab.getByRole("button", { name: "Weekly Compiler" }).click();
    await tab.getByTestId("why-interval").waitFor();
    expect(/Visited every 38 minutes, because/.test(await tab.getByTestId("why-interval").textContent()), "the sentence");
    same(await tab.locator("[data-testid=visits] tbody tr").count(), 50, "visits");
    expect(tab.url().includes("filter=failing") && /feed=\d+/.test(tab.url()), "the address has filter and feed");
    origin.state.broken = false;
    await tab.getByRole("button", { name: "Fetch now" }).click();
    await until("the feed to be well", async () => (await ask("GET", "/api/feeds")).find((feed) => feed.url.endsWith("/broken.xml")).error_count === 0, 40);
    await tab.keyboard.press("Escape");
    await until("the drawer to close", async () => (await tab.locator("dialog").count()) === 0);
  },

  async "overview: figures, spans of time in the address, the hovered bar in words, the table, CSV"({ page, ask }) {
    const tab = await page();
    await operate(tab, ask);
    await tab.open("/admin");
    await tab.locator(".figures").waitFor();
    same(await tab.locator(".figures dt").allTextContents(), ["Visits", "Success", "Not modified (304)", "Errors", "p95 latency", "Bytes saved", "Visits saved"], "figures");
    await tab.getByRole("button", { name: "30 d" }).click();
    await until("the address", async () => tab.url().endsWith("range=30d"));
    await tab.getByRole("button", { name: "Custom" }).click();
    await tab.getByLabel("First day").fill("2026-11-01");
    await until("a span of one's own", async () => /range=custom&from=2026-11-01/.test(tab.url()));
    await tab.locator(".chart svg g rect").nth(8).hover({ force: true });
    await until("the bar in words", async () => /success [\d,]+/.test(await tab.locator(".readout").first().textContent()));
    await tab.getByRole("button", { name: "Data table" }).first().click();
    await tab.locator(".chart-table").first().waitFor();
    const file = tab.waitForEvent("download");
    await tab.getByRole("button", { name: "CSV" }).click();
    same((await file).suggestedFilename(), "courant-visits.csv", "file");
  },

  async "AI budget: limits are set, the breaker is closed, all AI is stopped by a typed word and started again"({ page, ask }) {
    const tab = await page();
    const sent = await operate(tab, ask);
    await tab.open("/admin/budget");
    await tab.getByTestId("breaker").waitFor();
    await tab.getByRole("button", { name: "Close it now" }).click();
    await until("the breaker to close", async () => (await tab.locator(".breaker .on").textContent()) === "closed");
    await tab.getByRole("button", { name: "Limits" }).click();
    await tab.getByLabel("Whole month").fill("a lot");
    await tab.getByRole("button", { name: "Save" }).click();
    await tab.getByRole("alert").waitFor();
    await tab.getByLabel("Whole month").fill("40");
    await tab.getByLabel("Summaries").fill("");
    await tab.getByRole("button", { name: "Save" }).click();
    await until("the cap", async () => (await tab.locator(".figures").textContent()).includes("of $40.00"));
    same(sent.find(([, path]) => path.endsWith("/budget"))[2], { month_cap: 40, kinds: { summary: null } }, "only what was changed is sent");
    const stop = tab.getByTestId("kill").getByRole("button");
    expect(await stop.isDisabled(), "not without the word");
    await tab.getByTestId("kill").getByRole("textbox").fill("stop");
    await stop.click();
    await tab.getByText("Start AI again").click();
    await tab.getByRole("button", { name: "Stop all AI" }).waitFor();
    same(sent.filter(([, path]) => path === "ai").map(([, , body]) => body), [{ enabled: false }, { enabled: true }], "switches");
    await tab.getByRole("button", { name: "Day" }).click();
    await tab.getByText("Spent per day").first().waitFor();
  },

  async "system and politeness say what is late and how publishers are treated"({ page, ask }) {
    const tab = await page();
    await operate(tab, ask);
    await tab.open("/admin/system");
    await tab.getByTestId("queues").waitFor();
    expect((await tab.getByTestId("sinks").textContent()).includes("31 entries behind"), "a late sink has a word");
    same(await tab.getByTestId("clock-skew").count(), 0, "clocks agree");
    await tab.getByRole("link", { name: "Politeness" }).click();
    await tab.getByTestId("politeness").waitFor();
    expect((await tab.getByTestId("politeness").textContent()).includes("no feed is asked more often than every 5 min"), "sentence");
  },

  async "a section whose endpoint is missing is absent, one that fails says so and can be tried again"({ page, ask }) {
    const tab = await page({ allow: [/503/] });
    await operate(tab, ask, { without: ["/admin/api/ai-usage", "/admin/api/politeness"] });
    let fail = true;
    await tab.route("**/admin/api/system", (route) => (fail ? route.fulfill({ status: 503, json: { error: "x", code: "unavailable", detail: "The database does not respond" } }) : route.fallback()));
    await tab.open("/admin/budget");
    await until("another section", async () => tab.url().endsWith("/admin/overview"));
    same(await tab.locator(".side .view-row .name").allTextContents(), ["Back to reader", "Overview", "Feed health", "Users", "System"], "sections");
    await tab.getByRole("link", { name: "System" }).click();
    await tab.getByTestId("admin-failed").waitFor();
    fail = false;
    await tab.getByRole("button", { name: "Retry" }).click();
    await tab.getByTestId("queues").waitFor();
  },

  async "who is no operator does not even see the door"({ page, ask }) {
    await ask("POST", "/admin/api/users", { name: "reader", password: "a-long-password-1" });
    const tab = await page({ login: false, allow: [/401|403/] });
    await tab.context().request.post(`${tab.base}/api/auth/session`, { data: { username: "reader", password: "a-long-password-1" } });
    await tab.open("/r/unread");
    await tab.locator(".tree-foot").waitFor();
    same(await tab.getByRole("link", { name: "Administration" }).count(), 0, "links to the room");
    await tab.open("/admin");
    await tab.getByTestId("admin-forbidden").waitFor();
  },
};
