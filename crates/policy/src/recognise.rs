//! Which entries of a document are known: unchanged since the last reading; else by their id, by a link of their own,
//! or by their words.
//!
//! Ids that change at every visit while links stay make no new entries (F-111); links that many entries share do not
//! make them the same, unless the rules say so. How far ids can be trusted is counted here too (A-69..74).

use crate::identity::{Keyed, LastReading};
use crate::likeness::Likeness;
use crate::rules::{Collisions, Rules, SameLink};
use crate::version::published;
use jiff::{SignedDuration, Timestamp};
use model::EntryId;
use model::entry::{EntryKey, KeyKind, Known, KnownEntry, KnownKey};
use model::feed::GuidTrust;
use std::collections::{HashMap, HashSet};

/// After this many collisions ids are ignored.
const UNRELIABLE: u32 = 3;

/// Entries are kept for longer than this: an entry published more recently is not the one that was purged under its
/// link.
const YOUNGER_THAN_PURGED: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What an entry of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Not seen before.
    New,
    /// A known entry.
    Known(EntryId),
    /// An entry that was purged.
    Buried,
    /// A repetition within the document.
    Again,
}

/// What a document's entries are, in its order, and how far its ids can be trusted from now on.
pub(crate) fn recognise(
    now: Timestamp,
    entries: &mut [Keyed<'_>],
    known: &Known,
    trust: GuidTrust,
    first: bool,
    rules: &Rules,
) -> (Vec<Found>, GuidTrust) {
    let mut search = Search::new(now, known, rules);
    let shown = LastReading::of(&known.entries);
    let mut found: Vec<Option<Found>> =
        entries.iter().map(|entry| shown.get(&entry.keys.raw).map(|id| search.claim(entry, id))).collect();
    for (_, entry) in unknown(&mut found, entries) {
        search.note_shared_link(entry);
    }
    let mut trust = trust;
    if !trust.unreliable {
        trust.collisions = trust.collisions.saturating_add(search.collisions(entries, &found));
        if first && rules.dedup.suspect_ids && entries.iter().any(|entry| entry.id.as_deref().is_some_and(is_suspect)) {
            trust.collisions = trust.collisions.saturating_add(1);
        }
    }
    for (found, entry) in unknown(&mut found, entries) {
        *found = search.by_id(entry);
    }
    // Unchanged entries first: they also show whether ids change while entries stay (F-111).
    for (found, entry) in unknown(&mut found, entries) {
        *found = search.by_link_and_words(entry);
    }
    search.ids_change = trust.collisions.saturating_add(search.changed_ids) >= UNRELIABLE;
    for (found, entry) in unknown(&mut found, entries) {
        *found = Some(search.otherwise(entry));
    }
    if !trust.unreliable {
        trust.collisions = trust.collisions.saturating_add(search.changed_ids);
    }
    trust.unreliable |= trust.collisions >= UNRELIABLE;
    // Entries that were distinguished by ids are stored with them; A-74 applies from the next document on.
    (found.into_iter().map(|found| found.unwrap_or(Found::New)).collect(), trust)
}

/// The entries that are not recognised yet.
fn unknown<'f, 'e, 'd>(
    found: &'f mut [Option<Found>],
    entries: &'e mut [Keyed<'d>],
) -> impl Iterator<Item = (&'f mut Option<Found>, &'e mut Keyed<'d>)> {
    found.iter_mut().zip(entries).filter(|(found, _)| found.is_none())
}

/// ids that look like timestamps or counters.
fn is_suspect(id: &str) -> bool {
    let digits = id.bytes().all(|byte| byte.is_ascii_digit());
    digits && (id.len() > 10 || (id.len() == 10 && id.starts_with("17")))
}

struct Search<'a> {
    now: Timestamp,
    keys: HashMap<EntryKey, KnownKey>,
    entries: HashMap<EntryId, &'a KnownEntry>,
    rules: &'a Rules,
    claimed: HashSet<EntryId>,
    /// The links of the claimed entries.
    claimed_links: HashSet<EntryKey>,
    brought: HashSet<EntryKey>,
    /// Entries that are known under another id.
    changed_ids: u32,
    /// Whether there are so many of them that another id means nothing.
    ids_change: bool,
}

impl<'a> Search<'a> {
    fn new(now: Timestamp, known: &'a Known, rules: &'a Rules) -> Self {
        Self {
            now,
            keys: known.keys.iter().copied().collect(),
            entries: known.entries.iter().map(|entry| (entry.id, entry)).collect(),
            rules,
            claimed: HashSet::new(),
            claimed_links: HashSet::new(),
            brought: HashSet::new(),
            changed_ids: 0,
            ids_change: false,
        }
    }

