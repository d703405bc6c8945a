// Filters: what is muted, marked, saved or tagged as it arrives. Every edit is tried on the last posts before it is saved.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { FilterBody, TrialBody } from "../api.d.ts";
import { get, patch, post, put, remove } from "../http.ts";
import { t, type Key } from "../i18n.ts";
import { PageHead, Select, Switch, Tool } from "../part/control.tsx";
import { Empty } from "../part/empty.tsx";
import { Icon } from "../part/icon.tsx";
import { cutAt } from "../reader/query.ts";
import { href } from "../router.ts";
import { categories, categoryPath, feeds } from "../store/library.ts";
import { complain, offerUndo } from "../store/toast.ts";

/** A clause that this page cannot edit is kept as it came. */
interface Clause { field: string; not: boolean; value: string; raw?: Wire }
type Act = "mute" | "mark_read" | "star" | "tag";
interface Draft { id: number; name: string; scope: string; join: "any" | "all"; clauses: Clause[]; actions: { kind: Act; tag: string }[]; enabled: boolean }

/** What the API calls a clause, and back. */
type Wire = Record<string, unknown>;
function clauseToWire(clause: Clause): Wire {
  if (clause.raw) return clause.raw;
  const words = clause.value.split(",").map((word) => word.trim()).filter(Boolean);
  const base: Wire = clause.field === "author" || clause.field === "tag" || clause.field === "link" ? { [clause.field]: clause.value.trim() } : { words, in: clause.field };
  return clause.not ? { ...base, not: true } : base;
}
function clauseFromWire(wire: Wire): Clause {
  const not = wire.not === true;
  for (const field of ["author", "tag", "link"]) if (typeof wire[field] === "string") return { field, not, value: wire[field] };
  if (Array.isArray(wire.words)) return { field: String(wire.in ?? "both"), not, value: wire.words.join(", ") };
  return { field: "other", not, value: JSON.stringify(wire), raw: wire };
}
export function toWire(draft: Draft): Wire {
  const [kind, id] = draft.scope.split(":");
  return {
    name: draft.name.trim(), enabled: draft.enabled, scope: kind === "all" ? "all" : { [kind!]: Number(id) }, condition: { [draft.join]: draft.clauses.filter((one) => one.value.trim()).map(clauseToWire) },
    actions: draft.actions.map((action) => (action.kind === "tag" ? { tag: action.tag.trim() } : action.kind)),
  };
}
export function fromWire(filter: FilterBody): Draft {
  const scope = filter.scope as unknown, condition = filter.condition as Record<string, Wire[]>, join = "all" in condition ? "all" : "any";
  const pair = typeof scope === "object" && scope !== null ? Object.entries(scope as Record<string, number>)[0] : undefined;
  return {
    id: filter.id, name: filter.name, enabled: filter.enabled, scope: pair ? `${pair[0]}:${pair[1]}` : "all", join, clauses: (condition[join] ?? []).map(clauseFromWire),
    actions: (filter.actions as unknown[]).map((action) => (typeof action === "string" ? { kind: action as Act, tag: "" } : { kind: "tag", tag: String((action as { tag?: string }).tag ?? "") })),
  };
}

const FIELDS = ["title", "content", "both", "author", "tag", "link"];
const empty = (): Draft => ({ id: 0, name: "", scope: "all", join: "any", clauses: [{ field: "title", not: false, value: "" }], actions: [{ kind: "mute", tag: "" }], enabled: true });

function fromAddress(): Draft | null {
  const query = new URLSearchParams(location.search), title = query.get("title");
  return title ? { ...empty(), name: t("filters.muted", { title: title.slice(0, 40) }), scope: query.get("feed") ? `feed:${query.get("feed")}` : "all", clauses: [{ field: "title", not: false, value: title.replaceAll(",", " ") }] } : null;
}

const sentence = (filter: FilterBody): string => { const draft = fromWire(filter); return draft.clauses.map((clause) => `${clause.not ? `${t("filters.not")} ` : ""}${clause.value}`).join(draft.join === "any" ? ` ${t("or")} ` : ", ").slice(0, 80); };

