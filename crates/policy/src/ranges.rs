//! Body ranges (partitions): which to create ahead, which may be dropped, and why. Pure; `engine` has them created and
//! dropped.
//!
//! Only PostgreSQL partitions its bodies. Ids follow the order of arrival, so that a range ages as a whole, whatever
//! dates its entries claim. `retention` decides which entries are deleted; here only the number of remaining ones
//! counts.

use model::EntryId;
use model::retention::BodyRange;

/// What to do with one range, or with several neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeWork {
    /// The first entry.
    pub from: EntryId,
    /// The first entry after it.
    pub to: EntryId,
    /// What happens to it.
    pub fate: RangeFate,
    /// The number of ranges.
    pub ranges: u64,
    /// The entries that stay.
    pub left: u64,
    /// Their size on disk.
    pub bytes: u64,
}

/// What happens to a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeFate {
    /// No entries are left: it is dropped.
    Empty,
    /// Few entries are left: they move into one small range, and it is dropped.
    FewLeft,
    /// Too many entries are left to move them: bodies without an entry are deleted one by one.
    ManyLeft,
}

/// What to do with the ranges (in order of their entries). `last` is the last entry that arrived; moving up to `most`
/// bodies blocks nobody for long.
///
/// A range that is still being filled is never touched. Moved bodies are in a range again, and move again only to join
/// neighbours: otherwise a few bookmarks a month would leave a range for every month.
pub fn range_work(ranges: &[BodyRange], last: EntryId, most: u64) -> Vec<RangeWork> {
    let mut work = Vec::new();
    let mut run: &[BodyRange] = &[];
    let mut begin = 0;
    let full = full_ranges(ranges, last);
    for (i, range) in full.iter().enumerate() {
        if range.entries > most || left(run) + range.entries > most {
            work.extend(gathering(run));
            (run, begin) = (&[], i);
        }
        if range.entries > most {
            work.extend(sweeping(range));
            begin = i + 1;
        } else {
            run = &full[begin..=i];
        }
    }
    work.extend(gathering(run));
    work
}

/// The ranges that are complete, of ranges in order of their entries.
pub fn full_ranges(ranges: &[BodyRange], last: EntryId) -> &[BodyRange] {
    &ranges[..ranges.partition_point(|range| range.to.0 <= last.0.saturating_add(1))]
}

fn left(run: &[BodyRange]) -> u64 {
    run.iter().map(|range| range.entries).sum()
}

/// Neighbours with few entries are merged, unless they are merged already.
fn gathering(run: &[BodyRange]) -> Option<RangeWork> {
    let (first, last) = (run.first()?, run.last()?);
    let left = left(run);
    if let [range] = run
        && range.gathered
        && left > 0
    {
        return sweeping(range);
    }
    Some(RangeWork {
        from: first.from,
        to: last.to,
        fate: if left == 0 { RangeFate::Empty } else { RangeFate::FewLeft },
        ranges: run.len() as u64,
        left,
        bytes: run.iter().map(|range| range.bytes).sum(),
    })
}

fn sweeping(range: &BodyRange) -> Option<RangeWork> {
    let BodyRange { from, to, bytes, entries: left, .. } = *range;
    let work = RangeWork { from, to, fate: RangeFate::ManyLeft, ranges: 1, left, bytes };
    (range.bodies > left).then_some(work)
}

/// A range to create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewRange {
    /// The first entry.
    pub from: EntryId,
    /// The first entry after it.
    pub to: EntryId,
    /// Whether some of its entries exist already.
    pub late: bool,
}

