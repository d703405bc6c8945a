//! What a person typed, as an expression of terms. Pure; every text is a query, and none a syntax error.
//!
//! Words must all be there, in any order; `"a phrase"` in that order; `-word` must not; `begin*` stands for every word
//! that begins so. Everything else is literal: `C++`, `foo-bar` and `don't` are the words they are cut into, side by side.

use super::document::era;
use super::terms::{Word, words};
use crate::db::sql::Dialect;
use model::FeedId;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// What is read of a query: longer ones are a mistake or an attack.
const QUERY_CHARS: usize = 1_000;
const PHRASES: usize = 24;
const TERMS: usize = 64;

/// What must be there, and what must not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) must: Vec<Phrase>,
    never: Vec<Phrase>,
}

/// Terms side by side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Phrase {
    terms: Vec<String>,
    end: End,
}

/// What the last term of a phrase stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum End {
    /// Itself.
    #[default]
    Whole,
    /// Every term that begins so.
    Open,
    /// Any of these.
    OneOf(Vec<String>),
}

/// What else must be true of a hit: marks of the document, not words of the query.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks<'a> {
    pub(super) feed: Option<FeedId>,
    /// Its id lies in these eras (PostgreSQL).
    pub(super) eras: Option<(i64, i64)>,
    /// A mark with a term.
    pub(super) strong: Option<(char, &'a str, &'a End)>,
}

/// Reads a query.
pub(super) fn expression(query: &str) -> Expression {
    let end = query.char_indices().nth(QUERY_CHARS).map_or(query.len(), |(at, _)| at);
    let mut rest = &query[..end];
    let mut found = Expression::default();
    let mut room = TERMS;
    while found.must.len() + found.never.len() < PHRASES {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let minus = rest.len() > 1 && rest.starts_with('-') && !rest[1..].starts_with(char::is_whitespace);
        rest = if minus { &rest[1..] } else { rest };
        let (literal, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len())),
        };
        let (star, after) = match after.strip_prefix('*') {
            Some(after) => (true, after),
            None => (literal.ends_with('*'), after),
        };
        rest = after;
        let phrase = phrase(literal, star, room);
        room -= phrase.terms.len();
        let side = if minus { &mut found.never } else { &mut found.must };
        if !phrase.terms.is_empty() && !side.contains(&phrase) {
            side.push(phrase);
        }
    }
    found
}

