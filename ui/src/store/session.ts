// Who is logged in. Everything else waits for it.
import { computed, signal } from "@preact/signals";
import { ApiError, csrf, expired, get, post, remove } from "../http.ts";
import { has } from "./server.ts";
import type { AuthOptions, Me, User } from "../types.ts";

export const user = signal<User | null>(null);
/** `unknown` until the server has answered. */
export const state = signal<"unknown" | "in" | "out" | "unreachable">("unknown");
export const isAdmin = computed(() => user.value?.role === "admin" || user.value?.role === "super_admin");

interface Opened { user: User; csrf_token: string }

export async function whoAmI(): Promise<void> {
  try {
    const me = await get<Me>("/api/auth/me", {}, { quiet401: true });
    csrf.value = me.csrf_token;
    user.value = me.user;
    state.value = "in";
    expired.value = false;
  } catch (error) {
    state.value = error instanceof ApiError && error.status === 401 ? "out" : "unreachable";
  }
}

export async function logIn(username: string, password: string): Promise<void> {
  const body = { username: username.trim() || undefined, password };
  welcome(await post<Opened>("/api/auth/session", body, { quiet401: true }));
}

/** Logs in with the token of a link that was printed (`courant demo`): it is in the fragment, is sent once, and leaves the address. */
export async function logInByLink(): Promise<boolean> {
  const token = /^#login=([^&#\s]{8,512})$/.exec(location.hash)?.[1];
  if (!token) return false;
  history.replaceState(null, "", location.pathname + location.search);
  try { welcome(await post<Opened>("/api/auth/link", { token }, { quiet401: true })); return true; } catch { return false; }
}

function welcome(opened: Opened): void {
  csrf.value = opened.csrf_token;
  user.value = opened.user;
  expired.value = false;
  state.value = "in";
}

export async function logOut(): Promise<void> {
  await remove("/api/auth/session").catch(() => undefined);
  // What others could read on this device goes with the session.
  for (const key of Object.keys(localStorage)) if (key.startsWith("courant.") && key !== "courant.device") localStorage.removeItem(key);
  location.assign("/login");
}

/** What the login screen should offer; nothing is known on servers that do not say. */
export async function authOptions(): Promise<AuthOptions> {
  if (!(await has("/api/auth/options"))) return {};
  return get<AuthOptions>("/api/auth/options", {}, { quiet401: true }).catch(() => ({}));
}

/** Chooses the first password with the token of the printed link. */
export async function setUp(token: string, password: string): Promise<void> {
  if (await has("/api/auth/setup")) {
    welcome(await post<Opened>("/api/auth/setup", { token, password }, { quiet401: true }));
    return;
  }
  // The form alone: it leads to the start page and sets the cookie.
  const raw = new URLSearchParams({ token, password, again: password });
  const response = await fetch("/setup", { method: "POST", body: raw, credentials: "same-origin", redirect: "manual" });
  if (response.type !== "opaqueredirect" && !response.ok) throw new ApiError(response.status, response.status === 410 ? "gone" : "weak", "");
  await whoAmI();
  if (state.value !== "in") throw new ApiError(410, "gone", "");
}
