//! Ridge regression on sparse rows, solved by conjugate gradients.

/// The value of each feature that is not zero.
pub(crate) type Row = Vec<(u32, f64)>;

/// The weights that minimise the squared error plus `penalty` times the squared weights.
pub(crate) fn ridge(rows: &[&Row], targets: &[f64], columns: usize, penalty: f64) -> Vec<f64> {
    let mut weights = vec![0.0; columns];
    let mut rest = transposed_times(rows, targets, columns);
    let mut direction = rest.clone();
    let mut error = dot(&rest, &rest);
    let enough = error * 1e-8;
    for _ in 0..200 {
        if error <= enough {
            break;
        }
        let mut image = transposed_times(rows, &times(rows, &direction), columns);
        for (image, direction) in image.iter_mut().zip(&direction) {
            *image += penalty * direction;
        }
        let step = error / dot(&direction, &image);
        for at in 0..columns {
            weights[at] += step * direction[at];
            rest[at] -= step * image[at];
        }
        let before = error;
        error = dot(&rest, &rest);
        for at in 0..columns {
            direction[at] = rest[at] + error / before * direction[at];
        }
    }
    weights
}

/// The sum that a row gets.
fn predict(row: &Row, weights: &[f64]) -> f64 {
    row.iter().map(|&(column, value)| value * weights[column as usize]).sum()
}

fn times(rows: &[&Row], weights: &[f64]) -> Vec<f64> {
    rows.iter().map(|row| predict(row, weights)).collect()
}

fn transposed_times(rows: &[&Row], factors: &[f64], columns: usize) -> Vec<f64> {
    let mut sums = vec![0.0; columns];
    for (row, factor) in rows.iter().zip(factors) {
        for &(column, value) in *row {
            sums[column as usize] += value * factor;
        }
    }
    sums
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found() {
        // y = 2a - b, three points, hardly any penalty.
        let rows: [Row; 3] = [vec![(0, 1.0)], vec![(1, 1.0)], vec![(0, 1.0), (1, 1.0)]];
        let weights = ridge(&rows.iter().collect::<Vec<_>>(), &[2.0, -1.0, 1.0], 2, 1e-9);
        assert!((weights[0] - 2.0).abs() < 1e-6 && (weights[1] + 1.0).abs() < 1e-6, "{weights:?}");
    }

    #[test]
    fn a_penalty_makes_weights_smaller() {
        // (1·1 + 1)·w = 1·2
        let row: Row = vec![(0, 1.0)];
        assert!((ridge(&[&row], &[2.0], 1, 1.0)[0] - 1.0).abs() < 1e-9);
    }
}
