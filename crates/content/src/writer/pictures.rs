//! Pictures and embedded objects (players, other pages): shown, turned into a link, or dropped.
//!
//! `images` decides which.

use super::{Mark, Writer, bit};
use crate::attributes::{Attribute, Attributes};
use crate::images::{Image, image, is_tracker};
use crate::tags::Tag;

impl Writer<'_> {
    pub(super) fn image(&mut self, attributes: &Attributes<'_>) -> Mark {
        let (alt, title) = (attributes.get(Attribute::Alt), attributes.get(Attribute::Title));
        match image(attributes, &mut self.lazy, &mut self.base) {
            Image::Show(src) => {
                self.make_room();
                let start = self.html.len();
                self.html.push_str("<img");
                self.attribute(" src=\"", Some(&src));
                self.attribute(" alt=\"", alt);
                self.attribute(" title=\"", title);
                self.html.push('>');
                self.keep_or_drop(start);
                self.drop_repeated(start);
            }
            Image::Link(href) => {
                let words = alt.or(title).filter(|words| !words.trim().is_empty());
                self.named_link(&href, words);
            }
            Image::Drop => {}
        }
        Mark::Nothing
    }

    /// A lazily loaded picture is often repeated for readers without scripts.
    fn drop_repeated(&mut self, start: usize) {
        let src = |tag: &str| tag.split('"').nth(1).map(str::len);
        let before = self.image_at;
        if before < start && self.html[before..start].ends_with('>') {
            let (one, other) = (&self.html[before..start], &self.html[start..]);
            let same = src(other).is_some_and(|length| one.get(..length + 11) == other.get(..length + 11));
            if same && !one[1..].contains('<') {
                self.html.truncate(start);
                return;
            }
        }
        self.image_at = start;
    }

    /// An embedded player or page becomes a link to it.
    pub(super) fn embedded(&mut self, tag: Tag, attributes: &Attributes<'_>) -> Mark {
        let src = attributes.get(Attribute::Src).filter(|_| !attributes.is_dot());
        let href = src.and_then(|src| self.base.web_url(src)).filter(|href| !is_tracker(href));
        let is_another = tag == Tag::Source && self.embedded_at == self.html.len();
        if let Some(href) = href.as_deref().filter(|_| !is_another) {
            self.separate();
            self.named_link(href, attributes.get(Attribute::Title).filter(|title| !title.trim().is_empty()));
            self.separate();
            self.embedded_at = self.html.len();
        }
        // The content is a fallback for browsers that cannot show it; they have the link.
        self.muted = tag == Tag::Iframe || !tag.is_void() && href.is_some();
        if self.muted { Mark::Muted } else { Mark::Nothing }
    }

    fn named_link(&mut self, href: &str, words: Option<&str>) {
        self.make_room();
        let is_linked = self.held & bit(Tag::A) != 0 || !self.has_room(1);
        let mark = if is_linked { Mark::Nothing } else { self.link(href, None) };
        // The name of its file, if it looks like one.
        let name = || {
            let path = href.split_once("://").map_or(href, |(_, rest)| rest);
            let path = path.split(['?', '#']).next().unwrap_or(path).trim_end_matches('/');
            path.rsplit('/').next().filter(|file| file.contains('.')).unwrap_or(path)
        };
        self.text(words.unwrap_or_else(name));
        self.close(mark);
    }
}
