//! Words: a text as tokens with their byte ranges, and the forms under which words are counted.
//!
//! Scripts that are written without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) come as one [`Kind::Piece`] per
//! character with its marks; whoever counts words pairs neighbouring pieces. Nothing here knows what a word means.

use std::borrow::Cow;

use crate::Language;

/// A word, number or sign, and where it is in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
}

impl Token {
    /// The token as it is written; `text` is what it was found in.
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters, with apostrophes and hyphens inside: `don't`, `e-mail`, `l'homme`.
    Word,
    /// One character, with its marks, of a script without spaces between words.
    Piece,
    /// Digits, with separators inside: `3.5`, `1,000`, `12:30`.
    Number,
    /// Any other visible sign, one character each; emoji are among them.
    Punctuation,
}

/// The tokens of a text in order, without white space.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::with_capacity(text.len() / 5);
    let mut rest = text.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        if character.is_whitespace() || is_invisible(character) {
            continue;
        }
        let mut end = start + character.len_utf8();
        let kind = kind_of(character);
        match kind {
            Kind::Word => {
                while let Some(&(at, next)) = rest.peek() {
                    let joins = continues_word(next) || (is_joiner(next) && letter_follows(text, at + next.len_utf8()));
                    if !joins {
                        break;
                    }
                    end = at + next.len_utf8();
                    rest.next();
                }
            }
            Kind::Piece => {
                while let Some(&(at, next)) = rest.peek() {
                    if !is_mark(next) {
                        break;
                    }
                    end = at + next.len_utf8();
                    rest.next();
                }
            }
            Kind::Number => {
                while let Some(&(at, next)) = rest.peek() {
                    let after = at + next.len_utf8();
                    let separates = matches!(next, '.' | ',' | ':' | '/' | '\u{202f}' | '\u{a0}' | '\'' | '’');
                    let digit_after = text[after..].chars().next().is_some_and(char::is_numeric);
                    if !(next.is_numeric() || (separates && digit_after)) {
                        break;
                    }
                    end = after;
                    rest.next();
                }
            }
            Kind::Punctuation => {}
        }
        found.push(Token { start, end, kind });
    }
    found
}

fn kind_of(character: char) -> Kind {
    if character.is_ascii() {
        return match character {
            'a'..='z' | 'A'..='Z' => Kind::Word,
            '0'..='9' => Kind::Number,
            _ => Kind::Punctuation,
        };
    }
    if is_spaceless(character) {
        Kind::Piece
    } else if character.is_alphabetic() {
        Kind::Word
    } else if character.is_numeric() {
        Kind::Number
    } else {
        Kind::Punctuation
    }
}

/// Letters of scripts that put no space between words. Hangul does.
pub(crate) fn is_spaceless(character: char) -> bool {
    matches!(u32::from(character),
        // Thai and Lao without their digits, Burmese, Khmer.
        0x0e01..=0x0e3a | 0x0e40..=0x0e4e | 0x0e81..=0x0ece | 0x0edc..=0x0edf | 0x1000..=0x103f | 0x1050..=0x109f
        | 0x1780..=0x17d3
        // Iteration marks, kana, bopomofo, Han with its extensions, halfwidth katakana.
        | 0x3005..=0x3007 | 0x3031..=0x3035 | 0x3041..=0x3096 | 0x309d..=0x309f | 0x30a1..=0x30fa | 0x30fc..=0x30ff
        | 0x3105..=0x312f | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0xff66..=0xff9f
        | 0x20000..=0x3134f)
}

