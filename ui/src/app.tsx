// The entry point: who is there, which page, and what is always on it. Pages that are not the reader are loaded when opened.
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { expired } from "./http.ts";
import { t } from "./i18n.ts";
import { on, startKeys } from "./keys.ts";
import { Empty } from "./part/empty.tsx";
import { lazy, loadPages, style } from "./part/lazy.tsx";
import { Reader } from "./reader/reader.tsx";
import { Toasts } from "./reader/toast.tsx";
import { go, route, startRouter } from "./router.ts";
import { startArticle } from "./store/article.ts";
import { feeds, loadLibrary, loadRest, loaded, startEvents } from "./store/library.ts";
import { offerLastSweep, openView, startList, state as listState, view } from "./store/list.ts";
import { startFlushing } from "./store/posts.ts";
import { logInByLink, state, whoAmI } from "./store/session.ts";
import { applySettings, loadSettings } from "./store/settings.ts";
import { undo } from "./store/toast.ts";
import { type Open, dialog } from "./store/ui.ts";

const Dialogs = lazy<{ open: Open }>(() => loadPages().then((pages) => pages.Dialogs), true);
const Manage = lazy<object>(() => loadPages().then((pages) => pages.Manage));
const Import = lazy<object>(() => loadPages().then((pages) => pages.Import));
const SettingsPage = lazy<object>(() => loadPages().then((pages) => pages.SettingsPage));
const Login = lazy<{ inPlace?: boolean }>(() => loadPages().then((pages) => pages.Login));
const Setup = lazy<object>(() => loadPages().then((pages) => pages.Setup));
const Welcome = lazy<object>(() => loadPages().then((pages) => pages.Welcome));
const Admin = lazy<object>(() => Promise.all([import("./admin/admin.tsx"), loadPages(), style(__ADMIN_CSS__)]).then(([module]) => module.default));

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
  // Whoever was here before sees the reader's bones while the server is asked who they are.
  if (state.value === "unknown") return wasIn && at.page === "reader" ? <Reader /> : <div class="page-wait" aria-busy="true" data-testid="starting" />;
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

/** Whether somebody was logged in here when the page was last left: then their data is asked for at once. */
const wasIn = localStorage.getItem("courant.in") === "1";
let asked: Promise<void> | undefined;
const askAll = (): Promise<void> => { asked ??= (startList(), startArticle(), loadLibrary()); return asked; };

let begun = false;
async function begin(): Promise<void> {
  if (begun) return;
  begun = true;
  localStorage.setItem("courant.in", "1");
  startFlushing();
  await askAll();
  // What was asked for while the server was away is asked for again.
  if (!loaded.value) await loadLibrary();
  if (listState.value === "failed") void openView(view.value);
  startEvents();
  void loadSettings().catch(() => undefined);
  // The rest of the app, once the reader is at rest.
  setTimeout(() => void loadPages().catch(() => undefined), 3000);
  offerLastSweep();
  if (loaded.value && feeds.value.size === 0 && location.pathname === "/") go("/welcome", "replace");
  void loadRest();
}

async function start(): Promise<void> {
  if (!(await logInByLink())) await whoAmI();
  if (state.value === "in" && route.value.page === "login") go("/", "replace");
  if (state.value === "out") { localStorage.removeItem("courant.in"); expired.value = false; }
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
const root = document.getElementById("app")!;
root.replaceChildren();
if (wasIn && route.value.page === "reader") void askAll();
render(<App />, root);
void start();
addEventListener("load", registerWorker);