    /// A link that entries with different ids had before belongs to no entry, even if it is in the document once.
    fn note_shared_link(&self, entry: &mut Keyed<'_>) {
        let known = entry.keys.shared_url().is_some_and(|key| self.keys.contains_key(&key));
        if known && entry.keys.link_may_decide(self.rules) {
            entry.keys.share_link(entry.entry);
        }
    }

    /// how often one id is used for two entries, in the document or since it was stored. Ids that collide within
    /// the document identify nothing in it. Unchanged entries were counted when they were new.
    fn collisions(&self, entries: &mut [Keyed<'_>], found: &[Option<Found>]) -> u32 {
        let mut first: HashMap<EntryKey, usize> = HashMap::new();
        let mut colliding = HashSet::new();
        let mut count: u32 = 0;
        for n in 0..entries.len() {
            let Some(guid) = entries[n].keys.guid else { continue };
            let Some(link) = entries[n].keys.canonical() else { continue };
            if let Some(other) = first.get(&guid) {
                if entries[*other].keys.canonical() != Some(link) {
                    colliding.insert(guid);
                    let known =
                        found[n].is_some() || entries[n].keys.url.is_some_and(|url| self.keys.contains_key(&url));
                    count += u32::from(!known);
                }
                continue;
            }
            first.insert(guid, n);
            if found[n].is_some() {
                continue;
            }
            let Some(KnownKey::Entry(id)) = self.keys.get(&guid) else { continue };
            let counts = match self.rules.dedup.collisions {
                Collisions::OtherLink => self.has_other_link(&entries[n], *id),
                Collisions::OtherLinkAndWords => self.is_another(&entries[n], *id),
            };
            count += u32::from(counts);
        }
        for entry in entries.iter_mut().filter(|entry| entry.keys.guid.is_some_and(|guid| colliding.contains(&guid))) {
            entry.keys.guid = None;
        }
        count
    }

    /// Whether an entry is not the one with its id: it has another link, and nothing else in common.
    fn is_another(&self, entry: &Keyed<'_>, id: EntryId) -> bool {
        self.has_other_link(entry, id) && !self.likeness(entry, id).is_some_and(|likeness| likeness.confirms())
    }

    /// Whether an entry has a link that the stored one does not have as a key.
    fn has_other_link(&self, entry: &Keyed<'_>, id: EntryId) -> bool {
        let Some(before) = self.entries.get(&id) else { return false };
        let stored = before.link.as_deref().and_then(|link| crate::canonical_url(link).ok());
        let already = entry.keys.url.is_some_and(|url| self.keys.get(&url) == Some(&KnownKey::Entry(id)));
        stored.is_some() && entry.keys.canonical().is_some() && stored.as_deref() != entry.keys.canonical() && !already
    }

    fn likeness<'e>(&'e self, entry: &'e Keyed<'e>, id: EntryId) -> Option<Likeness<'e>> {
        self.entries.get(&id).map(|before| Likeness::of(entry, before))
    }

    /// Ids first: an entry with a known id has the first claim. An id of another entry is not this one's; its owner
    /// keeps it.
    fn by_id(&mut self, entry: &mut Keyed<'_>) -> Option<Found> {
        let guid = entry.keys.guid?;
        match *self.keys.get(&guid)? {
            KnownKey::Tombstone => Some(Found::Buried),
            KnownKey::Entry(id) if self.is_another(entry, id) => {
                entry.keys.guid = None;
                None
            }
            KnownKey::Entry(id) => Some(self.claim(entry, id)),
        }
    }

    /// F-111: the same link and the same words under another id.
    fn by_link_and_words(&mut self, entry: &Keyed<'_>) -> Option<Found> {
        let KnownKey::Entry(id) = *self.keys.get(&entry.keys.url?)? else { return None };
        let same = self.by_any_link(entry)
            && !self.claimed.contains(&id)
            && self.likeness(entry, id).is_some_and(|likeness| likeness.same_raw_words());
        same.then(|| self.claim_under_another_id(entry, id))
    }

    fn otherwise(&mut self, entry: &mut Keyed<'_>) -> Found {
        let by_link = entry.keys.url.and_then(|url| self.by_link(entry, url));
        let by_words =
            || entry.keys.content.filter(|_| self.words_decide(entry)).and_then(|key| self.by_words(entry, key));
        if let Some(found) = by_link.or_else(by_words) {
            return match found {
                KnownKey::Tombstone => Found::Buried,
                KnownKey::Entry(id) => self.claim_under_another_id(entry, id),
            };
        }
        // Its link belongs to another entry: from now on it identifies neither of them.
        let taken = entry.keys.url.is_some_and(|url| self.keys.contains_key(&url));
        if taken && entry.keys.own_link && entry.keys.link_may_decide(self.rules) {
            entry.keys.share_link(entry.entry);
        }
        let link = entry.keys.url.filter(|_| self.link_decides(entry));
        let words = entry.keys.content.filter(|_| entry.keys.guid.is_none() && link.is_none());
        let keys = [entry.keys.guid, link, words];
        if keys.iter().flatten().any(|key| self.brought.contains(key)) {
            return Found::Again;
        }
        self.brought.extend(keys.into_iter().flatten());
        Found::New
    }

    /// What is known under a link, if that is this entry.
    fn by_link(&self, entry: &Keyed<'_>, url: EntryKey) -> Option<KnownKey> {
        let known = *self.keys.get(&url)?;
        let decides = self.link_decides(entry);
        let KnownKey::Entry(id) = known else {
            return Some(known).filter(|_| decides && !self.outlives_tombstone(entry));
        };
        let only_own = self.rules.dedup.same_link == SameLink::IfOwn;
        let same_words = || self.likeness(entry, id).is_some_and(|likeness| likeness.same_words());
        let same = if self.claimed.contains(&id) {
            // Another entry of the document claimed it: this one is a repetition if it cannot be distinguished.
            decides && (!only_own || self.claimed_links.contains(&url) || (entry.keys.guid.is_none() && same_words()))
        } else if decides {
            !only_own || self.link_is_confirmed(entry, id)
        } else {
            self.by_any_link(entry) && same_words()
        };
        same.then_some(known)
    }

    /// Whether an entry with its own link is the one known under that link. A different id must be outweighed by what
    /// they have in common; without an id only clear differences count.
    fn link_is_confirmed(&self, entry: &Keyed<'_>, id: EntryId) -> bool {
        let another_id = entry.keys.guid.is_some() && !self.ids_change && !entry.id_counts_versions();
        self.likeness(entry, id).is_some_and(
            |likeness| {
                if another_id { likeness.confirms() } else { !likeness.contradicts() }
            },
        )
    }

    /// Whether an entry is too recent to be the one that was purged under its link: the page has new content.
    fn outlives_tombstone(&self, entry: &Keyed<'_>) -> bool {
        let young = published(entry.entry).is_some_and(|at| self.now.duration_since(at) < YOUNGER_THAN_PURGED);
        young && self.rules.dedup.same_link == SameLink::IfOwn
    }

    fn by_words(&self, entry: &Keyed<'_>, key: EntryKey) -> Option<KnownKey> {
        match *self.keys.get(&key)? {
            KnownKey::Entry(id) if self.claimed.contains(&id) && entry.keys.guid.is_some() => None,
            known => Some(known),
        }
    }

    /// Whether the link alone identifies the entry.
    fn link_decides(&self, entry: &Keyed<'_>) -> bool {
        let asked = self.rules.dedup.chain.contains(&KeyKind::Url) || entry.keys.guid.is_none();
        entry.keys.link_counts
            && asked
            && match self.rules.dedup.same_link {
                SameLink::Always => true,
                SameLink::IfOwn => entry.keys.own_link,
                SameLink::OnlyWithoutId => entry.keys.guid.is_none(),
            }
    }

    /// Whether the link together with the words does.
    fn by_any_link(&self, entry: &Keyed<'_>) -> bool {
        self.rules.dedup.same_link != SameLink::OnlyWithoutId || entry.keys.guid.is_none()
    }

    fn words_decide(&self, entry: &Keyed<'_>) -> bool {
        entry.keys.guid.is_none() || self.rules.dedup.chain.contains(&KeyKind::Content)
    }

    fn claim_under_another_id(&mut self, entry: &Keyed<'_>, id: EntryId) -> Found {
        let counted = self.rules.dedup.collisions == Collisions::OtherLinkAndWords && entry.keys.guid.is_some();
        let same_words = counted && self.likeness(entry, id).is_some_and(|likeness| likeness.same_words());
        self.changed_ids += u32::from(same_words);
        self.claim(entry, id)
    }

    /// A document may show an entry twice; the first one counts.
    fn claim(&mut self, entry: &Keyed<'_>, id: EntryId) -> Found {
        self.claimed_links.extend(entry.keys.url);
        if self.claimed.insert(id) { Found::Known(id) } else { Found::Again }
    }
}

#[cfg(test)]
mod tests;
