// Messages at the foot of the list.
import { t } from "../i18n.ts";
import type { Action } from "../keys.ts";
import { Keys, Tool } from "../part/control.tsx";
import { dismissSweep } from "../store/list.ts";
import { dismiss, spoken, toasts } from "../store/toast.ts";

export function Toasts() {
  return (
    <>
      <div class="toasts" role="region" aria-label={t("messages")}>
        {toasts.value.map((toast) => (
          <div key={toast.id} class={`toast ${toast.tone}`} data-testid="toast">
            <span>{toast.strong && <strong>{toast.strong} </strong>}{toast.text}</span>
            {toast.action && <button type="button" class="toast-action" onClick={toast.action.run}>{toast.action.label} {toast.action.key && <Keys of={toast.action.key as Action} />}</button>}
            <Tool icon="x" label={t("dismiss")} size={16} onClick={() => { if (toast.action) dismissSweep(); dismiss(toast.id); }} />
          </div>
        ))}
      </div>
      <div class="hidden" role="status" aria-live="polite" data-testid="spoken">{spoken.value}</div>
    </>
  );
}
