// Import and export: a list of feeds is previewed, imported as a job that goes on by itself, and can be taken back. One page,
// three steps, one table; only the column of results changes.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ImportBody } from "../api.d.ts";
import { bytes, number } from "../format.ts";
import { get, post } from "../http.ts";
import { t } from "../i18n.ts";
import { Check, Keys, PageHead, Switch } from "../part/control.tsx";
import { Picture } from "../part/empty.tsx";
import { saveCsv } from "../part/csv.ts";
import { Frame } from "../part/frame.tsx";
import { Favicon, Icon } from "../part/icon.tsx";
import { categories, feeds, loadLibrary } from "../store/library.ts";
import { complain, undoable } from "../store/toast.ts";
import type { Feed, ImportRow, Job } from "../types.ts";
import { type Line, readOpml, writeOpml } from "./opml.ts";

type Result = "new" | "known" | "refused" | "added" | "silent" | "fetching" | "waiting" | "out";
interface Row extends Line { result: Result; why?: string }
type Step = { kind: "start" } | { kind: "preview"; file: File; foreseen: ImportBody } | { kind: "running"; job: Job } | { kind: "done"; job: Job };

const KEPT = "courant.import";
const ICONS: Record<Result, string> = { new: "plus", known: "check", refused: "circle-slash", added: "check", silent: "triangle-alert", fetching: "arrow-down-to-line", waiting: "circle-dashed", out: "minus" };

/** Why a line cannot be imported, by the address that the server names. */
function refusals(errors: string[]): Map<string, string> {
  return new Map(errors.map((text) => { const at = text.indexOf(": "); return [text.slice(0, at), text.slice(at + 2)] as [string, string]; }));
}

/** How an added feed is: it has posts, it has not answered, or it is being visited. */
function arrived(line: Line, feed: Feed | undefined): Row {
  if (!feed || (feed.fetch_state.last_checked_at === 0 && feed.error_count === 0)) return { ...line, result: "fetching" };
  if (feed.error_count > 0) return { ...line, result: "silent", why: feed.last_error ?? feed.fetch_state.last_error ?? undefined };
  return { ...line, result: "added", why: t("import.posts", { n: feed.post_count }) };
}

/** A row as the server has it: what it says about a line is surer than what was seen in the file. */
function told(line: Line, row: ImportRow, byId: Map<number, Feed>): Row {
  if (row.state === "failed") return { ...line, result: "out", why: row.reason ?? undefined };
  if (row.state === "skipped") return { ...line, result: "out", why: row.reason ?? t("import.wasHere") };
  return arrived(line, row.feed_id == null ? undefined : byId.get(row.feed_id));
}

/** What happens to the other lines; nothing is said of none. */
const rest = (known: number, refused: number, over = false): string => [known ? t(over ? "import.knownWere" : "import.known", { n: known }) : "", refused ? t(over ? "import.refusedWere" : "import.refused", { n: refused }) : ""].filter(Boolean).join(" ");

const ASKED = 2000;

