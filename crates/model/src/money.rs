//! Money, in billionths of a dollar: a token of a cheap model costs less than a millionth.
//!
//! Amounts are never negative where they are a price, a ceiling or what was spent. Whoever rounds, rounds up: an estimate
//! must not be lower than the bill.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

/// An amount in billionths of a dollar. Additions saturate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(pub i64);

const PER_DOLLAR: i64 = 1_000_000_000;

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// More than anybody has.
    pub const MOST: Self = Self(i64::MAX / 4);

    /// From dollars; `None` for what is negative, not a number, or too much.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let amount = (dollars * PER_DOLLAR as f64).round();
        (0.0..=Self::MOST.0 as f64).contains(&amount).then_some(Self(amount as i64))
    }

    /// In dollars, for charts and APIs.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / PER_DOLLAR as f64
    }

    /// Which part of another amount this is; of nothing, all of it.
    pub fn share_of(self, whole: Self) -> f64 {
        if whole.0 <= 0 { 1.0 } else { self.0 as f64 / whole.0 as f64 }
    }
}

impl Add for Money {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Money {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// `$12.34`; small amounts with as many digits as they need: `$0.000085`.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, amount) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (whole, part) = (amount / PER_DOLLAR as u64, amount % PER_DOLLAR as u64);
        let digits = format!("{part:09}");
        let shown = if amount >= PER_DOLLAR as u64 / 10 || part == 0 {
            &digits[..2]
        } else {
            let first = digits.find(|digit| digit != '0').unwrap_or(0);
            &digits[..(first + 2).clamp(2, digits.len())]
        };
        write!(f, "{sign}${whole}.{shown}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_with_the_digits_they_need() {
        for (nanos, expected) in [
            (0, "$0.00"),
            (12_340_000_000, "$12.34"),
            (500_000_000_000, "$500.00"),
            (85_000, "$0.000085"),
            (120, "$0.00000012"),
            (-1_500_000_000, "-$1.50"),
        ] {
            assert_eq!(Money(nanos).to_string(), expected);
        }
    }

    #[test]
    fn dollars_that_are_none_are_refused() {
        assert_eq!(Money::from_dollars(0.1), Some(Money(100_000_000)));
        for bad in [f64::NAN, f64::INFINITY, -0.01, 1e30] {
            assert_eq!(Money::from_dollars(bad), None, "{bad}");
        }
        assert_eq!((Money(1) + Money(i64::MAX)).0, i64::MAX, "saturates");
        assert!((Money(5).share_of(Money::ZERO) - 1.0).abs() < 1e-9, "nothing is used up");
    }
}
