// Feed health: all feeds of the server, with a drawer that explains one of them. Filter, order, page and the open feed are in the
// address.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { duration, number, when } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { PageHead, Tool } from "../part/control.tsx";
import { saveCsv } from "../part/csv.ts";
import { Empty } from "../part/empty.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { HealthChip } from "../manage/feeds.tsx";
import { go, route } from "../router.ts";
import { type Health, feeds } from "../store/library.ts";
import { type AdminFeed, ask } from "./data.ts";
import { Drawer } from "./drawer.tsx";
import { refreshNow, useLive } from "./live.ts";

const FILTERS = ["all", "failing", "disabled", "paused", "silent", "never", "redirected"] as const;
type Filter = (typeof FILTERS)[number];
const NAMES: Record<Filter, Key> = { all: "manage.all", failing: "manage.failing", disabled: "manage.disabled", paused: "manage.paused", silent: "manage.silent", never: "manage.new", redirected: "manage.redirected" };
const SORTS: [string, Key, boolean][] = [["title", "view.feed", false], ["", "manage.status", false], ["interval", "manage.interval", true], ["last_success", "manage.success", true], ["last_new", "manage.fresh", true], ["errors", "manage.errors", true], ["readers", "admin.readers", true]];
const PAGE = 50, SILENT = 90 * 86400_000;

/** How a feed is, in one word, by what the operator's list says of it. */
export function adminHealth(feed: AdminFeed, now = Date.now()): Health {
  if (["disabled", "gone", "rejected"].includes(feed.state)) return "disabled";
  if (feed.state === "paused") return "paused";
  if (feed.state === "awaiting") return "waiting";
  if ((feed.errors ?? 0) > 0) return "failing";
  if (!feed.last_success_at) return "new";
  if (feed.redirected_from) return "redirected";
  return feed.last_new_at && now - new Date(feed.last_new_at).getTime() > SILENT ? "silent" : "healthy";
}

/** Why it is not well. */
export const adminReason = (feed: AdminFeed): string => [feed.state_reason ?? feed.last_error, (feed.errors ?? 0) > 1 ? t("health.inARow", { n: feed.errors! }) : ""].filter(Boolean).join(", ");

