//! The similarity of a document's entry and a stored one: the evidence for or against their being the same when ids and
//! links disagree.
//!
//! Ids and links are compared in `recognise.rs`; this file compares words, titles and dates. A wrong "same" replaces
//! one article by another, a wrong "different" shows an article twice: with little evidence they are different.

use crate::identity::{Keyed, says_the_same};
use crate::version::{content_hash, title};
use jiff::Timestamp;
use model::entry::KnownEntry;
use std::cmp::Ordering;

/// An entry of a document and a stored one.
pub(crate) struct Likeness<'a> {
    entry: &'a Keyed<'a>,
    before: &'a KnownEntry,
}

impl<'a> Likeness<'a> {
    pub(crate) fn of(entry: &'a Keyed<'a>, before: &'a KnownEntry) -> Self {
        Self { entry, before }
    }

    /// Whether they are the same although either the id or the link differs: the same words, or the same publication
    /// time, or the same title if there are no two dates to compare.
    pub(crate) fn confirms(&self) -> bool {
        match self.dates() {
            Some(Ordering::Equal) => true,
            Some(_) => self.same_words(),
            None => self.same_title() == Some(true) || self.same_words(),
        }
    }

    /// Whether they are different although they share a link and have no ids: another title and another date.
    pub(crate) fn contradicts(&self) -> bool {
        let other_date = self.dates().is_some_and(|order| order != Ordering::Equal);
        other_date && self.same_title() == Some(false) && !self.same_words()
    }

    /// Whether they have the same words, perhaps in other markup.
    pub(crate) fn same_words(&self) -> bool {
        self.same_raw_words() || self.before.content_hash == content_hash(self.entry.entry)
    }

    /// Whether their content is byte-identical, whatever their dates and ids.
    pub(crate) fn same_raw_words(&self) -> bool {
        says_the_same(&self.before.raw_hash, &self.entry.keys.raw)
    }

    /// `None` if one of them has no title.
    fn same_title(&self) -> Option<bool> {
        let now = self.entry.entry.about.title.as_ref().and_then(title)?;
        let before = self.before.title.as_ref()?;
        Some(now == *before)
    }

    /// `None` if one of them has no date, or if both have the same day and no time of day. The date of the last update
    /// does not identify an entry.
    fn dates(&self) -> Option<Ordering> {
        let about = &self.entry.entry.about;
        let now = [&about.published, &about.created].into_iter().find_map(|date| date.as_ref()?.at)?;
        let before = self.before.published_at?;
        let order = now.as_second().cmp(&before.as_second());
        (order != Ordering::Equal || has_time_of_day(now)).then_some(order)
    }
}

/// A date without a time is read as midnight.
fn has_time_of_day(at: Timestamp) -> bool {
    at.as_second().rem_euclid(86400) != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::DocumentKeys;
    use crate::rules::Rules;
    use crate::testing::{dossier, entry, reading};
    use model::EntryId;
    use model::entry::Lineage;
    use model::reading::{Dated, ReadEntry};

    fn dated(title: &str, at: &str) -> ReadEntry {
        let mut entry = entry("", "https://one.example/1", title);
        let at = at.parse().ok();
        entry.about.published = at.map(|at| Dated { at: Some(at), text: String::new() });
        entry
    }

    #[test]
    fn what_two_entries_have_in_common_decides() {
        let check = |what: &str, before: (&str, &str), now: (&str, &str), expected: &str| {
            let [before, now] = [before, now].map(|(title, at)| reading(vec![dated(title, at)]));
            let keyed = |reading| DocumentKeys::of(reading, &dossier(), &Rules::default());
            let raw = Keyed::all(&before, keyed(&before))[0].keys.raw;
            let version = crate::version::version(&before.entries[0], raw, None);
            let before = KnownEntry {
                id: EntryId(1),
                content_hash: version.content_hash,
                raw_hash: version.raw_hash,
                link: version.link,
                title: version.title,
                published_at: version.published_at,
                lineage: Lineage::Present { since_reading: 1 },
            };
            let keyed = &Keyed::all(&now, keyed(&now))[0];
            let likeness = Likeness::of(keyed, &before);
            let said = match (likeness.confirms(), likeness.contradicts()) {
                (true, false) => "the same",
                (false, true) => "another",
                (false, false) => "unclear",
                (true, true) => "both",
            };
            assert_eq!(said, expected, "{what}");
        };
        let (noon, one, day, next) =
            ("2026-11-16T12:00:00Z", "2026-11-16T13:00:00Z", "2026-11-16T00:00:00Z", "2026-11-17T00:00:00Z");
        check("nothing changed", ("T", noon), ("T", noon), "the same");
        check("the same moment, another title", ("T", noon), ("U", noon), "the same");
        check("the same words, another moment", ("T", noon), ("T", one), "the same");
        check("other words at another moment", ("T", noon), ("U", one), "another");
        check("a day is no moment", ("T", day), ("U", day), "unclear");
        check("the same day, the same title", ("T", day), ("T", day), "the same");
        check("another day", ("T", day), ("U", next), "another");
        check("the same title without dates", ("T", ""), ("<b>T</b>", ""), "the same");
        check("another title without dates", ("T", ""), ("U", ""), "unclear");
        check("a date that is new", ("T", ""), ("U", noon), "unclear");
        check("no title at another moment", ("T", noon), ("", one), "unclear");
        check("fractions of a second do not count", ("T", noon), ("U", "2026-11-16T12:00:00.25Z"), "the same");
    }
}
