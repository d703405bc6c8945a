//! A sweep deletes what is no longer referenced, and nothing else, whatever happens meanwhile.

use std::collections::HashSet;
use std::fs::File;
use std::future::ready;
use std::time::{Duration, Instant};

use blobs::{AtRest, Blob, BlobError, BlobHash, BlobKey, Blobs, Coding, GRACE, S3Options, Swept};
use jiff::{SignedDuration, Timestamp};

use crate::fixture::{Fixture, now, s3_options};

on_both!(
    only_unreferenced_blobs_are_deleted,
    a_put_during_a_sweep_is_not_lost,
    a_put_makes_an_old_blob_young,
    nothing_is_deleted_when_the_live_keys_are_unknown,
    files_that_are_not_blobs_are_not_touched,
    a_listing_can_be_paged,
    delete_removes_exactly_the_given_keys,
    an_empty_store_can_be_swept,
);

const HOUR: SignedDuration = SignedDuration::from_hours(1);

async fn put(blobs: &Blobs, now: Timestamp, text: &str) -> Blob {
    blobs.put(now, Coding::Identity, text.to_owned().into()).await.unwrap()
}

async fn sweep(blobs: &Blobs, now: Timestamp, live: &[Blob]) -> Swept {
    let live: HashSet<_> = live.iter().map(Blob::key).collect();
    blobs.sweep(now, |keys| ready(Ok::<_, BlobError>(of(keys, &live)))).await.unwrap()
}

/// Puts a body again until it counts as put after `moment`. A directory uses the given time; an S3 server uses its own
/// clock, so this waits until it has advanced.
async fn put_until_younger(fixture: &Fixture, now: Timestamp, text: &str, moment: Timestamp) {
    let deadline = Instant::now() + Duration::from_secs(10);
    put(&fixture.blobs, now, text).await;
    while fixture.times().await[0] < moment {
        assert!(Instant::now() < deadline, "the blob was not refreshed");
        put(&fixture.blobs, now, text).await;
    }
}

fn of(keys: Vec<BlobKey>, live: &HashSet<BlobKey>) -> HashSet<BlobKey> {
    keys.into_iter().filter(|key| live.contains(key)).collect()
}

async fn keys(blobs: &Blobs) -> Vec<BlobKey> {
    blobs.list(None, usize::MAX).await.unwrap().into_iter().map(|blob| blob.key).collect()
}

async fn only_unreferenced_blobs_are_deleted(fixture: Fixture) {
    let start = now();
    let live = put(&fixture.blobs, start, "live").await;
    let orphan = put(&fixture.blobs, start, "orphan").await;

    let early = sweep(&fixture.blobs, start + GRACE - HOUR, &[live]).await;
    assert_eq!(early, Swept { seen: 2, ..Swept::default() }, "nothing is deleted within the grace period");

    let swept = sweep(&fixture.blobs, start + GRACE + HOUR, &[live]).await;
    assert_eq!(swept, Swept { seen: 2, deleted: 1, bytes: 6, temporary: 0 });
    assert_eq!(keys(&fixture.blobs).await, [live.key()]);
    assert!(matches!(fixture.blobs.wire(&orphan).await, Err(BlobError::NotFound { .. })));
}

async fn a_put_during_a_sweep_is_not_lost(fixture: Fixture) {
    let blob = put(&fixture.blobs, now(), "comes back").await;
    let old = fixture.times().await[0];
    // The sweep finds it old and calls `live`. Meanwhile the same body is put again.
    let before = old + SignedDuration::from_secs(2);
    let later = before + GRACE;
    let live = async |asked: Vec<BlobKey>| -> Result<HashSet<BlobKey>, BlobError> {
        assert_eq!(asked, [blob.key()]);
        put_until_younger(&fixture, later, "comes back", before).await;
        Ok(HashSet::new())
    };
    let swept = fixture.blobs.sweep(later, live).await.unwrap();
    assert_eq!(swept, Swept { seen: 1, ..Swept::default() });
    assert_eq!(fixture.blobs.wire(&blob).await.unwrap(), "comes back");
}

