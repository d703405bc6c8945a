// Feed health: all feeds of the server, and a drawer that explains one of them in a sentence.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Lines } from "../chart/lines.tsx";
import { bytes, duration, number, shortDate, time, when } from "../format.ts";
import { post } from "../http.ts";
import { t } from "../i18n.ts";
import { Dialog, PageHead } from "../part/control.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { complain, show } from "../store/toast.ts";
import { type AdminFeed, type FeedDetail, ask } from "./data.ts";

const FILTERS = ["all", "failing", "disabled"] as const;

export function FeedHealth() {
  const filter = useSignal<(typeof FILTERS)[number]>("all"), wanted = useSignal(""), page = useSignal<{ feeds: AdminFeed[]; total: number } | null>(null), open = useSignal<AdminFeed | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => { ask<{ feeds: AdminFeed[]; total: number }>("/admin/api/feeds", { filter: filter.value === "all" ? undefined : filter.value, q: wanted.value || undefined, limit: 100 }).then((found) => { page.value = found; }, (error: unknown) => complain(String(error))); }, 200);
    return () => clearTimeout(timer);
  }, [filter.value, wanted.value]);
  return (
    <>
      <PageHead title={t("admin.feeds")} count={page.value ? number(page.value.total) : undefined}><span class="field find"><Icon name="search" size={16} /><input type="search" aria-label={t("manage.find")} placeholder={t("manage.find")} value={wanted.value} onInput={(event) => { wanted.value = event.currentTarget.value; }} /></span></PageHead>
      <div class="chips">{FILTERS.map((name) => <button key={name} type="button" class="filter-chip" aria-pressed={filter.value === name} onClick={() => { filter.value = name; }}>{t(`manage.${name}`)}</button>)}</div>
      <div class="table-box" tabIndex={0} role="region" aria-label={t("admin.feeds")}><table class="table"><thead><tr><th scope="col">{t("view.feed")}</th><th scope="col">{t("manage.status")}</th><th scope="col" class="right">{t("manage.interval")}</th><th scope="col" class="right">{t("manage.success")}</th><th scope="col" class="right">{t("manage.errors")}</th><th scope="col" class="right">{t("admin.readers")}</th></tr></thead>
        <tbody>{page.value?.feeds.map((feed) => <tr key={feed.id}><th scope="row" class="name-cell"><span><Favicon title={feed.title} /><button type="button" class="link-button" dir="auto" onClick={() => { open.value = feed; }}>{feed.title}</button><small>{feed.url.replace(/^https?:\/\//, "")}</small></span></th><td>{feed.state}</td><td class="right">{feed.interval_seconds ? duration(feed.interval_seconds) : "—"}</td><td class="right quiet">{feed.last_success_at ? when(feed.last_success_at) : "—"}</td><td class="right">{number(feed.errors ?? 0)}</td><td class="right">{number(feed.readers ?? 0)}</td></tr>)}</tbody></table></div>
      {open.value && <Drawer key={open.value.id} feed={open.value} onClose={() => { open.value = null; }} />}
    </>
  );
}

function Drawer({ feed, onClose }: { feed: AdminFeed; onClose: () => void }) {
  const detail = useSignal<FeedDetail | null>(null);
  useEffect(() => { ask<FeedDetail>(`/admin/api/feeds/${feed.id}`).then((found) => { detail.value = found; }, (error: unknown) => complain(String(error))); }, [feed.id]);
  const now = detail.value, visits = [...(now?.visits ?? [])].sort((a, b) => (a.at < b.at ? -1 : 1));
  const from = visits[0] ? new Date(visits[0].at).getTime() : Date.now() - 86400_000, to = Date.now();
  const point = (key: "interval_seconds" | "ewma_seconds") => visits.filter((visit) => visit[key]).map((visit) => ({ x: new Date(visit.at).getTime(), y: visit[key]! }));
  const act = async (what: string): Promise<void> => { try { await post(`/api/feeds/${feed.id}/${what}`); show({ text: t("done") }); detail.value = await ask<FeedDetail>(`/admin/api/feeds/${feed.id}`); } catch (error) { complain(error instanceof Error ? error.message : String(error)); } };
  return (
    <Dialog title={feed.title} class="drawer ruled" onClose={onClose} head={<><button type="button" class="outline" onClick={() => void act("refresh")}><Icon name="refresh-cw" size={16} />{t("feed.fetchNow")}</button>{feed.state === "disabled" && <button type="button" class="outline" onClick={() => void act("enable")}>{t("feed.enable")}</button>}</>}>
      {now && <>
        {now.sentence && <p class="sentence">{now.sentence}</p>}
        {visits.length > 1 && <Lines title={t("admin.intervalChart")} from={from} to={to} lines={[{ label: t("admin.chosen"), kind: "chosen", points: point("interval_seconds") }, { label: t("admin.ewma"), kind: "ewma", points: point("ewma_seconds") }]} dots={(now.entries ?? []).map((at) => new Date(at).getTime()).filter((at) => at >= from)}
          bands={[...(now.publisher_min_seconds ? [{ from: 300, to: now.publisher_min_seconds, label: t("admin.publisherMin") }] : [])]} ticks={[300, 900, 1800, 3600, 7200, 14400, 43200, 86400].map((value) => ({ value, label: duration(value) }))} xTicks={[from, from + (to - from) / 2, to].map((at) => ({ at, label: `${shortDate(at)} ${time(at)}` }))} />}
        <h3>{t("admin.lastVisits")}</h3>
        <table class="table dense"><thead><tr><th scope="col">{t("admin.time")}</th><th scope="col">{t("manage.status")}</th><th scope="col" class="right">{t("admin.new")}</th><th scope="col" class="right">{t("admin.size")}</th><th scope="col" class="right">{t("admin.took")}</th><th scope="col" class="right">{t("admin.nextIn")}</th><th scope="col">{t("admin.decision")}</th></tr></thead>
          <tbody>{[...visits].reverse().slice(0, 50).map((visit) => <tr key={visit.at}><td>{when(visit.at)}</td><td>{visit.status ?? visit.outcome}</td><td class="right">{visit.new_entries || ""}</td><td class="right">{visit.bytes === undefined ? "" : bytes(visit.bytes)}</td><td class="right">{visit.took_ms === undefined ? "" : `${number(visit.took_ms)} ms`}</td><td class="right">{visit.interval_seconds ? duration(visit.interval_seconds) : ""}</td><td class="quiet">{visit.decision}</td></tr>)}</tbody></table>
      </>}
    </Dialog>
  );
}
