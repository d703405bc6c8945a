// The summary of an article, in each of its states. Where summaries are off, no word of it is on the page. The place of four lines
// is reserved from the first state that is shown, so that the text below does not move.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { direction } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { Keys, Tool } from "../part/control.tsx";
import { Spinner } from "../part/icon.tsx";
import { askSummary, showSummary } from "../store/article.ts";
import { say } from "../store/toast.ts";
import type { Whole } from "../types.ts";

/** What is said for each reason, and whether asking again can help. */
const REASONS: Record<string, { text: Key; again: boolean }> = {
  budget: { text: "summary.why.budget", again: false }, too_short: { text: "summary.why.short", again: false }, provider: { text: "summary.why.provider", again: true },
  admin: { text: "summary.why.admin", again: false }, private: { text: "summary.why.private", again: false }, waiting: { text: "summary.why.waiting", again: true },
};

/** Who wrote it and how long that took: `AI summary · qwen3-8b · 3 s`. */
export function madeBy(what: string, provider: string | null | undefined, model: string | null | undefined, ms?: number | null): string {
  const where = provider === "local" ? t("by.local") : provider && provider !== "mock" ? t("by.outside") : provider;
  const took = ms == null ? null : t("unit.s", { n: ms < 950 ? Math.max(0.1, Math.round(ms / 100) / 10) : Math.round(ms / 1000) });
  return [what, model, where, took].filter(Boolean).join(" · ");
}

export function Summary({ post }: { post: Whole }) {
  const late = useSignal(0), waited = useRef(0);
  const pending = post.summary_status === "pending";
  if (pending) waited.current = post.id;
  // A short wait shows nothing: after 300 ms it is worth a word, after five seconds a place in the queue.
  useEffect(() => {
    late.value = 0;
    if (!pending) return;
    const timers = [300, 5000].map((wait, at) => setTimeout(() => { late.value = at + 1; }, wait));
    return () => timers.forEach(clearTimeout);
  }, [pending, post.id]);
  useEffect(() => { if (post.summary_status === "ready" && waited.current === post.id) say(t("summary.ready")); }, [post.summary_status]);
  if (post.summary_status === "off" || !showSummary.value) return null;
  const text = post.summary ?? post.summary_pt;
  if (post.summary_status === "ready" && text) {
    return (
      <section class="summary" aria-label={t("summary")} data-testid="summary-ready">
        <div lang={post.summary_language ?? undefined} dir={direction(text)}>{paragraphs(text).map((part, at) => <p key={at}>{part}</p>)}</div>
        <footer><span>{madeBy(t("summary.by"), post.summary_provider, post.summary_model, post.summary_ms)}</span>
          <button type="button" class="text quiet" onClick={() => { showSummary.value = false; }}>{t("hide")} <Keys of="summary" /></button></footer>
      </section>
    );
  }
  const reason = post.summary_reason ?? "", known = REASONS[reason];
  if (pending) {
    const place = post.summary_queue_position, why = place && late.value > 1 ? t("summary.queue", { n: place }) : late.value > 1 && known ? t(known.text) : "";
    return (
      <section class="summary waiting" aria-label={t("summary")} data-testid="summary-pending" aria-busy="true">
        {late.value > 0 && <p class="state" role="status"><Spinner /><span>{t("summary.pending")}</span>{why && <span class="because">{why}</span>}<span class="grow" /><Tool icon="x" size={16} label={t("cancel")} onClick={() => { showSummary.value = false; }} /></p>}
        <i /><i /><i />
      </section>
    );
  }
  return (
    <section class={`summary failed ${waited.current === post.id ? "kept" : ""}`} aria-label={t("summary")} data-testid="summary-failed">
      <p class="state"><span>{t("summary.failed")}</span><span class="because">{known ? t(known.text) : reason}</span>
        {(known?.again ?? true) && <button type="button" class="text" onClick={() => void askSummary()}>{t("retry")}</button>}</p>
      {post.summary_detail && <p class="detail" dir="auto">{post.summary_detail}</p>}
    </section>
  );
}

/** The summary is Markdown of the plainest kind: paragraphs and lists become lines. */
const paragraphs = (text: string): string[] => text.split(/\n+/).map((line) => line.replace(/^\s*[-*]\s+/, "• ").replace(/[*_`#]{1,3}/g, "").trim()).filter(Boolean);
