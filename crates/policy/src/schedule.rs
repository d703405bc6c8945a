//! When to visit again, and why: one function, called after every visit. Each rule for healthy feeds has a file in
//! `schedule/`; the meaning of a failure is in `failure.rs`.
//!
//! All untrusted values (ttl, max-age, Expires, Retry-After) are clamped; all arithmetic saturates. Randomness is
//! passed in as `Dice`, so that a decision is reproducible.

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
pub use words::wait_in_words;

use crate::failure::{A_DAY, Verdict, failure_delay, is_over_budget, judgement, times};
use crate::rules::{Counts, Delay, Gone, Mode, Rules};
use jiff::{SignedDuration, Timestamp};
use model::feed::FeedState;
use model::lease::History;
use model::schedule::{Because, Next, Schedule};
use model::visit::Visit;
use words::{day_and_hour, words};

/// A shorter Retry-After is not taken literally.
const LEAST_PAUSE: SignedDuration = SignedDuration::from_mins(1);
/// After this many short pauses in a row our own backoff counts more than the server's Retry-After.
const BELIEVED: u32 = 3;

/// The input of a decision.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    /// The time of the decision.
    pub now: Timestamp,
    /// The history of the feed, this visit included; only `interval` is still the previous one.
    pub history: &'a History,
    /// The new state of the feed.
    pub state: &'a FeedState,
    /// The outcome of the visit.
    pub verdict: Verdict,
    /// Whether that counts as a failure.
    pub counts: Counts,
    /// How many new entries it brought.
    pub new_entries: usize,
    /// Whether another visit follows a success.
    pub polling: bool,
    /// Randomness.
    pub dice: Dice,
    /// The visits to distribute, if they are limited.
    pub budget: Option<Budget>,
}

/// Decides when a feed is next due.
pub fn next_visit(occasion: &Occasion<'_>, rules: &Rules) -> Schedule {
    let decision = Decision { occasion, rules, trace: Vec::new(), closed: None };
    match occasion.verdict {
        Verdict::Deferred { until } => {
            let usual = decision.usual();
            decision.at(until, usual, Because::NoRoom, "because the publisher it leads to has no room".to_owned())
        }
        Verdict::Fresh | Verdict::Unchanged if !occasion.polling => {
            decision.never(Because::OneTime, "because one visit was asked for, and it succeeded")
        }
        Verdict::Fresh | Verdict::Unchanged => decision.after_success(),
        Verdict::Gone if rules.gone == Gone::Retire => decision.after_gone(),
        Verdict::Busy | Verdict::Gone | Verdict::Failed | Verdict::TooLarge => decision.after_failure(),
    }
}

/// What would follow if this were the first visit of a feed: for `courant visit`, without randomness.
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

/// The choice of a rule for healthy feeds.
struct Choice {
    /// When.
    at: Timestamp,
    /// The basis of the next decision.
    interval: SignedDuration,
    /// Why, if it is more than the outcome of the visit.
    why: Option<String>,
}

/// A decision in progress.
struct Decision<'a> {
    occasion: &'a Occasion<'a>,
    rules: &'a Rules,
    trace: Vec<String>,
    /// What the publisher asks for, if skipHours or skipDays moved the visit.
    closed: Option<String>,
}

