//! The keys of an entry: its id, its link, its words, each as a hash; and its uid.
//!
//! Which of them decide is in `recognise.rs`. Ids are kept as written, except for U+0000, which no database accepts.
//! Names of entries are hashed by SHA-256, so that nobody can make two entries collide. Whether the content changed is
//! checked for every byte at every visit, and hashed by XXH3: a publisher who produces a collision only hides its own
//! changes.

use crate::canonical::{NoKey, canonical_url};
use crate::rules::{Rules, SameLink, Uid};
use crate::version::{published, updated};
use data_encoding::HEXLOWER;
use model::EntryId;
use model::entry::{EntryKey, Hash, KeyKind, KnownEntry, Lineage};
use model::lease::Dossier;
use model::reading::{ReadEntry, Reading, Text, TextKind};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use twox_hash::XxHash3_128;

/// A longer id is replaced by its hash; indexes would refuse it.
const LONGEST_UID: usize = 500;

/// The keys of a document's entries, in its order: first looked up in the store, then compared.
#[derive(Debug)]
pub struct DocumentKeys(Vec<Keys>);

impl DocumentKeys {
    /// The keys of a document.
    pub fn of(reading: &Reading, dossier: &Dossier, rules: &Rules) -> Self {
        let front = reading.feed.about.link.as_deref().and_then(|link| canonical_url(link).ok());
        let mut all: Vec<Keys> = reading.entries.iter().map(|entry| Keys::of(entry, dossier, rules)).collect();
        let shared = shared_links(&reading.entries, &all);
        for ((keys, entry), shared) in all.iter_mut().zip(&reading.entries).zip(shared) {
            let canonical = keys.canonical();
            let front = canonical.is_some_and(|link| Some(link) == front.as_deref() || is_root(link));
            keys.own_link = canonical.is_some() && !shared && !front;
            if shared && !front && keys.link_may_decide(rules) {
                keys.shared = keys.shared_url();
            }
            if !keys.own_name(rules) {
                keys.content = Some(words_key(entry));
            }
        }
        Self(all)
    }

    /// All keys that must be looked up to recognise the document's entries.
    pub fn all(&self, reading: &Reading, rules: &Rules) -> Vec<EntryKey> {
        self.0.iter().zip(&reading.entries).flat_map(|(keys, entry)| keys.to_look_up(entry, rules)).collect()
    }

    /// The same, entry by entry.
    pub fn each(&self, reading: &Reading, rules: &Rules) -> Vec<Vec<EntryKey>> {
        let keys = self.0.iter().zip(&reading.entries);
        keys.map(|(keys, entry)| keys.to_look_up(entry, rules).collect()).collect()
    }

    /// The keys that must be looked up, given what the feed's last reading showed: most of a document is unchanged, and
    /// recognised by that.
    pub fn of_others(&self, reading: &Reading, shown: &[KnownEntry], rules: &Rules) -> Vec<EntryKey> {
        let shown = LastReading::of(shown);
        let others = self.0.iter().zip(&reading.entries).filter(|(keys, _)| shown.get(&keys.raw).is_none());
        others.flat_map(|(keys, entry)| keys.to_look_up(entry, rules)).collect()
    }
}

/// The entries of the feed's last reading, by the hash of their raw fields: an entry with the same hash is that entry.
pub(crate) struct LastReading(HashMap<Hash, Option<EntryId>>);

impl LastReading {
    /// From the known entries.
    pub(crate) fn of(known: &[KnownEntry]) -> Self {
        let mut shown = HashMap::with_capacity(known.len());
        for entry in known.iter().filter(|entry| matches!(entry.lineage, Lineage::Present { .. })) {
            // If two entries have the same hash, it identifies neither.
            shown.entry(entry.raw_hash).and_modify(|id| *id = None).or_insert(Some(entry.id));
        }
        Self(shown)
    }

    pub(crate) fn get(&self, raw: &Hash) -> Option<EntryId> {
        self.0.get(raw).copied().flatten()
    }
}

/// Hash of the decoded body of a document: identical bytes need no parsing.
pub fn body_hash(body: &[u8]) -> Hash {
    XxHash3_128::oneshot(body).to_be_bytes()
}

/// The key that entries with this link, or one that means the same page, are stored with.
pub fn link_key(link: &str) -> Option<EntryKey> {
    canonical_url(link).ok().map(|canonical| url_key(&canonical))
}

fn url_key(canonical: &str) -> EntryKey {
    EntryKey { kind: KeyKind::Url, hash: hash([canonical]) }
}

/// Whether an entry's link already identifies another entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkOwner {
    /// No stored entry.
    None,
    /// Another entry, which has moved or keeps its own id.
    Another,
}

