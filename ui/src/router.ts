// Addresses of the app. Every screen has one; back and forward work, and scroll positions are kept by the panes themselves.
import { signal } from "@preact/signals";

export type ViewKind = "unread" | "all" | "today" | "bookmarks" | "history" | "category" | "feed" | "tag" | "search";
/** What a list shows. */
export interface View { kind: ViewKind; id?: number; name?: string; q?: string }

export const SECTIONS = ["reading", "appearance", "shortcuts", "filters", "ai", "apps", "sessions", "data"] as const;
export type Section = (typeof SECTIONS)[number];

export type Route =
  | { page: "reader"; view: View; entry?: number }
  | { page: "settings"; section: Section }
  | { page: "admin"; section: string; query: string }
  | { page: "login" | "setup" | "welcome" | "feeds" | "import" | "missing" }
  | { page: "add"; url: string };

const SIMPLE = ["unread", "all", "today", "bookmarks", "history"];

/** Reads an address. An entry with a minus is a saved page that belongs to no feed. */
export function parse(path: string, search = ""): Route {
  const query = new URLSearchParams(search);
  const parts = path.split("/").filter(Boolean).map(safeDecode);
  const [first, second] = parts;
  if (!first) return { page: "reader", view: { kind: "unread" } };
  if (first === "r") {
    const at = parts.indexOf("e", 2);
    const entry = at > 0 && /^-?\d{1,15}$/.test(parts[at + 1] ?? "") ? Number(parts[at + 1]) : undefined;
    const view = readView(parts.slice(1, at > 0 ? at : undefined), query);
    return view ? { page: "reader", view, entry } : { page: "missing" };
  }
  if (first === "settings") return { page: "settings", section: SECTIONS.find((name) => name === second) ?? "reading" };
  if (first === "admin") return { page: "admin", section: second ?? "overview", query: search };
  if (first === "add") return { page: "add", url: sharedUrl(query) };
  if (["login", "setup", "welcome", "feeds", "import"].includes(first) && parts.length === 1) return { page: first as "login" };
  return { page: "missing" };
}

function readView([kind, name]: string[], query: URLSearchParams): View | null {
  if (!kind) return { kind: "unread" };
  if (SIMPLE.includes(kind) && name === undefined) return { kind: kind as ViewKind };
  if ((kind === "category" || kind === "feed") && /^\d{1,15}$/.test(name ?? "")) return { kind, id: Number(name) };
  if (kind === "tag" && name) return { kind, name };
  if (kind === "search") return { kind, q: query.get("q") ?? "" };
  return null;
}

const safeDecode = (text: string): string => { try { return decodeURIComponent(text); } catch { return text; } };

/** Browsers share an address in `url`, or somewhere in `text`. */
function sharedUrl(query: URLSearchParams): string {
  const text = query.get("url") || query.get("text") || query.get("title") || "";
  return /https?:\/\/\S+/.exec(text)?.[0] ?? text;
}

/** The address of a view, with an entry. */
export function href(view: View, entry?: number): string {
  const base = view.kind === "category" || view.kind === "feed" ? `/r/${view.kind}/${view.id}`
    : view.kind === "tag" ? `/r/tag/${encodeURIComponent(view.name ?? "")}` : `/r/${view.kind}`;
  const end = view.kind === "search" ? `?q=${encodeURIComponent(view.q ?? "")}` : "";
  return `${base}${entry === undefined ? "" : `/e/${entry}`}${end}`;
}

/** Whether two views show the same list. */
export const sameView = (a: View, b: View): boolean => a.kind === b.kind && a.id === b.id && a.name === b.name && a.q === b.q;

const here = (): Route => parse(location.pathname, location.search);
export const route = signal<Route>({ page: "missing" });

/** Goes to an address of the app. */
export function go(path: string, how: "push" | "replace" = "push"): void {
  if (path === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", path);
  route.value = here();
}

/** Follows links inside the app without loading the page again. */
export function startRouter(): void {
  route.value = here();
  addEventListener("popstate", () => { route.value = here(); });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || link.target || link.origin !== location.origin || link.hasAttribute("download")) return;
    if (/^\/(api|admin\/api|assets|openapi|docs)\b/.test(link.pathname)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