/// Marks that belong to the character before them.
fn is_mark(character: char) -> bool {
    matches!(u32::from(character),
        0x0300..=0x036f | 0x0483..=0x0489 | 0x0591..=0x05bd | 0x05bf | 0x05c1 | 0x05c2 | 0x05c4 | 0x05c5 | 0x05c7
        | 0x0610..=0x061a | 0x064b..=0x065f | 0x0670 | 0x06d6..=0x06dc | 0x06df..=0x06e8 | 0x06ea..=0x06ed
        | 0x093a..=0x094f | 0x0951..=0x0957 | 0x0962 | 0x0963 | 0x0981..=0x0983 | 0x09bc..=0x09cd | 0x0a3c..=0x0a4d
        | 0x0abc..=0x0acd | 0x0b3c..=0x0b4d | 0x0bbe..=0x0bcd | 0x0c3e..=0x0c56 | 0x0cbc..=0x0cd6 | 0x0d3b..=0x0d4d
        | 0x0dca..=0x0ddf | 0x0e31 | 0x0e34..=0x0e3a | 0x0e47..=0x0e4e | 0x0eb1 | 0x0eb4..=0x0ebc | 0x0ec8..=0x0ece
        | 0x102b..=0x103e | 0x17b6..=0x17d3 | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x200c | 0x200d | 0x20d0..=0x20ff
        | 0x3099 | 0x309a | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f)
}

/// Soft hyphens, direction marks, byte order marks and control characters say nothing.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || is_mark(character)
        || matches!(u32::from(character), 0xad | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2069 | 0xfeff)
}

fn continues_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    (character.is_alphanumeric() && !is_spaceless(character)) || is_mark(character) || character == '\u{ad}'
}

/// Apostrophes, hyphens and the Catalan middle dot hold a word together.
fn is_joiner(character: char) -> bool {
    matches!(character, '\'' | '’' | '-' | '‐' | '‑' | '·' | '״' | '׳')
}

fn letter_follows(text: &str, at: usize) -> bool {
    text[at..].chars().next().is_some_and(|next| next.is_alphanumeric() && !is_spaceless(next))
}

/// A word as it is looked up and counted: lower case, straight apostrophes, no soft hyphens. Diacritics stay, because
/// they tell words apart.
pub fn fold(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(word);
    }
    let mut folded = String::with_capacity(word.len());
    for character in word.chars() {
        match character {
            '’' | 'ʼ' | '‘' | '`' => folded.push('\''),
            '‐' | '‑' => folded.push('-'),
            '\u{ad}' | '\u{200c}' | '\u{200d}' => {}
            other => folded.extend(other.to_lowercase()),
        }
    }
    Cow::Owned(folded)
}

/// Reduces folded words to the stem under which their forms are counted, where the language has rules for it.
pub struct Stemmer {
    rules: Option<rust_stemmers::Stemmer>,
    english: bool,
}

impl Stemmer {
    /// The rules of a language; without a language, or without rules, words stay as they are.
    pub fn new(language: Option<Language>) -> Self {
        use rust_stemmers::Algorithm;
        let code = language.map_or("", |language| language.as_str());
        let algorithm = match code {
            "ar" => Some(Algorithm::Arabic),
            "da" => Some(Algorithm::Danish),
            "nl" => Some(Algorithm::Dutch),
            "en" => Some(Algorithm::English),
            "fi" => Some(Algorithm::Finnish),
            "fr" => Some(Algorithm::French),
            "de" => Some(Algorithm::German),
            "el" => Some(Algorithm::Greek),
            "hu" => Some(Algorithm::Hungarian),
            "it" => Some(Algorithm::Italian),
            "no" => Some(Algorithm::Norwegian),
            "pt" => Some(Algorithm::Portuguese),
            "ro" => Some(Algorithm::Romanian),
            "ru" => Some(Algorithm::Russian),
            "es" => Some(Algorithm::Spanish),
            "sv" => Some(Algorithm::Swedish),
            "ta" => Some(Algorithm::Tamil),
            "tr" => Some(Algorithm::Turkish),
            _ => None,
        };
        Self { rules: algorithm.map(rust_stemmers::Stemmer::create), english: code == "en" }
    }

