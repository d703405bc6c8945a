// The middle pane: the list of a view, virtual by default, with real pages for those who need them (find in page, braille).
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { count, dayHeading, dayOf, number } from "../format.ts";
import { t } from "../i18n.ts";
import { Menu, Tool } from "../part/control.tsx";
import { Empty } from "../part/empty.tsx";
import { Icon } from "../part/icon.tsx";
import { href } from "../router.ts";
import { post, reachable } from "../http.ts";
import { enableFeed, feeds, healthOf, healthReason, tree, unread } from "../store/library.ts";
import * as list from "../store/list.ts";
import { postOf, setRead, setStarred, waiting } from "../store/posts.ts";
import { type Density, prefs, setPrefs } from "../store/settings.ts";
import { complain, show, undo } from "../store/toast.ts";
import { activePane, confirm, dialog, pane, size, tiny } from "../store/ui.ts";
import { Banner } from "./banner.tsx";
import { Layout } from "./layout.ts";
import { Pull, usePull } from "./pull.tsx";
import { Row } from "./row.tsx";
import { SearchHead, marker } from "./search.tsx";
import { feedItems } from "./tree.tsx";

const HEIGHTS: Record<Density, number> = { compact: 40, comfortable: 72, cards: 112 };
const HEAD = 32, PER_PAGE = 50;

/** The history on a wide screen: one line for each, as in a log. */
export const isLog = (): boolean => list.view.value.kind === "history" && size.value === "wide" && list.currentEntry() === undefined;
export const density = (): Density => (isLog() ? "compact" : size.value === "phone" && prefs.value.density === "comfortable" ? "cards" : prefs.value.density);

/** How high a row is, with the lines of preview that the user wants. */
export function rowHeight(of: Density, preview: number, search: boolean, log = false): number {
  if (search) return 116;
  if (log) return 44;
  return HEIGHTS[of] + (of === "comfortable" ? preview * 19 : 0);
}

/** Asks before it marks very many. */
export function askMarkView(how: string): void {
  const many = list.view.value.kind === "unread" ? unread.value : list.total.value;
  if (many > 200 && prefs.value.confirmMarkAll) {
    confirm({ title: t("markAll.title", { n: many }), text: t("markAll.text"), action: t("markAll.action"), run: () => { setPrefs({ confirmMarkAll: false }); void list.markView(how); } });
  } else void list.markView(how);
}

function Head() {
  const view = list.view.value, kind = view.kind;
  const n = kind === "unread" ? unread.value : list.total.value;
  const switchable = kind === "feed" || kind === "category" || kind === "today";
  const feed = kind === "feed" ? feeds.value.get(view.id ?? -1) : undefined;
  const title = list.viewName.value;
  return (
    <header class="list-head">
      {(size.value === "narrow") && <Tool icon="panel-left-open" label={t("tree.show")} onClick={() => { pane.value = "tree"; }} />}
      <h1 dir="auto" title={title}>{title}</h1>
      {list.state.value !== "loading" && kind !== "history" && <span class="head-count" data-testid="list-count">{count(n)}</span>}
      {(!reachable.value || waiting.value.length > 0) && (
        <span class="offline" role="status"><Icon name="cloud-off" size={16} />{waiting.value.length ? t("offline.waiting", { n: waiting.value.length }) : t("offline")}</span>
      )}
      <span class="grow" />
      {switchable && <Tool icon="circle-dot" class="only-unread" label={list.unreadOnly.value ? t("list.showAll") : t("list.showUnread")} pressed={list.unreadOnly.value} onClick={() => list.setUnreadOnly(!list.unreadOnly.value)} />}
      {size.value !== "phone" && kind !== "history" && <Menu icon="arrow-down-wide-narrow" label={t("list.order")} items={[
        { label: t("list.newest"), checked: prefs.value.sort === "newest", run: () => { setPrefs({ sort: "newest" }); void list.openView(list.view.value); } },
        { label: t("list.oldest"), checked: prefs.value.sort === "oldest", run: () => { setPrefs({ sort: "oldest" }); void list.openView(list.view.value); } },
        { label: t("density.compact"), line: true, checked: prefs.value.density === "compact", run: () => setPrefs({ density: "compact" }) },
        { label: t("density.comfortable"), checked: prefs.value.density === "comfortable", run: () => setPrefs({ density: "comfortable" }) },
        { label: t("density.cards"), checked: prefs.value.density === "cards", run: () => setPrefs({ density: "cards" }) },
        { label: t("list.byDay"), line: true, checked: prefs.value.byDay, run: () => setPrefs({ byDay: !prefs.value.byDay }) },
      ]} />}
      {kind !== "bookmarks" && kind !== "history" && <Tool icon="check-check" label={t("markAll")} of="markView" onClick={() => askMarkView("button")} />}
      <Menu label={t("more")} items={[
        { label: t("list.refresh"), icon: "refresh-cw", of: "refresh", run: () => void refreshView() },
        { label: t("undo"), icon: "undo-2", of: "undo", run: () => void undo() },
        { label: t("list.exportView"), icon: "printer", run: () => print() },
        ...(feed ? feedItems(feed).map((item, at) => ({ ...item, line: at === 0 || item.line })) : []),
      ]} />
    </header>
  );
}

