//! NATS with JetStream: one server for all, so each test puts a name of its own into its streams and subjects.
//!
//! Nothing is cleaned up: the server and its streams are removed at the end of the run. The names of subjects are up to
//! the test.

use super::{environment, unique_name};

/// The server's address, and a name for this test's streams and subjects.
#[derive(Debug, Clone)]
pub struct Nats {
    /// `nats://127.0.0.1:…`
    pub url: String,
    /// Letters, digits and `_` only: valid for a stream and for a part of a subject.
    pub name: String,
}

/// The NATS server of this run.
pub fn nats() -> Nats {
    Nats { url: environment("COURANT_TEST_NATS"), name: unique_name() }
}
