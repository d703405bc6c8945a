//! Links, enclosures, identifiers, licences, replies; and categories.
//!
//! URLs are resolved here, identifiers never: an identifier must stay comparable for years, a URL is followed today. A
//! link's relation also sets the corresponding field (`hub`, `next`, `license`, …).

use model::reading::{Category, Enclosure, Link, ReadEntry};

use super::{Flow, Reader};
use crate::limits::FEW;
use crate::markup::{Tag, Token};
use crate::names::Element;
use crate::urls;

impl<'a> Reader<'a> {
    /// RSS has the URL between the tags, Atom in `href`; feeds mix both.
    pub(super) fn link(&mut self, tag: &Tag<'a>) {
        let address = self.attribute("href").or_else(|| self.attribute("resource")).map(|url| self.resolve(&url));
        let between = if address.is_some() {
            self.expect_end(tag);
            None
        } else {
            self.url_of(tag)
        };
        // A URL between the tags is the link, whatever the attributes say; some put another one into `uri` or `url`.
        let is_text = between.is_some();
        let Some(href) = address.or(between).or_else(|| self.address()).or_else(|| self.own_address()) else { return };
        let rel = self.attribute("rel").map(|rel| {
            let rel = rel.to_ascii_lowercase();
            let short =
                ["http://www.iana.org/assignments/relation/", "http://www.iana.org/assignments/link-relations/"]
                    .iter()
                    .find_map(|registry| rel.strip_prefix(registry));
            short.unwrap_or(&rel).to_owned()
        });
        let link = Link {
            href,
            rel,
            media_type: self.attribute("type").map(|kind| kind.to_ascii_lowercase()),
            title: self.attribute_string("title"),
            hreflang: self.attribute_string("hreflang"),
            length: self.attribute_string("length"),
        };
        if is_text && link.rel.is_none() {
            self.about().link = Some(link.href.clone());
        } else {
            self.relate(&link);
        }
        self.push_link(link);
    }

    /// The original URL of an entry behind a proxy service. The service's URL stays among the links.
    pub(super) fn original_link(&mut self, tag: &Tag<'a>) {
        let (namespace, local) = self.expand(tag.name);
        let mut extension = self.extension(namespace, local);
        let Some(href) = self.url_of(tag) else { return };
        extension.said.text = Some(href.clone());
        self.push_extension(extension);
        if self.in_entry() && urls::is_http(&href) {
            self.push_link(Link { href: href.clone(), ..Link::default() });
            self.original_link = Some(href);
        }
    }

    /// A page with comments; many feeds give their number instead, or that there are none.
    pub(super) fn comments(&mut self, tag: &Tag<'a>) {
        let text = self.text_of(tag);
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        // A single word may be relative to an explicit base, hardly to the document's own URL.
        let is_word =
            urls::scheme(&text).is_none() && !text.contains(['/', '.', '?', '#']) && self.base == self.given_base;
        if is_number || is_word || text.contains(char::is_whitespace) {
            return;
        }
        let url = self.resolve(&text.replace("&amp;", "&"));
        if let (true, Some((entry, _))) = (urls::is_http(&url) || urls::scheme(&url).is_none(), &mut self.entry) {
            entry.comments = Some(url);
        }
    }

    /// Categories in an element of their own, or a list of words.
    pub(super) fn categories(&mut self, tag: &Tag<'a>) -> Flow {
        let mut ahead = self.markup.clone();
        let holds_elements = loop {
            match ahead.next() {
                Some(Token::Text(text)) if text.trim().is_empty() => {}
                next => break matches!(next, Some(Token::Start(_))),
            }
        };
        if holds_elements && !tag.empty {
            return Flow::Inside(self.position());
        }
        self.keywords(tag, None);
        Flow::Done
    }

    /// The meaning of `href=""`: the document itself.
    fn own_address(&self) -> Option<String> {
        let base = self.base.as_deref().filter(|base| urls::may_be_base(base))?;
        let is_asked_for = self.attributes.iter().any(|(name, _)| *name == "href");
        is_asked_for.then(|| base.split('#').next().unwrap_or(base).to_owned())
    }

    pub(super) fn add_plain_link(&mut self, href: String) {
        self.about().link = Some(href.clone());
        self.push_link(Link { href, ..Link::default() });
    }

    fn push_link(&mut self, link: Link) {
        let limit = self.room();
        let links = &mut self.about().links;
        if links.len() < limit {
            links.push(link);
        }
    }

    /// Sets the field that corresponds to a link's relation.
    fn relate(&mut self, link: &Link) {
        let href = || Some(link.href.clone());
        let kind = link.media_type.as_deref();
        let is_page = matches!(kind, None | Some("text/html" | "application/xhtml+xml" | "html" | "xhtml"));
        let rel = link.rel.as_deref().unwrap_or("alternate");
        match rel {
            "alternate" if is_page => self.about().link = href(),
            "license" => {
                self.about().license.get_or_insert_with(|| link.href.clone());
            }
            _ => {}
        }
        if self.source.is_some() {
            return;
        }
        let limit = if rel == "enclosure" { self.room() } else { 0 };
        if let Some((entry, _)) = &mut self.entry {
            match rel {
                "enclosure" => add_enclosure(entry, link, limit),
                "replies" if is_page => entry.comments = entry.comments.take().or_else(href),
                "replies" => entry.comments_feed = entry.comments_feed.take().or_else(href),
                _ => {}
            }
            return;
        }
        let hints = &mut self.feed.hints;
        match rel {
            "self" => hints.self_url = href(),
            "hub" if hints.hubs.len() < 8 => hints.hubs.push(link.href.clone()),
            "next" => hints.next = href(),
            "prev" | "previous" => hints.prev = href(),
            "prev-archive" => hints.prev_archive = href(),
            "next-archive" => hints.next_archive = href(),
            "current" => hints.current = href(),
            _ => {}
        }
    }