async fn a_put_makes_an_old_blob_young(fixture: Fixture) {
    let start = now();
    put(&fixture.blobs, start, "again").await;
    let first = fixture.times().await[0];
    put_until_younger(&fixture, start + GRACE, "again", first + SignedDuration::from_secs(1)).await;
}

async fn nothing_is_deleted_when_the_live_keys_are_unknown(fixture: Fixture) {
    /// A store that is unavailable.
    struct Store;
    #[derive(Debug)]
    struct StoreDown;
    impl Store {
        async fn referenced(&self, _: Vec<BlobKey>) -> Result<HashSet<BlobKey>, StoreDown> {
            tokio::task::yield_now().await;
            Err(StoreDown)
        }
    }
    impl From<BlobError> for StoreDown {
        fn from(error: BlobError) -> Self {
            panic!("{error}");
        }
    }
    let start = now();
    put(&fixture.blobs, start, "kept").await;
    let blobs = fixture.blobs.clone();
    // Spawned, as a service would: the future must be `Send` even with a borrowed store.
    let sweep = async move {
        let store = Store;
        blobs.sweep(start + GRACE * 2, |keys| store.referenced(keys)).await
    };
    assert!(matches!(tokio::spawn(sweep).await.unwrap(), Err(StoreDown)));
    assert_eq!(keys(&fixture.blobs).await.len(), 1);
}

async fn files_that_are_not_blobs_are_not_touched(fixture: Fixture) {
    let start = now();
    fixture.overwrite("README", b"mine".to_vec()).await;
    fixture.overwrite("ab/notes.txt", b"mine".to_vec()).await;
    put(&fixture.blobs, start, "orphan").await;
    fixture.blobs.check().await.unwrap();
    assert_eq!(keys(&fixture.blobs).await.len(), 1);
    let swept = sweep(&fixture.blobs, start + GRACE * 2, &[]).await;
    assert_eq!(swept, Swept { seen: 1, deleted: 1, bytes: 6, temporary: 0 });
    assert_eq!(fixture.peek("README").await, b"mine");
    assert_eq!(fixture.peek("ab/notes.txt").await, b"mine");
}

async fn a_listing_can_be_paged(fixture: Fixture) {
    let mut expected = Vec::new();
    for n in 0..10 {
        expected.push(put(&fixture.blobs, now(), &format!("body {n}")).await.key());
    }
    expected.sort();
    assert_eq!(keys(&fixture.blobs).await, expected);
    let mut paged = Vec::new();
    loop {
        let page = fixture.blobs.list(paged.last().copied(), 3).await.unwrap();
        paged.extend(page.iter().map(|blob| blob.key));
        if page.len() < 3 {
            break;
        }
    }
    assert_eq!(paged, expected);
}

async fn delete_removes_exactly_the_given_keys(fixture: Fixture) {
    let (one, two) = (put(&fixture.blobs, now(), "one").await, put(&fixture.blobs, now(), "two").await);
    let gone = fixture.blobs.delete(&[one.key()]).await.unwrap();
    assert_eq!((gone.deleted, gone.bytes), (1, 3));
    let again = fixture.blobs.delete(&[one.key()]).await.unwrap();
    assert_eq!(again, Swept::default(), "a missing blob is not an error");
    assert_eq!(keys(&fixture.blobs).await, [two.key()]);
}

async fn an_empty_store_can_be_swept(fixture: Fixture) {
    assert_eq!(sweep(&fixture.blobs, now(), &[]).await, Swept::default());
}

