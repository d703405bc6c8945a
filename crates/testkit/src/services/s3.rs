//! S3, served by moto: one bucket for all, so each test has a prefix of its own.
//!
//! Nothing is cleaned up: moto keeps objects in memory and is stopped at the end of the run. No client is built here,
//! so that only `blobs` depends on one.

use super::{environment, unique_name};

/// The server's address, and the part of the bucket that belongs to this test.
#[derive(Debug, Clone)]
pub struct S3 {
    /// `http://127.0.0.1:…`; address buckets by path, not by host name.
    pub endpoint: String,
    /// The bucket, which exists.
    pub bucket: &'static str,
    /// For this test only; no slash at either end.
    pub prefix: String,
    /// Any region does.
    pub region: &'static str,
    /// Any key does, but clients want one.
    pub access_key: &'static str,
    /// Any secret does, but clients want one.
    pub secret_key: &'static str,
}

/// The S3 server of this run.
pub fn s3() -> S3 {
    S3 {
        endpoint: environment("COURANT_TEST_S3"),
        bucket: "courant-test",
        prefix: unique_name(),
        region: "us-east-1",
        access_key: "test",
        secret_key: "test",
    }
}
