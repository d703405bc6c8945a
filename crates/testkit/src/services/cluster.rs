//! A PostgreSQL server of one's own, which may be restarted without anybody else noticing.
//!
//! Whoever started the services starts it too, because processes belong to who can wait for them: what is wanted is
//! said by files in a directory that both know (`crates/xtask/src/services/clusters.rs` reads them).

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{handed_on, unique_name};

/// Making one takes seconds, on a busy machine more.
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
    let directory = PathBuf::from(handed_on("COURANT_TEST_CLUSTERS"));
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

    /// Ends the server as a crash would, and returns when it answers again.
    pub async fn restart(&self) {
        self.ask("restart").await;
    }

    /// Says what is wanted, and waits until it was done.
    async fn ask(&self, what: &str) {
        let asked = self.file(what);
        fs::write(&asked, "").expect("a wish can be written down");
        let deadline = Instant::now() + PATIENCE;
        while asked.exists() {
            assert!(Instant::now() < deadline, "nobody sees to {}: is `cargo xtask` still there?", asked.display());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        if let Ok(why) = fs::read_to_string(self.file("failed")) {
            panic!("no PostgreSQL server of one's own: {why}");
        }
    }

    fn file(&self, what: &str) -> PathBuf {
        self.directory.join(format!("{}.{what}", self.name))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Nobody waits for it: it goes at the end of the run anyway.
        let _ = fs::write(self.file("unwanted"), "");
    }
}
