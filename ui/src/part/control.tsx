// Small controls that several screens share: key caps, buttons with an icon, switches, choices, menus and dialogs.
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../i18n.ts";
import { type Action, bindings, keyCaps } from "../keys.ts";
import { Icon } from "./icon.tsx";

/** The first key of an action, as caps. */
export function Keys({ of, all = false }: { of: Action; all?: boolean }) {
  const keys = bindings.value[of] ?? [];
  return <>{(all ? keys : keys.slice(0, 1)).map((one, at) => (
    <span class="keys" key={one}>{at > 0 && <span class="or">/</span>}{keyCaps(one).map((caps, n) => <span key={n}>{caps.map((cap) => <kbd key={cap}>{cap}</kbd>)}</span>)}</span>
  ))}</>;
}

interface ToolProps { icon: string; label: string; onClick?: (event: MouseEvent) => void; pressed?: boolean; fill?: boolean; of?: Action; class?: string; disabled?: boolean; size?: number; expanded?: boolean; children?: ComponentChildren }

/** A button that is an icon; its label is its tooltip, with its key. */
export function Tool({ icon, label, onClick, pressed, fill, of, disabled, size, expanded, children, ...more }: ToolProps) {
  const key = of ? bindings.value[of]?.[0] : undefined;
  return (
    <button type="button" class={`tool ${more.class ?? ""}`} aria-label={label} title={key ? `${label} (${keyCaps(key).flat().join(" ")})` : label} aria-pressed={pressed} aria-expanded={expanded} disabled={disabled} onClick={onClick}>
      <Icon name={icon} fill={fill} size={size} />{children}
    </button>
  );
}

export function Switch({ checked, onChange, label, hideLabel = false, disabled = false }: { checked: boolean; onChange: (on: boolean) => void; label: string; hideLabel?: boolean; disabled?: boolean }) {
  return (
    <label class="switch">
      <input type="checkbox" role="switch" checked={checked} disabled={disabled} onChange={(event) => onChange(event.currentTarget.checked)} aria-label={hideLabel ? label : undefined} />
      <span class="track" aria-hidden="true" />{!hideLabel && <span>{label}</span>}
    </label>
  );
}

export function Check({ checked, onChange, label, mixed = false, children }: { checked: boolean; onChange: (on: boolean) => void; label: string; mixed?: boolean; children?: ComponentChildren }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => { if (input.current) input.current.indeterminate = mixed; }, [mixed]);
  return <label class="check"><input ref={input} type="checkbox" checked={checked} aria-label={children ? undefined : label} onChange={(event) => onChange(event.currentTarget.checked)} />{children}</label>;
}

/** One of a few, all in sight. */
export function Choice<T extends string | number>({ value, options, onChange, label }: { value: T; options: [T, ComponentChildren][]; onChange: (value: T) => void; label: string }) {
  const name = useId();
  return (
    <div class="choice" role="radiogroup" aria-label={label}>
      {options.map(([key, text]) => (
        <label key={key} class={key === value ? "on" : ""}>
          <input type="radio" name={name} checked={key === value} onChange={() => onChange(key)} /><span>{text}</span>
        </label>
      ))}
    </div>
  );
}

export function Select<T extends string | number>({ value, options, onChange, label, id, icon }: { value: T; options: [T, string][]; onChange: (value: T) => void; label?: string; id?: string; icon?: string }) {
  return (
    <span class={`select ${icon ? "with-icon" : ""}`}>
      {icon && <Icon name={icon} size={16} />}
      <select id={id} aria-label={label} value={value} onChange={(event) => { const found = options.find(([key]) => String(key) === event.currentTarget.value); if (found) onChange(found[0]); }}>
        {options.map(([key, text]) => <option key={key} value={key} selected={key === value}>{text}</option>)}
      </select>
      <Icon name="chevrons-up-down" size={14} />
    </span>
  );
}

export interface Item { label: string; icon?: string; run?: () => void; href?: string; of?: Action; bad?: boolean; checked?: boolean; line?: boolean; hidden?: boolean; external?: boolean }

