// Sound and film attached to a post. Sound plays here and remembers where it was; film is a placeholder that says where it would
// come from before anything is loaded.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Enclosure } from "../api.d.ts";
import { bytes, clock, host } from "../format.ts";
import { t } from "../i18n.ts";
import { Icon } from "../part/icon.tsx";
import { prefs, setPrefs } from "../store/settings.ts";

const KEPT = "courant.audio";
type Positions = Record<string, number>;
const positions = (): Positions => { try { return JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Positions; } catch { return {}; } };

/** Remembers a place; the last hundred are kept. */
function remember(url: string, seconds: number): void {
  const { [url]: _, ...rest } = positions();
  const kept = Object.entries(rest).slice(-99);
  localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(seconds > 5 ? [...kept, [url, Math.floor(seconds)]] : kept)));
}

const kindOf = (file: Enclosure): string => (file.media_type ?? "").split("/")[0] || (/\.(mp3|m4a|ogg|opus|wav|aac)(\?|$)/i.test(file.url) ? "audio" : /\.(mp4|webm|m4v|mov)(\?|$)/i.test(file.url) ? "video" : "");
const SPEEDS = [0.8, 1, 1.2, 1.5, 1.8, 2];

export function Attachments({ files, title }: { files: Enclosure[]; title: string }) {
  return <>{files.map((file) => {
    const kind = kindOf(file);
    if (kind === "audio") return <Player key={file.url} file={file} title={title} />;
    if (kind === "video") return <Film key={file.url} file={file} />;
    return null;
  })}</>;
}

function Player({ file, title }: { file: Enclosure; title: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  const playing = useSignal(false), at = useSignal(positions()[file.url] ?? 0), length = useSignal(0), failed = useSignal(false);
  const url = file.url.replace(/^http:/, "https:");
  useEffect(() => { const sound = audio.current!; return () => { remember(file.url, sound.ended ? 0 : sound.currentTime || at.peek()); sound.pause(); }; }, [file.url]);
  const seek = (seconds: number): void => { const to = Math.max(0, Math.min(seconds, length.value || seconds)); at.value = to; if (audio.current) audio.current.currentTime = to; remember(file.url, to); };
  const toggle = (): void => {
    const sound = audio.current!;
    if (!sound.paused) { sound.pause(); return; }
    sound.playbackRate = prefs.value.speed;
    sound.play().catch(() => { failed.value = true; });
  };
  const left = length.value - at.value;
  return (
    <section class="player" aria-label={t("audio.label", { title })} data-testid="player">
      <audio ref={audio} src={url} preload="none" onPlay={() => { playing.value = true; }} onPause={() => { playing.value = false; remember(file.url, audio.current!.currentTime); }}
        onLoadedMetadata={(event) => { length.value = event.currentTarget.duration || 0; if (at.value > 0 && at.value < length.value - 3) event.currentTarget.currentTime = at.value; }}
        onTimeUpdate={(event) => { at.value = event.currentTarget.currentTime; if (Math.floor(at.value) % 5 === 0) remember(file.url, at.value); }}
        onEnded={() => { playing.value = false; remember(file.url, 0); }} onError={() => { if (playing.value) failed.value = true; }} />
      <div class="player-top">
        <button type="button" class="round" aria-label={playing.value ? t("audio.pause") : t("audio.play")} onClick={toggle}><Icon name={playing.value ? "pause" : "play"} size={20} fill /></button>
        <div class="grow"><strong dir="auto">{title}</strong><span class="quiet">{failed.value ? t("audio.failed") : at.value > 5 && !playing.value ? t("audio.resume", { at: clock(at.value) }) : [host(url), file.length ? bytes(file.length) : ""].filter(Boolean).join(" · ")}</span></div>
        <button type="button" class="skip" aria-label={t("audio.back", { n: 15 })} onClick={() => seek(at.value - 15)}><Icon name="rotate-ccw" size={18} />15</button>
        <button type="button" class="skip" aria-label={t("audio.forward", { n: 30 })} onClick={() => seek(at.value + 30)}><Icon name="rotate-cw" size={18} />30</button>
        <button type="button" class="outline speed" aria-label={t("audio.speed", { n: prefs.value.speed })} onClick={() => { const next = SPEEDS[(SPEEDS.indexOf(prefs.value.speed) + 1) % SPEEDS.length]!; setPrefs({ speed: next }); if (audio.current) audio.current.playbackRate = next; }}>{prefs.value.speed}×</button>
      </div>
      <div class="player-line"><span>{clock(at.value)}</span>
        <input type="range" min="0" max={Math.max(1, Math.floor(length.value))} value={Math.floor(at.value)} aria-label={t("audio.position")} aria-valuetext={clock(at.value)} onInput={(event) => seek(Number(event.currentTarget.value))} />
        <span>{length.value ? `−${clock(left)}` : "–:––"}</span></div>
    </section>
  );
}

function Film({ file }: { file: Enclosure }) {
  const here = useSignal(false);
  const url = file.url.replace(/^http:/, "https:");
  return (
    <section class="film" data-testid="video" aria-label={t("video.label")}>
      {here.value
        ? <video src={url} controls autoplay preload="metadata" />
        : <a class="poster" href={url} target="_blank" rel="noopener noreferrer"><span class="round"><Icon name="play" size={22} fill /></span><span class="hidden">{t("video.open", { host: host(url) })}</span></a>}
      <p><span>{t("video.opens", { host: host(url) })}</span><a class="text with-icon" href={url} target="_blank" rel="noopener noreferrer">{t("open")}<Icon name="external-link" size={15} /></a></p>
      {!here.value && <p><span class="quiet">{t("video.direct", { size: file.length ? bytes(file.length) : "" })}</span><button type="button" class="text" onClick={() => { here.value = true; }}>{t("video.here")}</button></p>}
    </section>
  );
}
