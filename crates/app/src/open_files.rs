//! The limit of open files and connections, and its distribution: visits, the web server, and the rest (the database,
//! raw bytes, the log). Without it, clients of the server could use up all of them.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More is useless here, and some systems allow a billion.
const ENOUGH: u64 = 65_536;
/// For the database, the log, name servers, and libraries.
const FIXED: usize = 96;
/// The maximum of connections to publishers.
const VISITS: usize = 512;
/// The maximum of client connections.
const WEB: usize = 1024;
/// The minimum for a useful server.
const LEAST_WEB: usize = 16;

/// The distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Connections to publishers, idle ones included.
    pub visits: usize,
    /// Connections of clients.
    pub web: usize,
    /// How many more files would be needed.
    pub missing: usize,
}

/// Raises the limit as far as allowed. Called once, before anything is opened.
pub fn raise() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if current.is_some_and(|now| now < wanted) {
        // If refused, the current limit has to do.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

/// The limit of this process.
pub fn limit() -> usize {
    getrlimit(Resource::Nofile).current.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Distributes a limit. A visit needs a connection, and possibly a file for a large body; there are never fewer
/// connections than visits, or a waiting visit would look like a host that is down.
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
