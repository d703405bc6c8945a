// The list of the view that is open: which posts, in which order, and which of them is selected. The list is sparse: rows are
// loaded where they are looked at. Rows never move by themselves; what arrives waits behind the "new" button.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { ApiError, get, post as send } from "../http.ts";
import type { BookmarksBody, HistoryBody, MarkedBody, PostsBody, SearchBody, Undone } from "../api.d.ts";
import { startOfToday } from "../format.ts";
import { t } from "../i18n.ts";
import { type View, go, href, route, sameView } from "../router.ts";
import type { MassMark, Post } from "../types.ts";
import { arrivals, below, categoryPath, feeds, loadLibrary } from "./library.ts";
import { learn, postOf, setRead, showRead } from "./posts.ts";
import { has as serverHas } from "./server.ts";
import { prefs } from "./settings.ts";
import { complain, offerUndo, show } from "./toast.ts";

const PAGE = 60, MORE = 100;

export const view = signal<View>({ kind: "unread" });
/** Ids by place; a hole is a row that was not loaded yet. */
export const rows = signal<(number | undefined)[]>([]);
export const total = signal(0);
export const atLeast = signal(false);
export const state = signal<"loading" | "ready" | "failed">("loading");
export const problem = signal("");
/** What a search could not make sense of. */
export const problems = signal<string[]>([]);
export const foundFeeds = signal<SearchBody["feeds"]>([]);
/** The place of the row that has the focus of the list; -1 is none. */
export const selected = signal(-1);
/** Posts that arrived since, newest first. */
export const fresh = signal<number[]>([]);
/** Rows chosen for bulk. */
export const chosen = signal<Set<number>>(new Set());
/** Only unread, in views where that can be switched. */
export const unreadOnly = signal(true);
export const asOf = signal("");
export const loadingMore = signal(false);
let cursor: string | null = null;
let generation = 0;
/** Whether the user chose to see only what is unread, in this view. */
let unreadChosen = false;
const atLoad = new Map<number, boolean>();
/** The ids that are somewhere in `rows`. */
const placed = new Set<number>();

interface Page { posts: Post[]; total: number; asOf: string; next: string | null; atLeast?: boolean; problems?: string[]; feeds?: SearchBody["feeds"] }

/** Whether the view lists only what is unread. */
export const isUnread = (of: View): boolean => of.kind === "unread" || ((of.kind === "feed" || of.kind === "category" || of.kind === "today") && unreadOnly.value);

function orderOf(of: View): string {
  const own = of.kind === "feed" ? feeds.value.get(of.id ?? -1)?.sort : undefined;
  return own ?? prefs.value.sort;
}

async function fetchPage(of: View, offset: number, limit: number, after?: string | null): Promise<Page> {
  if (of.kind === "bookmarks") return bookmarks(await get<BookmarksBody>("/api/bookmarks", { limit, offset }));
  if (of.kind === "history") {
    const body = await get<HistoryBody>("/api/posts/history", { limit, cursor: after });
    return { posts: body.posts, total: rows.value.length + body.posts.length + (body.next_cursor ? 1 : 0), asOf: "", next: body.next_cursor ?? null };
  }
  if (of.kind === "search") {
    if (!of.q?.trim()) return { posts: [], total: 0, asOf: "", next: null };
    const body = await get<SearchBody>("/api/search", { q: of.q, limit, offset });
    return { posts: body.posts as Post[], total: body.total, asOf: "", next: null, atLeast: body.total_at_least != null, problems: body.problems, feeds: body.feeds };
  }
  const body = await get<PostsBody>("/api/posts", {
    limit, ...(after ? { cursor: after } : { offset: offset || undefined }), unread_only: isUnread(of), order: orderOf(of) === "oldest" ? "oldest" : undefined,
    feed_id: of.kind === "feed" ? of.id : undefined, category_id: of.kind === "category" ? of.id : undefined, tag: of.kind === "tag" ? of.name : undefined,
    since: of.kind === "today" ? startOfToday().toISOString() : undefined,
  });
  return { posts: body.posts, total: body.total, asOf: body.as_of, next: body.next_cursor ?? null, atLeast: body.total_at_least != null };
}

/** Bookmarks as posts: a snapshot outlives its post, and a saved page never had one. */
function bookmarks(body: BookmarksBody): Page {
  const posts = body.bookmarks.map((bookmark): Post => {
    const known = bookmark.post_id == null ? undefined : postOf(bookmark.post_id)?.peek();
    return {
      id: bookmark.post_id ?? -bookmark.id, feed_id: bookmark.feed_id ?? 0, title: bookmark.title, url: bookmark.url, author: bookmark.author,
      excerpt: known?.excerpt ?? null, published_at: bookmark.published_at, fetched_at: bookmark.created_at, sort_date: bookmark.created_at,
      is_read: known?.is_read ?? true, is_starred: true, is_liked: known?.is_liked ?? false, is_suggested: false, bookmark,
    };
  });
  return { posts, total: body.total, asOf: "", next: null };
}

