// Feeds, categories, tags and saved searches, as the tree shows them, and their unread counts. Counts change at once when
// something is read here, and by events when it happens elsewhere.
import { batch, computed, effect, signal } from "@preact/signals";
import { get, listen, patch, post, put, remove } from "../http.ts";
import type { PostsBody, SavedSearchBody, TagBody } from "../api.d.ts";
import { startOfToday } from "../format.ts";
import { t } from "../i18n.ts";
import type { Category, Feed, Status } from "../types.ts";
import { prefs, setPrefs } from "./settings.ts";
import { has } from "./server.ts";
import { complain, offerUndo, say, undoable } from "./toast.ts";

export const feeds = signal<Map<number, Feed>>(new Map());
export const categories = signal<Category[]>([]);
export const tags = signal<TagBody[]>([]);
export const searches = signal<SavedSearchBody[]>([]);
export const status = signal<Status | null>(null);
/** Whether the server writes summaries and calm titles at all. */
export const hasAi = computed(() => status.value?.ai?.enabled === true);
export const loaded = signal(false);
export const failed = signal<string | null>(null);
export const live = signal(true);
/** Feeds with new posts since the list was loaded; the list asks what they are. */
export const arrivals = signal<{ feeds: number[] }>({ feeds: [] });
/** The post about which the language part has just learnt something. */
export const enriched = signal<{ post_id: number; kind: string } | null>(null);

export async function loadLibrary(): Promise<void> {
  try {
    const [allFeeds, allCategories] = await Promise.all([get<Feed[]>("/api/feeds"), get<Category[]>("/api/categories")]);
    batch(() => {
      feeds.value = new Map(allFeeds.map((feed) => [feed.id, feed]));
      categories.value = allCategories;
      loaded.value = true;
      failed.value = null;
    });
  } catch (error) {
    failed.value = error instanceof Error ? error.message : String(error);
  }
}

/** What the tree shows at its foot and what the banner needs; not needed for the first paint. */
export async function loadRest(): Promise<void> {
  const quiet = <T>(path: string, into: { value: T }): Promise<void> => get<T>(path).then((found) => { into.value = found; }, () => undefined);
  await Promise.all([quiet("/api/tags", tags), quiet("/api/saved-searches", searches), quiet("/api/status", status)]);
}

/** How much of today is unread. */
export const unreadToday = signal(0);
let todayTimer = 0, counted = false;
function countToday(): void {
  clearTimeout(todayTimer);
  todayTimer = window.setTimeout(() => { void get<PostsBody>("/api/posts", { since: startOfToday().toISOString(), unread_only: true, limit: 1 }).then(({ total }) => { unreadToday.value = total; counted = true; }, () => undefined); }, counted ? 5000 : 800);
}

export function startEvents(): () => void {
  let again = 0;
  effect(() => { if (feeds.value.size) countToday(); });
  return listen({
    counts: ({ feeds: changed, gone }: { feeds: Record<string, number>; gone: number[] }) => {
      const all = new Map(feeds.value);
      for (const [id, unread] of Object.entries(changed)) {
        const feed = all.get(Number(id));
        if (feed) all.set(feed.id, { ...feed, unread_count: unread });
      }
      for (const id of gone) { const feed = all.get(id); if (feed) all.set(id, { ...feed, unread_count: 0 }); }
      feeds.value = all;
    },
    posts: ({ feeds: changed }: { feeds: number[] }) => {
      arrivals.value = { feeds: changed };
      // A first visit also brings a title and an icon.
      clearTimeout(again);
      again = window.setTimeout(() => void loadLibrary(), 1500);
    },
    enriched: (what: { post_id: number; kind: string }) => { enriched.value = what; },
  }, (open) => { live.value = open; });
}

/** Changes the unread count of a feed by what was done here. */
export function adjust(feed: number, by: number): void {
  const found = feeds.value.get(feed);
  if (!found || by === 0) return;
  feeds.value = new Map(feeds.value).set(feed, { ...found, unread_count: Math.max(0, found.unread_count + by) });
}

export type Health = "healthy" | "failing" | "disabled" | "paused" | "silent" | "new" | "redirected" | "waiting";

/** How a feed is, in one word. */
export function healthOf(feed: Feed, now = Date.now()): Health {
  if (feed.state === "disabled" || feed.state === "gone" || feed.state === "rejected") return "disabled";
  if (feed.state === "paused") return "paused";
  if (feed.state === "awaiting") return "waiting";
  if (feed.error_count > 0) return "failing";
  if (feed.fetch_state.last_success_at === 0) return "new";
  if (feed.redirected_from) return "redirected";
  if (feed.last_post_at && now - new Date(feed.last_post_at).getTime() > 90 * 86400_000) return "silent";
  return "healthy";
}

