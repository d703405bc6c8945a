// The left pane: views, categories and feeds with their counts. Arrows, type-ahead and Alt with arrows work as in any tree;
// what can be dragged can also be moved by keyboard.
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count, direction } from "../format.ts";
import { t } from "../i18n.ts";
import { Menu, Tool, type Item } from "../part/control.tsx";
import { Favicon, Icon, Wordmark } from "../part/icon.tsx";
import { type View, go, href, sameView } from "../router.ts";
import { type Health, type Node, categories, deleteCategory, enableFeed, failed, feeds, feedsOf, healthOf, healthReason, isClosed, loadLibrary, loaded, nestCategory, orderCategories, placeFeed, searches, tags, toggleClosed, tree, unfollow, unread, unreadToday } from "../store/library.ts";
import { view } from "../store/list.ts";
import { isAdmin } from "../store/session.ts";
import { prefs, setPrefs } from "../store/settings.ts";
import { say } from "../store/toast.ts";
import { activePane, confirm, dialog, pane, size, treeOverlay } from "../store/ui.ts";
import type { Category, Feed } from "../types.ts";

type Entry = { level: number; place: number; of: number; key: string } & ({ kind: "category"; node: Node; open: boolean } | { kind: "feed"; feed: Feed; health: Health } | { kind: "tag"; name: string; uses: number } | { kind: "search"; id: number; name: string; query: string });

const ROW = 28, MANY = 400;

/** The rows of the tree that are in sight, from the top. */
export function flatten(nodes: Node[], closed: (id: number) => boolean, hideRead: boolean, shown: View, level = 1): Entry[] {
  const found: Entry[] = [];
  const visible = nodes.filter((node) => !hideRead || node.unread > 0 || (shown.kind === "category" && shown.id === node.category.id) || holds(node, shown));
  visible.forEach((node, place) => {
    const open = !closed(node.category.id);
    found.push({ kind: "category", node, open, level, place: place + 1, of: visible.length, key: `c${node.category.id}` });
    if (!open) return;
    found.push(...flatten(node.children, closed, hideRead, shown, level + 1));
    const own = node.feeds.filter((feed) => !hideRead || feed.unread_count > 0 || (shown.kind === "feed" && shown.id === feed.id) || healthOf(feed) === "disabled");
    own.forEach((feed, at) => found.push({ kind: "feed", feed, health: healthOf(feed), level: level + 1, place: at + 1, of: own.length, key: `f${feed.id}` }));
  });
  return found;
}

const holds = (node: Node, shown: View): boolean => shown.kind === "feed" && (node.feeds.some((feed) => feed.id === shown.id) || node.children.some((child) => holds(child, shown)));

const viewOf = (entry: Entry): View => entry.kind === "category" ? { kind: "category", id: entry.node.category.id } : entry.kind === "feed" ? { kind: "feed", id: entry.feed.id } : entry.kind === "tag" ? { kind: "tag", name: entry.name } : { kind: "search", q: entry.query };

function openEntry(next: View): void {
  treeOverlay.value = false;
  pane.value = "list";
  go(href(next));
}

const VIEWS: { kind: View["kind"]; icon: string }[] = [
  { kind: "unread", icon: "inbox" }, { kind: "today", icon: "sun" }, { kind: "bookmarks", icon: "bookmark" }, { kind: "all", icon: "layers" }, { kind: "history", icon: "history" },
];