/// The ranges to create so that `ahead` of them, each `width` wide, are ready beyond the `last` entry. Without any
/// ranges, bodies are not partitioned.
///
/// A body without a range stays outside until one is created for it; such a range ends well beyond the last entry,
/// because more arrive meanwhile.
pub fn ranges_ahead(ranges: &[BodyRange], last: EntryId, width: u32, ahead: u32) -> Vec<NewRange> {
    let Some(mut end) = ranges.iter().map(|range| range.to.0).max() else { return Vec::new() };
    let (last, width) = (last.0, i64::from(width.max(1)));
    let mut new = Vec::new();
    if last >= end {
        let to = (last / width + 2).saturating_mul(width);
        new.push(NewRange { from: EntryId(end), to: EntryId(to), late: true });
        end = to;
    }
    for _ in 0..ahead {
        if end > last.saturating_add(width.saturating_mul(i64::from(ahead))) {
            break;
        }
        let to = end.saturating_add(width);
        new.push(NewRange { from: EntryId(end), to: EntryId(to), late: false });
        end = to;
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `10..20 2/9` holds 2 entries and 9 bodies; `+` if it was gathered before.
    fn ranges(text: &str) -> Vec<BodyRange> {
        let range = |text: &str| {
            let (bounds, counts) = text.split_once(' ').unwrap();
            let (from, to) = bounds.split_once("..").unwrap();
            let (entries, bodies) = counts.trim_end_matches('+').split_once('/').unwrap();
            BodyRange {
                from: EntryId(from.parse().unwrap()),
                to: EntryId(to.parse().unwrap()),
                gathered: counts.ends_with('+'),
                bytes: 100,
                entries: entries.parse().unwrap(),
                bodies: bodies.parse().unwrap(),
            }
        };
        text.split(", ").filter(|text| !text.is_empty()).map(range).collect()
    }

    #[test]
    fn ranges_with_few_entries_are_dropped() {
        let check = |what: &str, given: &str, expected: &str| {
            let work = range_work(&ranges(given), EntryId(49), 3);
            let told = |w: &RangeWork| format!("{}..{} {:?} {} of {}", w.from, w.to, w.fate, w.left, w.ranges);
            assert_eq!(work.iter().map(told).collect::<Vec<_>>().join(", "), expected, "{what}");
        };
        check("nothing there", "", "");
        check("all gone", "0..10 0/9", "0..10 Empty 0 of 1");
        check("gone one by one", "0..10 0/0", "0..10 Empty 0 of 1");
        check("few left", "0..10 3/9", "0..10 FewLeft 3 of 1");
        check("few left, no body to go", "0..10 3/3", "0..10 FewLeft 3 of 1");
        check("many left", "0..10 4/9", "0..10 ManyLeft 4 of 1");
        check("all left", "0..10 9/9", "");
        check("neighbours", "0..10 0/9, 10..20 2/9", "0..20 FewLeft 2 of 2");
        check("as many as may move", "0..10 2/9, 10..20 2/9", "0..10 FewLeft 2 of 1, 10..20 FewLeft 2 of 1");
        check("some between", "0..10 1/9, 10..20 9/9, 20..30 0/9", "0..10 FewLeft 1 of 1, 20..30 Empty 0 of 1");
        check("a hole between", "0..10 1/9, 30..40 1/9", "0..40 FewLeft 2 of 2");
        check("gathered stays", "0..20 2/2+, 20..30 9/9", "");
        check("gathered lost some", "0..20 2/3+", "0..20 ManyLeft 2 of 1");
        check("gathered lost all", "0..20 0/3+", "0..20 Empty 0 of 1");
        check("gathered grows", "0..20 1/1+, 20..30 1/9", "0..30 FewLeft 2 of 2");
        check("gathered is full", "0..20 3/3+, 20..30 1/9", "20..30 FewLeft 1 of 1");
        check("just full", "40..50 0/9", "40..50 Empty 0 of 1");
        check("still filling", "40..51 0/9", "");
        check("to come", "50..60 0/0", "");
    }

    #[test]
    fn ranges_are_created_ahead() {
        let check = |what: &str, given: &str, last, expected: &str| {
            let new = ranges_ahead(&ranges(given), EntryId(last), 10, 2);
            let told = |new: &NewRange| format!("{}..{}{}", new.from, new.to, if new.late { " late" } else { "" });
            assert_eq!(new.iter().map(told).collect::<Vec<_>>().join(", "), expected, "{what}");
        };
        check("not divided", "", 5, "");
        check("the first", "0..10 0/0", 0, "10..20, 20..30");
        check("enough", "0..10 0/0, 10..20 0/0, 20..30 0/0", 9, "");
        check("one more", "0..10 0/0, 10..20 0/0, 20..30 0/0", 10, "30..40");
        check("the last of the last", "0..10 0/0", 9, "10..20, 20..30");
        check("too late", "0..10 0/0", 10, "10..30 late, 30..40");
        check("far too late", "0..10 0/0", 1234, "10..1250 late, 1250..1260");
        check("others are wide", "0..1000 0/0", 7, "");
    }
}