    pub(super) fn enclosure(&mut self, tag: &Tag<'a>) {
        if let Some(href) = self.address() {
            let link = Link {
                href,
                rel: Some("enclosure".into()),
                media_type: self.attribute("type").map(|kind| kind.to_ascii_lowercase()),
                length: self.attribute_string("length"),
                ..Link::default()
            };
            let limit = self.room();
            if let Some((entry, _)) = &mut self.entry {
                add_enclosure(entry, &link, limit);
            }
            self.push_link(link);
        }
        self.expect_end(tag);
    }

    pub(super) fn license(&mut self, tag: &Tag<'a>) {
        let url = match self.attribute_string("resource") {
            Some(url) => {
                self.expect_end(tag);
                Some(url)
            }
            None => self.url_of(tag),
        };
        let Some(href) = url else { return };
        self.about().license.get_or_insert_with(|| href.clone());
        self.push_link(Link { href, rel: Some("license".into()), ..Link::default() });
    }

    pub(super) fn identifier(&mut self, element: Element, tag: &Tag<'a>) {
        let permalink = self.attribute("isPermaLink").is_none_or(|value| value.eq_ignore_ascii_case("true"));
        let Some(id) = self.string_of(tag) else { return };
        if element == Element::Guid
            && self.in_entry()
            && let Some((entry, _)) = &mut self.entry
        {
            entry.guid_is_permalink = Some(permalink);
        }
        self.about().id = Some(id);
    }

    pub(super) fn set_in_entry(&mut self, tag: &Tag<'a>, set: impl FnOnce(&mut ReadEntry, String)) {
        let url = self.url_of(tag);
        if let (Some(url), Some((entry, _))) = (url, &mut self.entry) {
            set(entry, url);
        }
    }

    /// The URL where comments are posted: kept as an extension, but resolved like any other.
    pub(super) fn comments_api(&mut self, tag: &Tag<'a>) {
        let (namespace, local) = self.expand(tag.name);
        let mut extension = self.extension(namespace, local);
        extension.said.text = self.url_of(tag);
        if extension.said.text.is_some() {
            self.push_extension(extension);
        }
    }

    pub(super) fn in_reply_to(&mut self, tag: &Tag<'a>) {
        let (namespace, local) = self.expand(tag.name);
        let extension = self.extension(namespace, local);
        let reference = self.attribute_string("ref").or_else(|| self.attribute_string("href"));
        let text = self.string_of(tag);
        if !extension.said.pairs.is_empty() {
            self.push_extension(extension);
        }
        let limit = self.room();
        if let (Some(reference), Some((entry, _))) = (reference.or(text), &mut self.entry)
            && entry.in_reply_to.len() < limit
        {
            entry.in_reply_to.push(reference);
        }
    }

    pub(super) fn category(&mut self, tag: &Tag<'a>, default_scheme: Option<&str>) {
        let term = self.attribute_string("term");
        let scheme = self.attribute_string("scheme").or_else(|| self.attribute_string("domain"));
        let label = self.attribute_string("label");
        let scheme = scheme.or_else(|| default_scheme.map(str::to_owned));
        let text = self.string_of(tag);
        match (term, text) {
            (None, None) if label.is_none() && scheme.is_none() => {}
            (None, text) => self.add_category(text, scheme, label),
            (Some(term), text) => {
                let said_twice = text.as_ref() == Some(&term);
                self.add_category(Some(term), scheme, label);
                if let (Some(text), false) = (text, said_twice) {
                    self.add_category(Some(text), None, None);
                }
            }
        }
    }

    pub(super) fn keywords(&mut self, tag: &Tag<'a>, scheme: Option<&str>) {
        let text = self.text_of(tag);
        for term in text.split(',').map(str::trim).filter(|term| !term.is_empty()) {
            self.add_category(Some(term.to_owned()), scheme.map(str::to_owned), None);
        }
    }

    pub(super) fn add_category(&mut self, term: Option<String>, scheme: Option<String>, label: Option<String>) {
        let category = Category { term, scheme, label };
        let limit = self.room();
        let categories = &mut self.about().categories;
        let known = categories.len() < FEW && categories.contains(&category);
        if !known && categories.len() < limit {
            categories.push(category);
        }
    }
}

fn add_enclosure(entry: &mut ReadEntry, link: &Link, limit: usize) {
    if entry.enclosures.len() >= limit {
        return;
    }
    entry.enclosures.push(Enclosure {
        url: link.href.clone(),
        media_type: link.media_type.clone(),
        length: link.length.as_ref().and_then(|length| length.trim().parse().ok()),
        title: link.title.clone(),
        duration: None,
    });
}
