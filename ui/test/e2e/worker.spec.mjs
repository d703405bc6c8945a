// The shell from the service worker: without a server the app still starts and says what is the matter.
import { expect, until } from "./world.mjs";

export const tests = {
  async "the shell starts without the server, and goes on when it is back"({ page, server }) {
    const tab = await page({ worker: true, allow: [/ERR_|Failed to load|502/] });
    await tab.open("/r/all");
    await tab.locator(".rows .row").first().waitFor();
    await until("the worker to be ready", () => tab.evaluate(() => navigator.serviceWorker.controller !== null));
    await until("the shell to be kept", () => tab.evaluate(async () => { for (const name of await caches.keys()) { const kept = await (await caches.open(name)).keys(); if (kept.length > 4) return true; } return false; }));
    const kept = await tab.evaluate(async () => (await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname)))).flat());
    expect(kept.some((path) => path.includes("/app-")) && !kept.some((path) => /\/admin-/.test(path)), `the operator's room is not kept by every reader: ${kept}`);
    await server.stop();
    await tab.reload();
    await tab.getByTestId("unreachable").waitFor();
    await server.start();
    await tab.getByRole("button", { name: "Retry" }).click();
    await tab.locator(".rows .row").first().waitFor();
    const manifest = await (await tab.context().request.get(`${tab.base}/app.webmanifest`)).json();
    expect(manifest.share_target.action === "/add", "the app takes shared addresses");
  },
};
