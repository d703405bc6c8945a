//! testkit with the real servers: what it provides works, and belongs to one test only.
//!
//! One binary with a file per server. Run with `cargo xtask test`, like all tests that use a service.

#![allow(clippy::disallowed_methods, reason = "asks the servers of the test run")]

mod nats;
mod postgres;
mod s3;
