// AI budget: what was spent against the cap, by what, what was not produced and why, and the switch that stops all of it.
import { useSignal } from "@preact/signals";
import { Bar, SpendChart } from "../chart/lines.tsx";
import { Stacked, steps } from "../chart/stacked.tsx";
import { duration, longMonth, monthName, number, shortDate, time } from "../format.ts";
import { patch, post } from "../http.ts";
import { language, t, type Key } from "../i18n.ts";
import { Dialog, PageHead } from "../part/control.tsx";
import { saveCsv } from "../part/csv.ts";
import { Empty } from "../part/empty.tsx";
import { Icon } from "../part/icon.tsx";
import { has } from "../store/server.ts";
import { complain, show } from "../store/toast.ts";
import { type AiData, type AiMonth, ask } from "./data.ts";
import { Figures } from "./kpi.tsx";
import { refreshNow, useLive } from "./live.ts";

const KINDS = ["summary", "calm_title", "framing", "topics", "category", "sentiment", "answer", "tags", "one_line"];
const kindName = (kind: string): string => (KINDS.includes(kind) ? t(`kind.${kind}` as Key) : kind);
const REASONS = ["too_short", "budget", "provider", "admin", "private", "waiting", "off", "unfaithful", "schema"];
const reasonName = (reason: string): string => (REASONS.includes(reason) ? t(`notMade.${reason}` as Key) : reason);
const million = (value: number): string => (value === 0 ? "—" : value >= 100_000 ? `${number(Math.round(value / 10_000) / 100)}\u00a0M` : number(value));

export const moneyIn = (currency: string) => (value: number): string => { try { return new Intl.NumberFormat(language.value, { style: "currency", currency, maximumFractionDigits: value !== 0 && Math.abs(value) < 0.1 ? 4 : 2, minimumFractionDigits: 2 }).format(value); } catch { return `${value.toFixed(2)} ${currency}`; } };

