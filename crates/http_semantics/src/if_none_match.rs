//! `If-None-Match` (RFC 9110, 13.1.2): which versions of a document a client has.
//!
//! For serving. Whether it or `If-Modified-Since` counts is in `conditional`.

use crate::EntityTag;
use crate::syntax::{MAX_MEMBERS, bounded};

/// What a client says that it has.
#[derive(Debug, Clone)]
pub enum IfNoneMatch<'a> {
    /// `*`: any version.
    Any,
    /// These; what is no tag is left out.
    Tags(Vec<EntityTag<'a>>),
}

impl<'a> IfNoneMatch<'a> {
    /// Reads all lines of the field; `None` if there is none.
    pub fn read(lines: impl IntoIterator<Item = &'a [u8]>) -> Option<Self> {
        let mut lines = bounded(lines).peekable();
        lines.peek()?;
        let mut tags = Vec::new();
        let mut is_any = false;
        for line in lines {
            is_any |= line.trim_ascii() == b"*";
            let mut rest = line;
            while !rest.is_empty() && tags.len() < MAX_MEMBERS {
                rest = rest.trim_ascii_start();
                // Not by `members`: in a tag, a backslash before a quote is no escape.
                rest = match EntityTag::read_first(rest) {
                    Some((tag, after)) => {
                        tags.push(tag);
                        after
                    }
                    None => rest,
                };
                let comma = rest.iter().position(|byte| *byte == b',');
                rest = comma.map_or(&[], |comma| &rest[comma + 1..]);
            }
        }
        Some(if is_any { Self::Any } else { Self::Tags(tags) })
    }

    /// Whether the client has the current version, by the weak comparison. A document without a tag has a version, too:
    /// `*` is about it.
    pub fn matches(&self, current: Option<EntityTag<'_>>) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => current.is_some_and(|current| tags.iter().any(|tag| tag.weak_eq(current))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::MAX_LINE_BYTES;

    #[test]
    fn a_list_or_a_star() {
        let check = |lines: &[&str], expected: &str| {
            let read = IfNoneMatch::read(lines.iter().map(|line| line.as_bytes()));
            let shown = match read {
                None => "none".to_owned(),
                Some(IfNoneMatch::Any) => "any".to_owned(),
                Some(IfNoneMatch::Tags(tags)) => tags.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            };
            assert_eq!(shown, expected, "{lines:?}");
        };
        check(&[], "none");
        // RFC 9110, 13.1.2.
        check(&["\"xyzzy\""], "\"xyzzy\"");
        check(&["W/\"xyzzy\""], "W/\"xyzzy\"");
        check(&["\"xyzzy\", \"r2d2xxxx\", \"c3piozzzz\""], "\"xyzzy\" \"r2d2xxxx\" \"c3piozzzz\"");
        check(&["W/\"xyzzy\", W/\"r2d2xxxx\", W/\"c3piozzzz\""], "W/\"xyzzy\" W/\"r2d2xxxx\" W/\"c3piozzzz\"");
        check(&["*"], "any");
        check(&["\"a\"", " \"b\",,"], "\"a\" \"b\"");
        check(&["\"a,b\\\", \"c\""], "\"a,b\\\" \"c\"");
        check(&["abc, \"a\" x, \"b"], "\"a\"");
        check(&["\"*\""], "\"*\"");
        check(&[""], "");
        let many = "\"\",".repeat(MAX_LINE_BYTES);
        assert!(matches!(IfNoneMatch::read([many.as_bytes()]), Some(IfNoneMatch::Tags(tags)) if tags.len() == 256));
    }

    #[test]
    fn the_weak_comparison() {
        let read = |text: &'static str| IfNoneMatch::read([text.as_bytes()]).unwrap();
        let current = EntityTag::strong("1");
        assert!(read("W/\"1\"").matches(current) && read("\"0\", \"1\"").matches(current));
        assert!(!read("\"2\"").matches(current) && !read("\"1\"").matches(None) && !read("nonsense").matches(current));
        assert!(read("*").matches(current) && read("*").matches(None));
    }
}
