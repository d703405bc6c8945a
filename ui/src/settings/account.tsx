// Sessions, keys for programs, and the account's own data.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { csrf, get, post, put, remove } from "../http.ts";
import { dateTime, when } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { Check, Select, Tool } from "../part/control.tsx";
import { Icon } from "../part/icon.tsx";
import { logOut, user } from "../store/session.ts";
import { complain, say, show } from "../store/toast.ts";
import { confirm } from "../store/ui.ts";
import type { ApiKey, Session } from "../types.ts";

const say_ = (error: unknown): void => { complain(error instanceof Error ? error.message : String(error)); };

/** What a browser calls itself, in a few words. */
export function device(agent: string | null): string {
  if (!agent) return t("sessions.unknown");
  const browser = /Edg\//.test(agent) ? "Edge" : /Firefox\//.test(agent) ? "Firefox" : /Chrome\//.test(agent) ? "Chrome" : /Safari\//.test(agent) ? "Safari" : agent.split(/[\s/]/)[0] ?? "";
  const system = /Android/.test(agent) ? "Android" : /iPhone|iPad/.test(agent) ? "iOS" : /Mac OS/.test(agent) ? "macOS" : /Windows/.test(agent) ? "Windows" : /Linux/.test(agent) ? "Linux" : "";
  return system ? t("sessions.on", { browser, system }) : browser;
}

export function Sessions() {
  const all = useSignal<Session[]>([]);
  const load = (): Promise<void> => get<Session[]>("/api/me/sessions").then((found) => { all.value = found; }, say_);
  useEffect(() => { void load(); }, []);
  return (
    <div class="set">
      <p class="set-note">{t("sessions.text")}</p>
      <ul class="plain-list">{all.value.map((session) => (
        <li key={session.id}><Icon name={/Android|iPhone/.test(session.agent ?? "") ? "smartphone" : "monitor"} size={20} /><div class="grow"><strong>{device(session.agent)}</strong><span>{[session.address, t("sessions.seen", { when: when(session.last_seen_at) }), t("sessions.since", { when: dateTime(session.created_at) })].filter(Boolean).join(" · ")}</span></div>
          {session.current ? <span class="good">{t("sessions.here")}</span> : <button type="button" class="text" onClick={() => void remove(`/api/me/sessions/${session.id}`).then(load, say_)}>{t("sessions.end")}</button>}</li>
      ))}</ul>
      {all.value.length > 1 && <p class="inline-form"><button type="button" class="outline" onClick={() => void remove("/api/me/sessions").then(load, say_)}>{t("sessions.endOthers")}</button></p>}
      <Password />
    </div>
  );
}

function Password() {
  const current = useSignal(""), next = useSignal(""), problem = useSignal("");
  const save = async (): Promise<void> => {
    problem.value = "";
    try {
      const body = await put<{ csrf_token?: string }>("/api/me/password", { current: current.value, new: next.value });
      if (body.csrf_token) csrf.value = body.csrf_token;
      current.value = next.value = "";
      show({ text: t("password.changed") });
    } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
  };
  return (
    <><h2>{t("password.change")}</h2><form class="inline-form" onSubmit={(event) => { event.preventDefault(); void save(); }}>
      <input type="text" class="hidden" autocomplete="username" value={user.value?.name ?? ""} aria-label={t("login.user")} tabIndex={-1} readOnly />
      <input class="input" type="password" autocomplete="current-password" aria-label={t("password.current")} placeholder={t("password.current")} value={current.value} onInput={(event) => { current.value = event.currentTarget.value; }} />
      <input class="input" type="password" autocomplete="new-password" aria-label={t("password.new")} placeholder={t("password.new")} value={next.value} onInput={(event) => { next.value = event.currentTarget.value; }} />
      <button type="submit" class="outline" disabled={!current.value || next.value.length < 8}>{t("password.change")}</button></form>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}<p class="set-note">{t("password.note")}</p></>
  );
}

const SCOPES = ["reader:read", "reader:write"] as const;