/** A button that opens a menu. Arrows move, Escape closes, the focus goes back. */
export function Menu({ icon = "ellipsis", label, items, of, class: name, align = "end", children, size, skip = false }: { skip?: boolean; icon?: string; label: string; items: Item[]; of?: Action; class?: string; align?: "start" | "end"; children?: ComponentChildren; size?: number }) {
  const button = useRef<HTMLButtonElement>(null), menu = useRef<HTMLDivElement>(null);
  const place = (): void => {
    const from = button.current!.getBoundingClientRect(), box = menu.current!;
    const { offsetWidth: width, offsetHeight: height } = box;
    const left = align === "end" ? from.right - width : from.left;
    box.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    box.style.top = `${from.bottom + 4 + height > innerHeight - 8 ? Math.max(8, from.top - height - 4) : from.bottom + 4}px`;
  };
  const items_ = (): HTMLElement[] => [...menu.current!.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const open = (): void => { menu.current!.showPopover(); place(); items_()[0]?.focus(); };
  const close = (): void => { menu.current!.hidePopover(); button.current?.focus(); };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const all = items_(), at = all.indexOf(document.activeElement as HTMLElement);
    const to = event.key === "ArrowDown" ? at + 1 : event.key === "ArrowUp" ? at - 1 : event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : undefined;
    if (to !== undefined) { all[(to + all.length) % all.length]?.focus(); event.preventDefault(); }
    if (event.key === "Tab") close();
    event.stopPropagation();
    if (event.key === "Escape") { close(); event.preventDefault(); }
  };
  return (
    <>
      <button ref={button} type="button" class={name ?? "tool"} aria-label={children ? undefined : label} title={label} aria-haspopup="menu" tabIndex={skip ? -1 : undefined} onClick={(event) => { event.stopPropagation(); event.preventDefault(); open(); }}>
        {children ?? <Icon name={icon} size={size} />}
      </button>
      <div ref={menu} class="menu" role="menu" aria-label={label} popover="auto" onKeyDown={onKeyDown} onClick={(event) => event.stopPropagation()}>
        {items.filter((item) => !item.hidden).map((item) => {
          const inner = <><span class="menu-icon">{item.checked ? <Icon name="check" size={16} /> : item.icon && <Icon name={item.icon} size={16} />}</span><span>{item.label}</span>{item.of && <Keys of={item.of} />}</>;
          const role = item.checked === undefined ? "menuitem" : "menuitemcheckbox";
          const run = (): void => { menu.current!.hidePopover(); item.run?.(); };
          return (
            <div key={item.label} role="none" class={item.line ? "with-line" : ""}>
              {item.href
                ? <a role={role} tabIndex={-1} href={item.href} target={item.external ? "_blank" : undefined} rel="noreferrer" onClick={() => menu.current!.hidePopover()}>{inner}</a>
                : <button role={role} tabIndex={-1} type="button" class={item.bad ? "bad" : ""} aria-checked={item.checked} onClick={run}>{inner}</button>}
            </div>
          );
        })}
      </div>
    </>
  );
}

/** A dialog that is open as long as it is there. */
export function Dialog({ title, onClose, children, class: name, head, foot }: { title: string; onClose: () => void; children: ComponentChildren; class?: string; head?: ComponentChildren; foot?: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null), id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current!;
    shown.showModal();
    (shown.querySelector<HTMLElement>("[data-autofocus]") ?? shown.querySelector<HTMLElement>("input, select, textarea"))?.focus();
    return () => { shown.close(); if (before instanceof HTMLElement && before.isConnected) before.focus(); };
  }, []);
  return (
    <dialog ref={dialog} class={`dialog ${name ?? ""}`} aria-labelledby={id} onCancel={(event) => { event.preventDefault(); onClose(); }}
      onPointerDown={(event) => { if (event.target === dialog.current) onClose(); }}>
      <div class="dialog-body">
        <header><h2 id={id}>{title}</h2>{head}<Tool icon="x" label={t("close")} onClick={onClose} /></header>
        {children}
        {foot && <footer>{foot}</footer>}
      </div>
    </dialog>
  );
}

/** A question with one answer that does something. */
export function Confirm({ title, text, action, bad = false, onYes, onNo }: { title: string; text: string; action: string; bad?: boolean; onYes: () => void; onNo: () => void }) {
  return (
    <Dialog title={title} class="small" onClose={onNo} foot={<><span class="grow" /><button type="button" class="plain" onClick={onNo}>{t("cancel")}</button><button type="button" class={bad ? "primary danger" : "primary"} data-autofocus onClick={onYes}>{action}</button></>}>
      <p class="dialog-text">{text}</p>
    </Dialog>
  );
}

/** The title line of a page, with its double rule. */
export function PageHead({ title, count, children, tabs }: { title: string; count?: ComponentChildren; children?: ComponentChildren; tabs?: ComponentChildren }) {
  return <header class="page-head"><h1>{title}</h1>{count !== undefined && <span class="head-count">{count}</span>}{tabs}<span class="grow" />{children}</header>;
}