export async function refreshView(): Promise<void> {
  const view = list.view.value;
  try {
    if (view.kind === "feed") {
      const done = await post<{ new_posts: number; errors: string[] }>(`/api/feeds/${view.id}/refresh`);
      show({ text: done.errors[0] ?? t("refresh.new", { n: done.new_posts }) });
    } else if (view.kind === "unread" || view.kind === "all" || view.kind === "category" || view.kind === "today") {
      show({ text: t("refresh.asked") }, 3);
      const done = await post<{ new_posts: number; feeds: number }>("/api/feeds/refresh");
      show({ text: t("refresh.new", { n: done.new_posts }) });
    }
  } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
  await list.openView(view, true);
}

export function List({ edge }: { edge?: ComponentChildren }) {
  const view = list.view.value;
  const search = view.kind === "search";
  const paged = prefs.value.paged || tiny.value;
  return (
    <main class={`list ${density()} ${search ? "searching" : ""}`} id="list" onFocusCapture={() => { activePane.value = "list"; }}>
      {search ? <SearchHead /> : <Head />}
      <Banner />
      <Trouble />
      <Fresh />
      <Pull />
      {list.state.value === "failed" ? <Failed />
        : list.state.value === "loading" ? <Skeleton />
        : list.total.value === 0 ? <Nothing />
        : paged ? <Paged /> : <Virtual />}
      {list.chosen.value.size > 0 && <Bulk />}
      {edge}
    </main>
  );
}

/** A feed that is not well says so above its list. */
function Trouble() {
  const view = list.view.value, feed = view.kind === "feed" ? feeds.value.get(view.id ?? -1) : undefined;
  const health = feed ? healthOf(feed) : "healthy";
  if (!feed || (health !== "disabled" && health !== "failing" && health !== "paused")) return null;
  return (
    <div class="banner" data-testid="feed-trouble">
      <Icon name={health === "disabled" ? "circle-slash" : health === "paused" ? "pause" : "triangle-alert"} size={16} />
      <span class="grow">{t(`health.line.${health}`, { why: healthReason(feed) })}</span>
      {health === "disabled" && <button type="button" class="text" onClick={() => void enableFeed(feed)}>{t("feed.enable")}</button>}
      <button type="button" class="text quiet" onClick={() => { dialog.value = { kind: "feed", id: feed.id }; }}>{t("feed.settings")}</button>
    </div>
  );
}

function Fresh() {
  const n = list.fresh.value.length;
  if (n === 0) return null;
  return (
    <div class="fresh"><button type="button" class="pill" data-testid="new-items" onClick={() => { list.showFresh(); document.querySelector(".list-scroll")?.scrollTo({ top: 0 }); }}>
      <Icon name="arrow-up" size={15} />{t("fresh", { n: n >= 60 ? "60+" : number(n) })}
    </button></div>
  );
}

