//! A document: an entry as the index sees it, one text of terms.
//!
//! Besides the words in their order there are marks: `^word` for a word of the title, `+word` for one that the entry says
//! often, `#7` for the feed, and on PostgreSQL `@3` for the era of its id. No word begins like a mark, so that a query of
//! words finds no mark; a query of marks costs what a query of words does.

use super::often::Often;
use super::terms::terms;
use crate::db::sql::Dialect;
use jiff::Timestamp;
use model::{EntryId, FeedId};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

/// PostgreSQL counts places in a document up to 16,383; nobody finds an entry by its twenty-thousandth word.
const TERMS: usize = 16_000;
const TITLE_TERMS: usize = 300;
/// A `tsvector` holds less than a MiB: terms, marks and places together.
const BODY_BYTES: usize = 512 << 10;
/// A word that is said this many times, and once in so many words, is what the entry is about, or of no importance at
/// all. No text has more than a hundred such words.
const OFTEN: u32 = 3;
const ONCE_IN: u32 = 100;
/// One entry in this many is counted, to know which words are common.
pub(super) const SAMPLED: i64 = 128;
/// Ids of one era: the newest hits of a common word are found in the newest eras, without looking at the others.
const ERA_BITS: u32 = 10;

/// An entry without its markup, ready to be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDocument {
    /// Which.
    pub entry: EntryId,
    /// Whose.
    pub feed: FeedId,
    /// Its date in lists.
    pub sort_at: Timestamp,
    /// Whether it was there before anybody followed the feed.
    pub quiet: bool,
    /// Plain text.
    pub title: String,
    /// Plain text: the body and whatever else it may be found by.
    pub text: String,
}

impl IndexDocument {
    /// The document as FTS5's tokenizer or `tsvector`'s input function reads it.
    pub(crate) fn terms(&self, dialect: Dialect) -> String {
        let bytes = self.title.len() * 2 + self.text.len();
        let room = if dialect == Dialect::Postgres { bytes * 2 } else { bytes + bytes / 4 };
        let mut out = Writer { dialect, text: String::with_capacity(room + 64), place: 1 };
        terms(&self.title, TITLE_TERMS, |term| {
            out.word(term);
        });
        // Also keeps the title's last word and the body's first apart: they are no phrase.
        terms(&self.title, TITLE_TERMS, |term| out.mark('^', term));
        out.place += 1;
        let mut often = Often::in_text_of(self.text.len().min(BODY_BYTES));
        let (mut words, mut bytes) = (0, 0);
        terms(&self.text, TERMS, |term| {
            if bytes < BODY_BYTES {
                let at = out.word(term);
                often.count(&out.text, at);
                words += 1;
                bytes += term.len() + 1;
            }
        });
        for at in often.at_least(OFTEN.max(words / ONCE_IN)) {
            out.mark_again('+', at);
        }
        out.mark('#', &self.feed.to_string());
        if dialect == Dialect::Postgres {
            out.mark('@', &era(self.entry.0).to_string());
        }
        out.text
    }
}

/// In how many of the documents that are counted each word is.
pub(crate) fn counts(documents: &[IndexDocument]) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for IndexDocument { title, text, .. } in documents.iter().filter(|document| document.entry.0 % SAMPLED == 0) {
        let mut words = HashSet::new();
        for (text, limit) in [(title, TITLE_TERMS), (text, TERMS)] {
            terms(text, limit, |term| {
                if !words.contains(term) {
                    words.insert(term.to_owned());
                }
            });
        }
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

/// The era of an id.
pub(super) fn era(entry: i64) -> i64 {
    entry >> ERA_BITS
}

/// The first id of an era.
pub(super) fn first_of(era: i64) -> i64 {
    era << ERA_BITS
}

struct Writer {
    dialect: Dialect,
    text: String,
    place: usize,
}

impl Writer {
    /// Writes a word; says where.
    fn word(&mut self, term: &str) -> Range<usize> {
        let quote = usize::from(self.dialect == Dialect::Postgres);
        let start = self.text.len() + quote;
        match self.dialect {
            Dialect::Sqlite => {
                self.text.push_str(term);
                self.text.push(' ');
            }
            Dialect::Postgres => {
                let _ = write!(self.text, "'{term}':{} ", self.place);
            }
        }
        self.place += 1;
        start..start + term.len()
    }

    fn mark(&mut self, sigil: char, term: &str) {
        let _ = match self.dialect {
            Dialect::Sqlite => write!(self.text, "{sigil}{term} "),
            Dialect::Postgres => write!(self.text, "'{sigil}{term}' "),
        };
    }

    /// Marks a word that was written before.
    fn mark_again(&mut self, sigil: char, at: Range<usize>) {
        let (before, after) = if self.dialect == Dialect::Postgres { ("'", "' ") } else { ("", " ") };
        self.text.push_str(before);
        self.text.push(sigil);
        self.text.extend_from_within(at);
        self.text.push_str(after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> IndexDocument {
        let (title, text) = (String::new(), String::new());
        IndexDocument { entry: EntryId(1), feed: FeedId(7), sort_at: Timestamp::UNIX_EPOCH, quiet: false, title, text }
    }

    #[test]
    fn a_document_is_words_and_marks() {
        let check = |title: &str, text: &str, sqlite: &str, postgres: &str| {
            let (title, text) = (title.to_owned(), text.to_owned());
            let document = IndexDocument { entry: EntryId(3 * 1024 + 5), title, text, ..empty() };
            assert_eq!(document.terms(Dialect::Sqlite), sqlite);
            assert_eq!(document.terms(Dialect::Postgres), postgres);
        };
        check("One Day", "a b", "one day ^one ^day a b #7 ", "'one':1 'day':2 '^one' '^day' 'a':4 'b':5 '#7' '@3' ");
        check("", "No no, no!", "no no no +no #7 ", "'no':2 'no':3 'no':4 '+no' '#7' '@3' ");
        let long = ["ant bee cat ant bee ant bee", &"dog ".repeat(400), "bee"].join(" ");
        let document = IndexDocument { text: long, ..empty() };
        let marks = document
            .terms(Dialect::Sqlite)
            .split(' ')
            .filter(|term| term.starts_with('+'))
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(marks, "+bee +dog", "said four times in four hundred words, and all the time");
        check(
            "中文字",
            "",
            "中文 文字 字 ^中文 ^文字 ^字 #7 ",
            "'中文':1 '文字':2 '字':3 '^中文' '^文字' '^字' '#7' '@3' ",
        );
    }

    #[test]
    fn one_in_many_is_counted() {
        let document = |entry, title: &str, text: &str| IndexDocument {
            entry: EntryId(entry),
            title: title.to_owned(),
            text: text.to_owned(),
            ..empty()
        };
        let documents =
            [document(127, "Not counted", "at all"), document(128, "One", "two one TWO"), document(256, "Two", "字典")];
        let list: Vec<String> = counts(&documents).into_iter().map(|(word, count)| format!("{word} {count}")).collect();
        assert_eq!(list.join(", "), "one 1, two 2, 典 1, 字典 1");
    }

    #[test]
    fn an_endless_entry_is_cut() {
        let text = "word and 字 ".repeat(1 << 17);
        let document = IndexDocument { title: text.clone(), text, ..empty() };
        assert!(document.terms(Dialect::Postgres).len() < 400_000, "a tsvector holds less than a MiB");
    }
}
