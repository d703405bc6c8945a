// States of the reader: new items, full text, attachments, hostile content, long titles, filters, print, languages.
import { expect, same, until } from "./world.mjs";

const row = (page) => page.locator(".rows .row");
const feedId = async (ask, title) => (await ask("GET", "/api/feeds")).find((feed) => feed.title.includes(title)).id;

export const tests = {
  async "hostile content is harmless, and shows its words"({ page, ask }) {
    const tab = await page();
    await tab.open(`/r/feed/${await feedId(ask, "Hostile")}`);
    await row(tab).first().waitFor();
    for (let at = 0; at < 2; at++) {
      await tab.keyboard.press("j");
      await tab.getByTestId("body").waitFor();
    }
    const body = tab.getByTestId("body");
    expect((await body.textContent()).includes("Hostile paragraph"), "its words are shown");
    same(await body.locator("script, iframe, form, input, style, svg, [onclick], [onerror], [style], base, meta").count(), 0, "elements that do something");
    same(await tab.locator("#app").count(), 1, "elements with the app's id");
    same(await body.locator("a[href^='javascript:']").count(), 0, "links that run");
    expect((await tab.title()).includes("Courant"), "the page is still ours");
  },

  async "titles of 10,000 characters, none at all, Japanese and Arabic: rows keep their height and nothing overlaps"({ page }) {
    const tab = await page();
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    const boxes = await tab.evaluate(() => [...document.querySelectorAll(".rows .row")].map((one) => { const { top, bottom } = one.getBoundingClientRect(); return { top, bottom, tall: one.scrollHeight > one.clientHeight + 1 }; }).sort((a, b) => a.top - b.top));
    for (let at = 1; at < boxes.length; at++) expect(boxes[at].top >= boxes[at - 1].bottom - 0.5, `row ${at} begins below the one before`);
    expect(boxes.every((box) => !box.tall), "no row is higher than its place");
    same(await tab.locator(".row-title[dir=rtl]").count() > 0, true, "Arabic runs from right to left");
    expect((await tab.evaluate(() => document.documentElement.scrollWidth)) <= 1440, "no sideways scrolling");
  },

  async "new posts wait behind a button and never push rows down"({ page, ask, origin }) {
    const tab = await page({ prefs: { markRead: "never" } });
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    await tab.waitForTimeout(500);
    const first = await row(tab).first().textContent();
    origin.publish("releases", "v3.0.0: a release that has just arrived");
    const id = await feedId(ask, "tidegauge");
    await until("the visit", async () => { const done = await ask("POST", `/api/feeds/${id}/refresh`).catch(() => null); return done && done.new_posts > 0; }, 60);
    await tab.getByTestId("new-items").waitFor({ timeout: 20000 });
    same(await row(tab).first().textContent(), first, "the first row");
    await tab.getByTestId("new-items").click();
    await until("the new one on top", async () => (await row(tab).first().textContent()).includes("just arrived"));
  },

  async "sound remembers its position, film says where it would come from, pictures wait if asked to"({ page, ask }) {
    await ask("PATCH", "/api/me/settings", { images: "click" });
    const tab = await page();
    await tab.open(`/r/feed/${await feedId(ask, "Correspondances")}`);
    await row(tab).first().click();
    await tab.getByTestId("player").waitFor();
    await tab.getByRole("button", { name: "30 seconds on" }).click();
    await tab.reload();
    await tab.getByText("goes on at 0:30").waitFor();
    await tab.open(`/r/feed/${await feedId(ask, "Observatory")}`);
    await row(tab).first().click();
    await tab.getByTestId("video").waitFor();
    expect((await tab.getByTestId("video").textContent()).includes("video.example"), "the host is named");
    await tab.getByTestId("images-wait").waitFor();
    same(await tab.locator(".body img").count(), 0, "pictures before they are asked for");
    await tab.getByRole("button", { name: "Show all" }).click();
    await tab.locator(".body img").first().waitFor();
    await ask("PATCH", "/api/me/settings", { images: "show" });
  },

  async "tags, a saved search and hiding a feed from All"({ page, ask }) {
    const tab = await page({ prefs: { markRead: "never" } });
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    await tab.keyboard.press("j");
    await tab.getByTestId("body").waitFor();
    await tab.keyboard.press("t");
    await tab.getByLabel("Find or make a tag").fill("later");
    await tab.keyboard.press("Enter");
    await tab.getByRole("button", { name: "Save" }).click();
    await tab.locator(".tags .tag", { hasText: "later" }).waitFor();
    await tab.open("/r/tag/later");
    await until("one row", async () => (await row(tab).count()) === 1);
    await tab.open("/r/search?q=comet");
    await tab.getByRole("button", { name: "Save as smart view" }).click();
    await tab.getByRole("button", { name: "Save", exact: true }).click();
    await until("the search on the server", async () => (await ask("GET", "/api/saved-searches")).some((one) => one.query === "comet"));
    const id = await feedId(ask, "Observatory");
    await tab.open(`/r/feed/${id}`);
    await row(tab).first().waitFor();
    await tab.keyboard.press("Shift+E");
    await tab.getByText("Show among Unread and All").click();
    await tab.getByRole("button", { name: "Save", exact: true }).click();
    await until("hidden on the server", async () => (await ask("GET", `/api/feeds/${id}`)).in_all === false);
    await ask("PUT", `/api/feeds/${id}`, { in_all: true });
  },

  async "a filter is tried before it is saved"({ page, ask }) {
    const tab = await page();
    await tab.open("/settings/filters");
    await tab.getByRole("button", { name: "New filter" }).first().click();
    await tab.getByLabel("Name", { exact: true }).fill("Loud words");
    await tab.getByLabel("Words, with commas between").fill("shock, stunned");
    await tab.getByText(/Tried on the last \d+ articles: 2 match/).waitFor();
    same(await tab.locator(".tried mark").count(), 2, "hits marked");
    await tab.getByRole("button", { name: "Save filter" }).click();
    await until("the filter on the server", async () => (await ask("GET", "/api/filters")).some((one) => one.name === "Loud words"));
  },

  async "the interface speaks German, and the theme comes with the page"({ page, ask }) {
    await ask("PATCH", "/api/me/settings", { theme: "dark" });
    const tab = await page({ locale: "de-DE", theme: "dark" });
    await tab.open("/r/unread");
    await tab.getByRole("heading", { name: "Ungelesen", exact: true }).waitFor();
    same(await tab.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme]), ["de", "dark"], "language and theme");
    const shell = await (await tab.context().request.get(`${tab.base}/r/unread`)).text();
    expect(shell.includes('data-theme="dark"'), "the server writes the theme into the page");
    await ask("PATCH", "/api/me/settings", { theme: "auto" });
  },

  async "back and forward bring back the view, the article and the scroll position"({ page }) {
    const tab = await page({ prefs: { markRead: "never" } });
    await tab.open("/r/all");
    await row(tab).first().waitFor();
    await tab.locator(".list-scroll").evaluate((box) => { box.scrollTop = 1500; });
    await tab.waitForTimeout(300);
    await tab.getByRole("link", { name: "Bookmarks" }).click();
    await until("bookmarks", async () => tab.url().includes("bookmarks"));
    await tab.goBack();
    await row(tab).first().waitFor();
    await until("the scroll position", async () => (await tab.locator(".list-scroll").evaluate((box) => box.scrollTop)) > 1200);
  },

  async "a list can be pages of real rows"({ page }) {
    const tab = await page({ prefs: { paged: true } });
    await tab.open("/r/all");
    await tab.getByTestId("list-paged").waitFor();
    await until("fifty rows", async () => (await row(tab).count()) === 50);
    await tab.getByRole("button", { name: "Next", exact: true }).click();
    await tab.getByText(/51–/).waitFor();
  },
};
