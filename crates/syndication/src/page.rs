//! Reads an HTML page for feed discovery: declared links, anchors that may be feeds, the generator.
//!
//! Not a browser's parser: the crate's tokenizer over the page without its scripts, styles and comments, linear and
//! bounded. `policy` decides which links are visited; `refusal` decides what a page is if it is not a feed.

use std::collections::HashSet;

use memchr::memmem;
use model::discovery::{Found, Page, PageLink, kind_of_type};

use crate::markup::{Attributes, Markup, Tag, Token};
use crate::text::Entities;
use crate::urls;

/// How much of a page is read, and how much is kept.
const WINDOW: usize = 1 << 20;
const MAX_LINKS: usize = 64;
const MAX_ANCHORS: usize = 200;
const MAX_METAS: usize = 64;
const MAX_URL: usize = 2048;
const MAX_TEXT: usize = 200;
/// A tag with longer attributes is not a link; parsing it would only cost time.
const MAX_ATTRIBUTES: usize = 16 * 1024;

/// More than any real site has.
const MAX_ICONS: usize = 8;

/// Words in the URL or text of an anchor that make it a candidate.
const HINTS: [&str; 9] = ["rss", "feed", "atom", "rdf", "xml", "syndicat", "subscribe", "abonn", "podcast"];

/// Reads a page. Any text is accepted; if it is not a page the result is empty.
pub fn page(html: &str, base_url: Option<&str>) -> Page {
    let visible = without_scripts(window(html));
    let mut reader = Reader::default();
    let mut markup = Markup::new(&visible);
    while let Some(token) = markup.next() {
        match token {
            Token::Start(tag) if tag.attributes.len() <= MAX_ATTRIBUTES => reader.start(&tag),
            Token::End(name) => reader.end(name),
            Token::Text(text) => reader.text(text),
            Token::Start(_) | Token::CData(_) | Token::Doctype(_) => {}
        }
    }
    reader.finish(base_url)
}

/// The part of a page that is read.
pub(crate) fn window(html: &str) -> &str {
    &html[..html.floor_char_boundary(WINDOW)]
}

/// The page without non-markup content: a `<` in a script starts no tag.
fn without_scripts(html: &str) -> String {
    let lower = html.to_ascii_lowercase();
    let bytes = lower.as_bytes();
    let mut visible = String::with_capacity(html.len());
    let (mut copied, mut at) = (0, 0);
    // A search without a result is not repeated.
    let mut endless_comment = false;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &lower[at..];
        let end = if rest.starts_with("<!--") {
            let end = if endless_comment { None } else { memmem::find(&bytes[at + 4..], b"-->") };
            endless_comment = end.is_none();
            end.map(|end| at + 4 + end + 3)
        } else {
            let hidden = [("<script", "</script"), ("<style", "</style"), ("<textarea", "</textarea")];
            let of = |(open, _): &&(&str, &str)| {
                let after = rest.strip_prefix(open).and_then(|rest| rest.bytes().next());
                after.is_some_and(|byte| byte == b'>' || byte == b'/' || byte.is_ascii_whitespace())
            };
            // Without an end tag the rest of the page is hidden, as in a browser.
            hidden.iter().find(of).map(|(_, close)| {
                memmem::find(&bytes[at..], close.as_bytes()).map_or(bytes.len(), |end| at + end + close.len())
            })
        };
        match end {
            Some(end) => {
                visible.push_str(&html[copied..at]);
                at = end;
                copied = end;
            }
            None => at += 1,
        }
    }
    visible.push_str(&html[copied..]);
    visible
}

/// A link with its URL as written, until the base is known: a page may declare it after its links.
struct Draft {
    href: String,
    title: Option<String>,
    media_type: Option<String>,
    found: Found,
}

#[derive(Default)]
struct Reader {
    base: Option<String>,
    canonical: Option<String>,
    title: Option<String>,
    in_title: bool,
    metas: Vec<(String, String)>,
    links: Vec<Draft>,
    anchors: Vec<Draft>,
    /// The anchor whose text is being read.
    anchor: Option<Draft>,
    icons: Vec<String>,
    asks_password: bool,
}

