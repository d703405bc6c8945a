//! Entity tags (RFC 9110, 8.8.3), as `ETag` and `If-None-Match` have them: read, made, written and compared.
//!
//! What our own requests send back is not read at all: `model::visit::Validators` keeps it verbatim.

use std::fmt;

/// One entity tag. `to_string` writes it as the field has it. Not `Eq`: there are two comparisons, and the caller must
/// say which.
#[derive(Debug, Clone, Copy)]
pub struct EntityTag<'a> {
    is_weak: bool,
    /// Between the quotes. A backslash in it is no escape.
    opaque: &'a [u8],
}

impl<'a> EntityTag<'a> {
    /// A tag of bytes that change with every change; `None` if one of them may not stand in a tag.
    pub fn strong(opaque: &'a str) -> Option<Self> {
        Self::new(false, opaque.as_bytes())
    }

    /// A tag that may stay the same when only trifles change.
    pub fn weak(opaque: &'a str) -> Option<Self> {
        Self::new(true, opaque.as_bytes())
    }

    /// Reads the value of `ETag`; `None` if it is not exactly one tag.
    pub fn read(value: &'a [u8]) -> Option<Self> {
        let (tag, rest) = Self::read_first(value.trim_ascii())?;
        rest.is_empty().then_some(tag)
    }

    /// Reads the tag at the beginning of a text. Also what comes after it.
    pub(crate) fn read_first(text: &'a [u8]) -> Option<(Self, &'a [u8])> {
        // `W` is case-sensitive (8.8.3).
        let (is_weak, quoted) = text.strip_prefix(b"W/").map_or((false, text), |rest| (true, rest));
        let quoted = quoted.strip_prefix(b"\"")?;
        let end = quoted.iter().position(|byte| *byte == b'"')?;
        Some((Self::new(is_weak, &quoted[..end])?, &quoted[end + 1..]))
    }

    fn new(is_weak: bool, opaque: &'a [u8]) -> Option<Self> {
        let is_allowed = |byte: &u8| matches!(byte, 0x21 | 0x23..=0x7e | 0x80..);
        opaque.iter().all(is_allowed).then_some(Self { is_weak, opaque })
    }

    /// Whether it is weak.
    pub fn is_weak(self) -> bool {
        self.is_weak
    }

    /// The strong comparison (8.8.3.2): the same bytes. For parts of documents and for writing.
    pub fn strong_eq(self, other: EntityTag<'_>) -> bool {
        !self.is_weak && !other.is_weak && self.opaque == other.opaque
    }

    /// The weak comparison (8.8.3.2): the same document, perhaps in other bytes. What `If-None-Match` asks for.
    pub fn weak_eq(self, other: EntityTag<'_>) -> bool {
        self.opaque == other.opaque
    }
}

impl fmt::Display for EntityTag<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weak = if self.is_weak { "W/" } else { "" };
        write!(f, "{weak}\"{}\"", String::from_utf8_lossy(self.opaque))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_rfc_has_them() {
        // RFC 9110, 8.8.3.
        for tag in ["\"xyzzy\"", "W/\"xyzzy\"", "\"\"", "\"a,b\\\"", "\"caf\u{e9}\""] {
            assert_eq!(EntityTag::read(tag.as_bytes()).map(|tag| tag.to_string()).as_deref(), Some(tag));
        }
        for no_tag in ["", "xyzzy", "\"", "w/\"xyzzy\"", "W/ \"x\"", "\"a b\"", "\"a\" \"b\"", "\"a\"b", "\"\u{7f}\""] {
            assert!(EntityTag::read(no_tag.as_bytes()).is_none(), "{no_tag:?}");
        }
        assert!(EntityTag::strong("a\"b").is_none() && EntityTag::weak("a b").is_none());
        assert_eq!(EntityTag::strong("a").map(|tag| tag.to_string()).as_deref(), Some("\"a\""));
        assert_eq!(EntityTag::weak("a").map(|tag| tag.to_string()).as_deref(), Some("W/\"a\""));
    }

    #[test]
    fn two_comparisons() {
        // RFC 9110, 8.8.3.2, table 3.
        let check = |one: &str, other: &str, strong: bool, weak: bool| {
            let (a, b) = (EntityTag::read(one.as_bytes()).unwrap(), EntityTag::read(other.as_bytes()).unwrap());
            assert_eq!((a.strong_eq(b), a.weak_eq(b)), (strong, weak), "{one} {other}");
        };
        check("W/\"1\"", "W/\"1\"", false, true);
        check("W/\"1\"", "W/\"2\"", false, false);
        check("W/\"1\"", "\"1\"", false, true);
        check("\"1\"", "\"1\"", true, true);
    }
}
