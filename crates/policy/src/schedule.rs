//! When to come again, and why: one function, asked after every visit. Which rule chooses the interval of a healthy
//! feed is a file of its own in `schedule/`; what a failure means is in `failure.rs`.
//!
//! Everything hostile (ttl, max-age, Expires, Retry-After) is clamped; all arithmetic saturates. Chance comes in as
//! `Dice`, so that a decision can be repeated.

mod adaptive;
mod dice;
mod ewma;
mod fresh;
mod rhythm;
mod window;
mod words;

pub use adaptive::{Budget, effort};
pub use dice::Dice;
pub use ewma::smoothed_gap;
pub use rhythm::learnt_rhythm;
pub(crate) use window::visit_hints;

use crate::failure::{A_DAY, Verdict, failure_delay, is_over_budget, judgement, times};
use crate::rules::{Counts, Delay, Gone, Mode, Rules};
use jiff::{SignedDuration, Timestamp};
use model::feed::FeedState;
use model::lease::History;
use model::schedule::{Because, Next, Schedule};
use model::visit::Visit;
use words::words;

/// A Retry-After of less is a server that does not mean it.
const LEAST_PAUSE: SignedDuration = SignedDuration::from_mins(1);
/// So many short pauses in a row, and the server's word for it counts less than ours.
const BELIEVED: u32 = 3;

/// What a decision starts from.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    /// The moment of the decision.
    pub now: Timestamp,
    /// How the feed behaved up to and including this visit; only `interval` is still the one before.
    pub history: &'a History,
    /// The state the feed is in from now on.
    pub state: &'a FeedState,
    /// What the visit came to.
    pub verdict: Verdict,
    /// Whether that counts as a failure.
    pub counts: Counts,
    /// What it brought.
    pub new_entries: usize,
    /// Whether a success is followed by another visit.
    pub polling: bool,
    /// Chance.
    pub dice: Dice,
    /// How many visits there are to share, if they are limited.
    pub budget: Option<Budget>,
}

/// Decides when a feed is next due.
pub fn next_visit(occasion: &Occasion<'_>, rules: &Rules) -> Schedule {
    let decision = Decision { occasion, rules, trace: Vec::new() };
    match occasion.verdict {
        Verdict::Deferred { until } => {
            let wait = words(until.duration_since(occasion.now));
            let reason = format!("in {wait}, because the publisher it leads to has no room");
            let usual = decision.usual();
            decision.at(until, usual, Because::NoRoom, reason)
        }
        Verdict::Fresh | Verdict::Unchanged if !occasion.polling => {
            decision.never(Because::OneTime, "one visit was asked for, and it succeeded")
        }
        Verdict::Fresh | Verdict::Unchanged => decision.after_success(),
        Verdict::Gone if rules.gone == Gone::Retire => decision.after_gone(),
        Verdict::Busy | Verdict::Gone | Verdict::Failed | Verdict::TooLarge => decision.after_failure(),
    }
}

/// What would follow if this were the first visit of a feed: for `courant visit`, without chance.
pub fn first_schedule(now: Timestamp, visit: &Visit, new_entries: usize, rules: &Rules) -> Schedule {
    let judged = judgement(visit, None, rules);
    let failures = u32::from(judged.counts == Counts::Failure && !judged.verdict.is_success());
    let busy = u32::from(judged.verdict == Verdict::Busy);
    let history = History { failures, busy, freshness: visit.freshness.clone(), ..History::default() };
    let occasion = Occasion {
        now,
        history: &history,
        state: &FeedState::Active,
        verdict: judged.verdict,
        counts: judged.counts,
        new_entries,
        polling: true,
        dice: Dice::STILL,
        budget: None,
    };
    next_visit(&occasion, rules)
}

/// What a rule for healthy feeds chose.
struct Choice {
    /// When.
    at: Timestamp,
    /// What the next decision starts from.
    interval: SignedDuration,
    /// Why, where it is more than the outcome of the visit.
    why: Option<String>,
}

/// A decision being made.
struct Decision<'a> {
    occasion: &'a Occasion<'a>,
    rules: &'a Rules,
    trace: Vec<String>,
}

