// Pure parts of the operator's room, of charts and of tables as files.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adminHealth } from "../../src/admin/feeds.tsx";
import { fewer } from "../../src/admin/overview.tsx";
import { spanOf } from "../../src/admin/span.ts";
import type { AdminFeed, Bucket } from "../../src/admin/data.ts";
import { apart, crossing, ladder } from "../../src/chart/lines.tsx";
import { readOpml, writeOpml } from "../../src/manage/opml.ts";
import { csvOf } from "../../src/part/csv.ts";
import { fillMonths } from "../../src/reader/facets.tsx";
import { resisted } from "../../src/reader/pull.tsx";
import { cutSpans } from "../../src/reader/query.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z"), DAY = 86400_000;

test("a span of time is read from the address, and what makes no sense is seven days", () => {
  const days = (text: string): [string, number] => { const { range, days: n } = spanOf(new URLSearchParams(text), NOW); return [range, n]; };
  assert.deepEqual(days(""), ["7d", 7]);
  assert.deepEqual(days("range=30d"), ["30d", 30]);
  assert.deepEqual(days("range=constructor"), ["7d", 7]);
  assert.deepEqual(days("range=custom&from=2026-11-01&to=2026-11-03"), ["custom", 3]);
  assert.deepEqual(days("range=custom&from=2026-11-03&to=2026-11-01"), ["7d", 7]);
  assert.deepEqual(days("range=custom&from=2026-13-40&to=2026-11-01"), ["7d", 7]);
  assert.equal(days("range=custom&from=2001-01-01&to=2026-11-01")[1], 400, "the server keeps 400 days");
  assert.ok(spanOf(new URLSearchParams("range=custom&from=2026-11-18&to=2030-01-01"), NOW).to.getTime() <= NOW, "no future");
});

test("fewer bars have the same sums", () => {
  const buckets = Array.from({ length: 169 }, (_, n): Bucket => ({ at: new Date(NOW + n * 3600_000).toISOString(), success: n, not_modified: 1, error: 2, bytes: 3, bytes_saved: 4 }));
  const few = fewer(buckets), sum = (all: Bucket[], key: "success" | "error" | "bytes_saved"): number => all.reduce((total, one) => total + (one[key] ?? 0), 0);
  assert.ok(few.length <= 32);
  for (const key of ["success", "error", "bytes_saved"] as const) assert.equal(sum(few, key), sum(buckets, key));
});

test("the axis of durations holds all values", () => {
  for (const values of [[2280, 3120], [300], [60], [86400 * 90], [1800, 43_200 * 1.6]]) {
    const marks = ladder(values);
    assert.ok(marks.length >= 3 || marks[marks.length - 1]! >= 30 * 86400, `${values}: ${marks}`);
    assert.deepEqual(marks, [...marks].sort((a, b) => a - b));
  }
});

test("labels at the end of lines keep their distance and their order", () => {
  assert.deepEqual(apart(10, 100), [10, 100]);
  const [first, second] = apart(50, 52);
  assert.ok(second - first >= 15);
  const [low, high] = apart(52, 50);
  assert.ok(low - high >= 15);
});

test("where the forecast reaches the cap", () => {
  assert.equal(crossing({ x: 0, y: 10 }, { x: 10, y: 30 }, 20), 5);
  assert.equal(crossing({ x: 0, y: 10 }, { x: 10, y: 15 }, 20), null);
  assert.equal(crossing({ x: 0, y: 25 }, { x: 10, y: 30 }, 20), null, "it was reached before");
});

test("how a feed is, by what the operator's list says", () => {
  const feed = (more: Partial<AdminFeed>): AdminFeed => ({ id: 1, title: "x", url: "https://x.example/", state: "active", last_success_at: new Date(NOW).toISOString(), errors: 0, ...more });
  assert.equal(adminHealth(feed({}), NOW), "healthy");
  assert.equal(adminHealth(feed({ errors: 3 }), NOW), "failing");
  assert.equal(adminHealth(feed({ state: "gone", errors: 3 }), NOW), "disabled");
  assert.equal(adminHealth(feed({ state: "paused", errors: 3 }), NOW), "paused");
  assert.equal(adminHealth(feed({ last_success_at: null }), NOW), "new");
  assert.equal(adminHealth(feed({ last_new_at: new Date(NOW - 91 * DAY).toISOString() }), NOW), "silent");
  assert.equal(adminHealth(feed({ redirected_from: "https://old.example/" }), NOW), "redirected");
});

test("a cell that a spreadsheet would run is quoted", () => {
  assert.equal(csvOf([["a", 1, null], ['=HYPERLINK("http://evil")', "-1", "say \"hi\""]]), '"a","1",""\r\n"\'=HYPERLINK(""http://evil"")","\'-1","say ""hi"""');
});

test("months without a hit stand between those with some, at most thirteen", () => {
  assert.deepEqual(fillMonths([{ month: "2026-02", count: 1 }, { month: "2025-11", count: 4 }]), [{ month: "2025-11", count: 4 }, { month: "2025-12", count: 0 }, { month: "2026-01", count: 0 }, { month: "2026-02", count: 1 }]);
  assert.equal(fillMonths([{ month: "1999-02", count: 1 }, { month: "2025-11", count: 4 }]).length, 13);
  assert.deepEqual(fillMonths([]), []);
});

test("hits are cut by their places, and places that make no sense are left out", () => {
  assert.deepEqual(cutSpans("one two three", [[4, 7]]), ["one ", { hit: "two" }, " three"]);
  assert.deepEqual(cutSpans("one two", [[4, 7], [0, 3]]), [{ hit: "one" }, " ", { hit: "two" }]);
  assert.deepEqual(cutSpans("one", [[-1, 2], [2, 2], [0, 99]]), ["one"]);
  assert.deepEqual(cutSpans("one two", [[0, 5], [3, 7]]), [{ hit: "one t" }, "wo"]);
});

test("a list of feeds that was written is read again", () => {
  const lines = [{ line: 2, title: "A & B <c>", url: "https://a.example/?x=1&y=\"2\"", path: ["News", "Dev \"blogs\""] }, { line: 3, title: "D", url: "https://d.example/", path: [] }];
  assert.deepEqual(readOpml(writeOpml(lines, true)).map(({ title, url, path }) => ({ title, url, path })), lines.map(({ title, url, path }) => ({ title, url, path })));
  assert.deepEqual(readOpml(writeOpml(lines, false)).map(({ path }) => path), [[], []]);
});

test("a list follows the finger ever less, and never upwards", () => {
  assert.equal(resisted(-40), 0);
  assert.ok(resisted(40) < 40 && resisted(200) <= 110 && resisted(60) < resisted(90));
});
