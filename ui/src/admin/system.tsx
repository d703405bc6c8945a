// System: database, queues, sinks, leases, versions.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Bar } from "../chart/lines.tsx";
import { Shares } from "../chart/stacked.tsx";
import { bytes, dateTime, duration, number, time } from "../format.ts";
import { post } from "../http.ts";
import { t } from "../i18n.ts";
import { PageHead } from "../part/control.tsx";
import { Icon } from "../part/icon.tsx";
import { complain, show } from "../store/toast.ts";
import { type SystemData, ask } from "./data.ts";
import { Figures } from "./kpi.tsx";

export function System() {
  const data = useSignal<SystemData | null>(null), busy = useSignal(false);
  useEffect(() => {
    const load = (): void => { ask<SystemData>("/admin/api/system").then((found) => { data.value = found; }, (error: unknown) => complain(String(error))); };
    load();
    const timer = setInterval(load, 15_000);
    return () => clearInterval(timer);
  }, []);
  const now = data.value;
  if (!now) return <PageHead title={t("admin.system")} />;
  const { database, queues, sinks, leases } = now, up = now.started_at ? (Date.now() - new Date(now.started_at).getTime()) / 1000 : 0;
  const lag = Math.max(1, ...(sinks ?? []).map((sink) => sink.lag_seconds), 60);
  const compact = async (): Promise<void> => { busy.value = true; try { const done = await post<{ freed_bytes: number }>("/api/admin/vacuum"); show({ text: t("system.freed", { size: bytes(done.freed_bytes) }) }); } catch (error) { complain(error instanceof Error ? error.message : String(error)); } finally { busy.value = false; } };
  const waiting = (queues ?? []).reduce((sum, queue) => sum + queue.waiting, 0);
  return (
    <>
      <PageHead title={t("admin.system")} />
      <Figures all={[
        now.version ? { label: t("system.version"), value: now.version, note: now.commit?.slice(0, 8) } : null, now.started_at ? { label: t("system.up"), value: duration(up).split(/\s/)[0]!, unit: duration(up).split(/\s/)[1], note: dateTime(now.started_at) } : null,
        database?.bytes ? { label: t("system.database"), value: bytes(database.bytes).split(/\s/)[0]!, unit: bytes(database.bytes).split(/\s/)[1], note: database.kind } : null,
        queues ? { label: t("system.waiting"), value: number(waiting) } : null, now.last_backup_at ? { label: t("system.backup"), value: time(now.last_backup_at), note: dateTime(now.last_backup_at) } : null,
      ]} />
      <div class="halves">
        <div>
          {database?.parts && <section><h2>{t("system.database")}{database.free_bytes !== undefined && <small>{t("system.free", { size: bytes(database.free_bytes) })}</small>}</h2><Shares parts={database.parts.map(({ name, bytes: value }) => ({ name, value }))} unit={bytes} /></section>}
          {queues && <section><h2>{t("system.queues")}</h2><table class="table dense"><thead><tr><th scope="col">{t("system.queue")}</th><th scope="col" class="right">{t("system.waitingCol")}</th><th scope="col" class="right">{t("system.running")}</th><th scope="col" class="right">{t("system.oldest")}</th><th scope="col" class="right">{t("system.rate")}</th></tr></thead><tbody>{queues.map((queue) => <tr key={queue.name}><th scope="row">{queue.name}</th><td class="right">{number(queue.waiting)}</td><td class="right quiet">{queue.running ?? "—"}</td><td class="right">{queue.oldest_seconds == null ? "—" : duration(queue.oldest_seconds)}</td><td class="right quiet">{queue.per_minute == null ? "—" : t("system.perMinute", { n: queue.per_minute })}</td></tr>)}</tbody></table></section>}
          <section><h2>{t("system.maintenance")}</h2><p class="line-action"><span>{t("system.compact")}</span><button type="button" class="text" disabled={busy.value} onClick={() => void compact()}>{t("system.run")}</button></p></section>
        </div>
        <div>
          {sinks && <section><h2>{t("system.sinks")}</h2><table class="table dense"><tbody>{sinks.map((sink) => <tr key={sink.name}><th scope="row">{sink.name}</th><td><Bar share={sink.lag_seconds / lag} tone={sink.lag_seconds > 60 ? "warn" : "accent"} /></td><td class="right">{duration(sink.lag_seconds)}</td><td class="right">{sink.lag_seconds > 60 ? <span class="warn">{t("system.behind")}</span> : <span class="health healthy"><Icon name="check" size={15} />{t("system.keepsUp")}</span>}</td></tr>)}</tbody></table></section>}
          {leases && <section><h2>{t("system.leases")}</h2><table class="table dense"><thead><tr><th scope="col">{t("system.work")}</th><th scope="col">{t("system.holder")}</th><th scope="col" class="right">{t("system.ends")}</th></tr></thead><tbody>{leases.map((lease) => <tr key={lease.work}><th scope="row">{lease.work}</th><td class="quiet">{lease.holder ?? "—"}</td><td class="right">{lease.ends_in_seconds == null ? t("system.freeLease") : duration(lease.ends_in_seconds)}</td></tr>)}</tbody></table></section>}
          {now.migrations && <section><h2>{t("system.versions")}</h2><p class="line-action"><span>{t("system.schema")}</span><span>{t("system.migration", { n: now.migrations.at, of: now.migrations.of })}</span></p></section>}
        </div>
      </div>
    </>
  );
}
