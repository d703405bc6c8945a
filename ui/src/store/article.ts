// The article that is open: its text, which form of it is shown, and when it counts as read.
import { effect, signal, untracked } from "@preact/signals";
import { ApiError, get, getText, post as send } from "../http.ts";
import type { BookmarkBody } from "../api.d.ts";
import { route } from "../router.ts";
import type { Post, Whole } from "../types.ts";
import { postOf, learn, setRead } from "./posts.ts";
import { idAt, selected, total } from "./list.ts";
import { has } from "./server.ts";
import { enriched } from "./library.ts";
import { prefs } from "./settings.ts";
import { complain } from "./toast.ts";

export const article = signal<Whole | null>(null);
export const state = signal<"none" | "loading" | "ready" | "failed" | "missing">("none");
export const problem = signal("");
/** Which text is shown: what the feed says, or what the page says. */
export const form = signal<"feed" | "full">("feed");
export const fullState = signal<"idle" | "loading" | "failed">("idle");
export const showSummary = signal(true);
export const showImages = signal(false);
/** Whether the original headline stands first, if that was swapped here. */
export const swapped = signal(false);
const kept = new Map<number, Whole>();
let generation = 0, timer = 0;

async function fetchWhole(id: number): Promise<Whole> {
  if (id < 0) return fromBookmark(await get<BookmarkBody>(`/api/bookmarks/${-id}`));
  try {
    return await get<Whole>(`/api/posts/${id}`);
  } catch (error) {
    const bookmark = postOf(id)?.peek().bookmark;
    if (bookmark && error instanceof ApiError && error.status === 404) return fromBookmark(bookmark);
    throw error;
  }
}

/** A saved page, or a post that its source has deleted, as an article. */
function fromBookmark(bookmark: BookmarkBody): Whole {
  return {
    id: bookmark.post_id ?? -bookmark.id, feed_id: bookmark.feed_id ?? 0, title: bookmark.title, url: bookmark.url, author: bookmark.author, excerpt: null,
    published_at: bookmark.published_at, fetched_at: bookmark.created_at, sort_date: bookmark.created_at, is_read: true, is_starred: true,
    is_liked: false, is_suggested: false, content: bookmark.content, full_content_status: "none", content_hash: "", reading_minutes: 0,
    feed_title: bookmark.feed_title, tags: bookmark.tags, topics: [], categories: [], enclosures: [], summary_status: "off", bookmark,
  };
}

function keep(whole: Whole): void {
  kept.delete(whole.id);
  kept.set(whole.id, whole);
  if (kept.size > 30) kept.delete(kept.keys().next().value!);
}

async function open(id: number): Promise<void> {
  const mine = ++generation;
  clearTimeout(timer);
  const known = kept.get(id);
  form.value = "feed"; fullState.value = "idle"; showImages.value = false; swapped.value = false; showSummary.value = prefs.value.summary;
  if (known) { article.value = known; settle(known); state.value = "ready"; } else if (article.value?.id !== id) { article.value = null; state.value = "loading"; }
  try {
    const whole = await fetchWhole(id);
    if (mine !== generation) return;
    keep(whole);
    learn([listed(whole)]);
    article.value = whole;
    if (!known) settle(whole);
    state.value = "ready";
    follow(whole, mine, 0);
  } catch (error) {
    if (mine !== generation || known) return;
    state.value = error instanceof ApiError && error.status === 404 ? "missing" : "failed";
    problem.value = error instanceof Error ? error.message : String(error);
  }
}

/** The part that lists have. The list may know better whether it is read: that change may still be on its way. */
function listed(whole: Whole): Post {
  const known = postOf(whole.id)?.peek();
  return { ...whole, is_read: known?.is_read ?? whole.is_read, is_starred: known?.is_starred ?? whole.is_starred };
}

/** Shows the full text where the server fetched it because the feed has little. */
function settle(whole: Whole): void {
  if (whole.full_content && (whole.content ?? "").length * 2 < whole.full_content.length) form.value = "full";
}

