// What is open on the screen besides the address: dialogs, panes, widths.
import { computed, signal } from "@preact/signals";

export type Open =
  | { kind: "add"; url: string } | { kind: "help" } | { kind: "palette" } | { kind: "feed"; id: number } | { kind: "tags"; id: number }
  | { kind: "category"; id?: number } | { kind: "more" } | { kind: "text" }
  | { kind: "confirm"; title: string; text: string; action: string; bad?: boolean; run: () => void }
  | { kind: "saveSearch"; query: string };

export const dialog = signal<Open | null>(null);
/** Below 900 px one pane is shown at a time; an open article is always it. */
export const pane = signal<"tree" | "list">("list");
/** The tree over the list, where both do not fit. */
export const treeOverlay = signal(false);
export const focusMode = signal(false);
/** Which pane has the keyboard: h and l move between them. */
export const activePane = signal<"tree" | "list" | "article">("list");

const width = signal(typeof innerWidth === "undefined" ? 1440 : innerWidth);
if (typeof addEventListener !== "undefined") addEventListener("resize", () => { width.value = innerWidth; });
export const size = computed((): "wide" | "middle" | "narrow" | "phone" => (width.value >= 1200 ? "wide" : width.value >= 900 ? "middle" : width.value >= 600 ? "narrow" : "phone"));
/** Very narrow: rows grow instead of cutting. */
export const tiny = computed(() => width.value < 360);

export function confirm(open: Omit<Extract<Open, { kind: "confirm" }>, "kind">): void { dialog.value = { kind: "confirm", ...open }; }