export function Filters() {
  const all = useSignal<FilterBody[]>([]), loaded = useSignal(false), draft = useSignal<Draft | null>(fromAddress()), trial = useSignal<TrialBody | null>(null), problem = useSignal("");
  const timer = useRef(0);
  const load = async (): Promise<void> => { all.value = await get<FilterBody[]>("/api/filters"); loaded.value = true; };
  useEffect(() => { load().catch((error: unknown) => complain(String(error))); }, []);
  const now = draft.value;
  // Tries what is written, a moment after the last change.
  useEffect(() => {
    clearTimeout(timer.current);
    if (!now || !now.clauses.some((clause) => clause.value.trim())) { trial.value = null; return; }
    timer.current = window.setTimeout(() => { post<TrialBody>("/api/filters/try", { filter: toWire({ ...now, actions: now.actions.length ? now.actions : [{ kind: "mute", tag: "" }] }) }).then((found) => { trial.value = found; problem.value = ""; }, (error: unknown) => { trial.value = null; problem.value = error instanceof Error ? error.message : String(error); }); }, 350);
  }, [JSON.stringify(now)]);
  const edit = (change: Partial<Draft>): void => { if (draft.value) draft.value = { ...draft.value, ...change }; };
  const save = async (): Promise<void> => {
    if (!now) return;
    try {
      const wire = toWire({ ...now, name: now.name || now.clauses[0]?.value.slice(0, 60) || t("filters.new") });
      const saved = now.id ? await put<FilterBody>(`/api/filters/${now.id}`, wire) : await post<FilterBody>("/api/filters", wire);
      await load();
      draft.value = fromWire(saved);
      history.replaceState(null, "", "/settings/filters");
    } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
  };
  const drop = async (): Promise<void> => {
    if (!now?.id) { draft.value = null; return; }
    const wire = toWire(now);
    await remove(`/api/filters/${now.id}`);
    draft.value = null;
    await load();
    offerUndo({ text: t("filters.deleted", { name: now.name }), run: async () => { await post("/api/filters", wire); await load(); } });
  };
  const move = async (at: number, by: number): Promise<void> => {
    const ids = all.value.map((filter) => filter.id), to = at + by;
    if (to < 0 || to >= ids.length) return;
    ids.splice(to, 0, ids.splice(at, 1)[0]!);
    await patch("/api/filters/reorder", { ids });
    await load();
  };
  const scopes: [string, string][] = [["all", t("filters.everywhere")], ...categories.value.map((one): [string, string] => [`category:${one.id}`, categoryPath(one.id)]), ...[...feeds.value.values()].map((feed): [string, string] => [`feed:${feed.id}`, feed.title.slice(0, 60)])];
  const words = now ? now.clauses.flatMap((clause) => (clause.not ? [] : clause.value.split(",").map((word) => word.trim()).filter((word) => word.length > 1))) : [];
  return (
    <>
      <PageHead title={t("settings.filters")} count={loaded.value ? t("filters.count", { n: all.value.length }) : undefined}><button type="button" class="outline" onClick={() => { draft.value = empty(); }}><Icon name="plus" size={16} />{t("filters.new")}</button></PageHead>
      {loaded.value && all.value.length === 0 && !now ? <Empty drawing="filter" title={t("filters.none")} testId="filters-empty" actions={<button type="button" class="primary" onClick={() => { draft.value = empty(); }}>{t("filters.new")}</button>}>{t("filters.none.text")}</Empty> : (
        <div class="filters">
          <div><ul class="filter-list">{all.value.map((filter, at) => (
            <li key={filter.id} class={now?.id === filter.id ? "on" : ""}>
              <button type="button" class="pick" aria-current={now?.id === filter.id ? "true" : undefined} onClick={() => { draft.value = fromWire(filter); }}
                onKeyDown={(event) => { if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) { event.preventDefault(); void move(at, event.key === "ArrowUp" ? -1 : 1); } }}>
                <strong>{filter.name}</strong><span>{sentence(filter)}</span><span>{t("filters.hits", { n: filter.hits })}</span></button>
              <Switch hideLabel label={t("filters.on", { name: filter.name })} checked={filter.enabled} onChange={(enabled) => void put(`/api/filters/${filter.id}`, { ...toWire(fromWire(filter)), enabled }).then(load, (error: unknown) => complain(String(error)))} />
            </li>))}</ul>
            {all.value.length > 1 && <p class="set-note">{t("filters.order")} <kbd>Alt</kbd> <kbd>↑</kbd> {t("filters.orderKey")}</p>}</div>
          <div>{now && <>
            <div class="filter-head"><input class="input" aria-label={t("category.name")} placeholder={t("filters.name")} value={now.name} onInput={(event) => edit({ name: event.currentTarget.value })} />
              <button type="button" class="text bad" onClick={() => void drop()}>{now.id ? t("delete") : t("filters.discard")}</button><button type="button" class="primary" onClick={() => void save()}>{t("filters.save")}</button></div>
            {problem.value && <p class="problem" role="alert">{problem.value}</p>}
            <div class="clauses"><h2>{t("filters.if")}</h2><div>
              <div class="clause"><span class="join">{t("filters.in")}</span><Select label={t("filters.scope")} icon="folder" value={now.scope} onChange={(scope) => edit({ scope })} options={scopes} /></div>
              {now.clauses.map((clause, at) => { const set = (change: Partial<Clause>): void => edit({ clauses: now.clauses.map((one, n) => (n === at ? { ...one, ...change } : one)) }); return (
                <div class="clause" key={at}>
                  <span class="join">{at === 0 ? "" : now.join === "any" ? t("or") : t("filters.and")}</span>
                  <Select label={t("filters.field")} value={clause.field} onChange={(field) => set({ field })} options={[...FIELDS, ...(clause.raw ? ["other"] : [])].map((name) => [name, t(`filters.field.${name}` as Key)])} />
                  <Select label={t("filters.how")} value={clause.not ? "not" : "has"} onChange={(how) => set({ not: how === "not" })} options={[["has", t("filters.has")], ["not", t("filters.hasNot")]]} />
                  <input class="input" aria-label={t("filters.words")} placeholder={t("filters.words")} value={clause.value} onInput={(event) => set({ value: event.currentTarget.value })} />
                  {now.clauses.length > 1 && <Tool icon="x" label={t("filters.dropClause")} onClick={() => edit({ clauses: now.clauses.filter((_, n) => n !== at) })} />}
                </div>); })}
              <div class="clause"><span class="join" /><button type="button" class="text with-icon" onClick={() => edit({ clauses: [...now.clauses, { field: "title", not: false, value: "" }] })}><Icon name="plus" size={15} />{t("filters.addClause")}</button>
                {now.clauses.length > 1 && <Select label={t("filters.join")} value={now.join} onChange={(join) => edit({ join })} options={[["any", t("filters.any")], ["all", t("filters.all")]]} />}</div>
            </div></div>
            <div class="clauses"><h2>{t("filters.then")}</h2><div>{now.actions.map((action, at) => { const set = (change: Partial<{ kind: Act; tag: string }>): void => edit({ actions: now.actions.map((one, n) => (n === at ? { ...one, ...change } : one)) }); return (
              <div class="clause" key={at}><Select label={t("filters.action")} value={action.kind} onChange={(kind) => set({ kind })} options={(["mute", "mark_read", "star", "tag"] as const).map((kind) => [kind, t(`filters.act.${kind}` as Key)])} />
                {action.kind === "tag" && <input class="input" aria-label={t("palette.tag")} placeholder={t("palette.tag")} value={action.tag} onInput={(event) => set({ tag: event.currentTarget.value })} />}
                {now.actions.length > 1 && <Tool icon="x" label={t("filters.dropAction")} onClick={() => edit({ actions: now.actions.filter((_, n) => n !== at) })} />}</div>); })}
              <button type="button" class="text with-icon" onClick={() => edit({ actions: [...now.actions, { kind: "tag", tag: "" }] })}><Icon name="plus" size={15} />{t("filters.addAction")}</button></div></div>
            {trial.value && <div class="tried"><p class="sentence" role="status">{t("filters.tried", { n: trial.value.matched, of: trial.value.of })}</p>
              {trial.value.examples.map((example) => <div class="row-line" key={example.post_id}><b dir="auto"><a href={href({ kind: "all" }, example.post_id)}>{cutAt(example.title || t("untitled"), words).map((part, n) => (typeof part === "string" ? part : <mark key={n}>{part.hit}</mark>))}</a></b><span class="quiet">{example.because}</span></div>)}
            </div>}
          </>}</div>
        </div>
      )}
    </>
  );
}
