// Lines over time: the interval of a feed as steps on a logarithmic axis, and what was spent against its cap. Every line has a
// pattern of its own besides its colour and is labelled at its end; the numbers are in a table for screen readers.
import { useId } from "preact/hooks";
import { duration, shortDate, time } from "../format.ts";
import { t } from "../i18n.ts";
import { Patterns } from "./stacked.tsx";
import { useWidth } from "./width.ts";

export interface Point { x: number; y: number }
type Scale = (value: number) => number;

/** A path of steps: each value holds until the next. */
export function stepPath(points: Point[], x: Scale, y: Scale, end: number): string {
  const [first, ...rest] = points;
  if (!first) return "";
  return `M${x(first.x).toFixed(1)} ${y(first.y).toFixed(1)}${rest.map((point) => `H${x(point.x).toFixed(1)}V${y(point.y).toFixed(1)}`).join("")}H${x(end).toFixed(1)}`;
}
const linePath = (points: Point[], x: Scale, y: Scale): string => points.map((point, at) => `${at ? "L" : "M"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join("");

const LADDER = [300, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 2 * 86400, 7 * 86400, 30 * 86400];
/** The marks of an axis of durations that holds all values, one mark more on both sides. */
export function ladder(values: number[]): number[] {
  const low = Math.min(...values), high = Math.max(...values);
  const from = Math.max(0, LADDER.findLastIndex((mark) => mark <= low)), to = LADDER.findIndex((mark) => mark >= high);
  return LADDER.slice(from, (to < 0 ? LADDER.length - 1 : Math.max(to, from + 2)) + 1);
}

/** Two labels at the end of lines do not stand on each other. */
export function apart(first: number, second: number, least = 15): [number, number] {
  const gap = second - first;
  if (Math.abs(gap) >= least) return [first, second];
  const middle = (first + second) / 2, half = (gap < 0 ? -least : least) / 2;
  return [middle - half, middle + half];
}

export interface Wait { from: number; to: number; label: string }

/** The interval that was chosen, against the smoothed gap between entries; entries as dots, limits as bands, waits as columns. */
export function IntervalChart({ title, from, to, chosen, ewma, dots, min, max, publisherMin, waits }: { title: string; from: number; to: number; chosen: Point[]; ewma: Point[]; dots: number[]; min?: number; max?: number; publisherMin?: number | null; waits: Wait[] }) {
  const id = useId().replace(/[^\w-]/g, ""), [box, width] = useWidth(680), narrow = width < 520, height = narrow ? 270 : 330, left = 58, right = narrow ? 8 : 112, top = 30, bottom = 26;
  const values = [...chosen, ...ewma].map((point) => point.y);
  const highest = Math.max(...values);
  const marks = ladder([...values, ...(publisherMin ? [publisherMin * 0.6] : []), ...(max !== undefined && max <= highest * 6 ? [max * 1.6] : [])]), low = Math.log(marks[0]!), high = Math.log(marks[marks.length - 1]!);
  const x: Scale = (value) => left + ((value - from) / (to - from || 1)) * (width - left - right);
  const y: Scale = (value) => height - bottom - ((Math.min(high, Math.max(low, Math.log(Math.max(1, value)))) - low) / (high - low || 1)) * (height - top - bottom);
  const last = (points: Point[]): Point | undefined => points[points.length - 1];
  const endChosen = last(chosen), endEwma = last(ewma);
  const [chosenY, ewmaY] = apart(y(endChosen?.y ?? 0), endEwma ? y(endEwma.y) : -99);
  const band = (lower: number, upper: number, label: string, end = false) => { const a = y(upper), b = y(lower); return b - a > 4 && <g><rect x={left} width={width - left - right} y={a} height={b - a} fill={`url(#${id}-soft)`} />{b - a > 17 && <text x={end ? width - right - 8 : left + 8} y={end ? b - 8 : a + 15} text-anchor={end ? "end" : "start"} class="on-band">{label}</text>}</g>; };
  const ticks = (narrow ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map((part) => from + part * (to - from));
  return (
    <figure class="chart" ref={box}>
      <figcaption><strong>{title}</strong><span class="grow" /><span class="legend">
        <span><svg width="22" height="8" aria-hidden="true"><line x2="22" y1="4" y2="4" class="line chosen" /></svg>{t("admin.chosen")}</span>{ewma.length > 0 && <span><svg width="22" height="8" aria-hidden="true"><line x2="22" y1="4" y2="4" class="line ewma" /></svg>{t("admin.ewma")}</span>}
        {dots.length > 0 && <span><svg width="8" height="8" aria-hidden="true"><circle cx="4" cy="4" r="3" fill="var(--accent)" /></svg>{t("admin.newEntry")}</span>}</span></figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={title}><title>{title}</title><Patterns id={id} />
        {max !== undefined && band(max, Math.exp(high), t("admin.maximum", { time: duration(max) }))}
        {publisherMin ? band(Math.exp(low), publisherMin, t("admin.publisherMinIs", { time: duration(publisherMin) }), true) : min !== undefined && band(Math.exp(low), min, t("admin.minimum", { time: duration(min) }), true)}
        {marks.map((mark) => <g key={mark}><line x1={left} x2={width - right} y1={y(mark)} y2={y(mark)} class="grid" /><text x={left - 8} y={y(mark) + 4} text-anchor="end">{duration(mark)}</text></g>)}
        {waits.map((wait) => { const a = x(Math.max(from, wait.from)), b = x(Math.min(to, wait.to)); return <g key={wait.from} class="wait"><rect x={a} y={top} width={Math.max(3, b - a)} height={height - top - bottom} /><line x1={a} x2={a} y1={top} y2={height - bottom} /><line x1={Math.max(a + 3, b)} x2={Math.max(a + 3, b)} y1={top} y2={height - bottom} /><text x={b > width - right - 150 ? a - 6 : Math.max(a + 3, b) + 6} y={top + 32} text-anchor={b > width - right - 150 ? "end" : "start"}>{wait.label}</text></g>; })}
        {ticks.map((at, n) => <text key={at} x={x(at)} y={height - 6} text-anchor={n === 0 ? "start" : n === ticks.length - 1 ? "end" : "middle"}>{n === ticks.length - 1 ? t("unit.now") : to - from < 2 * 86400_000 ? time(at) : shortDate(at)}</text>)}
        {dots.length > 0 && <text x={left - 8} y={top - 12} text-anchor="end">{t("admin.newRow")}</text>}
        {dots.map((at, n) => <circle key={n} cx={x(at)} cy={top - 16} r="3" fill="var(--accent)" />)}
        <path d={stepPath(ewma, x, y, to)} class="line ewma" /><path d={stepPath(chosen, x, y, to)} class="line chosen" />
        {!narrow && endEwma && <text x={width - right + 8} y={ewmaY + 4} class="end ewma">{`EWMA ${duration(endEwma.y)}`}</text>}
        {!narrow && endChosen && <text x={width - right + 8} y={chosenY + 4} class="end">{`${t("admin.chosen")} ${duration(endChosen.y)}`}</text>}
      </svg>
      <table class="hidden"><caption>{title}</caption><tbody>{chosen.slice(-20).map((point) => <tr key={point.x}><th scope="row">{new Date(point.x).toISOString()}</th><td>{duration(point.y)}</td></tr>)}</tbody></table>
    </figure>
  );
}

/** Where a straight line between two points crosses a height; `null` if it does not. */
export function crossing(a: Point, b: Point, height: number): number | null {
  if (height <= a.y || height > b.y || b.y === a.y) return null;
  return a.x + ((height - a.y) / (b.y - a.y)) * (b.x - a.x);
}

/** What was spent so far, where it leads, and the cap with the steps before it. */
export function SpendChart({ title, spent, forecast, cap, from, to, marks, money, day }: { title: string; spent: Point[]; forecast: number | null; cap: number | null; from: number; to: number; marks: number[]; money: (value: number) => string; day: (at: number) => string }) {
  const id = useId().replace(/[^\w-]/g, ""), [box, width] = useWidth(740), height = width < 520 ? 260 : 370, left = 46, right = 4, top = 8, bottom = 26, high = marks[marks.length - 1] || 1;
  const x: Scale = (value) => left + ((value - from) / (to - from || 1)) * (width - left - right);
  const y: Scale = (value) => height - bottom - (Math.min(high, value) / high) * (height - top - bottom);
  const last = spent[spent.length - 1], end = last && forecast !== null && to > last.x ? { x: to, y: forecast } : null;
  const spread = end && last ? Math.max((end.y - last.y) * 0.16, high * 0.01) : 0;
  const reached = last && end && cap ? crossing(last, end, cap) : null;
  const limit = (value: number, label: string, name: string) => <g><line x1={left} x2={width - right} y1={y(value)} y2={y(value)} class={name} /><text x={left + 8} y={y(value) - 6} class={name === "cap" ? "strong" : "limit-text"}>{label}</text></g>;
  return (
    <figure class="chart" ref={box}>
      <figcaption><strong>{title}</strong><span class="grow" /><span class="legend"><span><svg width="22" height="8" aria-hidden="true"><line x2="22" y1="4" y2="4" class="line chosen" /></svg>{t("budget.spentWord")}</span>{end && <span><svg width="22" height="8" aria-hidden="true"><line x2="22" y1="4" y2="4" class="line forecast" /></svg>{t("budget.forecastWord")}</span>}</span></figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={title}><title>{title}</title><Patterns id={id} />
        {marks.map((mark) => <g key={mark}><line x1={left} x2={width - right} y1={y(mark)} y2={y(mark)} class="grid" /><text x={left - 8} y={y(mark) + 4} text-anchor="end">{money(mark)}</text></g>)}
        {end && last && <path d={`M${x(last.x)} ${y(last.y)}L${x(end.x)} ${y(end.y + spread)}V${y(Math.max(last.y, end.y - spread))}Z`} fill={`url(#${id}-soft)`} />}
        {spent.length > 0 && last && <><path d={`${linePath(spent, x, y)}V${height - bottom}H${x(spent[0]!.x)}Z`} fill="var(--tint)" /><path d={linePath(spent, x, y)} class="line chosen" /></>}
        {end && last && <path d={linePath([last, end], x, y)} class="line forecast" />}
        {cap !== null && cap > 0 && <>{limit(cap * 0.75, t("budget.at75"), "limit")}{limit(cap * 0.9, t("budget.at90"), "limit")}{limit(cap, t("budget.hardStop", { cap: money(cap) }), "cap")}</>}
        {reached !== null && cap && <g><line x1={x(reached)} x2={x(reached)} y1={y(cap)} y2={height - bottom} class="reached" /><path d={`M${x(reached)} ${y(cap) - 6}l6 6-6 6-6-6z`} fill="var(--ink)" /><text x={x(reached) + (x(reached) > width - 150 ? -8 : 8)} y={height - bottom - 10} text-anchor={x(reached) > width - 150 ? "end" : "start"}>{t("budget.reached", { day: day(reached) })}</text></g>}
        {last && <><circle cx={x(last.x)} cy={y(last.y)} r="4.5" fill="var(--accent)" stroke="var(--paper)" stroke-width="1.5" /><text x={x(last.x) + (x(last.x) > width - 120 ? -10 : 4)} y={y(last.y) + 24} text-anchor={x(last.x) > width - 120 ? "end" : "start"} class="end">{t("budget.soFar", { money: money(last.y) })}</text></>}
        {Array.from({ length: 7 }, (_, n) => from + (n / 6) * (to - from)).map((at, n) => <text key={n} x={x(at)} y={height - 6} text-anchor={n === 0 ? "start" : n === 6 ? "end" : "middle"}>{new Date(at).getUTCDate()}</text>)}
      </svg>
      <table class="hidden"><caption>{title}</caption><tbody>{spent.map((point) => <tr key={point.x}><th scope="row">{day(point.x)}</th><td>{money(point.y)}</td></tr>)}</tbody></table>
    </figure>
  );
}

/** A small horizontal bar. */
export function Bar({ share, tone = "grey", wide = 90 }: { share: number; tone?: "grey" | "accent" | "warn"; wide?: number }) {
  return <svg class={`hbar ${tone}`} width={wide} height="8" aria-hidden="true"><rect y={tone === "grey" ? 0 : 1} width={wide} height={tone === "grey" ? 8 : 6} class="track" /><rect y={tone === "grey" ? 0 : 1} width={Math.max(share > 0 ? 2 : 0, Math.min(1, share) * wide)} height={tone === "grey" ? 8 : 6} class="fill" /></svg>;
}
