//! Limits for HTML, and what was cut because of them.

use std::fmt;

/// Limits for one piece of HTML. What exceeds them is cut, and [`Cuts`] reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of HTML, input and output.
    pub bytes: usize,
    /// Nesting depth of elements.
    pub depth: usize,
    /// Attributes of one tag.
    pub attributes: usize,
    /// Unclosed formatting elements (`b`, `font`, …): HTML repeats them in every following paragraph.
    pub unclosed: usize,
    /// Steps of the tree builder. It searches all open elements for many tags and recreates some elements repeatedly
    /// with all their attributes; most of its time goes into this.
    pub effort: u64,
}

impl Limits {
    /// For entries of feeds.
    pub const ENTRY: Self = Self { bytes: 1 << 20, depth: 256, attributes: 64, unclosed: 32, effort: 3_000_000 };
    /// For pages of articles. Less effort than for an entry of the same size: Readability needs time, too, and most of a
    /// page is scripts.
    pub const PAGE: Self = Self { bytes: 5 << 20, effort: 2_000_000, ..Self::ENTRY };
}

/// What was cut from some HTML because of a limit. Displays as the reason, or as nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cuts {
    /// The end, because it was too long.
    pub size: bool,
    /// Tags that were nested too deeply.
    pub depth: bool,
    /// Attributes of a tag that had too many.
    pub attributes: bool,
    /// Formatting tags, because too many were never closed.
    pub unclosed: bool,
    /// The end, because parsing took too many steps.
    pub effort: bool,
}

impl Cuts {
    /// Whether anything was cut.
    pub fn any(self) -> bool {
        self != Self::default()
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            size: self.size || other.size,
            depth: self.depth || other.depth,
            attributes: self.attributes || other.attributes,
            unclosed: self.unclosed || other.unclosed,
            effort: self.effort || other.effort,
        }
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = [
            (self.size, "too long"),
            (self.depth, "nested too deeply"),
            (self.attributes, "too many attributes in a tag"),
            (self.unclosed, "too many unclosed tags"),
            (self.effort, "too expensive to parse"),
        ];
        let mut first = true;
        for (_, reason) in reasons.iter().filter(|(cut, _)| *cut) {
            f.write_str(if first { "" } else { ", " })?;
            f.write_str(reason)?;
            first = false;
        }
        Ok(())
    }
}

/// The beginning of `text`, at most `bytes` long, cut at a character boundary.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_say_why() {
        let check = |cuts: Cuts, expected: &str| assert_eq!(cuts.to_string(), expected);
        check(Cuts::default(), "");
        check(Cuts { depth: true, ..Cuts::default() }, "nested too deeply");
        check(Cuts { size: true, effort: true, ..Cuts::default() }, "too long, too expensive to parse");
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!(beginning("żółć", 3), "ż");
        assert_eq!(beginning("żółć", 99), "żółć");
    }
}
