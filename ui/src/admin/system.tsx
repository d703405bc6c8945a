// System: database, queues, sinks, leases, versions.
import { useSignal } from "@preact/signals";
import { Bar } from "../chart/lines.tsx";
import { Shares } from "../chart/stacked.tsx";
import { bytes, dateTime, duration, longDate, number, time } from "../format.ts";
import { post } from "../http.ts";
import { t } from "../i18n.ts";
import { PageHead } from "../part/control.tsx";
import { Empty } from "../part/empty.tsx";
import { Icon } from "../part/icon.tsx";
import { complain, show } from "../store/toast.ts";
import { type SystemData, ask } from "./data.ts";
import { Figures, split } from "./kpi.tsx";
import { refreshNow, useLive } from "./live.ts";

const LATE = 60;

export function System() {
  const { data: now, state, problem } = useLive<SystemData>(() => ask("/admin/api/system"), ""), busy = useSignal(false);
  if (!now) return <><PageHead title={t("admin.system")} />{state === "failed" && <Empty drawing="offline" title={t("list.failed")} testId="admin-failed" actions={<button type="button" class="primary" onClick={refreshNow}>{t("retry")}</button>}>{problem}</Empty>}</>;
  const { database, queues, sinks, leases, feeds } = now, clock = now.now ? Date.parse(now.now) : Date.now(), up = now.started_at ? (clock - Date.parse(now.started_at)) / 1000 : 0;
  // A clock that is wrong makes dates wrong everywhere: said where it is seen.
  const skew = now.now ? Math.abs(Date.now() - clock) / 1000 : 0;
  const slowest = (sinks ?? []).reduce<{ name: string; lag_seconds: number } | null>((top, sink) => (!top || sink.lag_seconds > top.lag_seconds ? sink : top), null), lag = Math.max(LATE, slowest?.lag_seconds ?? 0);
  const waiting = (queues ?? []).reduce((sum, queue) => sum + queue.waiting, 0), oldest = Math.max(0, ...(queues ?? []).map((queue) => queue.oldest_seconds ?? 0)), failed = (queues ?? []).reduce((sum, queue) => sum + (queue.failed ?? 0), 0);
  const compact = async (): Promise<void> => { busy.value = true; try { const done = await post<{ freed_bytes: number }>("/api/admin/vacuum"); show({ text: t("system.freed", { size: bytes(done.freed_bytes) }) }); } catch (error) { complain(error instanceof Error ? error.message : String(error)); } finally { busy.value = false; refreshNow(); } };
  const holders = new Set((leases ?? []).map((lease) => lease.holder).filter(Boolean)).size;
  return (
    <>
      <PageHead title={t("admin.system")} />
      <Figures all={[
        now.version ? { label: t("system.version"), value: now.version, note: now.commit?.slice(0, 8) } : null,
        now.started_at ? { label: t("system.up"), ...split(duration(up)), note: t("system.sinceDate", { at: dateTime(now.started_at) }) } : null,
        database?.bytes ? { label: t("system.database"), ...split(bytes(database.bytes)), note: database.kind } : null,
        feeds ? { label: t("system.due"), value: number(feeds.due), unit: t("budget.of", { cap: number(feeds.total) }), note: feeds.late_seconds > 300 ? t("system.late", { time: duration(feeds.late_seconds) }) : t("system.onTime"), tone: feeds.late_seconds > 300 ? "warn" : undefined } : null,
        queues ? { label: t("system.waiting"), value: number(waiting), note: oldest ? t("budget.oldest", { time: duration(oldest) }) : t("system.noneWait") } : null,
        slowest ? { label: t("system.slowest"), ...split(duration(slowest.lag_seconds)), note: slowest.name, tone: slowest.lag_seconds > LATE ? "warn" : undefined } : null,
        now.last_backup_at ? { label: t("system.backup"), value: time(now.last_backup_at), note: longDate(now.last_backup_at) } : null,
      ]} />
      {skew > 120 && <p class="state-line slim" data-testid="clock-skew"><Icon name="triangle-alert" size={16} /><span class="grow">{t("system.skew", { time: duration(skew) })}</span></p>}
      <div class="halves">
        <div>
          {database?.parts && <section><h2>{t("system.database")}<small>{[database.kind, database.free_bytes === undefined ? "" : t("system.free", { size: bytes(database.free_bytes) })].filter(Boolean).join(", ")}</small></h2><Shares parts={database.parts.map(({ name, bytes: value }) => ({ name, value }))} unit={bytes} /></section>}
          {queues && <section data-testid="queues"><h2>{t("system.queues")}{failed > 0 && <small class="warn">{t("system.gaveUp", { n: failed })}</small>}</h2>{queues.length === 0 ? <p class="set-note">{t("system.noneWait")}</p> : <table class="table dense"><thead><tr><th scope="col">{t("system.queue")}</th><th scope="col" class="right">{t("system.waitingCol")}</th><th scope="col" class="right">{t("system.running")}</th><th scope="col" class="right">{t("system.oldest")}</th><th scope="col" class="right">{t("system.failed")}</th></tr></thead><tbody>{queues.map((queue) => <tr key={queue.name}><th scope="row">{queue.name}</th><td class="right">{number(queue.waiting)}</td><td class="right quiet">{number(queue.running ?? 0)}</td><td class={`right ${(queue.oldest_seconds ?? 0) > 240 ? "warn strong" : "quiet"}`}>{queue.oldest_seconds == null ? "—" : duration(queue.oldest_seconds)}</td><td class={`right ${queue.failed ? "bad strong" : "quiet"}`}>{queue.failed ? number(queue.failed) : "—"}</td></tr>)}</tbody></table>}</section>}
          <section><h2>{t("system.maintenance")}</h2><table class="table dense"><tbody><tr><th scope="row">{t("system.compactTitle")}</th><td class="quiet">{t("system.compact")}</td><td class="right"><button type="button" class="text" disabled={busy.value} onClick={() => void compact()}>{busy.value ? t("system.busy") : t("system.run")}</button></td></tr></tbody></table></section>
        </div>
        <div>
          {sinks && <section data-testid="sinks"><h2>{t("system.sinks")}</h2><table class="table dense"><tbody>{sinks.map((sink) => <tr key={sink.name}><th scope="row">{sink.name}</th><td class="bar"><Bar share={sink.lag_seconds / lag} tone={sink.lag_seconds > LATE ? "warn" : "accent"} wide={150} /></td><td class={`right ${sink.lag_seconds > LATE ? "warn strong" : ""}`}>{duration(sink.lag_seconds)}</td><td class="right">{sink.lag_seconds > LATE ? <span class="warn">{sink.entries ? t("system.behindBy", { n: sink.entries }) : t("system.behind")}</span> : <span class="health healthy"><Icon name="check" size={15} />{t("system.keepsUp")}</span>}</td></tr>)}</tbody></table></section>}
          {leases && <section><h2>{t("system.leases")}{holders > 0 && <small>{t("system.workers", { n: holders })}</small>}</h2>{leases.length === 0 ? <p class="set-note">{t("system.noLeases")}</p> : <table class="table dense"><thead><tr><th scope="col">{t("system.work")}</th><th scope="col">{t("system.holder")}</th><th scope="col" class="right">{t("system.ends")}</th></tr></thead><tbody>{leases.map((lease, at) => <tr key={at}><th scope="row">{lease.work}{lease.count ? ` (${number(lease.count)})` : ""}</th><td class="quiet cut">{lease.holder ?? "—"}</td><td class="right">{lease.ends_in_seconds == null ? t("system.freeLease") : duration(lease.ends_in_seconds)}</td></tr>)}</tbody></table>}</section>}
          <section><h2>{t("system.versions")}</h2><table class="table dense"><tbody>
            {now.version && <tr><th scope="row">{t("system.server")}</th><td>{now.version} {now.commit && <code>{now.commit.slice(0, 8)}</code>}</td></tr>}
            {now.migrations && <tr><th scope="row">{t("system.schema")}</th><td>{t("system.migration", { n: now.migrations.at, of: now.migrations.of })}</td></tr>}
            {now.rollups && <tr><th scope="row">{t("system.figures")}</th><td>{now.rollups.since ? t("system.figuresSince", { at: longDate(now.rollups.since) }) : t("system.figuresNone")}</td></tr>}
          </tbody></table></section>
        </div>
      </div>
    </>
  );
}
