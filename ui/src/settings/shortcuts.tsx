// Shortcuts: presets, own keys, conflicts, and a switch that turns single keys off.
import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { t, type Key } from "../i18n.ts";
import { type Action, GROUPS, PRESETS, bindings, conflicts, keyCaps, keyName } from "../keys.ts";
import { Keys, Select, Switch } from "../part/control.tsx";
import { Icon } from "../part/icon.tsx";
import { prefs, setPrefs } from "../store/settings.ts";
import { SetRow } from "./reading.tsx";

export function Shortcuts() {
  const recording = useSignal<Action | null>(null), typed = useSignal<string[]>([]);
  const keys = prefs.value.keys, clash = conflicts(bindings.value);
  const set = (action: Action, list: string[] | null): void => {
    const { [action]: _, ...rest } = keys.remap;
    setPrefs({ keys: { ...keys, remap: list ? { ...rest, [action]: list } : rest } });
  };
  // At once: the next key may follow the click without a pause.
  useLayoutEffect(() => {
    if (!recording.value) return;
    const action = recording.value;
    let timer = 0;
    const finish = (): void => { if (typed.value.length) set(action, [typed.value.join(" ")]); recording.value = null; typed.value = []; };
    const press = (event: KeyboardEvent): void => {
      if (["Shift", "Control", "Alt", "Meta", "Tab"].includes(event.key)) return;
      event.preventDefault(); event.stopPropagation();
      if (event.key === "Escape") { recording.value = null; typed.value = []; return; }
      typed.value = [...typed.value, keyName(event)];
      clearTimeout(timer);
      if (typed.value.length === 2) finish(); else timer = window.setTimeout(finish, 900);
    };
    document.addEventListener("keydown", press, true);
    return () => { clearTimeout(timer); document.removeEventListener("keydown", press, true); };
  }, [recording.value]);
  return (
    <div class="set key-table">
      <SetRow label="shortcuts.preset"><Select label={t("shortcuts.preset")} value={keys.preset} onChange={(preset) => setPrefs({ keys: { ...keys, preset, remap: {} } })} options={Object.keys(PRESETS).map((name) => [name, t(`preset.${name}` as Key)])} /></SetRow>
      <SetRow label="keys.single" note={t("shortcuts.single.note")}><Switch hideLabel label={t("keys.single")} checked={keys.single} onChange={(single) => setPrefs({ keys: { ...keys, single } })} /></SetRow>
      {clash.map((one) => <p key={one.keys} class="set-note warn" role="status"><Icon name="triangle-alert" size={15} /> {t("shortcuts.clash", { keys: keyCaps(one.keys).flat().join(" "), what: one.actions.map((action) => t(`key.${action}` as Key)).join(", ") })}</p>)}
      {GROUPS.map((group) => (
        <section key={group.title}><h2>{t(group.title)}</h2><table class="table"><thead class="hidden"><tr><th>{t("shortcuts.action")}</th><th>{t("shortcuts.keys")}</th></tr></thead><tbody>
          {group.actions.map((action) => (
            <tr key={action}><th scope="row">{t(`key.${action}` as Key)}</th><td class="right"><span class="key-edit">
              {recording.value === action ? <span class="recording" role="status">{typed.value.join(" ") || t("shortcuts.press")}</span> : <Keys of={action} all />}
              <button type="button" class="text" aria-label={t("shortcuts.changeOf", { what: t(`key.${action}` as Key) })} onClick={() => { recording.value = action; typed.value = []; }}>{t("shortcuts.change")}</button>
              {keys.remap[action] ? <button type="button" class="text quiet" onClick={() => set(action, null)}>{t("shortcuts.reset")}</button> : (bindings.value[action] ?? []).length > 0 && <button type="button" class="text quiet" aria-label={t("shortcuts.offOf", { what: t(`key.${action}` as Key) })} onClick={() => set(action, [])}>{t("shortcuts.off")}</button>}
            </span></td></tr>
          ))}
        </tbody></table></section>
      ))}
    </div>
  );
}
