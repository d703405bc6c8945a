//! testkit against the real servers: what it hands out works, and belongs to one test only.
//!
//! One binary with a file per server. They need `cargo xtask test`, like all tests that use
//! a service.

#![allow(clippy::disallowed_methods, reason = "asks the servers of the test run")]

mod nats;
mod postgres;
mod s3;
