// Figures side by side, with hairlines between them; and how one changed.
import type { ComponentChildren } from "preact";
import { number } from "../format.ts";
import { t } from "../i18n.ts";
import { Icon } from "../part/icon.tsx";

export interface Figure { label: string; value: string; unit?: string; note?: ComponentChildren; tone?: "bad" | "warn" }

export function Figures({ all }: { all: (Figure | null | false | undefined)[] }) {
  return <dl class="figures">{all.map((one) => one && <div key={one.label}><dt>{one.label}</dt><dd class="figure"><b>{one.value}</b>{one.unit && <span> {one.unit}</span>}</dd>{one.note && <dd class={`note ${one.tone ?? ""}`}>{one.note}</dd>}</div>)}</dl>;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** How much more or less than before, in the words of `key`. */
export function Change({ by, text }: { by: number; text: string }) {
  return <><Icon name={by >= 0 ? "arrow-up" : "arrow-down"} size={13} /><span>{text}</span></>;
}
export const inPercent = (now: number, before: number | undefined) => (before ? <Change by={now - before} text={t("admin.onBefore", { n: `${number(round(Math.abs((now - before) / before) * 100))}\u00a0%` })} /> : undefined);
export const inPoints = (now: number, before: number) => (Math.abs(now - before) < 0.05 ? t("admin.asBefore") : <Change by={now - before} text={t("admin.points", { n: round(Math.abs(now - before)) })} />);

/** A number and its unit apart: `17.7` and `GB`. */
export const split = (text: string): { value: string; unit: string } => { const [value = "", ...unit] = text.split(/[\s\u00a0]/); return { value, unit: unit.join(" ") }; };
