// Settings: one page for each section.
import { useEffect } from "preact/hooks";
import { t } from "../i18n.ts";
import { PageHead } from "../part/control.tsx";
import { Frame } from "../part/frame.tsx";
import { Icon } from "../part/icon.tsx";
import { route } from "../router.ts";
import { saving } from "../store/settings.ts";
import { Apps, Data, Sessions } from "./account.tsx";
import { Ai } from "./ai.tsx";
import { Appearance, Reading } from "./reading.tsx";
import { Filters } from "./filters.tsx";
import { Shortcuts } from "./shortcuts.tsx";

function Saved() {
  if (saving.value === "idle") return null;
  return <span class="saved" role="status"><Icon name="check" size={16} />{saving.value === "saving" ? t("saving") : saving.value === "local" ? t("saved.here") : t("saved")}</span>;
}

export default function SettingsPage() {
  const section = route.value.page === "settings" ? route.value.section : "reading";
  useEffect(() => { document.title = `${t(`settings.${section}`)} · Courant`; }, [section]);
  if (section === "filters") return <Frame><Filters /></Frame>;
  return (
    <Frame>
      <PageHead title={t(`settings.${section}`)}>{(section === "reading" || section === "appearance" || section === "shortcuts" || section === "ai") && <Saved />}</PageHead>
      {section === "reading" && <Reading />}
      {section === "appearance" && <Appearance />}
      {section === "shortcuts" && <Shortcuts />}
      {section === "ai" && <Ai />}
      {section === "apps" && <Apps />}
      {section === "sessions" && <Sessions />}
      {section === "data" && <Data />}
    </Frame>
  );
}