/** Why a feed is not well, as a sentence. */
export function healthReason(feed: Feed): string {
  const why = feed.state_reason ?? feed.last_error ?? feed.fetch_state.last_error;
  return [why, feed.error_count > 1 ? t("health.inARow", { n: feed.error_count }) : ""].filter(Boolean).join(", ");
}

export interface Node { category: Category; children: Node[]; feeds: Feed[]; unread: number; trouble: boolean }

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
const byPlace = (a: Feed, b: Feed): number => (a.position ?? 0) - (b.position ?? 0) || collator.compare(a.title, b.title);

/** The tree: categories in their order, feeds in theirs. A category counts what is below it. */
export function buildTree(all: Category[], own: Iterable<Feed>): Node[] {
  const nodes = new Map<number, Node>(all.map((category) => [category.id, { category, children: [], feeds: [], unread: 0, trouble: false }]));
  const fallback = all.find((category) => category.is_default)?.id;
  for (const feed of own) (nodes.get(feed.category_id) ?? nodes.get(fallback ?? -1))?.feeds.push(feed);
  const roots: Node[] = [];
  for (const node of nodes.values()) {
    const parent = node.category.parent_id == null ? undefined : nodes.get(node.category.parent_id);
    (parent ? parent.children : roots).push(node);
  }
  const finish = (node: Node): void => {
    node.feeds.sort(byPlace);
    node.children.sort((a, b) => a.category.position - b.category.position || a.category.id - b.category.id);
    node.children.forEach(finish);
    node.unread = node.feeds.reduce((sum, feed) => sum + feed.unread_count, 0) + node.children.reduce((sum, child) => sum + child.unread, 0);
    node.trouble = node.feeds.some((feed) => healthOf(feed) === "disabled") || node.children.some((child) => child.trouble);
  };
  roots.forEach(finish);
  roots.sort((a, b) => Number(a.category.is_default) - Number(b.category.is_default) || a.category.position - b.category.position || a.category.id - b.category.id);
  return roots.filter((node) => !node.category.is_default || node.feeds.length > 0 || roots.length === 1);
}

export const tree = computed(() => buildTree(categories.value, feeds.value.values()));
export const unread = computed(() => {
  let sum = 0;
  for (const feed of feeds.value.values()) if (feed.in_all) sum += feed.unread_count;
  return sum;
});
export const troubled = computed(() => [...feeds.value.values()].filter((feed) => healthOf(feed) === "disabled" || (healthOf(feed) === "failing" && feed.error_count >= 3)));

/** A category and all below it. */
export function below(id: number): Set<number> {
  const found = new Set([id]);
  for (let grew = true; grew;) {
    grew = false;
    for (const category of categories.value) if (category.parent_id != null && found.has(category.parent_id) && !found.has(category.id)) { found.add(category.id); grew = true; }
  }
  return found;
}

export const categoryPath = (id: number): string => {
  const names: string[] = [];
  for (let at = categories.value.find((one) => one.id === id), depth = 0; at && depth < 20; depth++) {
    names.unshift(at.is_default ? t("category.default") : at.name);
    const parent = at.parent_id;
    at = parent == null ? undefined : categories.value.find((one) => one.id === parent);
  }
  return names.join(" / ");
};

export const isClosed = (category: number): boolean => prefs.value.closed.includes(category);
export function toggleClosed(category: number, closed = !isClosed(category)): void {
  const others = prefs.value.closed.filter((id) => id !== category);
  setPrefs({ closed: closed ? [...others, category] : others });
}

const setFeed = (feed: Feed): void => { feeds.value = new Map(feeds.value).set(feed.id, feed); };

/** Changes a feed here at once, and takes it back if the server refuses. */
export async function changeFeed(feed: Feed, change: Record<string, unknown>, shown: Partial<Feed> = {}): Promise<boolean> {
  setFeed({ ...feed, ...shown });
  try {
    setFeed(await put<Feed>(`/api/feeds/${feed.id}`, change));
    return true;
  } catch (error) {
    setFeed(feed);
    complain(t("feed.unchanged", { title: feed.title, why: error instanceof Error ? error.message : "" }));
    return false;
  }
}

export async function moveFeed(feed: Feed, category: number): Promise<void> {
  if (feed.category_id === category) return;
  const from = feed.category_id;
  const name = categoryPath(category);
  if (await changeFeed(feed, { category_id: category }, { category_id: category })) {
    const text = t("feed.moved", { title: feed.title, category: name });
    offerUndo({ text, run: async () => { const now = feeds.value.get(feed.id); if (now) await changeFeed(now, { category_id: from }, { category_id: from }); } });
  }
}

