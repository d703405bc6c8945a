//! Randomness as an argument: the same feed and the same visit always give the same number, on every machine.

/// One random number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dice(pub u64);

impl Dice {
    /// The number that causes no jitter.
    pub const STILL: Self = Self(1 << 63);

    /// The number for a feed's visit.
    pub fn of(feed: u128, visit: i64) -> Self {
        let mixed = [feed as u64, (feed >> 64) as u64, visit as u64].into_iter().fold(0, |seed: u64, part| {
            // SplitMix64: every input bit reaches every output bit.
            let mut x = (seed ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            x ^ (x >> 31)
        });
        Self(mixed)
    }

    /// From -1 up to, not including, 1.
    pub(crate) fn swing(self) -> f64 {
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolls_repeat_and_spread() {
        assert_eq!(Dice::of(7, 3), Dice::of(7, 3));
        let rolls: Vec<f64> = (0..1000).map(|visit| Dice::of(7, visit).swing()).collect();
        let mean = rolls.iter().sum::<f64>() / 1000.0;
        assert!(mean.abs() < 0.06, "{mean}");
        assert!(rolls.iter().all(|roll| (-1.0..1.0).contains(roll)));
        assert!(rolls.iter().filter(|roll| **roll > 0.9).count() > 20);
        assert!(Dice::STILL.swing().abs() < f64::EPSILON);
        assert!((Dice(0).swing() + 1.0).abs() < f64::EPSILON && Dice(u64::MAX).swing() < 1.0);
    }
}
