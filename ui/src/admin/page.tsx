// The operator's room: loaded only for those who may see it, and only when they open it. Sections whose data the server does not
// have are not in the list.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { time } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { Empty } from "../part/empty.tsx";
import { Icon, Wordmark } from "../part/icon.tsx";
import { go, route } from "../router.ts";
import { has } from "../store/server.ts";
import { isAdmin } from "../store/session.ts";
import { Budget } from "./budget.tsx";
import { FeedHealth } from "./feeds.tsx";
import { Overview } from "./overview.tsx";
import { System } from "./system.tsx";
import { Users } from "./users.tsx";

const SECTIONS: { name: string; icon: string; title: Key }[] = [
  { name: "overview", icon: "gauge", title: "admin.overview" }, { name: "feeds", icon: "rss", title: "admin.feeds" }, { name: "budget", icon: "wallet", title: "admin.budget" },
  { name: "users", icon: "users", title: "admin.users" }, { name: "system", icon: "server", title: "admin.system" },
];

/** Which sections the server can fill; unknown until it was asked. */
const there = signal<Record<string, boolean> | null>(null);
export const refreshed = signal(Date.now());

async function look(): Promise<void> {
  const [overview, feeds, budget, system] = await Promise.all([has("/admin/api/health"), has("/admin/api/feeds"), has("/admin/api/ai-usage"), has("/admin/api/system")]);
  there.value = { overview, feeds, budget, users: true, system };
}

export default function Admin() {
  const wanted = route.value.page === "admin" ? route.value.section : "overview";
  useEffect(() => { if (isAdmin.value && !there.value) void look(); }, []);
  const known = there.value, section = known && known[wanted] === false ? (SECTIONS.find(({ name }) => known[name])?.name ?? "users") : wanted;
  useEffect(() => { document.title = `${t(SECTIONS.find(({ name }) => name === section)?.title ?? "admin.title")} · Courant`; if (known && section !== wanted) go(`/admin/${section}`, "replace"); }, [section, known]);
  if (!isAdmin.value) return <main class="page-alone"><Empty level={1} drawing="search" title={t("admin.forbidden")} testId="admin-forbidden" actions={<a class="primary" href="/r/unread">{t("missing.back")}</a>}>{t("admin.forbidden.text")}</Empty></main>;
  return (
    <div class="page-frame admin">
      <nav class="side" aria-label={t("admin.title")}>
        <div class="tree-head"><Wordmark /></div>
        <ul><li><a class="view-row" href="/r/unread"><Icon name="arrow-left" size={16} /><span class="name">{t("admin.back")}</span></a></li></ul>
        <h2>{t("admin.title")}</h2>
        <ul>{SECTIONS.filter(({ name }) => known ? known[name] : name === "users").map(({ name, icon, title }) => <li key={name}><a class={`view-row ${section === name ? "on" : ""}`} aria-current={section === name ? "page" : undefined} href={`/admin/${name}`}><Icon name={icon} size={16} /><span class="name">{t(title)}</span></a></li>)}</ul>
        <span class="grow" /><p class="admin-foot"><span>{location.host}</span><span>{t("admin.refreshed", { at: time(refreshed.value) })}</span></p>
      </nav>
      <main class="page">{known && (section === "overview" ? <Overview /> : section === "feeds" ? <FeedHealth /> : section === "budget" ? <Budget /> : section === "system" ? <System /> : <Users />)}</main>
    </div>
  );
}