/** Opens a view: its first rows, then the rest as they are looked at. */
export async function openView(next: View, keep = false): Promise<void> {
  const mine = ++generation;
  batch(() => {
    view.value = next;
    if (!keep) { rows.value = []; total.value = 0; selected.value = -1; state.value = "loading"; }
    fresh.value = []; chosen.value = new Set(); problems.value = []; foundFeeds.value = []; atLeast.value = false;
  });
  atLoad.clear();
  try {
    const page = await fetchPage(next, 0, PAGE);
    if (mine !== generation) return;
    // Where all is read and nobody asked for the unread ones, the read ones are shown.
    if (page.total === 0 && unreadOnly.value && !unreadChosen && (next.kind === "feed" || next.kind === "category")) { unreadOnly.value = false; await openView(next, keep); return; }
    learn(page.posts);
    batch(() => {
      place(0, page.posts, true);
      total.value = page.total; atLeast.value = page.atLeast ?? false; asOf.value = page.asOf; cursor = page.next;
      problems.value = page.problems ?? []; foundFeeds.value = page.feeds ?? []; state.value = "ready";
      const entry = currentEntry();
      selected.value = entry === undefined ? (keep ? Math.min(selected.value, page.total - 1) : -1) : rows.value.indexOf(entry);
    });
  } catch (error) {
    if (mine !== generation) return;
    // A tag that nothing has any more is no failure.
    if (next.kind === "tag" && error instanceof ApiError && error.status === 404) { batch(() => { place(0, [], true); total.value = 0; state.value = "ready"; }); return; }
    problem.value = error instanceof Error ? error.message : String(error);
    state.value = "failed";
  }
}

export const currentEntry = (): number | undefined => (route.value.page === "reader" ? route.value.entry : undefined);

function place(from: number, posts: Post[], reset = false): void {
  const next = reset ? [] : rows.value.slice();
  if (reset) placed.clear();
  let at = from;
  for (const post of posts) {
    atLoad.set(post.id, post.is_read);
    if (placed.has(post.id)) continue;
    while (next[at] !== undefined) at++;
    next[at++] = post.id;
    placed.add(post.id);
  }
  rows.value = next;
}

/** How many rows before a place have been read since they were loaded: the server does not count them any more. */
function readBefore(at: number): number {
  if (!isUnread(view.value)) return 0;
  let count = 0;
  for (let index = 0; index < at; index++) {
    const id = rows.value[index];
    if (id !== undefined && atLoad.get(id) === false && postOf(id)?.peek().is_read) count++;
  }
  return count;
}

/** Loads rows that are looked at. */
export async function ensure(from: number, to: number): Promise<void> {
  let first = from;
  while (first < to && rows.value[first] !== undefined) first++;
  if (first >= to || first >= total.value || loadingMore.value || state.value !== "ready") return;
  const mine = generation, of = view.value;
  const follows = first === rows.value.length && cursor !== null;
  if (of.kind === "history" && !follows) return;
  loadingMore.value = true;
  try {
    const page = await fetchPage(of, Math.max(0, first - readBefore(first)), MORE, follows ? cursor : null);
    if (mine !== generation) return;
    learn(page.posts);
    batch(() => {
      place(first, page.posts);
      if (follows) cursor = page.next;
      if (of.kind === "history") total.value = rows.value.length + (page.next ? 1 : 0);
      else if (page.posts.length === 0) total.value = rows.value.length;
    });
  } catch (error) {
    if (mine === generation) complain(error instanceof Error ? error.message : String(error));
  } finally { loadingMore.value = false; }
  if (mine === generation && rows.value[first] !== undefined) await ensure(first, to);
}

/** Puts what arrived at the top. */
export function showFresh(): void {
  const arrived = fresh.value.filter((id) => !placed.has(id));
  for (const id of arrived) placed.add(id);
  batch(() => {
    rows.value = [...arrived, ...rows.value];
    total.value += arrived.length;
    if (selected.value >= 0) selected.value += arrived.length;
    fresh.value = [];
  });
  asOf.value = new Date().toISOString();
}

function concerns(of: View, changed: number[]): boolean {
  if (of.kind === "feed") return changed.includes(of.id ?? -1);
  if (of.kind === "category") { const scope = below(of.id ?? -1); return changed.some((id) => scope.has(feeds.value.get(id)?.category_id ?? -1)); }
  return of.kind === "unread" || of.kind === "all" || of.kind === "today";
}