/// The terms of a literal, at most `room`.
fn phrase(literal: &str, star: bool, room: usize) -> Phrase {
    let mut phrase = Phrase::default();
    // Where a run of characters ends inside the phrase, it ends in the text, too: its last character is a term there.
    // At the end of the phrase the text may go on.
    let mut tail = None;
    words(literal, |word| {
        phrase.terms.extend(tail.take().map(String::from));
        phrase.end = if star { End::Open } else { End::Whole };
        match word {
            Word::Spaced(word) => phrase.terms.push(word.to_owned()),
            Word::Unspaced(&[alone]) => {
                phrase.terms.push(alone.into());
                phrase.end = End::Open;
            }
            Word::Unspaced(run) => {
                phrase.terms.extend(run.windows(2).take(room).map(|pair| pair.iter().collect::<String>()));
                phrase.end = End::Whole;
                tail = run.last().copied();
            }
        }
        if phrase.terms.len() < room { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if phrase.terms.len() > room {
        phrase.terms.truncate(room);
        phrase.end = End::Whole;
    }
    phrase
}

impl Expression {
    /// Whether there is nothing to look for. What must not be there alone is no description of anything.
    pub(super) fn is_empty(&self) -> bool {
        self.must.is_empty()
    }

    /// The beginnings in it that stand for every term, and where to say which terms they stand for instead. What must
    /// not be there is left as it is.
    pub(super) fn beginnings(&mut self) -> impl Iterator<Item = (&str, &mut End)> {
        let open = self.must.iter_mut().filter(|phrase| phrase.end == End::Open);
        open.filter_map(|Phrase { terms, end }| Some((terms.last()?.as_str(), end)))
    }

    /// Each of its terms alone, in any order: found wherever the expression is, and elsewhere.
    pub(super) fn loose(&self) -> Self {
        let terms = self.must.iter().flat_map(Phrase::each_term);
        let must = terms.map(|(term, end)| Phrase { terms: vec![term.to_owned()], end: end.clone() }).collect();
        Self { must, never: Vec::new() }
    }

    /// The terms that must be there.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&str, &End)> {
        self.must.iter().flat_map(Phrase::each_term)
    }

    /// Whether words must stand side by side.
    pub(super) fn has_phrases(&self) -> bool {
        self.must.iter().any(|phrase| phrase.terms.len() > 1)
    }

    /// The expression as the database reads it. Terms hold letters and digits only, so that quoting them is enough.
    pub(super) fn text(&self, dialect: Dialect, marks: Marks<'_>) -> String {
        let and = if dialect == Dialect::Sqlite { " AND " } else { " & " };
        let mut must: Vec<String> = self.must.iter().map(|phrase| phrase.text(dialect)).collect();
        must.extend(marks.feed.map(|feed| term(dialect, "#", &feed.to_string(), &End::Whole)));
        must.extend(marks.strong.map(|(sigil, word, end)| term(dialect, sigil.encode_utf8(&mut [0; 4]), word, end)));
        if let Some((first, last)) = marks.eras {
            let eras = (first..=last).map(|era| term(dialect, "@", &era.to_string(), &End::Whole));
            must.push(any(dialect, eras));
        }
        let mut text = format!("({})", must.join(and));
        if !self.never.is_empty() {
            let not = if dialect == Dialect::Sqlite { " NOT " } else { " & !" };
            let _ = write!(text, "{not}{}", any(dialect, self.never.iter().map(|phrase| phrase.text(dialect))));
        }
        text
    }
}

impl Phrase {
    fn text(&self, dialect: Dialect) -> String {
        let Some((last, before)) = self.terms.split_last() else { return String::new() };
        match dialect {
            // A phrase is one string, so that each choice of its end is a phrase of its own.
            Dialect::Sqlite => match &self.end {
                End::OneOf(words) => any(dialect, words.iter().map(|word| sqlite_phrase(before, word, &End::Whole))),
                end => sqlite_phrase(before, last, end),
            },
            Dialect::Postgres => {
                let before = before.iter().map(|word| term(dialect, "", word, &End::Whole));
                let all: Vec<String> = before.chain([term(dialect, "", last, &self.end)]).collect();
                format!("({})", all.join(" <-> "))
            }
        }
    }

    fn each_term(&self) -> impl Iterator<Item = (&str, &End)> {
        let last = self.terms.len() - 1;
        self.terms
            .iter()
            .enumerate()
            .map(move |(i, term)| (term.as_str(), if i == last { &self.end } else { &End::Whole }))
    }
}

fn sqlite_phrase(before: &[String], last: &str, end: &End) -> String {
    let all: Vec<&str> = before.iter().map(String::as_str).chain([last]).collect();
    term(Dialect::Sqlite, "", &all.join(" "), end)
}

/// One term, or what it stands for, with a sigil before it.
fn term(dialect: Dialect, sigil: &str, word: &str, end: &End) -> String {
    match (dialect, end) {
        (_, End::OneOf(words)) => any(dialect, words.iter().map(|word| term(dialect, sigil, word, &End::Whole))),
        (Dialect::Sqlite, End::Open) => format!("\"{sigil}{word}\" *"),
        (Dialect::Sqlite, End::Whole) => format!("\"{sigil}{word}\""),
        (Dialect::Postgres, End::Open) => format!("'{sigil}{word}':*"),
        (Dialect::Postgres, End::Whole) => format!("'{sigil}{word}'"),
    }
}

fn any(dialect: Dialect, choices: impl Iterator<Item = String>) -> String {
    let or = if dialect == Dialect::Sqlite { " OR " } else { " | " };
    format!("({})", choices.collect::<Vec<_>>().join(or))
}

/// So many eras from `newest` back, one choice after the other; `None` at last: everything.
pub(super) fn windows(newest: i64, eras: &[i64]) -> impl Iterator<Item = Option<(i64, i64)>> {
    let last = era(newest);
    let window = move |eras: i64| Some(((last - eras + 1).max(0), last));
    eras.iter().copied().take_while(move |eras| *eras <= last).map(window).chain([None])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_people_type_is_understood() {
        let check = |query: &str, sqlite: &str| {
            assert_eq!(expression(query).text(Dialect::Sqlite, Marks::default()), sqlite, "{query}");
        };
        check("rust", r#"("rust")"#);
        check("Rust  Café rust", r#"("rust" AND "cafe")"#);
        check("\"two words\" more", r#"("two words" AND "more")"#);
        check("\"never closed", r#"("never closed")"#);
        check("a\"b c\"d", r#"("a" AND "b c" AND "d")"#);
        check("rust -python -\"go lang\"", r#"("rust") NOT ("python" OR "go lang")"#);
        check("prog* \"a beg\"*", r#"("prog" * AND "a beg" *)"#);
        check("foo-bar don't C++ a.b*", r#"("foo bar" AND "don t" AND "c" AND "a b" *)"#);
        check("a - b * -", r#"("a" AND "b")"#);
        check(
            "a AND b OR NOT c NEAR(d, 5)",
            r#"("a" AND "and" AND "b" AND "or" AND "not" AND "c" AND "near d" AND "5")"#,
        );
        check("title:x {y} ^z #7 @3 +q", r#"("title x" AND "y" AND "z" AND "7" AND "3" AND "q")"#);
        check("中", r#"("中" *)"#);
        check("中文", r#"("中文")"#);
        check("中文字 日本", r#"("中文 文字" AND "日本")"#);
        check("iPhone手机 手机abc 字x", r#"("iphone 手机" AND "手机 机 abc" AND "字 x")"#);
    }

    #[test]
    fn postgres_reads_the_same() {
        let check = |query: &str, marks: Marks<'_>, postgres: &str| {
            assert_eq!(expression(query).text(Dialect::Postgres, marks), postgres, "{query}");
        };
        check("a \"b c*\" -d", Marks::default(), "(('a') & ('b' <-> 'c':*)) & !(('d'))");
        let marks = Marks { feed: Some(FeedId(7)), eras: Some((3, 4)), strong: Some(('^', "a", &End::Open)) };
        check("a", marks, "(('a') & '#7' & '^a':* & ('@3' | '@4'))");
    }

    #[test]
    fn a_beginning_may_stand_for_some_words() {
        let check = |query: &str, sqlite: &str, postgres: &str, loose: &str| {
            let mut found = expression(query);
            let words = |begin: &str| End::OneOf(vec![format!("{begin}x"), format!("{begin}y")]);
            found.beginnings().for_each(|(begin, end)| *end = words(begin));
            assert_eq!(found.text(Dialect::Sqlite, Marks::default()), sqlite, "{query}");
            assert_eq!(found.text(Dialect::Postgres, Marks::default()), postgres, "{query}");
            assert_eq!(found.loose().text(Dialect::Sqlite, Marks::default()), loose, "{query}");
        };
        check("a*", r#"(("ax" OR "ay"))"#, "((('ax' | 'ay')))", r#"(("ax" OR "ay"))"#);
        check(
            "\"a b\"* -c*",
            r#"(("a bx" OR "a by")) NOT ("c" *)"#,
            "(('a' <-> ('bx' | 'by'))) & !(('c':*))",
            r#"("a" AND ("bx" OR "by"))"#,
        );
        let end = End::OneOf(vec!["x".into(), "y".into()]);
        let marks = Marks { strong: Some(('^', "a", &end)), ..Marks::default() };
        assert_eq!(expression("b").text(Dialect::Postgres, marks), "(('b') & ('^x' | '^y'))");
    }

    #[test]
    fn nothing_to_look_for() {
        for query in ["", "  ", "-a", "\"\"", "*", "-", "\"", "\0", "!?", "-\"a b\" -c"] {
            assert!(expression(query).is_empty(), "{query:?}");
        }
    }

    #[test]
    fn windows_grow_until_they_are_everything() {
        let list = |newest| windows(newest, &[2, 4, 16, 64]).collect::<Vec<_>>();
        assert_eq!(list(0), [None]);
        assert_eq!(list(20 * 1024), [Some((19, 20)), Some((17, 20)), Some((5, 20)), None]);
        let all = [Some((998, 999)), Some((996, 999)), Some((984, 999)), Some((936, 999)), None];
        assert_eq!(list(1000 * 1024 - 1), all);
    }

    proptest! {
        #[test]
        fn any_text_is_a_query_of_bounded_size(query in "(\\PC|[\"* -]){0,3000}") {
            let found = expression(&query);
            let terms: usize = found.must.iter().chain(&found.never).map(|phrase| phrase.terms.len()).sum();
            prop_assert!(terms <= TERMS);
            prop_assert!(found.must.iter().all(|phrase| !phrase.terms.is_empty()));
        }
    }
}
