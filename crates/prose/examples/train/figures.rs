//! Figures of cross-validation, and numbers as they go into files.

/// How often a random positive is ranked above a random negative; ties count half.
pub(crate) fn auc(scores: &[f64], positive: &[bool]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let (mut ranks, mut at) = (0.0, 0);
    while at < order.len() {
        let same = order[at..].iter().take_while(|other| scores[**other] <= scores[order[at]]).count();
        let rank = at as f64 + f64::midpoint(same as f64, 1.0);
        ranks += rank * order[at..at + same].iter().filter(|other| positive[**other]).count() as f64;
        at += same;
    }
    let positives = positive.iter().filter(|positive| **positive).count() as f64;
    (ranks - positives * (positives + 1.0) / 2.0) / (positives * (scores.len() as f64 - positives))
}

/// Weights as whole numbers up to `limit`, and the step between two of them.
pub(crate) fn quantised(weights: &[f64], limit: f64) -> (f32, Vec<f64>) {
    let largest = weights.iter().fold(1e-9, |largest: f64, weight| largest.max(weight.abs()));
    let step = (largest / limit) as f32;
    (step, weights.iter().map(|weight| (weight / f64::from(step)).round().clamp(-limit, limit)).collect())
}

/// A logarithm that is the same on every machine: straight lines between the powers of two.
pub(crate) fn log2(value: f64) -> f64 {
    let (mut value, mut whole) = (value.max(1.0), 0.0);
    while value >= 2.0 {
        value /= 2.0;
        whole += 1.0;
    }
    whole + value - 1.0
}

/// e to the power of a number that is not positive, the same on every machine.
pub(crate) fn exp(value: f64) -> f64 {
    if value < -40.0 {
        return 0.0;
    }
    // (e^(x/64))^64, with a series that converges quickly.
    let small = value / 64.0;
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..12 {
        term *= small / f64::from(n);
        sum += term;
    }
    for _ in 0..6 {
        sum *= sum;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_small_examples() {
        assert!((auc(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]) - 0.75).abs() < 1e-12);
        assert!((auc(&[0.5, 0.5], &[false, true]) - 0.5).abs() < 1e-12);
        for value in [0.0, -0.3, -1.0, -7.5, -39.0] {
            assert!((exp(value) - f64::exp(value)).abs() < 1e-12, "{value}");
        }
        assert!((log2(8.0) - 3.0).abs() < 1e-12);
        let (step, whole) = quantised(&[1.0, -0.5, 0.0], 127.0);
        assert!((step - 1.0 / 127.0).abs() < 1e-6);
        assert_eq!(whole, [127.0, -64.0, 0.0]);
    }
}
