// Why a headline has its rating: the five scores with their reasons, and who judged. Loaded when it is first opened.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../i18n.ts";
import { Rating, levelOf } from "../part/icon.tsx";
import { type Framing, SCORES } from "../types.ts";
import { madeBy } from "./summary.tsx";

export function WhyBox({ framing, calmReason, onClose }: { framing: Framing; calmReason?: string | null; onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const away = (event: Event): void => { if (!box.current?.parentElement?.contains(event.target as Node)) onClose(); };
    const key = (event: KeyboardEvent): void => { if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); onClose(); } };
    document.addEventListener("pointerdown", away);
    document.addEventListener("keydown", key, true);
    return () => { document.removeEventListener("pointerdown", away); document.removeEventListener("keydown", key, true); };
  }, []);
  const overall = framing.reasons?.overall;
  return (
    <div class="why-box" role="group" aria-label={t("why.title")} ref={box} data-testid="why" dir="ltr">
      <strong>{overall ? t("why.because", { level: t(`level.${levelOf(framing.overall)}`), what: overall }) : t("why.rated", { level: t(`level.${levelOf(framing.overall)}`), score: framing.overall.toFixed(2) })}</strong>
      <dl>
        {SCORES.map((name) => (
          <div key={name} class="why-row">
            <dt>{t(`why.${name}`)}</dt><dd><Rating score={framing[name]} /><Meter value={framing[name]} /><span>{framing[name].toFixed(2)}</span></dd>
            {framing.reasons?.[name] && <dd class="because" dir="auto">{framing.reasons[name]}</dd>}
          </div>
        ))}
      </dl>
      {calmReason && <p class="because">{t("why.noCalm", { why: calmReason })}</p>}
      <p class="by">{madeBy(t("why.by"), framing.provider, framing.model)}</p>
    </div>
  );
}

/** A rating in full: a track cut at 0.30 and 0.60. */
export function Meter({ value }: { value: number }) {
  const parts = [[0, 0.3], [0.3, 0.6], [0.6, 1]] as const;
  return <svg class={`meter ${levelOf(value)}`} width="76" height="6" aria-hidden="true">{parts.map(([from, to]) => {
    const x = from * 72 + (from ? from * 6.6 : 0), w = (to - from) * 72;
    return <g key={from}><rect x={x} width={w} height="6" rx="1" class="track" /><rect x={x} width={Math.max(0, Math.min(1, (value - from) / (to - from))) * w} height="6" rx="1" class="fill" /></g>;
  })}</svg>;
}
