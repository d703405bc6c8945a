//! Rate groups: which feeds share one courtesy budget where that is not the registrable domain, and what the budget is.
//!
//! An operator writes one line per pattern, `HOST[/PATH] [= GROUP] [, OPTION]…`:
//!
//! ```text
//! *.tumblr.com                        one group "tumblr.com": the host and all below it
//! feeds.example.com                   a group of its own, apart from the rest of example.com
//! *.github.io = alone                 every host a group of its own
//! *.fasterpod.example = megapod       several patterns may share a group
//! rsshub.example.com/{1}              one group per first part of the path: "rsshub.example.com/github"
//! example.org/feeds/{2}, spacing 5s, at once 1, pause url
//! ```
//!
//! The operator's patterns come first, then the built-in ones, then the registrable domain. The first match counts.
//! Options apply to the whole group. `engine` asks; slots are assigned by the store.

mod pattern;

use crate::site::rate_group;
use jiff::SignedDuration;
use std::collections::HashMap;
use url::Url;

use pattern::{Options, Pattern, UrlParts, read};

/// The built-in patterns. Tumblr is one service whatever its subdomains; an RSSHub serves many sites under different
/// routes.
const SHIPPED: [&str; 2] = ["*.tumblr.com", "rsshub.app/{1}"];

/// The maximum length of a pattern.
const MAX_BYTES: usize = 200;

/// The patterns of an operator and the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateGroups {
    patterns: Vec<Pattern>,
    options: HashMap<String, Options>,
}

/// A group of feeds that share one budget. `None` means the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its key in the store.
    pub name: String,
    /// Between the starts of two visits.
    pub spacing: Option<SignedDuration>,
    /// Concurrent visits.
    pub at_once: Option<u32>,
    /// What a 429 pauses.
    pub pause: Pause,
}

/// What is paused after a server asked to come later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pause {
    /// Everything in the group.
    #[default]
    Group,
    /// Only the URL that was asked for.
    Url,
}

/// An invalid pattern: which, why, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rate group {pattern:?}: {problem}")]
pub struct BadPattern {
    /// As written.
    pub pattern: String,
    /// What is wrong and what to do.
    pub problem: String,
}

impl Default for RateGroups {
    fn default() -> Self {
        Self::new([]).expect("the built-in patterns are valid, as a test shows")
    }
}

