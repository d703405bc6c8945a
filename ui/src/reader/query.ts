// The text of a search, taken apart for the eye: tokens such as `in:Technology` become chips. What it means is decided by the
// server; here nothing is refused. Pure.

export interface Token { key: string; value: string; minus: boolean; text: string }

const TOKEN = /(-?)(in|feed|is|before|after|author):("[^"]*"|\S+)|(-?)("[^"]*"|\S+)/giu;

/** Tokens and words in their order. */
export function parts(query: string): Token[] {
  return [...query.matchAll(TOKEN)].map(([text, minus, key, value, wordMinus, word]) => key
    ? { key: key.toLowerCase(), value: unquoted(value!), minus: minus === "-", text }
    : { key: "", value: unquoted(word!), minus: wordMinus === "-", text });
}

const unquoted = (text: string): string => text.replace(/^"|"$/g, "");
export const quoted = (text: string): string => (/[\s"]/.test(text) ? `"${text.replaceAll('"', "")}"` : text);

/** The words to look for in a text: no tokens, nothing with a minus. */
export const words = (query: string): string[] => parts(query).filter((part) => !part.key && !part.minus && part.value.replace(/\*$/, "").length > 1).map((part) => part.value.replace(/\*$/, ""));

/** Adds a token, or takes it away if it is there. */
export function toggle(query: string, key: string, value: string): string {
  const all = parts(query), same = (part: Token): boolean => part.key === key && part.value.toLowerCase() === value.toLowerCase() && !part.minus;
  const rest = all.filter((part) => !same(part)).map((part) => part.text);
  return (all.some(same) ? rest : [...rest, `${key}:${quoted(value)}`]).join(" ");
}
export const has = (query: string, key: string, value: string): boolean => parts(query).some((part) => part.key === key && !part.minus && part.value.toLowerCase() === value.toLowerCase());
/** The query without tokens of these kinds. */
export const without = (query: string, keys: string[]): string => parts(query).filter((part) => !keys.includes(part.key)).map((part) => part.text).join(" ");

/** Cuts a text at what was looked for. */
export function cutAt(text: string, looked: string[]): (string | { hit: string })[] {
  if (looked.length === 0) return [text];
  const pattern = new RegExp(looked.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  const found: (string | { hit: string })[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push(text.slice(at, match.index));
    found.push({ hit: match[0] });
    at = match.index + match[0].length;
  }
  if (at < text.length) found.push(text.slice(at));
  return found;
}

/** Cuts a text at hits whose places are known. Places that make no sense are left out. */
export function cutSpans(text: string, spans: readonly (readonly [number, number])[]): (string | { hit: string })[] {
  const found: (string | { hit: string })[] = [];
  let at = 0;
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (!(start >= at && end > start && end <= text.length)) continue;
    if (start > at) found.push(text.slice(at, start));
    found.push({ hit: text.slice(start, end) });
    at = end;
  }
  if (at < text.length) found.push(text.slice(at));
  return found;
}
