//! Filters: what is done to an entry by the rules of a user. Pure; `engine` asks when entries arrive, and `web` when a
//! user tries a filter out.
//!
//! A user's filters are compiled once (`Compiled`), so that each text of an entry is read once, however many filters
//! there are, and not at all if none asks for it. What a filter may be is in `filter/validate.rs`.
//!
//! Invariant: a filter that `validate` refuses does nothing.

mod check;
mod fold;
mod phrases;
mod validate;

pub use validate::validate;

use check::{Check, Facts};
use fold::Words;
use model::entry::Attachment;
use model::filter::{Action, Condition, Filter, Scope};
use model::{CategoryId, FeedId, FilterId};
use phrases::{Phrase, Phrases};

/// What is read of a title or a content: long articles are a fifth of it.
const TEXT_WORDS: usize = 50_000;

/// What a user's filters do to one entry. For many entries, compile the filters once.
pub fn apply(filters: &[Filter], candidate: &Candidate<'_>) -> Outcome {
    Compiled::new(filters).apply(candidate)
}

/// What filters know of an entry. What it has not is empty.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The feed it is of.
    pub feed: FeedId,
    /// The category in which the user has that feed.
    pub category: Option<CategoryId>,
    /// The categories above that one, in any order.
    pub category_ancestors: &'a [CategoryId],
    /// Its title, as plain text.
    pub title: &'a str,
    /// Its content or summary, as plain text.
    pub text: &'a str,
    /// Its authors' names.
    pub author: &'a str,
    /// What the publisher filed it under.
    pub tags: &'a [String],
    /// The page where a person reads it.
    pub link: &'a str,
    /// Attached files.
    pub enclosures: &'a [Attachment],
}

/// What is done to an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// It is left out of lists and counts.
    pub mute: bool,
    /// It is marked as read.
    pub read: bool,
    /// It is saved.
    pub star: bool,
    /// It gets these labels, each once, whatever its case.
    pub tags: Vec<String>,
    /// The filters that are about it, in the order of the filters.
    pub hits: Vec<FilterId>,
    /// Why, one for each hit.
    pub because: Vec<Because>,
}

/// Why a filter is about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Because {
    /// The filter.
    pub filter: FilterId,
    /// The tests that were true, in words for the user.
    pub text: String,
}

/// A user's filters, ready for many entries.
#[derive(Debug)]
pub struct Compiled {
    rules: Vec<Rule>,
    /// The words of all filters; what is told is the number of the test, and that of the word in it.
    phrases: Phrases<(usize, usize)>,
    word_tests: usize,
    refused: Vec<(FilterId, String)>,
}

impl Compiled {
    /// Those filters that are on.
    pub fn new(filters: &[Filter]) -> Self {
        let mut compiled = Self { rules: Vec::new(), phrases: Phrases::new(), word_tests: 0, refused: Vec::new() };
        for filter in filters.iter().filter(|filter| filter.enabled) {
            match validate(filter) {
                Ok(()) => compiled.add(filter),
                Err(problem) => compiled.refused.push((filter.id, problem)),
            }
        }
        compiled
    }

    /// Filters that do nothing, because they would not be accepted today.
    pub fn refused(&self) -> &[(FilterId, String)] {
        &self.refused
    }

    /// What the filters do to one entry.
    pub fn apply(&self, candidate: &Candidate<'_>) -> Outcome {
        let facts = Facts::new(self, candidate);
        let mut outcome = Outcome::default();
        for rule in self.rules.iter().filter(|rule| rule.is_in_scope(candidate)) {
            if let Some(text) = rule.because(&facts) {
                rule.actions.iter().for_each(|action| outcome.add(action));
                outcome.hits.push(rule.id);
                outcome.because.push(Because { filter: rule.id, text });
            }
        }
        outcome
    }

    fn add(&mut self, filter: &Filter) {
        let tests = filter.condition.tests().iter().map(|test| Check::new(test, self)).collect();
        let any = matches!(filter.condition, Condition::Any(_));
        self.rules.push(Rule { id: filter.id, scope: filter.scope, any, tests, actions: filter.actions.clone() });
    }

