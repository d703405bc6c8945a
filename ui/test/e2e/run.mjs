// Runs the end-to-end tests: `npm run e2e`, `npm run e2e -- --only keyboard`, `-- --jobs 1`. Needs the app built (npm run build) and
// COURANT_BIN. Every spec file exports `world` (how to start) and `tests` (name -> async (world)); pages must end without problems.
// Spec files run beside each other, each with a server and a browser of its own.
import { readdir } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import { cpus } from "node:os";
import { startWorld } from "./world.mjs";

const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : "");
const only = option("--only"), jobs = Number(option("--jobs")) || Math.max(1, Math.min(3, cpus().length));
const here = new URL(".", import.meta.url), began = Date.now();
// The longest first, so that none begins when the others have ended.
const LONG = ["a11y", "reader", "ai", "first", "states"], rank = (file) => { const at = LONG.findIndex((name) => file.startsWith(name)); return at < 0 ? LONG.length : at; };
const files = (await readdir(here)).filter((name) => name.endsWith(".spec.mjs") && (only ? name.includes(only) : true)).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
let passed = 0, failed = 0;
// A page may be closed while an answer to it is being made.
process.on("unhandledRejection", (error) => { if (!/disposed|has been closed|Target closed/i.test(String(error))) { failed++; console.log(`FAIL  outside of a test\n    ${error?.stack ?? error}`); } });

async function runFile(file) {
  const { tests, world: options = {} } = await import(new URL(file, here).href);
  const world = await startWorld(options), name = file.replace(".spec.mjs", ""), pages = [], open = world.page;
  world.page = async (how) => { const page = await open(how); pages.push(page); return page; };
  for (const [title, run] of Object.entries(tests)) {
    const started = Date.now();
    try {
      await run(world);
      for (const page of pages) if (page.problems.length) throw new Error(page.problems.slice(0, 4).join("\n    "));
      passed++;
      console.log(`ok    ${name}: ${title} (${Date.now() - started} ms)`);
    } catch (error) {
      failed++;
      console.log(`FAIL  ${name}: ${title}\n    ${error.stack ?? error}`);
      mkdirSync("dist-test", { recursive: true });
      for (const [at, page] of pages.entries()) { if (!page.isClosed()) await page.screenshot({ path: `dist-test/${name}-${title.replace(/\W+/g, "-").slice(0, 60)}-${at}.png` }).catch(() => undefined); for (const problem of page.problems) console.log(`    ${problem.slice(0, 300)}`); }
    }
    for (const page of pages.splice(0)) await page.context().close().catch(() => undefined);
  }
  await world.close();
}

const waiting = [...files];
await Promise.all(Array.from({ length: Math.min(jobs, files.length) }, async () => { for (let file = waiting.shift(); file; file = waiting.shift()) await runFile(file); }));
console.log(`${passed} passed, ${failed} failed, ${Math.round((Date.now() - began) / 1000)} s`);
process.exit(failed || passed === 0 ? 1 : 0);
