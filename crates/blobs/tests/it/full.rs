//! No space left: an error, and no partial file under a final name.
//!
//! A full disk is simulated by the limit on file sizes, which fails a write half-way in the same manner and needs
//! neither root nor a mount. The limit applies to a whole process, so the test runs itself again as a child under that
//! limit.
#![cfg(unix)]

use std::process::Command;

use blobs::{BlobError, Coding};

use crate::fixture::{Fixture, now};

const CHILD: &str = "COURANT_TEST_FULL_CHILD";

#[tokio::test]
async fn a_full_disk_leaves_no_half_blob() {
    if std::env::var_os(CHILD).is_some() {
        return under_the_limit().await;
    }
    // 8 blocks of 512 bytes (1024 in some shells). The signal is ignored, so that the write fails instead of the
    // process.
    let child = Command::new("sh")
        .args([
            "-c",
            r#"trap "" XFSZ; ulimit -f 8; exec "$0" --exact full::a_full_disk_leaves_no_half_blob --nocapture"#,
        ])
        .arg(std::env::current_exe().unwrap())
        .env(CHILD, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&child.stderr));
}

async fn under_the_limit() {
    let fixture = Fixture::directory();
    let small = fixture.blobs.put(now(), Coding::Gzip, "fits".into()).await.unwrap();
    let error = fixture.blobs.put(now(), Coding::Gzip, vec![7; 100_000].into()).await.unwrap_err();
    assert!(matches!(error, BlobError::Full { .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("no room left in {}: free some space or raise the quota", fixture.blobs));

    let listed = fixture.blobs.list(None, 10).await.unwrap();
    assert_eq!(listed.iter().map(|blob| blob.key).collect::<Vec<_>>(), [small.key()]);
    assert_eq!(fixture.blobs.wire(&small).await.unwrap(), "fits");
    let files = |directory: &std::path::Path| std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let shards = files(fixture.scratch.path()).filter(|path| path.is_dir());
    let leftovers =
        shards.flat_map(|shard| files(&shard).collect::<Vec<_>>()).filter(|path| *path != fixture.file(small.key()));
    assert_eq!(leftovers.count(), 0, "the temporary file is removed, too");
}
