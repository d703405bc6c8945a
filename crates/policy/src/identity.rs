//! What makes two entries the same: the keys of the dedup chain, each a hash of something the publisher said.

use model::entry::{EntryKey, Hash, KeyKind};
use model::reading::ReadEntry;
use sha2::{Digest as _, Sha256};

/// The keys of an entry: its id, its link, and, where it has neither, its words.
pub fn entry_keys(entry: &ReadEntry) -> Vec<EntryKey> {
    let mut keys = Vec::with_capacity(2);
    if let Some(id) = &entry.about.id {
        keys.push(EntryKey { kind: KeyKind::Guid, hash: hash([id.as_str()]) });
    }
    if let Some(link) = &entry.about.link {
        keys.push(EntryKey { kind: KeyKind::Url, hash: hash([link.as_str()]) });
    }
    if keys.is_empty() {
        keys.push(EntryKey { kind: KeyKind::Content, hash: raw_hash(entry) });
    }
    keys
}

/// Over the decoded body of a document: the same bytes need no reading.
pub fn body_hash(body: &[u8]) -> Hash {
    short(Sha256::digest(body).into())
}

/// Over everything of an entry that we would store: equal means that there is nothing to do.
pub(crate) fn raw_hash(entry: &ReadEntry) -> Hash {
    let about = &entry.about;
    let text = |text: &Option<model::reading::Text>| text.as_ref().map_or("", |text| text.value.as_str()).to_owned();
    let mut parts = vec![text(&about.title), about.link.clone().unwrap_or_default(), text(&entry.summary)];
    parts.extend(entry.content.iter().map(|content| content.text.value.clone()));
    parts.extend(entry.enclosures.iter().map(|enclosure| enclosure.url.clone()));
    parts.extend(about.authors.iter().filter_map(|author| author.name.clone()));
    parts.extend(about.categories.iter().filter_map(|category| category.term.clone()));
    hash(parts.iter().map(String::as_str))
}

/// Parts are told apart by their length, so that moving a letter from one to the next is a change.
pub(crate) fn hash<'a>(parts: impl IntoIterator<Item = &'a str>) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    short(hasher.finalize().into())
}

/// An entry's name for other programs where the publisher gives none.
pub(crate) fn hex(hash: Hash) -> String {
    hash.iter().fold(String::with_capacity(32), |mut text, byte| {
        use std::fmt::Write as _;
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn short(digest: [u8; 32]) -> Hash {
    let mut hash = [0; 16];
    hash.copy_from_slice(&digest[..16]);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_what_the_publisher_gives() {
        let check = |id: Option<&str>, link: Option<&str>, expected: &[KeyKind]| {
            let mut entry = ReadEntry::default();
            entry.about.id = id.map(str::to_owned);
            entry.about.link = link.map(str::to_owned);
            let kinds: Vec<_> = entry_keys(&entry).into_iter().map(|key| key.kind).collect();
            assert_eq!(kinds, expected, "{id:?} {link:?}");
        };
        check(Some("x"), Some("y"), &[KeyKind::Guid, KeyKind::Url]);
        check(None, Some("y"), &[KeyKind::Url]);
        check(None, None, &[KeyKind::Content]);
    }

    #[test]
    fn a_letter_that_moves_between_parts_is_a_change() {
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
        assert_eq!(hash(["ab", "c"]), hash(["ab", "c"]));
    }
}