export default function Import() {
  const left = useSignal<Set<string>>(new Set()), keepCategories = useSignal(true);
  const step = useSignal<Step>({ kind: "start" }), lines = useSignal<Line[]>([]), shown = useSignal<"all" | Result>("all"), busy = useSignal(false), problem = useSignal(""), known = useSignal<Set<string>>(new Set());
  const timer = useRef(0), input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = `${t("import.title")} · Courant`;
    const last = Number(sessionStorage.getItem(KEPT));
    if (last) void get<Job>(`/api/jobs/${last}`).then((job) => { if (job.state !== "undone") { step.value = { kind: job.state === "done" ? "done" : "running", job }; if (job.state !== "done") watch(job.id); } }, () => undefined);
    return () => clearTimeout(timer.current);
  }, []);
  const rows = useComputed((): Row[] => {
    const now = step.value;
    const errors = refusals(now.kind === "preview" ? now.foreseen.errors : now.kind === "start" ? [] : now.job.errors);
    const over = now.kind === "done", have = new Set([...feeds.value.values()].map((feed) => feed.url));
    const byUrl = new Map([...feeds.value.values()].map((feed) => [feed.url, feed]));
    const rows = now.kind === "running" || now.kind === "done" ? now.job.rows : undefined;
    if (rows?.length && lines.value.length === 0) return rows.map((row, at) => told({ line: at + 1, title: row.title ?? row.url, url: row.url, path: row.category ? row.category.split(" / ") : [] }, row, feeds.value));
    const server = new Map((rows ?? []).map((row) => [row.url, row]));
    return lines.value.map((line): Row => {
      const row = server.get(line.url), why = errors.get(line.url);
      if (row) return told(line, row, feeds.value);
      if (why !== undefined) return { ...line, result: now.kind === "preview" ? "refused" : "out", why };
      if (known.value.has(line.url)) return { ...line, result: now.kind === "preview" ? "known" : "out", why: now.kind === "preview" ? undefined : t("import.wasHere") };
      if (now.kind === "preview") return { ...line, result: "new" };
      if (left.value.has(line.url)) return { ...line, result: "out", why: t("import.leftByYou") };
      return over || have.has(line.url) ? arrived(line, byUrl.get(line.url)) : { ...line, result: "waiting" };
    });
  });
  // Feeds that were just added are visited one after the other: their rows say how it went.
  useEffect(() => {
    if (step.value.kind !== "done" || !rows.value.some((row) => row.result === "fetching")) return;
    let tries = 0;
    const again = setInterval(() => { if (++tries > 60 || !rows.peek().some((row) => row.result === "fetching")) clearInterval(again); else void loadLibrary(); }, ASKED);
    return () => clearInterval(again);
  }, [step.value.kind]);

  const choose = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    busy.value = true; problem.value = "";
    try {
      const text = await file.text();
      known.value = new Set([...feeds.value.values()].map((feed) => feed.url));
      const foreseen = await post<ImportBody>("/api/feeds/import-opml?dry_run=true", undefined, { raw: file, type: "text/x-opml" });
      lines.value = readOpml(text);
      shown.value = "all"; left.value = new Set(); keepCategories.value = true;
      step.value = { kind: "preview", file, foreseen };
    } catch (error) { problem.value = error instanceof Error ? error.message : String(error); } finally { busy.value = false; }
  };
  const watch = (id: number): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      void get<Job>(`/api/jobs/${id}`).then(async (job) => {
        const over = job.state === "done" || job.state === "undone";
        await loadLibrary();
        step.value = { kind: over ? "done" : "running", job };
        if (!over) watch(id);
      }, () => watch(id));
    }, 700);
  };
  const run = async (file: File): Promise<void> => {
    busy.value = true;
    try {
      // The answer waits for ten seconds; the job is shown as soon as it is known.
      const changed = left.value.size > 0 || !keepCategories.value;
      const raw = changed ? writeOpml(lines.value.filter((line) => !left.value.has(line.url)), keepCategories.value) : file;
      const started = await post<ImportBody>("/api/feeds/import-opml", undefined, { raw, type: "text/x-opml" });
      if (started.job_id != null) {
        sessionStorage.setItem(KEPT, String(started.job_id));
        const job = await get<Job>(`/api/jobs/${started.job_id}`);
        await loadLibrary();
        step.value = { kind: job.state === "done" ? "done" : "running", job };
        if (job.state !== "done") watch(started.job_id);
        undoable.value = { text: t("import.undo"), run: () => undo(job) };
      }
    } catch (error) { complain(error instanceof Error ? error.message : String(error)); } finally { busy.value = false; }
  };
  const undo = async (job: Job): Promise<void> => {
    try { const next = await post<Job>(`/api/jobs/${job.id}/undo`); sessionStorage.removeItem(KEPT); await loadLibrary(); step.value = { kind: "done", job: next }; } catch (error) { complain(error instanceof Error ? error.message : String(error)); }
  };

  const now = step.value, at = now.kind === "start" ? 0 : now.kind === "preview" ? 1 : now.kind === "running" ? 2 : 3;
  const steps = at > 0 && <ol class="steps-line">{(["import.step1", "import.step2", "import.step3"] as const).map((key, n) => <li key={key} aria-current={n + 1 === at ? "step" : undefined} class={n + 1 === at ? "on" : ""}>{n + 1} {t(key)}</li>)}</ol>;
  const file = now.kind === "preview" ? now.file : undefined;
  const unticked = now.kind === "preview" ? rows.value.filter((row) => row.result === "new" && left.value.has(row.url)).length : 0;
  const newOnes = now.kind === "preview" ? now.foreseen.imported - unticked : 0;
  const fresh = rows.value.filter((row) => row.result === "new"), tick = (url: string, on: boolean): void => { const next = new Set(left.value); if (on) next.delete(url); else next.add(url); left.value = next; };
  const groups = new Set(rows.value.filter((row) => row.result === "new" && row.path.length).map((row) => row.path.join("/")));
  const newGroups = [...groups].filter((path) => !categories.value.some((one) => one.name === path.split("/").pop()));
  return (
    <Frame>
      <PageHead title={at === 0 ? t("import.title") : t("import.head")} tabs={steps}>
        {now.kind === "preview" && <><button type="button" class="plain" onClick={() => { step.value = { kind: "start" }; lines.value = []; }}>{t("cancel")}</button><button type="button" class="primary" disabled={busy.value || newOnes === 0} onClick={() => void run(now.file)}>{busy.value ? t("import.running") : t("import.run", { n: newOnes })}</button></>}
        {now.kind === "done" && <>{now.job.state !== "undone" && <button type="button" class="outline" onClick={() => void undo(now.job)}><Icon name="undo-2" size={16} />{t("import.undo")} <Keys of="undo" /></button>}<a class="primary" href="/r/unread">{t("import.read")}</a></>}
      </PageHead>
      {now.kind === "start" && <div class="import-start">
        <section><Picture name="file" width={76} /><h2>{t("import.opml")}</h2><p>{t("import.text")}</p>
          <div class="drop" onDragOver={(event) => event.preventDefault()} onDrop={(event) => { event.preventDefault(); void choose(event.dataTransfer?.files[0]); }}>
            <input ref={input} id="opml-file" class="hidden" type="file" accept=".opml,.xml,text/xml,application/xml,text/x-opml" onChange={(event) => void choose(event.currentTarget.files?.[0])} />
            <label for="opml-file" class="primary"><Icon name="upload" size={16} />{busy.value ? t("import.reading") : t("import.choose")}</label><span class="quiet">{t("import.drop")}</span></div>
          {problem.value && <p class="problem" role="alert">{problem.value}</p>}</section>
        <section><Picture name="url" width={76} /><h2>{t("export.title")}</h2><p>{t("export.text")}</p><p class="line"><a class="outline" href="/api/feeds/export-opml" download><Icon name="download" size={16} />{t("export.all")}</a></p></section>
      </div>}
      {now.kind !== "start" && <>
        <div class="import-top">
          <p class="sentence" role="status">{now.kind === "preview" ? <><b>{t("import.n", { n: newOnes })}</b> {t("import.willAdd", { n: newOnes })}{keepCategories.value && newGroups.length > 0 && `, ${t("import.groups", { n: newGroups.length })}`}. {rest(now.foreseen.skipped, now.foreseen.errors.length)} {t("import.nothingYet")}</>
            : now.kind === "running" ? <><b>{t("import.of", { n: now.job.done, of: now.job.total })}</b> {t("import.now")}</>
            : now.job.state === "undone" ? t("import.undone", { n: now.job.imported }) : <><b>{t("import.n", { n: now.job.imported })}</b> {t("import.wereAdded", { n: now.job.imported })}. {rest(now.job.skipped, now.job.errors.length, true)}</>}</p>
          {file && <p class="file-note"><strong>{file.name}</strong><span>{t("import.file", { size: bytes(file.size), n: lines.value.length })}</span></p>}
        </div>
        {now.kind === "running" && <div class="bar-track" role="progressbar" aria-label={t("import.head")} aria-valuenow={now.job.done} aria-valuemax={now.job.total}><i style={{ transform: `scaleX(${now.job.total ? now.job.done / now.job.total : 0})` }} /></div>}
        {rows.value.length > 0 && <>
          <div class="chips">{(["all", "new", "known", "refused", "added", "silent", "fetching", "waiting", "out"] as const).map((name) => { const n = name === "all" ? rows.value.length : rows.value.filter((row) => row.result === name).length; return (n > 0) && <button key={name} type="button" class="filter-chip" aria-pressed={shown.value === name} onClick={() => { shown.value = name; }}>{t(`import.chip.${name}`)}<span class="n">{number(n)}</span></button>; })}<span class="grow" />
            {now.kind === "preview" && lines.value.some((line) => line.path.length > 0) && <Switch label={t("import.keepGroups")} checked={keepCategories.value} onChange={(on) => { keepCategories.value = on; }} />}
            {now.kind === "done" && <button type="button" class="outline" onClick={() => csv(rows.value)}><Icon name="download" size={16} />{t("import.csv")}</button>}</div>
          <div class="table-box" tabIndex={0} role="region" aria-label={t("import.head")}><table class="table" data-testid="import-table">
            <thead><tr>{now.kind === "preview" && <th class="tick"><Check label={t("manage.all")} checked={unticked === 0 && fresh.length > 0} mixed={unticked > 0 && unticked < fresh.length} onChange={(on) => { left.value = on ? new Set() : new Set(fresh.map((row) => row.url)); }} /></th>}<th scope="col" class="right">{t("import.line")}</th><th scope="col">{t("view.feed")}</th><th scope="col">{t("view.category")}</th><th scope="col">{now.kind === "preview" ? t("import.would") : t("import.result")}</th><th /></tr></thead>
            <tbody>{rows.value.filter((row) => shown.value === "all" || row.result === shown.value).slice(0, 500).map((row) => (
              <tr key={`${row.line}${row.url}`} class={row.result === "out" || row.result === "refused" ? "faded" : ""}>
                {now.kind === "preview" && <td class="tick">{row.result === "new" ? <Check label={t("manage.choose", { title: row.title })} checked={!left.value.has(row.url)} onChange={(on) => tick(row.url, on)} /> : null}</td>}
                <td class="right quiet">{row.line}</td><th scope="row" class="name-cell"><span><Favicon title={row.title} /><b dir="auto">{row.title}</b><small>{row.url.replace(/^https?:\/\//, "")}</small></span></th>
                <td class="cut">{(keepCategories.value && row.path.join(" / ")) || t("category.default")}{keepCategories.value && newGroups.includes(row.path.join("/")) && <span class="quiet"> {t("import.newGroup")}</span>}</td>
                <td><span class={`health ${row.result} ${row.result === "refused" ? "chip bad" : row.result === "silent" ? "chip warn" : ""}`}><Icon name={ICONS[row.result]} size={15} fill={row.result === "silent"} />{t(`import.row.${row.result}`)}</span></td><td class="quiet">{row.why ?? ""}</td>
              </tr>))}</tbody>
          </table></div></>}
        {now.kind !== "preview" && rows.value.length === 0 && now.job.errors.length > 0 && <ul class="error-list">{now.job.errors.map((text) => <li key={text}>{text}</li>)}</ul>}
      </>}
    </Frame>
  );
}

function csv(rows: Row[]): void {
  saveCsv("import", [["line", "title", "url", "category", "result", "note"], ...rows.map((row) => [row.line, row.title, row.url, row.path.join(" / "), row.result, row.why ?? ""])]);
}
