// The reader: three panes, or what of them fits, and what the keys do in it.
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { post } from "../http.ts";
import { t } from "../i18n.ts";
import { on } from "../keys.ts";
import type { ComponentChildren } from "preact";
import { Tool } from "../part/control.tsx";
import { Icon, Mark } from "../part/icon.tsx";
import { lazy, loadPages } from "../part/lazy.tsx";
import { go, href, route } from "../router.ts";
import * as article from "../store/article.ts";
import { enableFeed, feeds, healthOf, tree } from "../store/library.ts";
import * as list from "../store/list.ts";
import { postOf, setRead, setStarred } from "../store/posts.ts";
import { isAdmin } from "../store/session.ts";
import { prefs, setPrefs } from "../store/settings.ts";
import { show, undo } from "../store/toast.ts";
import { activePane, dialog, focusMode, pane, size, tiny, treeOverlay } from "../store/ui.ts";
import { Article, scroller } from "./article.tsx";
import { List, askMarkView, refreshView } from "./list.tsx";
import { searchIn } from "./search.tsx";
import { Tree, flatten } from "./tree.tsx";

const Facets = lazy<{ edge?: ComponentChildren }>(() => loadPages().then((pages) => pages.Facets), true);
const History = lazy<object>(() => loadPages().then((pages) => pages.History), true);

export function Reader() {
  const at = route.value;
  const entry = at.page === "reader" ? at.entry : undefined;
  useEffect(() => on(actions), []);
  useEffect(offerPages, []);
  useSignalEffect(() => {
    const title = article.article.value?.title, n = [...feeds.value.values()].reduce((sum, feed) => sum + (feed.in_all ? feed.unread_count : 0), 0);
    document.title = `${n ? `(${n > 9999 ? "9999+" : n}) ` : ""}${title ? `${title.slice(0, 120)} · ` : ""}${list.viewName.value} · Courant`;
    (navigator as { setAppBadge?: (n: number) => Promise<void> }).setAppBadge?.(n).catch(() => undefined);
  });
  const open = entry !== undefined, search = list.view.value.kind === "search", historyView = list.view.value.kind === "history" && size.value === "wide";
  const one = size.value === "narrow" || size.value === "phone";
  const showTree = focusMode.value && open ? false : one ? pane.value === "tree" && !open : size.value === "middle" ? !open || treeOverlay.value : prefs.value.sidebar;
  const showList = focusMode.value && open ? false : one ? pane.value === "list" && !open : true;
  const showArticle = one || size.value === "middle" ? open : true;
  const rail = !one && !showTree && !(focusMode.value && open);
  const overlay = showTree && size.value === "middle" && open;
  const treeEdge = size.value === "wide" && <Splitter of="tree" label={t("split.tree")} min={200} max={420} />;
  const { tree: treeWidth, list: listWidth } = prefs.value.panes;
  return (
    <div class={`reader ${size.value} ${open ? "open" : ""} ${focusMode.value && open ? "focus" : ""} ${search ? "search" : ""} ${historyView && !open ? "log" : ""} ${tiny.value ? "tiny" : ""}`} data-testid="reader"
      style={{ "--tree": `${size.value === "middle" ? Math.min(treeWidth, 236) : treeWidth}px`, "--list": `${search && size.value === "wide" ? Math.max(listWidth, 548) : listWidth}px` }}>
      {showList && showTree && <a class="skip-link" href="#list" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>(".rows a")?.focus(); }}>{t("skip")}</a>}
      {rail && <Rail />}
      {showTree && (overlay ? <div class="overlay" onClick={(event) => { if (event.target === event.currentTarget) treeOverlay.value = false; }}><Tree /></div>
        : search && size.value === "wide" ? <div class="facets-place"><Facets edge={treeEdge} /></div> : one ? <main class="tree-page"><h1 class="hidden">{t("tree.feeds")}</h1><Tree /></main> : <Tree edge={treeEdge} />)}
      {showList && <List edge={showArticle && size.value === "wide" && !search && <Splitter of="list" label={t("split.list")} min={320} max={720} />} />}
      {showArticle && (historyView && !open ? <div class="journal-place"><History /></div> : <Article alone={!showList} />)}
      {size.value === "phone" && !open && <BottomBar />}
    </div>
  );
}

/** Where the tree does not fit: its most needed buttons. */
function Rail() {
  return (
    <nav class="rail" aria-label={t("tree.label")}>
      <a href="/r/unread" class="tool" aria-label="Courant"><Mark /></a>
      <Tool icon="panel-left-open" label={t("tree.show")} of="sidebar" onClick={() => showTree()} />
      <a class="tool" href="/r/search?q=" aria-label={t("search")} title={t("search")}><Icon name="search" /></a>
      <a class="tool" href="/r/unread" aria-label={t("view.unread")} title={t("view.unread")} aria-current={list.view.value.kind === "unread" ? "page" : undefined}><Icon name="inbox" /></a>
      <a class="tool" href="/r/bookmarks" aria-label={t("view.bookmarks")} title={t("view.bookmarks")} aria-current={list.view.value.kind === "bookmarks" ? "page" : undefined}><Icon name="bookmark" /></a>
      <span class="grow" />
      <Tool icon="plus" label={t("add.feed")} of="addFeed" onClick={() => { dialog.value = { kind: "add", url: "" }; }} />
      <a class="tool" href="/settings/reading" aria-label={t("settings")} title={t("settings")}><Icon name="settings-2" /></a>
    </nav>
  );
}