impl Decision<'_> {
    fn say(&mut self, said: impl Into<String>) {
        self.trace.push(said.into());
    }

    /// The interval so far.
    fn usual(&self) -> SignedDuration {
        let interval = &self.rules.interval;
        let before = self.occasion.history.interval;
        let usual =
            if before <= SignedDuration::ZERO || interval.mode == Mode::Fixed { interval.initial } else { before };
        usual.min(interval.max).max(interval.min)
    }

    fn after_success(mut self) -> Schedule {
        let choice = match self.rules.interval.mode {
            Mode::Fixed => {
                let interval = self.usual();
                self.say(format!("fixed: every {}", words(interval)));
                Choice { at: after(self.occasion.now, interval), interval, why: None }
            }
            Mode::Fresh => fresh::choose(&mut self),
            Mode::Ewma => ewma::choose(&mut self),
            Mode::Adaptive => adaptive::choose(&mut self),
        };
        let because = match (self.occasion.verdict, self.occasion.new_entries) {
            (Verdict::Unchanged, _) => Because::NotModified,
            (_, 0) => Because::NoNewEntries,
            _ => Because::NewEntries,
        };
        if let Some(asked) = self.asked().filter(|asked| *asked > choice.at) {
            return self.when_asked(asked, choice.interval);
        }
        let wait = words(choice.at.duration_since(self.occasion.now));
        let reason = match (choice.why, because, self.occasion.new_entries) {
            (Some(why), ..) => format!("in {wait}, because {why}"),
            (None, Because::NotModified, _) => format!("in {wait}, because nothing had changed"),
            (None, Because::NewEntries, 1) => format!("in {wait}, because there was a new entry"),
            (None, Because::NewEntries, n) => format!("in {wait}, because there were {n} new entries"),
            (None, ..) => format!("in {wait}, because there was nothing new"),
        };
        self.at(choice.at, choice.interval, because, reason)
    }

    fn after_gone(mut self) -> Schedule {
        if *self.occasion.state == FeedState::Gone {
            return self.never(Because::Gone, "the server says that the feed is gone, as it did a day ago");
        }
        self.say("410: asked once more after a day before we believe it");
        let at = after(self.occasion.now, A_DAY.max(self.usual()));
        let reason = "in a day, because the server says that the feed is gone: asked once more before we believe it";
        let usual = self.usual();
        self.at(at, usual, Because::Gone, reason.to_owned())
    }

    fn after_failure(mut self) -> Schedule {
        let Occasion { now, history, verdict, counts, .. } = *self.occasion;
        let mut interval = self.usual();
        if let FeedState::Disabled { reason } = self.occasion.state {
            return self.disabled(reason);
        }
        if verdict == Verdict::TooLarge {
            interval = times(interval, self.rules.interval.up).min(self.rules.interval.max);
            self.say(format!("too large: the interval grows to {}", words(interval)));
        }
        let (rule, n) = match (verdict, counts) {
            (Verdict::Busy, Counts::Pause) => (&self.rules.busy.delay, history.busy),
            (Verdict::Busy, Counts::Failure) => (&self.rules.busy.delay, history.failures),
            _ => (&self.rules.failure.delay, history.failures),
        };
        let Some(wait) = failure_delay(rule, n.max(1), interval, self.rules.failure.cap) else {
            return self.never(Because::Strike, "one failure is enough: it waits until somebody has looked");
        };
        self.say(format!("failure {} in a row: {}", n.max(1), words(wait)));
        let mut wait = wait.max(crate::rules::FLOOR);
        if let Some(budget) = self.rules.error_budget.filter(|budget| is_over_budget(history.outcomes, *budget)) {
            self.say(format!(
                "{} failures in {} visits: at least {}",
                budget.failures,
                budget.of,
                words(budget.open_for)
            ));
            wait = wait.max(budget.open_for);
        }
        let mut at = after(now, wait);
        if matches!(self.rules.interval.mode, Mode::Ewma | Mode::Adaptive) && *rule != Delay::KeepInterval {
            let most = self.rules.failure.cap.max(wait);
            at = self.out_of_windows(at);
            at = self.jittered(at, wait, crate::rules::FLOOR, most);
        }
        if let Some(asked) = self.asked() {
            let exactly = verdict == Verdict::Busy && counts == Counts::Pause;
            if exactly && (asked.duration_since(now) >= crate::rules::FLOOR || history.busy <= BELIEVED) {
                return self.when_asked(asked.max(after(now, LEAST_PAUSE)), interval);
            }
            if asked > at {
                return self.when_asked(asked, interval);
            }
        }
        let what = if verdict == Verdict::Busy { "the server asked to come later" } else { "the visit failed" };
        let reason = format!("in {}, because {what}", words(at.duration_since(now)));
        self.at(at, interval, Because::ErrorBackoff, reason)
    }

    fn disabled(mut self, why: &str) -> Schedule {
        let usual = self.usual();
        self.say(format!("disabled ({why})"));
        match self.rules.failure.revive_after {
            None => self.never(Because::Disabled, &format!("disabled ({why}): it waits until somebody enables it")),
            Some(wait) => {
                let at = self.asked().unwrap_or(self.occasion.now).max(after(self.occasion.now, wait));
                let wait = words(at.duration_since(self.occasion.now));
                let reason = format!("in {wait}, to see whether it is back: disabled ({why})");
                self.at(at, usual, Because::Disabled, reason)
            }
        }
    }

    /// The time the server named, as far as we believe it.
    fn asked(&mut self) -> Option<Timestamp> {
        let now = self.occasion.now;
        let asked = self.occasion.history.freshness.retry_after.filter(|at| *at > now)?;
        let believed = self.rules.retry_after_cap.map_or(asked, |cap| asked.min(after(now, cap)));
        let capped = if believed < asked { ", of which we believe that much" } else { "" };
        self.say(format!("Retry-After: {}{capped}", words(believed.duration_since(now))));
        Some(believed)
    }

    fn when_asked(self, at: Timestamp, interval: SignedDuration) -> Schedule {
        let reason = format!("in {}, because the server asked for it", words(at.duration_since(self.occasion.now)));
        self.at(at, interval, Because::RetryAfter, reason)
    }

    /// The first moment from `at` on that lies in no window the publisher wants to be left alone in.
    fn out_of_windows(&mut self, at: Timestamp) -> Timestamp {
        let hints = &self.occasion.history.hints;
        match window::next_open(hints, at) {
            Some(open) if open > at => {
                self.say(format!("skipHours or skipDays: {} later", words(open.duration_since(at))));
                open
            }
            Some(open) => open,
            None => {
                self.say("skipHours and skipDays leave no hour: ignored");
                at
            }
        }
    }

    /// Moves a moment by chance, within `least` and `most` from now and within the stretch between two windows.
    fn jittered(
        &mut self,
        at: Timestamp,
        interval: SignedDuration,
        least: SignedDuration,
        most: SignedDuration,
    ) -> Timestamp {
        let now = self.occasion.now;
        let swing = times(interval, self.rules.interval.jitter);
        if swing.is_zero() {
            return at;
        }
        let roll = self.occasion.dice.swing();
        let moved = if roll < 0.0 { at.checked_sub(times(swing, -roll)) } else { at.checked_add(times(swing, roll)) };
        let (earliest, latest) = (after(now, least).min(at), after(now, most).max(at));
        let moved = moved.unwrap_or(at).clamp(earliest, latest);
        let moved = window::within_stretch(&self.occasion.history.hints, at, moved);
        self.say(format!("jitter: {:+} s", moved.duration_since(at).as_secs()));
        moved
    }

    fn at(self, at: Timestamp, interval: SignedDuration, because: Because, reason: String) -> Schedule {
        Schedule { next: Next::At(at), interval, because, reason, trace: self.trace }
    }

    fn never(self, because: Because, reason: &str) -> Schedule {
        let interval = self.usual();
        Schedule { next: Next::Never, interval, because, reason: reason.to_owned(), trace: self.trace }
    }
}

/// So much later, or the end of time.
fn after(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.checked_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
