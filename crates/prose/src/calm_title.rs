//! A title without its bait: phrases that tease are taken out, shouting is written as usual, nothing is added.
//!
//! Titles that are calm already stay as they are. Each step below is tried in turn, and the calmest title that is faithful to
//! the original (`faithful`) is taken; where none is, the original. Only small words are ever added ("why", "a", "to").

mod line;
mod lists;
mod phrases;
mod pointing;
mod presupposed;
mod shouting;

use crate::scores::CALM;
use crate::{Language, faithful, scores};

/// Titles of more bytes than this are no titles, and stay.
const LONGEST_BYTES: usize = 1_000;

/// What is tried, in this order.
const STEPS: &[fn(&str, &str) -> String] = &[
    shouting::without_marks,
    shouting::without_capitals,
    phrases::without_leads,
    phrases::without_tails,
    phrases::without_hype,
    lists::without_advice,
    phrases::without_clauses,
    pointing::without_pointing,
    lists::without_count,
    presupposed::presupposed,
];

/// The title, calmer if it needs to be and can be.
pub fn calm_title(title: &str, language: Language) -> String {
    if title.len() > LONGEST_BYTES {
        return title.to_owned();
    }
    let loudness = |title: &str| scores(title, language).map(|scores| scores.overall.value);
    let Some(before) = loudness(title).filter(|value| *value >= CALM) else { return title.to_owned() };
    let code = language.as_str();
    let mut best = (before, title.to_owned());
    let mut current = title.to_owned();
    let mut now = before;
    // What one step takes out may uncover what another looks for.
    for step in STEPS.iter().chain(STEPS) {
        let next = tidy(&step(&current, code));
        // A step that breaks the meaning is left out, and the others are tried without it.
        if next == current || faithful(title, &next, Some(language)).is_err() {
            continue;
        }
        current = next;
        now = loudness(&current).unwrap_or(before);
        if now < best.0 {
            best = (now, current.clone());
        }
    }
    // A short title scores a little more for being short: that is no reason to keep its bait.
    if now < before { current } else { best.1 }
}

/// One space between words, none before commas, a capital at the start, no loose marks at the ends.
fn tidy(title: &str) -> String {
    let mut tidy = String::with_capacity(title.len());
    for word in title.split_whitespace() {
        let joins = word.starts_with([',', '.', ':', ';', '?', '!', ')']) && word.chars().count() == 1;
        if !tidy.is_empty() && !joins {
            tidy.push(' ');
        }
        tidy.push_str(word);
    }
    let loose = [' ', ',', ':', ';', '-', '–', '—', '|', '…', '&'];
    let trimmed = tidy.trim_matches(loose);
    let trimmed = if trimmed.starts_with('.') { trimmed.trim_start_matches(['.', ' ']) } else { trimmed };
    let mut letters = trimmed.chars();
    match letters.next() {
        Some(first) if first.is_lowercase() && keeps_no_capital(trimmed) => {
            first.to_uppercase().chain(letters).collect()
        }
        _ => trimmed.to_owned(),
    }
}

