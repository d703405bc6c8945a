//! How many files and connections this process may have open, and who gets how many: visits, the web server, and the
//! rest (the database, raw bytes, the log). Without shares, whoever connects to the server could use them all up.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More is of no use here, and some systems allow a thousand million.
const ENOUGH: u64 = 65_536;
/// For the database, the log, name servers, and what libraries open.
const FIXED: usize = 96;
/// Connections to publishers beyond which more are of no use.
const VISITS: usize = 512;
/// Connections of clients, likewise.
const WEB: usize = 1024;
/// With fewer the server would be of no use.
const LEAST_WEB: usize = 16;

/// Who may have how many open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Connections to publishers, those kept for later included.
    pub visits: usize,
    /// Connections of clients.
    pub web: usize,
    /// How many more files there should be.
    pub missing: usize,
}

/// Raises the limit as far as this process may. Called once, before anything is opened.
pub fn raise() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if current.is_some_and(|now| now < wanted) {
        // Where it is refused, what there is has to do.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

/// The limit of this process.
pub fn limit() -> usize {
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Shares a limit out. A visit needs a connection, and perhaps a file for a large body; never fewer connections than
/// visits, or one that has to wait would look like a host that is down.
pub fn shares(limit: usize, concurrency: usize) -> Shares {
    let fixed = FIXED + concurrency;
    let left = limit.saturating_sub(fixed);
    let visits = VISITS.max(concurrency).min((left / 2).max(concurrency));
    let web = left.saturating_sub(visits).clamp(LEAST_WEB, WEB);
    Shares { visits, web, missing: (fixed + visits + web).saturating_sub(limit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_leave_files_for_visits_and_the_database() {
        let check = |limit, concurrency, expected: &str| {
            let Shares { visits, web, missing } = shares(limit, concurrency);
            assert_eq!(format!("{visits} visits, {web} web, {missing} missing"), expected, "{limit} {concurrency}");
            assert!(missing > 0 || FIXED + concurrency + visits + web <= limit);
        };
        check(65_536, 64, "512 visits, 1024 web, 0 missing");
        check(1024, 64, "432 visits, 432 web, 0 missing");
        check(1024, 512, "512 visits, 16 web, 112 missing");
        check(4096, 2048, "2048 visits, 16 web, 112 missing");
        check(256, 10, "75 visits, 75 web, 0 missing");
        check(64, 64, "64 visits, 16 web, 176 missing");
        check(usize::MAX, 4096, "4096 visits, 1024 web, 0 missing");
    }
}
