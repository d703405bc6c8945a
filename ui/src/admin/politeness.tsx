// Politeness: how we treat publishers, in a sentence, with the rules that are kept and the hosts that are asked most.
import { Bar } from "../chart/lines.tsx";
import { bytes, dateTime, duration, number } from "../format.ts";
import { t } from "../i18n.ts";
import { PageHead } from "../part/control.tsx";
import { saveCsv } from "../part/csv.ts";
import { Empty } from "../part/empty.tsx";
import { Icon } from "../part/icon.tsx";
import { route } from "../router.ts";
import { type PolitenessData, ask } from "./data.ts";
import { Figures, split } from "./kpi.tsx";
import { refreshNow, useLive } from "./live.ts";
import { Ranges } from "./ranges.tsx";
import { spanOf } from "./span.ts";

export function Politeness() {
  const span = spanOf(new URLSearchParams(route.value.page === "admin" ? route.value.query : ""), Math.floor(Date.now() / 60_000) * 60_000);
  const range = { from: span.from.toISOString(), to: span.to.toISOString() };
  const { data: now, state, problem } = useLive<PolitenessData>(() => ask("/admin/api/politeness", range), `${span.range}${span.range === "custom" ? range.from + range.to : ""}`);
  return (
    <>
      <PageHead title={t("admin.politeness")}><Ranges span={span} path="/admin/politeness" />
        {now && <button type="button" class="outline" onClick={() => saveCsv("politeness", [["host", "visits", "errors", "busy", "most_per_hour", "bytes"], ...now.hosts.map((one) => [one.host, one.visits, one.errors, one.busy, one.most_per_hour, one.bytes])])}><Icon name="download" size={16} />CSV</button>}</PageHead>
      {state === "failed" && !now && <Empty drawing="offline" title={t("list.failed")} testId="admin-failed" actions={<button type="button" class="primary" onClick={refreshNow}>{t("retry")}</button>}>{problem}</Empty>}
      {now && <Report now={now} hours={Math.max(1, (span.to.getTime() - span.from.getTime()) / 3600_000)} />}
    </>
  );
}

function Report({ now, hours }: { now: PolitenessData; hours: number }) {
  const { rules } = now, most = Math.max(1, ...now.hosts.map((one) => one.visits)), busiest = now.hosts.reduce((top, one) => (one.most_per_hour > (top?.most_per_hour ?? 0) ? one : top), now.hosts[0]);
  return (
    <>
      <p class="sentence report" data-testid="politeness">{t("polite.sentence", { share: Math.round(now.conditional_share * 100), floor: duration(rules.floor_seconds), busy: now.busy })} {busiest && busiest.host ? t("polite.busiest", { host: busiest.host, n: busiest.most_per_hour }) : ""}</p>
      <Figures all={[
        { label: t("admin.visits"), value: number(now.visits), note: t("polite.perHour", { n: Math.round(now.visits / hours) }) },
        { label: t("polite.conditional"), value: number(Math.round(now.conditional_share * 1000) / 10), unit: "%", note: t("polite.conditional.note") },
        { label: t("polite.busy"), value: number(now.busy), note: t("polite.busy.note"), tone: now.busy > now.visits * 0.01 ? "warn" : undefined },
        { label: t("admin.transferred.title"), ...split(bytes(now.bytes)), note: t("polite.savedNote", { size: bytes(now.bytes_saved) }) },
      ]} />
      <div class="halves">
        <section><h2>{t("polite.hosts")}</h2>
          <div class="table-box" tabIndex={0} role="region" aria-label={t("polite.hosts")}><table class="table dense"><thead><tr><th scope="col">{t("polite.host")}</th><td /><th scope="col" class="right">{t("admin.visits")}</th><th scope="col" class="right">{t("polite.most")}</th><th scope="col" class="right">{t("polite.busyCol")}</th><th scope="col" class="right">{t("admin.error")}</th><th scope="col" class="right">{t("admin.bytes")}</th></tr></thead>
            <tbody>{now.hosts.slice(0, 25).map((one) => <tr key={one.host}><th scope="row" class="cut">{one.host || t("admin.otherHosts")}</th><td class="bar"><Bar share={one.visits / most} wide={56} /></td><td class="right">{number(one.visits)}</td><td class="right">{number(one.most_per_hour)}</td><td class={`right ${one.busy ? "warn" : "quiet"}`}>{one.busy ? number(one.busy) : "—"}</td><td class={`right ${one.errors ? "" : "quiet"}`}>{one.errors ? number(one.errors) : "—"}</td><td class="right quiet">{bytes(one.bytes)}</td></tr>)}</tbody></table></div></section>
        <div>
          <section><h2>{t("polite.rules")}</h2><dl class="facts">
            <div><dt>{t("polite.floor")}</dt><dd>{duration(rules.floor_seconds)}</dd></div><div><dt>{t("polite.spacing")}</dt><dd>{number(rules.spacing_ms)} ms</dd></div><div><dt>{t("polite.atOnce")}</dt><dd>{number(rules.at_once_per_group)}</dd></div>
            <div><dt>{t("polite.robots")}</dt><dd>{rules.robots ? t("polite.yes") : t("polite.no")}</dd></div><div><dt>{t("polite.agent")}</dt><dd><code>{rules.user_agent}</code></dd></div></dl></section>
          <section><h2>{t("polite.paused")}{now.paused.length > 0 && <small>{number(now.paused.length)}</small>}</h2>{now.paused.length === 0 ? <p class="set-note">{t("polite.nonePaused")}</p> : <table class="table dense"><tbody>{now.paused.map((one) => <tr key={one.group}><th scope="row" class="cut">{one.group}</th><td class="quiet cut">{one.reason}</td><td class="right">{dateTime(one.until)}</td></tr>)}</tbody></table>}</section>
        </div>
      </div>
    </>
  );
}
