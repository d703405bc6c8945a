//! How much HTML is looked at, and what was left out because of it.

use std::fmt;

/// What one piece of HTML may cost; beyond it something is left out, and [`Cuts`] says what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of HTML, going in and coming out.
    pub bytes: usize,
    /// Elements inside each other.
    pub depth: usize,
    /// Attributes of one tag.
    pub attributes: usize,
    /// Formatting elements (`b`, `font`, …) that were never closed: HTML repeats them in every paragraph that follows.
    pub unclosed: usize,
    /// Steps of the tree builder: it looks along all open elements for many tags, and makes some elements again and again
    /// with all their attributes, so this is what its time goes into.
    pub effort: u64,
}

impl Limits {
    /// For what feeds bring.
    pub const ENTRY: Self = Self { bytes: 1 << 20, depth: 256, attributes: 64, unclosed: 32, effort: 3_000_000 };
    /// For pages of articles.
    pub const PAGE: Self = Self { bytes: 5 << 20, effort: 15_000_000, ..Self::ENTRY };
}

/// What was left out of some HTML, because a limit was met. As text: the reason, or nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cuts {
    /// The end: it was too long.
    pub size: bool,
    /// Tags: they were inside too many others.
    pub depth: bool,
    /// Attributes: there were too many in one tag.
    pub attributes: bool,
    /// Formatting tags: too many were never closed.
    pub unclosed: bool,
    /// The end: it was built to be laborious.
    pub effort: bool,
}

impl Cuts {
    /// Was anything left out?
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
            (self.effort, "too laborious"),
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

/// The beginning of `text` that is at most `bytes` long, cut between characters.
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
        check(Cuts { size: true, effort: true, ..Cuts::default() }, "too long, too laborious");
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!(beginning("żółć", 3), "ż");
        assert_eq!(beginning("żółć", 99), "żółć");
    }
}
