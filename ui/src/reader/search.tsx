// Search: the field with its chips, and the facets that stand in the tree's place. Facets are counted over what was found, and
// only shown with numbers where all of it was looked at.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get } from "../http.ts";
import type { SearchBody } from "../api.d.ts";
import { number, shortDate } from "../format.ts";
import { t } from "../i18n.ts";
import { Check } from "../part/control.tsx";
import { Favicon, Icon, Wordmark } from "../part/icon.tsx";
import { go, href } from "../router.ts";
import { categories, categoryPath, feeds } from "../store/library.ts";
import * as list from "../store/list.ts";
import { dialog } from "../store/ui.ts";
import type { Post } from "../types.ts";
import { cutAt, has, parts, quoted, toggle, without, words } from "./query.ts";

export const marker = (query: string): ((text: string) => (string | { hit: string })[]) => { const looked = words(query); return (text) => cutAt(text, looked); };

const setQuery = (q: string, how: "push" | "replace" = "replace"): void => go(href({ kind: "search", q: q.trim() }), how);

export function SearchHead() {
  const query = list.view.value.q ?? "";
  const field = useRef<HTMLInputElement>(null);
  const tokens = parts(query).filter((part) => part.key);
  const typed = useSignal(without(query, ["in", "feed", "is", "before", "after", "author"]));
  const timer = useRef(0);
  useEffect(() => { if (!matchMedia("(pointer: coarse)").matches || !query) field.current?.focus(); }, []);
  useEffect(() => {
    const rest = without(query, ["in", "feed", "is", "before", "after", "author"]);
    if (rest !== typed.peek().trim()) typed.value = rest;
  }, [query]);
  const submit = (text: string): void => setQuery([...tokens.map((token) => token.text), text].join(" "));
  const narrow = tokens.some((token) => token.key === "in" || token.key === "feed");
  return (
    <header class="search-head">
      <h1 class="hidden">{t("search")}</h1>
      <form role="search" class="search-field" onSubmit={(event) => { event.preventDefault(); clearTimeout(timer.current); submit(typed.value); document.querySelector<HTMLElement>(".rows a")?.focus(); }}>
        <Icon name="search" />
        {tokens.map((token) => (
          <span class="token" key={token.text}><b>{token.minus && "-"}{token.key}:</b>{token.value}
            <button type="button" aria-label={t("search.remove", { token: token.text })} onClick={() => setQuery(parts(query).filter((part) => part.text !== token.text).map((part) => part.text).join(" "))}><Icon name="x" size={13} /></button></span>
        ))}
        <input ref={field} type="search" aria-label={t("search.label")} placeholder={t("search.placeholder")} value={typed.value} autocomplete="off" spellcheck={false}
          onInput={(event) => { typed.value = event.currentTarget.value; clearTimeout(timer.current); timer.current = window.setTimeout(() => submit(typed.peek()), 250); }}
          onKeyDown={(event) => {
            if (event.key === "Escape") { event.preventDefault(); if (typed.value || tokens.length) setQuery(""); else history.length > 1 ? history.back() : go("/r/unread"); typed.value = ""; }
            if (event.key === "Backspace" && !typed.value && tokens.length) setQuery(tokens.slice(0, -1).map((token) => token.text).join(" "));
            if (event.key === "ArrowDown") { event.preventDefault(); document.querySelector<HTMLElement>(".rows a")?.focus(); }
          }} />
        <kbd>Esc</kbd>
      </form>
      <div class="search-line" aria-live="polite">
        <span data-testid="search-count">{query.trim() && list.state.value === "ready" ? t(list.atLeast.value ? "search.resultsMany" : "search.results", { n: list.total.value }) : ""}</span>
        {narrow && <button type="button" class="text" onClick={() => setQuery(without(query, ["in", "feed"]))}>{t("search.everywhere")}</button>}
        <span class="grow" />
        {query.trim() && <button type="button" class="text with-icon" onClick={() => { dialog.value = { kind: "saveSearch", query }; }}><Icon name="bookmark-plus" size={16} />{t("search.save")}</button>}
      </div>
      {list.problems.value.length > 0 && <p class="search-problem" role="status">{list.problems.value.join(". ")}</p>}
    </header>
  );
}

/** The posts that facets are counted over. */
function useSample(query: string): { posts: Post[]; complete: boolean } {
  const sample = useSignal<{ posts: Post[]; complete: boolean }>({ posts: [], complete: true });
  useEffect(() => {
    let live = true;
    if (!query.trim()) { sample.value = { posts: [], complete: true }; return; }
    get<SearchBody>("/api/search", { q: query, limit: 200 }).then((body) => { if (live) sample.value = { posts: body.posts, complete: !body.has_more }; }, () => undefined);
    return () => { live = false; };
  }, [query]);
  return sample.value;
}

const tally = <T,>(items: T[]): Map<T, number> => items.reduce((all, item) => all.set(item, (all.get(item) ?? 0) + 1), new Map<T, number>());
const most = <T,>(counts: Map<T, number>, n: number): [T, number][] => [...counts].sort((a, b) => b[1] - a[1]).slice(0, n);