export function Tree({ edge }: { edge?: ComponentChildren }) {
  const sidebarLabel = size.value === "wide" ? t("tree.hide") : t("close");
  return (
    <nav class="tree" aria-label={t("tree.label")} onFocusCapture={() => { activePane.value = "tree"; }}>
      <div class="tree-head">
        <Wordmark />
        <Tool icon="panel-left" label={sidebarLabel} of="sidebar" class="tree-toggle" onClick={() => { if (treeOverlay.value) treeOverlay.value = false; else setPrefs({ sidebar: !prefs.value.sidebar }); }} />
      </div>
      <a class="search-button" href="/r/search?q="><Icon name="search" size={16} /><span>{t("search")}</span><kbd>/</kbd></a>
      <ul class="views">
        {VIEWS.map(({ kind, icon }) => {
          const on = view.value.kind === kind;
          const n = kind === "unread" ? unread.value : kind === "today" ? unreadToday.value : 0;
          return (
            <li key={kind}>
              <a class={`view-row ${on ? "on" : ""} ${n > 0 ? "strong" : ""}`} href={href({ kind })} aria-current={on ? "page" : undefined} onClick={() => { treeOverlay.value = false; pane.value = "list"; }}>
                <Icon name={icon} size={16} /><span class="name">{t(`view.${kind}`)}</span>
                {n > 0 && <span class="n" aria-label={t("n.unread", { n })}>{count(n)}</span>}
              </a>
            </li>
          );
        })}
      </ul>
      <div class="tree-title">
        <h2>{t("tree.feeds")}</h2>
        <Menu icon="list-filter" label={t("tree.options")} size={16} items={[
          { label: t("tree.hideRead"), checked: prefs.value.hideRead, run: () => setPrefs({ hideRead: !prefs.value.hideRead }) },
          { label: t("tree.collapse"), icon: "chevron-right", run: () => setPrefs({ closed: categories.value.map(({ id }) => id) }) },
          { label: t("tree.expand"), icon: "chevron-down", run: () => setPrefs({ closed: [] }) },
          { label: t("category.new"), icon: "folder-plus", line: true, run: () => { dialog.value = { kind: "category" }; } },
          { label: t("manage.title"), icon: "list-checks", href: "/feeds" },
        ]} />
      </div>
      <Rows />
      <div class="tree-foot">
        <button type="button" class="add-feed" onClick={() => { dialog.value = { kind: "add", url: "" }; }}><Icon name="plus" />{t("add.feed")}</button>
        <a class="tool" href="/feeds" aria-label={t("manage.title")} title={t("manage.title")}><Icon name="list-checks" /></a>
        <a class="tool" href="/settings/reading" aria-label={t("settings")} title={t("settings")}><Icon name="settings-2" /></a>
        {isAdmin.value && <a class="tool" href="/admin" aria-label={t("admin.title")} title={t("admin.title")}><Icon name="gauge" /></a>}
        <Tool icon="circle-question-mark" label={t("keys.title")} of="help" onClick={() => { dialog.value = { kind: "help" }; }} />
      </div>
      {edge}
    </nav>
  );
}

/** The row that has the tab stop. */
const focused = signal("");
const dragged = signal<string | null>(null);
const drop = signal<{ key: string; where: "before" | "in" | "after" } | null>(null);

