//! Weighing a text with a word list: the sum of what was found, and the words for the reason.

use crate::Language;
use crate::score::quoted;
use crate::word_lists::{Lexicons, folded_words};

/// Texts are read up to this many bytes and words: a score is about a title or a sentence.
const LONGEST_BYTES: usize = 4_000;
const MOST_WORDS: usize = 400;

/// What a list found in a text.
pub(super) struct Weighed {
    /// The sum of the weights; never below 0.
    pub(super) sum: f64,
    /// How many words the text has.
    pub(super) words: usize,
    /// What was found, heaviest first.
    found: Vec<(f64, String)>,
}

/// The beginning of a text that is looked at.
pub(super) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_BYTES)]
}

/// Weighs a text; none if the language has no list. The same words found again add half as much each time.
pub(super) fn weigh(text: &str, language: Language, lexicons: &Lexicons) -> Option<Weighed> {
    let lexicon = lexicons.of(language.as_str())?;
    let words = folded_words(text, MOST_WORDS);
    let mut found: Vec<(f64, String)> = Vec::new();
    let mut sum = 0.0;
    for find in lexicon.find(&words) {
        let text = words[find.at..find.at + find.count].join(" ");
        let before = found.iter().filter(|other| other.1 == text).count() as i32;
        let weight = lexicon.group(find.group).weight;
        sum += weight * 0.5_f64.powi(before);
        found.push((weight, text));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    Some(Weighed { sum: f64::max(sum, 0.0), words: words.len(), found })
}

impl Weighed {
    /// A sum as a score: 0.5 where it equals `half`, and never 1.
    pub(super) fn saturated(sum: f64, half: f64) -> f64 {
        sum / (sum + half)
    }

    /// The words that count, for a reason; empty without any.
    pub(super) fn quoted(&self) -> String {
        let words: Vec<&String> = self.found.iter().filter(|(weight, _)| *weight > 0.0).map(|(_, text)| text).collect();
        quoted(&words)
    }
}
