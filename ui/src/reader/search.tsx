// Search: the field with its chips. The facets beside it are loaded later (facets.tsx).
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n.ts";
import { Icon } from "../part/icon.tsx";
import { go, href } from "../router.ts";
import { categories, feeds } from "../store/library.ts";
import * as list from "../store/list.ts";
import { dialog } from "../store/ui.ts";
import { cutAt, parts, quoted, without, words } from "./query.ts";

export const marker = (query: string): ((text: string) => (string | { hit: string })[]) => { const looked = words(query); return (text) => cutAt(text, looked); };

export const setQuery = (q: string, how: "push" | "replace" = "replace"): void => go(href({ kind: "search", q: q.trim() }), how);

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

/** Searches inside what is open. */
export const searchIn = (): string => {
  const view = list.view.value;
  if (view.kind === "category") return `in:${quoted(categories.value.find((one) => one.id === view.id)?.name ?? "")} `;
  if (view.kind === "feed") return `feed:${quoted(feeds.value.get(view.id ?? -1)?.title ?? "")} `;
  return "";
};

