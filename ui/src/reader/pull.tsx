// Pull to refresh: at the top of a list, drawing it down by more than 72 px asks for new articles. The button does the same.
import { signal } from "@preact/signals";
import { type RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../i18n.ts";
import { Icon, Spinner } from "../part/icon.tsx";

const FAR = 72;
/** How far the list is drawn down, in px; `refreshing` while the feeds are visited. */
const pulled = signal(0), refreshing = signal(false);

/** How far a list follows the finger: ever less. */
export const resisted = (by: number): number => Math.max(0, Math.min(110, by < FAR ? by * 0.7 : FAR * 0.7 + (by - FAR) * 0.35));

export function usePull(box: RefObject<HTMLElement | null>, refresh: () => Promise<void>): void {
  useEffect(() => {
    const shown = box.current;
    if (!shown || navigator.maxTouchPoints === 0) return;
    let from: { x: number; y: number } | null = null, by = 0;
    const begin = (event: TouchEvent): void => { const touch = event.touches[0]; from = touch && event.touches.length === 1 && shown.scrollTop <= 0 && !refreshing.value ? { x: touch.clientX, y: touch.clientY } : null; by = 0; };
    const move = (event: TouchEvent): void => {
      const touch = event.touches[0];
      if (!from || !touch) return;
      by = touch.clientY - from.y;
      // Sideways is a swipe of a row.
      if (shown.scrollTop > 0 || Math.abs(touch.clientX - from.x) > Math.max(12, by)) { from = null; by = 0; }
      pulled.value = resisted(by);
    };
    const end = (): void => {
      const far = from !== null && by > FAR;
      from = null; pulled.value = 0;
      if (far) { refreshing.value = true; void refresh().finally(() => { refreshing.value = false; }); }
    };
    const how = { passive: true };
    shown.addEventListener("touchstart", begin, how);
    shown.addEventListener("touchmove", move, how);
    shown.addEventListener("touchend", end, how);
    shown.addEventListener("touchcancel", end, how);
    return () => { shown.removeEventListener("touchstart", begin); shown.removeEventListener("touchmove", move); shown.removeEventListener("touchend", end); shown.removeEventListener("touchcancel", end); };
  }, []);
}

/** What stands above the first row while it is drawn down. */
export function Pull() {
  const height = refreshing.value ? 48 : pulled.value, far = pulled.value >= FAR * 0.7;
  if (height === 0) return null;
  return (
    <div class="pull" data-testid="pull" style={{ height: `${height}px` }} role="status">
      {refreshing.value ? <><Spinner />{t("refresh.asked")}</> : <><span class={far ? "turned" : ""}><Icon name="arrow-down" size={16} /></span>{far ? t("pull.let") : t("pull.more")}</>}
    </div>
  );
}
