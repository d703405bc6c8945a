// AI budget: what was spent against the cap, and by what.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Bar, Lines } from "../chart/lines.tsx";
import { steps } from "../chart/stacked.tsx";
import { duration, number } from "../format.ts";
import { t } from "../i18n.ts";
import { PageHead } from "../part/control.tsx";
import { complain } from "../store/toast.ts";
import { type AiData, ask } from "./data.ts";
import { Figures } from "./kpi.tsx";

export function Budget() {
  const data = useSignal<AiData | null>(null);
  useEffect(() => { ask<AiData>("/admin/api/ai-usage").then((found) => { data.value = found; }, (error: unknown) => complain(String(error))); }, []);
  const now = data.value;
  if (!now) return <PageHead title={t("admin.budget")} />;
  const money = (value: number): string => new Intl.NumberFormat(undefined, { style: "currency", currency: now.currency ?? "USD" }).format(value);
  const days = now.days ?? [];
  let sum = 0;
  const spent = days.map((day) => ({ x: new Date(day.day).getTime(), y: (sum += day.spent) }));
  const from = spent[0]?.x ?? 0, start = new Date(from || Date.now()), to = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0), high = Math.max(now.cap ?? 0, now.forecast ?? 0, sum) * 1.1;
  const last = spent[spent.length - 1], most = Math.max(1, ...(now.reasons ?? []).map((one) => one.count));
  return (
    <>
      <PageHead title={t("admin.budget")} count={now.cap ? t("budget.used", { n: Math.round(((now.spent ?? 0) / now.cap) * 100) }) : undefined} />
      <Figures all={[
        { label: t("budget.spent"), value: money(now.spent ?? sum), unit: now.cap ? t("budget.of", { cap: money(now.cap) }) : undefined }, now.today === undefined ? null : { label: t("budget.today"), value: money(now.today), unit: now.today_cap ? t("budget.of", { cap: money(now.today_cap) }) : undefined },
        now.forecast === undefined ? null : { label: t("budget.forecast"), value: money(now.forecast) }, now.cache_share === undefined ? null : { label: t("budget.cache"), value: number(Math.round(now.cache_share * 1000) / 10), unit: "%" },
        now.waiting === undefined ? null : { label: t("system.waiting"), value: number(now.waiting), note: now.oldest_seconds ? t("budget.oldest", { time: duration(now.oldest_seconds) }) : undefined },
      ]} />
      <div class="halves">
        <div>
          {spent.length > 1 && <Lines log={false} title={t("budget.chart")} from={from} to={to} ticks={steps(high).map((value) => ({ value, label: money(value) }))} xTicks={[from, to].map((at) => ({ at, label: String(new Date(at).getUTCDate()) }))}
            lines={[{ label: t("budget.spentWord"), kind: "spent", points: spent }, ...(now.forecast !== undefined && last ? [{ label: t("budget.forecastWord"), kind: "forecast" as const, points: [last, { x: to, y: now.forecast }] }] : [])]} bands={now.cap ? [{ from: now.cap, to: high, label: t("budget.hardStop", { cap: money(now.cap) }) }] : []} />}
          {now.features && <section><h2>{t("budget.byFeature")}</h2><table class="table dense"><thead><tr><th scope="col">{t("budget.feature")}</th><th scope="col">{t("budget.model")}</th><th scope="col" class="right">{t("budget.calls")}</th><th scope="col" class="right">{t("budget.tokens")}</th><th scope="col" class="right">{t("budget.cost")}</th></tr></thead><tbody>{now.features.map((one) => <tr key={one.name + (one.model ?? "")}><th scope="row">{one.name}</th><td class="quiet">{one.model}</td><td class="right">{number(one.calls)}</td><td class="right quiet">{one.tokens_in == null ? "—" : `${number(one.tokens_in)} / ${number(one.tokens_out ?? 0)}`}</td><td class="right"><b>{money(one.cost ?? 0)}</b></td></tr>)}</tbody></table></section>}
        </div>
        <div>{now.reasons && <section><h2>{t("budget.notProduced")}</h2><table class="table dense"><tbody>{now.reasons.map((one) => <tr key={one.reason}><th scope="row">{one.reason}</th><td><Bar share={one.count / most} /></td><td class="right">{number(one.count)}</td></tr>)}</tbody></table></section>}</div>
      </div>
    </>
  );
}