function Skeleton() {
  return <div class="list-scroll" data-testid="list-loading" aria-busy="true">{Array.from({ length: 8 }, (_, n) => <div key={n} class="skeleton-post"><i /><b class={`w${n % 3}`} /></div>)}</div>;
}

function Failed() {
  return (
    <Empty drawing="offline" title={t("list.failed")} testId="list-failed" actions={<button type="button" class="primary" onClick={() => void list.openView(list.view.value)}>{t("retry")}</button>}>
      {list.problem.value}
    </Empty>
  );
}

/** The category to go on with when this one is read. */
function nextUnreadCategory(): { id: number; name: string; n: number } | undefined {
  const here = list.view.value.kind === "category" ? list.view.value.id : undefined;
  const found = tree.value.find((node) => node.unread > 0 && node.category.id !== here);
  return found && { id: found.category.id, name: found.category.is_default ? t("category.default") : found.category.name, n: found.unread };
}

function Nothing() {
  const view = list.view.value;
  if (feeds.value.size === 0 && view.kind !== "bookmarks" && view.kind !== "history") {
    return (
      <Empty drawing="feeds" title={t("empty.feeds")} testId="empty-feeds" actions={<>
        <button type="button" class="primary" onClick={() => { dialog.value = { kind: "add", url: "" }; }}><Icon name="plus" />{t("add.a.feed")}</button>
        <a class="text" href="/import">{t("import.opml")}</a></>}>{t("empty.feeds.text")}</Empty>
    );
  }
  if (view.kind === "search") return <Empty drawing="search" title={view.q?.trim() ? t("empty.search") : t("empty.search.start")} testId="empty-search">{view.q?.trim() ? list.problems.value.join(". ") || t("empty.search.text") : <SearchTips />}</Empty>;
  if (view.kind === "bookmarks") return <Empty drawing="bookmark" title={t("empty.bookmarks")} testId="empty-bookmarks">{t("empty.bookmarks.text")}</Empty>;
  if (view.kind === "history") return <Empty drawing="history" title={t("empty.history")} testId="empty-history">{t("empty.history.text")}</Empty>;
  if (view.kind === "tag") return <Empty drawing="filter" title={t("empty.tag")} testId="empty-tag">{t("empty.tag.text")}</Empty>;
  if (list.isUnread(view)) {
    const next = nextUnreadCategory();
    return (
      <Empty drawing="caughtUp" title={t("empty.caughtUp")} testId="empty-caught-up" actions={<>
        {next && view.kind !== "unread" && <a class="primary" href={href({ kind: "category", id: next.id })}>{t("empty.next", { name: next.name, n: next.n })}<Icon name="arrow-right" /></a>}
        {view.kind === "unread" ? <a class="text" href="/r/all">{t("empty.showRead")}</a> : <button type="button" class="text" onClick={() => list.setUnreadOnly(false)}>{t("empty.showRead")}</button>}</>}>
        {t("empty.caughtUp.text")}
      </Empty>
    );
  }
  return <Empty drawing="feeds" title={t("empty.posts")} testId="empty-posts">{t("empty.posts.text")}</Empty>;
}

function SearchTips() {
  return (
    <dl class="tips">
      {(["in:", "feed:", "is:unread", "is:saved", "author:", "before:2026-01", "after:7d", "\"…\"", "-"] as const).map((token) => <div key={token}><dt><code>{token}</code></dt><dd>{t(`tip.${token}`)}</dd></div>)}
    </dl>
  );
}

/** The end of a list: nothing more, and where to go on. */
function End() {
  const next = nextUnreadCategory();
  return (
    <div class="list-end" data-testid="list-end">
      <span>{list.isUnread(list.view.value) ? t("end.unread") : t("end")}</span>
      {next && list.view.value.kind === "category" && <a class="text" href={href({ kind: "category", id: next.id })}>{t("empty.next", { name: next.name, n: next.n })}<Icon name="arrow-right" size={15} /></a>}
    </div>
  );
}

