// One feed explained: why it is visited when it is, its interval against the gaps between its entries, its last visits, and what
// can be done about it. Actions that the server does not offer for this feed are not there.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { IntervalChart, type Wait } from "../chart/lines.tsx";
import { Patterns } from "../chart/stacked.tsx";
import { bytes, dateTime, dayOf, duration, number, shortDate, time, when } from "../format.ts";
import { patch, post, put } from "../http.ts";
import { t, type Key } from "../i18n.ts";
import { Dialog, Menu } from "../part/control.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { HealthChip } from "../manage/feeds.tsx";
import { feeds, loadLibrary } from "../store/library.ts";
import { has } from "../store/server.ts";
import { complain, show } from "../store/toast.ts";
import { type AdminFeed, type FeedDetail, type Visit, ask } from "./data.ts";
import { adminHealth, adminReason } from "./feeds.tsx";
import { refreshNow, useLive } from "./live.ts";

const OUTCOMES: Record<string, "solid" | "hatch" | "dots" | "grey"> = { fresh: "solid", unchanged: "hatch", gone: "dots", busy: "dots", failed: "dots", deferred: "grey" };
const stamp = (at: string): string => (dayOf(at) === dayOf(Date.now()) ? time(at) : `${shortDate(at)}, ${time(at)}`);

/** Where a publisher asked to be left alone: from an answer of 429 or 503 to the visit after it. */
export function waitsOf(visits: Visit[]): Wait[] {
  return visits.filter((visit) => visit.outcome === "busy" && visit.next_at).map((visit) => {
    const from = new Date(visit.at).getTime(), to = new Date(visit.next_at!).getTime();
    return { from, to, label: t("admin.askedToWait", { status: visit.status ?? 429, time: duration((to - from) / 1000) }) };
  });
}

