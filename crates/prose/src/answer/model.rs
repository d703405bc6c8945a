//! The weights of the answering model, as shipped in `data/answers.weights`.
//!
//! The file is written by `cargo xtask train-answers`: eight bytes of magic, the confidence from which the model speaks
//! and the step of the weights (both `f32`, little-endian), then one `i16` for each feature.

use super::features::{FEATURES, Row};

/// The first bytes of the file; the digit changes with the features.
pub const MAGIC: &[u8; 8] = b"ANSWERS1";

static SHIPPED: &[u8] = include_bytes!("../../data/answers.weights");

// A file of another shape would give wrong answers quietly.
const _: () = assert!(SHIPPED.len() == 16 + 2 * FEATURES, "data/answers.weights was trained for other features");

/// The confidence from which on an answer is given.
pub(super) fn threshold() -> f64 {
    f64::from(float(8))
}

/// How probable each sentence is the answer; the probabilities add up to 1.
pub(super) fn probabilities(rows: &[Row]) -> Vec<f64> {
    let step = f64::from(float(12));
    let weight = |feature: u16| {
        let at = 16 + 2 * usize::from(feature);
        f64::from(i16::from_le_bytes([SHIPPED[at], SHIPPED[at + 1]])) * step
    };
    let sums: Vec<f64> =
        rows.iter().map(|row| row.iter().map(|&(feature, value)| weight(feature) * f64::from(value)).sum()).collect();
    let highest = sums.iter().copied().fold(f64::MIN, f64::max);
    let exponentials: Vec<f64> = sums.iter().map(|sum| (sum - highest).exp()).collect();
    let total: f64 = exponentials.iter().sum();
    exponentials.iter().map(|exponential| exponential / total).collect()
}

fn float(at: usize) -> f32 {
    f32::from_le_bytes([SHIPPED[at], SHIPPED[at + 1], SHIPPED[at + 2], SHIPPED[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_of_this_version() {
        assert!(SHIPPED.starts_with(MAGIC));
        assert!((0.2..0.9).contains(&threshold()));
    }
}
