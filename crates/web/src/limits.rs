//! How often somebody may ask: buckets in the memory of this process, of which there is a bounded number. How they fill is
//! `policy::limits`. Failed logins are counted in the database (`accounts::login`).

use jiff::Timestamp;
use policy::limits::{Bucket, Wait, Window};
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash};
use std::sync::{Mutex, PoisonError};

/// Buckets of one generation; two generations are kept.
const MOST: usize = 8_192;

/// Buckets by what they count. Those that were not used for long are forgotten first.
#[derive(Default)]
pub(crate) struct Buckets {
    hasher: RandomState,
    generations: Mutex<[HashMap<u64, Bucket>; 2]>,
}

impl Buckets {
    /// Takes one of `window` for `who`, or says how long to wait. What is counted is a hash: two that share one share a bucket.
    pub(crate) fn take(&self, who: impl Hash, window: &Window, now: Timestamp) -> Result<(), Wait> {
        let who = self.hasher.hash_one(who);
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let [young, old] = &mut *generations;
        let mut bucket = young.get(&who).or_else(|| old.get(&who)).copied().unwrap_or_default();
        let taken = bucket.take(now, window);
        if young.len() >= MOST && !young.contains_key(&who) {
            young.retain(|_, bucket| !bucket.is_full(now));
            if young.len() >= MOST / 2 {
                *old = std::mem::take(young);
            }
        }
        young.insert(who, bucket);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_767_225_600 + second).unwrap()
    }

    #[test]
    fn each_has_a_bucket_of_its_own() {
        let buckets = Buckets::default();
        let two = Window::a_minute(2);
        for who in ["a", "b"] {
            assert_eq!([0, 1].map(|second| buckets.take(who, &two, at(second))), [Ok(()), Ok(())]);
            assert_eq!(buckets.take(who, &two, at(2)).unwrap_err().seconds(), 28);
            assert_eq!(buckets.take(who, &two, at(30)), Ok(()));
        }
    }

    #[test]
    fn strangers_do_not_fill_the_memory() {
        let buckets = Buckets::default();
        let one = Window::a_minute(1);
        for who in 0..10 * MOST {
            assert_eq!(buckets.take(who, &one, at(0)), Ok(()));
        }
        let kept: usize = buckets.generations.lock().unwrap().iter().map(HashMap::len).sum();
        assert!(kept <= 2 * MOST, "{kept}");
        assert!(buckets.take(10 * MOST - 1, &one, at(0)).is_err(), "the last ones are remembered");
    }
}
