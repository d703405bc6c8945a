//! How much a headline baits: it teases, promises or withholds instead of saying what happened.
//!
//! English is judged by a linear model over hashed n-grams and style, trained on graded headlines (`data/README.md`).
//! Other languages with a list of bait phrases (`data/bait.txt`) are judged by these and by punctuation. The score of the
//! model is on the scale of its judges: 0 is "not at all", 1 "heavily", and most headlines get 0.1 to 0.4.

pub mod features;
pub mod model;

use crate::Language;
use crate::bait::BAIT;
use crate::score::{Score, quoted};
use crate::word_lists::folded_words;

/// How much a headline baits; none for languages that we cannot judge.
pub fn clickbait(title: &str, language: Language) -> Option<Score> {
    if language == Language::ENGLISH {
        return Some(by_model(title));
    }
    by_phrases(title, language)
}

fn by_model(title: &str) -> Score {
    let features = features::features(title);
    if features.characters.is_empty() {
        return Score::new(0.0, "no words");
    }
    let judgement = model::judge(&features);
    let mut parts: Vec<(f64, String)> = Vec::new();
    for (name, added) in features::STYLE_NAMES.iter().zip(judgement.style) {
        if !name.is_empty() && added > LEAST_SAID {
            parts.push((added, (*name).to_owned()));
        }
    }
    let mut said: Vec<String> = known_phrases(title);
    let shown = |gram: &str| {
        let words = gram.split(' ').filter(|word| word.starts_with(char::is_alphabetic));
        words.collect::<Vec<_>>().join(" ")
    };
    let mut grams: Vec<(&str, f64)> = judgement.words.into_iter().filter(|(_, added)| *added > LEAST_SAID).collect();
    grams.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    for words in grams.into_iter().map(|(gram, _)| shown(gram)) {
        let is_new = !words.is_empty() && !said.iter().any(|other| other.contains(&words) || words.contains(other));
        if is_new && said.len() < 2 {
            said.push(words);
        }
    }
    if !said.is_empty() {
        // Character n-grams see the same words again: they count for more than their own weight.
        parts.push((f64::MAX, format!("the words {}", quoted(&said))));
    }
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let parts: Vec<String> = parts.into_iter().take(3).map(|part| part.1).collect();
    let reason = match (judgement.score, parts.is_empty()) {
        (score, _) if score < 0.25 => "plain wording".to_owned(),
        (_, true) => "the wording as a whole".to_owned(),
        (_, false) => parts.join("; "),
    };
    Score::new(judgement.score, reason)
}

/// The bait phrases of more than one word that an English title has.
fn known_phrases(title: &str) -> Vec<String> {
    let words = folded_words(title, 100);
    let finds = BAIT.of("en").map(|lexicon| lexicon.find(&words)).unwrap_or_default();
    let long = finds.into_iter().filter(|find| find.count > 1);
    long.take(2).map(|find| words[find.at..find.at + find.count].join(" ")).collect()
}

/// A feature is a reason if it adds this much.
const LEAST_SAID: f64 = 0.01;

fn by_phrases(title: &str, language: Language) -> Option<Score> {
    let lexicon = BAIT.of(language.as_str())?;
    let words = folded_words(title, 100);
    let mut phrases = Vec::new();
    let mut hype = Vec::new();
    for find in lexicon.find(&words) {
        let text = words[find.at..find.at + find.count].join(" ");
        if find.count > 1 { phrases.push(text) } else { hype.push(text) }
    }
    let mut reasons = Vec::new();
    let mut value = 0.15;
    let mut add = |much: f64, reason: String| {
        value += much;
        reasons.push(reason);
    };
    if !phrases.is_empty() {
        add(0.35 + 0.15 * (phrases.len() - 1) as f64, format!("the words {}", quoted(&phrases)));
    }
    if !hype.is_empty() {
        add(0.15 * hype.len().min(3) as f64, format!("the words {}", quoted(&hype)));
    }
    let number_first = words.first().is_some_and(|word| word.starts_with(|letter: char| letter.is_ascii_digit()));
    for (yes, much, reason) in [
        (title.contains('!'), 0.15, "an exclamation mark"),
        (title.contains("...") || title.contains('…'), 0.15, "dots that leave the end open"),
        (title.contains('?'), 0.1, "a question mark"),
        (number_first, 0.1, "a number at the start"),
    ] {
        if yes {
            add(much, reason.to_owned());
        }
    }
    let reason = if reasons.is_empty() { "plain wording".to_owned() } else { reasons.join("; ") };
    Some(Score::new(value, reason))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn value(code: &str, title: &str) -> f64 {
        clickbait(title, Language::from_code(code).expect("a language")).expect("a scored language").value
    }

    #[test]
    fn bait_scores_above_news() {
        let pairs = [
            ("en", "You won't believe what this dog did next", "Dog rescued from river in Leeds"),
            ("en", "17 things only teachers will understand", "Teachers vote to strike in October"),
            (
                "en",
                "This is why you should never skip breakfast",
                "Study of 12,000 adults links breakfast to lower weight",
            ),
            ("en", "What happened when I quit sugar for a month", "Sugar tax raises £300m in first year"),
            ("en", "Can you guess which celebrity this is?", "Actor charged with fraud in Los Angeles"),
            ("de", "Sie werden nicht glauben, was dann geschah!", "Bundestag beschließt Haushalt für 2025"),
            ("fr", "Vous n'allez pas croire ce qu'il a fait…", "Le Sénat adopte le budget 2025"),
            ("es", "No creerás lo que pasó después", "El Congreso aprueba los presupuestos"),
            ("pt", "Você não vai acreditar no que aconteceu!", "Câmara aprova reforma tributária"),
            ("it", "Ecco perché dovresti bere acqua: ti sorprenderà!", "Il Senato approva la legge di bilancio"),
            ("nl", "Je gelooft nooit wat deze hond deed!", "Tweede Kamer stemt in met begroting"),
            ("da", "Du vil ikke tro, hvad der så skete!", "Folketinget vedtager finansloven"),
        ];
        for (code, bait, news) in pairs {
            let (bait_value, news_value) = (value(code, bait), value(code, news));
            assert!(bait_value > news_value + 0.2, "{bait_value:.2} {bait} / {news_value:.2} {news}");
            assert!(news_value < 0.35, "{news_value:.2} {news}");
        }
    }

    #[test]
    fn the_reason_names_what_counted() {
        let reason = |title: &str| clickbait(title, Language::ENGLISH).expect("English is scored").reason;
        assert_eq!(reason("Parliament approves budget for 2025 after long debate"), "plain wording");
        assert!(reason("You won't believe what this dog did next!").contains("“you won't believe what”"));
        assert_eq!(reason(" "), "no words");
    }

    #[test]
    fn other_languages_are_not_scored() {
        for code in ["ja", "ru", "ar", "pl"] {
            assert_eq!(clickbait("x", Language::from_code(code).expect("a language")), None);
        }
    }

    #[test]
    fn a_title_of_a_megabyte_is_cut() {
        let long = "You won't believe ".repeat(60_000);
        assert!(value("en", &long) <= 1.0 && value("de", &long) <= 1.0);
    }

    proptest! {
        #[test]
        fn scores_are_between_0_and_1(title in "\\PC{0,120}") {
            prop_assert!((0.0..=1.0).contains(&value("en", &title)));
            prop_assert!((0.0..=1.0).contains(&value("fr", &title)));
        }
    }
}
