//! Which terms a text says often. Terms are known by where they stand in the text that is being written, so that counting
//! them copies nothing and a document costs two allocations. Nothing here knows what becomes of them.

use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::sync::LazyLock;

/// Else strangers could write texts whose words all meet in one place.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));

/// Terms of one text and how many times each is said.
pub(super) struct Often {
    /// One more than the number of a term, or nothing; at least twice as many as there are terms.
    places: Vec<u32>,
    terms: Vec<Said>,
}

struct Said {
    hash: u64,
    at: Range<u32>,
    times: u32,
}

impl Often {
    /// For a text of this many bytes.
    pub(super) fn in_text_of(bytes: usize) -> Self {
        // Half of the words of a text are new, and have some seven bytes.
        let places = (bytes / 4).clamp(16, 1 << 15).next_power_of_two();
        Self { places: vec![0; places], terms: Vec::with_capacity(places / 4) }
    }

    /// Counts the term at `at` in `text`.
    pub(super) fn count(&mut self, text: &str, at: Range<usize>) {
        let term = &text.as_bytes()[at.clone()];
        let hash = hash(term);
        let place = self.place(hash, |said| &text.as_bytes()[said.start as usize..said.end as usize] == term);
        if let Some(known) = self.places[place].checked_sub(1) {
            self.terms[known as usize].times += 1;
            return;
        }
        self.terms.push(Said { hash, at: at.start as u32..at.end as u32, times: 1 });
        self.places[place] = self.terms.len() as u32;
        if self.terms.len() * 2 > self.places.len() {
            self.grow();
        }
    }

    /// Where the terms stand that were counted at least this many times, in the order in which they were first said.
    pub(super) fn at_least(&self, times: u32) -> impl Iterator<Item = Range<usize>> {
        let often = self.terms.iter().filter(move |said| said.times >= times);
        often.map(|said| said.at.start as usize..said.at.end as usize)
    }

    /// The place of a term, or the one it gets.
    fn place(&self, hash: u64, is_it: impl Fn(&Range<u32>) -> bool) -> usize {
        let mask = self.places.len() - 1;
        let mut place = hash as usize & mask;
        while let Some(known) = self.places[place].checked_sub(1) {
            let said = &self.terms[known as usize];
            if said.hash == hash && is_it(&said.at) {
                break;
            }
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.places = vec![0; self.places.len() * 2];
        for number in 0..self.terms.len() {
            let place = self.place(self.terms[number].hash, |_| false);
            self.places[place] = number as u32 + 1;
        }
    }
}

/// Multiplies and folds eight bytes at a time: terms are short, and SipHash takes longer than all the rest.
fn hash(term: &[u8]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let mut hash = *SEED ^ term.len() as u64;
    for part in term.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        hash = fold(hash ^ u64::from_le_bytes(bytes), 0x9e37_79b9_7f4a_7c15);
    }
    fold(hash, 0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn often(text: &str, times: u32) -> Vec<&str> {
        let mut often = Often::in_text_of(0);
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            often.count(text, start..start + word.len());
        }
        often.at_least(times).map(|at| &text[at]).collect()
    }

    #[test]
    fn what_is_said_often() {
        let check = |text: &str, times, expected: &str| assert_eq!(often(text, times).join(" "), expected, "{text}");
        check("b a b c a b", 1, "b a c");
        check("b a b c a b", 2, "b a");
        check("b a b c a b", 3, "b");
        check("b a b c a b", 4, "");
        check("interchange interchanger interchange", 2, "interchange");
        check("", 1, "");
        let many: Vec<String> = (0..1000).map(|n| format!("w{n} w{}", n / 2)).collect();
        assert_eq!(often(&many.join(" "), 1).len(), 1000, "it grows");
        assert_eq!(often(&many.join(" "), 3).len(), 500);
    }

    proptest! {
        #[test]
        fn it_counts_as_anybody_would(words in proptest::collection::vec("[a-c字]{1,3}|[a-b]{12}", 0..200), times in 1u32..5) {
            let mut counts: HashMap<&str, u32> = HashMap::new();
            for word in &words {
                *counts.entry(word).or_default() += 1;
            }
            let text = words.join(" ");
            let mut found = often(&text, times);
            found.sort_unstable();
            let mut expected: Vec<&str> = counts.into_iter().filter(|(_, count)| *count >= times).map(|(word, _)| word).collect();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
