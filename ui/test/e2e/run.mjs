// Runs the end-to-end tests: `npm run e2e`, `npm run e2e -- --only keyboard`. Needs the app built (npm run build) and COURANT_BIN.
// Every spec file exports `world` (how to start) and `tests` (name -> async (world)); pages must end without problems.
import { readdir } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import { startWorld } from "./world.mjs";

const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : "";
const here = new URL(".", import.meta.url);
const files = (await readdir(here)).filter((name) => name.endsWith(".spec.mjs") && (only ? name.includes(only) : true)).sort();
let passed = 0, failed = 0;
for (const file of files) {
  const { tests, world: options = {} } = await import(new URL(file, here).href);
  const world = await startWorld(options);
  const pages = [];
  const open = world.page;
  world.page = async (how) => { const page = await open(how); pages.push(page); return page; };
  for (const [name, run] of Object.entries(tests)) {
    const started = Date.now();
    try {
      await run(world);
      for (const page of pages) if (page.problems.length) throw new Error(page.problems.slice(0, 4).join("\n    "));
      passed++;
      console.log(`ok    ${file.replace(".spec.mjs", "")}: ${name} (${Date.now() - started} ms)`);
    } catch (error) {
      failed++;
      console.log(`FAIL  ${file.replace(".spec.mjs", "")}: ${name}\n    ${error.stack ?? error}`);
      mkdirSync("dist-test", { recursive: true });
      for (const [at, page] of pages.entries()) { if (!page.isClosed()) await page.screenshot({ path: `dist-test/${file.replace(".spec.mjs", "")}-${name.replace(/\W+/g, "-")}-${at}.png` }).catch(() => undefined); for (const problem of page.problems) console.log(`    ${problem.slice(0, 300)}`); }
    }
    for (const page of pages.splice(0)) await page.context().close().catch(() => undefined);
  }
  await world.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
