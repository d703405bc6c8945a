// The summary of an article, in each of its states. Where summaries are off, no word of it is on the page.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t, type Key } from "../i18n.ts";
import { Keys, Tool } from "../part/control.tsx";
import { Spinner } from "../part/icon.tsx";
import { askSummary, showSummary } from "../store/article.ts";
import type { Whole } from "../types.ts";

const REASONS: Record<string, Key> = { budget: "summary.why.budget", too_short: "summary.why.short", provider: "summary.why.provider", admin: "summary.why.admin" };

export function Summary({ post }: { post: Whole }) {
  const late = useSignal(false);
  const pending = post.summary_status === "pending";
  // A short wait shows nothing: only after 300 ms it is worth a word.
  useEffect(() => { late.value = false; if (!pending) return; const timer = setTimeout(() => { late.value = true; }, 300); return () => clearTimeout(timer); }, [pending, post.id]);
  if (post.summary_status === "off" || !showSummary.value) return null;
  const text = post.summary ?? post.summary_pt;
  if (post.summary_status === "ready" && text) {
    return (
      <section class="summary" aria-label={t("summary")} data-testid="summary-ready">
        {paragraphs(text).map((part, at) => <p key={at}>{part}</p>)}
        <footer><span>{[t("summary.by"), post.summary_model, post.summary_ms ? t("unit.s", { n: Math.max(1, Math.round(post.summary_ms / 1000)) }) : null].filter(Boolean).join(" · ")}</span>
          <button type="button" class="text quiet" onClick={() => { showSummary.value = false; }}>{t("hide")} <Keys of="summary" /></button></footer>
      </section>
    );
  }
  if (pending) {
    return (
      <section class="summary waiting" aria-label={t("summary")} data-testid="summary-pending" aria-busy="true">
        {late.value && <p class="state" role="status"><Spinner />{t("summary.pending")}{post.summary_queue_position ? <span>{t("summary.queue", { n: post.summary_queue_position })}</span> : null}<span class="grow" /><Tool icon="x" size={16} label={t("cancel")} onClick={() => { showSummary.value = false; }} /></p>}
        <i /><i /><i />
      </section>
    );
  }
  const reason = post.summary_reason ?? "";
  const known = REASONS[reason];
  return (
    <section class="summary failed" aria-label={t("summary")} data-testid="summary-failed">
      <p class="state"><span>{t("summary.failed")}</span><span class="why">{known ? t(known) : reason}</span>
        {reason !== "admin" && reason !== "too_short" && <button type="button" class="text" onClick={() => void askSummary()}>{t("retry")}</button>}</p>
    </section>
  );
}

/** The summary is Markdown of the plainest kind: paragraphs and lists become lines. */
const paragraphs = (text: string): string[] => text.split(/\n+/).map((line) => line.replace(/^\s*[-*]\s+/, "• ").replace(/[*_`#]{1,3}/g, "").trim()).filter(Boolean);
