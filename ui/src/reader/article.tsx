// The right pane: one article, its header, its states and its tools.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { dateTime, direction, host, isCjk, number, time } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { run } from "../keys.ts";
import type { Enclosure } from "../api.d.ts";
import { type Item, Keys, Menu, Tool } from "../part/control.tsx";
import { lazy, loadPages } from "../part/lazy.tsx";
import { Favicon, Icon, Rating, Spinner, levelOf } from "../part/icon.tsx";
import { href } from "../router.ts";
import * as article from "../store/article.ts";
import { categoryPath, feeds } from "../store/library.ts";
import * as list from "../store/list.ts";
import { postOf, setRead, setStarred } from "../store/posts.ts";
import { prefs, setPrefs } from "../store/settings.ts";
import { say } from "../store/toast.ts";
import { activePane, dialog, focusMode, size } from "../store/ui.ts";
import type { Framing, Whole } from "../types.ts";
import { LARGEST, bodyOf, highlight, showHit } from "./body.ts";
import { quoted, words } from "./query.ts";
import { titles } from "./row.tsx";
import { Summary, madeBy } from "./summary.tsx";

export const scroller = (): HTMLElement | null => document.querySelector(".article-scroll");

const Attachments = lazy<{ files: Enclosure[]; title: string }>(() => loadPages().then((pages) => pages.Attachments), true);

/** Shares or copies; the original title and address, never the calm one. */
export async function share(post: Whole): Promise<void> {
  const data = { title: post.title, url: post.url ?? location.href };
  if (navigator.share && matchMedia("(pointer: coarse)").matches) { await navigator.share(data).catch(() => undefined); return; }
  await navigator.clipboard?.writeText(data.url);
  say(t("copied"));
}

/** `alone`: there is no list beside it, so this is the main part of the page. */
export function Article({ alone }: { alone: boolean }) {
  const state = article.state.value, post = article.article.value;
  const progress = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => { if (box.current) box.current.scrollTop = 0; progress.value = 0; }, [post?.id]);
  // Opened long enough, or read a quarter of: then it counts as read.
  useEffect(() => {
    if (!post || post.id < 0) return;
    article.prefetch();
    return article.readLater(post.id);
  }, [post?.id, state]);
  const onScroll = (): void => {
    const shown = box.current!, whole = shown.scrollHeight - shown.clientHeight;
    progress.value = whole > 0 ? shown.scrollTop / whole : 0;
    if (post && prefs.value.markRead === "soon" && progress.value >= 0.25) void setRead(post.id, true);
  };
  if (state === "none") return <section class="article none" aria-label={t("article")} data-testid="article-none"><NoArticle /></section>;
  const Outer = alone ? "main" : "section";
  return (
    <Outer class={`article ${post?.bookmark && !post.content_hash ? "snapshot" : ""}`} aria-label={t("article")} data-testid="article" onFocusCapture={() => { activePane.value = "article"; }}>
      {focusMode.value && <div class="progress" style={{ transform: `scaleX(${progress.value})` }} aria-hidden="true" />}
      <Bar post={post} />
      <div ref={box} class="article-scroll" tabIndex={-1} onScroll={onScroll}>
        {state === "loading" && <ArticleSkeleton />}
        {(state === "failed" || state === "missing") && (
          <div class="article-page"><div class="state-line" data-testid={`article-${state}`}><Icon name={state === "missing" ? "file-x" : "circle-alert"} />
            <span class="grow"><strong>{state === "missing" ? t("article.missing") : t("article.failed")}</strong>{state === "failed" && <span>{article.problem.value}</span>}</span>
            {state === "failed" && <button type="button" class="text" onClick={article.reload}>{t("retry")}</button>}</div></div>
        )}
        {state === "ready" && post && <Page key={post.id} post={post} alone={alone} />}
      </div>
      {size.value === "phone" && post && <Tools post={post} />}
    </Outer>
  );
}

function NoArticle() {
  return (
    <div class="no-article">
      <p>{t("article.none")}</p>
      <p class="hint"><Keys of="next" /> {t("article.none.next")} <Keys of="help" /> {t("article.none.help")}</p>
    </div>
  );
}