export function Drawer({ id, feed, onClose }: { id: number; feed?: AdminFeed; onClose: () => void }) {
  const again = useSignal(0), busy = useSignal(false), ways = useSignal<{ path: string; change: (body: unknown) => Promise<unknown> } | null>(null);
  const { data, state, problem } = useLive<FeedDetail>(() => ask(`/admin/api/feeds/${id}`), `${id}|${again.value}`);
  const now = data?.feed ?? feed, followed = feeds.value.has(id);
  useEffect(() => { void has("/admin/api/feeds/{id}/refresh").then((own) => { const path = own ? `/admin/api/feeds/${id}` : `/api/feeds/${id}`; ways.value = own ? { path, change: (body) => patch(path, body) } : followed ? { path, change: (body) => put(path, body) } : null; }); }, [id, followed]);
  const run = async (work: () => Promise<unknown>, text: string | ((answer: never) => string)): Promise<void> => {
    busy.value = true;
    try { const answer = await work(); show({ text: typeof text === "string" ? text : text(answer as never) }); } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
    busy.value = false;
    again.value++;
    refreshNow();
    void loadLibrary();
  };
  const health = now ? adminHealth(now) : "healthy", way = ways.value;
  const fetchNow = (): void => { if (way) void run(() => post(`${way.path}/refresh`), (answer: { new_posts?: number; errors?: string[] }) => answer?.errors?.[0] ?? t("refresh.new", { n: answer?.new_posts ?? 0 })); };
  // The rules of a feed are changed by those who follow it.
  const pin = (seconds: number | null): void => { void run(() => put(`/api/feeds/${id}`, { rules: seconds === null ? { "interval.mode": null, "interval.initial": null } : { "interval.mode": "fixed", "interval.initial": `${Math.max(5, Math.round(seconds / 60))}m` } }), seconds === null ? t("admin.unpinned") : t("admin.pinned", { time: duration(seconds) })); };
  const visits = [...(data?.visits ?? [])].sort((a, b) => (a.at < b.at ? -1 : 1));
  const to = Date.now(), from = visits[0] ? new Date(visits[0].at).getTime() : to - 86400_000;
  const points = (key: "interval_seconds" | "ewma_seconds") => visits.flatMap((visit) => (visit[key] ? [{ x: new Date(visit.at).getTime(), y: visit[key]! }] : []));
  const chosen = points("interval_seconds");
  return (
    <Dialog title={now?.title || now?.url || t("view.feed")} class="drawer ruled" onClose={onClose} head={<>
      {now && <HealthChip health={health} />}
      {way && health === "disabled" && <button type="button" class="outline" disabled={busy.value} onClick={() => void run(() => post(`${way.path}/enable`), t("feed.enabled", { title: now?.title ?? "" }))}><Icon name="rotate-ccw" size={16} />{t("feed.enable")}</button>}
      {way && health !== "disabled" && health !== "paused" && <button type="button" class="outline" disabled={busy.value} onClick={fetchNow}><Icon name="refresh-cw" size={16} />{t("feed.fetchNow")}</button>}
      {way && <Menu label={followed ? t("admin.pin") : t("more")} class="outline" items={[
        ...(followed && now?.interval_seconds ? [{ label: t("admin.pinAt", { time: duration(now.interval_seconds) }), icon: "pin", run: () => pin(now.interval_seconds!) }] : []),
        ...(followed ? [900, 3600, 6 * 3600, 86400] : []).map((seconds) => ({ label: t("admin.pinAt", { time: duration(seconds) }), icon: "pin", run: () => pin(seconds) })),
        { label: t("admin.unpin"), icon: "undo-2", line: true, hidden: !followed, run: () => pin(null) },
        ...(health === "paused" ? [{ label: t("admin.resume"), icon: "play", run: () => void run(() => way.change({ suspended: false }), t("done")) }] : [{ label: t("manage.pause"), icon: "pause", run: () => void run(() => way.change({ suspended: true }), t("done")) }]),
      ]}><Icon name={followed ? "pin" : "ellipsis"} size={16} />{followed ? t("admin.pin") : t("more")}</Menu>}
    </>}>
      {now && <p class="drawer-from"><Favicon feed={feeds.value.get(id)} title={now.title || now.url} struck={health === "disabled"} /><a href={now.url} target="_blank" rel="noopener noreferrer">{now.url.replace(/^https?:\/\//, "")}</a><span>{t("admin.readersN", { n: now.readers ?? 0 })}</span>{followed && <a class="text" href={`/r/feed/${id}`}>{t("admin.read")}</a>}</p>}
      {state === "failed" && <p class="problem" role="alert">{problem}</p>}
      {state === "loading" && !data && <div class="drawer-wait" aria-busy="true" />}
      {data && now && <>
        {(health === "failing" || health === "disabled") && <p class={`sentence ${health === "disabled" ? "bad" : "warn"}`}>{adminReason(now)}.</p>}
        {data.sentence && <p class="sentence" data-testid="why-interval">{data.sentence}</p>}
        {data.pause && <p class="state-line slim"><Icon name="pause" size={16} /><span class="grow">{t("admin.pausedUntil", { at: dateTime(data.pause.until), why: data.pause.reason })}</span></p>}
        {chosen.length > 1 && <IntervalChart title={t("admin.intervalSince", { time: duration((to - from) / 1000) })} from={from} to={to} chosen={chosen} ewma={points("ewma_seconds")} dots={(data.entries ?? []).map((at) => new Date(at).getTime()).filter((at) => at >= from)} min={data.min_seconds} max={data.max_seconds} publisherMin={data.publisher_min_seconds} waits={waitsOf(visits)} />}
        <Publisher detail={data} />
        <h3>{t("admin.lastVisits", { n: visits.length })}</h3>
        {visits.length === 0 ? <p class="set-note">{t("feed.why.new")}</p> : <Visits visits={[...visits].reverse().slice(0, 50)} />}
      </>}
    </Dialog>
  );
}

function Visits({ visits }: { visits: Visit[] }) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={t("admin.lastVisits", { n: visits.length })}><table class="table dense" data-testid="visits"><thead><tr><th scope="col">{t("admin.time")}</th><th scope="col">{t("manage.status")}</th><th scope="col" class="right">{t("admin.new")}</th><th scope="col" class="right">{t("admin.size")}</th><th scope="col">{t("admin.validator")}</th><th scope="col" class="right">{t("admin.took")}</th><th scope="col" class="right">{t("admin.nextIn")}</th><th scope="col">{t("admin.decision")}</th></tr></thead>
      <tbody>{visits.map((visit, at) => (
        <tr key={`${visit.at}${at}`}><td title={dateTime(visit.at)}>{stamp(visit.at)}</td><td><span class="outcome"><Outcome kind={visit.outcome} />{visit.status || t(`outcome.${visit.outcome}` as Key)}</span></td><td class="right"><b>{visit.new_entries || ""}</b></td><td class="right quiet">{visit.bytes == null ? "" : bytes(visit.bytes)}</td><td class="quiet"><code>{visit.validator ?? "–"}</code></td><td class="right quiet">{visit.took_ms == null ? "" : `${number(visit.took_ms)} ms`}</td><td class="right">{visit.interval_seconds ? duration(visit.interval_seconds) : ""}</td><td class="quiet decision" title={visit.error ?? visit.decision ?? undefined}>{visit.error ?? visit.decision}</td></tr>))}</tbody></table></div>
  );
}

/** The square of a chart: solid, hatched or dotted, as in the bars. */
function Outcome({ kind }: { kind: string }) {
  const pattern = OUTCOMES[kind] ?? "grey";
  return <svg width="11" height="11" aria-hidden="true"><Patterns id={`o-${kind}`} /><rect x=".5" y=".5" width="10" height="10" rx="1" fill={pattern === "solid" ? "var(--accent)" : `url(#o-${kind}-${pattern})`} stroke={pattern === "dots" ? "var(--bad-fill)" : pattern === "grey" ? "var(--ink3)" : "var(--accent)"} /></svg>;
}

/** What the publisher says about visits, and what each rule made of it. */
function Publisher({ detail }: { detail: FeedDetail }) {
  const says = detail.publisher, facts: [string, string][] = [];
  if (says?.ttl_seconds) facts.push([t("publisher.ttl"), duration(says.ttl_seconds)]);
  if (says?.cache_control) facts.push(["Cache-Control", says.cache_control]);
  if (says?.expires_at) facts.push(["Expires", when(says.expires_at)]);
  if (says?.retry_after_at) facts.push(["Retry-After", dateTime(says.retry_after_at)]);
  if (says?.skip_hours?.length) facts.push([t("publisher.skipHours"), says.skip_hours.join(", ")]);
  if (says?.skip_days?.length) facts.push([t("publisher.skipDays"), says.skip_days.map((day) => new Intl.DateTimeFormat(undefined, { weekday: "long" }).format(new Date(Date.UTC(2026, 10, 15 + day)))).join(", ")]);
  if (says) facts.push([t("publisher.validators"), [says.etag ? "ETag" : "", says.last_modified ? "Last-Modified" : ""].filter(Boolean).join(", ") || t("publisher.none")]);
  if (facts.length === 0 && !detail.rules?.length) return null;
  return (
    <details class="publisher"><summary>{t("publisher.title")}</summary>
      <dl>{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      {detail.rules && detail.rules.length > 0 && <ol>{detail.rules.map((rule) => <li key={rule}>{rule}</li>)}</ol>}
    </details>
  );
}
