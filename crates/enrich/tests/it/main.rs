//! The promises of enrichments, with the real engine, a scripted origin and a scripted model server, on SQLite and on PostgreSQL.

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

mod answers;
mod local;
mod money;
mod support;
mod waste;
