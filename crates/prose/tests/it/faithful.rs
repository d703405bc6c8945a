//! The faithfulness check on pairs written by hand: of changed rewrites hardly one passes, of honest ones most do.

use prose::{Language, faithful};

struct Pair {
    source: &'static str,
    rewrite: &'static str,
    /// What was changed; none for an honest rewrite.
    changed: Option<&'static str>,
}

fn pairs(file: &'static str) -> Vec<Pair> {
    let mut source = "";
    let mut pairs = Vec::new();
    for line in file.lines() {
        match line.split_at_checked(2) {
            Some(("= ", text)) => source = text,
            Some(("+ ", rewrite)) => pairs.push(Pair { source, rewrite, changed: None }),
            Some(("- ", text)) => {
                let (changed, rewrite) = text.split_once(": ").expect("what was changed, then the rewrite");
                pairs.push(Pair { source, rewrite, changed: Some(changed) });
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "{line}"),
        }
    }
    pairs
}

#[track_caller]
fn check(code: &str, file: &'static str, least_changed: usize, least_honest: usize) {
    let language = Language::from_code(code);
    let (changed, honest): (Vec<Pair>, Vec<Pair>) = pairs(file).into_iter().partition(|pair| pair.changed.is_some());
    assert!(changed.len() >= least_changed && honest.len() >= least_honest);
    let mut passed = 0;
    for pair in &changed {
        if faithful(pair.source, pair.rewrite, language).is_ok() {
            eprintln!("PASSED ({}) {}\n       {}", pair.changed.unwrap_or_default(), pair.source, pair.rewrite);
            passed += 1;
        }
    }
    let mut refused = 0;
    for pair in &honest {
        if let Err(why) = faithful(pair.source, pair.rewrite, language) {
            eprintln!("REFUSED ({why}) {}\n       {}", pair.source, pair.rewrite);
            refused += 1;
        }
    }
    eprintln!("{code}: {passed} of {} changed passed, {refused} of {} honest refused", changed.len(), honest.len());
    assert!(passed * 100 <= changed.len(), "{passed} of {} changed rewrites passed", changed.len());
    assert!(refused * 10 <= honest.len(), "{refused} of {} honest rewrites were refused", honest.len());
}

#[test]
fn english_rewrites() {
    check("en", include_str!("faithful/en.txt"), 200, 120);
}

#[test]
fn german_rewrites() {
    check("de", include_str!("faithful/de.txt"), 60, 25);
}

/// Written before it was known which of them pass; the check was mended by them since, so this is no measure of new ones.
#[test]
fn english_rewrites_meant_to_deceive() {
    check("en", include_str!("faithful/adversarial_en.txt"), 340, 180);
}

#[test]
fn german_rewrites_meant_to_deceive() {
    check("de", include_str!("faithful/adversarial_de.txt"), 60, 40);
}