function ArticleSkeleton() {
  return <div class="article-page skeleton-article" aria-busy="true" data-testid="article-loading"><i /><b /><b class="short" /><i class="byline" />{Array.from({ length: 6 }, (_, n) => <p key={n} />)}</div>;
}

const position = (): string => { const at = list.selected.value; return at >= 0 ? t("article.at", { n: at + 1, of: list.total.value }) : ""; };

function moreItems(post: Whole): Item[] {
  const feed = feeds.value.get(post.feed_id);
  return [
    { label: article.form.value === "full" ? t("article.feedText") : t("article.fullText"), icon: "file-text", of: "fullText", run: () => void article.toggleFull(), hidden: post.id < 0 },
    { label: post.calm_title ? t("article.swap") : "", icon: "undo-2", of: "headline", run: () => { article.swapped.value = !article.swapped.value; }, hidden: !post.calm_title },
    { label: t("article.tags"), icon: "tag", of: "tags", run: () => { dialog.value = { kind: "tags", id: post.id }; } },
    { label: t("article.share"), icon: "share", run: () => void share(post) },
    { label: t("article.comments"), icon: "message-square", href: post.comments_url ?? "", external: true, hidden: !post.comments_url },
    { label: t("article.text"), icon: "a-large-small", line: true, run: () => { dialog.value = { kind: "text" }; } },
    { label: focusMode.value ? t("focus.leave") : t("focus.enter"), icon: "minimize-2", of: "focusMode", run: () => { focusMode.value = !focusMode.value; } },
    { label: t("print"), icon: "printer", run: () => print() },
    { label: t("filter.mute"), icon: "filter", line: true, href: `/settings/filters?title=${encodeURIComponent(post.title.slice(0, 80))}&feed=${post.feed_id}`, hidden: post.id < 0 },
    { label: t("feed.settings"), icon: "settings-2", of: "feedSettings", run: () => { dialog.value = { kind: "feed", id: post.feed_id }; }, hidden: !feed },
  ];
}

function Bar({ post }: { post: Whole | null }) {
  const narrow = size.value === "narrow" || size.value === "phone";
  const live = post ? postOf(post.id)?.value : undefined;
  const read = live?.is_read ?? true, starred = live?.is_starred ?? post?.is_starred ?? false;
  if (focusMode.value && !narrow) {
    return (
      <div class="article-bar">
        <button type="button" class="leave" onClick={() => { focusMode.value = false; }}><Icon name="minimize-2" />{t("focus.leave")} <Keys of="focusMode" /></button><span class="grow" />
        <Tool icon="a-large-small" label={t("article.text")} onClick={() => { dialog.value = { kind: "text" }; }} />
        {post && <Tool icon="bookmark" label={t("article.save")} of="bookmark" pressed={starred} fill={starred} onClick={() => void setStarred(post.id, !starred)} />}
        {post?.url && <a class="tool" href={post.url} target="_blank" rel="noopener noreferrer" aria-label={t("article.original")} title={t("article.original")}><Icon name="external-link" /></a>}
      </div>
    );
  }
  return (
    <div class="article-bar">
      {narrow ? <a class="back" href={href(list.view.value)}><Icon name="chevron-left" size={20} /><span>{list.viewName.value}</span></a> : <>
        <Tool icon="chevron-up" size={20} label={t("article.previous")} of="previous" onClick={() => run("previous")} disabled={list.selected.value <= 0} />
        <Tool icon="chevron-down" size={20} label={t("article.next")} of="next" onClick={() => run("next")} disabled={list.selected.value >= list.total.value - 1} />
        <span class="where">{position()}</span></>}
      <span class="grow" />
      {post && <>
        {size.value !== "phone" && <Tool icon="circle-dot" label={read ? t("article.markUnread") : t("article.markRead")} of="toggleRead" pressed={!read} onClick={() => void setRead(post.id, !read, false)} />}
        <Tool icon="bookmark" label={starred ? t("article.unsave") : t("article.save")} of="bookmark" pressed={starred} fill={starred} size={size.value === "phone" ? 22 : 18} onClick={() => void setStarred(post.id, !starred)} />
        {size.value !== "phone" && <>
          {size.value === "wide" && <Tool icon="tag" label={t("article.tags")} of="tags" onClick={() => { dialog.value = { kind: "tags", id: post.id }; }} />}
          <Tool icon="align-left" label={article.form.value === "full" ? t("article.feedText") : t("article.fullText")} of="fullText" pressed={article.form.value === "full"} onClick={() => void article.toggleFull()} />
          <Tool icon="a-large-small" label={t("article.text")} onClick={() => { dialog.value = { kind: "text" }; }} />
          {post.url && <a class="tool" href={post.url} target="_blank" rel="noopener noreferrer" aria-label={t("article.original")} title={t("article.original")}><Icon name="external-link" /></a>}
        </>}
        <Menu label={t("more")} items={moreItems(post)} size={size.value === "phone" ? 22 : 18} />
      </>}
    </div>
  );
}

