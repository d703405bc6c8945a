//! The world of the benchmarks is the same everywhere, can be parsed, and changes from version to version as declared.

#[path = "../../benches/bars/world.rs"]
#[allow(dead_code, reason = "the benchmarks use the rest")]
mod world;

use std::collections::BTreeSet;

use syndication::{Hints, Limits, read};
use world::{NEW_PER_VERSION, Size, document};

const FEEDS: usize = 40;

#[test]
fn the_same_seed_makes_the_same_world() {
    let directory = tempfile::tempdir().unwrap();
    let size = Size { feeds: 6, seed: 1, port: 80 };
    let (one, other) = (directory.path().join("one"), directory.path().join("other"));
    world::write(&one, size).unwrap();
    world::write(&other, size).unwrap();
    for file in ["v0/f00000.xml", "v0/f00005.xml.gz", "v1/f00005.xml", "urls.txt", "world.opml"] {
        assert_eq!(std::fs::read(one.join(file)).unwrap(), std::fs::read(other.join(file)).unwrap(), "{file}");
    }
    assert_eq!(std::fs::read_to_string(one.join("urls.txt")).unwrap().lines().count(), 6);
    assert_ne!(document(1, 0, 0), document(2, 0, 0), "another seed is another world");
    assert_ne!(document(1, 0, 0), document(1, 1, 0), "feeds differ");
}

#[test]
fn each_version_has_two_entries_more_and_two_fewer() {
    let mut entries = 0;
    for feed in 0..FEEDS {
        let (before, after) = (uids(&document(1, feed, 0)), uids(&document(1, feed, 1)));
        assert_eq!(after.difference(&before).count(), NEW_PER_VERSION, "feed {feed}");
        assert_eq!(before.difference(&after).count(), NEW_PER_VERSION, "feed {feed}");
        entries += before.len();
    }
    assert!((FEEDS * 15..FEEDS * 40).contains(&entries), "{entries}");
}

#[test]
fn feeds_are_as_large_as_they_are_in_the_wild() {
    let sizes: Vec<usize> = (0..FEEDS * 5).map(|feed| document(1, feed, 0).len()).collect();
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    assert!((55_000..100_000).contains(&mean), "{mean}");
    assert!(sizes.iter().all(|bytes| (4_000..400_000).contains(bytes)), "{sizes:?}");
    let large = world::large(1, 1 << 20).len();
    assert!((950_000..1_250_000).contains(&large), "{large}");
}

fn uids(document: &str) -> BTreeSet<String> {
    let reading = read(document.as_bytes(), &Hints::default(), &Limits::default()).unwrap();
    assert!(reading.problems.is_empty(), "{:?}", reading.problems);
    let entries = reading.entries.into_iter().map(|entry| entry.about.id.unwrap());
    entries.collect()
}
