//! A document that was read before is read again: what its entries would say now, and what of that is different.
//!
//! For a parser that has learnt something. When to visit, how the feed behaved and how far its ids can be trusted are not
//! decided here: nobody was visited.

use crate::refresh::entries::{Sorted, Why, sort};
use crate::rules::Rules;
use jiff::Timestamp;
use model::entry::{Entry, EntryBody, Known};
use model::lease::Dossier;
use model::plan::{ChangedEntry, Keep, NewEntry};
use model::raw::RawFetch;
use model::reading::Reading;

/// What a document says, read again.
#[derive(Debug, Default)]
pub struct Reread {
    /// Entries that are known, and what they would say: compare with [`differences`].
    pub known: Vec<ChangedEntry>,
    /// Entries that nobody has seen before. They are news to nobody any more, and quiet.
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
    let Sorted { changed, mut new, .. } = sort(now, dossier, reading, known, Some(raw), (Why::Again, rules));
    for entry in &mut new {
        entry.quiet = true;
    }
    Reread { known: changed, new }
}

/// What is different of an entry, in words; empty if it says what it said. Only the document that an entry's words came
/// from has a say: another one that shows it said the same, or was ignored on purpose.
pub fn differences(stored: &Entry, body: &EntryBody, again: &mut ChangedEntry) -> Vec<&'static str> {
    let version = &again.version;
    let from = |body: &EntryBody| body.raw.map(|raw| raw.fetch);
    if from(body) != from(&version.body) {
        return Vec::new();
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
    let different: Vec<&str> = pairs.into_iter().filter(|(_, same)| !same).map(|(what, _)| what).collect();
    // Another way to hash the same words is no edit that anybody should hear of.
    if !different.iter().any(|what| ["title", "text"].contains(what)) {
        again.keep = Keep::Nothing;
    }
    different
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{dossier, entry, now, reading};
    use crate::version::version;
    use model::entry::{Lineage, RawRef};
    use model::{EntryId, FeedId, FetchId};

    #[test]
    fn what_is_different_is_named() {
        let from = |n: u128| Some(RawRef { fetch: FetchId(uuid::Uuid::from_u128(n)), offset: 0, length: 1 });
        let check = |case: &str, change: &dyn Fn(&mut Entry, &mut EntryBody), expected: &str| {
            let mut said = version(&entry("a", "https://one.example/a", "A"), None);
            said.body.raw = from(1);
            let mut stored = Entry {
                id: EntryId(1),
                feed: FeedId(1),
                uid: "a".into(),
                title: said.title.clone(),
                excerpt: said.excerpt.clone(),
                link: said.link.clone(),
                author: None,
                published_at: None,
                updated_at: None,
                first_seen_at: now(),
                sort_at: now(),
                content_hash: said.content_hash,
                quiet: false,
                lineage: Lineage::Present { since_reading: 1 },
            };
            let mut body = said.body.clone();
            change(&mut stored, &mut body);
            let mut again = ChangedEntry { id: EntryId(1), version: said, keys: Vec::new(), keep: Keep::Revision };
            let different = differences(&stored, &body, &mut again).join(" ");
            assert_eq!(format!("{different} {:?}", again.keep).trim(), expected, "{case}");
        };
        check("nothing", &|_, _| (), "Nothing");
        check("another title", &|stored, _| stored.title = Some("B".into()), "title Revision");
        check("another text", &|_, body| body.content = Some("<p>x</p>".into()), "text Revision");
        check("another date", &|stored, _| stored.published_at = Some(now()), "date Nothing");
        check("from another document", &|stored, body| (stored.title, body.raw) = (None, from(2)), "Revision");
    }

    #[test]
    fn what_was_missed_is_new_and_quiet() {
        let raw = RawFetch {
            id: FetchId(uuid::Uuid::from_u128(1)),
            feed: FeedId(1),
            fetched_at: now(),
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
        };
        let document = reading(vec![entry("a", "https://one.example/a", "A")]);
        let found = reread(now(), &dossier(), &document, &Known::default(), &raw, &Rules::default());
        assert_eq!((found.known.len(), found.new.len(), found.new[0].quiet), (0, 1, true));
    }
}