impl Decision<'_> {
    fn say(&mut self, said: impl Into<String>) {
        self.trace.push(said.into());
    }

    /// The current interval.
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
        // The last rule that moved the visit is the reason; the trace has the others.
        let reason = match (self.closed.take().or(choice.why), because, self.occasion.new_entries) {
            (Some(why), ..) => format!("because {why}"),
            (None, Because::NotModified, _) => "because nothing had changed".to_owned(),
            (None, Because::NewEntries, 1) => "because there was a new entry".to_owned(),
            (None, Because::NewEntries, n) => format!("because there were {n} new entries"),
            (None, ..) => "because there was nothing new".to_owned(),
        };
        self.at(choice.at, choice.interval, because, reason)
    }

    fn after_gone(mut self) -> Schedule {
        if *self.occasion.state == FeedState::Gone {
            return self.never(Because::Gone, "because the server says that the feed is gone, as it did a day ago");
        }
        self.say("410: asked once more after a day before the feed is given up");
        let at = after(self.occasion.now, A_DAY.max(self.usual()));
        let reason = "because the server says that the feed is gone: asked once more before it is given up";
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
            return self.never(Because::Strike, "because one failure stops the visits, until a user visits it");
        };
        self.say(format!("failure {} in a row: {}", n.max(1), words(wait)));
        let mut wait = wait.max(crate::rules::FLOOR);
        let mut what = match (verdict, n) {
            (Verdict::Busy, _) => "the server asked to come later".to_owned(),
            (_, 0 | 1) => "the visit failed".to_owned(),
            (_, n) => format!("the last {n} visits failed"),
        };
        if let Some(budget) = self.rules.error_budget.filter(|budget| is_over_budget(history.outcomes, *budget)) {
            self.say(format!(
                "{} failures in {} visits: at least {}",
                budget.failures,
                budget.of,
                words(budget.open_for)
            ));
            if budget.open_for > wait {
                wait = budget.open_for;
                what = format!("at least {} of its last {} visits failed", budget.failures, budget.of);
            }
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
        let reason = match self.closed.take() {
            Some(closed) => format!("because {what}, and {closed}"),
            None => format!("because {what}"),
        };
        self.at(at, interval, Because::ErrorBackoff, reason)
    }

    fn disabled(mut self, why: &str) -> Schedule {
        let usual = self.usual();
        self.say(format!("disabled ({why})"));
        match self.rules.failure.revive_after {
            None => self
                .never(Because::Disabled, &format!("because it is disabled ({why}): it waits until a user enables it")),
            Some(wait) => {
                let at = self.asked().unwrap_or(self.occasion.now).max(after(self.occasion.now, wait));
                let reason = format!("to see whether it is back: it is disabled ({why})");
                self.at(at, usual, Because::Disabled, reason)
            }
        }
    }

    /// The time the server named, as far as it is honoured.
    fn asked(&mut self) -> Option<Timestamp> {
        let now = self.occasion.now;
        let asked = self.occasion.history.freshness.retry_after.filter(|at| *at > now)?;
        let believed = self.rules.retry_after_cap.map_or(asked, |cap| asked.min(after(now, cap)));
        let wish = words(asked.duration_since(now));
        if believed < asked {
            self.say(format!("Retry-After: {wish}, of which {} are honoured", words(believed.duration_since(now))));
        } else {
            self.say(format!("Retry-After: {wish}"));
        }
        Some(believed)
    }

    fn when_asked(self, at: Timestamp, interval: SignedDuration) -> Schedule {
        let asked = self.occasion.history.freshness.retry_after.filter(|asked| *asked > at);
        let reason = match (asked, self.rules.retry_after_cap) {
            (Some(asked), Some(cap)) => format!(
                "because the server asked to wait {} (Retry-After), of which at most {} are honoured",
                words(asked.duration_since(self.occasion.now)),
                words(cap)
            ),
            _ => "because the server asked for it (Retry-After)".to_owned(),
        };
        self.at(at, interval, Because::RetryAfter, reason)
    }

    /// The first time from `at` on outside all skip windows of the publisher.
    fn out_of_windows(&mut self, at: Timestamp) -> Timestamp {
        let hints = &self.occasion.history.hints;
        match window::next_open(hints, at) {
            Some(open) if open > at => {
                let name = window::closed_by(hints, at, open);
                self.say(format!("{name}: {} later", words(open.duration_since(at))));
                let open_at = day_and_hour(open, self.occasion.now);
                self.closed = Some(format!("its publisher asks not to be visited before {open_at} ({name})"));
                open
            }
            Some(open) => open,
            None => {
                self.say("skipHours and skipDays leave no hour: ignored");
                at
            }
        }
    }

    /// Moves a time at random, within `least` and `most` from now and without crossing a skip window.
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

/// The publisher's wish as the reason of an interval; if it exceeds `most`, that is the reason.
fn asked_for(name: &str, wish: SignedDuration, most: SignedDuration) -> String {
    let wish_words = words(wish);
    if wish > most {
        let most = words(most);
        return format!(
            "its publisher asks for {wish_words} ({name}), and visits are at most {most} apart (interval.max)"
        );
    }
    format!("its publisher asks for {wish_words} ({name})")
}

/// `wait` later, or the end of time.
fn after(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.checked_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
