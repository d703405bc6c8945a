//! The article of a web page: without navigation, comments and advertisements, safe to show.
//!
//! A page is pre-scanned and parsed within limits (`Tree`), reduced to what Readability can handle (`page`), and
//! Readability says which part of it is the article (`readable`). Advertisements inside are removed (`ads`), and `clean`
//! makes the rest safe. Fetching the page is not here, nor is the decision to do so. The engine calls this for full text.

mod ads;
mod names;
mod page;
mod readable;

use model::entry::Hash;

use crate::clean::{Cleaned, clean, one_kind_of_line_end};
use crate::limits::{Cuts, Limits, beginning};
use crate::prescan::prescan;
use crate::reading_time::{half_words, reading_minutes};
use crate::tree::Tree;
use page::Page;
use readable::MainContent;

/// An article with fewer words is none: a paywall, a consent form, an error, or a list of links. A character of Chinese
/// or Japanese counts as half a word.
const LEAST_WORDS: usize = 25;

/// The main content of a web page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// Its title as plain text, without the name of the site where that can be told apart. `html` rarely repeats it.
    pub title: Option<String>,
    /// Safe to show, as [`clean`] writes it: cleaning it again changes nothing. At most as long as an entry.
    pub html: String,
    /// Its text, one line per block.
    pub text: String,
    /// The content hash of the text.
    pub hash: Hash,
    /// How long it takes to read.
    pub reading_minutes: u32,
    /// What was cut from the page because of a limit.
    pub cuts: Cuts,
}

/// Extracts the article of the page at `url`, to which relative URLs are relative unless the page has a `base`. None if
/// it has no article worth showing: fewer than 25 words.
pub fn article(page_html: &str, url: &str) -> Option<Article> {
    let limits = Limits::PAGE;
    let html = one_kind_of_line_end(beginning(page_html, limits.bytes));
    let scanned = prescan(&html, &limits);
    let (tree, is_too_much) = Tree::read(&scanned.html, limits.effort);
    let page = Page::new(tree, url);
    let too_long = page_html.len() > limits.bytes || page.is_cut;
    let cuts = scanned.cuts.and(Cuts { size: too_long, effort: is_too_much, ..Cuts::default() });
    let title = page.names.best();
    let content = MainContent::of(page.tree, title.as_deref())?;
    let cleaned = ads::without(content.root(), |html| clean(html, page.base.as_deref(), &Limits::ENTRY));
    (half_words(&cleaned.text) >= 2 * LEAST_WORDS).then(|| Article::new(title, cleaned, cuts))
}

impl Article {
    fn new(title: Option<String>, cleaned: Cleaned, cuts: Cuts) -> Self {
        Self {
            title,
            hash: cleaned.hash(),
            reading_minutes: reading_minutes(&cleaned.text),
            html: cleaned.html,
            text: cleaned.text,
            cuts: cuts.and(cleaned.cuts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean::tests::pieces;
    use crate::hash::content_hash;
    use crate::slow_html::slow_html;
    use crate::slow_pages::slow_pages;
    use proptest::prelude::*;

    const URL: &str = "https://example.org/a/";

    /// Checks the promises that hold for any page.
    fn hold(html: &str) -> Option<Article> {
        let found = article(html, URL)?;
        let again = clean(&found.html, Some(URL), &Limits::ENTRY);
        assert_eq!((&again.html, &again.text), (&found.html, &found.text), "cleaning changes the article of {html:?}");
        assert_eq!(again.cuts, Cuts::default(), "{html:?}");
        assert_eq!(found.hash, content_hash(&found.text), "{html:?}");
        assert_eq!(found.reading_minutes, reading_minutes(&found.text), "{html:?}");
        assert!(half_words(&found.text) >= 2 * LEAST_WORDS, "{html:?}");
        assert!(found.html.len() <= Limits::ENTRY.bytes && found.title.as_deref() != Some(""), "{html:?}");
        Some(found)
    }

    /// A page with an article in which `inside` is somewhere.
    fn around(inside: &str) -> String {
        let words = "<p>Some words, and some more of them, so that this is a paragraph that one may want to read.</p>";
        format!("<title>A title</title><article>{0}{inside}{0}{0}</article>", words.repeat(3))
    }

    #[test]
    fn an_article_has_at_least_25_words() {
        let check = |case: &str, text: String, expected: bool| {
            assert_eq!(hold(&format!("<article><p>{text}</p></article>")).is_some(), expected, "{case}");
        };
        check("nothing", String::new(), false);
        check("24 words", "word ".repeat(24), false);
        check("25 words", "word ".repeat(25), true);
        check("49 characters of Japanese", "新".repeat(49), false);
        check("50 characters of Japanese", "新".repeat(50), true);
        check("dashes", "— ".repeat(99), false);
        assert_eq!(article("", URL), None);
        assert_eq!(article("<p>word</p>", "not a url"), None);
    }

    #[test]
    fn relative_urls_are_relative_to_the_page_or_its_base() {
        let link = "<p><a href='x?y'>z</a></p>";
        let check = |case: &str, inside: &str, url: &str, expected: &str| {
            let found = article(&around(inside), url).expect("there is an article").html;
            assert!(found.contains(expected), "{case}: {found}");
        };
        check("the page", link, "https://e.example/1/2", "<a href=\"https://e.example/1/x?y\"");
        check("a base", &format!("<base href=/b/>{link}"), "https://e.example/1/2", "\"https://e.example/b/x?y\"");
        check(
            "another host",
            &format!("<base href=//f.example/>{link}"),
            "https://e.example/1/2",
            "\"https://f.example/x?y\"",
        );
        check(
            "a base that is a script",
            &format!("<base href=javascript:x>{link}"),
            "https://e.example/1/2",
            "/1/x?y\"",
        );
        check("no address", link, "not a url", "<p>z</p>");
    }

    #[test]
    fn a_page_that_is_too_long_is_cut() {
        let found =
            hold(&around(&"<p>word and word and word</p>".repeat(30_000))).expect("its beginning is an article");
        assert_eq!(found.cuts.to_string(), "too long");
        assert_eq!(hold(&around("")).expect("there is an article").cuts, Cuts::default());
    }

    #[test]
    fn slow_pages_come_to_an_end() {
        for (_, html) in slow_pages(1 << 13) {
            hold(&around(&html));
        }
        for (_, html) in slow_html(1 << 14) {
            hold(&html);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

        #[test]
        fn promises_hold_for_pieces(inside in pieces()) {
            hold(&inside.repeat(9));
            hold(&around(&inside));
        }
    }
}
