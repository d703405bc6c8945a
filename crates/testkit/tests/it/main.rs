//! testkit against the real servers: what it hands out works, and belongs to one test only.
//!
//! One binary with a file per server. They need `cargo xtask test`, like all tests that use
//! a service.

mod nats;
mod postgres;
mod s3;
