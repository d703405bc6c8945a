// Manage feeds: how each of them is, what to do about those that are not well, and many at once.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { dayOf, duration, host, number, when, whenUnix } from "../format.ts";
import { post } from "../http.ts";
import { t, type Key } from "../i18n.ts";
import { Check, Menu, PageHead, Tool } from "../part/control.tsx";
import { Empty } from "../part/empty.tsx";
import { saveCsv } from "../part/csv.ts";
import { Frame } from "../part/frame.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { Spark } from "../chart/spark.tsx";
import { href } from "../router.ts";
import { type Health, categories, categoryPath, changeFeed, enableFeed, feeds, healthOf, healthReason, loaded, refreshFeedBody, unfollow } from "../store/library.ts";
import { isAdmin } from "../store/session.ts";
import { complain, show } from "../store/toast.ts";
import { confirm, dialog } from "../store/ui.ts";
import type { Feed } from "../types.ts";

type Shown = "all" | "trouble" | "disabled" | "failing" | "silent" | "new" | "redirected" | "paused";
type Column = "title" | "category" | "health" | "success" | "fresh" | "interval" | "rate" | "errors";
const ICONS: Record<Health, string> = { healthy: "check", failing: "triangle-alert", disabled: "circle-slash", paused: "pause", silent: "moon", new: "circle-dashed", redirected: "corner-up-right", waiting: "circle-dashed" };
const GRAVITY: Health[] = ["disabled", "failing", "new", "silent", "redirected", "paused", "waiting", "healthy"];
const PAGE = 50;

export function HealthChip({ health }: { health: Health }) {
  return <span class={`health ${health} ${health === "failing" ? "chip warn" : health === "disabled" ? "chip bad" : ""}`}><Icon name={ICONS[health]} size={15} fill={health === "failing" || health === "paused"} />{t(`health.${health}`)}</span>;
}

const isShown = (feed: Feed, shown: Shown): boolean => { const health = healthOf(feed); return shown === "all" || (shown === "trouble" ? health === "disabled" || health === "failing" : health === shown); };

function sorted(list: Feed[], by: Column, down: boolean): Feed[] {
  const value = (feed: Feed): string | number => {
    switch (by) {
      case "title": return feed.title.toLowerCase();
      case "category": return categoryPath(feed.category_id).toLowerCase();
      case "health": return GRAVITY.indexOf(healthOf(feed));
      case "success": return -feed.fetch_state.last_success_at;
      case "fresh": return feed.last_post_at ? -new Date(feed.last_post_at).getTime() : 0;
      case "interval": return feed.fetch_state.interval_seconds;
      case "rate": return -(feed.posts_per_week ?? 0);
      case "errors": return -feed.error_count;
    }
  };
  return [...list].sort((a, b) => { const x = value(a), y = value(b), way = x < y ? -1 : x > y ? 1 : 0; return (down ? -way : way) || a.title.localeCompare(b.title); });
}

