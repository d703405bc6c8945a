//! Which entries of a document are known: by being as they were last shown; by their id, else by a link that is theirs
//! alone, else by their words.
//!
//! Ids that change at every visit while links stay make nothing new (F-111); links that many entries share make
//! nothing the same, unless the rules say so. How far ids can be trusted is counted here too (A-69..74).

use crate::identity::{Keyed, Shown, says_the_same};
use crate::rules::{Collisions, Rules, SameLink};
use crate::version::content_hash;
use model::EntryId;
use model::entry::{EntryKey, KeyKind, Known, KnownEntry, KnownKey};
use model::feed::GuidTrust;
use std::collections::{HashMap, HashSet};

/// So many collisions, and ids are ignored.
const UNRELIABLE: u32 = 3;

/// What an entry of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Not seen before.
    New,
    /// This one.
    Known(EntryId),
    /// One that was purged.
    Buried,
    /// The same document has it already.
    Again,
}

/// What a document's entries are, in its order, and how far its ids can be trusted from now on.
pub(crate) fn recognise(
    entries: &mut [Keyed<'_>],
    known: &Known,
    trust: GuidTrust,
    first: bool,
    rules: &Rules,
) -> (Vec<Found>, GuidTrust) {
    let mut search = Search::new(known, rules);
    let shown = Shown::of(&known.entries);
    let mut found: Vec<Option<Found>> =
        entries.iter().map(|entry| shown.get(&entry.keys.raw).map(|id| search.claim(entry, id))).collect();
    let mut trust = trust;
    if !trust.unreliable {
        trust.collisions = trust.collisions.saturating_add(search.collisions(entries, &found));
        if first && rules.dedup.suspect_ids && entries.iter().any(|entry| entry.id.as_deref().is_some_and(is_suspect)) {
            trust.collisions = trust.collisions.saturating_add(1);
        }
    }
    for (found, entry) in found.iter_mut().zip(entries.iter()).filter(|(found, _)| found.is_none()) {
        *found = search.by_id(entry);
    }
    for (found, entry) in found.iter_mut().zip(entries.iter()).filter(|(found, _)| found.is_none()) {
        *found = Some(search.otherwise(entry));
    }
    if !trust.unreliable {
        trust.collisions = trust.collisions.saturating_add(search.changed_ids);
    }
    trust.unreliable |= trust.collisions >= UNRELIABLE;
    // What was told apart by ids is stored with them; A-74 holds from the next document on.
    (found.into_iter().map(|found| found.unwrap_or(Found::New)).collect(), trust)
}

/// ids that look like moments or counters of something else.
fn is_suspect(id: &str) -> bool {
    let digits = id.bytes().all(|byte| byte.is_ascii_digit());
    digits && (id.len() > 10 || (id.len() == 10 && id.starts_with("17")))
}

struct Search<'a> {
    keys: HashMap<EntryKey, KnownKey>,
    entries: HashMap<EntryId, &'a KnownEntry>,
    rules: &'a Rules,
    claimed: HashSet<EntryId>,
    /// The links of those that claimed one.
    claimed_links: HashSet<EntryKey>,
    brought: HashSet<EntryKey>,
    /// Entries that are known under another id.
    changed_ids: u32,
}

impl<'a> Search<'a> {
    fn new(known: &'a Known, rules: &'a Rules) -> Self {
        Self {
            keys: known.keys.iter().copied().collect(),
            entries: known.entries.iter().map(|entry| (entry.id, entry)).collect(),
            rules,
            claimed: HashSet::new(),
            claimed_links: HashSet::new(),
            brought: HashSet::new(),
            changed_ids: 0,
        }
    }

    /// how often one id stands for two entries, here or since it was stored. Ids that collide within the
    /// document name nothing in it. What is as it was last shown was counted when it came.
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
            let Some(before) = self.entries.get(id) else { continue };
            count += u32::from(self.is_another(&entries[n], *id, before));
        }
        for entry in entries.iter_mut().filter(|entry| entry.keys.guid.is_some_and(|guid| colliding.contains(&guid))) {
            entry.keys.guid = None;
        }
        count
    }

    /// Whether an entry is not the one that its id stood for before.
    fn is_another(&self, entry: &Keyed<'_>, id: EntryId, before: &KnownEntry) -> bool {
        let stored = before.link.as_deref().and_then(|link| crate::canonical_url(link).ok());
        let already = entry.keys.url.is_some_and(|url| self.keys.get(&url) == Some(&KnownKey::Entry(id)));
        if stored.as_deref() == entry.keys.canonical() || stored.is_none() || already {
            return false;
        }
        match self.rules.dedup.collisions {
            Collisions::OtherLink => true,
            Collisions::OtherLinkAndWords => content_hash(entry.entry) != before.content_hash,
        }
    }

    /// The ids first: who has a known id has the first right to its entry.
    fn by_id(&mut self, entry: &Keyed<'_>) -> Option<Found> {
        let guid = entry.keys.guid?;
        match *self.keys.get(&guid)? {
            KnownKey::Tombstone => Some(Found::Buried),
            KnownKey::Entry(id) => Some(self.claim(entry, id)),
        }
    }

    fn otherwise(&mut self, entry: &Keyed<'_>) -> Found {
        let by_link = entry.keys.url.and_then(|url| self.by_link(entry, url));
        let by_words =
            || entry.keys.content.filter(|_| self.words_decide(entry)).and_then(|key| self.by_words(entry, key));
        if let Some(found) = by_link.or_else(by_words) {
            return match found {
                KnownKey::Tombstone => Found::Buried,
                KnownKey::Entry(id) => {
                    let counted =
                        self.rules.dedup.collisions == Collisions::OtherLinkAndWords && entry.keys.guid.is_some();
                    self.changed_ids += u32::from(counted && self.says_the_same(entry, id));
                    self.claim(entry, id)
                }
            };
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
        let KnownKey::Entry(id) = known else { return Some(known).filter(|_| self.link_decides(entry)) };
        if self.claimed.contains(&id) {
            // Another entry of the document is it already. Without an id of its own, or where links rule, this one is the
            // same once more; it could not be told from the other the next time either.
            let links_rule = entry.keys.guid.is_none()
                || self.rules.dedup.same_link != SameLink::IfOwn
                || self.claimed_links.contains(&url);
            return Some(known).filter(|_| links_rule && self.link_decides(entry));
        }
        (self.link_decides(entry) || (self.by_any_link(entry) && self.says_the_same(entry, id))).then_some(known)
    }

    fn by_words(&self, entry: &Keyed<'_>, key: EntryKey) -> Option<KnownKey> {
        match *self.keys.get(&key)? {
            KnownKey::Entry(id) if self.claimed.contains(&id) && entry.keys.guid.is_some() => None,
            known => Some(known),
        }
    }

    /// Whether the link alone says which entry it is.
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

    fn says_the_same(&self, entry: &Keyed<'_>, id: EntryId) -> bool {
        self.entries.get(&id).is_some_and(|before| {
            says_the_same(&before.raw_hash, &entry.keys.raw) || before.content_hash == content_hash(entry.entry)
        })
    }

    /// One document may show an entry twice; the first is the one that counts.
    fn claim(&mut self, entry: &Keyed<'_>, id: EntryId) -> Found {
        self.claimed_links.extend(entry.keys.url);
        if self.claimed.insert(id) { Found::Known(id) } else { Found::Again }
    }
}

#[cfg(test)]
mod tests;