function Rows() {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const typed = useRef({ text: "", at: 0 });
  if (failed.value && !loaded.value) {
    return <div class="tree-rows note" data-testid="tree-failed"><p>{t("tree.failed")}</p><button type="button" class="text" onClick={() => void loadLibrary()}>{t("retry")}</button></div>;
  }
  if (!loaded.value) return <div class="tree-rows" data-testid="tree-loading" aria-busy="true">{Array.from({ length: 9 }, (_, n) => <div key={n} class={`skeleton-row w${n % 4}`} />)}</div>;
  const entries: Entry[] = flatten(tree.value, isClosed, prefs.value.hideRead, view.value);
  searches.value.forEach((one, at) => entries.push({ kind: "search", id: one.id, name: one.name, query: one.query, level: 1, place: at + 1, of: searches.value.length, key: `s${one.id}` }));
  tags.value.forEach((tag, at) => entries.push({ kind: "tag", name: tag.name, uses: tag.uses, level: 1, place: at + 1, of: tags.value.length, key: `t${tag.id}` }));
  const current = entries.find((entry) => sameView(viewOf(entry), view.value))?.key;
  const stop = entries.some((entry) => entry.key === focused.value) ? focused.value : current ?? entries[0]?.key ?? "";
  const many = entries.length > MANY;
  const from = many ? Math.max(0, Math.floor(top.value / ROW) - 15) : 0, to = many ? from + 70 : entries.length;

  const focusAt = (index: number): void => {
    const entry = entries[Math.max(0, Math.min(index, entries.length - 1))];
    if (!entry) return;
    focused.value = entry.key;
    if (many) box.current!.scrollTop = Math.max(0, entries.indexOf(entry) * ROW - 200);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-key="${entry.key}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.target as HTMLElement).closest("[role=menu]")) return;
    const at = entries.findIndex((entry) => entry.key === stop), entry = entries[at];
    if (!entry) return;
    const done = (): void => { event.preventDefault(); event.stopPropagation(); };
    if (event.altKey && event.key.startsWith("Arrow")) { done(); move(entry, event.key, (key) => setTimeout(() => focusAt(entries.findIndex((one) => one.key === key)), 50)); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case "ArrowDown": focusAt(at + 1); return done();
      case "ArrowUp": focusAt(at - 1); return done();
      case "Home": focusAt(0); return done();
      case "End": focusAt(entries.length - 1); return done();
      case "ArrowRight":
        if (entry.kind === "category" && !entry.open) toggleClosed(entry.node.category.id, false);
        else if (entry.kind === "category") focusAt(at + 1);
        else return;
        return done();
      case "ArrowLeft":
        if (entry.kind === "category" && entry.open) toggleClosed(entry.node.category.id, true);
        else for (let up = at - 1; up >= 0; up--) if (entries[up]!.level < entry.level) { focusAt(up); break; }
        return done();
      case "Enter": case " ": openEntry(viewOf(entry)); return done();
      case "e": if (entry.kind === "feed" && entry.health === "disabled") { void enableFeed(entry.feed); done(); } return;
      case "E":
        if (entry.kind === "feed") dialog.value = { kind: "feed", id: entry.feed.id };
        else if (entry.kind === "category" && !entry.node.category.is_default) dialog.value = { kind: "category", id: entry.node.category.id };
        else return;
        return done();
      case "Delete": if (entry.kind === "feed") { askUnfollow(entry.feed); done(); } return;
    }
    // Type-ahead is for letters that are no shortcut: with Shift held back it would fight with them, so it needs two letters fast.
    if (event.key.length === 1 && /\p{L}|\p{N}/u.test(event.key)) {
      const now = Date.now();
      typed.current = { text: now - typed.current.at < 700 ? typed.current.text + event.key.toLowerCase() : event.key.toLowerCase(), at: now };
      if (typed.current.text.length < 2) return;
      const rotated = [...entries.slice(at), ...entries.slice(0, at)];
      const found = rotated.find((one) => nameOf(one).toLowerCase().startsWith(typed.current.text));
      if (found) { focusAt(entries.indexOf(found)); done(); }
    }
  };
  useEffect(() => { box.current?.querySelector("[aria-current=page]")?.scrollIntoView({ block: "nearest" }); }, [current]);

  return (
    <div ref={box} class="tree-rows" role="tree" aria-label={t("tree.feeds")} onKeyDown={onKeyDown} onScroll={many ? (event) => { top.value = event.currentTarget.scrollTop; } : undefined}
      onDragOver={(event) => scrollNear(event, box.current!)} onDragEnd={() => { dragged.value = null; drop.value = null; }}>
      {many && <div style={{ height: `${from * ROW}px` }} role="none" />}
      {entries.slice(from, to).map((entry, at) => {
        const before = entries[from + at - 1];
        const first = (entry.kind === "search" && before?.kind !== "search") || (entry.kind === "tag" && before?.kind !== "tag");
        return <Row key={entry.key} entry={entry} stop={entry.key === stop} current={entry.key === current} gap={first} />;
      })}
      {many && <div style={{ height: `${Math.max(0, entries.length - to) * ROW}px` }} role="none" />}
    </div>
  );
}

