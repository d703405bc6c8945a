//! The time of day. The only file that reads the system's clock; everything else is handed a `Clock`, so that a test
//! can move it by hand. Measuring how long something took (`Instant`) is not telling the time and needs no clock.

use jiff::Timestamp;

/// Says what time it is. Cheap to clone, shared by all threads.
pub use engine::Clock;

/// The clock of this machine.
pub fn system() -> Clock {
    Clock::ticking(Timestamp::now)
}

/// A clock that always says the same, for tests.
pub fn stopped_at(now: Timestamp) -> Clock {
    Clock::by_hand(move || now, |_| ())
}