async function lookForFresh(): Promise<void> {
  const of = view.value, mine = generation;
  if (state.value !== "ready" || orderOf(of) === "oldest") return;
  const page = await fetchPage(of, 0, PAGE).catch(() => null);
  if (!page || mine !== generation) return;
  if (rows.value.length === 0) { void openView(of); return; }
  const arrived = page.posts.filter((post) => !placed.has(post.id) && !post.is_read);
  learn(arrived);
  for (const post of arrived) atLoad.set(post.id, false);
  fresh.value = arrived.map((post) => post.id);
}

/** Follows the address and the events. */
export function startList(): void {
  let opened = false;
  effect(() => {
    const at = route.value;
    if (at.page !== "reader") return;
    untracked(() => {
      if (!opened || !sameView(at.view, view.value)) {
        // Feeds and categories begin as the user left them: unread unless all of it is read.
        if (at.view.kind === "feed" || at.view.kind === "category" || at.view.kind === "today") unreadOnly.value = defaultUnread(at.view);
        opened = true;
        unreadChosen = false;
        void openView(at.view);
      } else if (at.entry !== undefined) {
        const index = rows.value.indexOf(at.entry);
        if (index >= 0) selected.value = index;
      }
    });
  });
  let timer = 0;
  effect(() => {
    const { feeds: changed } = arrivals.value;
    if (changed.length && untracked(() => concerns(view.value, changed))) {
      clearTimeout(timer);
      timer = window.setTimeout(() => void lookForFresh(), 400);
    }
  });
}

function defaultUnread(of: View): boolean {
  if (of.kind === "feed") return (feeds.value.get(of.id ?? -1)?.unread_count ?? 1) > 0;
  if (of.kind === "today") return false;
  const scope = below(of.id ?? -1);
  return feeds.value.size === 0 || [...feeds.value.values()].some((feed) => scope.has(feed.category_id) && feed.unread_count > 0);
}

export function setUnreadOnly(value: boolean): void {
  unreadChosen = true;
  unreadOnly.value = value;
  void openView(view.value);
}

export const idAt = (index: number): number | undefined => rows.value[index];

/** Selects a row, loads what is around it, and opens it if asked. */
export async function select(index: number, open: boolean): Promise<void> {
  if (total.value === 0) return;
  const at = Math.max(0, Math.min(index, total.value - 1));
  if (rows.value[at] === undefined) await ensure(Math.max(0, at - 20), at + 20);
  selected.value = at;
  const id = rows.value[at];
  if (open && id !== undefined) go(href(view.value, id), currentEntry() === undefined ? "push" : "replace");
}

/** The next place in a direction whose post is unread. */
export function nextUnread(from: number, step: 1 | -1): number {
  for (let index = from + step; index >= 0 && index < total.value; index += step) {
    const id = rows.value[index];
    if (id === undefined || !postOf(id)?.peek().is_read) return index;
  }
  return -1;
}

export function closeEntry(): void { go(href(view.value)); }

/** What the view is called. */
export const viewName = computed((): string => nameOf(view.value));
export function nameOf(of: View): string {
  switch (of.kind) {
    case "feed": return feeds.value.get(of.id ?? -1)?.title ?? t("view.feed");
    case "category": return categoryPath(of.id ?? -1).split(" / ").pop() || t("view.category");
    case "tag": return of.name ?? "";
    default: return t(`view.${of.kind}`);
  }
}

/* ---- marking many ---- */

/** A mass mark that can be taken back, for the journal. */
export interface Sweep { undo: string | null; ids?: number[]; n: number; where: string; at: number; undone?: boolean; how: string; /** How many an undo would bring back now, where the server says so. */ back?: number }
const JOURNAL = "courant.journal";
const WEEK = 7 * 86400_000;
const keptJournal = (): Sweep[] => { try { return (JSON.parse(localStorage.getItem(JOURNAL) ?? "[]") as Sweep[]).filter((one) => Date.now() - one.at < WEEK); } catch { return []; } };
export const journal = signal<Sweep[]>(typeof localStorage === "undefined" ? [] : keptJournal());

function write(list: Sweep[]): void {
  journal.value = list.slice(0, 50);
  localStorage.setItem(JOURNAL, JSON.stringify(journal.value));
}