export function Budget() {
  const { data: now, state, problem } = useLive<AiData>(() => ask("/admin/api/ai-usage"), "");
  const past = useLive<{ months: AiMonth[] }>(async () => ((await has("/admin/api/ai-usage/history")) ? ask("/admin/api/ai-usage/history", { months: 12 }) : null), "");
  const form = useSignal<"month" | "day">("month"), by = useSignal<"kind" | "model">("kind"), limits = useSignal(false);
  if (!now) return <><PageHead title={t("admin.budget")} />{state === "failed" && <Empty drawing="offline" title={t("list.failed")} testId="admin-failed" actions={<button type="button" class="primary" onClick={refreshNow}>{t("retry")}</button>}>{problem}</Empty>}</>;
  const money = moneyIn(now.currency), short = (value: number): string => money(value).replace(/([.,]00)(?=\D*$)/, "");
  const first = Date.parse(`${now.month}-01T00:00:00Z`), end = new Date(first), last = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0);
  let sum = 0;
  const spent = [...now.days].sort((a, b) => (a.day < b.day ? -1 : 1)).map((one) => ({ x: Date.parse(`${one.day}T00:00:00Z`), y: (sum += one.spent) }));
  if (spent.length === 1) spent.unshift({ x: Math.max(first, spent[0]!.x - 86400_000), y: 0 });
  const high = Math.max(now.cap ?? 0, now.forecast ?? 0, sum) * 1.08, used = now.cap ? Math.round((now.spent / now.cap) * 100) : null;
  const cached = now.kinds.reduce((all, one) => all + one.cached, 0), calls = now.kinds.reduce((all, one) => all + one.calls, 0);
  const level = !now.enabled ? "bad" : now.state === "stopped" ? "bad" : now.state === "normal" ? "good" : "warn", most = Math.max(1, ...now.reasons.map((one) => one.count));
  const day = (at: number): string => shortDate(at);
  return (
    <>
      <PageHead title={t("admin.budget")} count={t("budget.month", { month: longMonth(`${now.month}-15`) })} tabs={<span class={`head-state ${level}`}><Icon name={level === "good" ? "check" : level === "warn" ? "triangle-alert" : "circle-slash"} size={15} />{now.enabled ? [t(`budget.state.${now.state}`), used === null ? "" : t("budget.used", { n: used })].filter(Boolean).join(", ") : t("budget.off")}</span>}>
        <div class="tabs" role="group" aria-label={t("range")}>{(["month", "day"] as const).map((name) => <button key={name} type="button" aria-pressed={form.value === name} onClick={() => { form.value = name; }}>{t(`budget.by.${name}`)}</button>)}</div>
        <button type="button" class="outline" onClick={() => { limits.value = true; }}><Icon name="sliders-horizontal" size={16} />{t("budget.limits")}</button>
        <button type="button" class="outline" onClick={() => saveCsv(`ai-${now.month}`, [["provider", "model", "kind", "calls", "tokens_in", "tokens_out", "spent"], ...now.models.map((one) => [one.provider, one.model, one.kind, one.calls, one.tokens_in, one.tokens_out, one.spent])])}><Icon name="download" size={16} />CSV</button>
      </PageHead>
      <Figures all={[
        { label: t("budget.spent", { month: longMonth(`${now.month}-15`).split(" ")[0]! }), value: money(now.spent), unit: now.cap == null ? undefined : t("budget.of", { cap: money(now.cap) }) },
        { label: t("budget.today"), value: money(now.today), unit: now.today_cap == null ? undefined : t("budget.of", { cap: money(now.today_cap) }) },
        now.forecast != null && { label: t("budget.forecast", { day: day(last) }), value: money(now.forecast), unit: t("budget.withoutLimits") },
        calls + cached > 0 && { label: t("budget.cache"), value: number(Math.round((cached / (calls + cached)) * 1000) / 10), unit: "%" },
        { label: t("system.waitingCol"), value: number(now.waiting), unit: now.oldest_seconds ? t("budget.oldest", { time: duration(now.oldest_seconds) }) : undefined },
      ]} />
      <div class="budget">
        <div>
          {form.value === "month"
            ? <SpendChart title={now.cap == null ? t("budget.chartOpen") : t("budget.chart")} spent={spent} forecast={now.forecast ?? null} cap={now.cap} from={first} to={last} marks={steps(high)} money={short} day={day} />
            : <Stacked title={t("budget.perDay")} unit={money} axis={short} parts={[{ key: "spent", label: t("budget.spentWord"), pattern: "solid" }]} bars={now.days.map((one, at) => ({ at: one.day, label: `${day(Date.parse(one.day))} · ${t("budget.callsN", { n: one.calls })}`, tick: at % 4 === 0 ? String(Number(one.day.slice(8))) : undefined, values: { spent: one.spent } }))} />}
          <section class="by-feature"><h2>{by.value === "kind" ? t("budget.byFeature") : t("budget.byModel")}<span class="tabs" role="group" aria-label={t("budget.byFeature")}>{(["kind", "model"] as const).map((name) => <button key={name} type="button" aria-pressed={by.value === name} onClick={() => { by.value = name; }}>{t(`budget.tab.${name}`)}</button>)}</span></h2>
            <div class="table-box" tabIndex={0} role="region" aria-label={t("budget.byFeature")}>{by.value === "kind"
              ? <table class="table dense"><thead><tr><th scope="col">{t("budget.feature")}</th><th scope="col" class="right">{t("budget.calls")}</th><th scope="col" class="right">{t("budget.failed")}</th><th scope="col" class="right">{t("budget.tokensIn")}</th><th scope="col" class="right">{t("budget.tokensOut")}</th><th scope="col" class="right">{t("budget.fromCache")}</th><th scope="col" class="right">{t("budget.capCol")}</th><th scope="col" class="right">{t("budget.cost")}</th></tr></thead><tbody>{now.kinds.map((one) => <tr key={one.kind}><th scope="row">{kindName(one.kind)}</th><td class="right">{number(one.calls)}</td><td class={`right ${one.failed ? "warn" : "quiet"}`}>{one.failed ? number(one.failed) : "—"}</td><td class="right quiet">{million(one.tokens_in)}</td><td class="right quiet">{million(one.tokens_out)}</td><td class="right quiet">{one.calls + one.cached ? `${Math.round((one.cached / (one.calls + one.cached)) * 100)}\u00a0%` : "—"}</td><td class="right quiet">{one.cap == null ? "—" : money(one.cap)}</td><td class="right"><b>{money(one.spent)}</b></td></tr>)}</tbody></table>
              : <table class="table dense"><thead><tr><th scope="col">{t("budget.model")}</th><th scope="col">{t("budget.feature")}</th><th scope="col" class="right">{t("budget.calls")}</th><th scope="col" class="right">{t("budget.tokensIn")}</th><th scope="col" class="right">{t("budget.tokensOut")}</th><th scope="col" class="right">{t("budget.cost")}</th></tr></thead><tbody>{now.models.map((one) => <tr key={one.provider + one.model + one.kind}><th scope="row">{one.model} <span class="quiet">{one.provider}</span></th><td class="quiet">{kindName(one.kind)}</td><td class="right">{number(one.calls)}</td><td class="right quiet">{million(one.tokens_in)}</td><td class="right quiet">{million(one.tokens_out)}</td><td class="right"><b>{money(one.spent)}</b></td></tr>)}</tbody></table>}</div>
          </section>
          {past.data && past.data.months.length > 1 && <section class="by-feature"><h2>{t("budget.months")}</h2><table class="table dense"><tbody>{past.data.months.map((one) => <tr key={one.month}><th scope="row">{monthName(`${one.month}-15`)}</th><td><Bar share={one.spent / Math.max(0.01, ...past.data!.months.map((other) => other.spent))} wide={160} /></td><td class="right quiet">{t("budget.callsN", { n: one.calls })}</td><td class="right quiet">{one.cap == null ? "" : t("budget.of", { cap: money(one.cap) })}</td><td class="right"><b>{money(one.spent)}</b></td></tr>)}</tbody></table></section>}
        </div>
        <aside aria-label={t("budget.side")}>
          <Breaker now={now} />
          <section><h2>{t("budget.queue")}<small>{t("budget.waitingN", { n: now.waiting })}</small></h2><p class="set-note">{[now.pace_rpm ? t("budget.pace", { n: now.pace_rpm }) : "", now.rate_limited_until && Date.parse(now.rate_limited_until) > Date.now() ? t("budget.limited", { at: time(now.rate_limited_until) }) : ""].filter(Boolean).join(" ") || (now.waiting ? t("budget.oldestIs", { time: duration(now.oldest_seconds ?? 0) }) : t("budget.nothingWaits"))}</p></section>
          {now.reasons.length > 0 && <section><h2>{t("budget.notProduced")}</h2><table class="table dense plain-rows"><tbody>{now.reasons.map((one) => <tr key={one.reason}><th scope="row">{reasonName(one.reason)}</th><td><Bar share={one.count / most} /></td><td class="right">{number(one.count)}</td></tr>)}</tbody></table></section>}
          <Kill enabled={now.enabled} />
        </aside>
      </div>
      {limits.value && <Limits now={now} onClose={() => { limits.value = false; }} />}
    </>
  );
}

