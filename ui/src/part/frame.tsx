// The frame of pages that are not the reader: the list of pages at the left, one page at the right.
import type { ComponentChildren } from "preact";
import { t } from "../i18n.ts";
import { SECTIONS, route } from "../router.ts";
import { feeds, hasAi } from "../store/library.ts";
import { isAdmin, logOut, user } from "../store/session.ts";
import { number } from "../format.ts";
import { Tool } from "./control.tsx";
import { Icon, Wordmark } from "./icon.tsx";

export const initials = (name: string): string => [...name.replace(/[^\p{L}\p{N} ]/gu, "").trim()].filter((letter, at, all) => at === 0 || all[at - 1] === " " || (at === 1 && !all.includes(" "))).slice(0, 2).join("").toLowerCase();

function Link({ path, icon, text, n, on }: { path: string; icon?: string; text: string; n?: number; on: boolean }) {
  return <li><a class={`view-row ${on ? "on" : ""}`} href={path} aria-current={on ? "page" : undefined}>{icon && <Icon name={icon} size={16} />}<span class="name">{text}</span>{n !== undefined && <span class="n">{number(n)}</span>}</a></li>;
}

export function Frame({ children }: { children: ComponentChildren }) {
  const at = route.value;
  return (
    <div class="page-frame">
      <nav class="side" aria-label={t("frame.pages")}>
        <div class="tree-head"><Wordmark /></div>
        <a class="search-button" href="/r/search?q="><Icon name="search" size={16} /><span>{t("search")}</span><kbd>/</kbd></a>
        <ul>
          <Link path="/r/unread" icon="newspaper" text={t("frame.reader")} on={false} />
          <Link path="/feeds" icon="list-checks" text={t("manage.title")} n={feeds.value.size} on={at.page === "feeds"} />
          <Link path="/import" icon="file-input" text={t("import.title")} on={at.page === "import"} />
          {isAdmin.value && <Link path="/admin" icon="gauge" text={t("admin.title")} on={false} />}
        </ul>
        <h2>{t("settings")}</h2>
        <ul>{SECTIONS.filter((section) => section !== "ai" || hasAi.value).map((section) => <Link key={section} path={`/settings/${section}`} text={t(`settings.${section}`)} on={at.page === "settings" && at.section === section} />)}</ul>
        <span class="grow" />
        <div class="side-foot"><span class="avatar" aria-hidden="true">{initials(user.value?.name ?? "")}</span><span class="name">{user.value?.name}</span><Tool icon="log-out" label={t("logout")} onClick={() => void logOut()} /></div>
      </nav>
      <main class="page">{children}</main>
    </div>
  );
}
