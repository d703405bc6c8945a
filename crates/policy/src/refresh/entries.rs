//! Sorts a document's entries: new, changed, seen again, refused, left. Decides what is written of each.
//!
//! An entry whose raw hash is unchanged costs nothing, one of which only dates or id changed needs no cleaning; only
//! new or changed entries are cleaned. New entries and edits beyond the daily quotas are stored without an event.

use crate::canonical::{NoKey, canonical_url};
use crate::identity::{DocumentKeys, Keyed, LinkOwner, says_the_same};
use crate::likeness::Likeness;
use crate::recognise::{Found, recognise};
use crate::rules::{Entries, FutureDates, OnChange, Rules};
use crate::site::root_domain;
use crate::version::{published, raw_ref, updated, version};
use jiff::{SignedDuration, Timestamp};
use model::EntryId;
use model::entry::{EntryKey, Known, KnownEntry, Lineage};
use model::feed::{DomainRule, GuidTrust};
use model::lease::{Dossier, Quota};
use model::plan::{Alias, ChangedEntry, Keep, LineageChange, NewEntry, Redated};
use model::raw::RawFetch;
use model::reading::{End, ReadEntry, Reading};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Dates this far ahead are attributed to a fast clock.
const FAST_CLOCK: SignedDuration = SignedDuration::from_mins(10);
/// The maximum of refusals that are listed.
const REFUSALS: usize = 20;

/// The sorted entries of a document.
#[derive(Debug, Default)]
pub(crate) struct Sorted {
    /// Oldest first: ids follow the order of publication.
    pub(crate) new: Vec<NewEntry>,
    pub(crate) changed: Vec<ChangedEntry>,
    pub(super) redated: Vec<Redated>,
    pub(super) aliases: Vec<Alias>,
    pub(super) lineage: Vec<LineageChange>,
    pub(super) refused: Vec<String>,
    /// How far ids can be trusted from now on.
    pub(super) guids: GuidTrust,
    /// How many were known.
    pub(super) recognised: usize,
    /// Whether the document was empty, and no entry of the feed is known.
    pub(super) was_empty: bool,
    pub(super) quota: Quota,
    /// Why the visit fails despite the document.
    pub(super) problem: Option<String>,
}

/// Why a document is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It was just served.
    Visit,
    /// It was read before, perhaps by another version: known entries are compared whatever their raw hash.
    Again,
}

pub(crate) fn sort(
    now: Timestamp,
    dossier: &Dossier,
    (reading, keys): (&Reading, DocumentKeys),
    known: &Known,
    raw: Option<&RawFetch>,
    (why, rules): (Why, &Rules),
) -> Sorted {
    let mut keyed = Keyed::all(reading, keys);
    let mut sorted = Sorted {
        was_empty: keyed.is_empty() && known.entries.is_empty(),
        quota: today(now, dossier.history.quota),
        ..Sorted::default()
    };
    let read = keyed.len();
    let refusals: Vec<Option<Refusal>> = keyed.iter().map(|entry| refusal(entry, dossier, rules)).collect();
    sorted.problem = problem(read, &refusals, rules);
    let mut refusals = refusals.into_iter();
    keyed.retain(|entry| match refusals.next().flatten() {
        None => true,
        Some(why) => {
            if sorted.refused.len() < REFUSALS {
                sorted.refused.push(format!("{:?}: {why}", name(entry)));
            }
            false
        }
    });
    let first = dossier.history.readings == 0;
    let (found, guids) = recognise(now, &mut keyed, known, dossier.guids, first, rules);
    sorted.guids = guids;
    let mut sorter = Sorter {
        now,
        dossier,
        known: Lookup::of(known),
        raw,
        why,
        rules,
        sorted,
        uids: HashSet::new(),
        present: HashSet::new(),
        whole: reading.end != End::Early,
    };
    for (entry, found) in keyed.iter().zip(found) {
        match found {
            Found::New => sorter.new_entry(entry),
            Found::Known(id) => sorter.known_entry(entry, id),
            Found::Buried | Found::Again => {}
        }
    }
    sorter.finish(known)
}

/// The sort key of an entry, set when it is first seen (C-33): a future date does not count.
pub(crate) fn sort_at(published: Option<Timestamp>, first_seen: Timestamp, rules: &Rules) -> Timestamp {
    let latest = first_seen.checked_add(FAST_CLOCK).unwrap_or(first_seen);
    let believed = |at: &Timestamp| *at <= latest || rules.future_dates == FutureDates::Keep;
    published.filter(believed).unwrap_or(first_seen)
}

