//! Framing: whether a text takes sides by its choice of words.
//!
//! Words of `data/framing.txt` add their weight: insults most, then loaded words and labels, praise, and words that only
//! lean. What speaks for a report takes a little away: a source, a figure. Words inside quotation marks are somebody
//! else's and count half; one to three words in quotation marks on their own are a distance that the writer takes. Longer
//! sentences need more, by the root of their length.

use std::sync::LazyLock;

use super::weigh::{Weighed, beginning, weigh};
use crate::word_lists::Lexicons;
use crate::{Language, Score};

static WORDS: LazyLock<Lexicons> = LazyLock::new(|| Lexicons::read(include_str!("../../data/framing.txt")));

/// The length at which a sum counts as it is.
const USUAL_WORDS: f64 = 25.0;

/// The sum that makes a score of 0.5.
const HALF: f64 = 0.55;

/// Whether a text takes sides; 0.5 or more is said to. None for languages without a list.
pub fn framing(text: &str, language: Language) -> Option<Score> {
    let text = beginning(text);
    let (own, quoted) = without_quotations(text);
    let all = weigh(text, language, &WORDS)?;
    let own = weigh(&own, language, &WORDS)?;
    let mut sum = f64::midpoint(all.sum.max(own.sum), own.sum);
    let mut rules = Vec::new();
    if quoted.iter().any(|words| (1..=3).contains(words)) {
        sum += 0.3;
        rules.push("words at a distance in quotation marks");
    }
    if text.contains('!') {
        sum += 0.4;
        rules.push("an exclamation mark");
    }
    if text.trim_end().ends_with('?') && all.words > 3 {
        sum += 0.2;
        rules.push("a question");
    }
    let value = Weighed::saturated(sum / length_factor(all.words), HALF);
    let words = all.quoted();
    let reason = match (words.is_empty(), rules.is_empty()) {
        (true, true) => "neutral words".to_owned(),
        (true, false) => rules.join(", "),
        (false, true) => format!("loaded words: {words}"),
        (false, false) => format!("loaded words: {words}; {}", rules.join(", ")),
    };
    Some(Score::new(value, reason))
}

fn length_factor(words: usize) -> f64 {
    (words as f64 / USUAL_WORDS).sqrt().clamp(0.8, 2.0)
}

/// The text without what is in quotation marks, and how many words each quotation has.
fn without_quotations(text: &str) -> (String, Vec<usize>) {
    let mut own = String::with_capacity(text.len());
    let mut quoted = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '“', '„', '«']) {
        let open = rest[start..].chars().next().expect("found above");
        let close: &[char] = match open {
            '“' => &['”', '"'],
            '„' => &['“', '”', '"'],
            '«' => &['»'],
            _ => &['"'],
        };
        let inside = &rest[start + open.len_utf8()..];
        let Some(end) = inside.find(close) else { break };
        own.push_str(&rest[..start]);
        own.push(' ');
        quoted.push(inside[..end].split_whitespace().count());
        let after = &inside[end..];
        rest = &after[after.chars().next().map_or(0, char::len_utf8)..];
    }
    own.push_str(rest);
    (own, quoted)
}
