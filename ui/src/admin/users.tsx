// Users: who has an account, which role, and a side column for one of them or a new one.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, get, patch, post, remove } from "../http.ts";
import { number, when } from "../format.ts";
import { t, type Key } from "../i18n.ts";
import { Choice, PageHead, Select } from "../part/control.tsx";
import { saveCsv } from "../part/csv.ts";
import { initials } from "../part/frame.tsx";
import { Icon } from "../part/icon.tsx";
import { user } from "../store/session.ts";
import { complain, show } from "../store/toast.ts";
import { confirm } from "../store/ui.ts";
import type { Account, Role } from "../types.ts";

const ROLES: Role[] = ["user", "moderator", "admin", "super_admin"];
const OLD = 90 * 86400_000;
type Shown = "all" | "disabled" | "nopassword" | "unseen";
const isOf = (account: Account, shown: Shown): boolean => shown === "all" || (shown === "disabled" ? account.disabled : shown === "nopassword" ? !account.has_password : !account.last_login_at || Date.now() - new Date(account.last_login_at).getTime() > OLD);

export function Users() {
  const all = useSignal<Account[]>([]), wanted = useSignal(""), shown = useSignal<Shown>("all"), chosen = useSignal<number | null>(null), failed = useSignal("");
  const load = (): Promise<void> => get<Account[]>("/admin/api/users").then((found) => { all.value = found; }, (error: unknown) => { failed.value = error instanceof ApiError ? error.message : String(error); });
  useEffect(() => { void load(); }, []);
  const list = useComputed(() => all.value.filter((account) => isOf(account, shown.value) && account.name.toLowerCase().includes(wanted.value.toLowerCase())));
  const change = async (account: Account, what: Record<string, unknown>): Promise<void> => {
    try { await patch(`/admin/api/users/${account.id}`, what); await load(); } catch (error) { complain(error instanceof Error ? error.message : String(error)); await load(); }
  };
  const one = all.value.find((account) => account.id === chosen.value);
  return (
    <>
      <PageHead title={t("admin.users")} count={number(all.value.length)}><span class="field find"><Icon name="search" size={16} /><input type="search" aria-label={t("admin.findUser")} placeholder={t("admin.findUser")} value={wanted.value} onInput={(event) => { wanted.value = event.currentTarget.value; }} /></span>
        <button type="button" class="outline" onClick={() => saveCsv("users", [["id", "name", "role", "disabled", "has_password", "created_at", "last_login_at"], ...list.value.map((one) => [one.id, one.name, one.role, one.disabled, one.has_password, one.created_at, one.last_login_at])])}><Icon name="download" size={16} />CSV</button></PageHead>
      {failed.value && <p class="problem" role="alert">{failed.value}</p>}
      <div class="users">
        <div>
          <div class="chips">{(["all", "disabled", "nopassword", "unseen"] as const).map((name) => <button key={name} type="button" class="filter-chip" aria-pressed={shown.value === name} onClick={() => { shown.value = name; }}>{t(`users.${name}`)}<span class="n">{number(all.value.filter((account) => isOf(account, name)).length)}</span></button>)}</div>
          <div class="table-box" tabIndex={0} role="region" aria-label={t("admin.users")}><table class="table" data-testid="users"><thead><tr><th scope="col">{t("users.account")}</th><th scope="col">{t("users.role")}</th><th scope="col">{t("users.state")}</th><th scope="col" class="right">{t("users.since")}</th><th scope="col" class="right">{t("users.lastSeen")}</th></tr></thead>
            <tbody>{list.value.map((account) => (
              <tr key={account.id} class={account.id === chosen.value ? "chosen" : ""} onClick={(event) => { if (!(event.target as Element).closest("button, select, label")) chosen.value = account.id; }}>
                <th scope="row" class="name-cell"><span><span class="avatar" aria-hidden="true">{initials(account.name)}</span><button type="button" class="link-button" onClick={() => { chosen.value = account.id; }}>{account.name}</button></span></th>
                <td>{account.id === user.value?.id ? <b>{t(`role.${account.role}`)}</b> : <Select label={t("users.roleOf", { name: account.name })} value={account.role} onChange={(role) => void change(account, { role })} options={ROLES.map((role) => [role, t(`role.${role}`)])} />}</td>
                <td>{account.disabled ? <span class="chip bad"><Icon name="lock" size={14} />{t("users.locked")}</span> : account.has_password ? <span class="health healthy"><Icon name="check" size={15} />{t("users.active")}</span> : <span class="chip warn"><Icon name="triangle-alert" size={14} />{t("users.noPassword")}</span>}</td>
                <td class="right quiet">{when(account.created_at)}</td><td class="right quiet">{account.last_login_at ? when(account.last_login_at) : t("users.never")}</td>
              </tr>))}</tbody></table></div>
          <p class="set-note">{t("users.note")}</p>
        </div>
        <aside aria-label={one ? one.name : t("users.add")}>{one ? <One key={one.id} account={one} change={change} onDeleted={() => { chosen.value = null; void load(); }} onClose={() => { chosen.value = null; }} /> : <New onMade={() => void load()} />}</aside>
      </div>
    </>
  );
}

