// The operator's room: loaded only for those who may see it, and only when they open it. Sections whose data the server does not
// have are not in the list.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockTime, number } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { Tool } from "../part/control.tsx";
import { Empty } from "../part/empty.tsx";
import { Icon, Wordmark } from "../part/icon.tsx";
import { go, route } from "../router.ts";
import { has } from "../store/server.ts";
import { isAdmin } from "../store/session.ts";
import { Budget } from "./budget.tsx";
import { ask } from "./data.ts";
import { FeedHealth } from "./feeds.tsx";
import { paused, refreshNow, refreshed, startTurns } from "./live.ts";
import { Overview } from "./overview.tsx";
import { Politeness } from "./politeness.tsx";
import { System } from "./system.tsx";
import { Users } from "./users.tsx";

const SECTIONS: { name: string; icon: string; title: Key; path?: string; page: () => preact.JSX.Element }[] = [
  { name: "overview", icon: "gauge", title: "admin.overview", path: "/admin/api/health", page: () => <Overview /> }, { name: "feeds", icon: "rss", title: "admin.feeds", path: "/admin/api/feeds", page: () => <FeedHealth /> },
  { name: "budget", icon: "wallet", title: "admin.budget", path: "/admin/api/ai-usage", page: () => <Budget /> }, { name: "users", icon: "users", title: "admin.users", page: () => <Users /> },
  { name: "system", icon: "server", title: "admin.system", path: "/admin/api/system", page: () => <System /> }, { name: "politeness", icon: "scale", title: "admin.politeness", path: "/admin/api/politeness", page: () => <Politeness /> },
];

/** Which sections the server can fill; unknown until it was asked. */
const there = signal<Set<string> | null>(null);
/** Feeds that were switched off. */
const off = signal(0);

async function look(): Promise<void> {
  const found = await Promise.all(SECTIONS.map(async ({ name, path }) => [name, path === undefined || (await has(path))] as const));
  there.value = new Set(found.filter(([, on]) => on).map(([name]) => name));
  if (there.value.has("feeds")) off.value = (await ask<{ total: number }>("/admin/api/feeds", { filter: "disabled", limit: 1 }).catch(() => null))?.total ?? 0;
}

export default function Admin() {
  const wanted = route.value.page === "admin" ? route.value.section : "overview";
  useEffect(() => { if (isAdmin.value && !there.value) void look(); return startTurns(); }, []);
  const known = there.value, here = SECTIONS.filter(({ name }) => known?.has(name)), section = here.find(({ name }) => name === wanted) ?? here[0];
  useEffect(() => { if (!section) return; document.title = `${t(section.title)} · Courant`; if (section.name !== wanted) go(`/admin/${section.name}`, "replace"); }, [section?.name, known]);
  if (!isAdmin.value) return <main class="page-alone"><Empty level={1} drawing="search" title={t("admin.forbidden")} testId="admin-forbidden" actions={<a class="primary" href="/r/unread">{t("missing.back")}</a>}>{t("admin.forbidden.text")}</Empty></main>;
  return (
    <div class="page-frame admin">
      <nav class="side" aria-label={t("admin.title")}>
        <div class="tree-head"><Wordmark /></div>
        <ul><li><a class="view-row" href="/r/unread"><Icon name="arrow-left" size={16} /><span class="name">{t("admin.back")}</span></a></li></ul>
        <h2>{t("admin.title")}</h2>
        <ul>{here.map(({ name, icon, title }) => <li key={name}><a class={`view-row ${section?.name === name ? "on" : ""}`} aria-current={section?.name === name ? "page" : undefined} href={`/admin/${name}`}><Icon name={icon} size={16} /><span class="name">{t(title)}</span>{name === "feeds" && off.value > 0 && <span class="n" title={t("manage.disabled")}>{number(off.value)}</span>}</a></li>)}</ul>
        <span class="grow" />
        <div class="admin-foot"><span>{location.host}</span><span>{t("admin.refreshed", { at: clockTime(refreshed.value) })}</span><Tool icon="refresh-cw" size={14} class="tiny" label={t("list.refresh")} onClick={refreshNow} /><Tool icon={paused.value ? "play" : "pause"} size={14} class="tiny" pressed={paused.value} label={t("admin.pauseRefresh")} onClick={() => { paused.value = !paused.value; }} /></div>
      </nav>
      <main class="page" key={section?.name}>{section?.page()}</main>
    </div>
  );
}
