//! Which raw fetches of a feed are kept: the last few, and every other body that fits.

use model::blob::BlobHash;
use model::retention::KeptRaw;
use std::collections::HashSet;

/// Decides which raw fetches of one feed are kept: ask for each, newest first.
///
/// The last `samples` are kept, and every distinct body beyond them, while all bodies fit into the budget. Responses
/// that were not feeds are counted separately, and fewer are kept: a month of error pages must not displace the
/// documents (F-149).
#[derive(Debug)]
pub struct RawKeeper {
    samples: Option<u32>,
    budget_bytes: u64,
    /// Feeds asked about so far, and others.
    feeds: u32,
    others: u32,
    taken_bytes: u64,
    bodies: HashSet<BlobHash>,
}

/// What happens to a raw fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawFate {
    /// It is kept.
    Stays,
    /// It is deleted; its body is kept with a later fetch.
    Repeats,
    /// It is deleted with its body.
    Goes,
}

/// How many bodies are kept that were not feeds: error pages and the like.
const OTHERS: u32 = 5;

/// A body counts as at least this much: a feed of tiny ones must not make us keep millions.
const LEAST_BODY: u64 = 1024;

impl RawKeeper {
    /// For one feed. Without `samples` everything is kept.
    pub fn new(samples: Option<u32>, budget_bytes: u64) -> Self {
        Self { samples, budget_bytes, feeds: 0, others: 0, taken_bytes: 0, bodies: HashSet::new() }
    }

    /// What happens to the next one.
    pub fn fate(&mut self, raw: &KeptRaw) -> RawFate {
        let Some(samples) = self.samples else { return RawFate::Stays };
        let (asked, samples) =
            if raw.understood { (&mut self.feeds, samples) } else { (&mut self.others, samples.min(OTHERS)) };
        *asked = asked.saturating_add(1);
        let sample = *asked <= samples;
        if !raw.understood {
            return if sample { RawFate::Stays } else { RawFate::Goes };
        }
        if self.bodies.contains(&raw.body) {
            return if sample { RawFate::Stays } else { RawFate::Repeats };
        }
        let bytes = raw.stored_bytes.max(LEAST_BODY);
        if !sample && self.taken_bytes.saturating_add(bytes) > self.budget_bytes {
            return RawFate::Goes;
        }
        self.taken_bytes = self.taken_bytes.saturating_add(bytes);
        self.bodies.insert(raw.body);
        RawFate::Stays
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn raw_fetches_are_kept_by_number_then_by_body() {
        let check = |what: &str, samples, budget_kib: u64, bodies: &str, expected: &str| {
            let mut keeper = RawKeeper::new(samples, budget_kib * 1024);
            let fate = |body: u8| {
                let raw = KeptRaw {
                    id: model::FetchId(uuid::Uuid::nil()),
                    fetched_at: Timestamp::UNIX_EPOCH,
                    body: BlobHash([body; 32]),
                    stored_bytes: if body.is_ascii_uppercase() { 10 * 1024 } else { 1 },
                    understood: body != b'<',
                };
                match keeper.fate(&raw) {
                    RawFate::Stays => 's',
                    RawFate::Repeats => 'r',
                    RawFate::Goes => 'g',
                }
            };
            assert_eq!(bodies.bytes().map(fate).collect::<String>(), expected, "{what}");
        };
        check("the last three", Some(3), 0, "abcdef", "sssggg");
        check("the last three, the same", Some(3), 0, "aaaaab", "sssrrg");
        check("and bodies within the budget", Some(2), 4, "abacdeb", "ssrssgr");
        check("a large one does not stop smaller ones", Some(1), 4, "aBcd", "sgss");
        check("samples count, and may exceed the budget", Some(2), 4, "ABcA", "ssgr");
        check("F-149 what was no feed takes no feed's place", Some(3), 0, "<<<<abcd", "sssgsssg");
        check("F-149 and is kept only for a while", Some(9), 0, "a<<<<<<<b", "ssssssggs");
        check("F-149 nor does it take of the budget", Some(1), 2, "<a<bc", "ssgsg");
        check("for ever", None, 0, "aabc", "ssss");
        check("none", Some(0), 0, "ab", "gg");
    }
}
