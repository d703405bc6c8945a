// Icons of lucide, inlined at build time, and the pictures that the app draws itself: the mark, the rating, favicons.
import icons from "icons:used";
import { h } from "preact";
import type { Feed } from "../types.ts";

/** Adds the icons of parts that were loaded later. */
export function addIcons(more: typeof icons): void { Object.assign(icons, more); }

export function Icon({ name, size = 18, fill = false }: { name: string; size?: number; fill?: boolean }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" fill={fill ? "currentColor" : "none"} stroke="currentColor" stroke-width={size >= 20 ? 1.75 : 1.85} stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      {(icons[name] ?? []).map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}

export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="6 6 52 52" aria-hidden="true">
      <g fill="none" stroke="currentColor">
        <path d="M46 13.5A23 23 0 1 0 46 50.5" stroke-width="8.5" />
        <path d="M42 22.8A13 13 0 1 0 42 41.2" stroke-width="4.2" />
      </g>
      <circle cx="33" cy="32" r="4.6" fill="currentColor" />
    </svg>
  );
}

/** The wordmark of pages. */
export function Wordmark() {
  return <a class="wordmark" href="/r/unread" aria-label="Courant"><Mark /><span>Courant</span></a>;
}

const HUES = ["#1b1b1b", "#0f6e73", "#b4532a", "#14204a", "#8a1c4a", "#2a7a80", "#5b4a9c", "#3a6b35", "#7a5b12", "#234a9c"];

/** A feed's icon; a letter where it has none. */
export function Favicon({ feed, title, size = 16, struck = false }: { feed?: Feed; title?: string; size?: number; struck?: boolean }) {
  const name = (feed?.title ?? title ?? "?").trim();
  if (feed?.icon && !struck) return <img class="favicon" src={feed.icon} width={size} height={size} alt="" loading="lazy" decoding="async" />;
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  const letter = [...name.replace(/^(the|le|la|der|die|das)\s+/i, "").replace(/[^\p{L}\p{N}]/gu, "")][0] ?? "·";
  return (
    <svg class="favicon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <rect width="16" height="16" rx="3.5" fill={struck ? "var(--control)" : HUES[hash % HUES.length]} />
      {struck
        ? <path d="M1 15 15 1" stroke="var(--paper)" stroke-width="1.6" />
        : <text x="8" y="11.8" text-anchor="middle" font-size="10.5" font-weight="600" fill="#fff" class="favicon-letter">{letter.toLocaleUpperCase()}</text>}
    </svg>
  );
}

export type Level = "calm" | "raised" | "loud";
export const levelOf = (score: number): Level => (score < 0.3 ? "calm" : score < 0.6 ? "raised" : "loud");

/** How loud a headline is: rising bars, so that the outline tells it without colour. */
export function Rating({ score }: { score: number }) {
  const level = levelOf(score), bars = level === "calm" ? 1 : level === "raised" ? 2 : 3;
  return (
    <svg class={`rating ${level}`} width="15" height="12" viewBox="0 0 15 12" aria-hidden="true">
      {[5, 8, 12].map((height, at) => at < bars
        ? <rect key={at} x={at * 5.3} y={12 - height} width="4.2" height={height} rx=".6" fill="currentColor" />
        : <rect key={at} x={at * 5.3} y="10.2" width="4.2" height="1.8" rx=".6" class="stub" />)}
    </svg>
  );
}

export function Spinner() {
  return <svg class="spinner" width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" aria-hidden="true"><path d="M21 12a9 9 0 1 1-6.2-8.6" /></svg>;
}
