// Figures side by side, with hairlines between them.
import type { ComponentChildren } from "preact";
export interface Figure { label: string; value: string; unit?: string; note?: ComponentChildren; tone?: "bad" | "warn" }
export function Figures({ all }: { all: (Figure | null)[] }) {
  return <dl class="figures">{all.map((one) => one && <div key={one.label}><dt>{one.label}</dt><dd><b>{one.value}</b>{one.unit && <span> {one.unit}</span>}</dd>{one.note && <dd class={`note ${one.tone ?? ""}`}>{one.note}</dd>}</div>)}</dl>;
}
