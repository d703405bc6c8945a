//! A document: an entry as the index sees it, one text of terms.
//!
//! Besides the words in their order there are marks: `^word` for a word of the title, `+word` for one that the entry says
//! often, `#7` for the feed, and on PostgreSQL `@3` for the era of its id. No word begins like a mark, so that a query of
//! words finds no mark; a query of marks costs what a query of words does.

use super::terms::terms;
use crate::sql::Dialect;
use model::{EntryId, FeedId};
use std::collections::HashMap;
use std::fmt::Write as _;

/// PostgreSQL counts places in a document up to 16,383; nobody finds an entry by its twenty-thousandth word.
const TERMS: usize = 16_000;
const TITLE_TERMS: usize = 300;
/// A `tsvector` holds less than a MiB: terms, marks and places together.
const BODY_BYTES: usize = 512 << 10;
/// A word that is said this many times is what the entry is about, or of no importance at all.
const OFTEN: u32 = 3;
/// Ids of one era: the newest hits of a common word are found in the newest eras, without looking at the others.
const ERA_BITS: u32 = 10;

/// An entry without its markup, ready to be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDocument {
    /// Which.
    pub entry: EntryId,
    /// Whose.
    pub feed: FeedId,
    /// Plain text.
    pub title: String,
    /// Plain text: the body and whatever else it may be found by.
    pub text: String,
}

impl IndexDocument {
    /// The document as FTS5's tokenizer or `tsvector`'s input function reads it.
    pub(crate) fn terms(&self, dialect: Dialect) -> String {
        let mut out =
            Writer { dialect, text: String::with_capacity((self.title.len() + self.text.len()) * 2), place: 1 };
        terms(&self.title, TITLE_TERMS, |term| out.word(term));
        // Also keeps the title's last word and the body's first apart: they are no phrase.
        terms(&self.title, TITLE_TERMS, |term| out.mark('^', term));
        out.place += 1;
        let mut body = String::with_capacity(self.text.len() + 64);
        terms(&self.text, TERMS, |term| {
            if body.len() < BODY_BYTES {
                body.push_str(term);
                body.push(' ');
            }
        });
        let mut counts: HashMap<&str, u32> = HashMap::with_capacity(256);
        for term in body.split_terminator(' ') {
            out.word(term);
            *counts.entry(term).or_default() += 1;
        }
        counts.iter().filter(|(_, count)| **count >= OFTEN).for_each(|(term, _)| out.mark('+', term));
        out.mark('#', &self.feed.to_string());
        if dialect == Dialect::Postgres {
            out.mark('@', &era(self.entry.0).to_string());
        }
        out.text
    }
}

/// The era of an id.
pub(super) fn era(entry: i64) -> i64 {
    entry >> ERA_BITS
}

struct Writer {
    dialect: Dialect,
    text: String,
    place: usize,
}

impl Writer {
    fn word(&mut self, term: &str) {
        match self.dialect {
            Dialect::Sqlite => self.text.extend([term, " "]),
            Dialect::Postgres => {
                let _ = write!(self.text, "'{term}':{} ", self.place);
            }
        }
        self.place += 1;
    }

    fn mark(&mut self, sigil: char, term: &str) {
        let _ = match self.dialect {
            Dialect::Sqlite => write!(self.text, "{sigil}{term} "),
            Dialect::Postgres => write!(self.text, "'{sigil}{term}' "),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_words_and_marks() {
        let check = |title: &str, text: &str, sqlite: &str, postgres: &str| {
            let (title, text) = (title.to_owned(), text.to_owned());
            let document = IndexDocument { entry: EntryId(3 * 1024 + 5), feed: FeedId(7), title, text };
            assert_eq!(document.terms(Dialect::Sqlite), sqlite);
            assert_eq!(document.terms(Dialect::Postgres), postgres);
        };
        check("One Day", "a b", "one day ^one ^day a b #7 ", "'one':1 'day':2 '^one' '^day' 'a':4 'b':5 '#7' '@3' ");
        check("", "No no, no!", "no no no +no #7 ", "'no':2 'no':3 'no':4 '+no' '#7' '@3' ");
        check(
            "中文字",
            "",
            "中文 文字 字 ^中文 ^文字 ^字 #7 ",
            "'中文':1 '文字':2 '字':3 '^中文' '^文字' '^字' '#7' '@3' ",
        );
    }

    #[test]
    fn an_endless_entry_is_cut() {
        let text = "word and 字 ".repeat(1 << 17);
        let document = IndexDocument { entry: EntryId(1), feed: FeedId(1), title: text.clone(), text };
        assert!(document.terms(Dialect::Postgres).len() < 400_000, "a tsvector holds less than a MiB");
    }
}