function showTree(): void { if (size.value === "middle") treeOverlay.value = !treeOverlay.value; else setPrefs({ sidebar: true }); }

function BottomBar() {
  const searching = list.view.value.kind === "search";
  const button = (name: string, icon: string, on: boolean, run: () => void) => <button type="button" class={on ? "on" : ""} aria-current={on ? "page" : undefined} onClick={run}><Icon name={icon} size={22} /><span>{name}</span></button>;
  return (
    <nav class="bottom-bar" aria-label={t("bar")}>
      {button(t("bar.feeds"), "folder-tree", pane.value === "tree" && !searching, () => { pane.value = "tree"; })}
      {button(t("bar.list"), "newspaper", pane.value === "list" && !searching, () => { pane.value = "list"; if (searching) go("/r/unread"); })}
      {button(t("search"), "search", searching && pane.value === "list", () => { pane.value = "list"; go("/r/search?q="); })}
      {button(t("more"), "ellipsis", false, () => { dialog.value = { kind: "more" }; })}
    </nav>
  );
}

/** The line between two panes: dragged, or moved with arrows. */
function Splitter({ of, label, min, max }: { of: "tree" | "list"; label: string; min: number; max: number }) {
  const now = prefs.value.panes[of];
  const drag = useRef<{ x: number; from: number } | null>(null);
  const set = (value: number): void => setPrefs({ panes: { ...prefs.value.panes, [of]: Math.round(Math.max(min, Math.min(max, value))) } });
  return (
    <div class="splitter" role="separator" tabIndex={0} aria-orientation="vertical" aria-label={label} aria-valuenow={now} aria-valuemin={min} aria-valuemax={max}
      onPointerDown={(event) => { drag.current = { x: event.clientX, from: prefs.value.panes[of] }; event.currentTarget.setPointerCapture(event.pointerId); event.preventDefault(); }}
      onPointerMove={(event) => { if (drag.current) set(drag.current.from + event.clientX - drag.current.x); }}
      onPointerUp={() => { drag.current = null; }} onDblClick={() => set(of === "tree" ? 260 : 400)}
      onKeyDown={(event) => {
        const step = event.shiftKey ? 50 : 10;
        if (event.key === "ArrowLeft") set(now - step); else if (event.key === "ArrowRight") set(now + step); else if (event.key === "Home") set(min); else if (event.key === "End") set(max); else return;
        event.preventDefault(); event.stopPropagation();
      }} />
  );
}

/** Whoever goes through rows with Tab alone is offered pages of real rows, once. */
function offerPages(): (() => void) | void {
  if (prefs.value.offeredPaged || prefs.value.paged) return;
  let tabs = 0;
  const press = (event: KeyboardEvent): void => {
    tabs = event.key === "Tab" ? tabs + 1 : event.key === "Shift" ? tabs : 0;
    if (tabs < 15) return;
    stop();
    setPrefs({ offeredPaged: true });
    show({ text: t("offer.paged"), action: { label: t("offer.paged.action"), run: () => setPrefs({ paged: true }) } });
  };
  const forget = (): void => { tabs = 0; };
  const stop = (): void => { document.removeEventListener("keydown", press); document.removeEventListener("pointerdown", forget); };
  document.addEventListener("keydown", press);
  document.addEventListener("pointerdown", forget);
  return stop;
}

/* ---- what keys do ---- */

const current = (): number | undefined => list.currentEntry() ?? (list.selected.value >= 0 ? list.idAt(list.selected.value) : undefined);
const isOpen = (): boolean => list.currentEntry() !== undefined;

