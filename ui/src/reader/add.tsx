// Add a feed: an address, what was found there, a category. Title, field and foot stay where they are; only the middle changes.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ApiError, post } from "../http.ts";
import type { FoundFeed } from "../api.d.ts";
import { host, when } from "../format.ts";
import { t } from "../i18n.ts";
import { Dialog, Select } from "../part/control.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { go, href } from "../router.ts";
import { categories, categoryPath, feeds, loadLibrary, makeCategory } from "../store/library.ts";
import { view } from "../store/list.ts";
import { complain, show } from "../store/toast.ts";
import type { Feed } from "../types.ts";

interface Found { url: string; title?: string | null; version?: string; last_post_at?: string | null; posts_per_week?: number | null; samples?: string[]; posts?: number }
type State =
  | { kind: "idle" } | { kind: "looking" } | { kind: "found"; feeds: Found[] }
  | { kind: "none" } | { kind: "blocked"; why: string } | { kind: "login" } | { kind: "timeout" } | { kind: "failed"; why: string };

/** What a failed look-up means for the person. */
export function stateOf(error: unknown): State {
  if (!(error instanceof ApiError)) return { kind: "failed", why: String(error) };
  const why = `${error.reason ?? ""} ${error.message}`.toLowerCase();
  if (error.code === "no_feed_found") return { kind: "none" };
  if (/private|visits may reach|loopback|not public|local address|internal/.test(why)) return { kind: "blocked", why: error.reason ?? error.message };
  if (/\b401\b|\b403\b|unauthori|asks for a login|credentials/.test(why)) return { kind: "login" };
  if (/timed? ?out|no answer|time limit|deadline/.test(why)) return { kind: "timeout" };
  if (/\b404\b|\b410\b|not a feed/.test(why)) return { kind: "none" };
  return { kind: "failed", why: error.reason ?? error.message };
}

const FORMATS: Record<string, string> = { rss20: "RSS 2.0", atom10: "Atom", json11: "JSON Feed 1.1", rss10: "RDF" };
const format = (version?: string): string => FORMATS[version ?? ""] ?? (version ?? "").replace(/^rss/i, "RSS ").replace(/^atom/i, "Atom ").replace(/^json/i, "JSON Feed ");

function rhythm(perWeek: number | null | undefined): string {
  if (perWeek == null) return "";
  if (perWeek >= 1) return t("add.perWeek", { n: Math.round(perWeek) });
  return t("add.perMonth", { n: Math.max(1, Math.round(perWeek * 4.3)) });
}

