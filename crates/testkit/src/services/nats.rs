//! NATS with JetStream: one server for all, so each test puts a name of its own into its streams and subjects.
//!
//! Nothing is cleaned up: the server and its streams go at the end of the run. What a subject is called below that
//! name is the test's business.

use super::{handed_on, unique_name};

/// Where the server is, and a name for this test's streams and subjects.
#[derive(Debug, Clone)]
pub struct Nats {
    /// `nats://127.0.0.1:…`
    pub url: String,
    /// Letters, digits and `_` only: fit for a stream and for a part of a subject.
    pub name: String,
}

/// The NATS server of this run.
pub fn nats() -> Nats {
    Nats { url: handed_on("COURANT_TEST_NATS"), name: unique_name() }
}
