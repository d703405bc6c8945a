//! CPU time of this process and of the PostgreSQL server, in nanoseconds, from `/proc`.
//!
//! `schedstat` counts what `stat` counts, without rounding to ticks of 10 ms; a claim takes less than one. It is per
//! thread, so nothing that is measured may end while it is.

use std::fs;
use std::ops::AddAssign;
use std::path::Path;
use std::time::{Duration, Instant};

/// Measures this process and, if there is one, the server.
pub(crate) struct Meter {
    postmaster: Option<u32>,
}

/// A beginning.
pub(crate) struct Started {
    at: Instant,
    own: Duration,
    server: Duration,
}

/// What something took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    pub(crate) wall: Duration,
    /// Of this process, user and system.
    pub(crate) own: Duration,
    /// Of all processes of the server.
    pub(crate) server: Duration,
}

impl Spent {
    /// The round in the middle, by processor time: now and then a server has work of its own in one.
    pub(crate) fn typical(mut rounds: Vec<Self>) -> Self {
        rounds.sort_by_key(|spent| spent.own + spent.server);
        rounds.get(rounds.len() / 2).copied().unwrap_or_default()
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.wall += more.wall;
        self.own += more.own;
        self.server += more.server;
    }
}

impl Meter {
    /// For a database inside this process.
    pub(crate) fn own() -> Self {
        Self { postmaster: None }
    }

    /// For the server that has the process `backend`.
    pub(crate) fn with_server_of(backend: u32) -> Self {
        let postmaster = parent(backend).expect("the server runs on this machine, and /proc shows it");
        Self { postmaster: Some(postmaster) }
    }

    pub(crate) fn start(&self) -> Started {
        // The server is read outside, because looking for its processes costs this one more than a claim does.
        let server = self.server();
        Started { server, own: own(), at: Instant::now() }
    }

    pub(crate) fn stop(&self, started: &Started) -> Spent {
        let wall = started.at.elapsed();
        let own = own().saturating_sub(started.own);
        Spent { wall, own, server: self.server().saturating_sub(started.server) }
    }

    fn server(&self) -> Duration {
        let Some(postmaster) = self.postmaster else { return Duration::ZERO };
        let pids = numbers_in(Path::new("/proc")).filter(|pid| parent(*pid) == Some(postmaster));
        pids.map(|pid| on_cpu(&format!("/proc/{pid}/schedstat"))).sum()
    }
}

fn own() -> Duration {
    numbers_in(Path::new("/proc/self/task")).map(|thread| on_cpu(&format!("/proc/self/task/{thread}/schedstat"))).sum()
}

fn numbers_in(directory: &Path) -> impl Iterator<Item = u32> {
    let entries = fs::read_dir(directory).expect("this is a Linux with /proc");
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The first number is the time on a CPU; a process that has just ended has none.
fn on_cpu(schedstat: &str) -> Duration {
    let text = fs::read_to_string(schedstat).unwrap_or_default();
    Duration::from_nanos(text.split(' ').next().and_then(|first| first.parse().ok()).unwrap_or(0))
}

/// The second field after the name, which is in parentheses and may hold anything.
fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