const nameOf = (entry: Entry): string => entry.kind === "category" ? (entry.node.category.is_default ? t("category.default") : entry.node.category.name) : entry.kind === "feed" ? entry.feed.title : entry.name;

/** What the eye sees in a row besides its name, in words. */
function details(entry: Entry): string {
  if (entry.kind === "category") return `, ${t("n.unread", { n: entry.node.unread })}`;
  if (entry.kind === "tag") return `, ${t("palette.tag")}`;
  if (entry.kind === "search") return `, ${t("tree.search")}`;
  const { feed, health } = entry;
  return ["", t("n.unread", { n: feed.unread_count }), health === "healthy" || health === "new" ? "" : t(`health.${health}`), health === "disabled" ? healthReason(feed) : "", feed.in_all ? "" : t("feed.hidden")].filter((part, at) => at === 0 || part).join(", ");
}

function Row({ entry, stop, current, gap }: { entry: Entry; stop: boolean; current: boolean; gap: boolean }) {
  const name = nameOf(entry);
  const n = entry.kind === "category" ? entry.node.unread : entry.kind === "feed" ? entry.feed.unread_count : entry.kind === "tag" ? entry.uses : 0;
  const where = drop.value?.key === entry.key ? drop.value.where : "";
  const movable = entry.kind === "feed" || (entry.kind === "category" && !entry.node.category.is_default);
  const disabled = entry.kind === "feed" && entry.health === "disabled";
  const open = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.button === 1) { window.open(href(viewOf(entry)), "_blank"); return; }
    focused.value = entry.key;
    openEntry(viewOf(entry));
  };
  return (
    <div
      role="treeitem" data-key={entry.key} data-testid={entry.kind} tabIndex={stop ? 0 : -1} aria-level={entry.level} aria-posinset={entry.place} aria-setsize={entry.of}
      aria-expanded={entry.kind === "category" ? entry.open : undefined} aria-current={current ? "page" : undefined}
      title={entry.kind === "feed" && entry.health !== "healthy" ? healthReason(entry.feed) || undefined : undefined}
      class={`tree-row ${entry.kind} level${Math.min(entry.level, 6)} ${current ? "on" : ""} ${n > 0 && entry.kind !== "tag" ? "strong" : ""} ${disabled ? "disabled" : ""} ${where ? `drop-${where}` : ""} ${gap ? "gap" : ""} ${dragged.value === entry.key ? "dragged" : ""}`}
      onClick={open} onAuxClick={(event) => { if (event.button === 1) open(event); }} onFocus={() => { focused.value = entry.key; }} draggable={movable}
      onDragStart={(event) => { dragged.value = entry.key; event.dataTransfer?.setData("text/plain", entry.kind === "feed" ? entry.feed.url : name); if (event.dataTransfer) event.dataTransfer.effectAllowed = "move"; }}
      onDragOver={(event) => over(event, entry)} onDragLeave={() => { if (drop.value?.key === entry.key) drop.value = null; }} onDrop={(event) => { event.preventDefault(); dropped(entry); }}>
      {entry.kind === "category" && <span class={`twisty ${entry.open ? "open" : ""}`} aria-hidden="true" onClick={(event) => { event.stopPropagation(); toggleClosed(entry.node.category.id); }}><Icon name="chevron-right" size={15} /></span>}
      {entry.kind === "feed" && <Favicon feed={entry.feed} struck={disabled} />}
      {entry.kind === "tag" && <Icon name="tag" size={16} />}
      {entry.kind === "search" && <Icon name="search" size={16} />}
      <span class="name" dir="auto">{name}</span><span class="hidden">{details(entry)}</span>
      {entry.kind === "feed" && !entry.feed.in_all && <span class="state" aria-hidden="true" title={t("feed.hidden")}><Icon name="bell-off" size={13} /></span>}
      {entry.kind === "feed" && entry.health === "failing" && <span class="state" aria-hidden="true">{t("health.failing")} <span class="warn"><Icon name="triangle-alert" size={14} fill /></span></span>}
      {entry.kind === "feed" && entry.health === "paused" && <span class="state" aria-hidden="true"><Icon name="pause" size={13} fill /></span>}
      {disabled && <span class="state word" aria-hidden="true">{t("health.disabled")}</span>}
      {disabled && <button type="button" class="re-enable" tabIndex={-1} onClick={(event) => { event.stopPropagation(); void enableFeed((entry as { feed: Feed }).feed); }}>{t("feed.enable")}</button>}
      {movable && !disabled && <span class="grip" aria-hidden="true"><Icon name="grip-vertical" size={14} /></span>}
      {n > 0 && <span class="n" aria-hidden="true">{count(n)}</span>}
      {(entry.kind === "feed" || entry.kind === "category") && !disabled && <RowMenu entry={entry} />}
    </div>
  );
}

