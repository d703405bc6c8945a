//! PostgreSQL servers for single tests, created and restarted on request: the shared server must not be restarted under
//! other tests.
//!
//! Tests make requests by files in a directory (`crates/testkit/src/services/cluster.rs` writes them); a request is
//! done when its file is removed. `NAME.wanted` creates a server and leaves `NAME.url`, `NAME.restart` crashes and
//! restarts it, `NAME.unwanted` stops it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::Signal;

use super::postgres::Cluster;
use super::process::Service;
use super::{Interrupt, free_ports};

/// Unlike the shared server it is restarted: acknowledged writes must survive.
const SETTINGS: &[&str] = &["synchronous_commit=on"];
const PATIENCE: Duration = Duration::from_mins(1);

/// The current servers.
pub(super) struct Clusters {
    bin: PathBuf,
    directory: PathBuf,
    running: BTreeMap<String, (Cluster, Option<Service>)>,
}

impl Clusters {
    pub(super) fn inside(dir: &Path, bin: &Path) -> Result<Self> {
        let directory = dir.join("clusters");
        fs::create_dir(&directory)?;
        Ok(Self { bin: bin.to_owned(), directory, running: BTreeMap::new() })
    }

    /// The directory of requests.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Handles the requests. A request that fails gets an error.
    pub(super) fn handle_requests(&mut self, interrupt: &Interrupt) {
        let Ok(files) = fs::read_dir(&self.directory) else { return };
        for file in files.flatten().map(|file| file.path()) {
            let text = |part: Option<&std::ffi::OsStr>| part.and_then(|part| part.to_str()).map(str::to_owned);
            let (Some(name), Some(what)) = (text(file.file_stem()), text(file.extension())) else { continue };
            let done = match what.as_str() {
                "wanted" => self.make(&name, interrupt),
                "restart" => self.restart(&name, interrupt),
                "unwanted" => {
                    self.running.remove(&name);
                    Ok(())
                }
                _ => continue,
            };
            if let Err(error) = done {
                let _ = fs::write(self.directory.join(format!("{name}.failed")), format!("{error:#}"));
            }
            // Last, because the test waits for this.
            let _ = fs::remove_file(&file);
        }
    }

    fn make(&mut self, name: &str, interrupt: &Interrupt) -> Result<()> {
        let dir = self.directory.join(name);
        fs::create_dir(&dir)?;
        let [port, ..] = free_ports()?;
        let cluster = Cluster::make(&self.bin, &dir, port)?;
        let url = cluster.url();
        self.running.insert(name.to_owned(), (cluster, None));
        self.start(name, interrupt)?;
        fs::write(self.directory.join(format!("{name}.url")), url)?;
        Ok(())
    }

    fn restart(&mut self, name: &str, interrupt: &Interrupt) -> Result<()> {
        let (_, service) = self.running.get_mut(name).context("no such server")?;
        if let Some(service) = service.take() {
            // SIGQUIT is PostgreSQL's "immediate" shutdown: what follows is the recovery after a crash.
            service.end_with(Signal::QUIT);
        }
        self.start(name, interrupt)
    }

    fn start(&mut self, name: &str, interrupt: &Interrupt) -> Result<()> {
        let (cluster, service) = self.running.get_mut(name).context("no such server")?;
        let started = service.insert(cluster.start(&self.directory.join(name), SETTINGS)?);
        started.wait_until(Instant::now() + PATIENCE, interrupt, || cluster.answers())
    }
}
