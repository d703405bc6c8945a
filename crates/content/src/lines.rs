//! Text as lines: white space collapsed, blocks separated, trimmed at both ends.

use crate::characters::{Class, class, is_forbidden, length};

/// Collects text. The separator of two words is decided when the second one comes.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: String,
    gap: Gap,
}

/// The separator before the next word, if any word precedes it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    #[default]
    Nothing,
    Space,
    Line,
}

impl Lines {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), gap: Gap::Nothing }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Makes the separator before the next word at least this.
    pub(crate) fn part(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }

    pub(crate) fn gap(&self) -> Gap {
        self.gap
    }

    /// Sets the separator before the next word, whatever it was.
    pub(crate) fn set(&mut self, gap: Gap) {
        self.gap = gap;
    }

    /// Adds text without forbidden characters; `newline` is what a line break in it becomes.
    pub(crate) fn push(&mut self, text: &str, newline: Gap) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let white = white_space(&bytes[at..]);
            if white > 0 {
                self.part(if bytes[at] == b'\n' { newline } else { Gap::Space });
                at += white;
                continue;
            }
            let start = at;
            while at < bytes.len() {
                match KINDS[bytes[at] as usize] {
                    Kind::Word => at += 1,
                    // Most words are separated by exactly one space: the fast path.
                    Kind::White if bytes[at] == b' ' && bytes.get(at + 1).is_some_and(|next| is_word(*next)) => at += 2,
                    Kind::Look if white_space(&bytes[at..]) == 0 => at += 1,
                    Kind::White | Kind::Look => break,
                }
            }
            self.separate();
            self.text.push_str(&text[start..at]);
        }
    }

    fn separate(&mut self) {
        if !self.text.is_empty() {
            match self.gap {
                Gap::Nothing => {}
                Gap::Space => self.text.push(' '),
                Gap::Line => self.text.push('\n'),
            }
        }
        self.gap = Gap::Nothing;
    }
}

/// One line of literal text: white space collapsed, forbidden characters left out.
pub(crate) fn one_line(text: &str) -> String {
    let mut lines = Lines::with_capacity(text.len());
    let bytes = text.as_bytes();
    let (mut at, mut from) = (0, 0);
    while at < bytes.len() {
        let forbidden = match class(bytes[at]) {
            // Carriage returns and form feeds separate words like other white space.
            Class::Control => !matches!(bytes[at], b'\r' | b'\x0b' | b'\x0c'),
            Class::Look => is_forbidden(&bytes[at..]),
            Class::Plain | Class::Markup => false,
        };
        let next = at + length(bytes[at]);
        if forbidden {
            lines.push(&text[from..at], Gap::Space);
            from = next;
        }
        at = next;
    }
    lines.push(&text[from..], Gap::Space);
    lines.finish()
}

/// How a byte counts for words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    White,
    /// The first byte of characters of which some are white space.
    Look,
}

static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Word; 256];
    let white = b" \t\n\r\x0b\x0c";
    let mut at = 0;
    while at < white.len() {
        kinds[white[at] as usize] = Kind::White;
        at += 1;
    }
    kinds[0xc2] = Kind::Look;
    kinds[0xe1] = Kind::Look;
    kinds[0xe2] = Kind::Look;
    kinds[0xe3] = Kind::Look;
    kinds
};

fn is_word(byte: u8) -> bool {
    KINDS[byte as usize] == Kind::Word
}

/// The length of the white space character at the start of `bytes`; 0 if there is none.
fn white_space(bytes: &[u8]) -> usize {
    match *bytes {
        [b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'\x0b', ..] => 1,
        [0xc2, 0xa0 | 0x85, ..] => 2,
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_line_is_words_and_single_spaces() {
        let check = |text: &str, expected: &str| assert_eq!(one_line(text), expected, "{text:?}");
        check("  a \t\r\n b\u{a0}\u{3000}c ", "a b c");
        check("a\u{202e}b\0c\u{7}", "abc");
        check("1 < 2 & \"3\"", "1 < 2 & \"3\"");
        check(" \n ", "");
        check("", "");
    }

    proptest! {
        #[test]
        fn white_space_is_that_of_unicode(text in "[\\PC\\s\\p{Zs}]{0,30}") {
            prop_assume!(!text.chars().any(|c| c.is_control() && !c.is_whitespace() || c == '\u{85}'));
            prop_assume!(!text.contains(['\u{feff}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}']));
            let expected = text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(one_line(&text), expected);
        }
    }
}
