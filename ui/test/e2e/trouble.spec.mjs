// Things that go wrong: the server restarts, the session ends, the API is slow or fails, a feed breaks and is mended.
import { expect, same, until } from "./world.mjs";

const row = (page) => page.locator(".rows .row");

export const tests = {
  async "the server restarts under an open page: changes wait and are sent"({ page, server, ask }) {
    const tab = await page({ allow: [/502|Failed to load|ERR_/], prefs: { markRead: "never" } });
    await tab.open("/r/unread");
    await row(tab).first().waitFor();
    await tab.keyboard.press("n");
    const id = Number(await row(tab).first().getAttribute("data-id"));
    await server.stop();
    await tab.keyboard.press("m");
    await tab.getByText(/one change waiting/).waitFor();
    await server.start();
    await until("the change on the server", async () => (await ask("GET", `/api/posts/${id}`)).is_read, 40);
    await until("the badge to go", async () => (await tab.locator(".offline").count()) === 0, 40);
  },

  async "an ended session asks for the password and loses nothing"({ page, ask }) {
    const tab = await page({ allow: [/401/], prefs: { markRead: "never" } });
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    await tab.keyboard.press("j");
    await tab.getByTestId("body").waitFor();
    const url = tab.url();
    await tab.context().clearCookies();
    await tab.keyboard.press("m");
    await tab.getByText("Sign in again").waitFor();
    await tab.getByLabel("Password", { exact: true }).fill("correct-horse-battery");
    await tab.keyboard.press("Enter");
    await until("the dialog to go", async () => (await tab.getByText("Sign in again").count()) === 0);
    same(tab.url(), url, "address");
    expect(await tab.getByTestId("body").isVisible(), "the article is still there");
    await tab.keyboard.press("s");
    await tab.locator(".article-bar [aria-label='Remove the bookmark']").waitFor();
    const id = Number(/\/e\/(\d+)/.exec(url)[1]);
    await until("the bookmark on the server", async () => (await ask("GET", `/api/posts/${id}`)).is_starred);
    await ask("PATCH", `/api/posts/${id}/star`, { is_starred: false });
  },

  async "a failing list offers to try again, a slow one shows its bones"({ page }) {
    const tab = await page({ allow: [/500|503/] });
    let fail = true;
    await tab.route("**/api/posts?**", async (route) => { if (fail) return route.fulfill({ status: 503, contentType: "application/json", body: '{"error":"x","code":"unavailable","detail":"The database does not respond; try again"}' }); await new Promise((late) => setTimeout(late, 700)); return route.continue(); });
    await tab.open("/r/unread");
    await tab.getByTestId("list-failed").waitFor();
    expect((await tab.getByTestId("list-failed").textContent()).includes("does not respond"), "the reason is said");
    fail = false;
    await tab.getByRole("button", { name: "Retry" }).click();
    await tab.getByTestId("list-loading").waitFor();
    await row(tab).first().waitFor();
  },

  async "a change that is refused is taken back"({ page }) {
    const tab = await page({ allow: [/500/], prefs: { markRead: "never" } });
    await tab.route("**/api/posts/*/star", (route) => route.fulfill({ status: 500, contentType: "application/json", body: '{"error":"x","code":"internal","detail":"Something went wrong here"}' }));
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    await tab.keyboard.press("j");
    await tab.getByTestId("body").waitFor();
    await tab.keyboard.press("s");
    await tab.getByText("Something went wrong here").first().waitFor();
    await tab.locator(".article-bar [aria-label='Bookmark']").waitFor();
  },

  async "a broken feed is found and mended"({ page, origin, ask }) {
    const tab = await page({ allow: [/409|429/] });
    await tab.open("/feeds?show=trouble");
    await tab.getByTestId("manage-table").waitFor();
    const name = "Weekly Compiler";
    expect((await tab.locator("tbody").textContent()).includes("the server answered 500"), "the cause is said");
    origin.state.broken = false;
    await tab.locator("tr.detail", { hasText: "500" }).getByRole("button", { name: "Fetch now" }).click();
    await until("the feed to be well", async () => (await ask("GET", "/api/feeds")).find((feed) => feed.title === name || feed.url.endsWith("/broken.xml")).error_count === 0, 40);
    await until("the row to go", async () => !(await tab.locator(".page").textContent()).includes("the server answered 500"), 20);
  },

  async "users: one is added, locked, and cannot see the operator's room"({ page, ask }) {
    const tab = await page();
    await tab.open("/admin/users");
    await tab.getByTestId("users").waitFor();
    await tab.getByLabel("User name").fill("ines");
    await tab.getByLabel("Password").fill("a-long-password-1");
    await tab.getByRole("button", { name: "Add user" }).click();
    await tab.getByRole("button", { name: "ines", exact: true }).click();
    await tab.getByRole("button", { name: "Lock the account" }).click();
    await tab.locator(".chip", { hasText: "locked" }).waitFor();
    same((await ask("GET", "/admin/api/users")).find((one) => one.name === "ines").disabled, true, "locked on the server");
  },
};
