// One line under the header, only for what somebody can act on. One at a time, the gravest; dismissing it is remembered.
import { t } from "../i18n.ts";
import { Icon } from "../part/icon.tsx";
import { hasAi, status, troubled } from "../store/library.ts";
import { isAdmin } from "../store/session.ts";
import { prefs, setPrefs } from "../store/settings.ts";

const WEEK = 7 * 86400_000;

export interface Notice { key: string; text: string; icon: string; href?: string; action?: string; bad?: boolean }

/** The gravest thing to say, that is not snoozed. */
export function gravest(all: (Notice | null)[], snoozed: Record<string, number>, now: number): Notice | null {
  return all.find((notice): notice is Notice => notice !== null && (snoozed[notice.key] ?? 0) < now) ?? null;
}

export function Banner() {
  const warning = isAdmin.value ? status.value?.health_warning : null;
  const n = troubled.value.length, budget = hasAi.value ? status.value?.ai?.budget_state : undefined;
  const notice = gravest([
    warning ? { key: `warning:${warning}`, text: warning, icon: "circle-alert", bad: /disk|full|space/i.test(warning), href: "/admin", action: t("banner.details") } : null,
    isAdmin.value && budget && budget !== "normal" ? { key: `ai:${budget}`, text: t(`banner.ai.${budget}`), icon: "wallet", href: "/admin/budget", action: t("banner.details") } : null,
    n > 0 ? { key: `feeds:${n}`, text: t("banner.feeds", { n }), icon: "rss", href: "/feeds?show=trouble", action: t("banner.review") } : null,
  ], prefs.value.snoozed, Date.now());
  if (!notice) return null;
  return (
    <div class={`banner ${notice.bad ? "bad" : ""}`} role="status" data-testid="banner">
      <Icon name={notice.icon} size={16} /><span class="grow">{notice.text}</span>
      {notice.href && <a class="text" href={notice.href}>{notice.action}</a>}
      <button type="button" class="text quiet" onClick={() => setPrefs({ snoozed: { ...prefs.value.snoozed, [notice.key]: Date.now() + WEEK } })}>{t("banner.snooze")}</button>
    </div>
  );
}