const STATES = [["closed", "circle-check"], ["open", "circle-x"], ["half_open", "circle-dashed"]] as const;

function Breaker({ now }: { now: AiData }) {
  const breaker = now.breaker;
  if (!breaker) return null;
  const reset = async (): Promise<void> => { try { await post("/admin/api/ai/breaker/reset"); show({ text: t("breaker.wasReset") }); } catch (error) { complain(error instanceof Error ? error.message : String(error)); } refreshNow(); };
  return (
    <section data-testid="breaker"><h2>{t("breaker")}<small>{[now.model, now.provider].filter(Boolean).join(", ")}</small></h2>
      <ol class="breaker">{STATES.map(([name, icon]) => <li key={name} class={breaker.state === name ? `on ${name}` : ""} aria-current={breaker.state === name ? "step" : undefined}><Icon name={icon} size={16} />{t(`breaker.${name}`)}</li>)}</ol>
      <p class="set-note">{breaker.state === "closed" ? (breaker.failures ? t("breaker.text.some", { n: breaker.failures }) : t("breaker.text.closed")) : [t("breaker.text.open", { n: breaker.failures, at: breaker.opened_at ? time(breaker.opened_at) : "" }), breaker.retry_at && Date.parse(breaker.retry_at) > Date.now() ? t("breaker.text.retry", { time: duration((Date.parse(breaker.retry_at) - Date.now()) / 1000) }) : ""].join(" ")}
        {breaker.state !== "closed" && <> <button type="button" class="text" onClick={() => void reset()}>{t("breaker.reset")}</button></>}</p>
    </section>
  );
}

