//! Terms: what of a text can be found. Pure, and the same for both databases: an entry is cut into terms when it is
//! indexed and a query when it is asked, here and nowhere else.
//!
//! Words lose case and diacritics. Scripts that are written without spaces have no words to cut: each of their
//! characters begins a term, together with its successor where there is one. A word of two characters is then one term,
//! a longer one a phrase of terms, and a single character the beginning of one.

use std::ops::ControlFlow;
use std::sync::LazyLock;
use unicode_normalization::char::{compose, decompose_compatible, is_combining_mark};

/// Longer words are cut, in the text as in the query.
const WORD_BYTES: usize = 64;
/// What the characters below are to words is looked up: letters with marks, Greek, Cyrillic, quotation marks and dashes.
const KNOWN: usize = 0x2070;

/// One thing to find in a text.
pub(super) enum Word<'a> {
    /// A folded word.
    Spaced(&'a str),
    /// Characters of a script without spaces, in one go.
    Unspaced(&'a [char]),
}

/// Gives the words of a text in order, until told to stop. Linear in the text.
pub(super) fn words(text: &str, each: impl FnMut(Word<'_>) -> ControlFlow<()>) {
    let mut scan = Scan { word: String::new(), run: Vec::new(), each, known: &KNOWN_ROLES, done: false };
    let mut rest = text;
    while !scan.done {
        let plain = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if plain > 0 {
            scan.plain(&rest[..plain]);
            rest = &rest[plain..];
        }
        // Most words end with one character that is none.
        match rest.as_bytes().first() {
            None => return scan.flush(),
            Some(byte) if byte.is_ascii() => {
                scan.flush();
                rest = &rest[1..];
            }
            Some(_) => {
                let c = rest.chars().next().expect("there is a byte, so there is a character");
                scan.take(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
}

/// Gives the terms of a text as they are indexed, at most `limit`.
pub(super) fn terms(text: &str, limit: usize, mut each: impl FnMut(&str)) {
    let mut left = limit;
    let mut pair = String::new();
    words(text, |word| {
        match word {
            Word::Spaced(word) if left > 0 => {
                each(word);
                left -= 1;
            }
            Word::Spaced(_) => {}
            Word::Unspaced(run) => {
                for at in 0..run.len().min(left) {
                    pair.clear();
                    pair.extend(&run[at..run.len().min(at + 2)]);
                    each(&pair);
                    left -= 1;
                }
            }
        }
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
}

struct Scan<F> {
    word: String,
    run: Vec<char>,
    each: F,
    known: &'static [Role],
    done: bool,
}

impl<F: FnMut(Word<'_>) -> ControlFlow<()>> Scan<F> {
    /// ASCII letters and digits.
    fn plain(&mut self, letters: &str) {
        if !self.run.is_empty() {
            self.flush();
        }
        let start = self.word.len();
        self.word.push_str(&letters[..letters.len().min(WORD_BYTES.saturating_sub(start))]);
        self.word[start..].make_ascii_lowercase();
    }

    fn take(&mut self, c: char) {
        let role = self.known.get(c as usize).copied().unwrap_or_else(|| role(c));
        match role {
            Role::Between => self.flush(),
            Role::Silent => {}
            Role::Unspaced => {
                if !self.word.is_empty() {
                    self.flush();
                }
                match self.run.last_mut().filter(|_| may_compose(c)).and_then(|last| Some((compose(*last, c)?, last))) {
                    Some((whole, last)) => *last = whole,
                    None => self.run.push(c),
                }
            }
            // Half and full width forms and the like: what they stand for. None of those is such a form itself.
            Role::Compatible => decompose_compatible(c, |plain| {
                if !is_compatible(plain) {
                    self.take(plain);
                }
            }),
            Role::Letters(length, letters) => {
                let letters = std::str::from_utf8(&letters[..length as usize]).expect("it was text when it was noted");
                self.letters(|word| word.push_str(letters));
            }
            Role::Letter => self.letters(|word| fold(c, word)),
        }
    }

    fn letters(&mut self, add: impl FnOnce(&mut String)) {
        if !self.run.is_empty() {
            self.flush();
        }
        if self.word.len() < WORD_BYTES {
            add(&mut self.word);
        }
    }

    fn flush(&mut self) {
        if !self.word.is_empty() {
            self.done |= (self.each)(Word::Spaced(&self.word)).is_break();
            self.word.clear();
        }
        if !self.run.is_empty() {
            self.done |= (self.each)(Word::Unspaced(&self.run)).is_break();
            self.run.clear();
        }
    }
}

/// What a character is to words.
#[derive(Clone, Copy)]
enum Role {
    /// It stands between them.
    Between,
    /// Part of the word, and not heard.
    Silent,
    /// It is of a script without spaces.
    Unspaced,
    /// It stands for others.
    Compatible,
    /// Part of the word: so many bytes of these are heard of it.
    Letters(u8, [u8; 6]),
    /// Part of the word; what is heard of it has to be worked out.
    Letter,
}

static KNOWN_ROLES: LazyLock<Vec<Role>> = LazyLock::new(|| {
    let known = (0..KNOWN as u32).map(|number| {
        let Some(c) = char::from_u32(number) else { return Role::Between };
        match role(c) {
            Role::Letter => {
                let (mut folded, mut letters) = (String::new(), [0; 6]);
                fold(c, &mut folded);
                let room = letters.get_mut(..folded.len()).map(|room| room.copy_from_slice(folded.as_bytes()));
                room.map_or(Role::Letter, |()| Role::Letters(folded.len() as u8, letters))
            }
            other => other,
        }
    });
    known.collect()
});

fn role(c: char) -> Role {
    if c.is_ascii() {
        if c.is_ascii_alphanumeric() { Role::Letter } else { Role::Between }
    } else if is_compatible(c) {
        Role::Compatible
    } else if is_unspaced(c) {
        Role::Unspaced
    } else if is_silent(c) {
        Role::Silent
    } else if c.is_alphanumeric() || is_combining_mark(c) {
        Role::Letter
    } else {
        Role::Between
    }
}

/// Adds a letter without its case and its marks.
fn fold(c: char, word: &mut String) {
    for lower in c.to_lowercase() {
        match lower {
            'ß' => word.push_str("ss"),
            'æ' => word.push_str("ae"),
            'œ' => word.push_str("oe"),
            'ø' => word.push('o'),
            'đ' | 'ð' => word.push('d'),
            'ł' => word.push('l'),
            'ı' => word.push('i'),
            'ς' => word.push('σ'),
            _ => decompose_compatible(lower, |part| {
                if !is_silent(part) && (part.is_alphanumeric() || is_combining_mark(part)) {
                    word.extend(part.to_lowercase());
                }
            }),
        }
    }
}

/// Whether a character without spaces may be a part of the one before it: voiced kana, vowels and finals of Hangul, and a
/// vowel of Myanmar.
fn may_compose(c: char) -> bool {
    matches!(c, '\u{3099}'..='\u{309a}' | '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}' | '\u{102e}')
}

/// Marks that are written above or below a letter without making it another one, and what joins or hyphenates.
fn is_silent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{487}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}'
        | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}'
        | '\u{640}')
}

/// Forms that stand for other characters: radicals, enclosed and squared ones, ideographs twice in Unicode, half and
/// full width.
fn is_compatible(c: char) -> bool {
    matches!(c, '\u{2f00}'..='\u{2fdf}' | '\u{3200}'..='\u{33ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{2f800}'..='\u{2fa1f}')
}

/// Scripts that are written without spaces, or, as Korean, with spaces that are no help in finding a noun.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        // Thai, Lao, Myanmar, Khmer, without their digits and signs.
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ecd}' | '\u{edc}'..='\u{edf}'
        | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{109d}' | '\u{1780}'..='\u{17d3}'
        // Hangul, kana, bopomofo, ideographs.
        | '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2eff}' | '\u{3005}'..='\u{3007}' | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{309a}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{3105}'..='\u{318e}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97c}' | '\u{ac00}'..='\u{d7fb}' | '\u{1b000}'..='\u{1b16f}'
        | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(text: &str) -> String {
        let mut out = Vec::new();
        terms(text, 100, |term| out.push(term.to_owned()));
        out.join(" ")
    }

    #[test]
    fn what_of_a_text_can_be_found() {
        let check = |case: &str, text: &str, expected: &str| assert_eq!(list(text), expected, "{case}");
        check("words lose case and punctuation", "Hello, World! (C-3PO)", "hello world c 3po");
        check("diacritics are not heard", "Crème brûlée, Ångström, Việt Nam", "creme brulee angstrom viet nam");
        check("composed or not", "cafe\u{301} Zu\u{308}rich", "cafe zurich");
        check("letters of their own", "Straße Łódź København œuvre ÞINGIÐ", "strasse lodz kobenhavn oeuvre þingid");
        check("capitals that become two", "İstanbul ΟΔΥΣΣΕΥΣ", "istanbul οδυσσευσ");
        check("Cyrillic", "Ёлка и Йод", "елка и иод");
        check("Hebrew and Arabic without their points", "שָׁלוֹם مُحَمَّد", "שלום محمد");
        check("vowel signs are letters", "हिन्दी", "हिन्दी");
        check("Chinese in pairs", "中文字", "中文 文字 字");
        check("one character", "中", "中");
        check("Japanese", "日本語のテスト", "日本 本語 語の のテ テス スト ト");
        check("Korean", "한국어 책", "한국 국어 어 책");
        check("Korean taken apart", "\u{1112}\u{1161}\u{11ab}", "한");
        check("voiced kana taken apart, half width", "か\u{3099} ｶﾞ", "が ガ");
        check("full width", "ＡＢＣ１２３", "abc123");
        check("mixed", "iPhone手机 2本", "iphone 手机 机 2 本");
        check("marks have no letters", "^a +b #c @d 'e' \"f\" \\g", "a b c d e f g");
        check("nothing", " \t\u{0}…—", "");
    }

    #[test]
    fn there_are_no_more_than_asked_for() {
        let count = |text: &str| {
            let mut count = 0;
            terms(text, 10, |_| count += 1);
            count
        };
        assert_eq!((count(&"word ".repeat(1000)), count(&"字".repeat(1000)), count("a b")), (10, 10, 2));
        terms(&"x".repeat(1 << 20), 10, |term| assert_eq!(term.len(), WORD_BYTES));
    }

    #[test]
    fn what_may_compose_is_all_that_does() {
        // Ideographs and finished syllables never do.
        let unspaced = || (0x80..0x3200).filter_map(char::from_u32).filter(|c| is_unspaced(*c));
        let composes = |c: char| unspaced().chain(['가']).any(|first| compose(first, c).is_some());
        let wrong: String = unspaced().filter(|c| composes(*c) != may_compose(*c)).collect();
        assert_eq!(wrong, "");
    }

    proptest! {
        /// Queries are built by quoting terms: what could end a quotation must never be in one.
        #[test]
        fn a_term_is_letters_and_digits(text in "\\PC{0,40}") {
            terms(&text, 1000, |term| {
                assert!(!term.is_empty());
                assert!(term.chars().all(|c| c.is_alphanumeric() || is_combining_mark(c) || is_unspaced(c)), "{term:?}");
                assert!(!term.contains(['\'', '"', '\\', ' ', '*', ':', '\0']));
            });
        }
    }
}