/** Whether a day heading stands before a row. */
function startsDay(index: number): boolean {
  const id = list.rows.value[index], before = list.rows.value[index - 1];
  const day = (of: number): string => { const post = postOf(of)?.peek(); return post ? dayOf(list.view.value.kind === "history" ? post.read_at ?? post.sort_date : post.sort_date) : ""; };
  if (id === undefined) return false;
  if (index === 0) return true;
  return before !== undefined && day(id) !== day(before);
}

const headingOf = (index: number): string => { const post = postOf(list.rows.value[index] ?? 0)?.peek(); return post ? dayHeading(list.view.value.kind === "history" ? post.read_at ?? post.sort_date : post.sort_date) : ""; };
const hasDays = (): boolean => prefs.value.byDay && list.view.value.kind !== "search" && list.view.value.kind !== "bookmarks";

const positions = new Map<string, number>();
const openRow = (index: number): void => void list.select(index, true);

function Virtual() {
  const box = useRef<HTMLDivElement>(null);
  const scroll = useSignal(0), height = useSignal(900);
  const kind = density();
  const search = list.view.value.kind === "search";
  const layout = useComputed(() => {
    const heads: number[] = [];
    if (hasDays()) list.rows.value.forEach((id, index) => { if (id !== undefined && startsDay(index)) heads.push(index); });
    return new Layout(rowHeight(density(), prefs.value.preview, list.view.value.kind === "search", isLog()), HEAD, heads, list.total.value);
  });
  const key = href(list.view.value);
  usePull(box, refreshView);

  useLayoutEffect(() => {
    const shown = box.current!;
    const measure = new ResizeObserver(() => { height.value = shown.clientHeight; });
    measure.observe(shown);
    shown.scrollTop = positions.get(key) ?? 0;
    scroll.value = shown.scrollTop;
    return () => { measure.disconnect(); };
  }, [key]);

  let timer = useRef(0).current;
  const onScroll = (): void => {
    const shown = box.current!;
    scroll.value = shown.scrollTop;
    positions.set(key, shown.scrollTop);
    clearTimeout(timer);
    timer = window.setTimeout(() => look(), 40);
    if (prefs.value.markOnScroll) markPassed(layout.value.at(shown.scrollTop));
  };
  const look = (): void => { const [from, to] = layout.peek().window(scroll.peek(), height.peek(), 30); void list.ensure(from, to); };
  useEffect(look, [key, list.total.value, height.value]);

  // The selected row comes into sight; with the keyboard in the list it also has the focus.
  useSignalEffect(() => {
    const index = list.selected.value;
    if (index < 0) return;
    const shown = box.current!, at = layout.peek(), top = at.top(index);
    const lead = at.heads.includes(index) ? HEAD : 0;
    if (top - lead < shown.scrollTop) shown.scrollTop = top - lead;
    else if (top + at.row > shown.scrollTop + shown.clientHeight - 8) shown.scrollTop = top + at.row - shown.clientHeight + 8;
    scroll.value = shown.scrollTop;
    requestAnimationFrame(() => {
      const active = document.activeElement;
      if (active && active !== document.body && !shown.contains(active) && !active.closest(".list-scroll")) return;
      shown.querySelector<HTMLElement>(`[data-id="${list.rows.peek()[index]}"] a`)?.focus({ preventScroll: true });
    });
  });

  const [from, to] = layout.value.window(scroll.value, height.value);
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);
  const stop = list.selected.value >= 0 ? list.selected.value : 0;
  const marks = useComputed(() => (list.view.value.kind === "search" ? marker(list.view.value.q ?? "") : undefined)).value;
  return (
    <div ref={box} class="list-scroll" data-testid="list" onScroll={onScroll}>
      <ol role="list" class="rows" style={{ height: `${layout.value.height}px` }}>
        {indexes.map((index) => {
          const id = list.rows.value[index], top = layout.value.top(index);
          return [
            hasDays() && id !== undefined && startsDay(index) && <li key={`d${index}`} class="day" style={{ transform: `translateY(${top - HEAD}px)` }}><h2>{headingOf(index)}</h2></li>,
            id === undefined
              ? <li key={`b${index}`} class={`row ${kind} blank`} style={{ transform: `translateY(${top}px)` }} aria-hidden="true"><i /><b /></li>
              : <Row key={id} id={id} index={index} total={list.total.value} view={list.view.value} level={hasDays() ? 3 : 2} density={search ? "comfortable" : kind} selected={index === list.selected.value} stop={index === stop} open={openRow} top={top} marks={marks} />,
          ];
        })}
      </ol>
      {to >= list.total.value && <End />}
    </div>
  );
}