/// The keys of an entry.
#[derive(Debug)]
pub(crate) struct Keys {
    /// The publisher's id; `None` if there is none that can be trusted.
    pub(crate) guid: Option<EntryKey>,
    /// The canonical link, or why there is none.
    pub(crate) link: Option<Result<String, NoKey>>,
    /// The link as a key.
    pub(crate) url: Option<EntryKey>,
    /// Whether the link can identify an entry: not if the feed's links may repeat.
    pub(crate) link_counts: bool,
    /// Whether no other entry has that link, as far as is known.
    pub(crate) own_link: bool,
    /// The marker that several entries of the feed have had that link, if so.
    pub(crate) shared: Option<EntryKey>,
    /// The words as a key, if the link cannot be one.
    pub(crate) content: Option<EntryKey>,
    /// Hash of the raw fields, the id included if it can be trusted.
    pub(crate) raw: Hash,
}

impl Keys {
    fn of(entry: &ReadEntry, dossier: &Dossier, rules: &Rules) -> Self {
        let trusted = !dossier.guids.unreliable && rules.dedup.chain.contains(&KeyKind::Guid);
        let id = id(entry).filter(|_| trusted);
        let guid = id.map(|id| EntryKey { kind: KeyKind::Guid, hash: hash([id.as_ref()]) });
        let link = entry.about.link.as_deref().map(canonical_url);
        let canonical = link.as_ref().and_then(|link| link.as_deref().ok());
        let url = canonical.map(url_key);
        let link_counts = url.is_some() && !dossier.allow_duplicate_urls;
        let raw = raw_hash(entry, guid);
        Self { guid, url, link_counts, own_link: false, shared: None, content: None, link, raw }
    }

    pub(crate) fn canonical(&self) -> Option<&str> {
        self.link.as_ref().and_then(|link| link.as_deref().ok())
    }

    /// The keys that the entry is stored with.
    pub(crate) fn all(&self) -> impl Iterator<Item = EntryKey> + use<> {
        [self.guid, self.url, self.content, self.shared].into_iter().flatten()
    }

    /// The keys to look up. Whether a link is shared is known only afterwards, and then the words count.
    fn to_look_up(&self, entry: &ReadEntry, rules: &Rules) -> impl Iterator<Item = EntryKey> + use<> {
        let asks = self.link_may_decide(rules);
        let shared = self.shared_url().filter(|_| asks);
        let content = self.content.or_else(|| asks.then(|| words_key(entry)));
        [self.guid, self.url, content, shared].into_iter().flatten()
    }

    /// The key that marks this link as shared.
    pub(crate) fn shared_url(&self) -> Option<EntryKey> {
        self.url.map(|url| EntryKey { kind: KeyKind::SharedUrl, ..url })
    }

    /// Marks the link as shared: the words are used instead.
    pub(crate) fn share_link(&mut self, entry: &ReadEntry) {
        self.own_link = false;
        self.shared = self.shared_url();
        self.content = self.content.or_else(|| Some(words_key(entry)));
    }

    /// Whether it matters if the link is this entry's own.
    pub(crate) fn link_may_decide(&self, rules: &Rules) -> bool {
        self.link_counts && rules.dedup.same_link == SameLink::IfOwn
    }

    /// Whether the link distinguishes this entry from all others of the feed.
    fn own_name(&self, rules: &Rules) -> bool {
        self.link_counts && (self.own_link || rules.dedup.same_link != SameLink::IfOwn)
    }
}

/// The publisher's id, trusted or not.
fn id(entry: &ReadEntry) -> Option<Cow<'_, str>> {
    entry.about.id.as_deref().map(without_nul).filter(|id| !id.is_empty())
}

/// An entry with its keys.
pub(crate) struct Keyed<'a> {
    pub(crate) entry: &'a ReadEntry,
    /// The id, trusted or not.
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) keys: Keys,
}

