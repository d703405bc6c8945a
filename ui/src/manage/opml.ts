// Reads a list of feeds for the preview, forgivingly. The server reads it again and decides; nothing here is trusted. Pure.

export interface Line { line: number; title: string; url: string; path: string[] }

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const decoded = (text: string): string => text.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name: string) => {
  if (!name.startsWith("#")) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = name[1]?.toLowerCase() === "x" ? parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
});

/** The feeds of an OPML document with the lines they stand in and the categories they are in. */
export function readOpml(text: string): Line[] {
  const found: Line[] = [], path: string[] = [];
  const tag = /<outline\b((?:[^>"']|"[^"]*"|'[^']*')*)>|<\/outline\s*>|\n/gi;
  let line = 1;
  for (let match = tag.exec(text); match; match = tag.exec(text)) {
    if (match[0] === "\n") { line++; continue; }
    if (match[1] === undefined) { path.pop(); continue; }
    const closed = /\/\s*$/.test(match[1]);
    const attributes = new Map([...match[1].matchAll(/([\w:-]+)\s*=\s*("[^"]*"|'[^']*')/g)].map(([, name, value]) => [name!.toLowerCase(), decoded(value!.slice(1, -1)).trim()]));
    const url = attributes.get("xmlurl"), name = attributes.get("title") || attributes.get("text") || url || "";
    if (url) found.push({ line, title: name, url, path: path.filter(Boolean) });
    if (!closed) path.push(url ? "" : name);
    line += (match[0].match(/\n/g) ?? []).length;
    if (found.length >= 20_000) break;
  }
  return found;
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** A list of feeds with only these lines, in their categories or in none. */
export function writeOpml(lines: Line[], categories: boolean): string {
  const outline = (line: Line): string => `<outline type="rss" text="${escape(line.title)}" title="${escape(line.title)}" xmlUrl="${escape(line.url)}"/>`;
  const nested = (line: Line): string => line.path.reduceRight((inner, name) => `<outline text="${escape(name)}" title="${escape(name)}">${inner}</outline>`, outline(line));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><head/><body>\n${lines.map(categories ? nested : outline).join("\n")}\n</body></opml>\n`;
}