/** On a phone the tools are where the thumb is. */
function Tools({ post }: { post: Whole }) {
  const read = postOf(post.id)?.value.is_read ?? true;
  return (
    <div class="bottom-bar tools" role="toolbar" aria-label={t("article.tools")}>
      <Tool icon="circle-dot" size={22} label={read ? t("article.markUnread") : t("article.markRead")} pressed={!read} onClick={() => void setRead(post.id, !read, false)} />
      <Tool icon="align-left" size={22} label={t("article.fullText")} pressed={article.form.value === "full"} onClick={() => void article.toggleFull()} />
      <Tool icon="a-large-small" size={22} label={t("article.text")} onClick={() => { dialog.value = { kind: "text" }; }} />
      <Tool icon="share" size={22} label={t("article.share")} onClick={() => void share(post)} />
      <button type="button" class="primary next" disabled={list.selected.value >= list.total.value - 1} onClick={() => run("next")}>{t("next")}<Icon name="chevron-down" /></button>
    </div>
  );
}

function Page({ post, alone }: { post: Whole; alone: boolean }) {
  const Title = alone ? "h1" : "h2";
  const feed = feeds.value.get(post.feed_id);
  const source = feed?.title ?? post.feed_title ?? post.bookmark?.feed_title ?? host(post.url);
  const originalFirst = (prefs.value.headline === "original") !== article.swapped.value;
  const { first, second } = titles(post, originalFirst);
  const score = post.framing_score;
  const long = first.length > 500;
  const at = post.published_at ?? post.fetched_at;
  const rated = second;
  return (
    <article class="article-page" lang={post.language ?? feed?.language ?? undefined} dir={direction(first)}>
      <header class="article-head">
        <p class="from" dir="ltr">
          <Favicon feed={feed} title={source} />
          {feed ? <a href={href({ kind: "feed", id: feed.id })} dir="auto">{source}</a> : <span dir="auto">{source}</span>}
          {feed && <span class="in">{t("article.in", { category: categoryPath(feed.category_id) })}</span>}
          {second && <span class="kind">{originalFirst ? t("headline.original") : t("headline.neutral")}</span>}
        </p>
        <Title class={`title ${isCjk(first) ? "cjk" : ""} ${long ? "very-long" : first.length > 120 ? "long" : ""}`}>{long ? `${first.slice(0, 500)}…` : first}</Title>
        {rated && (
          <div class="other-title"><span class="rate">{score != null && !originalFirst && <Rating score={score} />}</span>
            <div><p dir={direction(rated)}>{rated}</p>
              <small>{originalFirst ? madeBy(t("headline.neutral"), post.calm_provider, post.calm_model) : score != null ? t("headline.rated", { level: t(`level.${levelOf(score)}`), score: score.toFixed(2) }) : t("headline.original")} {post.framing && <>· <Why framing={post.framing} /></>}</small></div></div>
        )}
        {post.answer && <blockquote class="answer" dir={direction(post.answer.text)} data-testid="answer"><p>“{post.answer.text}”</p><footer>{t("answer")}</footer></blockquote>}
        <p class="byline" dir="ltr">
          {post.author && <span class="author" dir="auto">{post.author.slice(0, 200)}</span>}
          <time dateTime={at}>{dateTime(at)}</time>
          {post.reading_minutes > 0 && <span>{t("unit.min", { n: post.reading_minutes })}</span>}
          {post.updated_at && <span>{t("article.updated", { at: time(post.updated_at) })}</span>}
          {!second && score != null && <span class="calm-note"><Rating score={score} /> {t("headline.unchanged", { level: t(`level.${levelOf(score)}`), score: score.toFixed(2) })}{post.framing && <> · <Why framing={post.framing} calmReason={post.calm_reason} /></>}</span>}
          {post.comments_url && <a href={post.comments_url} target="_blank" rel="noopener noreferrer">{t("article.comments")}</a>}
        </p>
        <Topics post={post} />
        {post.tags.length > 0 && <p class="tags" dir="ltr">{post.tags.map((tag) => <a key={tag} class="tag" href={href({ kind: "tag", name: tag })}>{tag}</a>)}</p>}
      </header>
      {post.bookmark && !post.content_hash && post.feed_id > 0 && <div class="state-line" data-testid="article-deleted"><Icon name="file-x" /><span class="grow"><strong>{t("article.deleted")}</strong><span>{t("article.deleted.text")}</span></span></div>}
      {post.bookmark?.note && <p class="note-line" dir="auto">{post.bookmark.note}</p>}
      <Summary post={post} />
      {post.enclosures.length > 0 && <Attachments files={post.enclosures} title={post.title} />}
      <FullLine post={post} />
      <Body post={post} level={alone ? 2 : 3} />
      <footer class="article-end">
        {post.url && <a class="text with-icon" href={post.url} target="_blank" rel="noopener noreferrer">{t("article.readAt", { host: host(post.url) })}<Icon name="external-link" size={15} /></a>}
        {size.value !== "phone" && <button type="button" class="text with-icon" onClick={() => run("nextUnread")}>{t("article.nextUnread")}<Icon name="arrow-down" size={15} /></button>}
      </footer>
      <p class="print-foot" aria-hidden="true"><span>{post.url}</span><span>{t("print.from")}</span></p>
    </article>
  );
}