/** Asks again while something is being made. */
function follow(whole: Whole, mine: number, tries: number): void {
  const pending = whole.full_content_status === "pending" || whole.summary_status === "pending";
  if (!pending || tries > 20) return;
  timer = window.setTimeout(() => {
    void fetchWhole(whole.id).then((next) => {
      if (mine !== generation) return;
      take(next, whole);
      follow(next, mine, tries + 1);
    }, () => undefined);
  }, Math.min(1000 + tries * 500, 5000));
}

/** Shows what the server knows now about the article that is open. */
function take(next: Whole, before: Whole): void {
  keep(next);
  learn([listed(next)]);
  article.value = next;
  if (next.full_content && !before.full_content) settle(next);
}

export function startArticle(): void {
  effect(() => {
    const entry = route.value.page === "reader" ? route.value.entry : undefined;
    untracked(() => {
      if (entry === undefined) { generation++; article.value = null; state.value = "none"; } else if (entry !== article.value?.id || state.value !== "ready") void open(entry);
    });
  });
  let soon = 0;
  effect(() => {
    const id = enriched.value?.post_id;
    if (id === undefined) return;
    untracked(() => {
      if (article.value?.id !== id) { kept.delete(id); return; }
      // Several kinds of one post often arrive together.
      clearTimeout(soon);
      const mine = generation;
      soon = window.setTimeout(() => { void fetchWhole(id).then((next) => { if (mine === generation && article.value) take(next, article.value); }, () => undefined); }, 250);
    });
  });
}

/** Forgets what is kept: the server answers differently now. */
export function forgetArticles(): void { kept.clear(); }

export function reload(): void { const id = route.value.page === "reader" ? route.value.entry : undefined; if (id !== undefined) { kept.delete(id); void open(id); } }

/** Fetches the next article before it is asked for. */
export function prefetch(): void {
  const id = selected.value + 1 < total.value ? idAt(selected.value + 1) : undefined;
  if (id !== undefined && id > 0 && !kept.has(id)) void fetchWhole(id).then(keep, () => undefined);
}

/** Switches between the text of the feed and that of the page, which is fetched first if need be. */
export async function toggleFull(): Promise<void> {
  const whole = article.value;
  if (!whole) return;
  if (form.value === "full") { form.value = "feed"; return; }
  if (whole.full_content) { form.value = "full"; return; }
  fullState.value = "loading";
  const mine = generation;
  try {
    const html = (await has("/api/posts/{id}/full-text")) ? (await send<Whole>(`/api/posts/${whole.id}/full-text`)).full_content ?? ""
      : whole.url ? await getText("/api/proxy", { url: whole.url }) : "";
    if (mine !== generation) return;
    if (!html) throw new Error("");
    const next = { ...whole, full_content: html, full_content_status: "ready" };
    keep(next);
    article.value = next;
    form.value = "full";
    fullState.value = "idle";
  } catch { if (mine === generation) fullState.value = "failed"; }
}

/** Asks for the summary, again if need be. */
export async function askSummary(): Promise<void> {
  const whole = article.value;
  if (!whole) return;
  const mine = generation;
  showSummary.value = true;
  article.value = { ...whole, summary_status: "pending", summary_reason: null, summary_queue_position: null };
  try { await send(`/api/posts/${whole.id}/summary`); } catch (error) {
    if (mine === generation) article.value = whole;
    complain(error instanceof Error ? error.message : String(error));
    return;
  }
  if (mine === generation) follow({ ...whole, summary_status: "pending" }, mine, 0);
}

/** Marks an open article as read by the user's rule; returns what stops it. */
export function readLater(id: number): () => void {
  const rule = prefs.value.markRead;
  if (rule === "never" || rule === "next") return () => { if (rule === "next") void setRead(id, true); };
  const wait = window.setTimeout(() => void setRead(id, true), rule === "open" ? 0 : 1000);
  return () => clearTimeout(wait);
}
