//! Checks: the tests of filters, compiled, and the answers that an entry gives to them.
//!
//! `Facts` folds each part of an entry when the first check asks for it, and once.

use super::fold::fold;
use super::{Candidate, Compiled};
use model::FeedId;
use model::filter::{Place, Subject, Test};
use std::cell::OnceCell;

/// One test.
#[derive(Debug)]
pub(super) struct Check {
    asks: Asks,
    negated: bool,
}

#[derive(Debug)]
enum Asks {
    Words {
        /// The number of the test.
        test: usize,
        /// As they were written.
        words: Vec<String>,
        place: Place,
    },
    Author(Text),
    Tag(Text),
    Link(Text),
    Feed(FeedId),
    HasMedia,
    MediaLongerThanBytes(u64),
    MediaShorterThanBytes(u64),
}

#[derive(Debug)]
struct Text {
    written: String,
    folded: String,
}

impl Text {
    fn new(written: &str) -> Self {
        Self { written: written.trim().to_owned(), folded: fold(written) }
    }
}

impl Check {
    pub(super) fn new(test: &Test, compiled: &mut Compiled) -> Self {
        let asks = match &test.subject {
            Subject::Words { words, place } => {
                Asks::Words { test: compiled.add_words(words), words: words.clone(), place: *place }
            }
            Subject::Author(part) => Asks::Author(Text::new(part)),
            Subject::Tag(tag) => Asks::Tag(Text::new(tag)),
            Subject::Link(part) => Asks::Link(Text::new(part)),
            Subject::Feed(feed) => Asks::Feed(*feed),
            Subject::HasMedia => Asks::HasMedia,
            Subject::MediaLongerThanBytes(bytes) => Asks::MediaLongerThanBytes(*bytes),
            Subject::MediaShorterThanBytes(bytes) => Asks::MediaShorterThanBytes(*bytes),
        };
        Self { asks, negated: test.negated }
    }

    pub(super) fn holds(&self, facts: &Facts<'_>) -> bool {
        let found = match &self.asks {
            Asks::Words { test, place, .. } => facts.word(*test, *place).is_some(),
            Asks::Author(part) => facts.author().contains(&part.folded),
            Asks::Tag(tag) => facts.tags().contains(&tag.folded),
            Asks::Link(part) => facts.link().contains(&part.folded),
            Asks::Feed(feed) => facts.entry.feed == *feed,
            Asks::HasMedia => !facts.entry.enclosures.is_empty(),
            Asks::MediaLongerThanBytes(bytes) => facts.lengths().any(|length| length > *bytes),
            Asks::MediaShorterThanBytes(bytes) => facts.lengths().any(|length| length < *bytes),
        };
        found != self.negated
    }

    /// What is true of the entry, given that the check holds.
    pub(super) fn because(&self, facts: &Facts<'_>) -> String {
        let (is, has) = if self.negated { ("is not", "does not have") } else { ("is", "has") };
        match &self.asks {
            Asks::Words { test, words, place } => match facts.word(*test, *place) {
                Some((word, place)) => format!("\"{}\" is in the {place}", words[word].trim()),
                None => format!("none of its words is in the {}", place_name(*place)),
            },
            Asks::Author(part) => format!("the author {has} \"{}\"", part.written),
            Asks::Tag(tag) => format!("it {is} filed under \"{}\"", tag.written),
            Asks::Link(part) => format!("the link {has} \"{}\"", part.written),
            Asks::Feed(feed) => format!("it {is} of feed {feed}"),
            Asks::HasMedia => format!("it {has} media"),
            Asks::MediaLongerThanBytes(bytes) => format!("it {has} media longer than {bytes} bytes"),
            Asks::MediaShorterThanBytes(bytes) => format!("it {has} media shorter than {bytes} bytes"),
        }
    }
}

/// What checks ask an entry for.
pub(super) struct Facts<'a> {
    compiled: &'a Compiled,
    entry: &'a Candidate<'a>,
    title: OnceCell<Vec<Option<usize>>>,
    content: OnceCell<Vec<Option<usize>>>,
    author: OnceCell<String>,
    tags: OnceCell<Vec<String>>,
    link: OnceCell<String>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(compiled: &'a Compiled, entry: &'a Candidate<'a>) -> Self {
        Self {
            compiled,
            entry,
            title: OnceCell::new(),
            content: OnceCell::new(),
            author: OnceCell::new(),
            tags: OnceCell::new(),
            link: OnceCell::new(),
        }
    }

    /// A word of that test, and where it is.
    fn word(&self, test: usize, place: Place) -> Option<(usize, &'static str)> {
        let title =
            || self.title.get_or_init(|| self.compiled.find(self.entry.title))[test].map(|word| (word, "title"));
        let content =
            || self.content.get_or_init(|| self.compiled.find(self.entry.text))[test].map(|word| (word, "content"));
        match place {
            Place::Title => title(),
            Place::Content => content(),
            Place::Both => title().or_else(content),
        }
    }

    fn author(&self) -> &str {
        self.author.get_or_init(|| fold(self.entry.author))
    }

    fn tags(&self) -> &[String] {
        self.tags.get_or_init(|| self.entry.tags.iter().map(|tag| fold(tag)).collect())
    }

    fn link(&self) -> &str {
        self.link.get_or_init(|| fold(self.entry.link))
    }

    /// The known lengths of attached files. Publishers write 0 where they do not know it.
    fn lengths(&self) -> impl Iterator<Item = u64> {
        self.entry.enclosures.iter().filter_map(|file| file.length).filter(|length| *length > 0)
    }
}

fn place_name(place: Place) -> &'static str {
    match place {
        Place::Title => "title",
        Place::Content => "content",
        Place::Both => "title or the content",
    }
}
