// The very first start: the server prints a link, the link sets a password and is spent then.
import { expect, same, until } from "./world.mjs";

export const world = { seeded: false, password: null };

export const tests = {
  async "the printed link sets the first password, and leads to the first feeds"({ page, server }) {
    const link = await until("the link", async () => /https?:\/\/\S+\/setup\S*/.exec(server.output())?.[0]);
    const tab = await page({ login: false, allow: [/401|410|422/] });
    await tab.open("/login");
    await tab.getByText("Nobody has chosen a password yet").waitFor();
    const { pathname, search, hash } = new URL(link);
    await tab.open(pathname + search + hash);
    await tab.getByLabel("Password", { exact: true }).fill("correct-horse-battery");
    await tab.getByLabel("Once more").fill("correct-horse-batterx");
    await tab.getByRole("button", { name: "Set the password" }).click();
    same(await tab.getByRole("alert").textContent(), "The two passwords differ.", "alert");
    await tab.getByLabel("Once more").fill("correct-horse-battery");
    await tab.getByRole("button", { name: "Set the password" }).click();
    await tab.getByTestId("welcome").waitFor();
    expect(!tab.url().includes("token"), "the token is not in the address any more");
    const again = await page({ login: false, allow: [/401|410/] });
    await again.open(pathname + search + hash);
    await again.getByLabel("Password", { exact: true }).fill("another-password-1");
    await again.getByLabel("Once more").fill("another-password-1");
    await again.getByRole("button", { name: "Set the password" }).click();
    await again.getByText("This link was used, or is too old.").waitFor();
  },
};
