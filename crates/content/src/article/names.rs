//! What a page calls its article: `title`, `meta` and the first heading, in a small document of their own.
//!
//! Readability chooses among them. In the page itself it would do so as well, but might take a heading of any length,
//! and compare every other heading with it.

use dom_query::{Document, NodeId};
use dom_smoothie::Readability;
use html5ever::interface::{NodeOrText, TreeSink as _};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute as Pair, local_name};

use super::page::{element, pair, skeleton};
use crate::limits::beginning;
use crate::lines::one_line;

/// Titles are cut here: Readability compares each heading with them.
const LONGEST: usize = 300;

/// Of `meta` elements with a title only the first ones count.
const MOST_METAS: usize = 20;

/// The names of an article.
pub(super) struct Names {
    document: Document,
    head: NodeId,
    body: NodeId,
    metas: usize,
    has_heading: bool,
}

impl Names {
    pub(super) fn new() -> Self {
        let (document, head, body) = skeleton();
        Self { document, head, body, metas: 0, has_heading: false }
    }

    /// The text of the `title` element.
    pub(super) fn title(&mut self, text: &str) {
        self.add(self.head, "title", text);
    }

    /// The text of a heading of the first level; the first one counts.
    pub(super) fn heading(&mut self, text: &str) {
        if !self.has_heading {
            self.has_heading = true;
            self.add(self.body, "h1", text);
        }
    }

    /// The attributes of a `meta` element: `og:title`, `twitter:title` and others.
    pub(super) fn meta(&mut self, pairs: &[Pair]) {
        let key = |pair: &&Pair| matches!(pair.name.local, local_name!("property") | local_name!("name"));
        let content = |pair: &&Pair| pair.name.local == local_name!("content");
        let (Some(key), Some(content)) = (pairs.iter().find(key), pairs.iter().find(content)) else { return };
        let is_title = key.value.len() < 64 && key.value.to_ascii_lowercase().ends_with("title");
        if is_title && self.metas < MOST_METAS {
            self.metas += 1;
            let content = pair(local_name!("content"), beginning(&content.value, LONGEST));
            let meta = element(&self.document, "meta", vec![key.clone(), content]);
            self.document.append(&self.head, NodeOrText::AppendNode(meta));
        }
    }

    /// The best of them, on one line and without the name of the site.
    pub(super) fn best(self) -> Option<String> {
        let readability = Readability::with_document(self.document, None, None).ok()?;
        let title = one_line(&readability.get_article_metadata(None).title);
        Some(title).filter(|title| !title.is_empty())
    }

    fn add(&self, parent: NodeId, tag: &str, text: &str) {
        let node = element(&self.document, tag, Vec::new());
        self.document.append(&parent, NodeOrText::AppendNode(node));
        let text = StrTendril::from_slice(beginning(text, LONGEST));
        self.document.append(&node, NodeOrText::AppendText(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::page::Page;
    use crate::limits::Limits;
    use crate::tree::Tree;

    fn names(html: &str) -> Names {
        Page::new(Tree::read(html, Limits::PAGE.effort).0, "https://example.org/a/").names
    }

    #[test]
    fn names_are_short_and_few() {
        let check = |case: &str, html: &str, expected: &str| {
            let found = names(html).document.html().replace("<html>", "").replace("</html>", "");
            assert_eq!(found, expected, "{case}");
        };
        check("a title", "<title>x</title><title>y</title>", "<head><title>x</title></head><body></body>");
        check("an empty title", "<title></title><p>x", "<head></head><body></body>");
        check("a heading", "<h1>x <b>y</b></h1><h1>z</h1>", "<head></head><body><h1>x y</h1></body>");
        check("metas", "<meta property=og:title content=x><meta name=author content=y>", {
            "<head><meta property=\"og:title\" content=\"x\"></head><body></body>"
        });
        let long = "x".repeat(9_999);
        let short = &long[..LONGEST];
        check("a long title", &format!("<title>{long}"), &format!("<head><title>{short}</title></head><body></body>"));
        check("a long heading", &format!("<h1>{long}</h1>"), "<head></head><body></body>");
        let metas = names(&"<meta name=title content=x>".repeat(MOST_METAS + 5));
        assert_eq!(metas.document.select("meta").length(), MOST_METAS);
    }

    #[test]
    fn the_best_has_no_name_of_the_site() {
        let check = |case: &str, html: &str, expected: &str| {
            assert_eq!(names(html).best().as_deref().unwrap_or("-"), expected, "{case}");
        };
        check("a title", "<title>A title that is long enough</title>", "A title that is long enough");
        check("a site", "<title>A title that is long enough | The site</title>", "A title that is long enough");
        check("a meta", "<title>x</title><meta property='og:title' content='A title'>", "A title");
        check("a heading", "<title>x</title><h1>A heading that is used instead</h1>", "A heading that is used instead");
        check("entities", "<title>A title of R&amp;D, long enough</title>", "A title of R&D, long enough");
        check(
            "controls",
            "<title>A title\n\u{202e}of two lines, long enough</title>",
            "A title of two lines, long enough",
        );
        check("nothing", "<p>x</p>", "-");
        check("white space", "<title> \n </title>", "-");
    }
}
