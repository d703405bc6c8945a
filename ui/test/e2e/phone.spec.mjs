// A session on a phone: one pane at a time, the bar at the foot, swiping, nothing wider than the screen.
import { expect, same, until } from "./world.mjs";

const size = { width: 390, height: 844, touch: true };
const wide = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

export const tests = {
  async "feeds, list, article and back"({ page }) {
    const tab = await page(size);
    await tab.open("/r/all");
    await tab.locator(".rows .row").first().waitFor();
    same(await tab.locator(".tree, .article").count(), 0, "other panes");
    await tab.locator(".rows .row").first().tap();
    await tab.getByTestId("body").waitFor();
    same(await tab.locator(".list").count(), 0, "the list while an article is open");
    expect((await wide(tab)) <= 0, "nothing is wider than the screen");
    await tab.getByRole("button", { name: "Next" }).tap();
    await until("the next article", async () => (await tab.locator(".back").count()) === 1);
    await tab.locator(".back").tap();
    await tab.locator(".rows .row").first().waitFor();
    await tab.getByRole("button", { name: "Feeds" }).tap();
    await tab.locator("[role=tree]").waitFor();
    await tab.locator("[data-testid=category]").first().tap();
    await tab.locator(".rows .row").first().waitFor();
  },

  async "targets are large enough, at 390 and at 320"({ page }) {
    for (const width of [390, 320]) {
      const tab = await page({ ...size, width });
      await tab.open("/r/all");
      await tab.locator(".rows .row").first().waitFor();
      const small = await tab.evaluate(() => [...document.querySelectorAll("button, .bottom-bar a, .tool")].filter((one) => { const box = one.getBoundingClientRect(); return box.width > 0 && (box.width < 24 || box.height < 24); }).map((one) => one.outerHTML.slice(0, 80)));
      same(small, [], `small targets at ${width}`);
      expect((await wide(tab)) <= 0, `nothing is wider than ${width}`);
    }
  },

  async "a swipe marks as read and gives way to the button's way"({ page }) {
    const tab = await page({ ...size, prefs: { markRead: "never" } });
    await tab.open("/r/unread");
    const first = tab.locator(".rows .row.unread").first();
    await first.waitFor();
    const id = await first.getAttribute("data-id"), box = await first.boundingBox();
    await tab.evaluate(([id, x, y]) => {
      const row = document.querySelector(`[data-id="${id}"]`);
      const send = (type, at) => row.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: "touch", clientX: at, clientY: y, pointerId: 1 }));
      send("pointerdown", x); send("pointermove", x + 40); send("pointermove", x + 110); send("pointerup", x + 110);
    }, [id, box.x + 60, box.y + 40]);
    await tab.locator(`[data-id="${id}"].read`).waitFor();
  },

  async "pulling the list down asks for new articles; a short pull does not"({ page }) {
    const tab = await page(size), asked = [];
    await tab.route("**/api/feeds/refresh", (route) => { asked.push(1); return route.fulfill({ json: { ok: true, new_posts: 0, feeds: 3, finished: 3, errors: [] } }); });
    await tab.open("/r/unread");
    await tab.locator(".rows .row").first().waitFor();
    const pull = (by) => tab.evaluate((far) => {
      const box = document.querySelector(".list-scroll"), at = (y) => [new Touch({ identifier: 1, target: box, clientX: 200, clientY: y })];
      const send = (type, touches) => box.dispatchEvent(new TouchEvent(type, { bubbles: true, touches, changedTouches: touches }));
      send("touchstart", at(200)); send("touchmove", at(200 + far / 2)); send("touchmove", at(200 + far)); const words = document.querySelector("[data-testid=pull]")?.textContent ?? ""; send("touchend", []); return words;
    }, by);
    await pull(40);
    await tab.waitForTimeout(200);
    same(asked.length, 0, "requests after a short pull");
    await pull(140);
    await until("the feeds are visited", async () => asked.length === 1);
    await until("it is over", async () => (await tab.getByTestId("pull").count()) === 0);
  },
};
