// A session with the keyboard alone.
import { expect, same, until } from "./world.mjs";

const current = (page) => page.locator(".rows a[aria-current=true]").textContent();
const active = (page) => page.evaluate(() => { const element = document.activeElement; return element?.closest("[data-id]") ? "row" : element?.getAttribute("role") ?? element?.tagName; });

export const tests = {
  async "j and k open, n and p only move, Enter opens, Escape closes, the focus stays on the row"({ page }) {
    const tab = await page();
    await tab.open("/r/all");
    await tab.locator(".rows .row").first().waitFor();
    await tab.keyboard.press("j");
    await tab.getByTestId("body").waitFor();
    const first = await current(tab);
    same(await active(tab), "row", "focus after j");
    await tab.keyboard.press("j");
    await until("another article", async () => (await current(tab)) !== first);
    const opened = tab.url();
    await tab.keyboard.press("n");
    same(tab.url(), opened, "n opens nothing");
    await tab.keyboard.press("Enter");
    await until("the third", async () => tab.url() !== opened);
    await tab.keyboard.press("k");
    await until("back to the second", async () => tab.url() === opened);
    await tab.keyboard.press("Escape");
    await tab.getByTestId("article-none").waitFor();
    same(await active(tab), "row", "focus after Escape");
  },

  async "reading a post in the unread view leaves it where it is; m toggles without moving the focus"({ page }) {
    const tab = await page({ prefs: { markRead: "never" } });
    await tab.open("/r/unread");
    await tab.locator(".rows .row").first().waitFor();
    const before = await tab.locator(".rows .row").count();
    await tab.keyboard.press("n");
    await tab.keyboard.press("m");
    await tab.locator(".rows .row.read").first().waitFor();
    same(await tab.locator(".rows .row").count(), before, "rows");
    same(await active(tab), "row", "focus");
    await tab.keyboard.press("m");
    await until("unread again", async () => (await tab.locator(".rows .row.read").count()) === 0);
  },

  async "mark all is undone with z, also after a reload"({ page, ask }) {
    const tab = await page();
    const unread = async () => (await ask("GET", "/api/feeds")).reduce((sum, feed) => sum + feed.unread_count, 0);
    const before = await unread();
    expect(before > 20, "there is something to mark");
    await tab.open("/r/unread");
    await tab.locator(".rows .row").first().waitFor();
    await tab.keyboard.press("Shift+A");
    await tab.getByTestId("toast").waitFor();
    same(await unread(), 0, "unread on the server");
    await tab.reload();
    await tab.getByTestId("toast").waitFor();
    await tab.keyboard.press("z");
    await until("everything unread again", async () => (await unread()) === before);
  },

  async "the tree: arrows, closing and opening, moving a category with Alt"({ page, ask }) {
    const tab = await page();
    await tab.open("/r/unread");
    await tab.locator("[role=treeitem]").first().waitFor();
    await tab.locator("[role=treeitem][tabindex='0']").focus();
    await tab.keyboard.press("Home");
    const rows = await tab.locator("[role=treeitem]").count();
    await tab.keyboard.press("ArrowLeft");
    await until("the category to close", async () => (await tab.locator("[role=treeitem]").count()) < rows);
    await tab.keyboard.press("ArrowRight");
    await until("the category to open", async () => (await tab.locator("[role=treeitem]").count()) === rows);
    const order = async () => (await ask("GET", "/api/categories")).filter((one) => !one.is_default && one.parent_id === null).sort((a, b) => a.position - b.position).map((one) => one.name);
    const [first, second] = await order();
    await tab.keyboard.press("Alt+ArrowDown");
    await until("the order on the server", async () => (await order())[0] === second && (await order())[1] === first);
    same(await active(tab), "treeitem", "focus");
    expect(/, \d+ unread/.test(await tab.locator("[role=treeitem]").first().textContent()), "the count is in the name");
  },

  async "keys: g-sequences, palette, help, remapping, single keys off"({ page }) {
    const tab = await page();
    await tab.open("/r/unread");
    await tab.getByTestId("reader").waitFor();
    await tab.keyboard.press("g");
    await tab.keyboard.press("b");
    await until("bookmarks", async () => tab.url().endsWith("/r/bookmarks"));
    await tab.keyboard.press("Control+k");
    await tab.getByLabel("Feed, category, setting").fill("Kernel");
    await tab.keyboard.press("Enter");
    await until("the feed", async () => /\/r\/feed\/\d+/.test(tab.url()));
    await tab.keyboard.press("?");
    await tab.getByLabel("Find a shortcut").fill("bookmark");
    expect((await tab.locator(".help-columns dt").count()) < 8, "the list is narrowed");
    await tab.keyboard.press("Escape");
    await tab.open("/settings/shortcuts");
    await tab.getByRole("button", { name: "Change the keys of: Add feed" }).click();
    await tab.keyboard.press("q");
    await until("the new key", async () => (await tab.locator("tr", { hasText: "Add feed" }).locator("kbd").allTextContents()).join() === "q");
    await tab.keyboard.press("q");
    await tab.getByLabel("Address of a site or feed").waitFor();
    await tab.keyboard.press("Escape");
    await tab.getByRole("switch", { name: "Single-key shortcuts" }).click();
    await tab.keyboard.press("q");
    await tab.waitForTimeout(300);
    same(await tab.locator("dialog").count(), 0, "no dialog with single keys off");
  },

  async "both splitters move with arrows and are remembered"({ page }) {
    const tab = await page();
    await tab.open("/r/unread");
    const splitter = tab.getByRole("separator", { name: "Width of the list" });
    await splitter.focus();
    const before = Number(await splitter.getAttribute("aria-valuenow"));
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("ArrowRight");
    same(Number(await splitter.getAttribute("aria-valuenow")), before + 20, "width");
    await tab.reload();
    await splitter.waitFor();
    same(Number(await splitter.getAttribute("aria-valuenow")), before + 20, "width after a reload");
  },
};
