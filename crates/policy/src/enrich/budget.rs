//! Money: what calls cost, how much of the budget is used, and who is served while it runs out.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use model::enrichment::{Ceilings, Kind, Spent};
use model::job::Priority;
use model::money::Money;

/// What a model costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// A million tokens of prompts.
    pub input: Money,
    /// A million tokens of answers.
    pub output: Money,
}

/// What tokens cost, rounded up.
pub fn cost(price: Price, prompt_tokens: u64, answer_tokens: u64) -> Money {
    let part = |price: Money, tokens: u64| i128::from(price.0) * i128::from(tokens);
    let sum = part(price.input, prompt_tokens) + part(price.output, answer_tokens);
    let whole = (sum + 999_999) / 1_000_000;
    Money(i64::try_from(whole).unwrap_or(i64::MAX)).min(Money::MOST)
}

/// How much of the budget is left to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BudgetState {
    /// Enough for everybody.
    Normal,
    /// For opened posts and feeds that many read.
    Reduced,
    /// For opened posts.
    Queued,
    /// Used up.
    Stopped,
}

impl BudgetState {
    /// The word that is shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Reduced => "reduced",
            Self::Queued => "queued",
            Self::Stopped => "stopped",
        }
    }
}

/// From which share of a ceiling on a state holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Of [`BudgetState::Reduced`].
    pub reduced: f64,
    /// Of [`BudgetState::Queued`].
    pub queued: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { reduced: 0.75, queued: 0.90 }
    }
}

impl Thresholds {
    /// Everything or nothing (G-66).
    pub const HARD: Self = Self { reduced: 1.0, queued: 1.0 };
}

/// The largest share of a ceiling that is used, of those that hold for all kinds.
pub fn share_used(spent: &Spent, ceilings: &Ceilings) -> f64 {
    let share = |spent: Money, ceiling: Option<Money>| ceiling.map_or(0.0, |ceiling| spent.share_of(ceiling));
    share(spent.month, ceilings.month).max(share(spent.day, ceilings.day))
}

/// The state of the budget; of one kind, its own ceiling counts as well.
pub fn budget_state(spent: &Spent, ceilings: &Ceilings, thresholds: Thresholds, kind: Option<Kind>) -> BudgetState {
    let own = kind.and_then(|kind| Some(spent.of(kind).share_of(ceilings.of(kind)?)));
    match share_used(spent, ceilings).max(own.unwrap_or(0.0)) {
        used if used >= 1.0 => BudgetState::Stopped,
        used if used >= thresholds.queued => BudgetState::Queued,
        used if used >= thresholds.reduced => BudgetState::Reduced,
        _ => BudgetState::Normal,
    }
}

/// The least urgent jobs that are still served.
pub fn served(state: BudgetState) -> Option<Priority> {
    match state {
        BudgetState::Normal => Some(Priority::Low),
        BudgetState::Reduced => Some(Priority::Normal),
        BudgetState::Queued => Some(Priority::High),
        BudgetState::Stopped => None,
    }
}

/// The month and the day of a moment, both in UTC, and when the next ones begin.
#[derive(Debug, Clone, PartialEq)]
pub struct Period {
    /// `2026-11`.
    pub month: String,
    /// `2026-11-18`.
    pub day: String,
    /// Midnight.
    pub next_day: Timestamp,
    /// The first of the next month, at midnight.
    pub next_month: Timestamp,
    /// How much of the month has passed, 0 to 1.
    pub passed: f64,
}

/// The period of a moment.
pub fn period(now: Timestamp) -> Period {
    let date = now.to_zoned(TimeZone::UTC).date();
    let start_of =
        |date: jiff::civil::Date| date.to_zoned(TimeZone::UTC).map_or(Timestamp::MAX, |zoned| zoned.timestamp());
    let tomorrow = date.tomorrow().map_or(Timestamp::MAX, start_of);
    let next_month = date.last_of_month().tomorrow().map_or(Timestamp::MAX, start_of);
    let begun = start_of(date.first_of_month());
    let whole = next_month.duration_since(begun).max(SignedDuration::from_secs(1));
    Period {
        month: date.strftime("%Y-%m").to_string(),
        day: date.strftime("%Y-%m-%d").to_string(),
        next_day: tomorrow,
        next_month,
        passed: now.duration_since(begun).as_secs_f64() / whole.as_secs_f64(),
    }
}

