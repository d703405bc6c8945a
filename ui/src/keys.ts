// Keyboard shortcuts: what each is called, which keys it has by default and in the presets, and the dispatcher. What an action
// does is registered by whoever can do it. Keys rest in fields; Ctrl, Alt and Meta stay the browser's, but for Ctrl+K.
import { computed } from "@preact/signals";
import type { Key } from "./i18n.ts";
import { prefs } from "./store/settings.ts";

export type Action =
  | "next" | "previous" | "focusNext" | "focusPrevious" | "nextUnread" | "previousUnread" | "nextFeed" | "previousFeed" | "paneLeft" | "paneRight"
  | "first" | "last" | "page" | "pageBack" | "sidebar" | "focusMode" | "close" | "open" | "toggleRead" | "keepUnread" | "bookmark" | "tags"
  | "original" | "originalBackground" | "fullText" | "summary" | "headline" | "markView" | "markAbove" | "markBelow" | "undo" | "choose"
  | "refresh" | "refreshFeed" | "onlyUnread" | "onlyAll" | "onlyBookmarks" | "addFeed" | "enable" | "feedSettings" | "search" | "palette"
  | "goUnread" | "goAll" | "goBookmarks" | "goHistory" | "goToday" | "goSettings" | "goDashboard" | "help";

export const GROUPS: { title: Key; actions: Action[] }[] = [
  { title: "keys.move", actions: ["next", "previous", "focusNext", "focusPrevious", "nextUnread", "previousUnread", "nextFeed", "previousFeed", "paneLeft", "paneRight", "first", "last", "page", "pageBack"] },
  { title: "keys.article", actions: ["open", "toggleRead", "keepUnread", "bookmark", "tags", "original", "originalBackground", "fullText", "summary", "headline"] },
  { title: "keys.panes", actions: ["sidebar", "focusMode", "close"] },
  { title: "keys.list", actions: ["markView", "markAbove", "markBelow", "undo", "choose", "refresh", "refreshFeed", "onlyUnread", "onlyAll", "onlyBookmarks"] },
  { title: "keys.feeds", actions: ["addFeed", "enable", "feedSettings"] },
  { title: "keys.help", actions: ["help"] },
  { title: "keys.goto", actions: ["search", "palette", "goUnread", "goAll", "goBookmarks", "goHistory", "goToday", "goSettings", "goDashboard"] },
];

type Bindings = Record<Action, string[]>;
const COURANT: Bindings = {
  next: ["j"], previous: ["k"], focusNext: ["n"], focusPrevious: ["p"], nextUnread: ["N"], previousUnread: ["P"], nextFeed: ["J"], previousFeed: ["K"],
  paneLeft: ["h", "ArrowLeft"], paneRight: ["l", "ArrowRight"], first: ["g g"], last: ["G"], page: ["Space"], pageBack: ["Shift+Space"], sidebar: ["\\"],
  focusMode: ["."], close: ["Escape"], open: ["Enter", "o"], toggleRead: ["m"], keepUnread: ["M"], bookmark: ["s", "b"], tags: ["t"], original: ["v"],
  originalBackground: ["V"], fullText: ["f"], summary: ["i"], headline: ["d"], markView: ["A"], markAbove: ["["], markBelow: ["]"], undo: ["z"],
  choose: ["x"], refresh: ["r"], refreshFeed: ["R"], onlyUnread: ["1"], onlyAll: ["2"], onlyBookmarks: ["3"], addFeed: ["a", "+"], enable: ["e"],
  feedSettings: ["E"], search: ["/"], palette: ["g f"], goUnread: ["g u"], goAll: ["g a"], goBookmarks: ["g b"], goHistory: ["g h"], goToday: ["g t"],
  goSettings: ["g s"], goDashboard: ["g d"], help: ["?"],
};
export const PRESETS: Record<string, Partial<Bindings>> = {
  courant: {},
  google: { choose: [], open: ["Enter", "o"], toggleRead: ["m"], bookmark: ["s"], original: ["v"], nextFeed: ["J", "N"], previousFeed: ["K", "P"], nextUnread: [], previousUnread: [], headline: ["d"], addFeed: ["a"] },
  netnewswire: { nextUnread: ["n"], focusNext: [], focusPrevious: [], toggleRead: ["r", "u"], keepUnread: ["m"], markView: ["k"], previous: ["ArrowUp"], next: ["j", "ArrowDown"], markBelow: ["l"], paneRight: ["ArrowRight"], refresh: ["Q"], bookmark: ["s"], original: ["b", "v"] },
  vim: { first: ["g g"], last: ["G"], paneLeft: ["h"], paneRight: ["l"], choose: ["V"], originalBackground: ["O"], search: ["/"], undo: ["u"], page: ["Space"], close: ["Escape", "q"] },
  none: Object.fromEntries((Object.keys(COURANT) as Action[]).filter((name) => name !== "close").map((name) => [name, []])),
};

