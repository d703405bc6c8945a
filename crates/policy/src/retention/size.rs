//! What to do about a database that exceeds its size limit, step by step.

use crate::rules::Retention;
use jiff::SignedDuration;

/// What was already done about a database that is too large.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tightening {
    /// Whether it was compacted since the last cleanup.
    pub compacted: bool,
    /// `read_for` of the last cleanup, where that was less than the rules say.
    pub read_for: Option<SignedDuration>,
}

/// What to do next about the size of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeStep {
    /// Nothing: it fits.
    Fits,
    /// Compact it and measure again.
    Compact,
    /// Clean again with a shorter `read_for`, for this run only.
    Tighten {
        /// The reduced `read_for`.
        read_for: SignedDuration,
    },
    /// It does not fit; continue, and warn the operator.
    GiveUp,
}

/// One step of the loop that makes a database fit; call again with the result after each.
pub fn next_size_step(
    size_bytes: u64,
    limit_bytes: Option<u64>,
    rules: &Retention,
    so_far: Tightening,
) -> (SizeStep, Tightening) {
    const STEP: SignedDuration = SignedDuration::from_hours(24 * 30);
    const LEAST: SignedDuration = STEP;
    const YEAR: SignedDuration = SignedDuration::from_hours(24 * 365);
    if limit_bytes.is_none_or(|limit| size_bytes <= limit) {
        return (SizeStep::Fits, so_far);
    }
    if !so_far.compacted {
        return (SizeStep::Compact, Tightening { compacted: true, ..so_far });
    }
    // If read entries are kept for ever, the loop begins at a year.
    let last = so_far.read_for.or(rules.read_for).unwrap_or(YEAR + STEP);
    if last <= LEAST {
        return (SizeStep::GiveUp, so_far);
    }
    let read_for = last.saturating_sub(STEP).max(LEAST);
    (SizeStep::Tighten { read_for }, Tightening { compacted: false, read_for: Some(read_for) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Preset, Rules};

    #[test]
    fn a_database_that_is_too_large_is_made_smaller_step_by_step() {
        let rules = Rules::preset(Preset::Reader).retention;
        let mut so_far = Tightening::default();
        let mut steps = Vec::new();
        for _ in 0..100 {
            let (step, next) = next_size_step(2, Some(1), &rules, so_far);
            if let SizeStep::Tighten { read_for } = step {
                steps.push((read_for.as_hours() / 24).to_string());
            }
            so_far = next;
            if step == SizeStep::GiveUp {
                break;
            }
        }
        let expected = "335 305 275 245 215 185 155 125 95 65 35 30";
        assert_eq!(steps.join(" "), expected, "A-109");
        assert_eq!(next_size_step(2, Some(1), &rules, Tightening::default()).0, SizeStep::Compact, "A-108");
        assert_eq!(next_size_step(2, Some(1), &rules, so_far).0, SizeStep::GiveUp, "A-110");
        assert_eq!(next_size_step(1, Some(1), &rules, so_far).0, SizeStep::Fits);
        assert_eq!(next_size_step(u64::MAX, None, &rules, so_far).0, SizeStep::Fits, "no limit");
        let for_ever = Rules::preset(Preset::Reedme).retention;
        let compacted = Tightening { compacted: true, read_for: None };
        let year = SignedDuration::from_hours(24 * 365);
        assert_eq!(next_size_step(2, Some(1), &for_ever, compacted).0, SizeStep::Tighten { read_for: year });
    }
}
