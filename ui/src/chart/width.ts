// How wide a chart is on the page: it is drawn in real pixels, so that its words keep their size on every screen.
import { type RefObject } from "preact";
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

export function useWidth(first: number): [RefObject<HTMLElement | null>, number] {
  const box = useRef<HTMLElement>(null), width = useSignal(first);
  useLayoutEffect(() => {
    const shown = box.current;
    if (!shown) return;
    const measure = (): void => { const now = Math.round(shown.clientWidth); if (now > 0 && now !== width.peek()) width.value = now; };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(shown);
    return () => watch.disconnect();
  }, []);
  return [box, Math.max(240, width.value)];
}
