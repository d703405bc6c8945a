//! The few attributes of a tag that matter; all others are ignored.

use std::borrow::Cow;

use crate::tags::{Kind, Tag};

/// An attribute that is written, or that decides what happens to its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    Href,
    Src,
    /// Where pages with lazy loading keep the URL of a picture.
    LateSrc,
    Srcset,
    /// The same for `srcset`.
    LateSrcset,
    Alt,
    Title,
    Width,
    Height,
    Colspan,
    Rowspan,
    Style,
    Hidden,
}

impl Attribute {
    /// The attribute called `name` (in any case), if it matters for `tag`.
    pub(crate) fn of(tag: Tag, name: &[u8]) -> Option<Self> {
        use Attribute as A;
        let is = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
        let first = name.first()?.to_ascii_lowercase();
        match (first, tag.kind()) {
            (b's', _) if is("style") => Some(A::Style),
            (b'h', _) if is("hidden") => Some(A::Hidden),
            (b'h', _) if tag == Tag::A && is("href") => Some(A::Href),
            (b't', Kind::Run | Kind::Image | Kind::Embedded) if is("title") => Some(A::Title),
            (b's', Kind::Image | Kind::Embedded) if is("src") => Some(A::Src),
            (b's', Kind::Image | Kind::Embedded) if is("srcset") => Some(A::Srcset),
            (b'd', Kind::Image) if is("data-src") || is("data-lazy-src") || is("data-original") => Some(A::LateSrc),
            (b'd', Kind::Image | Kind::Embedded) if is("data-srcset") || is("data-lazy-srcset") => Some(A::LateSrcset),
            (b'a', Kind::Image) if is("alt") => Some(A::Alt),
            (b'w', Kind::Image | Kind::Embedded) if is("width") => Some(A::Width),
            (b'h', Kind::Image | Kind::Embedded) if is("height") => Some(A::Height),
            (b'c', Kind::Cell) if is("colspan") => Some(A::Colspan),
            (b'r', Kind::Cell) if is("rowspan") => Some(A::Rowspan),
            _ => None,
        }
    }
}

/// The attributes of one tag that matter, decoded.
#[derive(Debug, Default)]
pub(crate) struct Attributes<'a>(Vec<(Attribute, Cow<'a, str>)>);

impl<'a> Attributes<'a> {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// If a name occurs twice, the first one counts, as in browsers.
    pub(crate) fn add(&mut self, attribute: Attribute, value: Cow<'a, str>) {
        if self.get(attribute).is_none() {
            self.0.push((attribute, value));
        }
    }

    pub(crate) fn get(&self, attribute: Attribute) -> Option<&str> {
        self.0.iter().find(|(found, _)| *found == attribute).map(|(_, value)| value.as_ref())
    }

    /// Whether the element is hidden by its author.
    pub(crate) fn hides(&self) -> bool {
        self.get(Attribute::Hidden).is_some() || self.get(Attribute::Style).is_some_and(hides)
    }

    /// Whether the image is too small to be seen: a tracking pixel.
    pub(crate) fn is_dot(&self) -> bool {
        let tiny = |attribute| self.get(attribute).and_then(number).is_some_and(|pixels| pixels <= 1);
        tiny(Attribute::Width) || tiny(Attribute::Height) || self.get(Attribute::Style).is_some_and(is_dot)
    }
}

/// The leading digits of a value, as a browser reads a length or a span; `1000%` is a thousand, too.
pub(crate) fn number(value: &str) -> Option<u32> {
    let value = value.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    // A number with more digits is simply large.
    value[..digits.min(9)].parse().ok()
}

fn hides(style: &str) -> bool {
    declarations(style).any(|(property, value)| {
        let is = |wanted: &str| property.eq_ignore_ascii_case(wanted);
        let says = |wanted: &str| value.get(..wanted.len()).is_some_and(|said| said.eq_ignore_ascii_case(wanted));
        is("display") && says("none") || is("visibility") && says("hidden") || is("mso-hide") && says("all")
    })
}

fn is_dot(style: &str) -> bool {
    declarations(style).any(|(property, value)| {
        (property.eq_ignore_ascii_case("width") || property.eq_ignore_ascii_case("height"))
            && number(value).is_some_and(|pixels| pixels <= 1)
            && !value.contains(['.', '%', 'e', 'r', 'v'])
    })
}

fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    style.split(';').filter_map(|one| one.split_once(':')).map(|(property, value)| (property.trim(), value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide() {
        let check = |style: &str, expected: bool| assert_eq!(hides(style), expected, "{style}");
        check("display:none", true);
        check("color:red; DISPLAY : None !important", true);
        check("visibility: hidden", true);
        check("display:block", false);
        check("content:'display'", false);
        check("", false);
    }

    #[test]
    fn dots_are_one_pixel_or_none() {
        let check = |style: &str, expected: bool| assert_eq!(is_dot(style), expected, "{style}");
        check("width:1px;height:1px", true);
        check("height: 0", true);
        check("width:1em", false);
        check("width:0.5rem", false);
        check("width:100%", false);
        check("width:10px", false);
    }

    #[test]
    fn numbers_begin_a_value() {
        let check = |value: &str, expected: Option<u32>| assert_eq!(number(value), expected, "{value}");
        check("1", Some(1));
        check(" 12px", Some(12));
        check("999999999999", Some(999_999_999));
        check("-1", None);
        check("x", None);
        check("", None);
    }
}
