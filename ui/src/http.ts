// The one place that speaks to the server: JSON in and out, the CSRF token, errors as `ApiError`, and the stream of events.
// Who calls: the stores. What a 401 means for the app is decided in store/session.ts.
import { signal } from "@preact/signals";

/** Why a request was not answered as it was meant. Status 0: the server could not be reached. */
export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, detail: string, readonly reason?: string, readonly id?: number, readonly retryAfter?: number) {
    super(detail);
  }
}

export const csrf = signal<string | null>(null);
/** Whether the last request reached the server. */
export const reachable = signal(true);
/** Raised on a 401 of anything but a login. */
export const expired = signal(false);

type Query = Record<string, string | number | boolean | null | undefined>;

/** A path with parameters; those that are empty are left out. */
export function withQuery(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  return pairs.length ? `${path}?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}` : path;
}

interface Options { body?: unknown; raw?: BodyInit; type?: string; signal?: AbortSignal; quiet401?: boolean; text?: boolean }

async function send<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const headers: Record<string, string> = { accept: options.text ? "text/html" : "application/json" };
  if (options.body !== undefined) headers["content-type"] = "application/json";
  if (options.type) headers["content-type"] = options.type;
  if (method !== "GET" && csrf.value) headers["x-csrf-token"] = csrf.value;
  let response: Response;
  try {
    response = await fetch(path, {
      method, headers, credentials: "same-origin", cache: "no-store", signal: options.signal,
      body: options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    reachable.value = false;
    throw new ApiError(0, "unreachable", "The server cannot be reached");
  }
  reachable.value = response.status !== 502 && response.status !== 504;
  if (response.ok) {
    if (response.status === 204) return undefined as T;
    return (await (options.text ? response.text() : response.json())) as T;
  }
  const error = await failure(response);
  if (error.status === 401 && !options.quiet401) expired.value = true;
  throw error;
}

async function failure(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string; reason?: string; id?: number };
  const wait = Number(response.headers.get("retry-after")) || undefined;
  return new ApiError(response.status, body.code ?? "error", body.detail ?? response.statusText, body.reason, body.id, wait);
}

export const get = <T>(path: string, query?: Query, options?: Options): Promise<T> => send<T>("GET", withQuery(path, query), options);
export const getText = (path: string, query?: Query): Promise<string> => send<string>("GET", withQuery(path, query), { text: true });
export const post = <T>(path: string, body?: unknown, options?: Options): Promise<T> => send<T>("POST", path, { body, ...options });
export const put = <T>(path: string, body?: unknown): Promise<T> => send<T>("PUT", path, { body });
export const patch = <T>(path: string, body?: unknown): Promise<T> => send<T>("PATCH", path, { body });
export const remove = <T>(path: string, query?: Query): Promise<T> => send<T>("DELETE", withQuery(path, query));

/** Listens to the server's events until the returned function is called. The browser reconnects by itself. */
export function listen(handlers: Record<string, (data: never) => void>, state: (open: boolean) => void): () => void {
  let source: EventSource | undefined, timer = 0, stopped = false;
  const open = (): void => {
    source = new EventSource("/api/events");
    source.onopen = () => state(true);
    source.onerror = () => {
      state(false);
      // A stream that was refused (401, 502) is closed for good: try again later.
      if (source?.readyState === EventSource.CLOSED && !stopped) timer = window.setTimeout(open, 5000);
    };
    for (const [name, handler] of Object.entries(handlers)) {
      source.addEventListener(name, (event) => handler(JSON.parse((event as MessageEvent<string>).data) as never));
    }
  };
  open();
  return () => { stopped = true; clearTimeout(timer); source?.close(); };
}