impl Reader {
    fn start(&mut self, tag: &Tag<'_>) {
        let name = tag.name.to_ascii_lowercase();
        self.in_title = name == "title";
        match name.as_str() {
            "base" if self.base.is_none() => self.base = value(tag, "href"),
            "input" => {
                self.asks_password |= value(tag, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("password"));
            }
            "meta" if self.metas.len() < MAX_METAS => self.meta(tag),
            "link" => self.link(tag),
            "a" | "area" => {
                self.close_anchor();
                self.open_anchor(tag);
            }
            "img" => {
                if let (Some(anchor), Some(alt)) = (&mut self.anchor, value(tag, "alt")) {
                    add_words(&mut anchor.title, &alt);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        self.in_title = false;
        if name.eq_ignore_ascii_case("a") {
            self.close_anchor();
        }
    }

    fn text(&mut self, text: &str) {
        if self.in_title && self.title.is_none() {
            add_words(&mut self.title, &Entities::new(0).unescape(beginning(text)));
        } else if let Some(anchor) = &mut self.anchor {
            add_words(&mut anchor.title, &Entities::new(0).unescape(beginning(text)));
        }
    }

    fn meta(&mut self, tag: &Tag<'_>) {
        let name = ["name", "property", "itemprop"].iter().find_map(|kind| value(tag, kind));
        if let (Some(name), Some(content)) = (name, value(tag, "content"))
            && name.len() <= MAX_TEXT
        {
            self.metas.push((name.to_ascii_lowercase(), content.chars().take(MAX_URL).collect()));
        }
    }

    fn link(&mut self, tag: &Tag<'_>) {
        let Some(href) = value(tag, "href").filter(|href| href.len() <= MAX_URL) else { return };
        let rel = value(tag, "rel").unwrap_or_default();
        let has = |wanted: &str| rel.split_whitespace().any(|rel| rel.eq_ignore_ascii_case(wanted));
        if has("canonical") && self.canonical.is_none() {
            self.canonical = Some(href.clone());
        }
        let media_type = value(tag, "type").map(|kind| kind.to_ascii_lowercase());
        if (has("icon") || has("apple-touch-icon")) && self.icons.len() < MAX_ICONS {
            self.icons.push(href.clone());
        }
        let is_feed = media_type.as_deref().and_then(kind_of_type).is_some();
        if (has("alternate") || has("feed")) && is_feed && self.links.len() < MAX_LINKS {
            let title = value(tag, "title").map(|title| title.chars().take(MAX_TEXT).collect());
            self.links.push(Draft { href, title, media_type, found: Found::LinkElement });
        }
    }

    fn open_anchor(&mut self, tag: &Tag<'_>) {
        if self.anchors.len() >= MAX_ANCHORS {
            return;
        }
        let Some(href) = value(tag, "href").filter(|href| href.len() <= MAX_URL) else { return };
        let mut title = None;
        for name in ["title", "aria-label"] {
            add_words(&mut title, &value(tag, name).unwrap_or_default());
        }
        let media_type = value(tag, "type").map(|kind| kind.to_ascii_lowercase());
        self.anchor = Some(Draft { href, title, media_type, found: Found::Anchor });
    }

    fn close_anchor(&mut self) {
        let Some(anchor) = self.anchor.take() else { return };
        let declared = anchor.media_type.as_deref().and_then(kind_of_type).is_some();
        let words = anchor.title.as_deref().unwrap_or_default().to_lowercase();
        let href = anchor.href.to_ascii_lowercase();
        if declared || HINTS.iter().any(|hint| href.contains(hint) || words.contains(hint)) {
            self.anchors.push(anchor);
        }
    }

    fn finish(mut self, base_url: Option<&str>) -> Page {
        self.close_anchor();
        let own = base_url.filter(|base| urls::may_be_base(base));
        let base = self.base.as_deref().map(|href| urls::resolve(own, href).into_owned());
        let base = base.as_deref().filter(|base| urls::may_be_base(base)).or(own);
        let mut seen = HashSet::new();
        let mut links = Vec::with_capacity(self.links.len() + self.anchors.len());
        for Draft { href, title, media_type, found } in self.links.into_iter().chain(self.anchors) {
            let url = urls::resolve(base, &href).into_owned();
            if seen.insert(url.clone()) {
                links.push(PageLink { url, title, media_type, found });
            }
        }
        Page {
            title: self.title,
            canonical: self.canonical.map(|href| urls::resolve(base, &href).into_owned()),
            metas: self.metas,
            links,
            icons: self.icons.iter().map(|href| urls::resolve(base, href).into_owned()).collect(),
            asks_password: self.asks_password,
        }
    }
}

/// The value of an attribute, if it is not empty.
fn value(tag: &Tag<'_>, wanted: &str) -> Option<String> {
    let mut attributes = Attributes(tag.attributes).take(64);
    let raw = attributes.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)?;
    // Longer than anything that is kept, so that it cuts nothing relevant.
    let short = &raw[..raw.floor_char_boundary(4 * MAX_URL)];
    let mut value = Entities::new(0).unescape(short).trim().to_owned();
    // `<a href=/feed/>`: in HTML the slash belongs to the value and closes nothing.
    if tag.empty && !raw.is_empty() && raw.as_bytes().as_ptr_range().end == tag.attributes.as_bytes().as_ptr_range().end
    {
        value.push('/');
    }
    Some(value).filter(|value| !value.is_empty())
}

/// The beginning of a text that may matter for a title.
fn beginning(text: &str) -> &str {
    let text = text.trim_start();
    &text[..text.floor_char_boundary(8 * MAX_TEXT)]
}

/// Adds words to a title, up to its limit.
fn add_words(title: &mut Option<String>, text: &str) {
    for word in text.split_whitespace() {
        let title = title.get_or_insert_default();
        if title.len() >= MAX_TEXT {
            return;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.extend(word.chars().take(MAX_TEXT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, html: &str, expected: &str) {
        let page = page(html, Some("http://e.org/a/b"));
        let mut told: Vec<String> = Vec::new();
        told.extend(page.title.map(|title| format!("title {title}")));
        told.extend(page.canonical.map(|url| format!("canonical {url}")));
        told.extend(page.metas.iter().map(|(name, content)| format!("{name}={content}")));
        told.extend(page.links.into_iter().map(|link| {
            let title = link.title.map_or(String::new(), |title| format!(" ({title})"));
            format!("{} {}{title}", link.found.as_str(), link.url)
        }));
        told.extend(page.asks_password.then(|| "password".to_owned()));
        assert_eq!(told.join("; "), expected, "{case}");
    }

    #[test]
    fn what_a_page_says() {
        check("nothing", "", "");
        check("its title", "<title> A &amp;\n b </title>", "title A & b");
        check(
            "a feed",
            "<LINK REL='Alternate' TYPE='application/rss+xml; charset=utf-8' HREF='../f?a=1&amp;b' TITLE='F'>",
            "link-element http://e.org/f?a=1&b (F)",
        );
        check("no type", "<link rel=alternate href=/f>", "");
        check("another language", "<link rel=alternate hreflang=de type=text/html href=/de>", "");
        check(
            "another's base",
            "<link rel=feed type=application/atom+xml href=f><base href='//x.org/y/'>",
            "link-element http://x.org/y/f",
        );
        check(
            "a base that is none",
            "<base href='javascript:x'><link rel=feed type=text/rss href=f>",
            "link-element http://e.org/a/f",
        );
        check("the first base", "<base href=/1/><base href=/2/><a href=rss>x</a>", "anchor http://e.org/1/rss (x)");
        check("canonical", "<link rel=canonical href=/c>", "canonical http://e.org/c");
        check(
            "metas",
            "<meta name=Generator content='Hugo 0.1'><meta property='og:url' content=u><meta charset=x>",
            "generator=Hugo 0.1; og:url=u",
        );
        check("a login", "<input type=Password>", "password");
    }

    #[test]
    fn anchors_that_may_be_feeds() {
        check(
            "by address",
            "<a href=/blog/feed/>here</a> <a href=/about>About</a>",
            "anchor http://e.org/blog/feed/ (here)",
        );
        check("by text", "<a href=/x><b>RSS</b> 2.0</a>", "anchor http://e.org/x (RSS 2.0)");
        check("by picture", "<a href=/x><img src=i alt='Atom feed'></a>", "anchor http://e.org/x (Atom feed)");
        check("by label", "<a href=/x aria-label='Subscribe'><svg></svg></a>", "anchor http://e.org/x (Subscribe)");
        check("by type", "<a href=/x type='application/atom+xml'>y</a>", "anchor http://e.org/x (y)");
        check(
            "not closed",
            "<a href=/rss>one<a href=/atom>two",
            "anchor http://e.org/rss (one); anchor http://e.org/atom (two)",
        );
        check("twice", "<a href=/rss>one</a><a href=/rss>two</a>", "anchor http://e.org/rss (one)");
    }

    #[test]
    fn what_is_hidden_is_not_read() {
        check(
            "scripts",
            "<script>if (a<b) x=\"<a href='/rss'>\"</script><a href=/feed>f</a>",
            "anchor http://e.org/feed (f)",
        );
        check("styles", "<STYLE>a<b</STYLE ><a href=/feed>f</a>", "anchor http://e.org/feed (f)");
        check("comments", "<!-- <a href=/rss>r</a> <script> --><a href=/feed>f</a>", "anchor http://e.org/feed (f)");
        check("a comment without end", "<!-- <a href=/feed>f</a>", "anchor http://e.org/feed (f)");
        check("a script without end", "<script><a href=/feed>f</a>", "");
        check("a longer name", "<scripted><a href=/feed>f</a>", "anchor http://e.org/feed (f)");
    }
}