    /// Words that one test looks for; the number of the test.
    fn add_words(&mut self, words: &[String]) -> usize {
        let test = self.word_tests;
        self.word_tests += 1;
        for (i, word) in words.iter().enumerate() {
            if let Some(phrase) = Phrase::read(word) {
                self.phrases.add(&phrase, (test, i));
            }
        }
        test
    }

    /// Which words are in a text: for each test the place in its list of the word that was found first.
    fn find(&self, text: &str) -> Vec<Option<usize>> {
        let mut found = vec![None; self.word_tests];
        self.phrases.find(&Words::of(text, TEXT_WORDS), |(test, word)| {
            found[test].get_or_insert(word);
        });
        found
    }
}

impl Outcome {
    fn add(&mut self, action: &Action) {
        match action {
            Action::Mute => self.mute = true,
            Action::MarkRead => self.read = true,
            Action::Star => self.star = true,
            Action::Tag(tag) => {
                let tag = tag.trim();
                if !self.tags.iter().any(|other| other.to_lowercase() == tag.to_lowercase()) {
                    self.tags.push(tag.to_owned());
                }
            }
        }
    }
}

#[derive(Debug)]
struct Rule {
    id: FilterId,
    scope: Scope,
    any: bool,
    tests: Vec<Check>,
    actions: Vec<Action>,
}

