//! The cost of filters: many of them, many entries, and the worst of both.

use model::filter::{Action, Condition, Filter, Place, Scope, Subject, Test};
use model::{FeedId, FilterId};
use policy::filter::{Candidate, Compiled, validate};
use std::time::Duration;
use trial::timed;

fn filters(lists: impl Iterator<Item = Vec<String>>) -> Vec<Filter> {
    let filter = |(i, words): (usize, Vec<String>)| {
        let subject = Subject::Words { words, place: Place::Both };
        let condition = Condition::Any(vec![Test { subject, negated: false }]);
        let (id, name, actions) = (FilterId(i as i64), "a filter".to_owned(), vec![Action::Mute]);
        let filter = Filter { id, name, scope: Scope::All, condition, actions, enabled: true };
        assert_eq!(validate(&filter), Ok(()));
        filter
    };
    lists.enumerate().map(filter).collect()
}

fn entry<'a>(title: &'a str, text: &'a str) -> Candidate<'a> {
    Candidate {
        feed: FeedId(1),
        category: None,
        category_ancestors: &[],
        title,
        text,
        author: "",
        tags: &[],
        link: "",
        enclosures: &[],
    }
}

#[test]
fn a_hundred_filters_and_five_hundred_entries_are_fast() {
    let words = |filter: usize| (0..20).map(move |word| format!("w{}{}", filter * 20 + word, ["", "*"][word % 2]));
    let filters = filters((0..100).map(|filter| words(filter).collect()));
    let text = "Überall wird viel geschrieben, and little of it is read: w1999. ".repeat(80);
    let (hits, took) = timed(|| {
        let compiled = Compiled::new(&filters);
        (0..500).map(|_| compiled.apply(&entry("A title of eight words or so", &text)).hits.len()).sum::<usize>()
    });
    // The filters with `w1999*`, with `w199*`, and with both `w19*` and `w1*`.
    assert_eq!(hits, 500 * 3);
    // A fraction of a second when optimised.
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn hostile_filters_are_fast() {
    let repeated = |word: &str, times: usize, end: &str| format!("{}{end}", word.repeat(times));
    for (case, word, text) in [
        ("a long phrase of one word", repeated("a ", 99, "b"), "a ".repeat(1 << 14)),
        ("a long beginning", repeated("a ", 99, "b*"), "a ".repeat(1 << 14)),
        ("without spaces", repeated("字", 199, "a"), "字".repeat(1 << 14)),
        ("one long word", repeated("a", 200, ""), "a".repeat(1 << 20)),
        ("marks", repeated("e\u{301}", 100, ""), "e\u{301}\u{323}".repeat(1 << 15)),
        ("nothing but marks", repeated("e\u{301}", 100, ""), "\u{301}\u{323}".repeat(1 << 16)),
    ] {
        let filters = filters(std::iter::repeat_n(vec![word; 200], 5));
        let (outcome, took) = timed(|| Compiled::new(&filters).apply(&entry("", &text)));
        assert!(outcome.hits.is_empty(), "{case}");
        assert!(took < Duration::from_secs(20), "{case} took {took:?}");
    }
}