function RowMenu({ entry }: { entry: Extract<Entry, { kind: "feed" | "category" }> }) {
  const items: Item[] = entry.kind === "feed" ? feedItems(entry.feed) : categoryItems(entry.node.category);
  return <span class="row-menu" aria-hidden="true" onClick={(event) => event.stopPropagation()}><Menu label={t("more.of", { name: nameOf(entry) })} class="tool tiny" size={15} items={items} skip /></span>;
}

export function feedItems(feed: Feed): Item[] {
  return [
    { label: t("feed.settings"), icon: "settings-2", of: "feedSettings", run: () => { dialog.value = { kind: "feed", id: feed.id }; } },
    { label: t("feed.site"), icon: "external-link", href: feed.site_url ?? feed.url, external: true },
    { label: t("feed.copy"), icon: "copy", run: () => { void navigator.clipboard?.writeText(feed.url); say(t("copied")); } },
    { label: t("feed.delete"), icon: "trash-2", bad: true, line: true, run: () => askUnfollow(feed) },
  ];
}

export function askUnfollow(feed: Feed): void {
  confirm({ title: t("feed.delete.title", { title: feed.title }), text: t("feed.delete.text"), action: t("feed.delete"), bad: true, run: () => void unfollow([feed]) });
}

function categoryItems(category: Category): Item[] {
  return [
    { label: t("category.edit"), icon: "pencil", hidden: category.is_default, run: () => { dialog.value = { kind: "category", id: category.id }; } },
    { label: t("category.new"), icon: "folder-plus", run: () => { dialog.value = { kind: "category" }; } },
    { label: t("category.delete"), icon: "trash-2", bad: true, line: true, hidden: category.is_default, run: () => confirm({ title: t("category.delete.title", { name: category.name }), text: t("category.delete.text"), action: t("category.delete"), bad: true, run: () => void deleteCategory(category) }) },
  ];
}

/* ---- moving ---- */

const siblings = (category: Category): Category[] => categories.value.filter((one) => (one.parent_id ?? null) === (category.parent_id ?? null) && !one.is_default).sort((a, b) => a.position - b.position || a.id - b.id);

/** Moves by keyboard: up and down among siblings, left out of its parent, right into the one before. */
function move(entry: Entry, key: string, focus: (key: string) => void): void {
  if (entry.kind === "feed") { moveByKey(entry.feed, key); focus(entry.key); return; }
  if (entry.kind !== "category" || entry.node.category.is_default) { say(t("tree.cannotMove")); return; }
  const category = entry.node.category, row = siblings(category), at = row.findIndex((one) => one.id === category.id);
  if (key === "ArrowUp" || key === "ArrowDown") {
    const to = at + (key === "ArrowUp" ? -1 : 1);
    if (to < 0 || to >= row.length) { say(t("tree.cannotMove")); return; }
    const ids = row.map((one) => one.id);
    ids.splice(to, 0, ids.splice(at, 1)[0]!);
    void orderCategories(ids);
    say(t("category.movedPlace", { title: category.name, n: to + 1, of: row.length }));
  } else if (key === "ArrowLeft") {
    const parent = categories.value.find((one) => one.id === category.parent_id);
    if (parent) void nestCategory(category, parent.parent_id ?? null); else say(t("tree.cannotMove"));
  } else if (row[at - 1]) { toggleClosed(row[at - 1]!.id, false); void nestCategory(category, row[at - 1]!.id); } else say(t("tree.cannotMove"));
  focus(entry.key);
}

