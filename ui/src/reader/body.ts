// Puts an article's HTML on the page. The server has cleaned it; the browser's own sanitiser does it again where there is one,
// else a Trusted Types policy lets in what our server cleaned and nothing else. It is parsed in an inert document first, so
// that no picture is fetched before the user's rule about pictures was applied.

interface TrustedPolicy { createHTML(text: string): string }
interface TrustedFactory { createPolicy(name: string, rules: { createHTML: (text: string) => string }): TrustedPolicy }

let policy: TrustedPolicy | undefined;
function trusted(html: string): string {
  const factory = (globalThis as { trustedTypes?: TrustedFactory }).trustedTypes;
  if (!factory) return html;
  policy ??= factory.createPolicy("reader-article", { createHTML: (text) => text });
  return policy.createHTML(html);
}

export interface BodyOptions { images: "show" | "click" | "never"; links: "new_tab" | "same_tab"; blocked: (alt: string, host: string) => HTMLElement; labels: { table: string; code: string }; level: number }

/** The most that is shown of one article, in characters. */
export const LARGEST = 1 << 20;

// Whatever runs is dropped by the browser anyway; these would only disturb the page.
const DROPPED = {
  removeElements: ["style", "form", "input", "button", "select", "textarea", "link", "base", "meta", "dialog", "svg", "math", "template", "slot"],
  removeAttributes: ["style", "class", "name", "popover", "tabindex", "contenteditable"], comments: false,
};

/** Parses into an inert document. */
function parse(html: string): DocumentFragment {
  const template = document.createElement("template");
  const safe = template as HTMLTemplateElement & { setHTML?: (html: string, options: object) => void };
  if (safe.setHTML) safe.setHTML(html, { sanitizer: DROPPED }); else template.innerHTML = trusted(html);
  return template.content;
}

/** The article, ready to be put on the page, and how many pictures wait. */
export function bodyOf(html: string, options: BodyOptions): { content: DocumentFragment; waiting: number } {
  const content = parse(html);
  let waiting = 0;
  for (const image of content.querySelectorAll("img")) {
    const source = image.getAttribute("src") ?? "";
    if (!/^(https?:|data:image\/|\/api\/)/i.test(source)) { image.remove(); continue; }
    image.setAttribute("src", source.replace(/^http:/i, "https:"));
    image.removeAttribute("srcset");
    image.setAttribute("referrerpolicy", "no-referrer");
    image.setAttribute("decoding", "async");
    image.setAttribute("loading", "lazy");
    if (!image.hasAttribute("alt")) image.setAttribute("alt", "");
    if (options.images === "show") { if (isPixel(image)) image.remove(); continue; }
    waiting++;
    let host = "";
    try { host = new URL(source, location.href).host; } catch { /* it is shown without */ }
    const shown = image.cloneNode() as HTMLImageElement;
    const field = options.blocked(image.alt, host);
    field.addEventListener("click", (event) => { event.preventDefault(); field.replaceWith(document.importNode(shown)); });
    image.replaceWith(field);
  }
  for (const source of content.querySelectorAll("picture source, video, audio, iframe, object, embed, form, input, button, style, link, base, meta")) source.remove();
  // The app's own ids and classes are not for articles.
  for (const element of content.querySelectorAll("[id], [class]")) { const id = element.id; element.removeAttribute("class"); if (id) element.id = `post-${id}`; }
  for (const link of content.querySelectorAll("a[href]")) {
    const target = link.getAttribute("href") ?? "";
    if (target.startsWith("#")) { link.setAttribute("href", `#post-${target.slice(1)}`); continue; }
    if (!/^(https?:|mailto:)/i.test(target)) { link.removeAttribute("href"); continue; }
    link.setAttribute("rel", "noopener noreferrer nofollow");
    link.setAttribute("target", options.links === "new_tab" ? "_blank" : "_top");
  }
  // Wide things scroll by themselves, and can be reached with the keyboard.
  for (const wide of content.querySelectorAll("table, pre")) {
    const box = document.createElement("div");
    box.className = wide.tagName === "TABLE" ? "wide table" : "wide code";
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", wide.tagName === "TABLE" ? options.labels.table : options.labels.code);
    wide.replaceWith(box);
    box.append(wide);
  }
  lowerHeadings(content, options.level);
  return { content, waiting };
}

/** Pictures of one pixel count readers. */
const isPixel = (image: HTMLImageElement): boolean => ["width", "height"].some((name) => { const value = image.getAttribute(name); return value !== null && Number(value) <= 2; });

/** Headings of the article begin below its title. */
function lowerHeadings(content: DocumentFragment, first: number): void {
  const all = [...content.querySelectorAll("h1, h2, h3, h4, h5, h6")];
  const highest = Math.min(...all.map((heading) => Number(heading.tagName[1])), 6);
  for (const heading of all) {
    const level = Math.min(6, Number(heading.tagName[1]) - highest + first);
    if (`H${level}` === heading.tagName) continue;
    const next = document.createElement(`h${level}`);
    next.append(...heading.childNodes);
    if (heading.id) next.id = heading.id;
    heading.replaceWith(next);
  }
}

/** Brings the next hit into sight, with a mark of its own; returns its number, from 1. */
export function showHit(ranges: Range[], at: number, scroller: HTMLElement | null): number {
  const registry = (CSS as { highlights?: Map<string, unknown> }).highlights, Maker = (globalThis as { Highlight?: new (...ranges: Range[]) => unknown }).Highlight;
  const range = ranges[((at % ranges.length) + ranges.length) % ranges.length];
  if (!range || !registry || !Maker || !scroller) return 0;
  registry.set("search-now", new Maker(range));
  const box = range.getBoundingClientRect(), view = scroller.getBoundingClientRect();
  if (box.top < view.top + 60 || box.bottom > view.bottom - 60) scroller.scrollTop += box.top - view.top - view.height / 3;
  return ranges.indexOf(range) + 1;
}

/** Marks what was looked for, without changing the article. Returns where it is. */
export function highlight(root: HTMLElement, words: string[]): Range[] {
  const registry = (CSS as { highlights?: Map<string, unknown> }).highlights;
  const Maker = (globalThis as { Highlight?: new (...ranges: Range[]) => unknown }).Highlight;
  if (!registry || !Maker) return [];
  registry.delete("search");
  registry.delete("search-now");
  if (words.length === 0) return [];
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < 500; node = walker.nextNode()) {
    for (const match of (node.textContent ?? "").matchAll(pattern)) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  if (ranges.length) registry.set("search", new Maker(...ranges));
  return ranges;
}