/** Puts a feed at a place in a category, in front of the feeds that are there from that place on. */
export async function placeFeed(feed: Feed, category: number, at: number): Promise<void> {
  if (!(await has("/api/feeds/reorder"))) { await moveFeed(feed, category); return; }
  const before = feeds.value, from = { category: feed.category_id, ids: feedsOf(feed.category_id).map(({ id }) => id) };
  const ids = feedsOf(category).map(({ id }) => id).filter((id) => id !== feed.id);
  ids.splice(Math.max(0, at), 0, feed.id);
  if (from.category === category && from.ids.join() === ids.join()) return;
  const set = async (where: number, order: number[]): Promise<void> => {
    const next = new Map(feeds.value);
    order.forEach((id, position) => { const one = next.get(id); if (one) next.set(id, { ...one, category_id: where, position }); });
    feeds.value = next;
    await patch("/api/feeds/reorder", { category_id: where, ids: order });
  };
  try {
    await set(category, ids);
    const text = from.category === category ? t("category.movedPlace", { title: feed.title, n: ids.indexOf(feed.id) + 1, of: ids.length }) : t("feed.moved", { title: feed.title, category: categoryPath(category) });
    if (from.category === category) { undoable.value = { text, run: () => set(from.category, from.ids) }; say(text); } else offerUndo({ text, run: () => set(from.category, from.ids) });
  } catch (error) {
    feeds.value = before;
    complain(t("feed.unchanged", { title: feed.title, why: error instanceof Error ? error.message : "" }));
  }
}

/** The feeds of a category, as the tree shows them. */
export const feedsOf = (category: number): Feed[] => [...feeds.value.values()].filter((feed) => feed.category_id === category).sort(byPlace);

/** Puts the categories of one level into an order. */
export async function orderCategories(ids: number[]): Promise<void> {
  const before = categories.value;
  categories.value = before.map((category) => ({ ...category, position: ids.includes(category.id) ? ids.indexOf(category.id) : category.position }));
  try { await patch("/api/categories/reorder", ids.map((id, position) => ({ id, position }))); } catch (error) {
    categories.value = before;
    complain(t("category.unmoved", { why: error instanceof Error ? error.message : "" }));
  }
}

export async function nestCategory(category: Category, parent: number | null): Promise<void> {
  const before = categories.value;
  categories.value = before.map((one) => (one.id === category.id ? { ...one, parent_id: parent } : one));
  try {
    await put(`/api/categories/${category.id}`, { parent_id: parent });
    say(t("category.movedTo", { title: category.name, category: parent === null ? t("category.top") : categoryPath(parent) }));
  } catch (error) {
    categories.value = before;
    complain(t("category.unmoved", { why: error instanceof Error ? error.message : "" }));
  }
}

export async function makeCategory(name: string, parent: number | null = null): Promise<Category> {
  const made = await post<Category>("/api/categories", { name, parent_id: parent });
  categories.value = [...categories.value, made];
  return made;
}

export async function renameCategory(category: Category, name: string): Promise<void> {
  const changed = await put<Category>(`/api/categories/${category.id}`, { name });
  categories.value = categories.value.map((one) => (one.id === category.id ? changed : one));
}

export async function deleteCategory(category: Category): Promise<void> {
  const own = [...feeds.value.values()].filter((feed) => feed.category_id === category.id);
  await remove(`/api/categories/${category.id}`);
  await loadLibrary();
  offerUndo({
    text: t("category.deleted", { name: category.name }),
    run: async () => {
      const made = await makeCategory(category.name, category.parent_id ?? null);
      for (const feed of own) await put(`/api/feeds/${feed.id}`, { category_id: made.id });
      await loadLibrary();
    },
  });
}

/** Stops following feeds. Following one again brings back what was read. */
export async function unfollow(list: Feed[]): Promise<void> {
  const gone: Feed[] = [];
  for (const feed of list) {
    try { await remove(`/api/feeds/${feed.id}`); gone.push(feed); } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
  }
  const rest = new Map(feeds.value);
  for (const feed of gone) rest.delete(feed.id);
  feeds.value = rest;
  if (gone.length === 0) return;
  offerUndo({
    text: gone.length === 1 ? t("feed.deleted", { title: gone[0]!.title }) : t("feeds.deleted", { n: gone.length }),
    run: async () => {
      for (const feed of gone) await post("/api/feeds", { url: feed.url, category_id: feed.category_id, title: feed.title === feed.feed_title ? null : feed.title });
      await loadLibrary();
    },
  });
}

export async function enableFeed(feed: Feed): Promise<void> {
  try {
    await post(`/api/feeds/${feed.id}/enable`);
    say(t("feed.enabled", { title: feed.title }));
  } catch (error) { complain(t("feed.unchanged", { title: feed.title, why: error instanceof Error ? error.message : "" })); }
  await refreshFeedBody(feed.id);
}

export async function refreshFeedBody(id: number): Promise<void> {
  await get<Feed>(`/api/feeds/${id}`).then(setFeed, () => undefined);
}
