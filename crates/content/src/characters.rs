//! Characters that are always removed: controls, marks that reorder the text around them, and non-characters.
//!
//! White space and marks that belong to a script or an emoji (joiners, LRM, RLM) are kept.

/// What a byte means when text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Plain,
    /// `&`, `<`, `>`, `"`: written as an entity where they would be read as markup.
    Markup,
    /// A control character of ASCII.
    Control,
    /// The first byte of characters of which some are special.
    Look,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Plain; 256];
    let mut byte = 0;
    while byte < 0x20 {
        classes[byte] = Class::Control;
        byte += 1;
    }
    classes[0x7f] = Class::Control;
    classes[b'\t' as usize] = Class::Plain;
    classes[b'\n' as usize] = Class::Plain;
    classes[b'&' as usize] = Class::Markup;
    classes[b'<' as usize] = Class::Markup;
    classes[b'>' as usize] = Class::Markup;
    classes[b'"' as usize] = Class::Markup;
    classes[0xc2] = Class::Look;
    classes[0xe2] = Class::Look;
    classes[0xef] = Class::Look;
    classes
};

pub(crate) fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// Whether the character at the start of `bytes` (of class `Look`) is removed.
pub(crate) fn is_forbidden(bytes: &[u8]) -> bool {
    match *bytes {
        // C1 controls; embeddings, overrides and isolates of bidirectional text; annotation anchors; the byte order
        // mark, and non-characters.
        [0xc2, second, ..] => second < 0xa0,
        [0xe2, 0x80, third, ..] => (0xaa..=0xae).contains(&third),
        [0xe2, 0x81, third, ..] => (0xa6..=0xa9).contains(&third),
        [0xef, 0xbb, third, ..] => third == 0xbf,
        [0xef, 0xbf, third, ..] => (0xb9..=0xbb).contains(&third) || third >= 0xbe,
        [0xef, 0xb7, third, ..] => (0x90..=0xaf).contains(&third),
        _ => false,
    }
}

/// Whether the character is removed.
pub(crate) fn is_dropped(c: char) -> bool {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).as_bytes();
    match class(bytes[0]) {
        Class::Control => true,
        Class::Look => is_forbidden(bytes),
        Class::Plain | Class::Markup => false,
    }
}

/// The length in bytes of a character that begins with `byte`.
pub(crate) fn length(byte: u8) -> usize {
    match byte {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forbidden() {
        let check = |text: char, expected: bool| {
            assert_eq!(is_dropped(text), expected, "{text:?}");
            assert_eq!(length(text.to_string().as_bytes()[0]), text.len_utf8());
        };
        for text in
            ['\0', '\r', '\u{1b}', '\u{7f}', '\u{85}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{ffff}', '\u{fdd0}']
        {
            check(text, true);
        }
        for text in ['\t', '\n', 'a', 'é', '\u{a0}', '’', '\u{200d}', '\u{200f}', '\u{fffd}', '東', '\u{fb01}', '😀']
        {
            check(text, false);
        }
    }
}
