// The entry point: who is there, which page, and what is always on it. Pages that are not the reader are loaded when opened.
import { type ComponentType, render } from "preact";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { expired } from "./http.ts";
import { Login, Setup, Welcome } from "./auth/login.tsx";
import { speakOfPages, t } from "./i18n.ts";
import { on, startKeys } from "./keys.ts";
import { Empty } from "./part/empty.tsx";
import { Reader } from "./reader/reader.tsx";
import { Toasts } from "./reader/toast.tsx";
import { go, route, startRouter } from "./router.ts";
import { startArticle } from "./store/article.ts";
import { feeds, loadLibrary, loadRest, loaded, startEvents } from "./store/library.ts";
import { offerLastSweep, startList } from "./store/list.ts";
import { startFlushing } from "./store/posts.ts";
import { state, whoAmI } from "./store/session.ts";
import { applySettings, loadSettings } from "./store/settings.ts";
import { undo } from "./store/toast.ts";
import { type Open, dialog } from "./store/ui.ts";

/** Loads a style sheet once; it is there when the promise ends. */
function style(address: string): Promise<void> {
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

/** A page that is loaded when it is first shown, with its texts and its style. */
function lazy<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>, styles: string[] = [__PAGES_CSS__]): ComponentType<Props> {
  const found = signal<ComponentType<Props> | null>(null), failed = signal(false);
  let asked = false;
  return (props) => {
    if (!asked) { asked = true; Promise.all([load(), speakOfPages(), ...styles.map(style)]).then(([module]) => { found.value = module.default; }, () => { failed.value = true; asked = false; }); }
    const Page = found.value;
    if (Page) return <Page {...props} />;
    return failed.value ? <Empty drawing="offline" title={t("unreachable")} testId="page-failed" actions={<button type="button" class="primary" onClick={() => location.reload()}>{t("retry")}</button>} /> : <div class="page-wait" aria-busy="true" />;
  };
}

const Dialogs = lazy<{ open: Open }>(() => import("./reader/dialogs.tsx"), []);
const Manage = lazy<object>(() => import("./manage/feeds.tsx"));
const Import = lazy<object>(() => import("./manage/import.tsx"));
const SettingsPage = lazy<object>(() => import("./settings/page.tsx"));
const Admin = lazy<object>(() => import("./admin/page.tsx"), [__PAGES_CSS__, __ADMIN_CSS__]);

function Page() {
  const at = route.value;
  switch (at.page) {
    case "reader": case "add": return <Reader />;
    case "welcome": return <Welcome />;
    case "feeds": return <Manage />;
    case "import": return <Import />;
    case "settings": return <SettingsPage />;
    case "admin": return <Admin />;
    default: return <main class="page-alone"><Empty level={1} drawing="search" title={t("missing")} testId="missing" actions={<a class="primary" href="/r/unread">{t("missing.back")}</a>}>{t("missing.text")}</Empty></main>;
  }
}

const everywhere: Parameters<typeof on>[0] = {
  help: () => { dialog.value = { kind: "help" }; }, palette: () => { dialog.value = { kind: "palette" }; }, addFeed: () => { dialog.value = { kind: "add", url: "" }; },
  search: () => go("/r/search?q="), goUnread: () => go("/r/unread"), goAll: () => go("/r/all"), goBookmarks: () => go("/r/bookmarks"), goHistory: () => go("/r/history"), goToday: () => go("/r/today"), goSettings: () => go("/settings/reading"),
  undo: () => void undo(),
};

function App() {
  const at = route.value;
  useEffect(() => on(everywhere), []);
  useEffect(() => { if (at.page === "add" && state.value === "in") { dialog.value = { kind: "add", url: at.url }; go("/r/unread", "replace"); } }, [at.page, state.value]);
  if (at.page === "setup") return <Setup />;
  if (state.value === "unknown") return <div class="page-wait" aria-busy="true" data-testid="starting" />;
  if (state.value === "unreachable") return <main class="page-alone"><Empty level={1} drawing="offline" title={t("unreachable")} testId="unreachable" actions={<button type="button" class="primary" onClick={() => void start()}>{t("retry")}</button>}>{t("unreachable.text")}</Empty></main>;
  if (state.value === "out" || at.page === "login") return <Login />;
  return (
    <>
      <Page />
      <Toasts />
      {dialog.value && <Dialogs open={dialog.value} />}
      {expired.value && <div class="expired"><div class="expired-box"><Login inPlace /></div></div>}
    </>
  );
}

let begun = false;
async function begin(): Promise<void> {
  if (begun) return;
  begun = true;
  startList();
  startArticle();
  startFlushing();
  startEvents();
  void loadSettings().catch(() => undefined);
  await loadLibrary();
  offerLastSweep();
  if (loaded.value && feeds.value.size === 0 && location.pathname === "/") go("/welcome", "replace");
  void loadRest();
}

async function start(): Promise<void> {
  await whoAmI();
  if (state.value === "in" && route.value.page === "login") go("/", "replace");
  if (state.value === "out" && route.value.page !== "login" && route.value.page !== "setup") go(`/login?next=${encodeURIComponent(location.pathname + location.search)}`, "replace");
}

/** The shell without a network; its address goes through a policy of its own, which knows one address. */
function registerWorker(): void {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): string } } }).trustedTypes;
  const address = "/sw.js";
  const url = factory ? factory.createPolicy("courant-worker", { createScriptURL: () => address }).createScriptURL(address) : address;
  navigator.serviceWorker.register(url).catch(() => undefined);
}

applySettings();
startRouter();
startKeys();
state.subscribe((now) => { if (now === "in") void begin(); });
render(<App />, document.getElementById("app")!);
void start();
addEventListener("load", registerWorker);