/** A feed: up and down among its siblings and on into the category before or after; left and right into that category at once. */
function moveByKey(feed: Feed, key: string): void {
  const own = feedsOf(feed.category_id), at = own.findIndex((one) => one.id === feed.id), up = key === "ArrowUp" || key === "ArrowLeft";
  if ((key === "ArrowUp" && at > 0) || (key === "ArrowDown" && at < own.length - 1)) { void placeFeed(feed, feed.category_id, at + (up ? -1 : 1)); return; }
  const order = flatten(tree.value, () => false, false, { kind: "all" }).flatMap((one) => (one.kind === "category" ? [one.node.category] : []));
  const to = order[order.findIndex((one) => one.id === feed.category_id) + (up ? -1 : 1)];
  if (!to) { say(t("tree.cannotMove")); return; }
  toggleClosed(to.id, false);
  void placeFeed(feed, to.id, up ? feedsOf(to.id).length : 0);
}

function over(event: DragEvent, entry: Entry): void {
  const from = dragged.value;
  if (!from || from === entry.key || entry.kind === "tag" || entry.kind === "search") return;
  const box = (event.currentTarget as HTMLElement).getBoundingClientRect(), y = (event.clientY - box.top) / box.height;
  const where = from.startsWith("f") ? (entry.kind === "feed" ? (y < 0.5 ? "before" : "after") : "in") : entry.kind === "feed" ? null : y < 0.3 && !entry.node.category.is_default ? "before" : y > 0.7 && !entry.node.category.is_default ? "after" : "in";
  if (!where) return;
  event.preventDefault();
  drop.value = { key: entry.key, where };
}

function dropped(entry: Entry): void {
  const from = dragged.value, to = drop.value;
  dragged.value = null; drop.value = null;
  if (!from || !to) return;
  const target = entry.kind === "feed" ? entry.feed.category_id : entry.kind === "category" ? entry.node.category.id : 0;
  if (from.startsWith("f")) { const feed = feeds.value.get(Number(from.slice(1))); if (feed) void placeFeed(feed, target, placeIn(target, feed, entry, to.where)); return; }
  const category = categories.value.find((one) => one.id === Number(from.slice(1))), other = categories.value.find((one) => one.id === target);
  if (!category || !other) return;
  if (to.where === "in") { void nestCategory(category, other.is_default ? null : other.id); return; }
  void (async () => {
    if ((category.parent_id ?? null) !== (other.parent_id ?? null)) await nestCategory(category, other.parent_id ?? null);
    const ids = siblings(other).map((one) => one.id).filter((id) => id !== category.id);
    ids.splice(ids.indexOf(other.id) + (to.where === "after" ? 1 : 0), 0, category.id);
    await orderCategories(ids);
  })();
}

/** The place among the feeds of a category at which a feed was dropped. */
function placeIn(category: number, feed: Feed, entry: Entry, where: string): number {
  const rest = feedsOf(category).filter((one) => one.id !== feed.id);
  if (entry.kind !== "feed") return feed.category_id === category ? 0 : rest.length;
  return rest.findIndex((one) => one.id === entry.feed.id) + (where === "after" ? 1 : 0);
}

function scrollNear(event: DragEvent, box: HTMLElement): void {
  const { top, bottom } = box.getBoundingClientRect();
  if (event.clientY < top + 36) box.scrollTop -= 12; else if (event.clientY > bottom - 36) box.scrollTop += 12;
}
