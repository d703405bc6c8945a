// How to read, and how it looks. Every change is seen at once.
import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { LANGUAGES, t, type Key } from "../i18n.ts";
import { Choice, Keys, Select, Switch } from "../part/control.tsx";
import { Favicon } from "../part/icon.tsx";
import { Slider } from "../reader/dialogs.tsx";
import { hasAi } from "../store/library.ts";
import { type Theme, prefs, setPrefs } from "../store/settings.ts";

export function SetRow({ label, note, children }: { label: Key; note?: ComponentChildren; children: ComponentChildren }) {
  return <div class="set-row"><div>{t(label)}{note && <small>{note}</small>}</div><div>{children}</div></div>;
}

const zones = (): string[] => { try { return Intl.supportedValuesOf("timeZone"); } catch { return []; } };

export function Reading() {
  const now = prefs.value;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div class="set">
      <SetRow label="reading.markRead" note={t("reading.markRead.note")}><Choice label={t("reading.markRead")} value={now.markRead} onChange={(markRead) => setPrefs({ markRead })} options={[["soon", t("reading.soon")], ["open", t("reading.open")], ["next", t("reading.next")], ["never", t("reading.never")]]} /></SetRow>
      <SetRow label="reading.onScroll" note={t("reading.onScroll.note")}><Switch hideLabel label={t("reading.onScroll")} checked={now.markOnScroll} onChange={(markOnScroll) => setPrefs({ markOnScroll })} /></SetRow>
      <SetRow label="reading.confirm" note={t("reading.confirm.note")}><Switch hideLabel label={t("reading.confirm")} checked={now.confirmMarkAll} onChange={(confirmMarkAll) => setPrefs({ confirmMarkAll })} /></SetRow>
      <SetRow label="reading.sort"><Choice label={t("reading.sort")} value={now.sort} onChange={(sort) => setPrefs({ sort })} options={[["newest", t("list.newest")], ["oldest", t("list.oldest")]]} /></SetRow>
      <SetRow label="reading.links"><Choice label={t("reading.links")} value={now.openLinks} onChange={(openLinks) => setPrefs({ openLinks })} options={[["new_tab", t("reading.newTab")], ["same_tab", t("reading.sameTab")]]} /></SetRow>
      <SetRow label="reading.images" note={t("reading.images.note")}><Choice label={t("reading.images")} value={now.images} onChange={(images) => setPrefs({ images })} options={[["show", t("reading.images.show")], ["click", t("reading.images.click")], ["never", t("reading.images.never")]]} /></SetRow>
      <SetRow label="reading.hideRead"><Switch hideLabel label={t("reading.hideRead")} checked={now.hideRead} onChange={(hideRead) => setPrefs({ hideRead })} /></SetRow>
      <SetRow label="reading.swipe"><Choice label={t("reading.swipe")} value={`${now.swipe.right}-${now.swipe.left}`} onChange={(value) => { const [right = "", left = ""] = value.split("-"); setPrefs({ swipe: { right, left } }); }} options={[["read-bookmark", t("reading.swipe.rb")], ["bookmark-read", t("reading.swipe.br")], ["none-none", t("reading.swipe.none")]]} /></SetRow>
      <h2>{t("reading.access")}</h2>
      <SetRow label="reading.paged" note={t("reading.paged.note")}><Switch hideLabel label={t("reading.paged")} checked={now.paged} onChange={(paged) => setPrefs({ paged })} /></SetRow>
      <h2>{t("reading.language")}</h2>
      <SetRow label="reading.locale"><Select label={t("reading.locale")} value={now.locale} onChange={(locale) => setPrefs({ locale })} options={[["", t("reading.asBrowser")], ...Object.entries(LANGUAGES)]} /></SetRow>
      <SetRow label="reading.zone"><Select label={t("reading.zone")} value={now.timeZone} onChange={(timeZone) => setPrefs({ timeZone })} options={[["", t("reading.asDevice", { zone: own })], ...zones().map((zone): [string, string] => [zone, zone.replaceAll("_", " ")])]} /></SetRow>
    </div>
  );
}

const SWATCHES: Record<Theme, [string, string, string, string]> = {
  auto: ["#fcfcfb", "#f1f1ee", "#161e2d", "#234a9c"], light: ["#fcfcfb", "#f1f1ee", "#161e2d", "#234a9c"], dark: ["#14171e", "#0d1016", "#e4e3dd", "#95b6f5"],
  sepia: ["#f7efe0", "#f0e5d2", "#37281c", "#254893"], black: ["#000000", "#000000", "#d9d7d2", "#95b6f5"], contrast: ["#ffffff", "#ffffff", "#000000", "#082c91"],
};

