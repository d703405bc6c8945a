//! The promises of the program `courant`, one file each, tested on the real binary or on the library behind it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its world should stop there")]
#![allow(clippy::disallowed_methods, reason = "asks the program it has started")]

mod cli;
mod config;
mod coverage;
mod logging;
mod parse;
mod program;
mod secrets;
mod serve;
mod skeleton;
