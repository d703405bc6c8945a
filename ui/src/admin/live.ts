// Data that is asked for again each minute, unless the operator has stopped that. A failure leaves the last answer in place.
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const EVERY = 60_000;
/** Counts up when everything is asked for again. */
const turn = signal(0);
export const paused = signal(false);
export const refreshed = signal(Date.now());
let timer = 0;

export function startTurns(): () => void {
  timer = window.setInterval(() => { if (!paused.value && !document.hidden) turn.value++; }, EVERY);
  return () => clearInterval(timer);
}
export function refreshNow(): void { turn.value++; }

export interface Live<T> { data: T | null; problem: string; state: "loading" | "ready" | "missing" | "failed" }

/** Asks at once, when `key` changes, and each turn. */
export function useLive<T>(load: () => Promise<T | null>, key: string): Live<T> {
  const found = useSignal<Live<T>>({ data: null, problem: "", state: "loading" });
  useEffect(() => {
    let live = true;
    load().then((data) => { if (live) { found.value = { data, problem: "", state: data === null ? "missing" : "ready" }; refreshed.value = Date.now(); } },
      (error: unknown) => { if (live) found.value = { ...found.value, problem: error instanceof Error ? error.message : String(error), state: "failed" }; });
    return () => { live = false; };
  }, [key, turn.value]);
  return found.value;
}
