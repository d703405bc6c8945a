//! The phrases that bait, by language: `data/bait.txt`. Three files ask for them; what each does with them is its own.

use std::sync::LazyLock;

use crate::word_lists::Lexicons;

/// All bait phrases.
pub(crate) static BAIT: LazyLock<Lexicons> = LazyLock::new(|| Lexicons::read(include_str!("../data/bait.txt")));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_languages_have_phrases() {
        for code in ["en", "de", "fr", "es", "pt", "it", "nl", "da"] {
            assert!(BAIT.of(code).is_some_and(|lexicon| lexicon.len() > 50), "{code}");
        }
        assert_eq!(BAIT.languages().count(), 8);
    }
}