/// A short name of an entry for messages. Not its link, which may contain a secret.
fn name(entry: &Keyed<'_>) -> String {
    let title = entry.entry.about.title.as_ref().map(|title| title.value.trim()).filter(|title| !title.is_empty());
    title.or(entry.id.as_deref()).unwrap_or("without a title").chars().take(80).collect()
}

/// Why an entry is refused.
enum Refusal {
    /// It has no content; such entries may fail the visit.
    Bad(&'static str),
    ///
    Userinfo,
    /// D-36: the host of its link.
    Foreign(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(why) => write!(f, "a bad entry: {why}"),
            Self::Userinfo => f.write_str("its link carries a user name or password"),
            Self::Foreign(host) => write!(f, "its link leads to {host}, which is not the feed's domain"),
        }
    }
}

fn refusal(entry: &Keyed<'_>, dossier: &Dossier, rules: &Rules) -> Option<Refusal> {
    let ReadEntry { about, summary, content, enclosures, .. } = entry.entry;
    let says = |text: &model::reading::Text| !text.value.trim().is_empty();
    let titled = about.title.as_ref().is_some_and(says);
    let has_words = titled || summary.as_ref().is_some_and(says) || content.iter().any(|content| says(&content.text));
    if rules.entries == Entries::Strict && (!titled || about.link.is_none()) {
        return Some(Refusal::Bad("it has no title or no link"));
    }
    if !has_words && about.link.is_none() && enclosures.is_empty() {
        return Some(Refusal::Bad("it says nothing"));
    }
    match (&entry.keys.link, dossier.domain_rule) {
        (Some(Err(NoKey::Userinfo)), _) => Some(Refusal::Userinfo),
        (None | Some(Err(_)), _) | (_, DomainRule::Any) => None,
        (Some(Ok(link)), DomainRule::Exact) => (host(link) != host(&dossier.url)).then(|| foreign(link)),
        (Some(Ok(link)), DomainRule::Registrable) => {
            let domain = root_domain(link);
            let own = domain == root_domain(&dossier.url) || domain == dossier.root_domain;
            (!own).then(|| foreign(link))
        }
    }
}

fn host(url: &str) -> Option<String> {
    url::Url::parse(url).ok()?.host_str().map(str::to_owned)
}

fn foreign(link: &str) -> Refusal {
    Refusal::Foreign(host(link).unwrap_or_default().chars().take(100).collect())
}

/// C-4: the problem with the entries, if it fails the visit. A document without entries is fine.
fn problem(read: usize, refusals: &[Option<Refusal>], rules: &Rules) -> Option<String> {
    let bad = refusals.iter().filter(|refusal| matches!(refusal, Some(Refusal::Bad(_)))).count();
    match rules.entries {
        Entries::Strict if bad > 0 => Some(format!("{bad} of {read} entries have no title or no link")),
        _ if read > 0 && bad == read => Some("no entry says anything".into()),
        _ => None,
    }
}

struct Lookup<'a> {
    entries: HashMap<EntryId, &'a KnownEntry>,
    keys: HashSet<EntryKey>,
}

impl<'a> Lookup<'a> {
    fn of(known: &'a Known) -> Self {
        Self {
            entries: known.entries.iter().map(|entry| (entry.id, entry)).collect(),
            keys: known.keys.iter().map(|(key, _)| *key).collect(),
        }
    }
}

struct Sorter<'a> {
    now: Timestamp,
    dossier: &'a Dossier,
    known: Lookup<'a>,
    raw: Option<&'a RawFetch>,
    why: Why,
    rules: &'a Rules,
    sorted: Sorted,
    uids: HashSet<String>,
    /// Known entries in the document.
    present: HashSet<EntryId>,
    /// Whether entries that are missing from the document have left it.
    whole: bool,
}

