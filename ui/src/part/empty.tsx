// Empty states: a drawing of a few strokes, one line of type, one way on.
import type { ComponentChildren } from "preact";

const DRAWINGS = {
  feeds: <><path d="M2 4h92" stroke-width="3.5" /><path d="M2 10h92" /><g stroke-dasharray="2 4"><path d="M3 22h26v36H3zM37 22h20M37 29h20M37 36h20M37 43h20M37 50h20M37 57h9M68 22h26M68 29h26M68 36h20M68 43h20M68 50h14" /></g></>,
  caughtUp: <><path d="M2 4h92" stroke-width="3.5" /><path d="M2 10h92M2 24h41M2 32h35M2 40h41M2 48h22" /><path d="m57 38 11 12 26-29" stroke-width="3.5" /></>,
  search: <><circle cx="31" cy="25" r="22" /><g stroke-dasharray="2 4"><path d="M21 20h20M21 26h20M21 32h14" /></g><path d="m47 41 14 15" stroke-width="3.5" /><path d="M72 10h22M72 18h15M72 26h22" opacity=".55" /></>,
  filter: <><path d="M4 5h60L44 30v22l-10-5V30z" /><path d="M72 5h22M72 13h15M72 21h22M72 29h10M72 37h22" opacity=".55" /></>,
  bookmark: <><path d="M20 4h34v54L37 45 20 58z" /><path d="M66 8h28M66 16h18M66 24h28" opacity=".55" /><path d="M28 16h18" stroke-width="3.5" /></>,
  history: <><circle cx="34" cy="32" r="26" /><path d="M34 16v17l12 7" stroke-width="3.5" /><path d="M72 12h22M72 22h14M72 32h22" opacity=".55" /></>,
  offline: <><path d="M14 46a16 16 0 0 1 4-31 22 22 0 0 1 41 6 13 13 0 0 1 3 25z" /><path d="m12 58 58-52" stroke-width="3.5" /></>,
  url: <><rect x="2" y="14" width="88" height="42" rx="5" /><path d="m17 40-3 3a7 7 0 0 1-10-10" transform="translate(10 -6)" /><path d="M48 35h20" stroke-width="3.5" /><path d="M74 27v16" /><path d="M20 39l12-12m-8-3 4-4a7 7 0 0 1 10 10l-4 4m-6 6-4 4a7 7 0 0 1-10-10l4-4" transform="scale(.82) translate(8 8)" /></>,
  file: <><path d="M20 2h34l16 16v52H20z" /><path d="M54 2v16h16" /><path d="M32 30v32M32 34h8M32 46h8M32 58h8" /><path d="M46 34h14M46 46h14M46 58h14" stroke-width="3.5" /></>,
};
export type Drawing = keyof typeof DRAWINGS;

export function Picture({ name, width = 96 }: { name: Drawing; width?: number }) {
  return <svg class="drawing" width={width} height={width * 0.75} viewBox="0 0 96 72" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">{DRAWINGS[name]}</svg>;
}

export function Empty({ drawing, title, children, actions, testId, level = 2 }: { level?: 1 | 2; drawing: Drawing; title: string; children?: ComponentChildren; actions?: ComponentChildren; testId: string }) {
  const Title = level === 1 ? "h1" : "h2";
  return (
    <div class="empty" data-testid={testId}>
      <Picture name={drawing} />
      <Title>{title}</Title>
      {children && <div class="empty-text">{children}</div>}
      {actions && <div class="empty-actions">{actions}</div>}
    </div>
  );
}
