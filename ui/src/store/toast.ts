// Short messages at the foot of the list, what can be undone, and the one live region of the page.
import { signal } from "@preact/signals";
import { t } from "../i18n.ts";

export interface Toast {
  id: number; text: string; strong?: string; action?: { label: string; key?: string; run: () => void };
  /** Stays until it is dismissed. */
  stays: boolean; tone: "plain" | "bad";
}

export const toasts = signal<Toast[]>([]);
/** What a screen reader hears next. */
export const spoken = signal("");
let next = 1;

/** Says something to people who do not see the page; at most one message in two seconds, the last one wins. */
let sayTimer = 0, saidAt = 0;
export function say(text: string): void {
  clearTimeout(sayTimer);
  sayTimer = window.setTimeout(() => { saidAt = Date.now(); spoken.value = ""; queueMicrotask(() => { spoken.value = text; }); }, Math.max(60, 2000 - (Date.now() - saidAt)));
}

export function show(toast: Partial<Toast> & { text: string }, seconds = 5): number {
  const made: Toast = { stays: Boolean(toast.action), tone: "plain", ...toast, id: next++ };
  // Two at most: an undo and a remark.
  toasts.value = [...toasts.value.filter((other) => !(made.action && other.action)), made].slice(-2);
  say(`${made.strong ?? ""} ${made.text}`.trim());
  if (!made.stays) setTimeout(() => dismiss(made.id), seconds * 1000);
  return made.id;
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export const complain = (text: string): number => show({ text, tone: "bad" }, 8);

/** Something that can be taken back with one key: the last thing wins. */
export interface Undoable { text: string; strong?: string; run: () => Promise<unknown> }
export const undoable = signal<Undoable | null>(null);
let shown = 0;

export function offerUndo(what: Undoable): void {
  undoable.value = what;
  shown = show({ text: what.text, strong: what.strong, action: { label: t("undo"), key: "undo", run: () => void undo() } });
}

export async function undo(): Promise<void> {
  const what = undoable.value;
  if (!what) return;
  undoable.value = null;
  dismiss(shown);
  try { await what.run(); } catch (error) { complain(error instanceof Error && error.message ? error.message : t("undo.failed")); }
}
