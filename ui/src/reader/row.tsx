// One row of a list, in three densities. The title is a heading and a link, so that screen readers can jump from title to title.
import type { Component } from "preact";
import { useRef } from "preact/hooks";
import { direction, host, isCjk, time, when } from "../format.ts";
import { t } from "../i18n.ts";
import { Check } from "../part/control.tsx";
import { Favicon, Icon, Rating } from "../part/icon.tsx";
import { type View, href } from "../router.ts";
import { feeds } from "../store/library.ts";
import { chosen } from "../store/list.ts";
import { postOf, setRead, setStarred } from "../store/posts.ts";
import { type Density, prefs } from "../store/settings.ts";
import type { Post } from "../types.ts";
import { cutSpans } from "./query.ts";

/** The title that stands first, and the one under it. */
export function titles(post: Pick<Post, "title" | "calm_title">, originalFirst: boolean): { first: string; second: string | null } {
  const title = set(post.title.trim()) || t("untitled");
  if (!post.calm_title || post.calm_title === post.title) return { first: title, second: null };
  const calm = set(post.calm_title);
  return originalFirst ? { first: title, second: calm } : { first: calm, second: title };
}

/** A number keeps its sign: no line break before %, and none between a number and its unit. */
const set = (text: string): string => text.replace(/(\d) (%|€|°|km|kg|GB|MB|ms)(?![\w])/g, "$1\u00a0$2");

const TOUCH = typeof navigator !== "undefined" && navigator.maxTouchPoints > 0;

/** Very long titles are cut before they reach the page: nobody reads the rest of them in a row. */
const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

const marked = (parts: (string | { hit: string })[]) => parts.map((part, n) => (typeof part === "string" ? part : <mark key={n}>{part.hit}</mark>));

interface Props { level: 2 | 3; id: number; index: number; total: number; view: View; density: Density; selected: boolean; stop: boolean; open: (index: number) => void; top?: number; marks?: (text: string) => (string | { hit: string })[] }

/** Draws again only when something about it has changed; the post itself is a signal. */
export function Row(this: Component<Props>, props: Props) {
  this.shouldComponentUpdate = (next) => KEPT.some((key) => next[key] !== this.props[key]);
  return <Drawn {...props} />;
}
const KEPT = ["id", "index", "total", "view", "density", "selected", "stop", "top", "marks", "level"] as const;