export default function ManageFeeds() {
  const start = new URLSearchParams(location.search);
  const shown = useSignal<Shown>((start.get("show") as Shown | null) ?? "all"), wanted = useSignal(start.get("q") ?? ""), by = useSignal<Column>("health"), down = useSignal(false), page = useSignal(0), chosen = useSignal<Set<number>>(new Set());
  const all = useComputed(() => [...feeds.value.values()]);
  const list = useComputed(() => {
    const text = wanted.value.trim().toLowerCase();
    return sorted(all.value.filter((feed) => isShown(feed, shown.value) && (!text || feed.title.toLowerCase().includes(text) || feed.url.toLowerCase().includes(text))), by.value, down.value);
  });
  useEffect(() => { document.title = `${t("manage.title")} · Courant`; }, []);
  useEffect(() => {
    const query = new URLSearchParams({ ...(shown.value !== "all" ? { show: shown.value } : {}), ...(wanted.value ? { q: wanted.value } : {}) }).toString();
    history.replaceState(null, "", `/feeds${query ? `?${query}` : ""}`);
    page.value = 0;
  }, [shown.value, wanted.value]);
  const rows = list.value.slice(page.value * PAGE, (page.value + 1) * PAGE);
  const rated = all.value.some((feed) => feed.posts_per_week != null), dated = all.value.some((feed) => feed.last_post_at);
  const picked = [...chosen.value].flatMap((id) => feeds.value.get(id) ?? []);
  const toggleAll = (on: boolean): void => { chosen.value = on ? new Set(list.value.map((feed) => feed.id)) : new Set(); };
  const head = (column: Column, label: Key, right = false) => (
    <th scope="col" class={right ? "right" : ""} aria-sort={by.value === column ? (down.value ? "descending" : "ascending") : undefined}>
      <button type="button" class={by.value === column ? "sorted" : ""} onClick={() => { if (by.value === column) down.value = !down.value; else { by.value = column; down.value = false; } }}>{t(label)}{by.value === column && <Icon name={down.value ? "arrow-up" : "arrow-down"} size={14} />}</button>
    </th>
  );
  const filters: Exclude<Shown, "trouble">[] = ["all", "disabled", "failing", "silent", "new", "redirected", "paused"];
  return (
    <Frame>
      <PageHead title={t("manage.title")} count={number(all.value.length)}>
        <span class="field find"><Icon name="search" size={16} /><input type="search" aria-label={t("manage.find")} placeholder={t("manage.find")} value={wanted.value} onInput={(event) => { wanted.value = event.currentTarget.value; }} /></span>
        <button type="button" class="outline" onClick={() => download(list.value)}><Icon name="download" size={16} />CSV</button>
        <button type="button" class="primary" onClick={() => { dialog.value = { kind: "add", url: "" }; }}><Icon name="plus" size={16} />{t("add.feed")}</button>
      </PageHead>
      <div class="chips">
        {filters.map((name) => { const n = all.value.filter((feed) => isShown(feed, name)).length; return (name === "all" || n > 0 || shown.value === name) && <button key={name} type="button" class="filter-chip" aria-pressed={shown.value === name || (name === "failing" && shown.value === "trouble") || (name === "disabled" && shown.value === "trouble")} onClick={() => { shown.value = name; }}>{t(`manage.${name}`)}<span class="n">{number(n)}</span></button>; })}
        <span class="grow" />
        {list.value.length > PAGE && <><span class="quiet">{t("pager.at", { from: page.value * PAGE + 1, to: Math.min((page.value + 1) * PAGE, list.value.length), n: list.value.length })}</span>
          <Tool icon="chevron-left" label={t("pager.previous")} disabled={page.value === 0} onClick={() => { page.value--; }} /><Tool icon="chevron-right" label={t("pager.next")} disabled={(page.value + 1) * PAGE >= list.value.length} onClick={() => { page.value++; }} /></>}
      </div>
      {loaded.value && all.value.length === 0 ? <Empty drawing="feeds" title={t("empty.feeds")} testId="manage-empty" actions={<button type="button" class="primary" onClick={() => { dialog.value = { kind: "add", url: "" }; }}>{t("add.a.feed")}</button>}>{t("empty.feeds.text")}</Empty>
        : list.value.length === 0 ? <Empty drawing="filter" title={t("manage.none")} testId="manage-none" actions={<button type="button" class="primary" onClick={() => { shown.value = "all"; wanted.value = ""; }}>{t("manage.clear")}</button>} />
        : <div class="table-box" tabIndex={0} role="region" aria-label={t("manage.title")}><table class="table" data-testid="manage-table">
          <thead><tr>
            <th class="tick"><Check label={t("manage.all")} checked={chosen.value.size > 0 && chosen.value.size === list.value.length} mixed={chosen.value.size > 0 && chosen.value.size < list.value.length} onChange={toggleAll} /></th>
            {head("title", "manage.name")}{head("category", "view.category")}{head("health", "manage.status")}{head("success", "manage.success", true)}{dated && head("fresh", "manage.fresh", true)}{head("interval", "manage.interval", true)}{rated && head("rate", "manage.rate", true)}{head("errors", "manage.errors", true)}
            <th><span class="hidden">{t("more")}</span></th>
          </tr></thead>
          <tbody>{rows.map((feed) => <Row key={feed.id} feed={feed} rated={rated} dated={dated} chosen={chosen.value.has(feed.id)} onChoose={(on) => { const next = new Set(chosen.value); if (on) next.add(feed.id); else next.delete(feed.id); chosen.value = next; }} />)}</tbody>
        </table></div>}
      {picked.length > 0 && <Bulk picked={picked} onDone={() => { chosen.value = new Set(); }} />}
    </Frame>
  );
}

async function fetchNow(feed: Feed): Promise<void> {
  try { const done = await post<{ new_posts: number; errors: string[] }>(`/api/feeds/${feed.id}/refresh`); show({ text: done.errors[0] ?? t("refresh.new", { n: done.new_posts }) }); } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
  await refreshFeedBody(feed.id);
}

