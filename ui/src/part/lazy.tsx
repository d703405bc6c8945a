// Parts of the app that are loaded when they are first needed, with their texts and their style.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { addTexts, t } from "../i18n.ts";
import { Empty } from "./empty.tsx";
import { addIcons } from "./icon.tsx";

type Pages = typeof import("../pages.tsx");
let pages: Promise<Pages> | undefined;

/** Loads the pages beside the reader once. */
export function loadPages(): Promise<Pages> {
  pages ??= Promise.all([import("../pages.tsx"), style(__PAGES_CSS__)]).then(([module]) => { addTexts(module.english); addIcons(module.icons); return module; });
  pages.catch(() => { pages = undefined; });
  return pages;
}

/** Loads a style sheet once; it is there when the promise ends. */
export function style(address: string): Promise<void> {
  if (document.querySelector(`link[href="${address}"]`)) return Promise.resolve();
  return new Promise((done, fail) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.onload = () => done();
    link.onerror = fail;
    link.href = address;
    document.head.append(link);
  });
}

/** A component that is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>, quiet = false): ComponentType<Props> {
  const found = signal<ComponentType<Props> | null>(null), failed = signal(false);
  let asked = false;
  return (props) => {
    if (!asked) { asked = true; load().then((component) => { found.value = component; }, () => { failed.value = true; asked = false; }); }
    const Component = found.value;
    if (Component) return <Component {...props} />;
    if (quiet) return null;
    return failed.value ? <Empty drawing="offline" title={t("unreachable")} testId="page-failed" actions={<button type="button" class="primary" onClick={() => location.reload()}>{t("retry")}</button>} /> : <div class="page-wait" aria-busy="true" />;
  };
}
