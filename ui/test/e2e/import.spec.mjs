// A list of feeds comes in, is looked at first, and can be taken back.
import { expect, same, until } from "./world.mjs";

export const world = { seeded: false };
export const tests = {
  async "dry run, import, undo"({ page, origin, server }) {
    const { owner } = await import("./world.mjs");
    const ask = await owner(server.base);
    const tab = await page();
    await tab.open("/import");
    await tab.locator("#opml-file").setInputFiles({ name: "feeds.opml", mimeType: "text/x-opml", buffer: Buffer.from(origin.opml()) });
    await tab.getByTestId("import-table").waitFor();
    const lines = origin.feeds.length;
    same(await tab.locator("[data-testid=import-table] tbody tr").count(), lines, "lines in the preview");
    expect((await tab.locator(".sentence").textContent()).includes("Nothing is stored yet"), "it says that nothing happened");
    same((await ask("GET", "/api/feeds")).length, 0, "feeds after the dry run");
    await tab.getByRole("button", { name: `Import ${lines} feeds` }).click();
    await tab.getByRole("button", { name: "Undo import" }).waitFor({ timeout: 60000 });
    same((await ask("GET", "/api/feeds")).length, lines, "feeds after the import");
    await tab.getByRole("button", { name: "Undo import" }).click();
    await tab.getByText(/taken back/).waitFor();
    await until("no feeds", async () => (await ask("GET", "/api/feeds")).length === 0);
  },

  async "what is no list is refused in words"({ page }) {
    const tab = await page({ allow: [/422/] });
    await tab.open("/import");
    await tab.locator("#opml-file").setInputFiles({ name: "cat.png", mimeType: "image/png", buffer: Buffer.from("not a list") });
    await tab.getByRole("alert").waitFor();
  },

  async "a shared address opens the dialog"({ page, origin }) {
    const tab = await page();
    await tab.open(`/add?text=${encodeURIComponent(`Look: ${origin.base}/kernel/`)}`);
    await tab.getByLabel("Address of a site or feed").waitFor();
    same(await tab.getByLabel("Address of a site or feed").inputValue(), `${origin.base}/kernel/`, "address");
  },
};
