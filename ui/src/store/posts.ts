// Posts that are on the screen, one signal each, so that a row changes without its list; and what is done to one of them.
// Changes that cannot reach the server wait in localStorage and are sent when it answers again.
import { type Signal, effect, signal } from "@preact/signals";
import type { PostsBody } from "../api.d.ts";
import { ApiError, get, patch, reachable } from "../http.ts";
import { t } from "../i18n.ts";
import type { Post } from "../types.ts";
import { adjust, enriched } from "./library.ts";
import { complain, say } from "./toast.ts";

const known = new Map<number, Signal<Post>>();

/** The signal of a post. */
export function postOf(id: number): Signal<Post> | undefined { return known.get(id); }

/** Remembers posts as the server has them. Those that nobody has seen for long are forgotten. */
export function learn(posts: Post[]): void {
  for (const post of posts) {
    const found = known.get(post.id);
    if (found) { if (changed(found.peek(), post)) found.value = { ...found.peek(), ...post }; known.delete(post.id); known.set(post.id, found); }
    else known.set(post.id, signal(post));
  }
  if (known.size > 6000) for (const id of [...known.keys()].slice(0, known.size - 4000)) known.delete(id);
}

const SHOWN = ["is_read", "is_starred", "title", "calm_title", "framing_score", "excerpt", "one_line_summary", "image", "snippet", "enclosure_kind", "published_at"] as const;
const changed = (a: Post, b: Post): boolean => SHOWN.some((key) => b[key] !== undefined && a[key] !== b[key]);

/** Asks for posts that are known here and of which the server knows more now; many at once. */
const asked = new Set<number>();
let asking = 0;
function askAgain(id: number): void {
  if (!known.has(id)) return;
  asked.add(id);
  // Events can come without end: the first one sets the time.
  if (asking) return;
  asking = window.setTimeout(() => {
    asking = 0;
    const ids = [...asked].slice(-200);
    asked.clear();
    void get<PostsBody>("/api/posts", { ids: ids.join(",") }).then((body) => {
      // Whether they are read is known better here: such a change may be on its way.
      learn((body.posts as Post[]).filter((post) => ids.includes(post.id)).map((post) => { const { is_read, is_starred } = known.get(post.id)?.peek() ?? post; return { ...post, is_read, is_starred }; }));
    }, () => undefined);
  }, 600);
}

function update(id: number, change: Partial<Post>): void {
  const found = known.get(id);
  if (found) found.value = { ...found.peek(), ...change };
}

/** What waits for the server. */
interface Waiting { id: number; kind: "read" | "star"; value: boolean; at: number }
const KEPT = "courant.waiting";
const load = (): Waiting[] => { try { return JSON.parse(localStorage.getItem(KEPT) ?? "[]") as Waiting[]; } catch { return []; } };
export const waiting = signal<Waiting[]>(typeof localStorage === "undefined" ? [] : load());

function keep(list: Waiting[]): void {
  waiting.value = list;
  localStorage.setItem(KEPT, JSON.stringify(list));
}

const body = (kind: Waiting["kind"], value: boolean): Record<string, boolean> => (kind === "read" ? { is_read: value } : { is_starred: value });

async function sendOrKeep(id: number, kind: Waiting["kind"], value: boolean, back: () => void): Promise<boolean> {
  try {
    await patch(`/api/posts/${id}/${kind}`, body(kind, value));
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status === 502 || error.status === 503)) {
      keep([...waiting.value.filter((one) => one.id !== id || one.kind !== kind), { id, kind, value, at: Date.now() }]);
      return true;
    }
    back();
    complain(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/** Sends what waited, in order. */
export async function flush(): Promise<void> {
  while (waiting.value.length) {
    const [first] = waiting.value;
    try { await patch(`/api/posts/${first!.id}/${first!.kind}`, body(first!.kind, first!.value)); } catch (error) {
      if (error instanceof ApiError && (error.status === 0 || error.status >= 500)) return;
      // The post is gone, or may not be changed: nothing to wait for.
    }
    keep(waiting.value.slice(1));
  }
}

export function startFlushing(): void {
  effect(() => { if (reachable.value && waiting.value.length) void flush(); });
  effect(() => { if (enriched.value) askAgain(enriched.value.post_id); });
  addEventListener("online", () => void flush());
  setInterval(() => { if (waiting.value.length) void flush(); }, 15_000);
}

export async function setRead(id: number, read: boolean, quiet = true): Promise<void> {
  const post = known.get(id)?.peek();
  if (!post || post.is_read === read || id < 0) return;
  const set = (value: boolean): void => { update(id, { is_read: value }); adjust(post.feed_id, value ? -1 : 1); };
  set(read);
  if (!quiet) say(read ? t("said.read") : t("said.unread"));
  await sendOrKeep(id, "read", read, () => set(!read));
}

export async function setStarred(id: number, starred: boolean): Promise<void> {
  const post = known.get(id)?.peek();
  if (!post || post.is_starred === starred) return;
  update(id, { is_starred: starred });
  say(starred ? t("said.saved") : t("said.unsaved"));
  if (id > 0) await sendOrKeep(id, "star", starred, () => update(id, { is_starred: !starred }));
}

/** Shows posts as read or unread without telling the server, which knows already. */
export function showRead(ids: Iterable<number>, read: boolean): void {
  for (const id of ids) update(id, { is_read: read });
}

export function forget(): void { known.clear(); }
