//! The servers of a test run, isolated for each test.
//!
//! `cargo xtask test` starts them once and passes their addresses by environment. A database, an S3 prefix or a NATS
//! name belongs to one caller.

mod cluster;
mod identity_provider;
mod litellm;
mod nats;
mod nginx;
mod postgres;
mod promtool;
mod python;
mod s3;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, process};

pub use cluster::{Cluster, cluster};
pub use identity_provider::{IdentityProvider, identity_provider};
pub use litellm::{Litellm, litellm};
pub use nats::{Nats, nats};
pub use nginx::{Nginx, nginx, nginx_port};
pub use postgres::{Database, postgres, postgres_prepared};
pub use promtool::promtool;
pub use python::python;
pub use s3::{S3, s3};

/// A variable set by `cargo xtask test`. A test without its server fails; it does not pass silently.
fn environment(variable: &str) -> String {
    let Ok(value) = env::var(variable) else {
        panic!("{variable} is not set: run the tests with `make test` or `cargo xtask test`");
    };
    value
}

/// A name that no other test of this run has, even if a process id is reused.
fn unique_name() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let micros = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros());
    format!("test_{}_{}_{micros:x}", process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "COURANT_TEST_MARS is not set: run the tests with `make test` or `cargo xtask test`")]
    fn a_missing_service_is_a_failure() {
        environment("COURANT_TEST_MARS");
    }

    #[test]
    fn names_differ() {
        assert_ne!(unique_name(), unique_name());
    }
}
