// Overview: how visits went, what failed and where, and what was saved.
import { Bar } from "../chart/lines.tsx";
import { Stacked } from "../chart/stacked.tsx";
import { bytes, dayOf, number, shortDate, time, weekdayShort, when } from "../format.ts";
import { t } from "../i18n.ts";
import { PageHead } from "../part/control.tsx";
import { saveCsv } from "../part/csv.ts";
import { Empty } from "../part/empty.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { route } from "../router.ts";
import { feeds } from "../store/library.ts";
import { has } from "../store/server.ts";
import { type Bucket, type HealthData, type HostData, ask } from "./data.ts";
import { Change, Figures, inPercent, inPoints, split } from "./kpi.tsx";
import { refreshNow, useLive } from "./live.ts";
import { Ranges } from "./ranges.tsx";
import { spanOf } from "./span.ts";

/** Sums buckets so that not more than so many bars are drawn. */
export function fewer(buckets: Bucket[], most = 32): Bucket[] {
  const by = Math.ceil(buckets.length / most);
  if (by <= 1) return buckets;
  const found: Bucket[] = [];
  for (let at = 0; at < buckets.length; at += by) {
    const part = buckets.slice(at, at + by), sum = (key: "success" | "not_modified" | "error" | "bytes" | "bytes_saved"): number => part.reduce((total, one) => total + (one[key] ?? 0), 0);
    found.push({ at: part[0]!.at, success: sum("success"), not_modified: sum("not_modified"), error: sum("error"), bytes: sum("bytes"), bytes_saved: sum("bytes_saved") });
  }
  return found;
}

/** Sums buckets by the day of the user's time zone. */
export function byDay(buckets: Bucket[]): Bucket[] {
  const days = new Map<string, Bucket>();
  for (const one of buckets) {
    const day = dayOf(one.at), known = days.get(day);
    if (!known) days.set(day, { ...one });
    else for (const key of ["success", "not_modified", "error", "bytes", "bytes_saved"] as const) known[key] = (known[key] ?? 0) + (one[key] ?? 0);
  }
  return [...days.values()];
}

const share = (part: number | undefined, of: number): number => (of ? ((part ?? 0) / of) * 100 : 0);
const percent = (value: number): string => number(Math.round(value * 10) / 10);
const inThousands = (high: number) => (value: number): string => (high >= 10_000 && value > 0 ? `${number(value / 1000)}\u00a0k` : number(value));

export function Overview() {
  const span = spanOf(new URLSearchParams(route.value.page === "admin" ? route.value.query : ""), Math.floor(Date.now() / 60_000) * 60_000);
  const range = { from: span.from.toISOString(), to: span.to.toISOString() };
  const key = `${span.range}${span.range === "custom" ? range.from + range.to : ""}`;
  const health = useLive<HealthData>(() => ask("/admin/api/health", range), key);
  const hosts = useLive<HostData[]>(async () => ((await has("/admin/api/hosts")) ? ask("/admin/api/hosts", { ...range, limit: 8 }) : null), key);
  const now = health.data;
  return (
    <>
      <PageHead title={t("admin.overview")}><Ranges span={span} path="/admin/overview" />
        {now && <button type="button" class="outline" onClick={() => saveCsv("visits", [["at", "success", "not_modified", "error", "bytes", "bytes_saved"], ...now.buckets.map((one) => [one.at, one.success, one.not_modified, one.error, one.bytes, one.bytes_saved])])}><Icon name="download" size={16} />CSV</button>}</PageHead>
      {health.state === "failed" && <Empty drawing="offline" title={t("list.failed")} testId="admin-failed" actions={<button type="button" class="primary" onClick={refreshNow}>{t("retry")}</button>}>{health.problem}</Empty>}
      {now && <Body now={now} hosts={hosts.data} days={span.days} />}
    </>
  );
}

