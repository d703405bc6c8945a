//! The system clock. The only file that reads it; everything else gets a `Clock`, so that tests can set the time.
//! Measuring a duration (`Instant`) needs no clock.
//! Invariant: within a process time never goes back, nor stands still.

use jiff::{SignedDuration, Timestamp};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Returns the current time. Cheap to clone, shared by all threads.
pub use engine::Clock;

/// The clock of this machine, made monotonic.
pub fn system() -> Clock {
    let last = Mutex::new((Timestamp::now(), Instant::now()));
    Clock::ticking(move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let (told, at) = *last;
        let elapsed = at.elapsed().try_into().unwrap_or(SignedDuration::ZERO);
        *last = (steady(told, elapsed, Timestamp::now()), Instant::now());
        last.0
    })
}

/// A clock that always returns the same time, for tests.
pub fn stopped_at(now: Timestamp) -> Clock {
    Clock::by_hand(move || now, |_| ())
}

/// The time to return when `elapsed` has passed since `told` was returned and the machine's clock shows `wall`. A clock
/// that is set forward (or a machine that slept) is followed at once. For one that is set back, time runs at half speed
/// until it has caught up: visits become rarer for a while, but nothing stops, and nothing happens twice.
fn steady(told: Timestamp, elapsed: SignedDuration, wall: Timestamp) -> Timestamp {
    told.checked_add(elapsed / 2).unwrap_or(told).max(wall)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_whatever_the_machine_says() {
        let check = |case: &str, elapsed: i64, wall: i64, expected: i64| {
            let at = |seconds| Timestamp::from_second(1_000_000 + seconds).unwrap();
            assert_eq!(steady(at(0), SignedDuration::from_secs(elapsed), at(wall)), at(expected), "{case}");
        };
        check("as the machine says", 10, 10, 10);
        check("set forward", 10, 86_400, 86_400);
        check("set back by a day", 10, -86_390, 5);
        check("nearly caught up", 10, 6, 6);
        check("nothing has passed", 0, -5, 0);
    }
}
