//! A list that takes any number of entries and keeps the newest: documents with more entries than the limit may begin
//! with the oldest.
//!
//! It holds at most twice as many as it keeps, and is halved when it is full: linear time, bounded memory. After fifty
//! times the limit it stops: no honest document has more, and hostile ones have millions. The caller knows what an
//! entry is and how to find its date.

use jiff::Timestamp;

/// At most this many times the limit are accepted.
const ENOUGH: usize = 50;

/// The newest of the pushed items, in their order.
#[derive(Debug)]
pub(crate) struct Newest<T> {
    limit: usize,
    kept: Vec<T>,
    /// The dates of the first items, as of the last check: finding a date may be costly, so it is done once.
    dates: Vec<Option<Timestamp>>,
    seen: usize,
    dated: bool,
}

impl<T> Newest<T> {
    pub(crate) fn up_to(limit: usize) -> Self {
        Newest { limit, kept: Vec::new(), dates: Vec::new(), seen: 0, dated: false }
    }

    /// Adds one; returns the items that were dropped, if it was time to check.
    pub(crate) fn push(&mut self, item: T, date: impl Fn(&T) -> Option<Timestamp>) -> Vec<T> {
        self.kept.push(item);
        self.seen += 1;
        if self.kept.len() >= self.limit.saturating_mul(2) { self.without_the_oldest(date) } else { Vec::new() }
    }

    /// Whether it has seen enough; anything else can be skipped.
    pub(crate) fn has_enough(&self) -> bool {
        self.seen >= self.limit.saturating_mul(ENOUGH)
    }

    /// The items that are kept in the end, and a message about the rest.
    pub(crate) fn finish(mut self, date: impl Fn(&T) -> Option<Timestamp>) -> (Vec<T>, Option<String>) {
        if self.seen <= self.limit {
            return (self.kept, None);
        }
        self.without_the_oldest(date);
        let (seen, limit) = (self.seen, self.limit);
        let more = if self.has_enough() { " or more" } else { "" };
        let which = if self.dated { format!("{limit} newest") } else { format!("first {limit} (they have no dates)") };
        (self.kept, Some(format!("there are {seen} entries{more}; only the {which} were kept")))
    }

    /// Entries without a date are treated like the one before them. If none has a date, the first are kept: most
    /// documents begin with the newest.
    fn without_the_oldest(&mut self, date: impl Fn(&T) -> Option<Timestamp>) -> Vec<T> {
        self.dates.extend(self.kept[self.dates.len()..].iter().map(date));
        let mut dates = self.dates.clone();
        let mut before = dates.iter().copied().find(Option::is_some).flatten();
        self.dated |= before.is_some();
        for date in &mut dates {
            before = date.or(before);
            *date = before;
        }
        let room = self.limit.min(dates.len());
        let mut order = dates.clone();
        // The newest date of those that are dropped.
        let border = if room < order.len() { *order.select_nth_unstable_by(room, |a, b| b.cmp(a)).1 } else { None };
        let newer = dates.iter().filter(|date| **date > border).count();
        let mut equal = room - newer;
        let mut stays = dates.into_iter().map(|date| {
            let first_of_equals = date == border && equal > 0;
            equal -= usize::from(first_of_equals);
            date > border || first_of_equals
        });
        let mut gone = Vec::new();
        let all = std::mem::take(&mut self.kept).into_iter().zip(std::mem::take(&mut self.dates));
        for (item, date) in all {
            if stays.next().unwrap_or(false) {
                self.kept.push(item);
                self.dates.push(date);
            } else {
                gone.push(item);
            }
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Entries named by a letter and dated by a digit (`-` without); which are kept, and the message.
    fn check(case: &str, limit: usize, entries: &str, expected: &str) {
        let asked = Cell::new(0);
        let date = |entry: &&str| {
            asked.set(asked.get() + 1);
            entry[1..].parse().ok().map(|second| Timestamp::from_second(second).unwrap())
        };
        let mut newest = Newest::up_to(limit);
        let (mut gone, mut most) = (0, 0);
        for entry in entries.split_whitespace() {
            if newest.has_enough() {
                break;
            }
            gone += newest.push(entry, date).len();
            most = most.max(newest.kept.len());
        }
        assert!(most <= 2 * limit, "{case}: {most} were held");
        assert_eq!(gone + newest.kept.len(), newest.seen, "{case}: each is kept or given back");
        let seen = newest.seen;
        let (kept, said) = newest.finish(date);
        assert!(asked.get() <= seen, "{case}: each is asked for its date once");
        let names: String = kept.iter().map(|entry| &entry[..1]).collect();
        assert_eq!(format!("{names}; {}", said.unwrap_or_default()).trim_end_matches("; "), expected, "{case}");
    }

    #[test]
    fn the_newest_stay_in_their_order() {
        check("few", 3, "a1 b2 c3", "abc");
        check("newest first", 3, "a9 b8 c7 d6 e5", "abc; there are 5 entries; only the 3 newest were kept");
        check("oldest first", 3, "a1 b2 c3 d4 e5", "cde; there are 5 entries; only the 3 newest were kept");
        let many = "a1 b2 c3 d4 e5 f6 g7 h8 i9";
        check("oldest first, many", 2, many, "hi; there are 9 entries; only the 2 newest were kept");
        check("any order", 2, "a1 b7 c2 d9 e3 f4", "bd; there are 6 entries; only the 2 newest were kept");
        check("of one date", 2, "a5 b5 c5 d5 e5", "ab; there are 5 entries; only the 2 newest were kept");
        let first = "there are 5 entries; only the first 2 (they have no dates) were kept";
        check("of no date", 2, "a- b- c- d- e-", &format!("ab; {first}"));
        check("some of no date", 3, "a1 b- c3 d- e5", "cde; there are 5 entries; only the 3 newest were kept");
        check("at first of no date", 2, "a- b9 c8 d7", "ab; there are 4 entries; only the 2 newest were kept");
        check("none at all", 2, "", "");
        let endless = "a1 ".repeat(120) + "z9";
        check("without end", 2, &endless, "aa; there are 100 entries or more; only the 2 newest were kept");
    }
}
