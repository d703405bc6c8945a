// What this server can do, by the description that it gives of itself. An app that is newer than its server asks here before it
// uses a path, so that nothing is shown that would not work.
import { get } from "../http.ts";

let paths: Promise<Set<string>> | undefined;

async function load(): Promise<Set<string>> {
  const kept = sessionStorage.getItem("courant.paths");
  if (kept) return new Set(JSON.parse(kept) as string[]);
  const found = Object.keys((await get<{ paths: Record<string, unknown> }>("/openapi.json", {}, { quiet401: true })).paths);
  sessionStorage.setItem("courant.paths", JSON.stringify(found));
  return new Set(found);
}

/** Whether the server has a path, written as in its description: `/api/posts/{id}/full-text`. */
export async function has(path: string): Promise<boolean> {
  paths ??= load();
  return paths.then((all) => all.has(path), () => { paths = undefined; return false; });
}