impl<'a> Keyed<'a> {
    /// Whether the entry's id is its link with a number appended (`…/story#3`): a version counter, which identifies the
    /// entry no better than the link.
    pub(crate) fn id_counts_versions(&self) -> bool {
        let (Some(id), Some(link)) = (&self.id, &self.entry.about.link) else { return false };
        let Some(number) = id.strip_prefix(link.as_str()).and_then(|rest| rest.strip_prefix('#')) else { return false };
        (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The entries of a document with their keys.
    pub(crate) fn all(reading: &'a Reading, keys: DocumentKeys) -> Vec<Self> {
        let keyed = |(entry, keys): (&'a ReadEntry, Keys)| Self { entry, id: id(entry), keys };
        reading.entries.iter().zip(keys.0).map(keyed).collect()
    }

    /// The uid of the entry: the publisher's id if it can be trusted, else the hash of F-34. Uids are unique within a
    /// feed: if the link is not the entry's own, its words and its id are part of the uid.
    pub(crate) fn uid(&self, feed: u128, link: LinkOwner, rules: &Rules) -> String {
        if rules.dedup.uid == Uid::LinkHash
            && link == LinkOwner::None
            && let Some(link) = &self.entry.about.link
            && self.keys.own_name(rules)
        {
            return HEXLOWER.encode(&Sha256::digest(link.as_bytes()));
        }
        match self.id.as_deref().filter(|_| self.keys.guid.is_some()) {
            Some(id) if id.len() <= LONGEST_UID => id.to_owned(),
            // Too long for a uid, but different ids are still different entries.
            Some(id) => HEXLOWER.encode(&Sha256::digest(id.as_bytes())),
            None => self.hashed_uid(feed, link, rules),
        }
    }

    /// F-34: SHA-256 of (canonical link, title, published, feed), and of what else distinguishes the entry from others.
    pub(crate) fn hashed_uid(&self, feed: u128, link: LinkOwner, rules: &Rules) -> String {
        let about = &self.entry.about;
        let published = about.published.as_ref().and_then(|date| date.at).map(|at| at.to_string());
        let title = about.title.as_ref().map_or("", |title| title.value.as_str());
        let mut hasher = Sha256::new();
        let feed = feed.to_be_bytes();
        let parts = [self.keys.canonical().unwrap_or(""), title, published.as_deref().unwrap_or("")].map(str::as_bytes);
        for part in parts.into_iter().chain([&feed[..]]) {
            add(&mut hasher, part);
        }
        if link == LinkOwner::Another || !self.keys.own_name(rules) {
            add(&mut hasher, &words_hash(self.entry));
            add(&mut hasher, self.id.as_deref().unwrap_or("").as_bytes());
        }
        HEXLOWER.encode(&hasher.finalize())
    }
}

/// Which entries share their link with another entry of the document that has another id or other words.
fn shared_links(entries: &[ReadEntry], keys: &[Keys]) -> Vec<bool> {
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (n, keys) in keys.iter().enumerate() {
        if let Some(link) = keys.canonical() {
            holders.entry(link).or_default().push(n);
        }
    }
    let mut shared = vec![false; entries.len()];
    for holders in holders.values().filter(|holders| holders.len() > 1) {
        // In any order: a single id, and no entry without an id that differs.
        let (mut ids, mut with_id, mut without) = (HashSet::new(), HashSet::new(), HashSet::new());
        for entry in holders.iter().map(|n| &entries[*n]) {
            let words = words_hash(entry);
            match id(entry) {
                Some(id) => {
                    ids.insert(id);
                    with_id.insert(words)
                }
                None => without.insert(words),
            };
        }
        let one = if ids.is_empty() { without.len() == 1 } else { ids.len() == 1 && without.is_subset(&with_id) };
        for n in holders.iter().filter(|_| !one) {
            shared[*n] = true;
        }
    }
    shared
}

/// A link to the front page identifies nothing.
fn is_root(canonical: &str) -> bool {
    let rest = canonical.split_once("://").map_or(canonical, |(_, rest)| rest);
    rest.split_once('/').is_some_and(|(_, path)| path.is_empty())
}

/// The part of a raw hash that covers the content; the rest covers dates and id. What changes at every visit must not
/// cost a cleaning and a new body each time.
const CONTENT_BYTES: usize = 12;

/// Hash of everything of an entry that is stored: if equal, there is nothing to do.
///
/// After a change of this function every entry looks changed once, without an event or a revision: those depend on the
/// content hash.
pub(crate) fn raw_hash(entry: &ReadEntry, guid: Option<EntryKey>) -> Hash {
    let about = &entry.about;
    let mut hasher = XxHash3_128::new();
    let mut part = |part: Option<&str>| {
        let part = part.unwrap_or_default();
        hasher.write(&(part.len() as u64).to_le_bytes());
        hasher.write(part.as_bytes());
    };
    let counted = |count: usize| Some(count.to_string());
    for text in [about.title.as_ref(), entry.summary.as_ref()] {
        part(text.map(kind));
        part(text.map(|text| text.value.as_str()));
    }
    part(about.link.as_deref());
    part(about.language.as_deref());
    // Lists are delimited by their length.
    part(counted(entry.content.len()).as_deref());
    for content in &entry.content {
        part(Some(kind(&content.text)));
        part(Some(&content.text.value));
    }
    part(counted(entry.enclosures.len()).as_deref());
    for enclosure in &entry.enclosures {
        part(Some(&enclosure.url));
        part(enclosure.media_type.as_deref());
        part(enclosure.length.map(|length| length.to_string()).as_deref());
    }
    part(counted(about.authors.len()).as_deref());
    for author in &about.authors {
        part(author.name.as_deref());
        part(author.email.as_deref());
        part(author.uri.as_deref());
    }
    for category in &about.categories {
        part(category.term.as_deref());
        part(category.label.as_deref());
    }
    let mut raw = hasher.finish_128().to_be_bytes();
    let [published, updated] =
        [published(entry), updated(entry)].map(|at| at.map_or(i128::MIN, jiff::Timestamp::as_nanosecond).to_le_bytes());
    let rest = [published, updated, guid.map_or([0; 16], |guid| guid.hash)];
    let rest = XxHash3_128::oneshot(rest.as_flattened()).to_be_bytes();
    raw[CONTENT_BYTES..].copy_from_slice(&rest[CONTENT_BYTES..]);
    raw
}

/// Whether two raw hashes have the same content, possibly with other dates or another id.
pub(crate) fn says_the_same(one: &Hash, other: &Hash) -> bool {
    one[..CONTENT_BYTES] == other[..CONTENT_BYTES]
}

fn kind(text: &Text) -> &'static str {
    match text.kind {
        TextKind::Plain => "plain",
        TextKind::Html => "html",
        TextKind::Xhtml => "xhtml",
    }
}

/// An entry's words as a key.
fn words_key(entry: &ReadEntry) -> EntryKey {
    EntryKey { kind: KeyKind::Content, hash: words_hash(entry) }
}

/// Hash of an entry's content: title, texts and attached files.
fn words_hash(entry: &ReadEntry) -> Hash {
    let texts = [text(entry.about.title.as_ref()), text(entry.summary.as_ref())];
    let contents = entry.content.iter().map(|content| content.text.value.as_str());
    hash(texts.into_iter().chain(contents).chain(entry.enclosures.iter().map(|enclosure| enclosure.url.as_str())))
}

fn text(text: Option<&Text>) -> &str {
    text.map_or("", |text| text.value.as_str())
}

/// Parts are delimited by their length, so that moving a letter from one to the next is a change.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        add(&mut hasher, part.as_bytes());
    }
    short(hasher.finalize().into())
}