/// `iPhone` and `eBay` stay.
fn keeps_no_capital(title: &str) -> bool {
    let first = title.split(' ').next().unwrap_or_default();
    !first.chars().skip(1).any(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::word_lists::folded_words;

    #[track_caller]
    fn check(code: &str, title: &str, expected: &str) {
        assert_eq!(calm_title(title, Language::from_code(code).expect("a language")), expected);
    }

    #[test]
    fn calm_titles_stay() {
        for title in [
            "Central bank raises interest rate to 4.5 percent",
            "NASA and ESA sign agreement on Mars probe",
            "Two injured in train collision near Lyon",
        ] {
            check("en", title, title);
        }
        check("ja", "速報！！！信じられない", "速報！！！信じられない");
    }

    #[test]
    fn bait_and_shouting_go() {
        check("en", "You won't believe what this dog did at the airport!!!", "What a dog did at the airport");
        check("en", "SHOCKING: Mayor of Leeds resigns over budget!!!", "Mayor of Leeds resigns over budget");
        check("en", "This is why airlines hate small dogs 😱😱", "Why airlines hate small dogs");
        check("en", "NASA finds AMAZING new planet and you NEED to see it!!", "NASA finds new planet");
        check("en", "DOG BITES POSTMAN AND EATS HIS HAT", "Dog Bites Postman and Eats his Hat");
        check(
            "en",
            "Man finds an incredible coin in his garden, and you won't believe why!",
            "Man finds a coin in his garden",
        );
        check("de", "SCHOCK! Sie werden nicht glauben, was dieser Hund getan hat!!!", "Was dieser Hund getan hat");
        check("fr", "INCROYABLE ! Vous n'allez pas croire ce que ce chien a fait !!!", "Ce que ce chien a fait");
        check(
            "es",
            "¡INCREÍBLE! No creerás qué hizo este perro en el aeropuerto!!!",
            "Qué hizo este perro en el aeropuerto",
        );
        check("it", "INCREDIBILE! Ecco perché i cani odiano il postino!!!", "Perché i cani odiano il postino");
    }

    #[test]
    fn the_worst_titles_fall_by_half() {
        let mut falls: Vec<f64> = WORST
            .lines()
            .map(|title| {
                let overall = |title: &str| scores(title, Language::ENGLISH).expect("English is scored").overall.value;
                1.0 - overall(&calm_title(title, Language::ENGLISH)) / overall(title)
            })
            .collect();
        falls.sort_by(f64::total_cmp);
        assert!(falls[falls.len() / 2] >= 0.5, "{falls:.2?}");
    }

    const WORST: &str = "\
SHOCKING!!! You won't believe what the mayor of Leeds said about buses
OMG!!! This is why NASA cancelled its moon flight!!! 😱
WOW! Senator reveals INSANE plan to close 40 schools!!! You have to see this
BREAKING: Police arrest TERRIFYING burglar in Boston!!! What happened next will shock you
You'll NEVER guess who bought the old mill in Harlow!!!
UNBELIEVABLE! Bank fined $5 million for lying to customers!!! Watch now
MUST SEE!!! The heartbreaking moment firefighters rescue a cat from a burning house 😭😭
HILARIOUS! Judge sends lawyer home for wearing shorts!!! LOL
Mind-blowing new battery charges in five minutes, and the internet is losing it!!!
URGENT WARNING!!! Supermarket recalls 20,000 jars of honey
This INSANE storm destroyed 300 homes in Florida!!! Must see!!!
SHOCK!!! Company fires 800 workers by e-mail!!! You won't believe why";

    #[test]
    fn hostile_titles_end() {
        for title in [
            "!".repeat(1 << 20),
            "OMG ".repeat(200),
            "…".repeat(300),
            "you won't believe ".repeat(50),
            "OMG! This is seriously".to_owned(),
        ] {
            let _ = calm_title(&title, Language::ENGLISH);
        }
    }

    proptest! {
        #[test]
        fn no_content_word_is_added(
            lead in "(OMG! |You won't believe how |SHOCKING: |This is why |)",
            body in "[a-zA-Z']{1,9}( [a-zA-Z0-9']{1,9}){2,8}",
            tail in "(!!!|, and it's amazing|\\.\\.\\. what happened next will shock you| 😱|\\?!|)",
        ) {
            let title = format!("{lead}{body}{tail}");
            let calm = calm_title(&title, Language::ENGLISH);
            let known = folded_words(&title, 100);
            for word in folded_words(&calm, 100) {
                prop_assert!(known.contains(&word) || ["a", "an", "why", "how", "what"].contains(&word.as_str()), "{title} -> {calm}");
            }
        }

        #[test]
        fn any_title_has_a_calm_one(title in "\\PC{0,120}") {
            for code in ["en", "de"] {
                let language = Language::from_code(code).expect("a language");
                let calm = calm_title(&title, language);
                prop_assert!(calm == title || faithful(&title, &calm, Some(language)).is_ok());
            }
        }
    }
}
