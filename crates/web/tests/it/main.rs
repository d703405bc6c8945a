//! The promises of the reader's API, asked of the real router, on SQLite and on PostgreSQL.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by stopping")]

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

mod bookmarks;
mod events;
mod filters;
mod hostile;
mod icons;
mod lists;
mod matrix;
mod operator;
mod opml;
mod proxy;
mod saved_searches;
mod settings;
mod support;
mod tags;
