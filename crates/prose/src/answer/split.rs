//! Words as the answering model compares them: lower case, a light stem, and whether they are names or numbers.
//!
//! Not `crate::words`: the weights are frozen with this splitting, and must not change when the other one improves.

use std::collections::HashSet;
use std::sync::LazyLock;

/// One word as written and as compared.
#[derive(Debug)]
pub(super) struct Word {
    pub(super) stem: String,
    pub(super) lower: String,
    pub(super) capital: bool,
    pub(super) number: bool,
    pub(super) first: bool,
}

/// Texts are read up to this many words.
const MOST_WORDS: usize = 120;

/// Splits a text into words.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    let is_inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '-' | ',' | '.');
    for piece in text.split(|letter: char| !is_inside(letter)) {
        let piece = piece.trim_matches(|letter: char| !letter.is_alphanumeric());
        if piece.is_empty() {
            continue;
        }
        if found.len() == MOST_WORDS {
            break;
        }
        let straight = piece.chars().take(40).map(|letter| if letter == '’' { '\'' } else { letter });
        let mut lower: String = straight.flat_map(char::to_lowercase).collect();
        if lower.ends_with("'s") {
            lower.truncate(lower.len() - 2);
        }
        let number = piece.starts_with(|letter: char| letter.is_ascii_digit())
            || NUMBER_WORDS.split(' ').any(|word| word == lower);
        let capital = piece.starts_with(char::is_uppercase);
        found.push(Word { stem: stem(&lower), lower, capital, number, first: found.is_empty() });
    }
    found
}

/// The words of a text that carry content, each stem once.
pub(super) fn distinct(words: &[Word]) -> impl Iterator<Item = &Word> {
    let is_new = |at: usize, word: &Word| !words[..at].iter().any(|before| before.stem == word.stem);
    let content = words.iter().enumerate().filter(|(_, word)| !is_function_word(&word.lower));
    content.filter(move |(at, word)| is_new(*at, word)).map(|(_, word)| word)
}

/// A light stem: plural, past and progressive endings go.
fn stem(word: &str) -> String {
    let cut = |ending: &str, least: usize| word.strip_suffix(ending).filter(|stem| stem.chars().count() >= least);
    if let Some(stem) = cut("ies", 3) {
        return format!("{stem}y");
    }
    for (ending, least) in [("ing", 4), ("ed", 4), ("es", 4), ("ly", 4), ("s", 3), ("e", 4)] {
        if let Some(stem) = cut(ending, least)
            && !(ending == "s" && stem.ends_with('s'))
        {
            return stem.to_owned();
        }
    }
    word.to_owned()
}

/// Whether a word carries no content.
pub(super) fn is_function_word(word: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| FUNCTION_WORDS.split(' ').collect());
    SET.contains(word)
}

const NUMBER_WORDS: &str =
    "two three four five six seven eight nine ten million billion dozen hundred thousand percent half twice";

const FUNCTION_WORDS: &str = "a about after all also am an and any are as at be been but by can could did do does for from get gets got \
    had has have he her here here's him his how i if in into is it its just like may me more most my new no not \
    now of on one or our out over really said say says she should so some than that the their them then there \
    these they this those to too up us was we were what when where which while who why will with would you your";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stemmed_and_marked() {
        let check = |text: &str, expected: &str| {
            let shown: Vec<String> = words(text)
                .iter()
                .map(|word| {
                    let marks = [(word.capital, "^"), (word.number, "#")];
                    let marks: String = marks.iter().filter(|mark| mark.0).map(|mark| mark.1).collect();
                    format!("{}{marks}", word.stem)
                })
                .collect();
            assert_eq!(shown.join(" "), expected, "{text}");
        };
        check("Los Angeles counties", "los^ angel^ county");
        check("He’s paid 1,000,000 dollars.", "he^ paid 1,000,000# dollar");
        check("walked, walking; walks", "walk walk walk");
        check("ten classes", "ten# class");
        check("…", "");
    }

    #[test]
    fn function_words_carry_no_content() {
        assert!(is_function_word("which") && is_function_word("your") && !is_function_word("county"));
    }
}
