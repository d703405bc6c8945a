//! A score and its reason: what all scores of a text answer with.

/// How much of something a text has, and why we say so.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// From 0 (none) to 1.
    pub value: f64,
    /// The reason, in a few English words; quoted words are the text's own.
    pub reason: String,
}

impl Score {
    /// A score of a value that is cut to 0..1.
    pub(crate) fn new(value: f64, reason: impl Into<String>) -> Self {
        Self { value: if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }, reason: reason.into() }
    }
}

/// Words for a reason: `“a”, “b” and 2 more`.
pub(crate) fn quoted<S: AsRef<str>>(words: &[S]) -> String {
    const SHOWN: usize = 3;
    let mut distinct: Vec<&str> = Vec::new();
    for word in words.iter().map(AsRef::as_ref) {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    let shown = distinct.iter().take(SHOWN).map(|word| format!("“{}”", cut(word))).collect::<Vec<_>>().join(", ");
    match distinct.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Words of hostile length are shown cut.
fn cut(word: &str) -> String {
    const LONGEST: usize = 40;
    if word.chars().count() <= LONGEST {
        return word.to_owned();
    }
    word.chars().take(LONGEST).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_stay_within_their_range() {
        for (value, expected) in [(0.5, 0.5), (-1.0, 0.0), (7.0, 1.0), (f64::NAN, 0.0)] {
            assert!((Score::new(value, "").value - expected).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn reasons_quote_a_few_words() {
        assert_eq!(quoted::<&str>(&[]), "");
        assert_eq!(quoted(&["a", "a"]), "“a”");
        assert_eq!(quoted(&["a", "b", "c", "d", "e"]), "“a”, “b”, “c” and 2 more");
        assert_eq!(quoted(&["x".repeat(1000)]).chars().count(), 43);
    }
}