export function AddFeed({ url, onClose }: { url: string; onClose: () => void }) {
  const address = useSignal(url), state = useSignal<State>({ kind: "idle" }), chosen = useSignal(""), late = useSignal(false), busy = useSignal(false);
  const startCategory = view.value.kind === "category" ? view.value.id! : view.value.kind === "feed" ? feeds.value.get(view.value.id ?? -1)?.category_id : undefined;
  const category = useSignal<number>(startCategory ?? categories.value.find((one) => one.is_default)?.id ?? 0);
  const newCategory = useSignal("");
  const asked = useRef<AbortController | null>(null);
  const existing = (address: string): Feed | undefined => [...feeds.value.values()].find((feed) => feed.url === address);

  const look = async (): Promise<void> => {
    const text = address.value.trim();
    if (!text) return;
    asked.current?.abort();
    const mine = (asked.current = new AbortController());
    state.value = { kind: "looking" };
    late.value = false;
    const timer = setTimeout(() => { late.value = true; }, 300);
    try {
      const body = await post<{ feeds: FoundFeed[] }>("/api/feeds/discover", { url: text }, { signal: mine.signal });
      const found = body.feeds as unknown as Found[];
      chosen.value = found.find((one) => !existing(one.url))?.url ?? "";
      state.value = { kind: "found", feeds: found };
    } catch (error) { if (!mine.signal.aborted) state.value = stateOf(error); } finally { clearTimeout(timer); }
  };
  const stop = (): void => { asked.current?.abort(); state.value = { kind: "idle" }; };
  useEffect(() => { if (url) void look(); return () => asked.current?.abort(); }, []);

  const add = async (): Promise<void> => {
    busy.value = true;
    try {
      const into = newCategory.value.trim() ? (await makeCategory(newCategory.value.trim())).id : category.value;
      const made = await post<Feed>("/api/feeds", { url: chosen.value, category_id: into });
      await loadLibrary();
      show({ text: t("add.done", { title: made.title }) });
      onClose();
      go(href({ kind: "feed", id: made.id }));
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
    } finally { busy.value = false; }
  };

  const now = state.value, site = host(/^https?:/.test(address.value) ? address.value : `https://${address.value}`);
  const options: [number, string][] = categories.value.map((one) => [one.id, categoryPath(one.id)]);
  const retry = now.kind === "timeout" || now.kind === "failed" || now.kind === "none";
  return (
    <Dialog title={t("add.title")} class="add" onClose={onClose} foot={<>
      <span class="foot-note">{now.kind === "found" ? t("add.note") : ""}</span><span class="grow" />
      {now.kind === "looking" ? <button type="button" class="outline" onClick={stop}>{t("stop")}</button> : <button type="button" class="plain" onClick={onClose}>{t("cancel")} <kbd>Esc</kbd></button>}
      {now.kind === "found" ? <button type="button" class="primary" disabled={!chosen.value || busy.value} onClick={() => void add()}>{busy.value ? t("add.adding") : t("add.feed")}</button>
        : now.kind !== "looking" && <button type="button" class="primary" disabled={!address.value.trim()} onClick={() => void look()}>{retry ? t("add.again") : t("add.look")}</button>}
    </>}>
      <form class="address" onSubmit={(event) => { event.preventDefault(); void look(); }}>
        <span class="field"><Icon name="link" size={17} /><input data-autofocus type="text" inputMode="url" autocapitalize="none" autocomplete="url" spellcheck={false} aria-label={t("add.label")} placeholder={t("add.placeholder")} value={address.value}
          onInput={(event) => { address.value = event.currentTarget.value; if (state.value.kind !== "idle") stop(); }} /></span>
      </form>
      <div class="add-middle" data-testid={`add-${now.kind}`} aria-live="polite">
        {now.kind === "idle" && <p class="quiet">{t("add.hint")}</p>}
        {now.kind === "looking" && late.value && <><p>{t("add.looking", { host: site })}</p><div class="bar-line"><i /></div></>}
        {now.kind === "found" && <>
          <p class="quiet">{t("add.found", { n: now.feeds.length, host: site })}</p>
          <div class="found" role="radiogroup" aria-label={t("add.found", { n: now.feeds.length, host: site })}>
            {now.feeds.map((feed) => {
              const there = existing(feed.url);
              return (
                <label key={feed.url} class={`${chosen.value === feed.url ? "on" : ""} ${there ? "there" : ""}`}>
                  <input type="radio" name="found" disabled={Boolean(there)} checked={chosen.value === feed.url} onChange={() => { chosen.value = feed.url; }} />
                  <span class="found-text">
                    <strong><Favicon feed={there} title={feed.title ?? site} /><span dir="auto">{feed.title ?? feed.url}</span></strong>
                    <span class="quiet">{[format(feed.version), feed.last_post_at ? t("add.last", { when: when(feed.last_post_at) }) : "", rhythm(feed.posts_per_week)].filter(Boolean).join(" · ")}</span>
                    {chosen.value === feed.url && (feed.samples ?? []).slice(0, 3).map((sample) => <span class="sample" dir="auto" key={sample}>{sample.slice(0, 140)}</span>)}
                  </span>
                  {there ? <span class="already"><Icon name="check" size={15} />{t("add.already", { category: categoryPath(there.category_id) })}</span>
                    : (feed.posts_per_week ?? 0) > 150 && <span class="chip warn"><Icon name="activity" size={15} />{t("add.busy")}</span>}
                </label>
              );
            })}
          </div>
          <div class="add-category"><label for="add-category">{t("view.category")}</label>
            <div class="line"><Select id="add-category" icon="folder" value={category.value} options={options} onChange={(id) => { category.value = id; }} />
              <input type="text" class="input" placeholder={t("category.orNew")} aria-label={t("category.orNew")} value={newCategory.value} onInput={(event) => { newCategory.value = event.currentTarget.value; }} /></div></div>
        </>}
        {now.kind === "none" && <StateLine icon="search-x" title={t("add.none")}><p>{t("add.none.text")}</p><ul class="tips-list"><li>{t("add.none.own")}</li>
          {/\/./.test(address.value.replace(/^https?:\/\/[^/]*\/?/, "")) && <li>{t("add.none.front", { host: site })}<button type="button" class="text" onClick={() => { address.value = site; void look(); }}>{t("try")}</button></li>}</ul></StateLine>}
        {now.kind === "blocked" && <StateLine icon="shield-ban" tone="bad" title={t("add.blocked")}><p>{t("add.blocked.text", { host: site })}</p></StateLine>}
        {now.kind === "login" && <StateLine icon="lock" title={t("add.login", { host: site })}><p>{t("add.login.text")}</p></StateLine>}
        {now.kind === "timeout" && <StateLine icon="triangle-alert" tone="warn" title={t("add.timeout")}><p>{t("add.timeout.text")}</p></StateLine>}
        {now.kind === "failed" && <StateLine icon="circle-alert" tone="warn" title={t("add.failed")}><p>{now.why}</p></StateLine>}
      </div>
    </Dialog>
  );
}

function StateLine({ icon, title, tone = "", children }: { icon: string; title: string; tone?: string; children: preact.ComponentChildren }) {
  return <div class={`dialog-state ${tone}`}><h3><Icon name={icon} />{title}</h3>{children}</div>;
}