function Row({ feed, chosen, onChoose, rated, dated }: { feed: Feed; chosen: boolean; onChoose: (on: boolean) => void; rated: boolean; dated: boolean }) {
  const health = healthOf(feed), trouble = health === "disabled" || health === "failing";
  const edit = (): void => { dialog.value = { kind: "feed", id: feed.id }; };
  const wide = 7 + Number(rated) + Number(dated) + 1;
  return (
    <>
      <tr class={`${chosen ? "chosen" : ""} ${trouble ? "open" : ""}`}>
        <td class="tick"><Check label={t("manage.choose", { title: feed.title })} checked={chosen} onChange={onChoose} /></td>
        <th scope="row" class="name-cell"><span><Favicon feed={feed} struck={health === "disabled"} /><a href={href({ kind: "feed", id: feed.id })} dir="auto">{feed.title}</a><small>{host(feed.url)}{shortPath(feed.url)}</small></span></th>
        <td class="cut">{categoryPath(feed.category_id)}</td>
        <td><HealthChip health={health} /></td>
        <td class="right quiet">{whenUnix(feed.fetch_state.last_success_at)}</td>
        {dated && <td class="right quiet">{feed.last_post_at ? when(feed.last_post_at) : "—"}</td>}
        <td class="right">{health === "disabled" || health === "paused" || !feed.fetch_state.interval_seconds ? "—" : duration(feed.fetch_state.interval_seconds)}</td>
        {rated && <td class="right rate"><span>{feed.posts_per_week == null ? "—" : number(Math.round(feed.posts_per_week * 10) / 10)}</span>{feed.weekly && <Spark values={feed.weekly} />}</td>}
        <td class={`right ${feed.error_count ? "bad strong" : "quiet"}`}>{number(feed.error_count)}</td>
        <td class="right"><Menu label={t("more.of", { name: feed.title })} items={[
          { label: t("feed.settings"), icon: "settings-2", run: edit }, { label: t("feed.fetchNow"), icon: "refresh-cw", run: () => void fetchNow(feed) },
          { label: t("feed.enable"), icon: "rotate-ccw", run: () => void enableFeed(feed), hidden: health !== "disabled" },
          { label: t("feed.delete"), icon: "trash-2", bad: true, line: true, run: () => confirm({ title: t("feed.delete.title", { title: feed.title }), text: t("feed.delete.text"), action: t("feed.delete"), bad: true, run: () => void unfollow([feed]) }) },
        ]} /></td>
      </tr>
      {trouble && <tr class={`detail ${chosen ? "chosen" : ""}`}><td /><td colSpan={wide}><span class="why">{healthReason(feed)}{feed.fetch_state.next_check_at && health === "failing" ? ` · ${t("manage.nextTry", { when: nextTry(feed.fetch_state.next_check_at) })}` : ""}</span>
        {health === "disabled" && <button type="button" class="text" onClick={() => void enableFeed(feed)}>{t("feed.enable")}</button>}
        {health === "failing" && <button type="button" class="text" onClick={() => void fetchNow(feed)}>{t("feed.fetchNow")}</button>}
        <button type="button" class="text" onClick={edit}>{t("manage.changeUrl")}</button></td></tr>}
    </>
  );
}

const shortPath = (url: string): string => { try { const { pathname } = new URL(url); return pathname === "/" ? "" : pathname; } catch { return ""; } };
const nextTry = (seconds: number): string => { const left = seconds - Date.now() / 1000; return left > 0 ? t("manage.in", { time: duration(left) }) : t("unit.now"); };

function Bulk({ picked, onDone }: { picked: Feed[]; onDone: () => void }) {
  const each = async (run: (feed: Feed) => Promise<unknown>): Promise<void> => { onDone(); for (const feed of picked) await run(feed); };
  return (
    <div class="bulk fixed" role="toolbar" aria-label={t("bulk")} data-testid="bulk">
      <strong>{t("bulk.n", { n: picked.length })}</strong>
      <Menu label={t("manage.move")} class="bulk-menu" align="start" items={categories.value.map((one) => ({ label: categoryPath(one.id), icon: "folder", run: () => void each((feed) => changeFeed(feed, { category_id: one.id }, { category_id: one.id })) }))}><Icon name="folder-input" size={16} />{t("manage.move")}</Menu>
      {isAdmin.value && <button type="button" onClick={() => void each((feed) => changeFeed(feed, { suspended: true }))}><Icon name="pause" size={16} />{t("manage.pause")}</button>}
      <button type="button" onClick={() => void each((feed) => (feed.suspended ? changeFeed(feed, { suspended: false }) : enableFeed(feed)))}><Icon name="rotate-ccw" size={16} />{t("feed.enable")}</button>
      <button type="button" onClick={() => confirm({ title: t("manage.delete.title", { n: picked.length }), text: t("feed.delete.text"), action: t("feed.delete"), bad: true, run: () => { onDone(); void unfollow(picked); } })}><Icon name="trash-2" size={16} />{t("feed.delete")}</button>
      <button type="button" onClick={onDone}>{t("clear")}</button>
    </div>
  );
}

function download(list: Feed[]): void {
  saveCsv(`feeds-${dayOf(Date.now())}`, [["title", "url", "category", "status", "last_success", "interval_s", "errors"], ...list.map((feed) => [feed.title, feed.url, categoryPath(feed.category_id), healthOf(feed), feed.fetch_state.last_success_at ? new Date(feed.fetch_state.last_success_at * 1000).toISOString() : "", feed.fetch_state.interval_seconds, feed.error_count])]);
}