    /// The stem of a folded word. Words of more than 60 bytes are no words, and stay.
    pub fn stem<'w>(&self, folded: &'w str) -> Cow<'w, str> {
        let word = if self.english { folded.strip_suffix("'s").unwrap_or(folded) } else { folded };
        match &self.rules {
            Some(rules) if word.len() <= 60 => rules.stem(word),
            _ => Cow::Borrowed(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(case: &str, text: &str, expected: &str) {
        let said: Vec<String> = tokens(text)
            .iter()
            .map(|token| {
                let mark = match token.kind {
                    Kind::Word => "w",
                    Kind::Piece => "c",
                    Kind::Number => "n",
                    Kind::Punctuation => "p",
                };
                format!("{mark}:{}", token.text(text))
            })
            .collect();
        assert_eq!(said.join(" "), expected, "{case}");
    }

    #[test]
    fn a_text_is_cut_into_words_numbers_and_signs() {
        check("nothing", "", "");
        check("blank", " \n\t\u{a0}", "");
        check("plain", "The cat sat.", "w:The w:cat w:sat p:.");
        check("apostrophes", "don't L’homme dogs' 'tis", "w:don't w:L’homme w:dogs p:' p:' w:tis");
        check("hyphens", "e-mail - well-known- -x", "w:e-mail p:- w:well-known p:- p:- w:x");
        check("numbers", "3.5 1,000 12:30 5. 7,", "n:3.5 n:1,000 n:12:30 n:5 p:. n:7 p:,");
        check("grouped digits", "10\u{202f}000 1'000", "n:10\u{202f}000 n:1'000");
        check("letters and digits", "G20 B2B 4G 2nd", "w:G20 w:B2B n:4 w:G n:2 w:nd");
        check("money", "$11.1bn 27% €5", "p:$ n:11.1 w:bn n:27 p:% p:€ n:5");
        check("umlauts", "Größe über Öl", "w:Größe w:über w:Öl");
        check("combining marks stay with their letter", "cafe\u{301} ok", "w:cafe\u{301} w:ok");
        check("Chinese", "中国，2024", "c:中 c:国 p:， n:2024");
        check("Japanese", "東京タワー", "c:東 c:京 c:タ c:ワ c:ー");
        check("Korean has spaces", "한국 정부", "w:한국 w:정부");
        check("Thai vowels and tones stay with their letter", "ที่นี่", "c:ที่ c:นี่");
        check("Latin beside Han", "iPhone手机", "w:iPhone c:手 c:机");
        check("Arabic with marks", "مُحَمَّد قال", "w:مُحَمَّد w:قال");
        check("Hebrew", "שלום עולם", "w:שלום w:עולם");
        check("Hindi", "हिन्दी में", "w:हिन्दी w:में");
        check("emoji", "ok 👍🏽!", "w:ok p:👍 p:🏽 p:!");
        check("soft hyphen", "auf\u{ad}machen", "w:auf\u{ad}machen");
        check("direction marks are no tokens", "\u{200f}a\u{202e}b", "w:a w:b");
        check("an orphaned mark is no token", "\u{301} \u{301}", "");
    }

    #[test]
    fn folding_and_stems() {
        let stem = |code: &str, word: &str| {
            let stemmer = Stemmer::new(Language::from_code(code));
            stemmer.stem(&fold(word)).into_owned()
        };
        assert_eq!(fold("DON’T"), "don't");
        assert_eq!(fold("Straße"), "straße");
        assert_eq!(fold("auf\u{ad}machen"), "aufmachen");
        assert_eq!(stem("en", "Minister’s"), stem("en", "ministers"));
        assert_eq!(stem("de", "Häuser"), stem("de", "Haus"));
        assert_eq!(stem("zz", "votes"), "votes");
        assert_eq!(stem("en", &"s".repeat(100)), "s".repeat(100));
    }

    #[test]
    fn a_megabyte_of_anything_ends() {
        for text in ["a".repeat(1 << 20), "'".repeat(1 << 20), "\u{301}".repeat(1 << 19), "1.".repeat(1 << 19)] {
            assert!(tokens(&text).len() <= 1 << 20);
        }
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_hold_all_letters(text in "\\PC{0,80}|[a-zA-Zé'’ .,0-9中の-]{0,80}") {
            let mut before = 0;
            let mut letters = 0;
            for token in tokens(&text) {
                prop_assert!(before <= token.start && token.start < token.end && text.is_char_boundary(token.end));
                letters += token.text(&text).chars().filter(|c| c.is_alphabetic() && !is_mark(*c)).count();
                before = token.end;
            }
            prop_assert_eq!(letters, text.chars().filter(|c| c.is_alphabetic() && !is_mark(*c)).count());
        }
    }
}
