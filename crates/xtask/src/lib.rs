//! The development commands of this repository, run as `cargo xtask <command>`.
//!
//! A library so that the commands can be tested; `main.rs` only parses the arguments. Nothing here knows what Courant
//! does, and nothing in the workspace may depend on it: it must build in seconds on a fresh clone.

pub mod bench;
pub mod licences;
pub mod repository;
pub mod services;
pub mod setup;
pub mod test;
pub mod tidy;
pub mod train;
