//! A PostgreSQL cluster for one run: on 127.0.0.1 only, with a random password, without durability.
//!
//! PostgreSQL refuses to run as root, so there it runs as `postgres`, or else as `nobody`.

use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use data_encoding::HEXLOWER;
use rustix::process::Signal;

use super::process::Service;
use crate::repository::program;

/// The superuser of the cluster.
const USER: &str = "courant";

/// The data is thrown away, so crashes cannot lose anything; statistics of short-lived tables are useless; and unused
/// memory need not be zeroed.
const SETTINGS: &[&str] = &[
    "listen_addresses=127.0.0.1",
    "max_connections=200",
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "autovacuum=off",
    "wal_init_zero=off",
    "shared_buffers=64MB",
    "timezone=UTC",
];

/// The directory of the server's programs, if installed: from PATH, or the newest of Debian's versions.
pub fn postgres_bin() -> Option<PathBuf> {
    let is_complete = |dir: &PathBuf| ["initdb", "postgres", "pg_isready"].iter().all(|name| dir.join(name).is_file());
    let on_path = program("initdb").and_then(|initdb| Some(initdb.canonicalize().ok()?.parent()?.to_path_buf()));
    on_path.filter(is_complete).or_else(|| {
        let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
        let number = |dir: &PathBuf| dir.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
        let complete = versions.map(|version| version.path()).filter(|dir| is_complete(&dir.join("bin")));
        Some(complete.max_by_key(number)?.join("bin"))
    })
}

/// A cluster on disk, whose server can be started repeatedly.
pub(super) struct Cluster {
    bin: PathBuf,
    home: PathBuf,
    owner: Option<(u32, u32)>,
    port: u16,
    password: String,
}

impl Cluster {
    /// Creates it in an existing directory, for a server on this port.
    pub(super) fn make(bin: &Path, dir: &Path, port: u16) -> Result<Self> {
        let owner = unprivileged()?;
        let home = dir.join("postgres");
        fs::create_dir(&home)?;
        fs::set_permissions(&home, Permissions::from_mode(0o700))?;
        let password = random_hex()?;
        let password_file = home.join("password");
        fs::write(&password_file, &password)?;
        if let Some((uid, gid)) = owner {
            chown(&home, Some(uid), Some(gid))?;
            chown(&password_file, Some(uid), Some(gid))?;
        }

        let mut initdb = Command::new(bin.join("initdb"));
        initdb.arg("--pgdata").arg(home.join("data")).arg("--pwfile").arg(&password_file);
        // A locale whose lower() knows more than ASCII, as a real database has.
        initdb.args(["--username", USER, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]);
        if let Some((uid, gid)) = owner {
            initdb.uid(uid).gid(gid);
        }
        let made = initdb.current_dir(&home).stdin(Stdio::null()).output().context("cannot run initdb")?;
        if !made.status.success() {
            bail!("initdb failed ({}); it said:\n{}", made.status, String::from_utf8_lossy(&made.stderr));
        }
        Ok(Self { bin: bin.to_owned(), home, owner, port, password })
    }

    /// Starts its server, with additional settings.
    pub(super) fn start(&self, dir: &Path, settings: &[&str]) -> Result<Service> {
        let mut server = Command::new(self.bin.join("postgres"));
        server.arg("-D").arg(self.home.join("data")).arg("-k").arg(&self.home).args(["-p", &self.port.to_string()]);
        server.args(SETTINGS.iter().chain(settings).flat_map(|setting| ["-c", setting]));
        server.current_dir(&self.home);
        // SIGINT is PostgreSQL's "fast" shutdown: it does not wait for clients to disconnect.
        Service::spawn("postgres", &server, self.owner, dir, Signal::INT)
    }

    /// The URL of the superuser on the maintenance database.
    pub(super) fn url(&self) -> String {
        format!("postgres://{USER}:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    pub(super) fn answers(&self) -> bool {
        let mut ready = Command::new(self.bin.join("pg_isready"));
        ready.args(["--quiet", "--host=127.0.0.1", "--port", &self.port.to_string(), "--username", USER]);
        ready.status().is_ok_and(|status| status.success())
    }
}

/// The user and group to run as; `None` if we are not root and run as ourselves.
fn unprivileged() -> Result<Option<(u32, u32)>> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    let users = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
    let ids = |wanted: &str| {
        users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let (name, _password, uid, gid) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
            (name == wanted).then_some((uid.parse().ok()?, gid.parse().ok()?))
        })
    };
    let found = ids("postgres").or_else(|| ids("nobody"));
    found.map(Some).context("PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody")
}

fn random_hex() -> Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(HEXLOWER.encode(&bytes))
}
