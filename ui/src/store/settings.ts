// How the user wants to read. The server keeps what it knows (`/api/me/settings`) and, where it can, one object `app` with the
// rest; a copy is in localStorage, so that the first paint is right and older servers lose nothing.
import { computed, effect, signal } from "@preact/signals";
import { ApiError, get, patch } from "../http.ts";
import { speak } from "../i18n.ts";
import type { StoredSettings } from "../types.ts";

export type Theme = "auto" | "light" | "dark" | "sepia" | "black" | "contrast";
export type Density = "compact" | "comfortable" | "cards";

export interface Prefs {
  theme: Theme; density: Density; fontSize: number; lineHeight: number; measure: number; font: "newsreader" | "serif" | "sans" | "mono" | string;
  justify: boolean; preview: 0 | 1 | 2 | 3; images: "show" | "click" | "never"; dates: "relative" | "absolute"; byDay: boolean;
  headline: "calm" | "original"; sort: "newest" | "oldest"; markRead: "soon" | "open" | "next" | "never"; markOnScroll: boolean;
  openLinks: "new_tab" | "same_tab"; paged: boolean; confirmMarkAll: boolean; hideRead: boolean; locale: string; timeZone: string;
  keys: { preset: string; single: boolean; remap: Record<string, string[]> };
  panes: { tree: number; list: number }; sidebar: boolean; closed: number[]; swipe: { right: string; left: string };
  snoozed: Record<string, number>; speed: number; offeredPaged: boolean; summary: boolean; ai: boolean;
}

export const DEFAULTS: Prefs = {
  theme: "auto", density: "comfortable", fontSize: 19.5, lineHeight: 1.55, measure: 72, font: "newsreader", justify: false, preview: 0,
  images: "show", dates: "relative", byDay: true, headline: "calm", sort: "newest", markRead: "soon", markOnScroll: false,
  openLinks: "new_tab", paged: false, confirmMarkAll: true, hideRead: false, locale: "", timeZone: "",
  keys: { preset: "courant", single: true, remap: {} }, panes: { tree: 260, list: 400 }, sidebar: true, closed: [],
  swipe: { right: "read", left: "bookmark" }, snoozed: {}, speed: 1, offeredPaged: false, summary: true, ai: true,
};

/** How fields are called on the server, for those that it knows by itself. */
const SHARED: Partial<Record<keyof Prefs, keyof StoredSettings>> = {
  theme: "theme", density: "density", fontSize: "font_size", markOnScroll: "mark_read_on_scroll", openLinks: "open_links", images: "images", sort: "sort", locale: "locale", ai: "ai",
};
/** These belong to a device. */
const LOCAL: (keyof Prefs)[] = ["panes", "sidebar", "closed", "speed"];

const KEPT = "courant.prefs";

function kept(): Prefs {
  try { return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Prefs>) }; } catch { return DEFAULTS; }
}

export const prefs = signal<Prefs>(typeof localStorage === "undefined" ? DEFAULTS : kept());
/** `saved` for a moment after a change reached the server. */
export const saving = signal<"idle" | "saving" | "saved" | "local">("idle");
let serverKeepsApp = false;
let timer = 0;
const waiting = new Set<keyof Prefs>();

/** Changes settings, at once here and soon on the server. */
export function setPrefs(change: Partial<Prefs>): void {
  prefs.value = { ...prefs.value, ...change };
  localStorage.setItem(KEPT, JSON.stringify(prefs.value));
  for (const key of Object.keys(change) as (keyof Prefs)[]) if (!LOCAL.includes(key)) waiting.add(key);
  if (waiting.size === 0) return;
  saving.value = "saving";
  clearTimeout(timer);
  timer = window.setTimeout(() => void save(), 600);
}

