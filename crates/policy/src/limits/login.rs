//! Logins: when one more attempt is too many. Only failed ones count, so that nobody is kept out by logging in often.
//!
//! An address has few attempts. An account has more, from all addresses together; then it is blocked for a while, but
//! not for addresses from which its user has logged in before: else anybody could lock a user out.
//!
//! A refused attempt is not checked and not noted as a failure, so that asking again does not prolong the wait.

use super::{Window, later};
use jiff::{SignedDuration, Timestamp};
use std::fmt;

/// How many failed logins there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoginLimits {
    /// From one address.
    pub per_address: Window,
    /// To one account, from anywhere.
    pub per_account: Window,
    /// How long an account with too many is blocked, from the failure that was too many.
    pub block: SignedDuration,
}

impl Default for LoginLimits {
    fn default() -> Self {
        Self {
            per_address: Window::a_minute(5),
            per_account: Window::a_minute(10),
            block: SignedDuration::from_secs(300),
        }
    }
}

impl LoginLimits {
    /// Failures that are older say nothing any more.
    pub fn memory(&self) -> SignedDuration {
        self.per_address.per.max(self.per_account.per.saturating_add(self.block))
    }
}

/// The failed logins of the last minutes (at least `LoginLimits::memory`), in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoginFailures {
    /// From this address, to any account.
    pub of_address: Vec<Timestamp>,
    /// To this account, from any address.
    pub of_account: Vec<Timestamp>,
}

/// What an address is to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// The account was logged in to from it before.
    Known,
    /// It was not.
    Unknown,
}

/// Whether a password is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginVerdict {
    /// It is.
    Allowed,
    /// Not yet.
    Wait {
        /// When it is.
        until: Timestamp,
        /// Which limit says so. Not for the client, to whom a blocked account and an unknown one must look the same.
        why: LoginWait,
    },
}

/// Why a login has to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginWait {
    /// Too many failed logins from the address.
    Address,
    /// Too many failed logins to the account.
    Account,
}

/// Whether one more login may be tried.
pub fn login(now: Timestamp, failures: &LoginFailures, address: Address, limits: &LoginLimits) -> LoginVerdict {
    let of_address = address_free_at(now, &failures.of_address, limits).map(|at| (at, LoginWait::Address));
    let of_account = match address {
        Address::Known => None,
        Address::Unknown => account_free_at(now, &failures.of_account, limits).map(|at| (at, LoginWait::Account)),
    };
    let waits = [of_address, of_account].into_iter().flatten().filter(|(until, _)| *until > now);
    match waits.max_by_key(|(until, _)| *until) {
        Some((until, why)) => LoginVerdict::Wait { until, why },
        None => LoginVerdict::Allowed,
    }
}

/// When fewer than `max` failures will lie within the window.
fn address_free_at(now: Timestamp, failures: &[Timestamp], limits: &LoginLimits) -> Option<Timestamp> {
    let window = &limits.per_address;
    let sorted = sorted(now, failures, window.per);
    // With a limit of 0 the latest failure still blocks; an address without any is not known to be too fast.
    let counts = sorted.len().checked_sub(window.max.max(1) as usize)?;
    Some(later(sorted[counts], window.per))
}

/// When the block ends that the latest failure too many began.
fn account_free_at(now: Timestamp, failures: &[Timestamp], limits: &LoginLimits) -> Option<Timestamp> {
    let window = &limits.per_account;
    let sorted = sorted(now, failures, window.per);
    let mut runs = sorted.windows(window.max.max(1) as usize);
    let too_many = runs.rfind(|run| run[run.len() - 1].duration_since(run[0]) < window.per)?;
    Some(later(too_many[too_many.len() - 1], limits.block))
}

/// Oldest first. Clocks of several processes differ a little, so what is slightly ahead is now; what lies further ahead
/// was noted by a clock that has been put back since, and would block for as long.
fn sorted(now: Timestamp, failures: &[Timestamp], ahead: SignedDuration) -> Vec<Timestamp> {
    let credible = failures.iter().filter(|at| **at <= later(now, ahead));
    let mut sorted: Vec<Timestamp> = credible.map(|at| (*at).min(now)).collect();
    sorted.sort_unstable();
    sorted
}

