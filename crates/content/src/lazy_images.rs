//! Lazily loaded images: pages put the address where a script finds it, and a placeholder, or nothing, into `src`.
//!
//! The address may be in another attribute, in a `source` of the surrounding `picture`, or in a second image inside
//! `noscript`. This finds it and recognises the second image. `images` decides what happens to an image; `writer` and
//! `article` report the elements around it.

use std::borrow::Cow;

use crate::attributes::{Attribute, Attributes};
use crate::tags::Tag;
use crate::urls::Base;

/// Where the address of an image was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In `src`.
    Plain,
    /// Where a script would find it.
    Late,
    /// In an image for readers without scripts.
    Fallback,
}

/// What surrounds the next image, in document order.
#[derive(Debug, Default)]
pub(crate) struct LazyImages {
    in_picture: bool,
    /// The largest candidate of the sources of the open `picture`, and its size.
    source: Option<(f32, String)>,
    /// How many `noscript` are open.
    fallbacks: usize,
    /// The last image, unless there was text since.
    last: Option<(Origin, String)>,
}

impl LazyImages {
    /// An element begins; returns whether its end must be reported.
    pub(crate) fn open(&mut self, tag: Tag, attributes: &Attributes<'_>) -> bool {
        match tag {
            Tag::Noscript => self.fallbacks += 1,
            Tag::Picture => (self.in_picture, self.source) = (true, None),
            Tag::Source if self.in_picture => self.keep_larger(attributes),
            _ => {}
        }
        matches!(tag, Tag::Noscript | Tag::Picture)
    }

    /// An element ends, of which `open` said so.
    pub(crate) fn close(&mut self, tag: Tag) {
        if tag == Tag::Noscript {
            self.fallbacks = self.fallbacks.saturating_sub(1);
        } else {
            (self.in_picture, self.source) = (false, None);
        }
    }

    /// Text: an image after it is no longer a second copy of the image before it.
    pub(crate) fn text(&mut self, text: &str) {
        if self.last.is_some() && !text.trim_start().is_empty() {
            self.last = None;
        }
    }

    /// Whether the content belongs to a `noscript`.
    pub(crate) fn is_fallback(&self) -> bool {
        self.fallbacks > 0
    }

    /// The first address that a script would use and that `is_good`.
    pub(crate) fn late(
        &self,
        attributes: &Attributes<'_>,
        base: &mut Base<'_>,
        is_good: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let set = |attribute| attributes.get(attribute).and_then(largest).map(|(url, _)| url);
        let candidates = [
            attributes.get(Attribute::LateSrc),
            set(Attribute::LateSrcset),
            set(Attribute::Srcset),
            self.source.as_ref().map(|(_, url)| url.as_str()),
        ];
        let urls = candidates.into_iter().flatten().filter_map(|candidate| base.web_url(candidate));
        urls.map(Cow::into_owned).find(|url| is_good(url))
    }

    /// Remembers an image, unless it is a second copy of the one before it: then it returns true.
    pub(crate) fn is_repeated(&mut self, origin: Origin, url: &str) -> bool {
        let origin = if self.is_fallback() { Origin::Fallback } else { origin };
        let is_repeated = self.last.as_ref().is_some_and(|(before, same)| {
            let one_is_fallback = (*before == Origin::Fallback) != (origin == Origin::Fallback);
            // The sizes may differ; then the addresses do, too.
            one_is_fallback && (same == url || *before == Origin::Late || origin == Origin::Late)
        });
        self.last = (!is_repeated).then(|| (origin, url.to_owned()));
        is_repeated
    }

    fn keep_larger(&mut self, attributes: &Attributes<'_>) {
        for set in [Attribute::Srcset, Attribute::LateSrcset] {
            let Some((url, size)) = attributes.get(set).and_then(largest) else { continue };
            if self.source.as_ref().is_none_or(|(before, _)| size > *before) {
                self.source = Some((size, url.to_owned()));
            }
        }
    }
}

/// The largest candidate of a `srcset` and its size. Of several of the same size the first one.
fn largest(srcset: &str) -> Option<(&str, f32)> {
    let is_space = |c: char| c.is_ascii_whitespace();
    let mut best: Option<(&str, f32)> = None;
    let mut rest = srcset;
    loop {
        rest = rest.trim_start_matches(|c: char| c == ',' || is_space(c));
        if rest.is_empty() {
            return best;
        }
        // A comma inside an address belongs to it, one at its end does not.
        let (url, after) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
        let (size, after) = if url.ends_with(',') { ("", after) } else { after.split_once(',').unwrap_or((after, "")) };
        rest = after;
        let size = size.trim().trim_end_matches(['w', 'x']).parse().unwrap_or(1.0);
        // Beyond what any screen shows, larger is only heavier; and a placeholder is no candidate.
        let url = url.trim_end_matches(',');
        let is_candidate = size <= 2_048.0 && !url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"));
        if is_candidate && best.is_none_or(|(_, before)| size > before) {
            best = Some((url, size));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_candidate_that_a_screen_can_show() {
        let check = |srcset: &str, expected: Option<&str>| {
            assert_eq!(largest(srcset).map(|(url, _)| url), expected, "{srcset}");
        };
        check("s.png 480w, l.png 800w", Some("l.png"));
        check("l.png 800w,s.png 480w", Some("l.png"));
        check("s.png 1x,l.png 2x", Some("l.png"));
        check("s.png, l.png 1.5x", Some("l.png"));
        check("\n\ts.png 100w,\n\tl.png 200w\n", Some("l.png"));
        check("/w_300,h_200/s.png 300w, /w_600,h_400/l.png 600w", Some("/w_600,h_400/l.png"));
        check("l.png 1600w, poster.png 9000w", Some("l.png"));
        check("first.png, second.png", Some("first.png"));
        check("data:image/gif;base64,R0lGODlhAQABAAAAACw= 1w, l.png 5w", Some("l.png"));
        check("only.png", Some("only.png"));
        check("x.png NaNw", None);
        check(" , ,, ", None);
        check("", None);
    }
}