/** The keys of every action as the user has them. */
export function bindingsOf(keys: { preset: string; remap: Record<string, string[]> }): Bindings {
  return { ...COURANT, ...PRESETS[keys.preset], ...(keys.remap as Partial<Bindings>) };
}
export const bindings = computed(() => bindingsOf(prefs.value.keys));

/** Actions that share a key with another, or whose key begins the sequence of another. */
export function conflicts(all: Bindings): { keys: string; actions: Action[] }[] {
  const by = new Map<string, Action[]>();
  for (const [action, keys] of Object.entries(all) as [Action, string[]][]) for (const key of keys) by.set(key, [...(by.get(key) ?? []), action]);
  const found = [...by].filter(([, actions]) => actions.length > 1).map(([keys, actions]) => ({ keys, actions }));
  for (const [keys, actions] of by) {
    if (!keys.includes(" ")) continue;
    const first = by.get(keys.split(" ")[0]!);
    if (first) found.push({ keys: keys.split(" ")[0]!, actions: [...first, ...actions] });
  }
  return found;
}

/** The name of a key press: `A` is Shift and a; letters of other alphabets are read by their place on the keyboard. */
export function keyName(event: { key: string; code: string; shiftKey: boolean }): string {
  if (event.key === " " || event.code === "Space") return event.shiftKey ? "Shift+Space" : "Space";
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  if (letter && event.key.length === 1 && !/[\u0020-\u024f]/.test(event.key)) return event.shiftKey ? letter : letter.toLowerCase();
  return event.key;
}

const handlers = new Map<Action, () => boolean | void>();
/** Says what an action does; the returned function takes it back. An answer of `false` leaves the key to the browser. */
export function on(actions: Partial<Record<Action, () => boolean | void>>): () => void {
  const before = new Map<Action, (() => boolean | void) | undefined>();
  for (const [name, handler] of Object.entries(actions) as [Action, () => boolean | void][]) { before.set(name, handlers.get(name)); handlers.set(name, handler); }
  return () => { for (const [name, handler] of Object.entries(actions) as [Action, () => boolean | void][]) if (handlers.get(name) === handler) { const old = before.get(name); if (old) handlers.set(name, old); else handlers.delete(name); } };
}
export const run = (action: Action): boolean => { const handler = handlers.get(action); return handler ? handler() !== false : false; };

/** Which action a key belongs to, given what was pressed just before. */
export function match(all: Bindings, before: string, key: string): { action?: Action; waits: boolean } {
  const wanted = before ? `${before} ${key}` : key;
  let action: Action | undefined, waits = false;
  for (const [name, keys] of Object.entries(all) as [Action, string[]][]) {
    if (keys.includes(wanted)) action ??= name;
    if (keys.some((one) => one.startsWith(`${wanted} `))) waits = true;
  }
  return { action, waits };
}

const isField = (target: EventTarget | null): boolean => target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) && !/^(checkbox|radio|range|button)$/.test((target as HTMLInputElement).type);

export function startKeys(): void {
  let before = "", timer = 0;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") { if (run("palette")) event.preventDefault(); return; }
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = keyName(event);
    // A dialog has the keyboard for itself; Escape closes it by itself.
    if (document.querySelector("dialog[open]")) return;
    if (isField(event.target)) return;
    const single = prefs.value.keys.single;
    const onControl = event.target instanceof HTMLElement && event.target.closest("button, summary, [role=separator], [role=menu], [role=slider], input, [role=treeitem]") !== null;
    if (onControl && (key === "Space" || key === "Enter" || key.startsWith("Arrow"))) return;
    if (event.target instanceof HTMLElement && event.target.closest("a[href]") && key === "Enter" && !event.target.closest("[data-row]")) return;
    const found = match(bindings.value, before, key);
    clearTimeout(timer);
    before = "";
    if (!single && key.length === 1) return;
    if (found.waits && !found.action) { before = key; timer = window.setTimeout(() => { before = ""; }, 1200); event.preventDefault(); return; }
    if (found.action && run(found.action)) event.preventDefault();
  });
}

/** Keys as a person reads them: `A` as Shift A. */
export function keyCaps(keys: string): string[][] {
  return keys.split(" ").map((key) => {
    if (key === "Escape") return ["Esc"];
    if (key === "Shift+Space") return ["Shift", "Space"];
    if (key.startsWith("Arrow")) return [{ ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" }[key] ?? key];
    if (/^[A-Z]$/.test(key)) return ["Shift", key];
    return [key];
  });
}