function Drawn({ level, id, index, total, view, density, selected, stop, open, top, marks }: Props) {
  const post = postOf(id)?.value;
  const start = useRef<{ x: number; y: number; dx: number; on: boolean } | null>(null);
  const item = useRef<HTMLLIElement>(null);
  const style = top === undefined ? undefined : { transform: `translateY(${top}px)` };
  if (!post) return <li class={`row ${density} blank`} style={style} aria-hidden="true" />;
  const feed = feeds.value.get(post.feed_id);
  const source = feed?.title ?? post.bookmark?.feed_title ?? host(post.url);
  const { first, second } = titles(post, prefs.value.headline === "original");
  const score = post.framing_score;
  const at = post.sort_date ?? post.published_at ?? post.fetched_at;
  const stamp = view.kind === "history" && post.read_at ? time(post.read_at) : when(at);
  const pictured = density === "cards" && prefs.value.images === "show" && /^https?:/.test(post.image ?? "") ? post.image : null;
  // A card without a picture shows some of the text instead.
  const lines = density === "cards" && !pictured ? Math.max(2, prefs.value.preview) : prefs.value.preview;
  const preview = lines > 0 && density !== "compact" ? post.one_line_summary ?? post.excerpt : null;
  const snippet = view.kind === "search" ? post.snippet ?? post.excerpt : null;
  const loud = prefs.value.headline === "original" ? null : score;
  const picking = chosen.value.size > 0, log = view.kind === "history" && density === "compact";

  const onPointerDown = (event: PointerEvent): void => { if (event.pointerType === "touch") start.current = { x: event.clientX, y: event.clientY, dx: 0, on: false }; };
  const onPointerMove = (event: PointerEvent): void => {
    const from = start.current, box = item.current;
    if (!from || !box) return;
    const dx = event.clientX - from.x, dy = event.clientY - from.y;
    if (!from.on && (Math.abs(dx) < 12 || Math.abs(dx) < Math.abs(dy) * 1.4)) return;
    from.on = true; from.dx = Math.max(-140, Math.min(140, dx));
    box.style.setProperty("--swipe", `${from.dx}px`);
    box.dataset.swipe = from.dx > 0 ? (from.dx > 72 ? "right-on" : "right") : from.dx < -72 ? "left-on" : "left";
  };
  const onPointerUp = (): void => {
    const from = start.current, box = item.current;
    start.current = null;
    if (!from?.on || !box) return;
    box.style.removeProperty("--swipe");
    delete box.dataset.swipe;
    if (Math.abs(from.dx) > 72) act(prefs.value.swipe[from.dx > 0 ? "right" : "left"], post);
    addEventListener("click", (event) => { event.preventDefault(); event.stopPropagation(); }, { capture: true, once: true });
  };

  const Heading = level === 2 ? "h2" : "h3";
  const title = (
    <Heading class="row-title" dir={direction(first)} lang={post.language ?? feed?.language ?? undefined}>
      <a data-row href={href(view, id)} tabIndex={stop ? 0 : -1} aria-current={selected ? "true" : undefined} class={isCjk(first) ? "cjk" : ""}>
        {marks ? marked(first === post.title && post.title_highlights && first.length <= 300 ? cutSpans(first, post.title_highlights) : marks(cut(first))) : cut(first)}
        {!post.is_read && <span class="hidden">{t("row.unread")}</span>}
      </a>
    </Heading>
  );
  const original = second && <p class="original" dir={direction(second)}>{score != null && prefs.value.headline === "calm" && <Rating score={score} />}<span>{cut(second)}</span></p>;
  const kind = post.enclosure_kind === "audio" ? "play" : post.enclosure_kind === "video" ? "play" : null;

  return (
    <li
      ref={item} data-id={id} aria-posinset={index + 1} aria-setsize={total} style={style}
      class={`row ${density} ${post.is_read ? "read" : "unread"} ${selected ? "selected" : ""} ${second ? "two" : ""} ${pictured ? "with-image" : ""} ${picking ? "picking" : ""} ${preview && !second && !snippet ? `has${lines}` : ""}`}
      onClick={(event) => { if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || (event.target as Element).closest(".check, button")) return; event.preventDefault(); open(index); }}
      onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={onPointerUp} onPointerCancel={onPointerUp}>
      {TOUCH && <><span class="swipe right" aria-hidden="true"><Icon name="check" />{t("swipe.read")}</span>
        <span class="swipe left" aria-hidden="true">{t("swipe.bookmark")}<Icon name="bookmark" /></span></>}
      <div class="row-inner">
        {!post.is_read && <span class="dot" aria-hidden="true" />}
        {picking && <Check label={t("choose")} checked={chosen.value.has(id)} onChange={(on) => { const next = new Set(chosen.value); if (on) next.add(id); else next.delete(id); chosen.value = next; }} />}
        <div class="meta">
          <Favicon feed={feed} title={source} /><span class="source" dir="auto">{source}</span>
          {view.kind === "search" && loud != null && <Rating score={loud} />}
          {post.is_starred && view.kind !== "bookmarks" && <span class="starred"><Icon name="bookmark" size={13} fill /><span class="hidden">{t("row.saved")}</span></span>}
          {kind && <Icon name={kind} size={13} />}
          <time dateTime={at}>{stamp}</time>
        </div>
        {title}
        {density === "compact" ? (second && !log && <p class="original inline" dir={direction(second)}><span>{cut(second)}</span></p>) : !snippet && original}
        {log && <span class="log-note">{post.is_starred && <><Icon name="bookmark" size={13} fill />{t("said.saved").toLowerCase()}</>}<span dir="auto">{source}</span></span>}
        {density === "compact" && <span class="compact-end">{!log && loud != null && loud >= 0.3 && <Rating score={loud} />}<time dateTime={at}>{stamp}</time></span>}
        {snippet && <p class="preview lines2" dir={direction(snippet)}>{marks ? marked(post.snippet && post.highlights ? cutSpans(snippet, post.highlights) : marks(snippet.slice(0, 400))) : snippet.slice(0, 400)}</p>}
        {!snippet && preview && !second && <p class={`preview lines${lines}`} dir={direction(preview)}>{preview.slice(0, 400)}</p>}
        {pictured && <img class="thumb" src={pictured.replace(/^http:/, "https:")} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" onError={(event) => { event.currentTarget.hidden = true; }} />}
      </div>
    </li>
  );
}

function act(what: string, post: Post): void {
  if (what === "read") void setRead(post.id, !post.is_read, false);
  if (what === "bookmark") void setStarred(post.id, !post.is_starred);
}
