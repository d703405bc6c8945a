//! Speculative: whether a text says what is not known: hedges, rumours, unnamed sources, forecasts, questions.
//!
//! Words of `data/speculative.txt` add up; a question mark adds a little. Nothing is wrong with a hedge: the score says
//! that the reader learns what may be, not what is.

use std::sync::LazyLock;

use super::weigh::{Weighed, beginning, weigh};
use crate::word_lists::Lexicons;
use crate::{Language, Score};

static WORDS: LazyLock<Lexicons> = LazyLock::new(|| Lexicons::read(include_str!("../../data/speculative.txt")));

/// How much a text speculates; none for languages without a list.
pub fn speculative(text: &str, language: Language) -> Option<Score> {
    let text = beginning(text);
    let words = weigh(text, language, &WORDS)?;
    let mut reasons = Vec::new();
    let mut sum = words.sum;
    if words.sum > 0.0 {
        reasons.push(format!("words of doubt: {}", words.quoted()));
    }
    if text.contains('?') {
        sum += 0.4;
        reasons.push("a question".to_owned());
    }
    let length = (words.words as f64 / 14.0).sqrt().clamp(0.8, 3.0);
    let reason = if reasons.is_empty() { "stated as fact".to_owned() } else { reasons.join("; ") };
    Some(Score::new(Weighed::saturated(sum / length, 0.75), reason))
}