/** Adds the marks of other devices, and what an undo would still bring back. */
export async function loadJournal(): Promise<void> {
  if (!(await serverHas("/api/posts/mark-read/recent"))) return;
  const { marks } = await get<{ marks: MassMark[] }>("/api/posts/mark-read/recent");
  const own = new Map(journal.value.flatMap((sweep) => (sweep.undo === null ? [] : [[sweep.undo, sweep] as const])));
  const known = marks.map((mark): Sweep => {
    const mine = own.get(mark.undo);
    return mine ? { ...mine, n: mark.marked, back: mark.can_restore } : { undo: mark.undo, n: mark.marked, where: whereOf(mark), at: new Date(mark.at).getTime(), how: "", back: mark.can_restore };
  });
  const listed = new Set(marks.map((mark) => mark.undo));
  journal.value = [...known, ...journal.value.filter((sweep) => sweep.undo === null || !listed.has(sweep.undo))].sort((a, b) => b.at - a.at).slice(0, 50);
}

function whereOf(mark: MassMark): string {
  if (mark.scope === "all") return t("view.all");
  const known = mark.feed_ids.flatMap((id) => feeds.value.get(id) ?? []);
  if (mark.scope === "category") { const ids = new Set(known.map((feed) => feed.category_id)); if (ids.size === 1) return categoryPath([...ids][0]!); }
  return known.length === 1 && mark.feeds === 1 ? known[0]!.title : t("journal.feeds", { n: mark.feeds });
}

export async function undoSweep(sweep: Sweep): Promise<void> {
  if (sweep.undo !== null) {
    await send<Undone>("/api/posts/mark-read/undo", { undo: sweep.undo });
    showRead(rows.value.filter((id): id is number => id !== undefined && atLoad.get(id) === false), false);
    if (view.value.kind === "history") void openView(view.value, true);
  } else for (const id of sweep.ids ?? []) await setRead(id, false);
  write(journal.value.map((one) => (one.at === sweep.at ? { ...one, undone: true } : one)));
  void loadLibrary();
  show({ strong: new Intl.NumberFormat().format(sweep.back ?? sweep.n), text: t("journal.back", { where: sweep.where }) });
}

function remember(sweep: Sweep, shows = true): void {
  write([sweep, ...journal.value]);
  if (shows) announce(sweep);
}

function announce(sweep: Sweep): void {
  offerUndo({ strong: new Intl.NumberFormat().format(sweep.n), text: t("marked.in", { n: sweep.n, where: sweep.where }), run: () => undoSweep(sweep) });
}

/** After a reload the last mass mark can still be undone. */
export function offerLastSweep(): void {
  const [last] = journal.value;
  if (last && !last.undone && Date.now() - last.at < 86400_000 && sessionStorage.getItem("courant.dismissed") !== String(last.at)) announce(last);
}
export function dismissSweep(): void { const [last] = journal.value; if (last) sessionStorage.setItem("courant.dismissed", String(last.at)); }

/** Marks everything that the user saw in this view. */
export async function markView(how: string): Promise<void> {
  const of = view.value, where = viewName.value;
  const scope = of.kind === "feed" ? { feed_id: of.id } : of.kind === "category" ? { category_id: of.id } : of.kind === "unread" || of.kind === "all" ? { all: true } : null;
  try {
    if (!scope) { await markIds(await allIds(of), where, how); return; }
    const marked = await send<MarkedBody>("/api/posts/mark-read", { ...scope, as_of: asOf.value || undefined });
    showRead(rows.value.filter((id): id is number => id !== undefined), true);
    void loadLibrary();
    remember({ undo: marked.undo ?? null, n: marked.marked, where, at: Date.now(), how });
  } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
}

async function allIds(of: View): Promise<number[]> {
  const ids = rows.value.filter((id): id is number => id !== undefined);
  for (let offset = ids.length; offset < Math.min(total.value, 5000);) {
    const page = await fetchPage(of, offset, 200);
    if (page.posts.length === 0) break;
    learn(page.posts);
    ids.push(...page.posts.map((post) => post.id));
    offset += page.posts.length;
  }
  return ids;
}

/** Marks posts by their ids. */
export async function markIds(ids: number[], where: string, how: string): Promise<void> {
  const open = ids.filter((id) => id > 0 && !postOf(id)?.peek().is_read);
  if (open.length === 0) return;
  try {
    const marked = await send<MarkedBody>("/api/posts/mark-read", { post_ids: open });
    showRead(open, true);
    void loadLibrary();
    remember({ undo: marked.undo ?? null, ids: open, n: marked.marked, where, at: Date.now(), how });
  } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
}

/** Marks rows above or below the selected one. */
export async function markBeside(side: "above" | "below"): Promise<void> {
  const at = selected.value;
  if (at < 0) return;
  const part = side === "above" ? rows.value.slice(0, at) : rows.value.slice(at + 1);
  const title = postOf(rows.value[at] ?? 0)?.peek().title ?? "";
  await markIds(part.filter((id): id is number => id !== undefined), t(`marked.${side}`, { title: title.slice(0, 40) }), side === "above" ? "[" : "]");
}
