//! The promises of the program `courant`, one file each, tested on the real binary or on the library behind it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its world should stop there")]
#![allow(clippy::disallowed_methods, reason = "asks the program it has started")]

/// Runs each promise in a world on SQLite and in one on PostgreSQL.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(testkit::World::sqlite().await).await })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(testkit::World::postgres().await).await })*
        }
    };
}

mod analyse;
mod answers;
mod backup;
mod bench_world;
mod canaries;
mod capacity;
mod chaos;
mod cli;
mod commands;
mod config;
mod coverage;
mod cut_off;
mod demo;
mod discover;
mod doctor;
mod etiquette;
mod feed_add;
mod feed_switches;
mod feed_verbs;
mod first_password;
mod grammar;
mod identity;
mod leaps;
mod life;
mod logging;
mod logins;
mod maintenance;
mod metrics;
mod nginx;
mod oidc;
mod opml;
mod outage;
mod parse;
mod polite;
mod private_files;
mod program;
mod reader_api;
mod reparse;
mod retention;
mod schemathesis;
mod secrets;
mod serve;
mod simulation;
mod single_run;
mod site;
mod skeleton;
mod story;
mod viewers;
mod visit;
