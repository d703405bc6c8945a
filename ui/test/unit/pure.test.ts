// Pure parts: addresses, layout of the list, queries, OPML, texts, charts, the tree.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { steps } from "../../src/chart/stacked.tsx";
import { stepPath } from "../../src/chart/lines.tsx";
import { direction } from "../../src/format.ts";
import { fill } from "../../src/i18n.ts";
import { readOpml } from "../../src/manage/opml.ts";
import { Layout } from "../../src/reader/layout.ts";
import { cutAt, parts, toggle, without, words } from "../../src/reader/query.ts";
import { href, parse } from "../../src/router.ts";
import { buildTree } from "../../src/store/library.ts";
import type { Category, Feed } from "../../src/types.ts";

test("addresses are read as they are written", () => {
  for (const path of ["/r/unread", "/r/feed/7", "/r/feed/7/e/12", "/r/category/3/e/-4", "/r/tag/later%20on", "/r/search?q=a%20b", "/r/search/e/5?q=x"]) {
    const [name, query] = path.split("?");
    const route = parse(name!, query ? `?${query}` : "");
    assert.equal(route.page, "reader", path);
    if (route.page === "reader") assert.equal(href(route.view, route.entry), path);
  }
  assert.equal(parse("/r/feed/x").page, "missing");
  assert.equal(parse("/nowhere").page, "missing");
  assert.deepEqual(parse("/add", "?text=see%20https://one.example/a%20please"), { page: "add", url: "https://one.example/a" });
});

test("a list of 100,000 rows draws a few dozen, wherever it is", () => {
  const layout = new Layout(72, 32, [0, 10, 500], 100_000);
  assert.equal(layout.top(0), 32);
  assert.equal(layout.top(9), 9 * 72 + 32);
  assert.equal(layout.top(10), 10 * 72 + 64);
  assert.equal(layout.height, 100_000 * 72 + 96);
  for (const index of [0, 9, 10, 499, 500, 99_999]) assert.equal(layout.at(layout.top(index)), index);
  for (const scroll of [0, 5000, 7_000_000]) { const [from, to] = layout.window(scroll, 900); assert.ok(to - from <= 40, `${to - from} rows`); }
  assert.deepEqual(new Layout(72, 32, [], 0).window(0, 900), [0, 0]);
});

test("a query is taken apart for the eye", () => {
  const query = 'in:Technology -feed:"The Verge" "per-core arena" -jemalloc is:unread word';
  assert.deepEqual(parts(query).map(({ key, value, minus }) => `${minus ? "-" : ""}${key}:${value}`), ["in:Technology", "-feed:The Verge", ":per-core arena", "-:jemalloc", "is:unread", ":word"]);
  assert.deepEqual(words(query), ["per-core arena", "word"]);
  assert.equal(without(query, ["in", "feed"]), '"per-core arena" -jemalloc is:unread word');
  assert.equal(toggle("a", "in", "Long reads"), 'a in:"Long reads"');
  assert.equal(toggle('a in:"Long reads"', "in", "long reads"), "a");
  assert.deepEqual(cutAt("One (two) three", ["(two)"]), ["One ", { hit: "(two)" }, " three"]);
});

test("OPML is read for the preview, broken or not", () => {
  const text = '<opml><body>\n<outline text="News &amp; more">\n<outline type="rss" text="One" xmlUrl="https://one.example/?a=1&amp;b=2"/>\n</outline>\n<outline xmlUrl=\'https://two.example/\' title="Zw&#246;lf"></outline><outline text="x > y" xmlUrl="https://three.example"/>';
  assert.deepEqual(readOpml(text), [
    { line: 3, title: "One", url: "https://one.example/?a=1&b=2", path: ["News & more"] }, { line: 5, title: "Zwölf", url: "https://two.example/", path: [] }, { line: 5, title: "x > y", url: "https://three.example", path: [] },
  ]);
  assert.deepEqual(readOpml("<outline ".repeat(1000)), []);
});

test("texts have one form for one and one for many", () => {
  assert.equal(fill("One feed|{n} feeds", { n: 1 }, "en"), "One feed");
  assert.equal(fill("One feed|{n} feeds", { n: 1284 }, "en"), "1,284 feeds");
  assert.equal(fill("Ein Feed|{n} Feeds", { n: 1284 }, "de"), "1.284 Feeds");
  assert.equal(fill("{missing}!", {}, "en"), "!");
});

test("every text of the interface is there in German, with the same values", () => {
  const read = (name: string): Record<string, string> => JSON.parse(readFileSync(new URL(`../../src/i18n/${name}.json`, import.meta.url), "utf8"));
  const english = { ...read("en"), ...read("en-pages") }, german = read("de");
  assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
  const values = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!))].sort();
  for (const [key, text] of Object.entries(english)) assert.deepEqual(values(german[key]!), values(text), key);
});

test("a text runs the way its letters run", () => {
  assert.equal(direction("ميناء الشمال 1.2"), "rtl");
  assert.equal(direction("2026: The port"), "ltr");
  assert.equal(direction("東京湾"), "ltr");
  assert.equal(direction(""), "ltr");
});

test("an axis has round steps", () => {
  assert.deepEqual(steps(14_000), [0, 5000, 10000, 15000]);
  assert.deepEqual(steps(0), [0, 1]);
  assert.deepEqual(steps(3), [0, 1, 2, 3]);
});

test("steps hold until the next value", () => {
  const same = (value: number): number => value;
  assert.equal(stepPath([{ x: 0, y: 1 }, { x: 5, y: 3 }], same, same, 9), "M0.0 1.0H5.0V3.0H9.0");
});

test("the tree sums what is below, ten levels deep, and puts strays into the permanent category", () => {
  const category = (id: number, parent: number | null, is_default = false): Category => ({ id, name: `C${id}`, parent_id: parent, position: id, unread_count: 0, is_default });
  const feed = (id: number, category_id: number, unread_count: number): Feed => ({ id, title: `F${id}`, category_id, unread_count, state: "active", error_count: 0, fetch_state: { last_success_at: 1 } }) as Feed;
  const deep = [category(1, null, true), ...Array.from({ length: 10 }, (_, n) => category(n + 2, n === 0 ? null : n + 1))];
  const [top, other] = buildTree(deep, [feed(1, 11, 5), feed(2, 2, 1), feed(3, 999, 2)]);
  assert.equal(top!.unread, 6);
  assert.equal(other!.unread, 2);
  let depth = 0;
  for (let at = top; at; at = at.children[0]) depth++;
  assert.equal(depth, 10);
});
