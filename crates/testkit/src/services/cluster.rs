//! A private PostgreSQL server, which may be restarted without affecting other tests.
//!
//! `cargo xtask` starts it, like all services, because only a parent process can wait for its children: requests are
//! files in a shared directory (`crates/xtask/src/services/clusters.rs` reads them).

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{environment, unique_name};

/// Creating one takes seconds, on a busy machine more.
const PATIENCE: Duration = Duration::from_mins(2);

/// The server. Dropping it stops it.
#[derive(Debug)]
pub struct Cluster {
    directory: PathBuf,
    name: String,
    url: String,
}

/// A new server with an empty database.
pub async fn cluster() -> Cluster {
    let directory = PathBuf::from(environment("COURANT_TEST_CLUSTERS"));
    let mut cluster = Cluster { directory, name: unique_name(), url: String::new() };
    cluster.ask("wanted").await;
    cluster.url = fs::read_to_string(cluster.file("url")).expect("a server that was made says where it is");
    cluster
}

impl Cluster {
    /// `postgres://user:password@127.0.0.1:port/name`
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Crashes the server, and returns when it responds again.
    pub async fn restart(&self) {
        self.ask("restart").await;
    }

    /// Makes a request, and waits until it is done.
    async fn ask(&self, what: &str) {
        let asked = self.file(what);
        fs::write(&asked, "").expect("a request file can be written");
        let deadline = Instant::now() + PATIENCE;
        while asked.exists() {
            assert!(Instant::now() < deadline, "no answer to {}: is `cargo xtask` still running?", asked.display());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if let Ok(why) = fs::read_to_string(self.file("failed")) {
            panic!("no private PostgreSQL server: {why}");
        }
    }

    fn file(&self, what: &str) -> PathBuf {
        self.directory.join(format!("{}.{what}", self.name))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Not waited for: it ends with the run anyway.
        let _ = fs::write(self.file("unwanted"), "");
    }
}
