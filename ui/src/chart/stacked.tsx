// Stacked bars over time. Every part has a pattern besides its colour; the bar under the pointer is read out in a line above, and
// the same numbers are in a table for screen readers.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { number } from "../format.ts";
import { t } from "../i18n.ts";
import { useWidth } from "./width.ts";

export type Pattern = "solid" | "hatch" | "dots" | "grey";
export interface Part { key: string; label: string; pattern: Pattern }
export interface Bar { at: string; label: string; tick?: string; values: Record<string, number> }

/** Round steps for an axis: 1, 2, 2.5 or 5 times a power of ten. */
export function steps(high: number, wanted = 4): number[] {
  if (!(high > 0)) return [0, 1];
  const raw = high / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? 10 * power;
  return Array.from({ length: Math.ceil(high / step - 1e-9) + 1 }, (_, n) => n * step);
}

export function Patterns({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-hatch`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="var(--tint2)" /><rect width="1.4" height="5" fill="var(--accent)" opacity=".55" /></pattern>
      <pattern id={`${id}-grey`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="var(--paper)" /><rect width="1.2" height="6" fill="var(--ink3)" opacity=".6" /></pattern>
      <pattern id={`${id}-soft`} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect width="1" height="6" fill="var(--ink3)" opacity=".45" /></pattern>
      <pattern id={`${id}-dots`} width="4" height="4" patternUnits="userSpaceOnUse"><rect width="4" height="4" fill="var(--bad-fill)" /><circle cx="1.2" cy="1.2" r=".85" fill="var(--paper)" /></pattern>
    </defs>
  );
}
const fillOf = (id: string, pattern: Pattern): string => (pattern === "solid" ? "var(--accent)" : `url(#${id}-${pattern})`);
const lineOf = (pattern: Pattern): string => (pattern === "dots" ? "var(--bad-fill)" : pattern === "grey" ? "var(--ink3)" : "var(--accent)");

export function Legend({ parts }: { parts: Part[] }) {
  const id = useId().replace(/[^\w-]/g, "");
  return <span class="legend">{parts.map((part) => <span key={part.key}><svg width="14" height="11" aria-hidden="true"><Patterns id={id} /><rect x=".5" y=".5" width="13" height="10" fill={fillOf(id, part.pattern)} stroke={lineOf(part.pattern)} /></svg>{part.label}</span>)}</span>;
}

export function Stacked({ bars, parts, title, height = 270, unit = number, axis: axisUnit = unit, foot, more }: { bars: Bar[]; parts: Part[]; title: string; height?: number; unit?: (value: number) => string; axis?: (value: number) => string; foot?: ComponentChildren; more?: (bar: Bar) => ComponentChildren }) {
  const id = useId().replace(/[^\w-]/g, ""), [box, width] = useWidth(700), hover = useSignal(-1), kept = useSignal(-1), table = useSignal(false);
  const sums = bars.map((bar) => parts.reduce((sum, part) => sum + (bar.values[part.key] ?? 0), 0));
  const axis = steps(Math.max(0, ...sums)), high = axis[axis.length - 1] || 1, left = 46, bottom = 26, inner = height - bottom - 6;
  const gap = (width - left) / Math.max(1, bars.length), wide = Math.max(2, Math.min(30, gap * 0.76));
  const y = (value: number): number => 6 + inner - (value / high) * inner;
  // Labels that would stand on each other are left out.
  const labelled = bars.flatMap((bar, n) => (bar.tick ? [n] : [])), every = Math.max(1, Math.ceil((labelled.length * 52) / (width - left)));
  const shows = (n: number): boolean => labelled.indexOf(n) % every === 0;
  const at = hover.value >= 0 ? hover.value : kept.value, shown = bars[at] ?? null;
  return (
    <figure class="chart" ref={box}>
      <figcaption><strong>{title}</strong><span class="grow" /><Legend parts={parts} /></figcaption>
      <p class="readout">{shown ? <><b>{shown.label}</b>{parts.map((part) => <span key={part.key}>{part.label} {unit(shown.values[part.key] ?? 0)}</span>)}{more?.(shown)}</> : foot}<button type="button" class="text quiet table-switch" aria-pressed={table.value} onClick={() => { table.value = !table.value; }}>{table.value ? t("chart.picture") : t("chart.table")}</button></p>
      {!table.value && <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={title} onPointerLeave={() => { hover.value = -1; }}>
        <title>{title}</title><Patterns id={id} />
        {axis.map((value) => <g key={value}><line x1={left} x2={width} y1={y(value)} y2={y(value)} class="grid" /><text x={left - 8} y={y(value) + 4} text-anchor="end">{axisUnit(value)}</text></g>)}
        {bars.map((bar, n) => {
          let base = 0;
          const x = left + n * gap + (gap - wide) / 2;
          return (
            <g key={bar.at} onPointerEnter={() => { hover.value = n; }} onClick={() => { kept.value = kept.value === n ? -1 : n; }}>
              <rect x={left + n * gap + (gap - wide) / 2 - 3} y="6" width={wide + 6} height={inner} fill={n === at ? "var(--tint)" : "transparent"} />
              {parts.map((part) => { const value = bar.values[part.key] ?? 0, top = y(base + value), tall = y(base) - top; base += value; return tall > 0.3 && <rect key={part.key} x={x} y={top} width={wide} height={Math.max(0.6, tall - 1.4)} fill={fillOf(id, part.pattern)} stroke={lineOf(part.pattern)} stroke-width=".9" />; })}
              {n === at && <path d={`M${x + wide / 2} ${6 + inner}l5 5h-10z`} fill="var(--ink)" />}
              {bar.tick && shows(n) && <text x={x} y={height - 5}>{bar.tick}</text>}
            </g>
          );
        })}
      </svg>}
      <div class={table.value ? "chart-table" : "hidden"} tabIndex={table.value ? 0 : undefined} role={table.value ? "region" : undefined} aria-label={table.value ? title : undefined}><table class="table dense"><caption class="hidden">{title}</caption><thead><tr><th scope="col">{t("admin.time")}</th>{parts.map((part) => <th scope="col" class="right" key={part.key}>{part.label}</th>)}</tr></thead><tbody>{bars.map((bar) => <tr key={bar.at}><th scope="row">{bar.label}</th>{parts.map((part) => <td class="right" key={part.key}>{unit(bar.values[part.key] ?? 0)}</td>)}</tr>)}</tbody></table></div>
    </figure>
  );
}

/** One bar cut into shares, with a key. */
export function Shares({ parts, unit }: { parts: { name: string; value: number }[]; unit: (value: number) => string }) {
  const id = useId().replace(/[^\w-]/g, ""), sum = parts.reduce((total, part) => total + part.value, 0) || 1;
  const fills = ["var(--accent)", `url(#${id}-hatch)`, "var(--ink2)", `url(#${id}-grey)`, "var(--line)"];
  let x = 0;
  return (
    <div class="shares">
      <svg viewBox="0 0 560 18" width="100%" height="18" preserveAspectRatio="none" aria-hidden="true"><Patterns id={id} />{parts.map((part, at) => { const wide = (part.value / sum) * 560, from = x; x += wide; return <rect key={part.name} x={from} y="1" width={Math.max(0, wide - 1.5)} height="16" fill={fills[at % fills.length]} stroke={at % 5 === 1 ? "var(--accent)" : at % 5 === 3 ? "var(--ink3)" : "none"} />; })}</svg>
      <p class="legend">{parts.map((part, at) => <span key={part.name}><svg width="14" height="11" aria-hidden="true"><rect x=".5" y=".5" width="13" height="10" fill={fills[at % fills.length]} stroke={at % 5 === 1 ? "var(--accent)" : "var(--control)"} stroke-width=".8" /></svg>{part.name} <b>{unit(part.value)}</b></span>)}</p>
    </div>
  );
}