const WhyBox = lazy<{ framing: Framing; calmReason?: string | null; onClose: () => void }>(() => loadPages().then((pages) => pages.WhyBox), true);

function Why({ framing, calmReason }: { framing: Framing; calmReason?: string | null }) {
  const open = useSignal(false);
  return (
    <span class="why">
      <button type="button" class="text" aria-expanded={open.value} onClick={() => { open.value = !open.value; }}>{t("why")}</button>
      {open.value && <WhyBox framing={framing} calmReason={calmReason} onClose={() => { open.value = false; }} />}
    </span>
  );
}

/** What the language part found in the article: its category, topics and tone. */
function Topics({ post }: { post: Whole }) {
  const topics = post.topics ?? [], tone = post.sentiment?.label;
  if (topics.length === 0 && !post.ai_category && !tone) return null;
  return (
    <p class="topics" dir="ltr" data-testid="topics">
      {post.ai_category && <span>{post.ai_category}</span>}
      {topics.slice(0, 6).map((topic) => <a key={topic} dir="auto" href={href({ kind: "search", q: quoted(topic) })}>{topic}</a>)}
      {tone && <span>{t("tone", { tone: TONES[tone] ? t(TONES[tone]) : tone })}</span>}
    </p>
  );
}
const TONES: Record<string, Key> = { positive: "tone.positive", negative: "tone.negative", neutral: "tone.neutral", mixed: "tone.mixed" };

/** What is being done about the full text. */
function FullLine({ post }: { post: Whole }) {
  const state = article.fullState.value;
  if (state === "loading" || (post.full_content_status === "pending" && !(post.content ?? "").trim())) return <div class="state-line" role="status"><Spinner /><span>{t("full.loading")}</span></div>;
  if (state === "failed") return <div class="state-line" role="status" data-testid="full-failed"><Icon name="circle-alert" size={16} /><span class="grow">{t("full.failed")}</span>{post.url && <a class="text" href={post.url} target="_blank" rel="noopener noreferrer">{t("article.original")}</a>}</div>;
  if (article.form.value === "full" && (post.content ?? "").trim()) return <div class="state-line slim"><Icon name="file-text" size={16} /><span class="grow">{t("full.shown")}</span><button type="button" class="text" onClick={() => void article.toggleFull()}>{t("full.back")}</button></div>;
  return null;
}

