//! Filters: what a user wants done to entries as they arrive.
//!
//! Users and programs write conditions and actions as JSON, and they are stored as written, so that these types have
//! that form: `{"any": [{"words": ["foo"], "in": "title"}, {"author": "bar", "not": true}]}`. Fields that are not known
//! are refused. What is allowed, and what a filter does, is decided in `policy/src/filter.rs`.

use crate::{CategoryId, FeedId, FilterId};
use serde::{Deserialize, Serialize};

/// A user's rule about entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Primary key.
    pub id: FilterId,
    /// As the user calls it.
    pub name: String,
    /// Which entries it looks at.
    pub scope: Scope,
    /// Which of those it is about.
    pub condition: Condition,
    /// What is done to them.
    pub actions: Vec<Action>,
    /// Whether it is on.
    pub enabled: bool,
}

/// Which entries a filter looks at: `"all"`, `{"category": 3}`, `{"feed": 7}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Those of all of the user's feeds.
    All,
    /// Those of the feeds in a category and in the categories below it.
    Category(CategoryId),
    /// Those of one feed.
    Feed(FeedId),
}

/// Tests, and how many of them must be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// All of them.
    All(Vec<Test>),
    /// One of them.
    Any(Vec<Test>),
}

impl Condition {
    /// The tests.
    pub fn tests(&self) -> &[Test] {
        match self {
            Self::All(tests) | Self::Any(tests) => tests,
        }
    }
}

/// One question about an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "TestJson", into = "TestJson")]
pub struct Test {
    /// The question.
    pub subject: Subject,
    /// Whether the answer must be no.
    pub negated: bool,
}

/// What a test is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// One of these words or phrases is there. A `*` at the end stands for any ending.
    Words {
        /// Words and phrases.
        words: Vec<String>,
        /// Where.
        place: Place,
    },
    /// The author's name contains this.
    Author(String),
    /// The publisher filed it under this.
    Tag(String),
    /// It is of this feed.
    Feed(FeedId),
    /// Its link contains this.
    Link(String),
    /// Files are attached to it.
    HasMedia,
    /// An attached file is longer than this. A file of unknown length is neither longer nor shorter.
    MediaLongerThanBytes(u64),
    /// An attached file is shorter than this.
    MediaShorterThanBytes(u64),
}

/// Where words are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the title.
    Title,
    /// In the content.
    Content,
    /// In either.
    #[default]
    Both,
}

/// What is done to an entry: `"mute"`, `"mark_read"`, `"star"`, `{"tag": "later"}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It is left out of lists and counts.
    Mute,
    /// It is marked as read.
    MarkRead,
    /// It is saved.
    Star,
    /// It gets this label of the user's.
    Tag(String),
}

/// A test as it is written.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TestJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<String>>,
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feed: Option<FeedId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has_media: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_longer_than_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_shorter_than_bytes: Option<u64>,
    #[serde(rename = "not", skip_serializing_if = "std::ops::Not::not")]
    negated: bool,
}

impl TryFrom<TestJson> for Test {
    type Error = &'static str;

    fn try_from(json: TestJson) -> Result<Self, Self::Error> {
        let has_words = json.words.is_some();
        let place = json.place.unwrap_or_default();
        let subjects = [
            json.words.map(|words| Subject::Words { words, place }),
            json.author.map(Subject::Author),
            json.tag.map(Subject::Tag),
            json.feed.map(Subject::Feed),
            json.link.map(Subject::Link),
            json.has_media.map(|_| Subject::HasMedia),
            json.media_longer_than_bytes.map(Subject::MediaLongerThanBytes),
            json.media_shorter_than_bytes.map(Subject::MediaShorterThanBytes),
        ];
        if json.place.is_some() && !has_words {
            return Err("`in` belongs to `words`; leave it out");
        }
        let mut subjects = subjects.into_iter().flatten();
        match (subjects.next(), subjects.next()) {
            // To ask for no media can be written in two ways.
            (Some(subject), None) => Ok(Self { subject, negated: json.negated != (json.has_media == Some(false)) }),
            (None, _) => {
                Err("a test needs one of words, author, tag, feed, link, has_media, media_longer_than_bytes, \
                              media_shorter_than_bytes")
            }
            (Some(_), Some(_)) => Err("a test asks one thing; write the other as a test of its own"),
        }
    }
}

