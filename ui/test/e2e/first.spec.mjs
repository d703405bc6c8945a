// The first five minutes of a new user: sign in, an empty reader, a feed, an article, a bookmark, a search.
import { expect, same, until } from "./world.mjs";

export const world = { seeded: false };
const row = (page) => page.locator(".rows .row");

export const tests = {
  async "a wrong password is refused in words, the right one leads on"({ page }) {
    const tab = await page({ login: false, allow: [/401/] });
    await tab.open("/r/all");
    await tab.getByTestId("login").waitFor();
    expect(new URL(tab.url()).search.includes("next="), "the address to return to is kept");
    await tab.getByLabel("Password", { exact: true }).fill("wrong-password");
    await tab.getByRole("button", { name: "Sign in" }).click();
    await tab.getByRole("alert").waitFor();
    same(await tab.getByRole("alert").textContent(), "The name or the password is wrong.", "alert");
    await tab.getByLabel("Password", { exact: true }).fill("correct-horse-battery");
    await tab.getByRole("button", { name: "Sign in" }).click();
    await tab.getByTestId("empty-feeds").waitFor();
    same(new URL(tab.url()).pathname, "/r/all", "address after the login");
  },

  async "a printed link logs in once, and its token leaves the address"({ page, server }) {
    const tab = await page({ login: false, allow: [/401/] }), sent = [];
    await tab.route("**/api/auth/link", async (route) => { sent.push(route.request().postDataJSON()); await route.fulfill({ response: await route.fetch({ url: `${server.base}/api/auth/session`, postData: JSON.stringify({ password: "correct-horse-battery" }) }) }); });
    await tab.open("/#login=0123456789abcdef");
    await tab.getByTestId("welcome").waitFor();
    same(sent, [{ token: "0123456789abcdef" }], "what was sent");
    expect(!tab.url().includes("login="), "the address has no token");
  },

  async "without feeds the start page asks what to read"({ page }) {
    const tab = await page();
    await tab.open("/");
    await tab.getByTestId("welcome").waitFor();
    same(await tab.locator("h1").textContent(), "What would you like to read?", "title");
    // What a later part brings is absent.
    same(await tab.getByText(/starter|Connect an app/i).count(), 0, "words of later parts");
  },

  async "a site is looked up, followed and read"({ page, origin }) {
    const tab = await page();
    await tab.open("/r/unread");
    await tab.getByTestId("empty-feeds").waitFor();
    await tab.keyboard.press("a");
    await tab.getByLabel("Address of a site or feed").fill(`${origin.base}/kernel/`);
    await tab.keyboard.press("Enter");
    await tab.getByTestId("add-found").waitFor({ timeout: 30000 });
    same(await tab.locator(".found label").count(), 3, "feeds found");
    await tab.getByLabel("or a new one").fill("Technology");
    await tab.getByRole("button", { name: "Add feed", exact: true }).last().click();
    await row(tab).first().waitFor({ timeout: 30000 });
    same(await tab.locator(".list-head h1").textContent(), "Kernel & Crate", "the list of the new feed");
    same(await row(tab).count(), 4, "rows");
    await row(tab).first().click();
    await tab.getByTestId("body").waitFor();
    expect((await tab.getByTestId("body").textContent()).includes("per-core arena"), "the text of the article");
    same(await tab.locator(".article .summary").count(), 0, "no summary where there is no AI");
    same(await tab.locator("body").getByText(/\bAI\b|neutral/i).count(), 0, "no word about AI");
    // After a second it is read, and the tree knows.
    await until("the count to fall", async () => (await tab.locator("[data-testid=feed] .n").first().textContent()) === "3");
    await tab.keyboard.press("s");
    await tab.locator(".article-bar [aria-pressed=true][aria-label='Remove the bookmark']").waitFor();
    await tab.open("/r/bookmarks");
    await until("one bookmark", async () => (await row(tab).count()) === 1);
  },

  async "an address without a feed, a private one and a broken one are told apart"({ page, origin }) {
    const tab = await page({ allow: [/404|422/] });
    await tab.open("/r/unread");
    await tab.getByTestId("reader").waitFor();
    await tab.keyboard.press("a");
    const field = tab.getByLabel("Address of a site or feed");
    await field.fill(`${origin.base}/nofeed`);
    await tab.keyboard.press("Enter");
    await tab.getByTestId("add-none").waitFor({ timeout: 40000 });
    await field.fill("http://10.4.0.12/changes.rss");
    await tab.keyboard.press("Enter");
    await tab.getByTestId("add-blocked").waitFor({ timeout: 40000 });
    await tab.keyboard.press("Escape");
    same(await tab.locator("dialog").count(), 0, "Escape closes the dialog");
  },

  async "search finds words, and a name that nobody has is said"({ page }) {
    const tab = await page();
    await tab.open("/r/unread");
    await tab.getByTestId("reader").waitFor();
    await tab.keyboard.press("/");
    await tab.getByLabel("Search articles").fill("allocator");
    await until("results", async () => (await row(tab).count()) > 0);
    await tab.getByLabel("Search articles").fill("allocator feed:nobody");
    await tab.locator(".search-problem").waitFor();
    await tab.locator(".token").waitFor();
  },
};
