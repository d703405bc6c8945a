//! What a reader types into search: operators such as `feed:verge` and `is:unread` apart from the words. Pure; every
//! text is a query, and what cannot be understood is said and left out.
//!
//! `feed:` `in:` `author:` take a name, `is:` takes unread, read or saved, `before:` and `after:` a date
//! (`reader_query/date.rs`). A minus before any of them means the opposite. Everything else, `https://x` and `foo:bar`
//! included, is words, "phrases", -words and beginnings* for the text index, which reads them itself.

mod date;

use jiff::Timestamp;

/// What is read of a query: longer ones are a mistake or an attack.
const QUERY_CHARS: usize = 1_000;

/// What a reader looks for. All of it must be true of a hit; of several feeds, categories or authors one is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReaderQuery {
    /// For the text index: words, "phrases", -without, begin*. Empty, or with at least one word to look for.
    pub words: String,
    /// Names of feeds, any of which it may be of.
    pub feed: Vec<String>,
    /// Names of feeds, none of which it may be of.
    pub not_feed: Vec<String>,
    /// Names or paths of categories (`News/Tech`), any of which it may be in.
    pub category: Vec<String>,
    /// Names or paths of categories, none of which it may be in.
    pub not_category: Vec<String>,
    /// Names of authors, any of which it may be by.
    pub author: Vec<String>,
    /// Names of authors, none of which it may be by.
    pub not_author: Vec<String>,
    /// Only what is unread, or only what is read.
    pub unread: Option<bool>,
    /// Only what is saved, or only what is not.
    pub saved: Option<bool>,
    /// Only what is earlier than this.
    pub before: Option<Timestamp>,
    /// Only what is not earlier than this.
    pub after: Option<Timestamp>,
    /// What could not be understood and was left out, in words for the reader.
    pub problems: Vec<String>,
}

/// Reads a query.
pub fn parse(query: &str, now: Timestamp) -> ReaderQuery {
    let mut found = ReaderQuery::default();
    let mut words = Words::default();
    let mut chars = query.chars();
    // Telephones turn quotation marks into typographic ones.
    let text: String = chars.by_ref().take(QUERY_CHARS).map(straight).collect();
    if chars.next().is_some() {
        found.problem(format!("the query is long; only its first {QUERY_CHARS} characters were read"));
    }
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, after) = token(rest);
        rest = after.trim_start();
        match token.operator {
            Some(operator) => found.add(operator, &token, now),
            None => words.add(&token),
        }
    }
    found.finish(words);
    found
}

impl ReaderQuery {
    /// Whether anything but words is asked for.
    pub fn has_filters(&self) -> bool {
        let names = [&self.feed, &self.not_feed, &self.category, &self.not_category, &self.author, &self.not_author];
        names.iter().any(|names| !names.is_empty())
            || self.unread.is_some()
            || self.saved.is_some()
            || self.before.is_some()
            || self.after.is_some()
    }

    fn add(&mut self, operator: Operator, token: &Token<'_>, now: Timestamp) {
        let value = token.value.trim();
        let minus = token.minus;
        if value.is_empty() {
            return self.problem(operator.without_value());
        }
        let names = match (operator, minus) {
            (Operator::Feed, false) => &mut self.feed,
            (Operator::Feed, true) => &mut self.not_feed,
            (Operator::In, false) => &mut self.category,
            (Operator::In, true) => &mut self.not_category,
            (Operator::Author, false) => &mut self.author,
            (Operator::Author, true) => &mut self.not_author,
            (Operator::Is, _) => return self.is(value, minus),
            (Operator::Before | Operator::After, _) => return self.date(operator, value, minus, now),
        };
        if !names.iter().any(|name| name == value) {
            names.push(value.to_owned());
        }
    }

    fn date(&mut self, operator: Operator, value: &str, minus: bool, now: Timestamp) {
        let Some(at) = date::start(value, now) else {
            return self.problem(format!("{}:{value} is no date; {}", operator.name(), date::FORMS));
        };
        // What is not before a moment is after it: one excludes the moment, the other includes it.
        if matches!((operator, minus), (Operator::Before, false) | (Operator::After, true)) {
            self.before = Some(self.before.map_or(at, |before| before.min(at)));
        } else {
            self.after = Some(self.after.map_or(at, |after| after.max(at)));
        }
    }

    fn is(&mut self, value: &str, minus: bool) {
        let (mark, wanted) = match value.to_lowercase().as_str() {
            "unread" => (&mut self.unread, !minus),
            "read" => (&mut self.unread, minus),
            "saved" | "starred" => (&mut self.saved, !minus),
            _ => return self.problem(format!("is:{value} is not known; write is:unread, is:read or is:saved")),
        };
        if mark.replace(wanted) == Some(!wanted) {
            let sign = if minus { "-" } else { "" };
            self.problem(format!("nothing is both; only {sign}is:{value} counts"));
        }
    }

