//! A process killed during a put leaves complete blobs and temporary files, nothing in between.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use blobs::{Blob, BlobError, Blobs, Coding, GRACE, S3Options};

use crate::fixture::{Fixture, now};

const CHILD: &str = "COURANT_TEST_CRASH_CHILD";
/// Large enough that a kill mostly hits a write.
const BODY_BYTES: usize = 4 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_put_leaves_no_half_blob() {
    if let Ok(address) = std::env::var(CHILD) {
        return put_for_ever(&address).await;
    }
    let fixture = Fixture::directory();
    for round in 1..=5 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::a_killed_put_leaves_no_half_blob"])
            .env(CHILD, fixture.blobs.to_string())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // Killed during a write: as soon as a few more blobs exist.
        let deadline = Instant::now() + Duration::from_secs(30);
        while fixture.times().await.len() < round * 3 {
            assert!(Instant::now() < deadline, "the child puts nothing");
            tokio::task::yield_now().await;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let listed = fixture.blobs.list(None, usize::MAX).await.unwrap();
    assert!(listed.len() >= 15);
    for found in &listed {
        let blob = Blob {
            hash: found.key.hash,
            coding: found.key.coding,
            at_rest: found.key.at_rest,
            wire_bytes: BODY_BYTES as u64,
            stored_bytes: found.bytes,
        };
        assert_eq!(fixture.blobs.wire(&blob).await.unwrap().len(), BODY_BYTES);
    }
    let swept =
        fixture.blobs.sweep(now() + GRACE * 2, async |keys| Ok::<_, BlobError>(keys.into_iter().collect())).await;
    assert_eq!(swept.unwrap().deleted, 0);
    let shards = std::fs::read_dir(fixture.scratch.path()).unwrap().map(|entry| entry.unwrap().path());
    let files = shards.filter(|path| path.is_dir()).flat_map(|shard| std::fs::read_dir(shard).unwrap());
    assert_eq!(files.count(), listed.len(), "the sweep removed every temporary file");
}

/// Puts new bodies continuously, eight at a time, until killed.
async fn put_for_ever(address: &str) {
    let blobs = Blobs::open(address, &S3Options::default()).unwrap();
    let putters = (0..8).map(|putter| {
        let blobs = blobs.clone();
        tokio::spawn(async move {
            for n in 0_u32.. {
                let head = format!("{} {putter} {n} ", std::process::id()).into_bytes();
                let body: Vec<u8> = head.into_iter().chain(std::iter::repeat(b'.')).take(BODY_BYTES).collect();
                blobs.put(now(), Coding::Gzip, body.into()).await.unwrap();
            }
        })
    });
    for putter in putters.collect::<Vec<_>>() {
        putter.await.unwrap();
    }
}
