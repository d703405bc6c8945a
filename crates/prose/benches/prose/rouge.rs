//! ROUGE-N: how many runs of N words two texts share, as precision, recall and their harmonic mean.

use std::collections::HashMap;

use prose::{Kind, fold, tokens};

/// ROUGE-N F1 of a text against a reference. Words are compared in lower case, without punctuation and without stems.
pub(crate) fn rouge(n: usize, text: &str, reference: &str) -> f64 {
    let (one, other) = (runs(n, text), runs(n, reference));
    let total = |runs: &HashMap<String, usize>| runs.values().sum::<usize>() as f64;
    let shared: usize = one.iter().map(|(run, count)| other.get(run).map_or(0, |known| *known.min(count))).sum();
    let (precision, recall) = (shared as f64 / total(&one).max(1.0), shared as f64 / total(&other).max(1.0));
    if shared == 0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}

/// The words of a text, as ROUGE counts them.
pub(crate) fn words(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let words = tokens.iter().filter(|token| token.kind != Kind::Punctuation);
    words.map(|token| fold(token.text(text)).into_owned()).collect()
}

fn runs(n: usize, text: &str) -> HashMap<String, usize> {
    let mut runs = HashMap::new();
    for run in words(text).windows(n) {
        *runs.entry(run.join(" ")).or_default() += 1;
    }
    runs
}