export function Apps() {
  const keys = useSignal<ApiKey[]>([]), name = useSignal(""), write = useSignal(false), days = useSignal(0), made = useSignal<ApiKey | null>(null), problem = useSignal("");
  const load = (): Promise<void> => get<ApiKey[]>("/api/me/keys").then((found) => { keys.value = found; }, say_);
  useEffect(() => { void load(); }, []);
  const make = async (): Promise<void> => {
    problem.value = "";
    try {
      const body: Record<string, unknown> = { name: name.value.trim(), scopes: write.value ? SCOPES : SCOPES.slice(0, 1) };
      if (days.value) body.expires_at = new Date(Date.now() + days.value * 86400_000).toISOString();
      made.value = await post<ApiKey>("/api/me/keys", body);
      name.value = "";
      await load();
    } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
  };
  const copy = (text: string): void => { void navigator.clipboard?.writeText(text); say(t("copied")); show({ text: t("copied") }, 2); };
  return (
    <div class="set">
      <p class="set-note">{t("apps.text")}</p>
      <form class="inline-form" onSubmit={(event) => { event.preventDefault(); void make(); }}>
        <input class="input" aria-label={t("apps.name")} placeholder={t("apps.name")} value={name.value} onInput={(event) => { name.value = event.currentTarget.value; }} />
        <Select label={t("apps.ends")} value={days.value} onChange={(value) => { days.value = value; }} options={([0, 30, 90, 365] as const).map((n) => [n, t(`apps.days.${n}` as Key)])} />
        <Check label={t("apps.write")} checked={write.value} onChange={(on) => { write.value = on; }}>{t("apps.write")}</Check>
        <button type="submit" class="primary" disabled={!name.value.trim()}>{t("apps.make")}</button>
      </form>
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      {made.value?.token && <><div class="token-box" data-testid="token"><code>{made.value.token}</code><Tool icon="copy" label={t("copy")} onClick={() => copy(made.value!.token!)} /></div><p class="set-note">{t("apps.once")}</p></>}
      <h2>{t("apps.keys")}</h2>
      {keys.value.length === 0 && <p class="set-note">{t("apps.none")}</p>}
      <ul class="plain-list">{keys.value.map((key) => (
        <li key={key.id}><Icon name="key-round" size={20} /><div class="grow"><strong>{key.name}</strong><span>{[`${key.prefix}…`, key.scopes.join(", "), key.last_used_at ? t("apps.used", { when: when(key.last_used_at) }) : t("apps.unused"), key.expires_at ? t("apps.until", { when: dateTime(key.expires_at) }) : ""].filter(Boolean).join(" · ")}</span></div>
          <button type="button" class="text bad" onClick={() => confirm({ title: t("apps.revoke.title", { name: key.name }), text: t("apps.revoke.text"), action: t("apps.revoke"), bad: true, run: () => void remove(`/api/me/keys/${key.id}`).then(load, say_) })}>{t("apps.revoke")}</button></li>
      ))}</ul>
      <h2>{t("apps.api")}</h2>
      <p class="set-note">{t("apps.api.text")}</p>
      <div class="token-box"><code>{location.origin}/api</code><Tool icon="copy" label={t("copy")} onClick={() => copy(`${location.origin}/api`)} /></div>
      <p class="set-note"><a class="text" href="/openapi.json" target="_blank" rel="noreferrer">{t("apps.openapi")}</a></p>
    </div>
  );
}

export function Data() {
  return (
    <div class="set">
      <h2>{t("data.feeds")}</h2><p class="set-note">{t("data.feeds.text")}</p>
      <p class="inline-form"><a class="outline" href="/api/feeds/export-opml" download><Icon name="download" size={16} />{t("export.all")}</a><a class="text" href="/import">{t("import.opml")}</a></p>
      <h2>{t("data.account")}</h2><p class="set-note">{t("data.account.text", { name: user.value?.name ?? "" })}</p>
      <p class="inline-form"><button type="button" class="outline" onClick={() => void logOut()}><Icon name="log-out" size={16} />{t("logout")}</button></p>
    </div>
  );
}