impl RateGroups {
    /// Parses an operator's patterns; reports all errors at once.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, Vec<BadPattern>> {
        let mut groups = RateGroups { patterns: Vec::new(), options: HashMap::new() };
        let mut bad = Vec::new();
        for text in patterns.into_iter().chain(SHIPPED) {
            if let Err(problem) = groups.add(text) {
                bad.push(BadPattern { pattern: text.chars().take(MAX_BYTES).collect(), problem });
            }
        }
        if bad.is_empty() { Ok(groups) } else { Err(bad) }
    }

    /// The group of a URL; `None` if it has no host.
    pub fn of(&self, url: &str) -> Option<Group> {
        let url = Url::parse(url).ok()?;
        let parts = UrlParts::of(&url)?;
        let found = self.patterns.iter().find_map(|pattern| Some((Some(&pattern.key), pattern.name_for(&parts)?)));
        let (key, name) = match found {
            Some(found) => found,
            None => (None, rate_group(&url)?),
        };
        let options = self.options.get(key.unwrap_or(&name)).copied().unwrap_or_default();
        let Options { spacing, at_once, pause } = options;
        Some(Group { name, spacing, at_once, pause: pause.unwrap_or_default() })
    }

    fn add(&mut self, text: &str) -> Result<(), String> {
        let (pattern, options) = read(text)?;
        if options != Options::default() {
            let known = self.options.entry(pattern.key.clone()).or_insert(options);
            if *known != options {
                return Err(format!("group \"{}\" has other options in another pattern; write them once", pattern.key));
            }
        }
        self.patterns.push(pattern);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, patterns: &[&str], url: &str, expected: &str) {
        let groups = RateGroups::new(patterns.iter().copied()).unwrap();
        let told = groups.of(url).map_or("none".into(), |group| {
            let spacing = group.spacing.map_or(String::new(), |wait| format!(", {} ms", wait.as_millis()));
            let at_once = group.at_once.map_or(String::new(), |count| format!(", {count} at once"));
            let pause = if group.pause == Pause::Url { ", pauses the URL" } else { "" };
            format!("{}{spacing}{at_once}{pause}", group.name)
        });
        assert_eq!(told, expected, "{case}");
    }

    #[test]
    fn without_patterns_the_domain_counts() {
        for url in
            ["https://feeds.example.com/rss", "https://alice.github.io/feed", "http://127.0.0.1:8480/a", "no url"]
        {
            check(url, &[], url, Url::parse(url).ok().and_then(|url| rate_group(&url)).as_deref().unwrap_or("none"));
        }
        check("one service", &[], "https://anna.tumblr.com/rss", "tumblr.com");
        check("and its front", &[], "https://www.tumblr.com/anna", "tumblr.com");
        check("a route of an RSSHub", &[], "https://rsshub.app/github/issue/a/b", "rsshub.app/github");
        check("its front", &[], "https://rsshub.app/", "rsshub.app");
        check("no name", &[], "mailto:ada@example.org", "none");
    }

    #[test]
    fn what_patterns_say() {
        check("a host alone", &["feeds.example.com"], "https://feeds.example.com/a", "feeds.example.com");
        check("not the others", &["feeds.example.com"], "https://www.example.com/a", "example.com");
        check("one service", &["*.blogspot.com"], "https://a.blogspot.com/", "blogspot.com");
        check("dots count", &["*.spot.com"], "https://a.blogspot.com/", "a.blogspot.com");
        check("itself", &["*.blogspot.com"], "https://blogspot.com/", "blogspot.com");
        check("every host", &["*.wordpress.com = alone"], "https://A.wordpress.com/", "a.wordpress.com");
        check("a name", &["*.example.com = Mega"], "https://a.example.com/", "mega");
        check("by path", &["hub.example.com/{1}"], "https://hub.example.com/GitHub/x", "hub.example.com/github");
        check("a path too short", &["hub.example.com/{1}"], "https://hub.example.com/", "example.com");
        check("below a word", &["e.org/feeds/{2}"], "https://e.org/feeds/x/y", "e.org/feeds/x");
        check("another word", &["e.org/feeds/{2}"], "https://e.org/other/x", "e.org");
        check("past anything", &["e.org/*/{2}"], "https://e.org/a/b", "e.org/*/b");
        check("a named route", &["e.org/{1} = hub"], "https://e.org/a/b", "hub/a");
        check("an address", &["127.0.0.1:1200/{1}"], "http://127.0.0.1:1200/a/b", "127.0.0.1:1200/a");
        check("another port", &["127.0.0.1:1200/{1}"], "http://127.0.0.1:1201/a/b", "127.0.0.1:1201");
        check(
            "a name in another alphabet",
            &["*.bücher.example"],
            "https://a.xn--bcher-kva.example/",
            "xn--bcher-kva.example",
        );
        check("the first counts", &["a.e.org = x", "*.e.org = y"], "https://a.e.org/", "x");
        check("over ours", &["*.tumblr.com = alone"], "https://a.tumblr.com/", "a.tumblr.com");
    }

    #[test]
    fn options_hold_for_a_group() {
        let all = &["e.org, spacing 5s, at once 1, pause url"];
        check("all of them", all, "https://e.org/", "e.org, 5000 ms, 1 at once, pauses the URL");
        let shared = &["a.example = x, spacing 2m", "b.example = x"];
        check("by another pattern", shared, "https://b.example/", "x, 120000 ms");
        check(
            "of ours",
            &["media.tumblr.com = tumblr.com, at once 3"],
            "https://a.tumblr.com/",
            "tumblr.com, 3 at once",
        );
        check("of every route", &["e.org/{1}, spacing 250ms"], "https://e.org/a", "e.org/a, 250 ms");
        check("of every host", &["*.e.org = alone, at once 4"], "https://a.e.org/", "a.e.org, 4 at once");
        check("of a domain", &["*.example.com, spacing 9s"], "https://www.example.com/", "example.com, 9000 ms");
        check("as ever", &["e.org, pause group"], "https://e.org/", "e.org");
    }

    #[test]
    fn mistakes_say_what_to_do() {
        let check = |pattern: &str, expected: &str| {
            let bad = RateGroups::new([pattern]).expect_err(pattern);
            assert_eq!(bad[0].problem, expected, "{pattern}");
        };
        check("", "it names no host; write one, as in \"feeds.example.com\" or \"*.example.com\"");
        check("https://e.org/", "write the host without \"https://\"");
        check("a.*.org", "\"a.*.org\" is not a host; a \"*\" may only be in front of it, as in \"*.example.com\"");
        check("me@e.org", "\"me@e.org\" is not a host; a \"*\" may only be in front of it, as in \"*.example.com\"");
        check("e.org =", "there is nothing after \"=\"; write a name, \"alone\", or leave it out");
        check("e.org = a b", "a name has no spaces; options come after a comma, as in \"= name, spacing 5s\"");
        check("e.org = a{1}", "a name has no {…}; write it in the path, as in \"example.com/{1}\"");
        check("e.org/{2}", "{2} is in position 1 of the path; write {1} there");
        check("e.org/a*", "\"a*\" is not a valid part of a path; a part is a word, \"*\" or \"{1}\"");
        check("e.org/{1} = alone", "\"alone\" is about hosts and {…} about paths; leave \"= alone\" out");
        check("e.org, spacing soon", "\"soon\" is not a valid spacing; write 500ms, 5s or 2m, up to an hour");
        check("e.org, spacing 2h", "\"2h\" is not a valid spacing; write 500ms, 5s or 2m, up to an hour");
        check("e.org, at once 0", "write a number from 1 to 64, as in \"at once 2\"");
        check("e.org, pause url, pause group", "\"pause group\" is given twice; give it once");
        check(
            "e.org, fast",
            "\"fast\" is not an option; there are \"spacing 5s\", \"at once 2\", \"pause url\" and \"pause group\"",
        );
        let two = RateGroups::new(["a.org = x, at once 1", "b.org = x, at once 2", "?"]).expect_err("two mistakes");
        assert_eq!(two.len(), 2);
        assert_eq!(two[0].problem, "group \"x\" has other options in another pattern; write them once");
    }
}