export function Facets({ edge }: { edge?: preact.ComponentChildren }) {
  const query = list.view.value.q ?? "";
  // Facets count without what they would narrow, so that a second choice is possible.
  const { posts, complete } = useSample(query);
  const show = (n: number): string => (complete ? number(n) : "");
  const inCategory = tally(posts.map((post) => feeds.value.get(post.feed_id)?.category_id ?? 0));
  const line = (key: string, value: string, label: string, n: number | null, icon?: preact.ComponentChildren) => (
    <li key={`${key}${value}`}><Check label={label} checked={has(query, key, value)} onChange={() => setQuery(toggle(query, key, value))}>{icon}<span class="name" dir="auto">{label}</span>{n !== null && <span class="n">{show(n)}</span>}</Check></li>
  );
  const shownCategories = most(inCategory, 6).filter(([id]) => categories.value.some((one) => one.id === id));
  const chosenCategories = categories.value.filter((one) => has(query, "in", one.name) && !shownCategories.some(([id]) => id === one.id));
  return (
    <nav class="tree facets" aria-label={t("search.facets")}>
      <div class="tree-head"><Wordmark /><a class="tool" href="/r/unread" aria-label={t("tree.show")} title={t("tree.show")}><Icon name="folder-tree" /></a></div>
      <div class="tree-rows">
        <h2>{t("facet.state")}</h2>
        <ul>
          {line("is", "unread", t("facet.unread"), posts.filter((post) => !post.is_read).length)}
          {line("is", "saved", t("facet.saved"), posts.filter((post) => post.is_starred).length)}
          {line("is", "read", t("facet.read"), posts.filter((post) => post.is_read).length)}
        </ul>
        {(shownCategories.length > 0 || chosenCategories.length > 0) && <><h2>{t("view.category")}</h2><ul>
          {shownCategories.map(([id, n]) => line("in", categories.value.find((one) => one.id === id)!.name, categoryPath(id), n))}
          {chosenCategories.map((one) => line("in", one.name, one.name, null))}
        </ul></>}
        {posts.length > 0 && <><h2>{t("view.feed")}</h2><ul>
          {most(tally(posts.map((post) => post.feed_id)), 8).map(([id, n]) => { const feed = feeds.value.get(id); return feed ? line("feed", feed.title, feed.title, n, <Favicon feed={feed} />) : null; })}
        </ul></>}
        {posts.length > 3 && complete && <Months posts={posts} query={query} />}
        {posts.some((post) => post.author) && <><h2>{t("facet.author")}</h2><ul>
          {most(tally(posts.flatMap((post) => (post.author ? [post.author] : []))), 5).map(([name, n]) => line("author", name, name, n))}
        </ul></>}
        {list.foundFeeds.value.length > 0 && <><h2>{t("facet.feeds")}</h2><ul>{list.foundFeeds.value.slice(0, 5).map((found) => {
          const id = (found as unknown as { id: number }).id;
          return <li key={id}><a class="facet-link" href={href({ kind: "feed", id })}><Favicon feed={feeds.value.get(id)} title={found.title ?? ""} /><span class="name">{found.title}</span></a></li>;
        })}</ul></>}
      </div>
      {edge}
    </nav>
  );
}

/** When the hits were published, as eight bars over their span. */
function Months({ posts, query }: { posts: Post[]; query: string }) {
  const times = posts.map((post) => new Date(post.sort_date).getTime());
  const first = Math.min(...times), last = Math.max(...times), step = (last - first) / 8 || 1;
  const bars = Array.from({ length: 8 }, (_, n) => times.filter((at) => Math.min(7, Math.floor((at - first) / step)) === n).length);
  const high = Math.max(...bars);
  return (
    <>
      <h2>{t("facet.published")}</h2>
      <div class="months">
        {bars.map((n, at) => {
          const from = new Date(first + at * step).toISOString().slice(0, 10), to = new Date(first + (at + 1) * step + 86400_000).toISOString().slice(0, 10);
          return <button type="button" key={at} title={`${shortDate(first + at * step)}: ${n}`} aria-label={`${shortDate(first + at * step)}: ${n}`} onClick={() => setQuery(`${without(query, ["after", "before"])} after:${from} before:${to}`)}><i style={{ height: `${Math.max(2, (n / high) * 38)}px` }} /></button>;
        })}
      </div>
      <p class="months-span"><span>{shortDate(first)}</span><span>{shortDate(last)}</span></p>
    </>
  );
}

/** Searches inside what is open. */
export const searchIn = (): string => {
  const view = list.view.value;
  if (view.kind === "category") return `in:${quoted(categories.value.find((one) => one.id === view.id)?.name ?? "")} `;
  if (view.kind === "feed") return `feed:${quoted(feeds.value.get(view.id ?? -1)?.title ?? "")} `;
  return "";
};