impl fmt::Display for LoginWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Address => "too many failed logins from this address",
            Self::Account => "too many failed logins to this account",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;

    /// Failures so many seconds ago.
    fn ago(seconds: &[i64]) -> Vec<Timestamp> {
        seconds.iter().map(|seconds| now() - SignedDuration::from_secs(*seconds)).collect()
    }

    #[test]
    fn failures_have_to_wait() {
        use Address::{Known, Unknown};
        let limits = LoginLimits::default();
        let check = |case: &str, of_address: &[i64], of_account: &[i64], address: Address, expected: &str| {
            let failures = LoginFailures { of_address: ago(of_address), of_account: ago(of_account) };
            let said = match login(now(), &failures, address, &limits) {
                LoginVerdict::Allowed => "allowed".to_owned(),
                LoginVerdict::Wait { until, why } => format!("{} s, {why}", until.duration_since(now()).as_secs()),
            };
            assert_eq!(said, expected, "{case}");
        };
        check("the first time", &[], &[], Unknown, "allowed");
        check("four failures", &[4, 3, 2, 1], &[], Unknown, "allowed");
        check("five", &[50, 4, 3, 2, 1], &[], Unknown, "10 s, too many failed logins from this address");
        check("in any order", &[1, 2, 3, 4, 50], &[], Unknown, "10 s, too many failed logins from this address");
        check("five, one of them a minute ago", &[60, 4, 3, 2, 1], &[], Unknown, "allowed");
        check("a known address has no more", &[5; 5], &[], Known, "55 s, too many failed logins from this address");
        check(
            "seven: until only four are left",
            &[59, 58, 40, 30, 20, 10, 1],
            &[],
            Unknown,
            "20 s, too many failed logins from this address",
        );

        check("nine on the account", &[], &[1; 9], Unknown, "allowed");
        check("ten", &[], &[1; 10], Unknown, "299 s, too many failed logins to this account");
        check("ten, but not within a minute", &[], &[70, 60, 50, 40, 30, 20, 15, 12, 11, 10], Unknown, "allowed");
        check("the block outlasts the minute", &[], &[299; 10], Unknown, "1 s, too many failed logins to this account");
        check("and ends", &[], &[300; 10], Unknown, "allowed");
        check(
            "one more failure after a block is one",
            &[],
            &[310, 310, 310, 310, 310, 310, 310, 310, 310, 310, 1],
            Unknown,
            "allowed",
        );
        check(
            "a block is from the last that was too many",
            &[],
            &[100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 90],
            Unknown,
            "210 s, too many failed logins to this account",
        );
        check("a known address is spared", &[], &[1; 10], Known, "allowed");

        check("the longer wait counts", &[1; 5], &[1; 10], Unknown, "299 s, too many failed logins to this account");
        check(
            "the longer wait counts, again",
            &[1; 5],
            &[299; 10],
            Unknown,
            "59 s, too many failed logins from this address",
        );

        check("a clock slightly ahead", &[-2; 5], &[], Unknown, "60 s, too many failed logins from this address");
        check("a clock that was put back", &[-3_600; 5], &[-3_600; 10], Unknown, "allowed");
    }

    #[test]
    fn numbers_can_be_configured() {
        let limits = LoginLimits {
            per_address: Window { per: SignedDuration::from_secs(10), max: 1 },
            per_account: Window { per: SignedDuration::from_secs(10), max: 0 },
            block: SignedDuration::from_secs(20),
        };
        let once = LoginFailures { of_address: ago(&[3]), of_account: ago(&[3]) };
        let wait = |seconds, why| LoginVerdict::Wait { until: now() + SignedDuration::from_secs(seconds), why };
        assert_eq!(login(now(), &once, Address::Unknown, &limits), wait(17, LoginWait::Account));
        assert_eq!(login(now(), &once, Address::Known, &limits), wait(7, LoginWait::Address));
        assert_eq!(login(now(), &LoginFailures::default(), Address::Unknown, &limits), LoginVerdict::Allowed);
        assert_eq!(limits.memory(), SignedDuration::from_secs(30));
    }
}