impl Rule {
    fn is_in_scope(&self, candidate: &Candidate<'_>) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Feed(feed) => candidate.feed == feed,
            Scope::Category(category) => {
                candidate.category == Some(category) || candidate.category_ancestors.contains(&category)
            }
        }
    }

    /// Why the rule is about an entry. `None` if it is not.
    fn because(&self, facts: &Facts<'_>) -> Option<String> {
        if self.any {
            return self.tests.iter().find(|test| test.holds(facts)).map(|test| test.because(facts));
        }
        let holds = self.tests.iter().all(|test| test.holds(facts));
        holds.then(|| self.tests.iter().map(|test| test.because(facts)).collect::<Vec<_>>().join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::filter::{Place, Subject, Test};
    use proptest::prelude::*;

    const ENTRY: Candidate<'static> = Candidate {
        feed: FeedId(7),
        category: Some(CategoryId(3)),
        category_ancestors: &[CategoryId(2), CategoryId(1)],
        title: "Football: Zürich wins the Cup",
        text: "A résumé of the match. New York was watching.",
        author: "Zoë Müller (AFP)",
        tags: &[],
        link: "https://news.example/Sport/live?id=1",
        enclosures: &[],
    };

    fn filter(id: i64, scope: Scope, condition: &str, actions: Vec<Action>) -> Filter {
        let condition = serde_json::from_str(condition).unwrap();
        Filter { id: FilterId(id), name: format!("filter {id}"), scope, condition, actions, enabled: true }
    }

    /// Why a filter with this condition is about the entry, or "no".
    fn asked(condition: &str, entry: &Candidate<'_>) -> String {
        let found = apply(&[filter(1, Scope::All, condition, vec![Action::Mute])], entry);
        assert_eq!((found.mute, found.hits.len()), (!found.because.is_empty(), found.because.len()));
        found.because.into_iter().next().map_or("no".to_owned(), |because| because.text)
    }

    #[test]
    fn tests_ask_about_an_entry() {
        let tags = ["Sport".to_owned(), "Évènements".to_owned()];
        let file = |length| Attachment { url: "https://news.example/a.mp3".into(), media_type: None, length };
        let files = [file(None), file(Some(0)), file(Some(5_000))];
        let entry = Candidate { tags: &tags, enclosures: &files, ..ENTRY };
        let check = |test: &str, expected: &str, negated: &str| {
            assert_eq!(asked(&format!(r#"{{"any":[{{{test}}}]}}"#), &entry), expected, "{test}");
            assert_eq!(asked(&format!(r#"{{"any":[{{{test},"not":true}}]}}"#), &entry), negated, "not {test}");
        };
        check(r#""words":["football"],"in":"title""#, "\"football\" is in the title", "no");
        check(r#""words":["foot"]"#, "no", "none of its words is in the title or the content");
        check(r#""words":["foot*"]"#, "\"foot*\" is in the title", "no");
        check(r#""words":["football"],"in":"content""#, "no", "none of its words is in the content");
        check(r#""words":["zurich WINS"]"#, "\"zurich WINS\" is in the title", "no");
        check(r#""words":["x","Resumé","match"],"in":"both""#, "\"Resumé\" is in the content", "no");
        check(r#""words":["cup a"]"#, "no", "none of its words is in the title or the content");
        check(r#""words":["york new"],"in":"title""#, "no", "none of its words is in the title");
        check(r#""author":"zoe muller""#, "the author has \"zoe muller\"", "no");
        check(r#""author":"(afp)""#, "the author has \"(afp)\"", "no");
        check(r#""author":"reuters""#, "no", "the author does not have \"reuters\"");
        check(r#""tag":" sport ""#, "it is filed under \"sport\"", "no");
        check(r#""tag":"evènements""#, "it is filed under \"evènements\"", "no");
        check(r#""tag":"spor""#, "no", "it is not filed under \"spor\"");
        check(r#""feed":7"#, "it is of feed 7", "no");
        check(r#""feed":8"#, "no", "it is not of feed 8");
        check(r#""link":"/sport/""#, "the link has \"/sport/\"", "no");
        check(r#""link":"/politics/""#, "no", "the link does not have \"/politics/\"");
        check(r#""has_media":true"#, "it has media", "no");
        check(r#""media_longer_than_bytes":4999"#, "it has media longer than 4999 bytes", "no");
        check(r#""media_longer_than_bytes":5000"#, "no", "it does not have media longer than 5000 bytes");
        check(r#""media_shorter_than_bytes":5001"#, "it has media shorter than 5001 bytes", "no");
        check(r#""media_shorter_than_bytes":5000"#, "no", "it does not have media shorter than 5000 bytes");
    }

    #[test]
    fn an_entry_without_anything_has_nothing() {
        let entry = Candidate { title: "", text: "", author: "", link: "", ..ENTRY };
        let check = |test: &str| {
            assert_eq!(asked(&format!(r#"{{"any":[{{{test}}}]}}"#), &entry), "no", "{test}");
        };
        check(r#""words":["a*"]"#);
        check(r#""author":"a""#);
        check(r#""tag":"a""#);
        check(r#""link":"a""#);
        check(r#""has_media":true"#);
        check(r#""media_longer_than_bytes":0"#);
        check(r#""media_shorter_than_bytes":9"#);
    }

    #[test]
    fn conditions_combine_tests() {
        let check = |condition: &str, expected: &str| assert_eq!(asked(condition, &ENTRY), expected, "{condition}");
        let [yes, also, no] = [r#"{"words":["cup"]}"#, r#"{"feed":7}"#, r#"{"author":"bot"}"#];
        check(&format!(r#"{{"all":[{yes},{also}]}}"#), "\"cup\" is in the title and it is of feed 7");
        check(&format!(r#"{{"all":[{yes},{no}]}}"#), "no");
        check(&format!(r#"{{"any":[{no},{also},{yes}]}}"#), "it is of feed 7");
        check(&format!(r#"{{"any":[{no}]}}"#), "no");
    }

    #[test]
    fn a_scope_covers_what_is_below_it() {
        let check = |scope: Scope, expected: bool| {
            let filters = [filter(1, scope, r#"{"any":[{"words":["cup"]}]}"#, vec![Action::Star])];
            assert_eq!(apply(&filters, &ENTRY).star, expected, "{scope:?}");
        };
        check(Scope::All, true);
        check(Scope::Feed(FeedId(7)), true);
        check(Scope::Feed(FeedId(3)), false);
        check(Scope::Category(CategoryId(3)), true);
        check(Scope::Category(CategoryId(1)), true);
        check(Scope::Category(CategoryId(7)), false);
        let filters = [filter(1, Scope::Category(CategoryId(3)), r#"{"any":[{"feed":7}]}"#, vec![Action::Star])];
        let unfiled = Candidate { category: None, category_ancestors: &[], ..ENTRY };
        assert!(!apply(&filters, &unfiled).star);
    }

    #[test]
    fn filters_add_up() {
        let tag = |name: &str| Action::Tag(name.into());
        let cup = r#"{"any":[{"words":["cup"]}]}"#;
        let filters = [
            filter(9, Scope::All, cup, vec![Action::MarkRead, tag("Sport"), tag("Later")]),
            filter(4, Scope::All, r#"{"any":[{"words":["chess"]}]}"#, vec![Action::Mute]),
            Filter { enabled: false, ..filter(5, Scope::All, cup, vec![Action::Mute]) },
            filter(6, Scope::All, cup, vec![tag(" sport"), Action::Star]),
        ];
        let found = apply(&filters, &ENTRY);
        assert_eq!((found.mute, found.read, found.star), (false, true, true));
        assert_eq!(found.tags, ["Sport", "Later"]);
        assert_eq!(found.hits, [FilterId(9), FilterId(6)]);
        assert_eq!(found.because.iter().map(|because| because.filter).collect::<Vec<_>>(), found.hits);
        assert_eq!(apply(&[], &ENTRY), Outcome::default());
    }

    #[test]
    fn a_filter_that_is_not_valid_does_nothing() {
        let everything = filter(1, Scope::All, r#"{"all":[]}"#, vec![Action::Mute]);
        let not_even_a_word = filter(2, Scope::All, r#"{"all":[{"words":["!"],"not":true}]}"#, vec![Action::Mute]);
        let compiled = Compiled::new(&[everything, not_even_a_word]);
        assert_eq!(compiled.apply(&ENTRY), Outcome::default());
        assert_eq!(compiled.refused().iter().map(|(id, _)| id.0).collect::<Vec<_>>(), [1, 2]);
    }

    proptest! {
        /// Compiled together, filters do what they do alone.
        #[test]
        fn many_filters_do_what_each_does(
            lists in proptest::collection::vec(proptest::collection::vec("[abc]( [abc]){0,2}\\*?", 1..4), 1..8),
            title in "([abc]{1,2} ){0,6}",
            text in "([abc]{1,2} ){0,9}",
        ) {
            let entry = Candidate { title: &title, text: &text, ..ENTRY };
            let places = [Place::Title, Place::Content, Place::Both];
            let filters: Vec<Filter> = lists.iter().enumerate().map(|(i, words)| {
                let subject = Subject::Words { words: words.clone(), place: places[i % 3] };
                let condition = Condition::All(vec![Test { subject, negated: i % 4 == 3 }]);
                Filter { condition, ..filter(i as i64, Scope::All, r#"{"any":[{"feed":1}]}"#, vec![Action::Mute]) }
            }).collect();
            let alone: Vec<FilterId> = filters.iter()
                .flat_map(|filter| apply(std::slice::from_ref(filter), &entry).hits).collect();
            prop_assert_eq!(&apply(&filters, &entry).hits, &alone);
            // And what a slow reading of the text says.
            let has = |text: &str, phrase: &str| {
                let text: Vec<&str> = text.split_whitespace().collect();
                let (phrase, open) = phrase.strip_suffix('*').map_or((phrase, false), |phrase| (phrase, true));
                let phrase: Vec<&str> = phrase.split_whitespace().collect();
                let (last, before) = phrase.split_last().unwrap();
                text.windows(phrase.len()).any(|run| {
                    let end = run[run.len() - 1];
                    run[..run.len() - 1] == *before && if open { end.starts_with(last) } else { end == *last }
                })
            };
            let slow: Vec<FilterId> = lists.iter().enumerate().filter(|(i, words)| {
                let found = words.iter().any(|word| match i % 3 {
                    0 => has(&title, word),
                    1 => has(&text, word),
                    _ => has(&title, word) || has(&text, word),
                });
                found != (i % 4 == 3)
            }).map(|(i, _)| FilterId(i as i64)).collect();
            prop_assert_eq!(alone, slow);
        }
    }
}