function Swatch({ theme }: { theme: Theme }) {
  const [paper, margin, ink, accent] = SWATCHES[theme];
  return (
    <svg viewBox="0 0 88 58" aria-hidden="true">
      <rect width="88" height="58" rx="5" fill={paper} /><rect width="22" height="58" fill={margin} />{theme === "contrast" && <rect x="21.5" width="1" height="58" fill={ink} />}
      <g fill={ink}><rect x="5" y="8" width="12" height="3" /><rect x="5" y="25" width="10" height="2" opacity=".6" /><rect x="5" y="32" width="12" height="2" opacity=".6" /><rect x="30" y="10" width="44" height="4" /><rect x="30" y="17" width="28" height="4" />{[26, 31, 36, 41].map((y) => <rect key={y} x="30" y={y} width={y === 41 ? 34 : 48} height="2" opacity=".8" />)}</g>
      <rect x="4" y="17" width="14" height="4" rx="1" fill={accent} /><circle cx="32" cy="49" r="2" fill={accent} /><rect x="37" y="48" width="30" height="2" fill={accent} />
      {theme === "auto" && <path d="M88 0v53a5 5 0 0 1-5 5H30z" fill="#14171e" />}{theme === "auto" && <path d="M62 36h20M55 44h27" stroke="#95b6f5" stroke-width="2.5" />}
    </svg>
  );
}

/** A density as a few lines. */
function Rows({ of }: { of: "compact" | "comfortable" | "cards" }) {
  const [tall, gap] = of === "compact" ? [1.6, 3.6] : of === "comfortable" ? [2.4, 5] : [5, 7.2];
  return <svg width="18" height="14" aria-hidden="true">{Array.from({ length: of === "compact" ? 4 : of === "comfortable" ? 3 : 2 }, (_, n) => <rect key={n} y={n * gap} width="18" height={tall} rx=".8" fill="currentColor" />)}</svg>;
}

const FONTS: [string, Key][] = [["newsreader", "font.newsreader"], ["serif", "font.serif"], ["sans", "font.sans"], ["mono", "font.mono"], ["own", "font.own"]];

export function Appearance() {
  const now = prefs.value;
  const known = FONTS.some(([name]) => name === now.font);
  const own = useSignal(known ? "" : now.font);
  return (
    <div class="with-side">
      <div>
        <div class="themes" role="radiogroup" aria-label={t("appearance.theme")}>
          {(Object.keys(SWATCHES) as Theme[]).map((theme) => <label key={theme} class={now.theme === theme ? "on" : ""}><input type="radio" name="theme" checked={now.theme === theme} onChange={() => setPrefs({ theme })} /><Swatch theme={theme} /><span>{t(`theme.${theme}`)}</span></label>)}
        </div>
        <SetRow label="appearance.font"><Select label={t("appearance.font")} value={known && !own.value ? now.font : "own"} onChange={(font) => { if (font === "own") own.value = own.value || "Georgia"; else own.value = ""; setPrefs({ font: font === "own" ? own.value : font }); }} options={FONTS.map(([name, key]) => [name, t(key)])} />
          {own.value && <input class="input own-font" aria-label={t("font.own")} value={own.value} onInput={(event) => { own.value = event.currentTarget.value; setPrefs({ font: own.value || "newsreader" }); }} />}</SetRow>
        <SetRow label="appearance.size"><Slider label={t("appearance.size")} value={now.fontSize} min={14} max={26} step={0.5} show={`${now.fontSize} px`} onChange={(fontSize) => setPrefs({ fontSize })} /></SetRow>
        <SetRow label="appearance.line"><Slider label={t("appearance.line")} value={now.lineHeight} min={1.3} max={2} step={0.05} show={now.lineHeight.toFixed(2)} onChange={(lineHeight) => setPrefs({ lineHeight })} /></SetRow>
        <SetRow label="appearance.width"><Slider label={t("appearance.width")} value={now.measure} min={48} max={90} step={1} show={t("appearance.chars", { n: now.measure })} onChange={(measure) => setPrefs({ measure })} /></SetRow>
        <SetRow label="appearance.justify"><Switch hideLabel label={t("appearance.justify")} checked={now.justify} onChange={(justify) => setPrefs({ justify })} /></SetRow>
        <SetRow label="appearance.density"><Choice label={t("appearance.density")} value={now.density} onChange={(density) => setPrefs({ density })} options={(["compact", "comfortable", "cards"] as const).map((name) => [name, <span class="with-icon"><Rows of={name} />{t(`density.${name}`)}</span>])} /></SetRow>
        <SetRow label="appearance.preview"><Choice label={t("appearance.preview")} value={now.preview} onChange={(preview) => setPrefs({ preview })} options={[[0, "0"], [1, "1"], [2, "2"], [3, "3"]]} /></SetRow>
        <SetRow label="appearance.dates"><div class="line-wrap"><Choice label={t("appearance.dates")} value={now.dates} onChange={(dates) => setPrefs({ dates })} options={[["relative", t("appearance.relative")], ["absolute", t("appearance.absolute")]]} /> <Switch label={t("list.byDay")} checked={now.byDay} onChange={(byDay) => setPrefs({ byDay })} /></div></SetRow>
        {hasAi.value && <SetRow label="appearance.headline" note={<><Keys of="headline" /> {t("appearance.headline.note")}</>}><Choice label={t("appearance.headline")} value={now.headline} onChange={(headline) => setPrefs({ headline })} options={[["calm", t("appearance.calm")], ["original", t("appearance.original")]]} /></SetRow>}
      </div>
      <aside class="example" aria-label={t("appearance.example")}>
        <p class="from"><Favicon title="Northern Ledger" /><span>The Northern Ledger</span></p>
        <h2>{t("example.title")}</h2>
        <div class="body"><p>{t("example.one")}</p><p>{t("example.two")}</p><blockquote><p>{t("example.quote")}</p></blockquote><p>{t("example.three")}</p></div>
      </aside>
    </div>
  );
}
