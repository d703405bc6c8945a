// Sign in, the first password, and the first feeds: the pages before there is anything to read.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../http.ts";
import { fullDate } from "../format.ts";
import { t } from "../i18n.ts";
import { Picture } from "../part/empty.tsx";
import { Icon, Mark } from "../part/icon.tsx";
import { go } from "../router.ts";
import { hasAi, status } from "../store/library.ts";
import { prefs } from "../store/settings.ts";
import { authOptions, logIn, setUp, user } from "../store/session.ts";
import { dialog } from "../store/ui.ts";
import type { AuthOptions } from "../types.ts";

/** Where to go after signing in: an address of ours, else the start. */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get("next") ?? "/";
  return /^\/(?![/\\])/.test(next) && !next.startsWith("/login") ? next : "/";
}

function Masthead() {
  return (
    <header class="masthead">
      <p class="nameplate">Courant</p>
      <div class="dateline"><span>{fullDate(Date.now())}</span><Mark size={18} /><span>{location.host}</span></div>
    </header>
  );
}

function Password({ value, onInput, label, id, complete }: { value: string; onInput: (text: string) => void; label: string; id: string; complete: string }) {
  const shown = useSignal(false);
  return (
    <div class="form-field"><label for={id}>{label}</label>
      <span class="field"><input id={id} type={(shown.value ? "text" : "password") as "password"} autocomplete={complete} required value={value} onInput={(event) => onInput(event.currentTarget.value)} />
        <button type="button" class="tool" aria-label={t("password.show")} aria-pressed={shown.value} onClick={() => { shown.value = !shown.value; }}><Icon name="eye" size={17} /></button></span></div>
  );
}

export function Login({ inPlace = false }: { inPlace?: boolean }) {
  const name = useSignal(inPlace ? user.value?.name ?? "" : ""), password = useSignal(""), problem = useSignal(""), busy = useSignal(false);
  const options = useSignal<AuthOptions>({});
  useEffect(() => { void authOptions().then((found) => { options.value = found; }); document.querySelector<HTMLInputElement>("#login-name, #login-password")?.focus(); }, []);
  const submit = async (): Promise<void> => {
    busy.value = true; problem.value = "";
    try {
      await logIn(name.value, password.value);
      if (!inPlace) go(nextPath(location.search), "replace");
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "";
      problem.value = code === "invalid_password" ? t("login.wrong") : code === "username_needed" ? t("login.name") : code === "account_disabled" ? t("login.disabled") : error instanceof ApiError && error.status === 0 ? t("unreachable") : error instanceof Error ? error.message : t("login.failed");
    } finally { busy.value = false; }
  };
  const form = (
    <form class="login-form" data-testid="login" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
      <h1>{inPlace ? t("login.again") : t("login.title")}</h1>
      {inPlace && <p class="quiet">{t("login.again.text")}</p>}
      {options.value.setup_needed && <p class="quiet">{t("login.setupNeeded")}</p>}
      {problem.value && <p class="problem" role="alert">{problem.value}</p>}
      <div class="form-field"><label for="login-name">{t("login.user")}</label><span class="field"><input id="login-name" type="text" autocomplete="username" autocapitalize="none" spellcheck={false} required={options.value.username_needed} placeholder={options.value.username_needed ? "" : t("login.optional")} value={name.value} onInput={(event) => { name.value = event.currentTarget.value; }} /></span></div>
      <Password id="login-password" label={t("password")} complete="current-password" value={password.value} onInput={(text) => { password.value = text; }} />
      <button type="submit" class="primary wide" disabled={busy.value}>{busy.value ? t("login.busy") : t("login.submit")}</button>
      {options.value.oidc && <><p class="or-line"><span>{t("or")}</span></p><a class="outline wide" href={`/api/auth/oidc/login?next=${encodeURIComponent(nextPath(location.search))}`}><Icon name="key-round" size={17} />{typeof options.value.oidc === "object" ? t("login.oidc", { name: options.value.oidc.name }) : t("login.provider")}</a></>}
    </form>
  );
  if (inPlace) return form;
  return <main class="front"><Masthead />{form}<p class="front-foot">{t("login.foot")}</p></main>;
}

export function Setup() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? new URLSearchParams(location.search).get("token") ?? "";
  const password = useSignal(""), again = useSignal(""), problem = useSignal(""), busy = useSignal(false), spent = useSignal(!token);
  const submit = async (): Promise<void> => {
    if (password.value !== again.value) { problem.value = t("setup.differ"); return; }
    busy.value = true; problem.value = "";
    try { await setUp(token, password.value); go("/welcome", "replace"); } catch (error) {
      if (error instanceof ApiError && error.status === 410) spent.value = true;
      else problem.value = error instanceof ApiError && error.status === 422 ? error.message || t("setup.weak") : error instanceof Error ? error.message : t("login.failed");
    } finally { busy.value = false; }
  };
  return (
    <main class="front"><Masthead />
      {spent.value ? <div class="login-form"><h1>{t("setup.title")}</h1><p class="problem" role="alert">{t("setup.spent")}</p><p class="quiet">{t("setup.spent.text")}</p><a class="primary wide" href="/login">{t("login.title")}</a></div>
        : <form class="login-form" data-testid="setup" onSubmit={(event) => { event.preventDefault(); void submit(); }}>
          <h1>{t("setup.title")}</h1><p class="quiet">{t("setup.text")}</p>
          {problem.value && <p class="problem" role="alert">{problem.value}</p>}
          <input type="text" class="hidden" autocomplete="username" aria-label={t("login.user")} tabIndex={-1} value="owner" readOnly />
          <Password id="setup-password" label={t("password")} complete="new-password" value={password.value} onInput={(text) => { password.value = text; }} />
          <Password id="setup-again" label={t("setup.again")} complete="new-password" value={again.value} onInput={(text) => { again.value = text; }} />
          <button type="submit" class="primary wide" disabled={busy.value || password.value.length < 8}>{t("setup.submit")}</button>
        </form>}
    </main>
  );
}

export function Welcome() {
  return (
    <main class="front welcome" data-testid="welcome">
      <header class="masthead left"><p class="nameplate"><Mark size={52} />Courant</p><p class="steps"><span class="good"><Icon name="check" size={16} />{t("welcome.owner")}</span><i /><strong>{t("welcome.feeds")}</strong></p>
        <div class="dateline"><span>{fullDate(Date.now())}</span><span>{location.host}</span><span>{t("welcome.as", { name: user.value?.name ?? "" })}</span></div></header>
      <h1>{t("welcome.title")}</h1><p class="lead">{t("welcome.text")}</p>
      <div class="columns">
        <section><Picture name="url" width={76} /><h2>{t("welcome.url")}</h2><p>{t("welcome.url.text")}</p><button type="button" class="outline" onClick={() => { dialog.value = { kind: "add", url: "" }; }}>{t("welcome.url.action")}<Icon name="arrow-right" size={16} /></button></section>
        <section><Picture name="file" width={76} /><h2>{t("import.opml")}</h2><p>{t("welcome.opml.text")}</p><a class="outline" href="/import">{t("welcome.opml.action")}<Icon name="arrow-right" size={16} /></a></section>
      </div>
      <footer class="welcome-foot"><span class="grow">{hasAi.value && prefs.value.ai ? t(status.value?.ai?.provider === "local" ? "welcome.ai.local" : "welcome.ai.outside") : t("welcome.foot")}</span>{hasAi.value && <a class="text" href="/settings/ai">{t("settings.ai")}</a>}<a class="text" href="/r/unread">{t("welcome.skip")}</a></footer>
    </main>
  );
}
