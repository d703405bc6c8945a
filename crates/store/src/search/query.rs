//! What a person typed, as an expression of terms. Pure; every text is a query, and none a syntax error.
//!
//! Words must all be there, in any order; `"a phrase"` in that order; `-word` must not; `begin*` stands for every word
//! that begins so. Everything else is literal: `C++`, `foo-bar` and `don't` are the words they are cut into, side by side.

use super::document::era;
use super::terms::{Word, words};
use crate::sql::Dialect;
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
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) terms: Vec<String>,
    /// The last term is the beginning of one.
    pub(super) open: bool,
}

/// What else must be true of a hit: marks of the document, not words of the query.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks<'a> {
    pub(super) feed: Option<FeedId>,
    /// Its id lies in these eras (PostgreSQL).
    pub(super) eras: Option<(i64, i64)>,
    /// A mark with a term, and whether the term may go on.
    pub(super) strong: Option<(char, &'a str, bool)>,
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
        phrase.open = star;
        match word {
            Word::Spaced(word) => phrase.terms.push(word.to_owned()),
            Word::Unspaced(&[alone]) => {
                phrase.terms.push(alone.into());
                phrase.open = true;
            }
            Word::Unspaced(run) => {
                phrase.terms.extend(run.windows(2).take(room).map(|pair| pair.iter().collect::<String>()));
                phrase.open = false;
                tail = run.last().copied();
            }
        }
        if phrase.terms.len() < room { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if phrase.terms.len() > room {
        phrase.terms.truncate(room);
        phrase.open = false;
    }

    phrase
}

impl Expression {
    /// Whether there is nothing to look for. What must not be there alone is no description of anything.
    pub(super) fn is_empty(&self) -> bool {
        self.must.is_empty()
    }

    /// The expression as the database reads it. Terms hold letters and digits only, so that quoting them is enough.
    pub(super) fn text(&self, dialect: Dialect, marks: Marks<'_>) -> String {
        let (and, or) = match dialect {
            Dialect::Sqlite => (" AND ", " OR "),
            Dialect::Postgres => (" & ", " | "),
        };
        let mut must: Vec<String> = self.must.iter().map(|phrase| phrase.text(dialect)).collect();
        must.extend(marks.feed.map(|feed| mark(dialect, '#', &feed.to_string(), false)));
        must.extend(marks.strong.map(|(sigil, term, open)| mark(dialect, sigil, term, open)));
        if let Some((first, last)) = marks.eras {
            let eras: Vec<_> = (first..=last).map(|era| mark(dialect, '@', &era.to_string(), false)).collect();
            must.push(format!("({})", eras.join(or)));
        }
        let mut text = format!("({})", must.join(and));
        if !self.never.is_empty() {
            let never: Vec<String> = self.never.iter().map(|phrase| phrase.text(dialect)).collect();
            let not = if dialect == Dialect::Sqlite { " NOT " } else { " & !" };
            let _ = write!(text, "{not}({})", never.join(or));
        }
        text
    }
}

impl Phrase {
    fn text(&self, dialect: Dialect) -> String {
        match dialect {
            Dialect::Sqlite => format!("\"{}\"{}", self.terms.join(" "), if self.open { " *" } else { "" }),
            Dialect::Postgres => {
                format!("('{}'{})", self.terms.join("' <-> '"), if self.open { ":*" } else { "" })
            }
        }
    }
}

fn mark(dialect: Dialect, sigil: char, term: &str, open: bool) -> String {
    match dialect {
        Dialect::Sqlite => format!("\"{sigil}{term}\"{}", if open { " *" } else { "" }),
        Dialect::Postgres => format!("'{sigil}{term}'{}", if open { ":*" } else { "" }),
    }
}

/// The eras from `newest` back, in steps that grow; `None` at last: everything.
pub(super) fn windows(newest: i64) -> impl Iterator<Item = Option<(i64, i64)>> {
    let last = era(newest);
    let window = move |eras: i64| Some(((last - eras + 1).max(0), last));
    [2, 16, 64].into_iter().take_while(move |eras| *eras <= last).map(window).chain([None])
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
        let marks = Marks { feed: Some(FeedId(7)), eras: Some((3, 4)), strong: Some(('^', "a", true)) };
        check("a", marks, "(('a') & '#7' & '^a':* & ('@3' | '@4'))");
    }

    #[test]
    fn nothing_to_look_for() {
        for query in ["", "  ", "-a", "\"\"", "*", "-", "\"", "\0", "!?", "-\"a b\" -c"] {
            assert!(expression(query).is_empty(), "{query:?}");
        }
    }

    #[test]
    fn windows_grow_until_they_are_everything() {
        let list = |newest| windows(newest).collect::<Vec<_>>();
        assert_eq!(list(0), [None]);
        assert_eq!(list(20 * 1024), [Some((19, 20)), Some((5, 20)), None]);
        assert_eq!(list(1000 * 1024 - 1), [Some((998, 999)), Some((984, 999)), Some((936, 999)), None]);
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