async function save(): Promise<void> {
  const changed = [...waiting];
  waiting.clear();
  const shared: Record<string, unknown> = {};
  for (const key of changed) {
    const name = SHARED[key];
    if (name) shared[String(name)] = forServer(key, prefs.value[key]);
  }
  let everything = true;
  for (const [name, value] of Object.entries(shared)) {
    // One by one: a server that does not know a value (a theme, say) still keeps the others.
    await patch("/api/me/settings", { [name]: value }).catch(() => { everything = false; });
  }
  // The server keeps whole pixels of the font size by itself; the exact one is the app's.
  const own = changed.filter((key) => !SHARED[key] || key === "fontSize");
  if (serverKeepsApp && own.length) {
    const app = Object.fromEntries(own.map((key) => [key, prefs.value[key]]));
    await patch("/api/me/settings", { app }).catch((error: unknown) => {
      everything = false;
      if (error instanceof ApiError && error.status === 422) serverKeepsApp = false;
    });
  }
  saving.value = everything && (serverKeepsApp || own.length === 0) ? "saved" : "local";
}

function forServer(key: keyof Prefs, value: unknown): unknown {
  if (key === "fontSize") return Math.round(Number(value));
  if (key === "locale") return value || null;
  return value;
}

/** What the server knows wins over the copy, but for sizes that it rounds. */
export async function loadSettings(): Promise<void> {
  const stored = await get<StoredSettings>("/api/me/settings");
  const found: Partial<Prefs> = { ...(stored.app as Partial<Prefs> | undefined) };
  serverKeepsApp = stored.app !== undefined;
  for (const [key, name] of Object.entries(SHARED) as [keyof Prefs, keyof StoredSettings][]) {
    if (stored.app && key in stored.app && (key !== "fontSize" || Math.round(Number(stored.app[key])) === stored[name])) continue;
    const value = stored[name];
    // The server's own default is not a choice, and it keeps whole pixels only.
    if (key === "fontSize" && (value === 18 || Math.round(prefs.value.fontSize) === value)) continue;
    Object.assign(found, { [key]: value ?? DEFAULTS[key] });
  }
  prefs.value = { ...prefs.value, ...found };
  localStorage.setItem(KEPT, JSON.stringify(prefs.value));
}

const dark = typeof matchMedia === "undefined" ? undefined : matchMedia("(prefers-color-scheme: dark)");
const more = typeof matchMedia === "undefined" ? undefined : matchMedia("(prefers-contrast: more)");
const systemDark = signal(dark?.matches ?? false), systemMore = signal(more?.matches ?? false);
dark?.addEventListener("change", (event) => { systemDark.value = event.matches; });
more?.addEventListener("change", (event) => { systemMore.value = event.matches; });

export const theme = computed(() => {
  const chosen = prefs.value.theme;
  if (chosen !== "auto") return chosen;
  return systemMore.value ? "contrast" : systemDark.value ? "dark" : "light";
});

const FONTS: Record<string, string> = { newsreader: "", serif: "ui-serif, Charter, Georgia, serif", sans: "system-ui, sans-serif", mono: "ui-monospace, monospace" };

/** Writes settings to where the style sheets read them. The cookie lets the server send the right theme with the next page. */
export function applySettings(): void {
  effect(() => {
    const { theme: chosen, fontSize, lineHeight, measure, font, justify } = prefs.value;
    const root = document.documentElement;
    root.dataset.theme = chosen === "auto" ? (theme.value === "contrast" ? "contrast" : "") : chosen;
    root.dataset.justify = String(justify);
    root.style.setProperty("--read-size", `${fontSize}px`);
    root.style.setProperty("--read-line", String(lineHeight));
    // A line of n characters of Newsreader is about n × 0.442 em wide.
    root.style.setProperty("--measure", `${Math.round(measure * 0.442 * fontSize)}px`);
    const family = FONTS[font] ?? `"${font.replaceAll('"', "")}", serif`;
    if (family) root.style.setProperty("--read-font", family); else root.style.removeProperty("--read-font");
    document.cookie = `courant_theme=${chosen === "auto" ? "" : chosen}; path=/; max-age=31536000; samesite=lax`;
  });
  effect(() => { void speak(prefs.value.locale || null); });
}
