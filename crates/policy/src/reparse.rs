//! Reads a stored document again: what its entries contain now, and what of that differs.
//!
//! For use after the parser was improved. The schedule, the history and the trust in ids are not changed here: there
//! was no visit.

use crate::identity::DocumentKeys;
use crate::refresh::entries::{Sorted, Why, sort, sort_at};
use crate::refresh::facts;
use crate::rules::Rules;
use jiff::Timestamp;
use model::entry::{Entry, EntryBody, Known};
use model::feed::Feed;
use model::lease::Dossier;
use model::plan::{ChangedEntry, FeedFacts, Keep, NewEntry};
use model::raw::RawFetch;
use model::reading::Reading;

/// The entries of a document that was read again.
#[derive(Debug, Default)]
pub struct Reread {
    /// Known entries and their new content: compare with [`differences`].
    pub known: Vec<ChangedEntry>,
    /// Entries that were not stored before. They are not news any more, so they are quiet.
    pub new: Vec<NewEntry>,
}

/// Reads a document again.
pub fn reread(
    now: Timestamp,
    dossier: &Dossier,
    reading: &Reading,
    known: &Known,
    raw: &RawFetch,
    rules: &Rules,
) -> Reread {
    let document = (reading, DocumentKeys::of(reading, dossier, rules));
    let Sorted { changed, mut new, .. } = sort(now, dossier, document, known, Some(raw), (Why::Again, rules));
    for entry in &mut new {
        entry.quiet = true;
    }
    Reread { known: changed, new }
}

/// Those entries of a document from elsewhere that are not stored: an export of another program, which is no raw fetch. They
/// are not news, so they are quiet.
pub fn backfill(now: Timestamp, dossier: &Dossier, reading: &Reading, known: &Known, rules: &Rules) -> Vec<NewEntry> {
    let document = (reading, DocumentKeys::of(reading, dossier, rules));
    let Sorted { mut new, .. } = sort(now, dossier, document, known, None, (Why::Again, rules));
    for entry in &mut new {
        entry.quiet = true;
    }
    new
}

/// The differences of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Different {
    /// Their names; empty if content and position are unchanged.
    pub what: Vec<&'static str>,
    /// The new sort key, if it changes.
    pub sort_at: Option<Timestamp>,
}

impl Different {
    /// Whether the content differs; the sort key is not content.
    pub fn says_otherwise(&self) -> bool {
        self.what.len() > usize::from(self.sort_at.is_some())
    }
}

/// The differences of an entry. Only the document that the entry's content came from counts: other documents contained
/// the same, or were ignored on purpose.
pub fn differences(
    stored: &Entry,
    body: &EntryBody,
    again: &mut ChangedEntry,
    raw: &RawFetch,
    rules: &Rules,
) -> Different {
    let version = &again.version;
    let from = |body: &EntryBody| body.raw.map(|raw| raw.fetch);
    if from(body) != from(&version.body) {
        return Different::default();
    }
    let pairs = [
        ("title", stored.title == version.title),
        ("text", body.summary == version.body.summary && body.content == version.body.content),
        ("excerpt", stored.excerpt == version.excerpt),
        ("link", stored.link == version.link),
        ("date", stored.published_at == version.published_at && stored.updated_at == version.updated_at),
        ("authors", body.authors == version.body.authors),
        ("categories", body.categories == version.body.categories),
        ("enclosures", body.enclosures == version.body.enclosures),
        ("language", body.language == version.body.language),
    ];
    let mut what: Vec<&str> = pairs.into_iter().filter(|(_, same)| !same).map(|(what, _)| what).collect();
    let sort_at = corrected_sort_at(stored, version.published_at, raw, rules).filter(|at| *at != stored.sort_at);
    if sort_at.is_some() {
        what.push("order");
    }
    // Another hash of the same words is not an edit, and causes no event.
    if !what.iter().any(|what| ["title", "text"].contains(what)) {
        again.keep = Keep::Nothing;
    }
    Different { what, sort_at }
}