function Body({ now, hosts, days }: { now: HealthData; hosts: HostData[] | null; days: number }) {
  const { totals, before } = now, all = totals.visits ?? totals.success + totals.not_modified + totals.error;
  if (all === 0) return <Empty drawing="history" title={t("admin.quiet")} testId="admin-quiet">{t("admin.quiet.text")}</Empty>;
  const buckets = days > 62 ? fewer(byDay(now.buckets), 40) : days > 14 ? byDay(now.buckets) : fewer(now.buckets), perDay = days <= 1 ? fewer(now.buckets, 8) : fewer(byDay(now.buckets), 16);
  const highest = Math.max(0, ...buckets.map((one) => one.success + one.not_modified + one.error));
  // A label where a day begins, but not so near the end that it would be cut.
  const tick = (at: number): string | undefined => {
    const one = buckets[at]!, before = buckets[at - 1];
    if (at > buckets.length - Math.max(2, buckets.length / 14)) return undefined;
    if (days <= 1) return at % Math.ceil(buckets.length / 8) === 0 ? time(one.at) : undefined;
    if (days > 14) return at % Math.ceil(buckets.length / 8) === 0 ? shortDate(one.at) : undefined;
    return !before || dayOf(before.at) !== dayOf(one.at) ? (at === 0 && buckets[3] && dayOf(buckets[3].at) !== dayOf(one.at) ? undefined : weekdayShort(one.at)) : undefined;
  };
  const saved = totals.bytes_saved ?? 0, moved = (totals.bytes ?? 0) + saved, mostErrors = Math.max(1, ...(now.errors ?? []).map((one) => one.count));
  const errorRate = share(totals.error, all), errorBefore = before ? share(before.error, before.visits) : undefined;
  const worse = errorBefore !== undefined && before!.visits > 0 && errorRate > errorBefore + 0.05;
  const slower = before?.p95_ms != null && totals.p95_ms != null ? totals.p95_ms - before.p95_ms : undefined;
  return (
    <>
      <Figures all={[
        { label: t("admin.visits"), value: number(all), note: inPercent(all, before?.visits) },
        { label: t("admin.success"), value: percent(share(totals.success, all)), unit: "%", note: t("admin.with304", { n: percent(share(totals.success + totals.not_modified, all)) }) },
        { label: t("admin.notModified"), value: percent(share(totals.not_modified, all)), unit: "%", note: before?.visits ? inPoints(share(totals.not_modified, all), share(before.not_modified, before.visits)) : undefined },
        { label: t("admin.error"), value: percent(errorRate), unit: "%", note: errorBefore === undefined || !before?.visits ? t("admin.errors", { n: totals.error }) : inPoints(errorRate, errorBefore), tone: worse ? "bad" : undefined },
        totals.p95_ms != null && { label: t("admin.p95"), value: number(Math.round(totals.p95_ms)), unit: "ms", note: slower === undefined ? undefined : Math.abs(slower) < 1 ? t("admin.asBefore") : <Change by={slower} text={`${number(Math.round(Math.abs(slower)))} ms`} /> },
        totals.bytes_saved !== undefined && { label: t("admin.saved"), ...split(bytes(saved)), note: t("admin.saved.note") },
        totals.visits_saved_per_day !== undefined && { label: t("admin.visitsSaved"), value: number(Math.round(totals.visits_saved_per_day)), unit: t("admin.aDay"), note: t("admin.visitsSaved.note") },
      ]} />
      <div class="charts">
        <Stacked title={t("admin.byOutcome")} axis={inThousands(highest)} parts={[{ key: "success", label: t("admin.success.word"), pattern: "solid" }, { key: "not_modified", label: t("admin.notModified.word"), pattern: "hatch" }, { key: "error", label: t("admin.error.word"), pattern: "dots" }]}
          foot={<span>{t("admin.foot", { n: totals.new_entries ?? 0 })}</span>} more={(bar) => (bar.values.error ? <a class="text" href="/admin/feeds?filter=failing">{t("admin.showFailing")}</a> : null)}
          bars={buckets.map((one, at) => ({ at: one.at, label: `${weekdayShort(one.at)}, ${time(one.at)}`, tick: tick(at), values: { success: one.success, not_modified: one.not_modified, error: one.error } }))} />
        {now.buckets.some((one) => one.bytes !== undefined) && <Stacked title={t("admin.bytes")} unit={bytes} parts={[{ key: "bytes", label: t("admin.transferred"), pattern: "solid" }, { key: "saved", label: t("admin.savedWord"), pattern: "grey" }]}
          foot={moved > 0 && <span>{t("admin.notMoved", { saved: bytes(saved), all: bytes(moved), n: Math.round(share(saved, moved)) })}</span>}
          bars={perDay.map((one, at) => ({ at: one.at, label: days <= 1 ? time(one.at) : weekdayShort(one.at), tick: at % Math.ceil(perDay.length / 8) === 0 ? (days <= 1 ? time(one.at) : shortDate(one.at).split(" ")[0]) : undefined, values: { bytes: one.bytes ?? 0, saved: one.bytes_saved ?? 0 } }))} />}
      </div>
      <div class="thirds">
        {now.errors && <section><h2>{t("admin.topErrors")}{now.errors.length > 0 && <a class="text" href="/admin/feeds?filter=failing">{t("manage.all")}</a>}</h2>{now.errors.length > 0 ? <table class="table dense"><caption class="hidden">{t("admin.topErrors")}</caption><tbody>{now.errors.slice(0, 6).map((one) => <tr key={one.code}><th scope="row"><b>{one.code}</b></th><td class="quiet cut">{one.text}</td><td class="bar"><Bar share={one.count / mostErrors} wide={64} /></td><td class="right">{number(one.count)}</td><td class="right quiet">{one.last_at ? when(one.last_at) : ""}</td></tr>)}</tbody></table> : <p class="set-note">{t("admin.noErrors")}</p>}</section>}
        {hosts && <section><h2>{t("admin.topHosts")}{hosts.length > 0 && <a class="text" href="/admin/politeness">{t("admin.politeness")}</a>}</h2>{hosts.length > 0 ? <table class="table dense"><caption class="hidden">{t("admin.topHosts")}</caption><tbody>{hosts.slice(0, 6).map((one) => <tr key={one.host}><th scope="row" class="cut">{one.host || t("admin.otherHosts")}</th><td class="right">{number(one.errors)}</td><td class="right quiet">{one.share === undefined ? "" : `${Math.round(one.share * 100)}\u00a0%`}</td><td class="right quiet">{one.last_at ? when(one.last_at) : ""}</td></tr>)}</tbody></table> : <p class="set-note">{t("admin.noErrors")}</p>}</section>}
        {now.top_feeds && <section><h2>{t("admin.topFeeds")}</h2>{now.top_feeds.length > 0 ? <table class="table dense"><caption class="hidden">{t("admin.topFeeds")}</caption><tbody>{now.top_feeds.slice(0, 6).map((one) => <tr key={one.id}><th scope="row" class="name-cell"><span><Favicon feed={feeds.value.get(one.id)} title={one.title} /><a dir="auto" href={`/admin/feeds?feed=${one.id}`}>{one.title}</a></span></th><td class="right">{number(one.new_entries)}</td></tr>)}</tbody></table> : <p class="set-note">{t("admin.noNew")}</p>}</section>}
      </div>
    </>
  );
}