impl From<Test> for TestJson {
    fn from(test: Test) -> Self {
        let json = Self { negated: test.negated, ..Self::default() };
        match test.subject {
            Subject::Words { words, place } => Self { words: Some(words), place: Some(place), ..json },
            Subject::Author(author) => Self { author: Some(author), ..json },
            Subject::Tag(tag) => Self { tag: Some(tag), ..json },
            Subject::Feed(feed) => Self { feed: Some(feed), ..json },
            Subject::Link(link) => Self { link: Some(link), ..json },
            Subject::HasMedia => Self { has_media: Some(true), ..json },
            Subject::MediaLongerThanBytes(bytes) => Self { media_longer_than_bytes: Some(bytes), ..json },
            Subject::MediaShorterThanBytes(bytes) => Self { media_shorter_than_bytes: Some(bytes), ..json },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_written_as_it_is_read() {
        let check = |written: &str| {
            let read: Condition = serde_json::from_str(written).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
        };
        check(r#"{"any":[{"words":["foo","two words","begin*"],"in":"title"},{"author":"bar","not":true}]}"#);
        check(r#"{"all":[{"words":["foo"],"in":"both"},{"words":["foo"],"in":"content"}]}"#);
        check(r#"{"all":[{"tag":"Sport"},{"feed":7},{"link":"/live/"},{"has_media":true}]}"#);
        check(r#"{"all":[{"media_longer_than_bytes":1000000},{"media_shorter_than_bytes":10,"not":true}]}"#);
    }

    #[test]
    fn a_condition_can_be_written_shorter() {
        let check = |short: &str, long: &str| {
            let read: Test = serde_json::from_str(short).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), long);
        };
        check(r#"{"words":["foo"]}"#, r#"{"words":["foo"],"in":"both"}"#);
        check(r#"{"author":"x","not":false}"#, r#"{"author":"x"}"#);
        check(r#"{"has_media":false}"#, r#"{"has_media":true,"not":true}"#);
        check(r#"{"has_media":false,"not":true}"#, r#"{"has_media":true}"#);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let check = |written: &str, expected: &str| {
            let said = serde_json::from_str::<Condition>(written).unwrap_err().to_string();
            assert!(said.contains(expected), "{written}: {said}");
        };
        check(r#"{"none":[{"feed":1}]}"#, "unknown variant `none`, expected `all` or `any`");
        check(r#"{"any":[{"feed":1}],"all":[{"feed":1}]}"#, "expected");
        check(r#"{"any":[{"titel":"x"}]}"#, "unknown field `titel`");
        check(r#"{"any":[{}]}"#, "a test needs one of words, author");
        check(r#"{"any":[{"not":true}]}"#, "a test needs one of words, author");
        check(r#"{"any":[{"author":"x","tag":"y"}]}"#, "a test asks one thing");
        check(r#"{"any":[{"author":"x","in":"title"}]}"#, "`in` belongs to `words`");
        check(r#"{"any":[{"words":["x"],"in":"link"}]}"#, "unknown variant `link`");
        check(r#"{"any":[{"words":"x"}]}"#, "expected a sequence");
        check(r#"{"any":[{"media_longer_than_bytes":-1}]}"#, "invalid value");
    }

    #[test]
    fn a_filter_as_json() {
        let filter = Filter {
            id: FilterId(5),
            name: "No sport".into(),
            scope: Scope::Category(CategoryId(3)),
            condition: Condition::Any(vec![Test { subject: Subject::Tag("Sport".into()), negated: false }]),
            actions: vec![Action::Mute, Action::MarkRead, Action::Star, Action::Tag("later".into())],
            enabled: true,
        };
        let written = serde_json::to_string(&filter).unwrap();
        assert_eq!(
            written,
            r#"{"id":5,"name":"No sport","scope":{"category":3},"condition":{"any":[{"tag":"Sport"}]},"#.to_owned()
                + r#""actions":["mute","mark_read","star",{"tag":"later"}],"enabled":true}"#
        );
        assert_eq!(serde_json::from_str::<Filter>(&written).unwrap(), filter);
        let scope = |written: &str| serde_json::from_str::<Scope>(written).ok();
        assert_eq!((scope(r#""all""#), scope(r#"{"feed":7}"#)), (Some(Scope::All), Some(Scope::Feed(FeedId(7)))));
        assert_eq!(scope(r#"{"user":7}"#), None);
    }
}
