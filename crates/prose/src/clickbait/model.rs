//! The weights of the clickbait model, as shipped in `data/clickbait.weights`.
//!
//! The file is written by `cargo xtask train-clickbait`: eight bytes of magic; the steps of the word and of the
//! character weights, the constant and the weights of the style features (all `f32`, little-endian); then one `i8` for
//! each bucket, words first.

use super::features::{BUCKETS, Features, STYLES};

/// The first bytes of the file; the digit changes with the features.
pub const MAGIC: &[u8; 8] = b"CLICKBT1";

/// Where the buckets begin.
pub const HEAD_BYTES: usize = 8 + 4 * (3 + STYLES);

static SHIPPED: &[u8] = include_bytes!("../../data/clickbait.weights");

// A file of another shape would give wrong scores quietly.
const _: () =
    assert!(SHIPPED.len() == HEAD_BYTES + 2 * BUCKETS, "data/clickbait.weights was trained for other features");

/// A score and what it is made of.
pub(super) struct Judgement<'a> {
    /// The sum, cut to 0..1.
    pub(super) score: f64,
    /// What each word n-gram adds, in the order of the features.
    pub(super) words: Vec<(&'a str, f64)>,
    /// What each style feature adds.
    pub(super) style: [f64; STYLES],
}

/// Judges a headline by its features.
pub(super) fn judge(features: &Features) -> Judgement<'_> {
    let bucket = |at: usize| f64::from(i8::from_le_bytes([SHIPPED[HEAD_BYTES + at]]));
    let word_step = float(8) / root(features.words.len());
    let character_step = float(12) / root(features.characters.len());
    let words: Vec<(&str, f64)> =
        features.words.iter().map(|(at, gram)| (gram.as_str(), word_step * bucket(usize::from(*at)))).collect();
    let characters: f64 =
        features.characters.iter().map(|at| character_step * bucket(BUCKETS + usize::from(*at))).sum();
    let mut style = [0.0; STYLES];
    for (index, added) in style.iter_mut().enumerate() {
        *added = float(20 + 4 * index) * f64::from(features.style[index]);
    }
    let sum = float(16) + words.iter().map(|word| word.1).sum::<f64>() + characters + style.iter().sum::<f64>();
    Judgement { score: sum.clamp(0.0, 1.0), words, style }
}

/// What the weights of one kind are divided by: long titles have more n-grams.
pub fn root(count: usize) -> f64 {
    (count as f64).sqrt().max(1.0)
}

fn float(at: usize) -> f64 {
    f64::from(f32::from_le_bytes([SHIPPED[at], SHIPPED[at + 1], SHIPPED[at + 2], SHIPPED[at + 3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_of_this_version() {
        assert!(SHIPPED.starts_with(MAGIC));
    }
}