    fn finish(&mut self, words: Words) {
        if words.has_some {
            self.words = words.text;
        } else if !words.text.is_empty() {
            self.problem("a minus only leaves out some of what other words find; type a word to search for".to_owned());
        } else if !self.has_filters() {
            self.problem("type a word to search for".to_owned());
        }
        if let (Some(before), Some(after)) = (self.before, self.after)
            && before <= after
        {
            self.problem("nothing can be found: what after: allows ends where before: begins".to_owned());
        }
    }

    fn problem(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Feed,
    In,
    Author,
    Is,
    Before,
    After,
}

impl Operator {
    const ALL: [Self; 6] = [Self::Feed, Self::In, Self::Author, Self::Is, Self::Before, Self::After];

    fn name(self) -> &'static str {
        match self {
            Self::Feed => "feed",
            Self::In => "in",
            Self::Author => "author",
            Self::Is => "is",
            Self::Before => "before",
            Self::After => "after",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.name().eq_ignore_ascii_case(name))
    }

    fn without_value(self) -> String {
        let example = match self {
            Self::Feed => "verge or feed:\"The Verge\"",
            Self::In => "News or in:\"News/Tech\"",
            Self::Author => "jane or author:\"Jane Doe\"",
            Self::Is => "unread, is:read or is:saved",
            Self::Before | Self::After => "2026-01-31",
        };
        format!("{name}: needs something right after it, as in {name}:{example}", name = self.name())
    }
}

/// One thing of a query, between spaces or quotation marks.
struct Token<'a> {
    minus: bool,
    operator: Option<Operator>,
    /// Without its quotation marks.
    value: &'a str,
    quoted: bool,
    /// A phrase whose last word is a beginning: `"so to sp"*`.
    star: bool,
}

/// Cuts one token off. Quotation marks that are never closed last until the end.
fn token(text: &str) -> (Token<'_>, &str) {
    let rest = text.strip_prefix('-').filter(|rest| !rest.starts_with(char::is_whitespace) && !rest.is_empty());
    let (minus, rest) = (rest.is_some(), rest.unwrap_or(text));
    let operator = rest.split_once(':').and_then(|(name, value)| Some((Operator::named(name)?, value)));
    let (operator, rest) = operator.map_or((None, rest), |(operator, value)| (Some(operator), value));
    let inside = rest.strip_prefix('"');
    let (value, rest) = match inside {
        Some(inside) => inside.split_once('"').unwrap_or((inside, "")),
        None => rest.split_at(rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len())),
    };
    let quoted = inside.is_some();
    let star = rest.strip_prefix('*').filter(|_| quoted && operator.is_none());
    (Token { minus, operator, value, quoted, star: star.is_some() }, star.unwrap_or(rest))
}

/// What is left for the text index.
#[derive(Default)]
struct Words {
    text: String,
    /// There is something to look for, not only something to leave out.
    has_some: bool,
}

impl Words {
    fn add(&mut self, token: &Token<'_>) {
        // The index finds letters and digits.
        if !token.value.chars().any(char::is_alphanumeric) {
            return;
        }
        self.has_some |= !token.minus;
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        let quote = if token.quoted { "\"" } else { "" };
        let (minus, star) = (if token.minus { "-" } else { "" }, if token.star { "*" } else { "" });
        self.text.extend([minus, quote, token.value, quote, star]);
    }
}