function One({ account, change, onDeleted, onClose }: { account: Account; change: (account: Account, what: Record<string, unknown>) => Promise<void>; onDeleted: () => void; onClose: () => void }) {
  const password = useSignal("");
  const own = account.id === user.value?.id;
  return (
    <>
      <h2 class="side-title"><span class="avatar" aria-hidden="true">{initials(account.name)}</span>{account.name}</h2>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void change(account, { password: password.value }).then(() => { password.value = ""; show({ text: t("password.changed") }); }); }}>
        <label for="user-password">{t("password.new")}</label><input id="user-password" class="input" type="password" autocomplete="new-password" value={password.value} onInput={(event) => { password.value = event.currentTarget.value; }} />
        <button type="submit" class="outline" disabled={password.value.length < 8}>{t("users.setPassword")}</button>
      </form>
      {!own && <div class="stack"><button type="button" class="outline" onClick={() => void change(account, { disabled: !account.disabled })}>{account.disabled ? t("users.enable") : t("users.disable")}</button>
        <button type="button" class="text bad" onClick={() => confirm({ title: t("users.delete.title", { name: account.name }), text: t("users.delete.text"), action: t("users.delete"), bad: true, run: () => { remove(`/admin/api/users/${account.id}`).then(onDeleted, (error: unknown) => complain(error instanceof Error ? error.message : String(error))); } })}>{t("users.delete")}</button></div>}
      <button type="button" class="text" onClick={onClose}>{t("users.add")}</button>
    </>
  );
}

function New({ onMade }: { onMade: () => void }) {
  const name = useSignal(""), password = useSignal(""), role = useSignal<Role>("user"), problem = useSignal("");
  const make = async (): Promise<void> => {
    problem.value = "";
    try { await post("/admin/api/users", { name: name.value.trim(), role: role.value, password: password.value || undefined }); show({ text: t("users.added", { name: name.value.trim() }) }); name.value = password.value = ""; onMade(); } catch (error) { problem.value = error instanceof Error ? error.message : String(error); }
  };
  return (
    <><h2 class="side-title">{t("users.add")}</h2>
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void make(); }}>
        <label for="new-name">{t("login.user")}</label><input id="new-name" class="input" autocomplete="off" value={name.value} onInput={(event) => { name.value = event.currentTarget.value; }} />
        <label for="new-password">{t("password")}</label><input id="new-password" class="input" type="password" autocomplete="new-password" value={password.value} onInput={(event) => { password.value = event.currentTarget.value; }} />
        <span>{t("users.role")}</span><Choice label={t("users.role")} value={role.value} onChange={(value) => { role.value = value; }} options={(["user", "moderator", "admin"] as const).map((one) => [one, t(`role.${one}`)])} />
        <p class="quiet">{t(`role.${role.value}.text` as Key)}</p>
        {problem.value && <p class="problem" role="alert">{problem.value}</p>}
        <button type="submit" class="primary" disabled={!name.value.trim()}>{t("users.addAction")}</button>
      </form></>
  );
}