export function FeedHealth() {
  const query = new URLSearchParams(route.value.page === "admin" ? route.value.query : "");
  const filter = (FILTERS.find((name) => name === query.get("filter")) ?? "all") as Filter, sort = query.get("sort") ?? "id", page = Math.max(0, Number(query.get("page")) || 0), wanted = query.get("q") ?? "", open = Number(query.get("feed")) || 0;
  const typed = useSignal(wanted);
  const to = (change: Record<string, string | number | null>, how: "push" | "replace" = "push"): void => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(change)) if (value === null || value === "" || value === 0) next.delete(name); else next.set(name, String(value));
    go(`/admin/feeds${next.size ? `?${next}` : ""}`, how);
  };
  useEffect(() => { if (typed.value === wanted) return; const timer = setTimeout(() => to({ q: typed.value, page: null }, "replace"), 250); return () => clearTimeout(timer); }, [typed.value]);
  const list = useLive<{ feeds: AdminFeed[]; total: number }>(() => ask("/admin/api/feeds", { filter: filter === "all" ? undefined : filter, q: wanted || undefined, sort, limit: PAGE, offset: page * PAGE || undefined }), `${filter}|${sort}|${page}|${wanted}`);
  const counts = useLive<Partial<Record<Filter, number>>>(async () => Object.fromEntries(await Promise.all(FILTERS.map(async (name) => [name, (await ask<{ total: number }>("/admin/api/feeds", { filter: name === "all" ? undefined : name, limit: 1 }))?.total ?? 0]))) as Partial<Record<Filter, number>>, "");
  const rows = list.data?.feeds ?? [], total = list.data?.total ?? 0;
  return (
    <>
      <PageHead title={t("admin.feeds")} count={counts.data?.all === undefined ? undefined : number(counts.data.all)}>
        <span class="field find"><Icon name="search" size={16} /><input type="search" aria-label={t("manage.find")} placeholder={t("manage.find")} value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }} /></span>
        <button type="button" class="outline" onClick={() => saveCsv("feed-health", [["id", "title", "url", "state", "errors", "last_error", "interval_s", "last_success", "last_new", "readers"], ...rows.map((feed) => [feed.id, feed.title, feed.url, feed.state, feed.errors, feed.last_error, feed.interval_seconds, feed.last_success_at, feed.last_new_at, feed.readers])])}><Icon name="download" size={16} />CSV</button>
      </PageHead>
      <div class="chips">
        {FILTERS.map((name) => { const n = counts.data?.[name]; return (name === "all" || name === filter || n !== 0) && <button key={name} type="button" class="filter-chip" aria-pressed={filter === name} onClick={() => to({ filter: name === "all" ? null : name, page: null })}>{t(NAMES[name])}{n !== undefined && <span class="n">{number(n)}</span>}</button>; })}
        <span class="grow" />
        {total > PAGE && <><span class="quiet">{t("pager.at", { from: page * PAGE + 1, to: Math.min((page + 1) * PAGE, total), n: total })}</span>
          <Tool icon="chevron-left" label={t("pager.previous")} disabled={page === 0} onClick={() => to({ page: page - 1 })} /><Tool icon="chevron-right" label={t("pager.next")} disabled={(page + 1) * PAGE >= total} onClick={() => to({ page: page + 1 })} /></>}
      </div>
      {list.state === "failed" && rows.length === 0 ? <Empty drawing="offline" title={t("list.failed")} testId="admin-failed" actions={<button type="button" class="primary" onClick={refreshNow}>{t("retry")}</button>}>{list.problem}</Empty>
        : list.state === "ready" && rows.length === 0 ? <Empty drawing={filter === "all" && !wanted ? "feeds" : "caughtUp"} title={filter === "all" && !wanted ? t("empty.feeds") : t("manage.none")} testId="admin-no-feeds" actions={filter !== "all" || wanted ? <button type="button" class="primary" onClick={() => { typed.value = ""; go("/admin/feeds"); }}>{t("manage.clear")}</button> : undefined} />
        : <div class="table-box" tabIndex={0} role="region" aria-label={t("admin.feeds")}><table class="table" data-testid="admin-feeds">
          <thead><tr>{SORTS.map(([name, label, right]) => <th key={label} scope="col" class={right ? "right" : ""} aria-sort={name && sort === name ? "descending" : undefined}>{name ? <button type="button" class={sort === name ? "sorted" : ""} onClick={() => to({ sort: sort === name ? null : name, page: null })}>{t(label)}{sort === name && <Icon name="arrow-down" size={14} />}</button> : t(label)}</th>)}</tr></thead>
          <tbody>{rows.map((feed) => <Row key={feed.id} feed={feed} open={feed.id === open} onOpen={() => to({ feed: feed.id })} />)}</tbody></table></div>}
      {open > 0 && <Drawer key={open} id={open} feed={rows.find((feed) => feed.id === open)} onClose={() => to({ feed: null })} />}
    </>
  );
}

function Row({ feed, open, onOpen }: { feed: AdminFeed; open: boolean; onOpen: () => void }) {
  const health = adminHealth(feed), trouble = health === "failing" || health === "disabled", idle = health === "disabled" || health === "paused";
  return (
    <>
      <tr class={`${open ? "chosen" : ""} ${trouble ? "open" : ""}`} onClick={(event) => { if (!(event.target as Element).closest("button, a")) onOpen(); }}>
        <th scope="row" class="name-cell"><span><Favicon feed={feeds.value.get(feed.id)} title={feed.title || feed.url} struck={health === "disabled"} /><button type="button" class="link-button" dir="auto" onClick={onOpen}>{feed.title || feed.url}</button><small>{feed.url.replace(/^https?:\/\//, "")}</small></span></th>
        <td><HealthChip health={health} /></td><td class="right">{idle || !feed.interval_seconds ? "—" : duration(feed.interval_seconds)}</td><td class="right quiet">{feed.last_success_at ? when(feed.last_success_at) : "—"}</td><td class="right quiet">{feed.last_new_at ? when(feed.last_new_at) : "—"}</td>
        <td class={`right ${feed.errors ? "bad strong" : "quiet"}`}>{number(feed.errors ?? 0)}</td><td class="right">{number(feed.readers ?? 0)}</td>
      </tr>
      {trouble && <tr class={`detail ${open ? "chosen" : ""}`}><td colSpan={7}><span class="why">{adminReason(feed)}</span><button type="button" class="text" onClick={onOpen}>{t("admin.look")}</button></td></tr>}
    </>
  );
}
