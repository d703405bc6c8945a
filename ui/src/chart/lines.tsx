// Lines over time on a logarithmic axis: steps for intervals, and one smooth line for spending. Labelled at their ends.
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Patterns } from "./stacked.tsx";

export interface Point { x: number; y: number }
export interface Line { label: string; points: Point[]; kind: "chosen" | "ewma" | "spent" | "forecast" }
export interface Band { from: number; to: number; label: string }

/** A path of steps: each value holds until the next. */
export function stepPath(points: Point[], x: (v: number) => number, y: (v: number) => number, end: number): string {
  const [first, ...rest] = points;
  if (!first) return "";
  return `M${x(first.x).toFixed(1)} ${y(first.y).toFixed(1)}${rest.map((point) => `H${x(point.x).toFixed(1)}V${y(point.y).toFixed(1)}`).join("")}H${x(end).toFixed(1)}`;
}

export function Lines({ title, lines, bands = [], ticks, from, to, dots = [], xTicks = [], log = true, height = 290, children }: { title: string; lines: Line[]; bands?: Band[]; ticks: { value: number; label: string }[]; from: number; to: number; dots?: number[]; xTicks?: { at: number; label: string }[]; log?: boolean; height?: number; children?: ComponentChildren }) {
  const id = useId().replace(/[^\w-]/g, ""), width = 680, left = 56, right = 96, top = 24, bottom = 24;
  const scale = (value: number): number => (log ? Math.log(Math.max(1e-6, value)) : value);
  const low = scale(ticks[0]?.value ?? 0), high = scale(ticks[ticks.length - 1]?.value ?? 1);
  const x = (value: number): number => left + ((value - from) / (to - from || 1)) * (width - left - right);
  const y = (value: number): number => height - bottom - ((Math.min(high, Math.max(low, scale(value))) - low) / (high - low || 1)) * (height - top - bottom);
  return (
    <figure class="chart">
      <figcaption><strong>{title}</strong><span class="grow" /><span class="legend">{lines.map((line) => <span key={line.label}><svg width="22" height="8" aria-hidden="true"><line x1="0" x2="22" y1="4" y2="4" class={`line ${line.kind}`} /></svg>{line.label}</span>)}{children}</span></figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} width="100%" role="img" aria-label={title}><title>{title}</title><Patterns id={id} />
        {bands.map((band) => <g key={band.label}><rect x={left} width={width - left - right} y={y(band.to)} height={Math.max(0, y(band.from) - y(band.to))} fill={`url(#${id}-grey)`} opacity=".6" /><text x={left + 8} y={y(band.to) + 15}>{band.label}</text></g>)}
        {ticks.map((tick) => <g key={tick.value}><line x1={left} x2={width - right} y1={y(tick.value)} y2={y(tick.value)} class="grid" /><text x={left - 8} y={y(tick.value) + 4} text-anchor="end">{tick.label}</text></g>)}
        {xTicks.map((tick) => <text key={tick.at} x={x(tick.at)} y={height - 6} text-anchor="middle">{tick.label}</text>)}
        {dots.map((at) => <circle key={at} cx={x(at)} cy="10" r="3" fill="var(--accent)" />)}
        {lines.map((line) => {
          const last = line.points[line.points.length - 1];
          const path = line.kind === "spent" || line.kind === "forecast" ? line.points.map((point, at) => `${at ? "L" : "M"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join("") : stepPath(line.points, x, y, to);
          return <g key={line.label}>{line.kind === "spent" && last && <path d={`${path}V${height - bottom}H${x(line.points[0]!.x)}Z`} fill="var(--tint)" />}<path d={path} class={`line ${line.kind}`} />{last && <text x={width - right + 8} y={y(last.y) + (line.kind === "ewma" ? -2 : 10)} class={`end ${line.kind}`}>{line.label}</text>}</g>;
        })}
      </svg>
      <table class="hidden"><caption>{title}</caption><tbody>{lines.flatMap((line) => line.points.slice(-20).map((point) => <tr key={`${line.label}${point.x}`}><th>{line.label}</th><td>{new Date(point.x).toISOString()}</td><td>{point.y}</td></tr>))}</tbody></table>
    </figure>
  );
}

/** A small horizontal bar. */
export function Bar({ share, tone = "plain" }: { share: number; tone?: "plain" | "accent" | "warn" }) {
  return <svg class={`hbar ${tone}`} width="90" height="8" aria-hidden="true"><rect width="90" height="8" class="track" /><rect width={Math.max(1, Math.min(1, share) * 90)} height="8" class="fill" /></svg>;
}