/** Marks rows a second after they left at the top. */
const passed = new Map<number, number>();
function markPassed(first: number): void {
  for (let index = Math.max(0, first - 40); index < first; index++) {
    const id = list.rows.value[index];
    if (id === undefined || passed.has(id)) continue;
    passed.set(id, window.setTimeout(() => void setRead(id, true), 1000));
  }
  for (const [id, timer] of passed) if (list.rows.value.indexOf(id) >= first) { clearTimeout(timer); passed.delete(id); }
}

/** Real rows, fifty to a page. */
function Paged() {
  const page = useSignal(0);
  const from = page.value * PER_PAGE, to = Math.min(from + PER_PAGE, list.total.value), last = Math.max(0, Math.ceil(list.total.value / PER_PAGE) - 1);
  const box = useRef<HTMLDivElement>(null);
  usePull(box, refreshView);
  useEffect(() => { void list.ensure(from, to); box.current?.scrollTo({ top: 0 }); }, [from, list.total.value]);
  useSignalEffect(() => {
    const index = list.selected.value;
    if (index < 0) return;
    page.value = Math.floor(index / PER_PAGE);
    requestAnimationFrame(() => {
      const link = box.current?.querySelector<HTMLElement>(`[data-id="${list.rows.peek()[index]}"] a`);
      link?.scrollIntoView({ block: "nearest" });
      if (link && (document.activeElement === document.body || box.current?.contains(document.activeElement))) link.focus({ preventScroll: true });
    });
  });
  const kind = density(), marks = list.view.value.kind === "search" ? marker(list.view.value.q ?? "") : undefined;
  return (
    <div ref={box} class="list-scroll flow" data-testid="list-paged">
      <ol role="list" class="rows">
        {Array.from({ length: to - from }, (_, n) => from + n).map((index) => {
          const id = list.rows.value[index];
          if (id === undefined) return null;
          return [
            hasDays() && startsDay(index) && <li key={`d${index}`} class="day"><h2>{headingOf(index)}</h2></li>,
            <Row key={id} id={id} index={index} total={list.total.value} view={list.view.value} level={hasDays() ? 3 : 2} density={kind} selected={index === list.selected.value} stop open={openRow} marks={marks} />,
          ];
        })}
      </ol>
      {last > 0 && (
        <nav class="pager" aria-label={t("pager")}>
          <button type="button" disabled={page.value === 0} onClick={() => { page.value--; }}><Icon name="chevron-left" />{t("pager.previous")}</button>
          <span>{t("pager.at", { from: from + 1, to, n: list.total.value })}</span>
          <button type="button" disabled={page.value === last} onClick={() => { page.value++; }}>{t("pager.next")}<Icon name="chevron-right" /></button>
        </nav>
      )}
      {page.value === last && <End />}
    </div>
  );
}

function Bulk() {
  const ids = [...list.chosen.value];
  const done = (): void => { list.chosen.value = new Set(); };
  return (
    <div class="bulk" role="toolbar" aria-label={t("bulk")}>
      <strong>{t("bulk.n", { n: ids.length })}</strong>
      <button type="button" onClick={() => { void list.markIds(ids, list.viewName.value, "x"); done(); }}><Icon name="check-check" />{t("bulk.read")}</button>
      <button type="button" onClick={() => { for (const id of ids) void setRead(id, false); done(); }}><Icon name="circle-dot" />{t("bulk.unread")}</button>
      <button type="button" onClick={() => { ids.forEach((id) => void setStarred(id, true)); done(); }}><Icon name="bookmark" />{t("bulk.save")}</button>
      <button type="button" onClick={done}>{t("clear")}</button>
    </div>
  );
}