function Body({ post, level }: { post: Whole; level: number }) {
  const box = useRef<HTMLDivElement>(null);
  const waiting = useSignal(0), hits = useSignal(0), ranges = useRef<Range[]>([]), at = useSignal(-1);
  const html = (article.form.value === "full" ? post.full_content : post.content) ?? post.content ?? post.full_content ?? "";
  const large = html.length > LARGEST;
  const images = article.showImages.value ? "show" : prefs.value.images;
  const looked = list.view.value.kind === "search" ? words(list.view.value.q ?? "") : [];
  useLayoutEffect(() => {
    const shown = box.current!;
    const { content, waiting: n } = bodyOf(large ? html.slice(0, 60_000) : html, { images, links: prefs.value.openLinks, blocked, labels: { table: t("article.table"), code: t("article.code") }, level });
    dropTitle(content, post.title);
    shown.replaceChildren(content);
    footnotes(shown);
    waiting.value = n;
    ranges.current = highlight(shown, looked);
    hits.value = ranges.current.length;
    at.value = -1;
  }, [html, images, prefs.value.openLinks, level]);
  useSignalEffect(() => { if (hits.value && looked.length) say(t("search.inArticle", { n: hits.value })); });
  const go = (by: 1 | -1): void => { const next = at.value < 0 ? (by > 0 ? 0 : hits.value - 1) : at.value + by; at.value = showHit(ranges.current, next, scroller()) - 1; };
  if (!html.trim()) {
    return <div class="state-line" data-testid="article-empty"><Icon name="file-text" size={16} /><span class="grow">{t("article.empty")}</span>{post.url && <a class="text" href={post.url} target="_blank" rel="noopener noreferrer">{t("article.original")}</a>}<div hidden ref={box} /></div>;
  }
  return (
    <>
      {waiting.value > 0 && (
        <div class="state-line slim" data-testid="images-wait"><Icon name="image-off" size={16} /><span class="grow">{t("images.wait", { n: waiting.value })}</span>
          <button type="button" class="text" onClick={() => { article.showImages.value = true; }}>{t("images.show")}</button>
          <button type="button" class="text" onClick={() => setPrefs({ images: "show" })}>{t("images.always")}</button></div>
      )}
      {hits.value > 0 && looked.length > 0 && (
        <div class="matches" data-testid="matches"><span>{at.value < 0 ? t("search.inArticle", { n: hits.value }) : t("search.match", { n: at.value + 1, of: hits.value })}</span>
          <Tool icon="chevron-up" size={16} label={t("search.previousMatch")} onClick={() => go(-1)} /><Tool icon="chevron-down" size={16} label={t("search.nextMatch")} onClick={() => go(1)} /></div>
      )}
      <div ref={box} class={`body ${large ? "fades" : ""}`} data-testid="body" />
      {large && <div class="too-large" data-testid="too-large"><h3>{t("large.title")}</h3><p>{t("large.text", { size: number(Math.round(html.length / 1e5) / 10) })}</p>{post.url && <a class="primary" href={post.url} target="_blank" rel="noopener noreferrer">{t("article.original")}<Icon name="external-link" size={16} /></a>}</div>}
    </>
  );
}

/** A picture that waits for the user. */
function blocked(alt: string, from: string): HTMLElement {
  const field = document.createElement("button");
  field.type = "button";
  field.className = "blocked-image";
  const words = document.createElement("span"), name = document.createElement("b"), where = document.createElement("small"), show = document.createElement("em");
  name.textContent = alt || t("images.noAlt");
  where.textContent = t("images.from", { host: from });
  show.textContent = t("images.one");
  words.append(name, where);
  field.append(words, show);
  return field;
}

/** Many feeds repeat the title as the first heading. */
function dropTitle(content: DocumentFragment, title: string): void {
  const first = content.querySelector("h2, h3");
  if (first && first.textContent?.trim() === title.trim() && !first.previousElementSibling) first.remove();
}

/** Addresses of links, numbered, for print only. */
function footnotes(body: HTMLElement): void {
  const links = [...body.querySelectorAll<HTMLAnchorElement>("a[href^=http]")].slice(0, 60);
  if (links.length === 0) return;
  const notes = document.createElement("ol");
  notes.className = "footnotes";
  links.forEach((link, at) => {
    link.dataset.note = String(at + 1);
    const note = document.createElement("li");
    note.textContent = link.href.replace(/^https?:\/\/(www\.)?/, "");
    notes.append(note);
  });
  body.append(notes);
}