impl Sorter<'_> {
    /// The number of this reading.
    fn reading(&self) -> i64 {
        self.dossier.history.readings + 1
    }

    fn new_entry(&mut self, entry: &Keyed<'_>) {
        let feed = self.dossier.uuid.as_u128();
        let link = if entry.keys.url.is_some_and(|url| self.known.keys.contains(&url)) {
            LinkOwner::Another
        } else {
            LinkOwner::None
        };
        let mut uid = entry.uid(feed, link, self.rules);
        // Uids are unique within a feed; a uid shared by two entries is given to neither.
        while !self.uids.insert(uid.clone()) {
            uid = format!("{}-{}", entry.hashed_uid(feed, link, self.rules), self.uids.len());
        }
        let version = version(entry.entry, entry.keys.raw, self.raw);
        let sort_at = sort_at(version.published_at, self.now, self.rules);
        let keys = entry.keys.all().collect();
        self.sorted.new.push(NewEntry { uid, keys, version, first_seen_at: self.now, sort_at, quiet: false });
    }

    fn known_entry(&mut self, entry: &Keyed<'_>, id: EntryId) {
        self.sorted.recognised += 1;
        self.present.insert(id);
        let Some(before) = self.known.entries.get(&id).copied() else { return };
        let raw_hash = entry.keys.raw;
        match (self.why, self.rules.on_change) {
            (Why::Visit, _) if before.raw_hash == raw_hash => {}
            (Why::Visit, OnChange::Ignore) => self.alias(entry, before),
            (Why::Visit, OnChange::Update) if says_the_same(&before.raw_hash, &raw_hash) => {
                let (published_at, updated_at) = (published(entry.entry), updated(entry.entry));
                let raw = raw_ref(entry.entry, self.raw);
                self.sorted.redated.push(Redated { id, published_at, updated_at, raw_hash, raw });
            }
            (Why::Again, _) | (Why::Visit, OnChange::Update) => self.change(entry, before),
        }
        if let Lineage::Left { seen_count, .. } = before.lineage {
            let lineage = Lineage::Present { since_reading: self.reading() - seen_count };
            self.sorted.lineage.push(LineageChange { id, lineage });
        }
    }

    fn change(&mut self, entry: &Keyed<'_>, before: &KnownEntry) {
        let version = version(entry.entry, entry.keys.raw, self.raw);
        let edited = before.content_hash != version.content_hash;
        let quota = &mut self.sorted.quota;
        quota.edits = quota.edits.saturating_add(u32::from(edited));
        let beyond = self.why == Why::Visit && quota.edits > self.rules.edits_per_day;
        let keep = if edited && !beyond { Keep::Revision } else { Keep::Nothing };
        // Links that change at every visit must not accumulate: only an edit adds keys.
        let keys = if keep == Keep::Revision { entry.keys.all().collect() } else { Vec::new() };
        self.sorted.changed.push(ChangedEntry { id: before.id, version, keys, keep });
    }

    /// The content is unchanged, but if the entry has a new link it gets that as a key, too: if its ids are mistrusted
    /// one day, it must not come back as new.
    fn alias(&mut self, entry: &Keyed<'_>, before: &KnownEntry) {
        let stored = before.link.as_deref().and_then(|link| canonical_url(link).ok());
        let moved = stored.as_deref() != entry.keys.canonical() && Likeness::of(entry, before).same_words();
        if let Some(key) = entry.keys.url.filter(|_| moved) {
            self.sorted.aliases.push(Alias { id: before.id, key });
        }
    }

    fn finish(mut self, known: &Known) -> Sorted {
        // It was in the document when that was last served; now it is not.
        let last_seen_at = self.dossier.history.last_success_at.unwrap_or(self.now).min(self.now);
        for entry in known.entries.iter().filter(|entry| self.whole && !self.present.contains(&entry.id)) {
            if matches!(entry.lineage, Lineage::Present { .. }) {
                let seen_count = entry.lineage.seen_count(self.dossier.history.readings);
                let lineage = Lineage::Left { last_seen_at, seen_count };
                self.sorted.lineage.push(LineageChange { id: entry.id, lineage });
            }
        }
        self.sorted.new.sort_by_key(|entry| entry.sort_at);
        self.quiet();
        self.sorted
    }

    /// Beyond the daily quota entries are stored quietly; a first document is the feed's past and is exempt. The newest
    /// are announced.
    fn quiet(&mut self) {
        if self.dossier.history.readings == 0 {
            return;
        }
        let Sorted { new, quota, .. } = &mut self.sorted;
        let room = self.rules.quota_per_day.saturating_sub(quota.used) as usize;
        let beyond = new.len().saturating_sub(room);
        new[..beyond].iter_mut().for_each(|entry| entry.quiet = true);
        quota.used = quota.used.saturating_add(new.len() as u32);
    }
}

/// What today's visits brought so far.
fn today(now: Timestamp, before: Quota) -> Quota {
    let day = now.as_second().div_euclid(86400) as i32;
    if before.day == day { before } else { Quota { day, used: 0, edits: 0 } }
}

/// Which daily quotas were exceeded, as sentences, to explain missing events.
pub(super) fn beyond_quota(quota: Quota, rules: &Rules) -> Vec<String> {
    let entries = (quota.used, rules.quota_per_day, "new entries", "not announced (entries.quota_per_day)");
    let edits =
        (quota.edits, rules.edits_per_day, "edits", "neither announced nor kept as revisions (entries.edits_per_day)");
    let said = |(used, limit, what, how)| format!("{used} {what} today: beyond {limit} they are stored, but {how}");
    [entries, edits].into_iter().filter(|(used, limit, ..)| used > limit).map(said).collect()
}