fn add(hasher: &mut Sha256, part: &[u8]) {
    hasher.update((part.len() as u64).to_le_bytes());
    hasher.update(part);
}

fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}

fn short(digest: [u8; 32]) -> Hash {
    let mut hash = [0; 16];
    hash.copy_from_slice(&digest[..16]);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Preset;
    use crate::testing::{dossier, entry, reading};
    use model::reading::{Category, Content, Dated, Enclosure, Person};

    #[test]
    fn keys_are_what_the_publisher_gives() {
        let check = |what: &str, preset, entries: &[(&str, &str, &str)], expected: &str| {
            let reading = reading(entries.iter().map(|(id, link, title)| entry(id, link, title)).collect());
            let rules = Rules::preset(preset);
            let kinds: Vec<String> = DocumentKeys::of(&reading, &dossier(), &rules)
                .0
                .iter()
                .map(|keys| keys.all().map(|key| format!("{:?}", key.kind)).collect::<Vec<_>>().join("+"))
                .collect();
            assert_eq!(kinds.join(" "), expected, "{what}");
        };
        let (courant, reader, link) = (Preset::Courant, Preset::Reader, "https://one.example/1");
        check("id and link", courant, &[("x", link, "T")], "Guid+Url");
        check("link alone", courant, &[("", link, "T")], "Url");
        check("neither", courant, &[("", "", "T")], "Content");
        check("id alone", courant, &[("x", "", "T")], "Guid+Content");
        check("no web", courant, &[("x", "javascript:1", "T")], "Guid+Content");
        check("the front page", courant, &[("", "https://one.example/", "T")], "Url+Content");
        check(
            "one link for two",
            courant,
            &[("a", link, "T"), ("b", link, "U")],
            "Guid+Url+Content+SharedUrl Guid+Url+Content+SharedUrl",
        );
        check("one link for two, A-77", reader, &[("a", link, "T"), ("b", link, "U")], "Guid+Url Guid+Url");
        check("the same twice", courant, &[("a", link, "T"), ("a", link, "U")], "Guid+Url Guid+Url");
        let mut front = reading(vec![entry("a", link, "T")]);
        front.feed.about.link = Some("https://ONE.example/1/".into());
        assert!(
            !DocumentKeys::of(&front, &dossier(), &Rules::default()).0[0].own_link,
            "the site's own page is nobody's"
        );
        check("D-37", Preset::Deframer, &[("x", link, "T")], "Url");
    }

    #[test]
    fn names_are_stable_and_differ() {
        let (rules, feed) = (Rules::default(), 7);
        let uid = |id: &str, link: &str, title: &str, rules: &Rules| {
            let reading = reading(vec![entry(id, link, title)]);
            let keys = DocumentKeys::of(&reading, &dossier(), rules);
            Keyed::all(&reading, keys)[0].uid(feed, LinkOwner::None, rules)
        };
        let link = "https://one.example/1";
        assert_eq!(uid("tag:x", link, "T", &rules), "tag:x", "F-33");
        assert_eq!(uid("a\0b", link, "T", &rules), "ab", "no database takes U+0000");
        let hashed = uid("", link, "T", &rules);
        assert_eq!(hashed.len(), 64, "F-34");
        assert_eq!(uid("", "https://ONE.example:443/1#x", "T", &rules), hashed, "the canonical link counts");
        assert_ne!(uid("", link, "U", &rules), hashed);
        let long = |end: &str| uid(&("x".repeat(500) + end), link, "T", &rules);
        assert_eq!(long("1").len(), 64, "an endless id is no name");
        assert_ne!(long("1"), long("2"), "but it tells two entries apart");
        assert_ne!(uid("", "", "T", &rules), uid("", "", "U", &rules));
        let deframer = Rules::preset(Preset::Deframer);
        let sha = "e10cc9c1251338a0c9a33f3d46171f3b61dd377f287adb4205f3bb3f4cc400e4";
        assert_eq!(uid("x", link, "T", &deframer), sha, "D-37");
    }

    #[test]
    fn whatever_would_be_stored_is_part_of_the_raw_hash() {
        let full = || {
            let mut full = entry("a", "https://one.example/1", "T");
            full.about.authors = vec![Person { name: Some("Ada".into()), ..Person::default() }];
            full.about.categories = vec![Category { term: Some("x".into()), ..Category::default() }];
            full.enclosures = vec![Enclosure { url: "https://one.example/1.mp3".into(), ..Enclosure::default() }];
            full
        };
        let check = |what: &str, change: &dyn Fn(&mut ReadEntry), expected: &str| {
            let mut changed = full();
            change(&mut changed);
            let raw = |entry: &ReadEntry| Keys::of(entry, &dossier(), &Rules::default()).raw;
            let (before, after) = (raw(&full()), raw(&changed));
            let said = match (before == after, says_the_same(&before, &after)) {
                (true, _) => "the same",
                (false, true) => "dates or id",
                (false, false) => "something",
            };
            assert_eq!(said, expected, "{what}");
        };
        let date = |hour| Some(Dated { at: Some(crate::testing::ago(hour)), text: String::new() });
        check("nothing", &|_| (), "the same");
        check("the id", &|entry| entry.about.id = None, "dates or id");
        check("published", &|entry| entry.about.published = date(1), "dates or id");
        check("updated", &|entry| entry.about.updated = date(1), "dates or id");
        check("created", &|entry| entry.about.created = date(1), "dates or id");
        check("title", &|entry| entry.about.title = None, "something");
        check("kind of text", &|entry| entry.about.title.as_mut().unwrap().kind = TextKind::Plain, "something");
        check("link", &|entry| entry.about.link = None, "something");
        check("language", &|entry| entry.about.language = Some("en".into()), "something");
        check("summary", &|entry| entry.summary = Some(Text::default()), "something");
        check("content", &|entry| entry.content.push(Content::default()), "something");
        check("author's name", &|entry| entry.about.authors[0].name = None, "something");
        check("author's e-mail", &|entry| entry.about.authors[0].email = Some("a@b".into()), "something");
        check("author's page", &|entry| entry.about.authors[0].uri = Some("https://a".into()), "something");
        check("category", &|entry| entry.about.categories[0].term = None, "something");
        check("category's label", &|entry| entry.about.categories[0].label = Some("X".into()), "something");
        check("enclosure", &|entry| entry.enclosures[0].url.push('3'), "something");
        check("its type", &|entry| entry.enclosures[0].media_type = Some("audio/mpeg".into()), "something");
        check("its length", &|entry| entry.enclosures[0].length = Some(7), "something");
        check("one less", &|entry| entry.enclosures.clear(), "something");
    }

    #[test]
    fn a_letter_that_moves_between_parts_is_a_change() {
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
        assert_eq!(hash(["ab", "c"]), hash(["ab", "c"]));
    }
}
