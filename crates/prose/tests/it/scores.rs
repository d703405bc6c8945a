//! The scores made of word lists, on cases written by hand: what a reader would call loud scores above what is quiet.

use prose::scores::{framing, hyper_stimulus, persuasive, speculative};
use prose::{Language, Score};

/// Checks a file of `code + text` (at least `high`) and `code - text` (less than `low`).
#[track_caller]
fn check(score: fn(&str, Language) -> Option<Score>, file: &str, high: f64, low: f64) {
    let mut cases = 0;
    let mut wrong = Vec::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (code, rest) = line.split_once(' ').expect("a language, then the rest");
        let (sign, text) = rest.split_once(' ').expect("a sign, then the text");
        let said = score(text, Language::from_code(code).expect("a language")).expect("a scored language");
        cases += 1;
        if (sign == "+" && said.value < high) || (sign == "-" && said.value >= low) {
            wrong.push(format!("{:.2} {line} ({})", said.value, said.reason));
        }
        assert!(!said.reason.is_empty(), "{line}");
    }
    assert!(cases >= 60, "{cases} cases");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn framing_is_in_the_words() {
    check(framing, include_str!("scores/framing.txt"), 0.5, 0.5);
}

#[test]
fn what_excites() {
    check(hyper_stimulus, include_str!("scores/hyper_stimulus.txt"), 0.4, 0.3);
}

#[test]
fn what_is_not_known() {
    check(speculative, include_str!("scores/speculative.txt"), 0.4, 0.3);
}

#[test]
fn what_wants_something() {
    check(persuasive, include_str!("scores/persuasive.txt"), 0.4, 0.3);
}

#[test]
fn a_reason_quotes_the_text() {
    let reason = framing("A vile and shameful lie", Language::ENGLISH).expect("English is scored").reason;
    assert_eq!(reason, "loaded words: “vile”, “shameful”, “lie”");
    assert_eq!(framing("A tram to the lake", Language::ENGLISH).expect("English is scored").reason, "neutral words");
}

#[test]
fn quoted_words_are_somebody_elses() {
    let own = framing("The mayor is a vile, shameless liar who wrecks the town", Language::ENGLISH);
    let quoted =
        framing("The paper wrote \"the mayor is a vile, shameless liar who wrecks\" the town", Language::ENGLISH);
    assert!(own.expect("English is scored").value > quoted.expect("English is scored").value);
}

#[test]
fn other_languages_are_not_scored() {
    for score in [framing, hyper_stimulus, persuasive, speculative] {
        assert_eq!(score("衝撃!!!", Language::from_code("ja").expect("Japanese")), None);
    }
}

#[test]
fn a_megabyte_is_cut() {
    for text in ["vile ".repeat(200_000), "\"".repeat(1 << 20), "!".repeat(1 << 20), "a".repeat(1 << 20)] {
        for score in [framing, hyper_stimulus, persuasive, speculative] {
            assert!(score(&text, Language::ENGLISH).expect("English is scored").value <= 1.0);
        }
    }
}