#[tokio::test]
async fn a_prefix_with_odd_characters_is_listed_as_it_is_written() {
    let fixture = Fixture::s3();
    let name = fixture.scratch.path().file_name().unwrap().to_str().unwrap();
    let open = |prefix: &str| Blobs::open(&format!("s3://courant-test/{prefix}"), &s3_options()).unwrap();
    let odd = open(&format!("a b/%41é/{name}"));
    let blob = put(&odd, now(), "found").await;
    assert_eq!(keys(&odd).await, [blob.key()]);
    assert_eq!(keys(&open(&format!("a b/%41é/{}", &name[..name.len() - 1]))).await, [], "a prefix ends at a slash");
    assert_eq!(sweep(&odd, now() + GRACE * 2, &[]).await.deleted, 1);
}

#[tokio::test]
async fn leftovers_of_crashed_puts_are_swept() {
    let fixture = Fixture::directory();
    let start = now();
    let blob = put(&fixture.blobs, start, "whole").await;
    fixture.overwrite("ab/.tmp-1-1", vec![0; 10]).await;
    fixture.overwrite(".tmp-1-2", vec![0; 10]).await;
    fixture.overwrite("cd/.tmp-1-3", vec![0; 10]).await;
    let young = File::open(fixture.scratch.path().join("cd/.tmp-1-3")).unwrap();
    young.set_modified((start + GRACE).into()).unwrap();

    let swept = sweep(&fixture.blobs, start + GRACE + HOUR, &[blob]).await;
    assert_eq!(swept, Swept { seen: 1, deleted: 0, temporary: 2, bytes: 20 });
    assert!(fixture.scratch.path().join("cd/.tmp-1-3").exists(), "another process may still be writing it");
    assert!(!fixture.scratch.path().join("ab/.tmp-1-1").exists());
}

#[tokio::test]
async fn a_put_leaves_nothing_but_the_blob() {
    let fixture = Fixture::directory();
    let blob = put(&fixture.blobs, now(), "tidy").await;
    let shard = fixture.file(blob.key());
    let names: Vec<_> =
        std::fs::read_dir(shard.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names, [shard]);
}

#[tokio::test]
async fn more_blobs_than_a_page_are_all_swept() {
    let fixture = Fixture::directory();
    let (start, mut live) = (now(), HashSet::new());
    for n in 0..2500_u16 {
        let [high, low] = n.to_be_bytes();
        let mut hash = [low.wrapping_mul(37); 32];
        (hash[1], hash[2]) = (high, low);
        let key = BlobKey { hash: BlobHash(hash), coding: Coding::Gzip, at_rest: AtRest::AsIs };
        fixture.overwrite(&key.to_string(), vec![0; 2]).await;
        if n % 5 == 0 {
            live.insert(key);
        }
    }
    let asked = std::sync::Mutex::new(0);
    let answer = async |keys: Vec<BlobKey>| {
        *asked.lock().unwrap() += keys.len();
        Ok::<_, BlobError>(of(keys, &live))
    };
    let swept = fixture.blobs.sweep(start + GRACE * 2, answer).await.unwrap();
    assert_eq!(swept, Swept { seen: 2500, deleted: 2000, temporary: 0, bytes: 4000 });
    assert_eq!(*asked.lock().unwrap(), 2500);
    assert_eq!(keys(&fixture.blobs).await.into_iter().collect::<HashSet<_>>(), live);
}

/// Two handles, as two processes have: one puts and one sweeps the same blob as fast as possible.
#[tokio::test(flavor = "multi_thread")]
async fn a_put_that_returned_is_never_swept_within_its_grace() {
    let fixture = Fixture::directory();
    let blob = put(&fixture.blobs, now(), "contended").await;
    let other = Blobs::open(&fixture.blobs.to_string(), &S3Options::default()).unwrap();
    let sweeper = tokio::spawn(async move {
        let mut taken = 0;
        while taken < 200 {
            taken += sweep(&other, now(), &[]).await.deleted;
        }
    });
    while !sweeper.is_finished() {
        put(&fixture.blobs, now(), "contended").await;
        let file = File::open(fixture.file(blob.key())).expect("put has returned, and the grace period is not over");
        // Made old again, so that the sweep may delete it from now on.
        file.set_modified((now() - GRACE * 2).into()).unwrap();
    }
    sweeper.await.unwrap();
}