/** Stops all AI after a word was typed; starting it needs none. */
function Kill({ enabled }: { enabled: boolean }) {
  const typed = useSignal(""), word = t("kill.word");
  const set = async (on: boolean): Promise<void> => { try { await patch("/admin/api/ai", { enabled: on }); show({ text: on ? t("kill.started") : t("kill.stopped") }); typed.value = ""; } catch (error) { complain(error instanceof Error ? error.message : String(error)); } refreshNow(); };
  if (!enabled) return <section data-testid="kill"><h2>{t("kill.isOff")}</h2><p class="set-note">{t("kill.isOff.text")}</p><button type="button" class="primary" onClick={() => void set(true)}>{t("kill.start")}</button></section>;
  return (
    <section data-testid="kill"><h2>{t("kill")}</h2><p class="set-note" id="kill-text">{t("kill.text")} {t("kill.type", { word })}</p>
      <form class="kill" onSubmit={(event) => { event.preventDefault(); if (typed.value.trim().toLowerCase() === word) void set(false); }}><input class="input" aria-label={t("kill.type", { word })} aria-describedby="kill-text" autocomplete="off" value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }} /><button type="submit" class="outline" disabled={typed.value.trim().toLowerCase() !== word}>{t("kill")}</button></form></section>
  );
}

const amount = (text: string): number | null | undefined => { const clean = text.trim().replace(",", "."); if (clean === "") return null; const value = Number(clean); return Number.isFinite(value) && value >= 0 ? value : undefined; };

/** Ceilings for the month, the day and each feature; an empty field is none of its own. */
function Limits({ now, onClose }: { now: AiData; onClose: () => void }) {
  const first: Record<string, string> = { month: now.cap == null ? "" : String(now.cap), day: now.today_cap == null ? "" : String(now.today_cap), ...Object.fromEntries(now.kinds.map((one) => [`kind.${one.kind}`, one.cap == null ? "" : String(one.cap)])) };
  const values = useSignal(first), problem = useSignal("");
  const save = async (): Promise<void> => {
    const changed = Object.entries(values.value).filter(([name, text]) => text !== first[name]), read = changed.map(([name, text]) => [name, amount(text)] as const);
    if (read.some(([, value]) => value === undefined)) { problem.value = t("budget.notMoney"); return; }
    if (changed.length === 0) { onClose(); return; }
    const kinds = Object.fromEntries(read.filter(([name]) => name.startsWith("kind.")).map(([name, value]) => [name.slice(5), value]));
    const own = new Map(read);
    try { await patch(`/admin/api/ai-usage/${now.month}/budget`, { ...(own.has("month") ? { month_cap: own.get("month") } : {}), ...(own.has("day") ? { day_cap: own.get("day") } : {}), ...(Object.keys(kinds).length ? { kinds } : {}) }); show({ text: t("budget.saved") }); refreshNow(); onClose(); } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
  };
  const row = (name: string, label: string) => <div class="form-row" key={name}><label for={`limit-${name}`}>{label}</label><div class="money"><input id={`limit-${name}`} class="input" inputMode="decimal" placeholder={t("budget.noLimit")} value={values.value[name]} onInput={(event) => { values.value = { ...values.value, [name]: event.currentTarget.value }; problem.value = ""; }} /><span class="quiet">{now.currency}</span></div></div>;
  return (
    <Dialog title={t("budget.limits")} class="small" onClose={onClose} foot={<><span class="grow" /><button type="button" class="plain" onClick={onClose}>{t("cancel")}</button><button type="button" class="primary" onClick={() => void save()}>{t("save")}</button></>}>
      <p class="dialog-text">{t("budget.limits.text")}</p>
      <form onSubmit={(event) => { event.preventDefault(); void save(); }}>{row("month", t("budget.limit.month"))}{row("day", t("budget.limit.day"))}{now.kinds.map((one) => row(`kind.${one.kind}`, kindName(one.kind)))}<button type="submit" class="hidden" tabIndex={-1} aria-hidden="true" /></form>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
    </Dialog>
  );
}
