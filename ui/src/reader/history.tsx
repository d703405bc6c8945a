// Beside the history: what was marked together, for seven days, and the way back.
import { dayOf, shortDate, time } from "../format.ts";
import { t } from "../i18n.ts";
import { Keys } from "../part/control.tsx";
import { Icon } from "../part/icon.tsx";
import { journal, undoSweep } from "../store/list.ts";
import { complain } from "../store/toast.ts";

const stamp = (at: number): string => (dayOf(at) === dayOf(Date.now()) ? time(at) : `${shortDate(at)}, ${time(at)}`);

export function History() {
  const latest = journal.value.find((sweep) => !sweep.undone);
  const run = (sweep: (typeof journal.value)[number]): void => { undoSweep(sweep).catch((error: unknown) => complain(error instanceof Error ? error.message : String(error))); };
  return (
    <section class="article journal" aria-label={t("journal.title")}>
      <header class="list-head"><h2>{t("journal.title")}</h2></header>
      {journal.value.length === 0 && <p class="quiet">{t("journal.empty")}</p>}
      <ul>
        {journal.value.map((sweep) => (
          <li key={sweep.at} class={sweep.undone ? "undone" : ""}>
            <div><strong>{t("journal.row", { n: sweep.n, where: sweep.where })}</strong><span class="quiet">{sweep.undone ? t("journal.undone", { at: stamp(sweep.at) }) : stamp(sweep.at)}</span></div>
            {!sweep.undone && (sweep === latest
              ? <button type="button" class="outline" onClick={() => run(sweep)}><Icon name="undo-2" size={16} />{t("undo")} <Keys of="undo" /></button>
              : <button type="button" class="text" onClick={() => run(sweep)}>{t("undo")}</button>)}
          </li>
        ))}
      </ul>
      {journal.value.length > 0 && <p class="quiet">{t("journal.note")}</p>}
    </section>
  );
}
