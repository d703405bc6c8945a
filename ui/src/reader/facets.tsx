// What narrows a search, in the tree's place: state, category, feed, month, author. The server counts categories, feeds and months
// over all hits; state and author are counted here, and only shown with numbers where all hits were looked at.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError, get } from "../http.ts";
import type { SearchBody } from "../api.d.ts";
import { monthName, number } from "../format.ts";
import { t } from "../i18n.ts";
import { Check } from "../part/control.tsx";
import { Favicon, Icon, Wordmark } from "../part/icon.tsx";
import { href } from "../router.ts";
import { categories, categoryPath, feeds } from "../store/library.ts";
import * as list from "../store/list.ts";
import type { Facets as Counted, Post } from "../types.ts";
import { has, toggle, without } from "./query.ts";
import { setQuery } from "./search.tsx";

interface Sample { posts: Post[]; complete: boolean; counted?: Counted }
const NOTHING: Sample = { posts: [], complete: true };

function useSample(query: string): Sample {
  const sample = useSignal(NOTHING);
  useEffect(() => {
    let live = true;
    if (!query.trim()) { sample.value = NOTHING; return; }
    const ask = (facets: boolean): Promise<SearchBody & { facets?: Counted }> => get("/api/search", { q: query, limit: 200, facets });
    // A server that does not count refuses the word.
    ask(true).catch((error: unknown) => { if (error instanceof ApiError && (error.status === 422 || error.status === 400)) return ask(false); throw error; })
      .then((body) => { if (live) sample.value = { posts: body.posts as Post[], complete: !body.has_more, counted: body.facets }; }, () => undefined);
    return () => { live = false; };
  }, [query]);
  return sample.value;
}

const tally = <T,>(items: T[]): Map<T, number> => items.reduce((all, item) => all.set(item, (all.get(item) ?? 0) + 1), new Map<T, number>());
const most = <T,>(counts: Map<T, number>): [T, number][] => [...counts].sort((a, b) => b[1] - a[1]);

/** The months from the first to the last with a hit, at most `limit` of them, with zeros between. */
export function fillMonths(months: { month: string; count: number }[], limit = 13): { month: string; count: number }[] {
  const sorted = [...months].sort((a, b) => (a.month < b.month ? -1 : 1)), last = sorted[sorted.length - 1], first = sorted[0];
  if (!first || !last) return [];
  const counts = new Map(sorted.map(({ month, count }) => [month, count]));
  const found: { month: string; count: number }[] = [];
  let [year = 0, month = 1] = last.month.split("-").map(Number);
  while (found.length < limit) {
    const name = `${year}-${String(month).padStart(2, "0")}`;
    found.unshift({ month: name, count: counts.get(name) ?? 0 });
    if (name <= first.month) break;
    if (--month === 0) { month = 12; year--; }
  }
  return found;
}

