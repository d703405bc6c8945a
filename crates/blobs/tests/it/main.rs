//! The promises of `Blobs`, tested on a directory and on S3. One binary, one file per subject.
#![allow(clippy::unwrap_used, reason = "a test may")]
#![allow(clippy::disallowed_types, reason = "looks behind `Blobs`, at the server of the test run")]

/// Makes two tests of each function: one in a directory, one in S3.
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod directory {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::fixture::Fixture::directory()).await;
            })+
        }
        mod s3 {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                super::$name(crate::fixture::Fixture::s3()).await;
            })+
        }
    };
}

mod bodies;
mod check;
mod crash;
mod fixture;
mod full;
mod sweep;
