// The switch between spans of time, in the head of a page: it lives in the address.
import { useSignal } from "@preact/signals";
import { t } from "../i18n.ts";
import { go } from "../router.ts";
import { RANGES, type Range, type Span } from "./span.ts";

const day = (at: Date): string => `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`;

export function Ranges({ span, path }: { span: Span; path: string }) {
  const open = useSignal(span.range === "custom"), from = useSignal(day(span.from)), to = useSignal(day(span.to));
  const today = day(new Date());
  const set = (): void => { if (from.value && to.value && from.value <= to.value) go(`${path}?range=custom&from=${from.value}&to=${to.value}`); };
  return (
    <>
      {open.value && <span class="dates">
        <input class="input" type="date" aria-label={t("range.from")} value={from.value} max={to.value || today} onChange={(event) => { from.value = event.currentTarget.value; set(); }} /><span aria-hidden="true">–</span>
        <input class="input" type="date" aria-label={t("range.to")} value={to.value} min={from.value} max={today} onChange={(event) => { to.value = event.currentTarget.value; set(); }} /></span>}
      <div class="tabs" role="group" aria-label={t("range")}>
        {(Object.keys(RANGES) as Exclude<Range, "custom">[]).map((name) => <button key={name} type="button" aria-pressed={name === span.range && !open.value} onClick={() => { open.value = false; go(`${path}?range=${name}`); }}>{t(`range.${name}`)}</button>)}
        <button type="button" aria-pressed={open.value} onClick={() => { open.value = true; set(); }}>{t("range.custom")}</button>
      </div>
    </>
  );
}