export function Facets({ edge }: { edge?: ComponentChildren }) {
  const query = list.view.value.q ?? "", all = useSignal(false);
  const { posts, complete, counted } = useSample(query);
  const line = (key: string, value: string, label: string, n: number | null, icon?: ComponentChildren) => (
    <li key={`${key}${value}`}><Check label={label} checked={has(query, key, value)} onChange={() => setQuery(toggle(query, key, value))}>{icon}<span class="name" dir="auto">{label}</span>{n !== null && <span class="n">{number(n)}</span>}</Check></li>
  );
  const own = (n: number): number | null => (complete ? n : null);
  const inCategories: [number, number | null][] = counted ? counted.categories.map(({ id, count }) => [id, count]) : most(tally(posts.map((post) => feeds.value.get(post.feed_id)?.category_id ?? 0))).map(([id, n]) => [id, own(n)]);
  const inFeeds: [number, number | null][] = counted ? counted.feeds.map(({ id, count }) => [id, count]) : most(tally(posts.map((post) => post.feed_id))).map(([id, n]) => [id, own(n)]);
  const shownCategories = inCategories.filter(([id]) => categories.value.some((one) => one.id === id)).slice(0, 6);
  const chosenCategories = categories.value.filter((one) => has(query, "in", one.name) && !shownCategories.some(([id]) => id === one.id));
  const months = counted?.months ?? (complete ? [...tally(posts.map((post) => post.sort_date.slice(0, 7)))].map(([month, count]) => ({ month, count })) : []);
  const visible = inFeeds.filter(([id]) => feeds.value.has(id)), cut = all.value ? visible : visible.slice(0, 5);
  return (
    <nav class="tree facets" aria-label={t("search.facets")} data-testid="facets">
      <div class="tree-head"><Wordmark /><a class="tool" href="/r/unread" aria-label={t("tree.show")} title={t("tree.show")}><Icon name="folder-tree" /></a></div>
      <div class="tree-rows">
        <h2>{t("facet.state")}</h2>
        <ul>
          {line("is", "unread", t("facet.unread"), own(posts.filter((post) => !post.is_read).length))}
          {line("is", "saved", t("facet.saved"), own(posts.filter((post) => post.is_starred).length))}
          {line("is", "read", t("facet.read"), own(posts.filter((post) => post.is_read).length))}
        </ul>
        {(shownCategories.length > 0 || chosenCategories.length > 0) && <><h2>{t("view.category")}</h2><ul>
          {shownCategories.map(([id, n]) => line("in", categories.value.find((one) => one.id === id)!.name, categoryPath(id), n))}
          {chosenCategories.map((one) => line("in", one.name, one.name, null))}
        </ul></>}
        {cut.length > 0 && <><h2>{t("view.feed")}</h2><ul>
          {cut.map(([id, n]) => { const feed = feeds.value.get(id)!; return line("feed", feed.title, feed.title, n, <Favicon feed={feed} />); })}
          {visible.length > cut.length && <li><button type="button" class="text facet-more" onClick={() => { all.value = true; }}>{t("facet.more", { n: visible.length - cut.length })}</button></li>}
        </ul></>}
        {months.length > 1 && <Months months={fillMonths(months)} query={query} />}
        {posts.some((post) => post.author) && <><h2>{t("facet.author")}</h2><ul>
          {most(tally(posts.flatMap((post) => (post.author ? [post.author] : [])))).slice(0, 5).map(([name, n]) => line("author", name, name, own(n)))}
        </ul></>}
        {list.foundFeeds.value.length > 0 && <><h2>{t("facet.feeds")}</h2><ul>{list.foundFeeds.value.slice(0, 5).map((found) => (
          <li key={found.id}><a class="facet-link" href={href({ kind: "feed", id: found.id })}><Favicon feed={feeds.value.get(found.id)} title={found.title} /><span class="name">{found.title}</span></a></li>
        ))}</ul></>}
      </div>
      {edge}
    </nav>
  );
}

const after = (month: string): string => { const [year = 0, at = 1] = month.split("-").map(Number); return at === 12 ? `${year + 1}-01` : `${year}-${String(at + 1).padStart(2, "0")}`; };

/** When the hits were published, a bar for each month; those of the last quarter stand out. */
function Months({ months, query }: { months: { month: string; count: number }[]; query: string }) {
  const high = Math.max(1, ...months.map((one) => one.count));
  const [first, last] = [months[0]!.month, months[months.length - 1]!.month];
  return (
    <>
      <h2>{t("facet.published")}</h2>
      <div class="months">
        {months.map(({ month, count }) => {
          const label = `${monthName(`${month}-15`)}: ${number(count)}`, on = has(query, "after", month);
          return <button type="button" key={month} class={on ? "on" : ""} aria-pressed={on} title={label} aria-label={label} onClick={() => setQuery(on ? without(query, ["after", "before"]) : `${without(query, ["after", "before"])} after:${month} before:${after(month)}`)}><i style={{ height: `${Math.max(2, (count / high) * 38)}px` }} /></button>;
        })}
      </div>
      <p class="months-span"><span>{monthName(`${first}-15`)}</span><span>{monthName(`${last}-15`)}</span></p>
    </>
  );
}