/// What the month will have cost if it goes on like this. Nothing is said of its first hours.
pub fn forecast(spent: Money, period: &Period) -> Option<Money> {
    (period.passed > 0.01).then(|| Money((spent.0 as f64 / period.passed).min(Money::MOST.0 as f64) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a moment")
    }

    #[test]
    fn tokens_cost_their_price_rounded_up() {
        let price = Price { input: Money(100_000_000), output: Money(400_000_000) };
        assert_eq!(cost(price, 1_000_000, 0), Money(100_000_000));
        assert_eq!(cost(price, 1, 0), Money(100));
        assert_eq!(cost(Price { input: Money(1), output: Money::ZERO }, 1, 7), Money(1), "a part is a whole one");
        assert_eq!(cost(price, 0, 0), Money::ZERO);
        assert_eq!(cost(Price { input: Money::MOST, output: Money::MOST }, u64::MAX, u64::MAX), Money::MOST);
    }

    #[test]
    fn states_begin_at_their_shares() {
        let ceilings = Ceilings { month: Some(Money(1000)), day: Some(Money(100)), ..Ceilings::default() };
        let check = |month: i64, day: i64, thresholds, expected| {
            let spent = Spent { month: Money(month), day: Money(day), ..Spent::default() };
            assert_eq!(budget_state(&spent, &ceilings, thresholds, None), expected, "{month} {day}");
        };
        let usual = Thresholds::default();
        check(0, 0, usual, BudgetState::Normal);
        check(749, 0, usual, BudgetState::Normal);
        check(750, 0, usual, BudgetState::Reduced);
        check(899, 0, usual, BudgetState::Reduced);
        check(900, 0, usual, BudgetState::Queued);
        check(999, 0, usual, BudgetState::Queued);
        check(1000, 0, usual, BudgetState::Stopped);
        check(0, 75, usual, BudgetState::Reduced);
        check(0, 100, usual, BudgetState::Stopped);
        check(999, 99, Thresholds::HARD, BudgetState::Normal);
        check(1000, 0, Thresholds::HARD, BudgetState::Stopped);
    }

    #[test]
    fn a_kind_has_its_own_ceiling_and_none_is_no_limit() {
        let ceilings = Ceilings { tags: Some(Money(10)), ..Ceilings::default() };
        let spent = Spent { month: Money(1_000_000), tags: Money(10), ..Spent::default() };
        let state = |kind| budget_state(&spent, &ceilings, Thresholds::default(), kind);
        assert_eq!(state(None), BudgetState::Normal);
        assert_eq!(state(Some(Kind::Summary)), BudgetState::Normal);
        assert_eq!(state(Some(Kind::Tags)), BudgetState::Stopped);
        let nothing = Ceilings { month: Some(Money::ZERO), ..Ceilings::default() };
        assert_eq!(budget_state(&Spent::default(), &nothing, Thresholds::default(), None), BudgetState::Stopped);
    }

    #[test]
    fn months_and_days_are_those_of_utc() {
        let last = period(at("2026-12-31T23:59:59.999999Z"));
        assert_eq!((last.month.as_str(), last.day.as_str()), ("2026-12", "2026-12-31"));
        assert_eq!((last.next_day, last.next_month), (at("2027-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z")));
        let first = period(at("2027-01-01T00:00:00Z"));
        assert_eq!((first.month.as_str(), first.day.as_str()), ("2027-01", "2027-01-01"));
        assert_eq!(first.next_month, at("2027-02-01T00:00:00Z"));
        assert!(first.passed.abs() < 1e-9 && (last.passed - 1.0).abs() < 1e-6);
        assert_eq!(forecast(Money(5), &first), None);
        let middle = period(at("2026-11-16T00:00:00Z"));
        assert_eq!(forecast(Money(100), &middle), Some(Money(200)));
    }
}
