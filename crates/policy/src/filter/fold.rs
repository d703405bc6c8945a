//! Folding: texts without case and diacritics, whole or cut into words.
//!
//! Words are cut as the text index cuts them (`store/src/search/terms.rs`): letters and digits are words, everything else
//! stands between them. Scripts that are written without spaces have no words to cut; each of their characters is one,
//! and a word of several characters is a phrase.

use unicode_normalization::char::{decompose_canonical, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// The folded words of a text, in order.
#[derive(Debug, Default)]
pub(super) struct Words {
    text: String,
    /// Where in `text` each word ends.
    ends: Vec<usize>,
}

impl Words {
    /// The first words of a text, at most `limit`. Linear in the text.
    pub(super) fn of(text: &str, limit: usize) -> Self {
        let mut words = Self::default();
        each_folded(text, |folded| {
            match folded {
                Folded::Letter(c) => words.text.push(c),
                Folded::Alone(c) => {
                    words.end();
                    words.text.push(c);
                    words.end();
                }
                Folded::Between(_) => words.end(),
            }
            words.ends.len() < limit
        });
        words.end();
        words.ends.truncate(limit);
        words
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start..*end])
    }

    fn end(&mut self) {
        if self.text.len() > self.ends.last().copied().unwrap_or_default() {
            self.ends.push(self.text.len());
        }
    }
}

/// The text without case and diacritics, and without spaces around it; everything else is left as it is.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_folded(text.trim(), |folded| {
        let (Folded::Letter(c) | Folded::Alone(c) | Folded::Between(c)) = folded;
        out.push(c);
        true
    });
    out
}

#[derive(Debug, Clone, Copy)]
enum Folded {
    /// Part of a word.
    Letter(char),
    /// A word.
    Alone(char),
    /// Between words.
    Between(char),
}

/// Gives the characters of a text, folded, until told to stop.
fn each_folded(text: &str, each: impl FnMut(Folded) -> bool) {
    // What is composed already, as nearly all texts are, needs no normalisation.
    if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        each_of(text.chars(), each);
    } else {
        each_of(text.nfkc(), each);
    }
}

fn each_of(mut chars: impl Iterator<Item = char>, mut each: impl FnMut(Folded) -> bool) {
    let mut goes_on = true;
    while goes_on && let Some(c) = chars.next() {
        if c.is_ascii_alphanumeric() {
            goes_on = each(Folded::Letter(c.to_ascii_lowercase()));
        } else if c.is_ascii() {
            goes_on = each(Folded::Between(c));
        } else if is_silent(c) {
        } else if is_unspaced(c) {
            goes_on = each(Folded::Alone(c));
        } else if c.is_alphanumeric() || is_combining_mark(c) {
            fold_letter(c, |c| goes_on = each(Folded::Letter(c)));
        } else {
            goes_on = each(Folded::Between(c));
        }
    }
}

fn fold_letter(c: char, mut each: impl FnMut(char)) {
    for lower in c.to_lowercase() {
        // Taken apart first: `ǽ` is an `æ` with an accent, and that is two letters.
        decompose_canonical(lower, |part| match part {
            'ß' => ['s', 's'].into_iter().for_each(&mut each),
            'æ' => ['a', 'e'].into_iter().for_each(&mut each),
            'œ' => ['o', 'e'].into_iter().for_each(&mut each),
            'ø' => each('o'),
            'đ' | 'ð' => each('d'),
            'ł' => each('l'),
            'ı' => each('i'),
            'ς' => each('σ'),
            part if is_silent(part) => {}
            part => each(part),
        });
    }
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

    fn words(text: &str) -> String {
        Words::of(text, 100).iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_lose_case_and_diacritics() {
        let check = |case: &str, text: &str, expected: &str| assert_eq!(words(text), expected, "{case}");
        check("punctuation", "Hello, World! (C-3PO)", "hello world c 3po");
        check("diacritics", "Crème brûlée, Ångström, Việt Nam", "creme brulee angstrom viet nam");
        check("composed or not", "cafe\u{301} Zu\u{308}rich", "cafe zurich");
        check("letters of their own", "Straße Łódź København œuvre", "strasse lodz kobenhavn oeuvre");
        check("capitals that become two", "İstanbul ΟΔΥΣΣΕΥΣ οδυσσευς", "istanbul οδυσσευσ οδυσσευσ");
        check("Cyrillic", "Ёлка и Йод", "елка и иод");
        check("Hebrew and Arabic without their points", "שָׁלוֹם مُحَمَّد", "שלום محمد");
        check("vowel signs are letters", "हिन्दी", "हिन्दी");
        check("no spaces", "中文字 日本", "中 文 字 日 本");
        check("Korean, taken apart or not", "한국 \u{1112}\u{1161}\u{11ab}", "한 국 한");
        check("voiced kana, half width", "か\u{3099} ｶﾞ", "が ガ");
        check("full width", "ＡＢＣ１２３", "abc123");
        check("mixed", "iPhone手机", "iphone 手 机");
        check("soft hyphens", "Donau\u{ad}dampf", "donaudampf");
        check("nothing", " \t\u{0}…—", "");
    }

    #[test]
    fn there_are_no_more_than_asked_for() {
        assert_eq!([0, 1, 2, 3, 4].map(|limit| Words::of("a b 字", limit).len()), [0, 1, 2, 3, 3]);
        assert_eq!(Words::of("a b 字", 9).iter().collect::<Vec<_>>(), ["a", "b", "字"]);
    }

    #[test]
    fn folding_keeps_what_is_between_words() {
        assert_eq!(fold("  Zoë D'Ångelo (AFP) "), "zoe d'angelo (afp)");
        assert_eq!(fold("科技/Tech"), "科技/tech");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,40}") {
            let once = words(&text);
            prop_assert_eq!(words(&once), once);
        }
    }
}
