//! Persuasive: whether a text wants something of its reader.
//!
//! Words of `data/persuasive.txt` (calls, promises, appeals to authority or to a crowd) add up. A verb that calls counts
//! fully where it opens the text, as an imperative does, and little elsewhere: "Stop eating sugar" is not "a bus stop".

use std::sync::LazyLock;

use super::weigh::{Weighed, beginning};
use crate::score::quoted;
use crate::word_lists::{Lexicons, folded_words};
use crate::{Language, Score};

static WORDS: LazyLock<Lexicons> = LazyLock::new(|| Lexicons::read(include_str!("../../data/persuasive.txt")));

/// How much a text wants to move its reader; none for languages without a list.
pub fn persuasive(text: &str, language: Language) -> Option<Score> {
    let text = beginning(text);
    let lexicon = WORDS.of(language.as_str())?;
    let words = folded_words(text, 400);
    let mut found = Vec::new();
    let mut sum = 0.0;
    for find in lexicon.find(&words) {
        let group = lexicon.group(find.group);
        let lone = find.count == 1;
        let share = match group.name {
            "call" if lone && find.at > 0 => 0.15,
            "promise" if lone => 0.7,
            _ => 1.0,
        };
        sum += group.weight * share;
        if share > 0.2 {
            found.push(words[find.at..find.at + find.count].join(" "));
        }
    }
    let mut reasons = Vec::new();
    if !found.is_empty() {
        reasons.push(format!("words that push: {}", quoted(&found)));
    }
    if text.contains('!') {
        sum += 0.2;
        reasons.push("an exclamation mark".to_owned());
    }
    let length = (words.len() as f64 / 12.0).sqrt().clamp(0.8, 3.0);
    let reason = if reasons.is_empty() { "only informs".to_owned() } else { reasons.join("; ") };
    Some(Score::new(Weighed::saturated(sum / length, 0.8), reason))
}
