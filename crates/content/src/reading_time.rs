//! How much text there is to read, and how long that takes.
//!
//! Scripts with spaces are counted in words; Chinese and Japanese, which have none, in characters. Korean has spaces.
//! `article` asks here whether a page has enough text to be one.

/// Characters of Chinese or Japanese that are read in a minute; words are twice as slow.
const PER_MINUTE: usize = 400;

/// The time to read `text`, to the nearest minute: 200 words or 400 characters of Chinese or Japanese in one. At least a
/// minute for any text, and none for no text.
pub fn reading_minutes(text: &str) -> u32 {
    if text.trim().is_empty() {
        return 0;
    }
    let minutes = (half_words(text) + PER_MINUTE / 2) / PER_MINUTE;
    u32::try_from(minutes).unwrap_or(u32::MAX).max(1)
}

/// The amount of text in half words: a word is two, a character of Chinese or Japanese is one.
pub(crate) fn half_words(text: &str) -> usize {
    let (mut count, mut in_word) = (0, false);
    for character in text.chars() {
        if is_unspaced(character) {
            count += 1;
            in_word = false;
        } else if character.is_whitespace() {
            in_word = false;
        } else if !in_word && character.is_alphanumeric() {
            // A dash alone is no word, and punctuation before a word is part of it.
            count += 2;
            in_word = true;
        }
    }
    count
}

/// Whether a character belongs to a script that is written without spaces and read by the character.
fn is_unspaced(character: char) -> bool {
    // Most text is Latin, and everything meant here comes later.
    character >= '\u{3005}'
        && matches!(
            character,
            // Iteration mark and zero; Hiragana and Katakana; Bopomofo; Han, its extensions and compatibility forms.
            '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}'
                | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
                | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, text: &str, expected: u32) {
        assert_eq!(reading_minutes(text), expected, "{case}");
    }

    #[test]
    fn words_and_characters_take_their_time() {
        check("nothing", "", 0);
        check("white space", " \n\t\u{3000}", 0);
        check("a word", "word", 1);
        check("a dash", "—", 1);
        check("a minute", &"word ".repeat(200), 1);
        check("almost two", &"word ".repeat(299), 1);
        check("two", &"word ".repeat(300), 2);
        check("ten", &"word\n".repeat(2_000), 10);
        check("dashes are not words", &"word — ".repeat(200), 1);
        check("one word in quotes", &"“naïve’s” ".repeat(600), 3);
        check("Japanese", &"新聞を読む。".repeat(400), 5);
        check("Chinese", &"读".repeat(4_000), 10);
        check("Korean has spaces", &"신문을 읽는다 ".repeat(200), 2);
        check("Japanese and English", &"新聞 news ".repeat(400), 4);
        check("Cyrillic", &"новости ".repeat(400), 2);
    }

    #[test]
    fn every_word_is_counted_once() {
        let check = |text: &str, expected| assert_eq!(half_words(text), expected, "{text}");
        check("", 0);
        check("one two", 4);
        check("東京2024年", 5);
        check("don’t stop", 4);
        check("C++ & C#", 4);
        check("カタカナ ｶﾀｶﾅ 々〇", 10);
        check("𠮷野家", 3);
    }
}