/// The sort key that an entry should have, as far as its document can tell. An edit does not move an entry, so the
/// document must be the one that first showed it; or the entry must have the sort key of the misread date.
fn corrected_sort_at(stored: &Entry, published: Option<Timestamp>, raw: &RawFetch, rules: &Rules) -> Option<Timestamp> {
    let by = |published| sort_at(published, stored.first_seen_at, rules);
    let first = raw.fetched_at <= stored.first_seen_at;
    let misread = published != stored.published_at && stored.sort_at == by(stored.published_at);
    (first || misread).then(|| by(published))
}

/// What a document says about the feed, if it differs from the feed's row: the facts, and the names of the differences.
/// One document does not show how far ids can be trusted.
pub fn different_facts(feed: &Feed, reading: &Reading) -> Option<(FeedFacts, Vec<&'static str>)> {
    let facts = facts(reading, feed.guids);
    let pairs = [
        ("feed title", feed.title == facts.title),
        ("feed link", feed.site_url == facts.site_url),
        ("feed description", feed.description == facts.description),
        ("feed language", feed.language == facts.language),
        ("feed kind", feed.kind == facts.kind),
    ];
    let what: Vec<&str> = pairs.into_iter().filter(|(_, same)| !same).map(|(what, _)| what).collect();
    (!what.is_empty()).then_some((facts, what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ago, dossier, entry, now, reading};
    use crate::version::version;
    use jiff::SignedDuration;
    use model::entry::{Lineage, RawRef};
    use model::feed::{DomainRule, FeedKind, FeedState, GuidTrust};
    use model::reading::Text;
    use model::{EntryId, FeedId, FetchId};

    fn raw(n: u128, fetched_at: Timestamp) -> RawFetch {
        RawFetch {
            id: FetchId(uuid::Uuid::from_u128(n)),
            feed: FeedId(1),
            fetched_at,
            url: "https://one.example/feed".into(),
            status: 200,
            request_headers: Vec::new(),
            response_headers: Vec::new(),
            blob: model::blob::Blob {
                hash: model::blob::BlobHash([0; 32]),
                coding: model::blob::Coding::Identity,
                at_rest: model::blob::AtRest::AsIs,
                wire_bytes: 0,
                stored_bytes: 0,
            },
            content_type: None,
            decoded_bytes: 0,
            understood: true,
            truncated: false,
            problems: Vec::new(),
        }
    }

    /// A stored entry, and what its document says now.
    fn stored(published: Option<Timestamp>) -> (Entry, EntryBody, ChangedEntry) {
        let mut said = version(&entry("a", "https://one.example/a", "A"), [0; 16], None);
        said.published_at = published;
        said.body.raw = Some(RawRef { fetch: raw(1, now()).id, offset: 0, length: 1 });
        let stored = Entry {
            id: EntryId(1),
            feed: FeedId(1),
            uid: "a".into(),
            title: said.title.clone(),
            excerpt: said.excerpt.clone(),
            link: said.link.clone(),
            author: None,
            published_at: published,
            updated_at: None,
            first_seen_at: now(),
            sort_at: published.unwrap_or(now()),
            content_hash: said.content_hash,
            quiet: false,
            lineage: Lineage::Present { since_reading: 1 },
            preview: said.preview.clone(),
        };
        let body = said.body.clone();
        (stored, body, ChangedEntry { id: EntryId(1), version: said, keys: Vec::new(), keep: Keep::Revision })
    }

    #[test]
    fn what_is_different_is_named() {
        let check = |case: &str, change: &dyn Fn(&mut Entry, &mut EntryBody), expected: &str| {
            let (mut entry, mut body, mut again) = stored(None);
            change(&mut entry, &mut body);
            let different = differences(&entry, &body, &mut again, &raw(1, now()), &Rules::default());
            let told = format!("{} {:?} {}", different.what.join(" "), again.keep, different.says_otherwise());
            assert_eq!(told.trim(), expected, "{case}");
        };
        let other = Some(RawRef { fetch: raw(2, now()).id, offset: 0, length: 1 });
        check("nothing", &|_, _| (), "Nothing false");
        check("another title", &|stored, _| stored.title = Some("B".into()), "title Revision true");
        check("another text", &|_, body| body.content = Some("<p>x</p>".into()), "text Revision true");
        check("another date", &|stored, _| stored.published_at = Some(now()), "date Nothing true");
        check("another place", &|stored, _| stored.sort_at = ago(3), "order Nothing false");
        check("from another document", &|stored, body| (stored.title, body.raw) = (None, other), "Revision false");
    }

    #[test]
    fn the_first_document_decides_the_sort_key() {
        /// Dates are hours ago; the entry was first seen now.
        fn check(case: &str, (was, stands, says): (Option<i64>, i64, Option<i64>), later: bool, expected: &str) {
            let (mut entry, body, mut again) = stored(was.map(ago));
            entry.sort_at = ago(stands);
            again.version.published_at = says.map(ago);
            let fetched_at = if later { now() + SignedDuration::from_hours(1) } else { now() };
            let different = differences(&entry, &body, &mut again, &raw(1, fetched_at), &Rules::default());
            let hours = different.sort_at.map(|at| now().duration_since(at).as_hours().to_string());
            assert_eq!(hours.unwrap_or_else(|| "stays".into()), expected, "{case}");
        }
        check("as it was", (Some(5), 5, Some(5)), false, "stays");
        check("undated, as it was", (None, 0, None), false, "stays");
        check("a date that was missed", (None, 0, Some(5)), false, "5");
        check("a date that was misread", (Some(9), 9, Some(5)), false, "5");
        check("a date that is none", (Some(9), 9, None), false, "0");
        check("a date that is still to come", (Some(9), 9, Some(-9)), false, "0");
        check("put right only half by an older program", (Some(5), 9, Some(5)), false, "5");
        check("edited since, with a later date", (Some(1), 9, Some(1)), true, "stays");
        check("edited since, and the later date was misread", (Some(2), 9, Some(1)), true, "stays");
        check("edited since, and its one date was misread", (Some(9), 9, Some(5)), true, "5");
    }

    #[test]
    fn what_the_feed_says_about_itself_is_compared() {
        let check = |case: &str, change: &dyn Fn(&mut Feed), expected: &str| {
            let mut document = reading(Vec::new());
            let said = |value: &str| Some(Text { value: value.into(), ..Text::default() });
            document.feed.about.title = said("One &amp; only");
            document.feed.about.link = Some("https://one.example/".into());
            document.feed.subtitle = said("About one");
            document.feed.about.language = Some("en".into());
            let facts = facts(&document, GuidTrust::default());
            let mut feed = feed(&facts);
            change(&mut feed);
            let told = different_facts(&feed, &document).map_or_else(String::new, |(_, what)| what.join(", "));
            assert_eq!(told, expected, "{case}");
        };
        check("the same", &|_| (), "");
        check("ids are not asked about", &|feed| feed.guids.unreliable = true, "");
        check("all", &|feed| (feed.title, feed.description) = (None, None), "feed title, feed description");
        check("another site", &|feed| feed.site_url = Some("https://two.example/".into()), "feed link");
        check(
            "language and kind",
            &|feed| (feed.language, feed.kind) = (None, FeedKind::Atom),
            "feed language, feed kind",
        );
    }

    fn feed(facts: &FeedFacts) -> Feed {
        Feed {
            id: FeedId(1),
            uuid: uuid::Uuid::nil(),
            url: "https://one.example/feed".into(),
            owner: None,
            kind: facts.kind,
            title: facts.title.clone(),
            site_url: facts.site_url.clone(),
            description: facts.description.clone(),
            language: facts.language.clone(),
            root_domain: None,
            domain_rule: DomainRule::default(),
            polling: true,
            state: FeedState::Active,
            state_since: now(),
            guids: facts.guids,
            allow_duplicate_urls: false,
            created_at: now(),
            updated_at: now(),
        }
    }

    #[test]
    fn missed_entries_are_new_and_quiet() {
        let document = reading(vec![entry("a", "https://one.example/a", "A")]);
        let raw = raw(1, now());
        let found = reread(now(), &dossier(), &document, &Known::default(), &raw, &Rules::default());
        assert_eq!((found.known.len(), found.new.len(), found.new[0].quiet), (0, 1, true));
    }
}
