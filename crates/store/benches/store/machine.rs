//! Where and on what a figure was measured.

use serde::Serialize;
use std::fs;
use std::process::Command;

/// The machine and the commit.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    /// With `-dirty` when the tree held more than that.
    pub(crate) commit: String,
    pub(crate) cores: usize,
    pub(crate) model: String,
    pub(crate) memory_mib: u64,
}

impl Machine {
    pub(crate) fn here() -> Self {
        Self {
            commit: commit().unwrap_or_else(|| "unknown".into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            model: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".into()),
            memory_mib: memory_kib().unwrap_or(0) / 1024,
        }
    }
}

fn commit() -> Option<String> {
    let described = Command::new("git").args(["describe", "--always", "--dirty", "--abbrev=12"]).output().ok()?;
    let name = String::from_utf8(described.stdout).ok()?;
    described.status.success().then(|| name.trim().to_owned())
}

fn memory_kib() -> Option<u64> {
    field("/proc/meminfo", "MemTotal")?.split(' ').next()?.parse().ok()
}

/// The first `name: value` of a file.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
}
