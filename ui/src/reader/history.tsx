// Beside the history: what was marked together, for seven days and on every device, and the way back.
import { useEffect } from "preact/hooks";
import { dayOf, number, shortDate, time } from "../format.ts";
import { t } from "../i18n.ts";
import { Keys } from "../part/control.tsx";
import { Icon } from "../part/icon.tsx";
import { type Sweep, journal, loadJournal, undoSweep } from "../store/list.ts";
import { complain } from "../store/toast.ts";

const stamp = (at: number): string => (dayOf(at) === dayOf(Date.now()) ? time(at) : `${shortDate(at)}, ${time(at)}`);
const HOW: Record<string, string[]> = { A: ["Shift", "A"], "[": ["["], "]": ["]"], x: ["x"] };

export function History() {
  useEffect(() => { void loadJournal().catch(() => undefined); }, []);
  const latest = journal.value.find((sweep) => !sweep.undone && sweep.back !== 0);
  const run = (sweep: Sweep): void => { undoSweep(sweep).catch((error: unknown) => complain(error instanceof Error ? error.message : String(error))); };
  return (
    <section class="article journal" aria-label={t("journal.title")} data-testid="journal">
      <header class="list-head"><h2>{t("journal.title")}</h2></header>
      {journal.value.length === 0 && <p class="quiet">{t("journal.empty")}</p>}
      <ul>
        {journal.value.map((sweep) => {
          const gone = sweep.undone || sweep.back === 0, keys = HOW[sweep.how], part = !gone && sweep.back !== undefined && sweep.back < sweep.n;
          return (
            <li key={sweep.at} class={gone ? "undone" : ""}>
              <div><strong>{t("journal.row", { n: sweep.n, where: sweep.where })}</strong>
                <span class="quiet">{gone ? t("journal.undone", { at: stamp(sweep.at) }) : stamp(sweep.at)}{!gone && keys && <>, {t("journal.with")} {keys.map((key) => <kbd key={key}>{key}</kbd>)}</>}{part && <>. {t("journal.stays", { n: sweep.n - sweep.back! })}</>}</span></div>
              {!gone && (sweep === latest
                ? <button type="button" class="outline" onClick={() => run(sweep)}><Icon name="undo-2" size={16} />{t("undo")} <Keys of="undo" /></button>
                : <button type="button" class="text" onClick={() => run(sweep)}>{t("undo")}{part ? ` ${number(sweep.back!)}` : ""}</button>)}
            </li>
          );
        })}
      </ul>
      {journal.value.length > 0 && <p class="quiet">{t("journal.note")}</p>}
    </section>
  );
}
