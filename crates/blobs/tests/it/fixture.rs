//! A blob store for each test: a directory or a prefix in S3 of its own, with direct access to the stored bytes.

use std::path::PathBuf;

use blobs::{BlobKey, Blobs, S3Options};
use jiff::Timestamp;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::{ObjectStoreExt, PutPayload};
use tempfile::TempDir;

pub(crate) struct Fixture {
    pub(crate) blobs: Blobs,
    pub(crate) scratch: TempDir,
    behind: Option<(AmazonS3, String)>,
}

impl Fixture {
    pub(crate) fn directory() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let blobs = Blobs::open(&format!("file:{}", scratch.path().display()), &S3Options::default()).unwrap();
        Self { blobs, scratch, behind: None }
    }

    pub(crate) fn s3() -> Self {
        // The directory's random name serves as the prefix.
        let scratch = tempfile::tempdir().unwrap();
        let name = scratch.path().file_name().unwrap().to_str().unwrap().trim_start_matches('.').to_owned();
        let prefix = format!("blobs/{name}");
        let blobs = Blobs::open(&format!("s3://courant-test/{prefix}"), &s3_options()).unwrap();
        let client = AmazonS3Builder::new()
            .with_bucket_name("courant-test")
            .with_region("us-east-1")
            .with_endpoint(endpoint())
            .with_allow_http(true)
            .with_access_key_id("test")
            .with_secret_access_key("test");
        Self { blobs, scratch, behind: Some((client.build().unwrap(), prefix)) }
    }

    /// The file of a blob; only for a directory.
    pub(crate) fn file(&self, key: BlobKey) -> PathBuf {
        self.scratch.path().join(key.to_string())
    }

    /// The stored bytes under any name.
    pub(crate) async fn peek(&self, name: &str) -> Vec<u8> {
        match &self.behind {
            None => std::fs::read(self.scratch.path().join(name)).unwrap(),
            Some((client, prefix)) => {
                client.get(&format!("{prefix}/{name}").into()).await.unwrap().bytes().await.unwrap().into()
            }
        }
    }

    /// Writes bytes under any name, as an accident or another program would.
    pub(crate) async fn overwrite(&self, name: &str, bytes: Vec<u8>) {
        match &self.behind {
            None => {
                let path = self.scratch.path().join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
            Some((client, prefix)) => {
                client.put(&format!("{prefix}/{name}").into(), PutPayload::from(bytes)).await.unwrap();
            }
        }
    }

    /// When each blob was last put, in key order.
    pub(crate) async fn times(&self) -> Vec<Timestamp> {
        self.blobs.list(None, usize::MAX).await.unwrap().into_iter().map(|blob| blob.modified).collect()
    }
}

pub(crate) fn s3_options() -> S3Options {
    S3Options {
        access_key_id: Some("test".into()),
        secret_access_key: Some("test".into()),
        endpoint: Some(endpoint()),
        allow_http: true,
        path_style: true,
        ..S3Options::default()
    }
}

fn endpoint() -> String {
    let Ok(endpoint) = std::env::var("COURANT_TEST_S3") else {
        panic!("COURANT_TEST_S3 is not set: run the tests with `make test` or `cargo xtask test`");
    };
    endpoint
}

/// The time of a test. Close to the real one, because S3 stamps objects with its own clock.
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
