//! The program `courant`: turns configuration and command line into calls of the services.
//!
//! Only this crate reads the environment, the command line and the clock. It decides nothing about feeds.
//! A command starts in `cli.rs`, is dispatched in `command.rs` and gets its settings from `config.rs`.

pub mod cli;
pub mod clock;
pub mod command;
pub mod config;
mod demo;
pub mod lock;
pub mod log;
pub mod open_files;
pub mod output;
pub mod private;
mod report;
pub mod wiring;
