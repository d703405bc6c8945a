// AI: whether this user wants summaries and calm titles, which headline stands first, and what leaves the server for it.
import { useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../i18n.ts";
import { Choice, Keys, Switch } from "../part/control.tsx";
import { Empty } from "../part/empty.tsx";
import { Favicon, Rating } from "../part/icon.tsx";
import { madeBy } from "../reader/summary.tsx";
import { forgetArticles, reload } from "../store/article.ts";
import { feeds, hasAi, status } from "../store/library.ts";
import { openView, view } from "../store/list.ts";
import { prefs, saving, setPrefs } from "../store/settings.ts";
import { dialog } from "../store/ui.ts";
import { SetRow } from "./reading.tsx";

export function Ai() {
  const now = prefs.value, ai = status.value?.ai, off = [...feeds.value.values()].filter((feed) => feed.ai === "off");
  // What is kept of lists and articles has, or lacks, what was switched.
  const switched = useRef(false);
  useSignalEffect(() => { if (saving.value === "saved" && switched.current) { switched.current = false; forgetArticles(); void openView(view.peek()); reload(); } });
  if (!hasAi.value) return <Empty drawing="filter" title={t("ai.none")} testId="ai-none">{t("ai.none.text")}</Empty>;
  return (
    <div class="with-side" data-testid="ai-settings"><div>
      <SetRow label="ai.use" note={t("ai.use.note")}><Switch hideLabel label={t("ai.use")} checked={now.ai} onChange={(on) => { switched.current = true; setPrefs({ ai: on }); }} /></SetRow>
      {now.ai && <>
        <SetRow label="appearance.headline" note={<><Keys of="headline" /> {t("appearance.headline.note")}</>}><Choice label={t("appearance.headline")} value={now.headline} onChange={(headline) => setPrefs({ headline })} options={[["calm", t("appearance.calm")], ["original", t("appearance.original")]]} /></SetRow>
        <SetRow label="ai.summary" note={<><Keys of="summary" /> {t("ai.summary.note")}</>}><Switch hideLabel label={t("ai.summary")} checked={now.summary} onChange={(summary) => setPrefs({ summary })} /></SetRow>
      </>}
      <p class="set-note">{ai?.provider === "local" ? t("ai.where.local") : t("ai.where.outside", { provider: ai?.provider ?? "" })} {t("ai.where.always")}</p>
      <h2>{t("ai.feeds")}</h2>
      {off.length === 0 ? <p class="set-note">{t("ai.feeds.none")}</p> : <ul class="plain-list">{off.map((feed) => <li key={feed.id}><Favicon feed={feed} /><span class="grow"><strong dir="auto">{feed.title}</strong></span><button type="button" class="text" onClick={() => { dialog.value = { kind: "feed", id: feed.id }; }}>{t("feed.settings")}</button></li>)}</ul>}
      </div>
      <aside class="example" aria-label={t("appearance.example")}>
        <p class="from"><Favicon title="Northern Ledger" /><span>The Northern Ledger</span>{now.ai && <span class="kind">{now.headline === "calm" ? t("headline.neutral") : t("headline.original")}</span>}</p>
        <h2>{now.ai && now.headline === "calm" ? t("example.title") : t("example.loud")}</h2>
        {now.ai && <div class="other-title"><span class="rate">{now.headline === "calm" && <Rating score={0.79} />}</span><div><p>{now.headline === "calm" ? t("example.loud") : t("example.title")}</p><small>{now.headline === "calm" ? t("headline.rated", { level: t("level.loud"), score: "0.79" }) : t("headline.neutral")}</small></div></div>}
        {now.ai && now.summary && <div class="summary"><p>{t("example.summary")}</p><footer><span>{madeBy(t("summary.by"), ai?.provider, null, 1000)}</span></footer></div>}
        <div class="body"><p>{t("example.one")}</p></div>
      </aside>
    </div>
  );
}
