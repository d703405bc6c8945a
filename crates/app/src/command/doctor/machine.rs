//! Checks of the machine: the data directory, its free space, the secret, the lock, the clock.

use std::fs;
use std::io;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::Findings;
use crate::config::{Config, DatabaseUrl, keys};
use crate::lock::ServeLock;
use crate::open_files;

/// With less, the next busy day may fill the disk.
const LITTLE_BYTES: u64 = 1 << 30;
/// With less, writes fail soon.
const NO_BYTES: u64 = 64 << 20;
/// Clocks of machines that share a disk differ by seconds, not by hours.
const AHEAD: SignedDuration = SignedDuration::from_hours(1);
/// 2026-01-01, before the first version of this program.
const TOO_EARLY: i64 = 1_767_225_600;

/// Whether data can be stored.
pub(super) fn data(config: &Config, found: &mut Findings) {
    let data = &config.general.data;
    let name = data.display();
    match fs::metadata(data) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return match can_be_made(data) {
                Ok(()) => found.warning("data", format!("{name} does not exist yet: the first start creates it")),
                Err(error) => found.problem(
                    "data",
                    format!("{name} does not exist and cannot be created: {error}; choose another with COURANT_DATA"),
                ),
            };
        }
        Err(error) => return found.problem("data", format!("cannot read {name}: {error}")),
        Ok(there) if !there.is_dir() => {
            return found.problem("data", format!("{name} is not a directory: choose another with COURANT_DATA"));
        }
        Ok(_) => {}
    }
    if keys::readable_by_others(data) {
        found.warning(
            "data",
            format!("{name} can be opened by other users; the next start makes it private unless it is shared"),
        );
    }
    // Only a real write shows that writing works.
    let probe = data.join(format!(".doctor-{}", std::process::id()));
    let written = fs::write(&probe, b"courant").and_then(|()| fs::remove_file(&probe));
    match written {
        Ok(()) => found.ok("data", format!("{name} can be written to")),
        Err(error) => found.problem("data", format!("cannot write to {name}: {error}; check who owns it")),
    }
    space(data, found);
}

/// Whether a directory can be created: it is created and removed again.
pub(super) fn can_be_made(path: &Path) -> io::Result<()> {
    let mut made = Vec::new();
    let missing: Vec<&Path> =
        path.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
    let result = missing.iter().rev().try_for_each(|path| fs::create_dir(path).map(|()| made.push(*path)));
    for path in made.into_iter().rev() {
        fs::remove_dir(path)?;
    }
    result
}

/// Whether the limit of open files and connections is high enough.
pub(super) fn open_files(config: &Config, found: &mut Findings) {
    let limit = open_files::limit();
    let missing = open_files::shares(limit, config.fetch.concurrency as usize).missing;
    if missing > 0 {
        let remedy = format!("raise it to {} (ulimit -n), or lower `fetch.concurrency`", limit + missing);
        found.warning("files", format!("at most {limit} may be open at once, which is low: {remedy}"));
    }
}

fn space(data: &Path, found: &mut Findings) {
    let Some(free) = engine::free_bytes(data) else { return };
    let says = format!("{} MiB free", free >> 20);
    match free {
        ..NO_BYTES => found.problem("space", format!("{says}: free some space, or writes will fail soon")),
        NO_BYTES..LITTLE_BYTES => found.warning("space", format!("{says}: free some space before it is used up")),
        _ => found.ok("space", says),
    }
}

/// Whether the secret exists and is protected.
pub(super) fn secret(config: &Config, found: &mut Findings) {
    if config.auth.secret.is_some() {
        return found.ok("secret", "configured");
    }
    let path = keys::kept_at(config);
    let name = path.display();
    match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            found.ok("secret", format!("{name} is created when it is first needed"));
        }
        Err(error) => found.problem("secret", format!("cannot read {name}: {error}")),
        Ok(bytes) if bytes.trim_ascii().len() < 32 => {
            found.problem("secret", format!("{name} is damaged: restore it, or remove it to start with a new one"));
        }
        Ok(_) if keys::readable_by_others(&path) => {
            found.warning("secret", format!("{name} can be read by other users: chmod 600 {name}"));
        }
        Ok(_) => found.ok("secret", format!("{name} is for this user only")),
    }
}

/// Whether a server uses the SQLite file now.
pub(super) fn server(config: &Config, found: &mut Findings) -> bool {
    let lock = ServeLock::file(&config.general.data);
    if !matches!(config.database.url, DatabaseUrl::Sqlite(_)) || !lock.exists() {
        return false;
    }
    let holder = ServeLock::holder(&config.general.data);
    match &holder {
        Ok(Some(process)) => found.ok("server", format!("running (process {process})")),
        Ok(None) => found.ok("server", "not running; the lock file of the last one does no harm"),
        Err(error) => found.warning("server", format!("cannot determine whether one is running: {error:#}")),
    }
    matches!(holder, Ok(Some(_)))
}

/// The message about a clock that is behind the stored times. Which of the two is right cannot be known here.
pub(super) fn behind(now: Timestamp, latest: Timestamp) -> String {
    format!(
        "it says {now:.0}, but something was written at {latest:.0}: either this clock is behind, then set it, or it was \
         ahead then, and the next `courant serve` or `courant fetch` puts the times right"
    )
}

/// Whether the clock is plausible: no stored time is in the future.
pub(super) fn clock(config: &Config, now: Timestamp, found: &mut Findings) {
    if now.as_second() < TOO_EARLY {
        return found.problem("clock", format!("it shows {now}, which is in the past: set the clock"));
    }
    let database = match &config.database.url {
        DatabaseUrl::Sqlite(path) => Some(path.clone()),
        DatabaseUrl::Postgres(_) => None,
    };
    let files = database.into_iter().chain([ServeLock::file(&config.general.data)]);
    let modified = files.filter_map(|file| Timestamp::try_from(fs::metadata(file).ok()?.modified().ok()?).ok());
    match modified.max().filter(|latest| latest.duration_since(now) > AHEAD) {
        Some(latest) => {
            found.warning("clock", behind(now, latest));
        }
        None => found.ok("clock", format!("{now}")),
    }
}
