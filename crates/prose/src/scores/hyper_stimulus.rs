//! Hyper-stimulus: whether a text raises the pulse, by its words or by its looks.
//!
//! Words of `data/hyper_stimulus.txt` (sensation, urgency, extremes) add up; so do words in capitals, exclamation marks and
//! emoji, the first of each most. A title of few words needs few of them.

use std::sync::LazyLock;

use super::shouting::shouting;
use super::weigh::{Weighed, beginning, weigh};
use crate::word_lists::Lexicons;
use crate::{Language, Score};

static WORDS: LazyLock<Lexicons> = LazyLock::new(|| Lexicons::read(include_str!("../../data/hyper_stimulus.txt")));

/// How much a text excites; none for languages without a list.
pub fn hyper_stimulus(text: &str, language: Language) -> Option<Score> {
    let text = beginning(text);
    let words = weigh(text, language, &WORDS)?;
    let loud = shouting(text);
    let mut reasons = Vec::new();
    let mut sum = words.sum;
    if words.sum > 0.0 {
        reasons.push(format!("words that excite: {}", words.quoted()));
    }
    for (count, first, each, what) in [
        (loud.words, 0.35, 0.2, "words in capitals"),
        (loud.exclamations, 0.35, 0.25, "exclamation marks"),
        (loud.emoji, 0.3, 0.15, "emoji"),
    ] {
        if count > 0 {
            sum += first + each * (count.min(8) - 1) as f64;
            reasons.push(format!("{what} ({count})"));
        }
    }
    let length = (words.words as f64 / 12.0).sqrt().clamp(0.8, 3.0);
    let reason = if reasons.is_empty() { "quiet words".to_owned() } else { reasons.join("; ") };
    Some(Score::new(Weighed::saturated(sum / length, 0.9), reason))
}