fn straight(c: char) -> char {
    if matches!(c, '“' | '”' | '„' | '‟' | '«' | '»') { '"' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;
    use proptest::prelude::*;

    /// A query as one line: what is asked for, then the problems.
    fn read(query: &str) -> String {
        let found = parse(query, now());
        let mut said = Vec::new();
        let mut say =
            |name: &str, values: &[String]| said.extend(values.iter().map(|value| format!("{name}[{value}]")));
        say("words", &Some(found.words).into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>());
        say("feed", &found.feed);
        say("not feed", &found.not_feed);
        say("in", &found.category);
        say("not in", &found.not_category);
        say("author", &found.author);
        say("not author", &found.not_author);
        say("unread", &found.unread.iter().map(bool::to_string).collect::<Vec<_>>());
        say("saved", &found.saved.iter().map(bool::to_string).collect::<Vec<_>>());
        let short = |at: &Timestamp| at.to_string().replace("T00:00:00Z", "");
        say("before", &found.before.iter().map(short).collect::<Vec<_>>());
        say("after", &found.after.iter().map(short).collect::<Vec<_>>());
        say("!", &found.problems);
        said.join(" ")
    }

    #[test]
    fn what_readers_type_is_understood() {
        let check = |query: &str, expected: &str| assert_eq!(read(query), expected, "{query}");
        check("rust", "words[rust]");
        check("  two   words ", "words[two words]");
        check("\"a phrase\" -word -\"other phrase\" beg*", "words[\"a phrase\" -word -\"other phrase\" beg*]");
        check("\"so to sp\"* x", "words[\"so to sp\"* x]");
        check("\"never closed", "words[\"never closed\"]");
        check("a\"b c\"d", "words[a \"b c\" d]");
        check("“typographic marks” „und deutsche“", "words[\"typographic marks\" \"und deutsche\"]");
        check("C++ don't -", "words[C++ don't]");

        check("feed:verge", "feed[verge]");
        check("feed:\"The Verge\" phone", "words[phone] feed[The Verge]");
        check("feed:“The Verge” phone", "words[phone] feed[The Verge]");
        check("feed:a feed:b feed:a", "feed[a] feed[b]");
        check("-feed:x -feed:\"y z\"", "not feed[x] not feed[y z]");
        check("in:News in:\"News/Tech\" -in:Sport", "in[News] in[News/Tech] not in[Sport]");
        check("author:\"Jane Doe\" -author:bot", "author[Jane Doe] not author[bot]");
        check("feed:\"a\"b", "words[b] feed[a]");
        check("FEED:Verge Is:UNREAD", "feed[Verge] unread[true]");

        check("is:unread", "unread[true]");
        check("is:read", "unread[false]");
        check("-is:unread", "unread[false]");
        check("-is:read", "unread[true]");
        check("is:saved", "saved[true]");
        check("is:starred", "saved[true]");
        check("-is:saved -is:starred", "saved[false]");
        check("is:\"unread\" is:saved", "unread[true] saved[true]");

        check("foo:bar https://one.example/a?b=c re:invent", "words[foo:bar https://one.example/a?b=c re:invent]");
        check("-foo:bar baz", "words[-foo:bar baz]");
        check("news:feed:x", "words[news:feed:x]");
        check("\"feed:x\"", "words[\"feed:x\"]");
        check("日本 in:ニュース", "words[日本] in[ニュース]");
    }

    #[test]
    fn a_date_means_the_beginning_of_its_day_month_or_year() {
        let check = |query: &str, expected: &str| assert_eq!(read(query), expected, "{query}");
        check("before:2026-01-31", "before[2026-01-31]");
        check("after:2026-01-31", "after[2026-01-31]");
        check("after:2026-01 before:2026-02", "before[2026-02-01] after[2026-01-01]");
        check("before:2026", "before[2026-01-01]");
        check("after:7d", "after[2026-11-09T12:00:00Z]");
        check("after:2025 after:2026 before:2028 before:2027", "before[2027-01-01] after[2026-01-01]");
        check("-before:2026", "after[2026-01-01]");
        check("-after:2026", "before[2026-01-01]");
    }

    #[test]
    fn what_is_not_understood_is_said_and_left_out() {
        let check = |query: &str, expected: &str| assert_eq!(read(query), expected, "{query}");
        let dates = "write a day as 2026-01-31, a month as 2026-01, a year as 2026, or a time ago as 7d";
        check("x before:soon", &format!("words[x] ![before:soon is no date; {dates}]"));
        check("x after:2026-02-30", &format!("words[x] ![after:2026-02-30 is no date; {dates}]"));
        check("is:funny x", "words[x] ![is:funny is not known; write is:unread, is:read or is:saved]");
        check("is:unread is:read", "unread[false] ![nothing is both; only is:read counts]");
        check("is:saved -is:saved", "saved[false] ![nothing is both; only -is:saved counts]");
        check("feed: x", "words[x] ![feed: needs something right after it, as in feed:verge or feed:\"The Verge\"]");
        check("in:\"\" x", "words[x] ![in: needs something right after it, as in in:News or in:\"News/Tech\"]");
        check(
            "after:",
            "![after: needs something right after it, as in after:2026-01-31] ![type a word to search for]",
        );
        check(
            "after:2026 before:2026",
            "before[2026-01-01] after[2026-01-01] ![nothing can be found: what after: allows ends where before: begins]",
        );

        for nothing in ["", "  ", "\"\"", "\" \" \"", "-", "* !? …", "-\"\""] {
            check(nothing, "![type a word to search for]");
        }
        let only_minus = "![a minus only leaves out some of what other words find; type a word to search for]";
        check("-sport -\"football match\"", only_minus);
        check("is:unread -sport", &format!("unread[true] {only_minus}"));
    }

    #[test]
    fn a_long_query_is_cut() {
        let found = parse(&format!("{} tail", "ä".repeat(QUERY_CHARS)), now());
        assert_eq!(found.words, "ä".repeat(QUERY_CHARS));
        assert_eq!(found.problems, ["the query is long; only its first 1000 characters were read"]);
        assert_eq!(parse(&"ä".repeat(QUERY_CHARS), now()).problems, [] as [&str; 0]);
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(query in "(feed:|is:|in:|after:|before:|-|\"|\\*| |\\PC|[0-9dwmyh/]){0,60}") {
            let found = parse(&query, now());
            prop_assert!(found.words.chars().count() <= 2 * QUERY_CHARS);
            let something = !found.words.is_empty() || found.has_filters();
            prop_assert!(something || !found.problems.is_empty());
            // What is left for the index holds no operator that a second reading would find.
            let again = parse(&found.words, now());
            prop_assert_eq!(&again.words, &found.words);
            prop_assert!(!again.has_filters());
        }
    }
}