function step(by: 1 | -1, open: boolean): void {
  void list.select(list.selected.value < 0 ? 0 : list.selected.value + by, open);
}
function stepUnread(by: 1 | -1): boolean {
  const at = list.nextUnread(list.selected.value, by);
  if (at < 0) return false;
  void list.select(at, true);
  return true;
}
/** The next feed, in the order of the tree, that has something unread. */
function stepFeed(by: 1 | -1): void {
  const order = flatten(tree.value, () => false, false, { kind: "all" }).flatMap((entry) => (entry.kind === "feed" ? [entry.feed] : []));
  const view = list.view.value;
  const at = view.kind === "feed" ? order.findIndex((feed) => feed.id === view.id) : by > 0 ? -1 : order.length;
  for (let index = at + by; index >= 0 && index < order.length; index += by) if (order[index]!.unread_count > 0) { go(href({ kind: "feed", id: order[index]!.id })); return; }
}
/** One page of the article; at its end the next unread one. */
function page(by: 1 | -1): boolean {
  const shown = scroller();
  if (!isOpen() || !shown) return false;
  const atEnd = by > 0 ? shown.scrollTop + shown.clientHeight >= shown.scrollHeight - 4 : shown.scrollTop <= 0;
  if (atEnd) return by > 0 ? stepUnread(1) : false;
  shown.scrollBy({ top: by * (shown.clientHeight - 80), behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  return true;
}
function focusPane(by: 1 | -1): boolean {
  const panes = (["tree", "list", "article"] as const).filter((name) => document.querySelector(`.${name}`));
  const to = panes[panes.indexOf(activePane.value) + by];
  if (!to) return false;
  const target = to === "tree" ? document.querySelector<HTMLElement>(".tree [role=treeitem][tabindex='0']") : to === "list" ? document.querySelector<HTMLElement>(".rows a[tabindex='0']") : scroller();
  target?.focus();
  return true;
}
function original(): boolean {
  const id = current(), post = id === undefined ? undefined : postOf(id)?.value;
  if (!post?.url) return false;
  window.open(post.url, "_blank", "noopener,noreferrer");
  if (id !== undefined) void setRead(id, true);
  return true;
}
function close(): boolean | void {
  if (focusMode.value) { focusMode.value = false; return; }
  if (treeOverlay.value) { treeOverlay.value = false; return; }
  if (list.chosen.value.size) { list.chosen.value = new Set(); return; }
  if (isOpen()) { list.closeEntry(); requestAnimationFrame(() => document.querySelector<HTMLElement>(".rows a[tabindex='0']")?.focus({ preventScroll: true })); return; }
  if (list.view.value.kind === "search") { go("/r/unread"); return; }
  return false;
}
const withCurrent = (run: (id: number) => void) => (): boolean => { const id = current(); if (id === undefined) return false; run(id); return true; };

const actions: Parameters<typeof on>[0] = {
  next: () => step(1, true), previous: () => step(-1, true), focusNext: () => step(1, false), focusPrevious: () => step(-1, false),
  nextUnread: () => stepUnread(1), previousUnread: () => stepUnread(-1), nextFeed: () => stepFeed(1), previousFeed: () => stepFeed(-1),
  paneLeft: () => focusPane(-1), paneRight: () => focusPane(1), first: () => void list.select(0, false), last: () => void list.select(list.total.value - 1, false),
  page: () => page(1), pageBack: () => page(-1),
  sidebar: () => { if (size.value === "wide") setPrefs({ sidebar: !prefs.value.sidebar }); else showTree(); },
  focusMode: () => { if (!isOpen()) return false; focusMode.value = !focusMode.value; }, close,
  open: () => { if (isOpen() && list.idAt(list.selected.value) === list.currentEntry()) list.closeEntry(); else if (list.selected.value >= 0) void list.select(list.selected.value, true); else return false; },
  toggleRead: withCurrent((id) => void setRead(id, !postOf(id)?.value.is_read, false)),
  keepUnread: withCurrent((id) => { void setRead(id, false); step(1, true); }),
  bookmark: withCurrent((id) => void setStarred(id, !postOf(id)?.value.is_starred)),
  tags: withCurrent((id) => { dialog.value = { kind: "tags", id }; }), original, originalBackground: original,
  fullText: () => { if (!isOpen()) return false; void article.toggleFull(); },
  summary: () => { const post = article.article.value; if (!post || post.summary_status === "off") return false; if (post.summary_status === "failed") void article.askSummary(); else article.showSummary.value = !article.showSummary.value; },
  headline: () => { if (article.article.value?.calm_title && isOpen()) article.swapped.value = !article.swapped.value; else setPrefs({ headline: prefs.value.headline === "calm" ? "original" : "calm" }); },
  markView: () => askMarkView("A"), markAbove: () => void list.markBeside("above"), markBelow: () => void list.markBeside("below"), undo: () => void undo(),
  choose: withCurrent((id) => { const next = new Set(list.chosen.value); if (next.has(id)) next.delete(id); else next.add(id); list.chosen.value = next; }),
  refresh: () => void refreshView(),
  refreshFeed: () => { const id = current(), feed = id === undefined ? undefined : postOf(id)?.value.feed_id; if (!feed) return false; void post(`/api/feeds/${feed}/refresh`).catch(() => undefined); },
  onlyUnread: () => { if (list.view.value.kind === "feed" || list.view.value.kind === "category") list.setUnreadOnly(true); else go("/r/unread"); },
  onlyAll: () => { if (list.view.value.kind === "feed" || list.view.value.kind === "category") list.setUnreadOnly(false); else go("/r/all"); },
  onlyBookmarks: () => go("/r/bookmarks"),
  enable: () => { const view = list.view.value, feed = view.kind === "feed" ? feeds.value.get(view.id ?? -1) : undefined; if (!feed || healthOf(feed) !== "disabled") return false; void enableFeed(feed); },
  feedSettings: () => { const view = list.view.value, id = view.kind === "feed" ? view.id : article.article.value?.feed_id; if (!id || !feeds.value.has(id)) return false; dialog.value = { kind: "feed", id }; },
  search: () => go(`/r/search?q=${encodeURIComponent(searchIn())}`),
  goDashboard: () => { if (!isAdmin.value) return false; go("/admin"); },
};
