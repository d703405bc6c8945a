// Overview: how visits went, what failed and where.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Bar } from "../chart/lines.tsx";
import { Stacked } from "../chart/stacked.tsx";
import { bytes, number, shortDate, time, weekdayDate, when } from "../format.ts";
import { t } from "../i18n.ts";
import { PageHead } from "../part/control.tsx";
import { Empty } from "../part/empty.tsx";
import { Icon } from "../part/icon.tsx";
import { go, route } from "../router.ts";
import { has } from "../store/server.ts";
import { type Bucket, type HealthData, type HostData, ask } from "./data.ts";
import { Figures } from "./kpi.tsx";
import { refreshed } from "./page.tsx";

const RANGES = { "24h": 1, "7d": 7, "30d": 30 } as const;
type Range = keyof typeof RANGES;

/** Sums buckets so that not more than about thirty bars are drawn. */
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

const percent = (part: number | undefined, of: number | undefined): string => (of ? new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(((part ?? 0) / of) * 100) : "—");

export function Overview() {
  const query = new URLSearchParams(route.value.page === "admin" ? route.value.query : "");
  const range: Range = (query.get("range") as Range | null) ?? "7d";
  const data = useSignal<HealthData | null>(null), hosts = useSignal<HostData[] | null>(null), problem = useSignal("");
  useEffect(() => {
    const load = async (): Promise<void> => {
      const to = new Date().toISOString(), from = new Date(Date.now() - RANGES[range] * 86400_000).toISOString();
      try { [data.value, hosts.value] = await Promise.all([ask<HealthData>("/admin/api/health", { from, to }), (await has("/admin/api/hosts")) ? ask<HostData[]>("/admin/api/hosts", { from, to }) : null]); problem.value = ""; refreshed.value = Date.now(); } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
    };
    void load();
    const timer = setInterval(() => void load(), 60_000);
    return () => clearInterval(timer);
  }, [range]);
  const now = data.value, totals = now?.totals ?? {}, all = totals.visits ?? (totals.success ?? 0) + (totals.not_modified ?? 0) + (totals.error ?? 0);
  const buckets = fewer(now?.buckets ?? []), day = (at: string): string => (RANGES[range] === 1 ? time(at) : shortDate(at));
  const every = Math.max(1, Math.ceil(buckets.length / 7));
  const mostErrors = Math.max(1, ...(now?.errors ?? []).map((one) => one.count));
  return (
    <>
      <PageHead title={t("admin.overview")}><div class="tabs" role="tablist">{(Object.keys(RANGES) as Range[]).map((name) => <button key={name} type="button" role="tab" aria-selected={name === range} class={name === range ? "on" : ""} onClick={() => go(`/admin/overview?range=${name}`)}>{t(`range.${name}`)}</button>)}</div></PageHead>
      {problem.value && <Empty drawing="offline" title={t("list.failed")} testId="admin-failed">{problem.value}</Empty>}
      {now && <>
        <Figures all={[
          { label: t("admin.visits"), value: number(all), note: compared(all, now.before?.visits) }, { label: t("admin.success"), value: percent(totals.success, all), unit: "%" },
          { label: t("admin.notModified"), value: percent(totals.not_modified, all), unit: "%" }, { label: t("admin.error"), value: percent(totals.error, all), unit: "%", note: t("admin.errors", { n: totals.error ?? 0 }), tone: (totals.error ?? 0) > all * 0.05 ? "bad" : undefined },
          totals.p95_ms === undefined ? null : { label: t("admin.p95"), value: number(Math.round(totals.p95_ms)), unit: "ms" },
          totals.bytes_saved === undefined ? null : { label: t("admin.saved"), value: bytes(totals.bytes_saved).split(/\s/)[0]!, unit: bytes(totals.bytes_saved).split(/\s/)[1], note: t("admin.saved.note") },
          totals.visits_saved_per_day === undefined ? null : { label: t("admin.visitsSaved"), value: number(Math.round(totals.visits_saved_per_day)), unit: t("admin.aDay"), note: t("admin.visitsSaved.note") },
        ]} />
        <div class="charts">
          <Stacked title={t("admin.byOutcome")} parts={[{ key: "success", label: t("admin.success.word"), pattern: "solid" }, { key: "not_modified", label: t("admin.notModified.word"), pattern: "hatch" }, { key: "error", label: t("admin.error.word"), pattern: "dots" }]}
            bars={buckets.map((one, at) => ({ at: one.at, label: `${weekdayDate(one.at)}, ${time(one.at)}`, tick: at % every === 0 ? day(one.at) : undefined, values: { success: one.success, not_modified: one.not_modified, error: one.error } }))} />
          {buckets.some((one) => one.bytes !== undefined) && <Stacked title={t("admin.bytes")} width={360} unit={bytes} parts={[{ key: "bytes", label: t("admin.transferred"), pattern: "solid" }, { key: "saved", label: t("admin.savedWord"), pattern: "grey" }]}
            bars={fewer(now.buckets, 8).map((one) => ({ at: one.at, label: weekdayDate(one.at), tick: shortDate(one.at).split(" ")[0], values: { bytes: one.bytes ?? 0, saved: one.bytes_saved ?? 0 } }))} />}
        </div>
        <div class="thirds">
          {now.errors && <section><h2>{t("admin.topErrors")}</h2><table class="table dense"><tbody>{now.errors.slice(0, 8).map((one) => <tr key={one.code}><th scope="row"><b>{one.code}</b></th><td class="quiet">{one.text}</td><td><Bar share={one.count / mostErrors} /></td><td class="right">{number(one.count)}</td><td class="right quiet">{one.last_at ? when(one.last_at) : ""}</td></tr>)}</tbody></table>{now.errors.length === 0 && <p class="quiet">{t("admin.noErrors")}</p>}</section>}
          {hosts.value && <section><h2>{t("admin.topHosts")}</h2><table class="table dense"><tbody>{hosts.value.slice(0, 8).map((one) => <tr key={one.host}><th scope="row">{one.host}</th><td class="right">{number(one.errors)}</td><td class="right quiet">{one.share === undefined ? "" : `${Math.round(one.share * 100)}\u00a0%`}</td><td class="right quiet">{one.last_at ? when(one.last_at) : ""}</td></tr>)}</tbody></table></section>}
          {now.top_feeds && <section><h2>{t("admin.topFeeds")}</h2><table class="table dense"><tbody>{now.top_feeds.slice(0, 8).map((one) => <tr key={one.id}><th scope="row" dir="auto">{one.title}</th><td class="right">{number(one.new_entries)}</td></tr>)}</tbody></table></section>}
        </div>
      </>}
    </>
  );
}

function compared(now: number, before: number | undefined) {
  if (!before) return undefined;
  const change = ((now - before) / before) * 100;
  return <><Icon name={change >= 0 ? "arrow-up" : "arrow-down"} size={13} />{t("admin.onBefore", { n: `${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(Math.abs(change))}\u00a0%` })}</>;
}
