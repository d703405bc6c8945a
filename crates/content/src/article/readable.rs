//! Which part of a page is its article: Readability's answer, or its author's where Readability finds too little or
//! would take too long.

use dom_query::{Document, NodeId, NodeRef, Selection};
use dom_smoothie::{Config, ParsePolicy, Readability};
use html5ever::interface::{NodeOrText, TreeSink as _};
use html5ever::local_name;

use super::page::{PageTree, element, pair};

/// The id of the article in the document that Readability returns.
pub(super) const ROOT: &str = "readability-page-1";

/// How much Readability may read, in nodes times depth; about 30 ms.
const MOST_READING: usize = 500_000;

/// An answer with less text, in characters, is only taken if nothing better is found.
const ENOUGH_TEXT: usize = 500;

/// From what is most likely an article to what may be one.
const POLICIES: [ParsePolicy; 4] = [ParsePolicy::Strict, ParsePolicy::Moderate, ParsePolicy::Clean, ParsePolicy::Raw];

/// Parts of `main` that are not its text; Readability knows these, too.
const BESIDE: &str = "nav, aside, footer, form, button, dialog, [role=navigation], [role=complementary]";

/// The main content of a page.
pub(super) struct MainContent {
    document: Document,
    root: NodeId,
}

impl MainContent {
    /// The main content of `page`, whose title is removed from it.
    pub(super) fn of(page: PageTree, title: Option<&str>) -> Option<Self> {
        let mut best: Option<(usize, Self)> = None;
        for policy in POLICIES.into_iter().take(attempts(page.weight)) {
            let Some((length, found)) = Self::found(page.document.clone(), title, policy) else { continue };
            if length >= ENOUGH_TEXT {
                return Some(found);
            }
            if best.as_ref().is_none_or(|(longest, _)| length > *longest) {
                best = Some((length, found));
            }
        }
        let marked = page.main.map(|root| Self { document: page.document, root });
        if let Some(marked) = &marked {
            Selection::from(marked.root()).select(BESIDE).remove();
        }
        let length = marked.as_ref().map_or(0, |marked| marked.root().normalized_char_count());
        match best {
            Some((longest, found)) if longest >= length => Some(found),
            _ => marked,
        }
    }

    /// Readability's answer, and the length of its text.
    fn found(document: Document, title: Option<&str>, policy: ParsePolicy) -> Option<(usize, Self)> {
        let head = document.head()?.id;
        // Without any title it would look for one in headings; this one is like no heading.
        let title = pair(local_name!("content"), title.unwrap_or("-"));
        let meta = element(&document, "meta", vec![pair(local_name!("name"), "title"), title]);
        document.append(&head, NodeOrText::AppendNode(meta));
        // The selectors of `ads` need classes.
        let config = Config { keep_classes: true, disable_json_ld: true, ..Config::default() };
        let mut readability = Readability::with_document(document, None, Some(config)).ok()?;
        readability.parse_with_policy(policy).ok()?;
        let document = readability.doc;
        let root = document.select_single(&format!("#{ROOT}")).nodes().first()?.id;
        let found = Self { document, root };
        Some((found.root().normalized_char_count(), found))
    }

    pub(super) fn root(&self) -> NodeRef<'_> {
        NodeRef::new(self.root, &self.document.tree)
    }
}

/// How many times Readability may read a page: each policy is another attempt.
fn attempts(weight: usize) -> usize {
    (MOST_READING / weight.max(1)).min(POLICIES.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::article::page::Page;
    use crate::limits::Limits;
    use crate::tree::Tree;

    const WORDS: &str =
        "<p>Some words, and some more of them, so that this is a paragraph that one may want to read.</p>";

    fn page(html: &str) -> PageTree {
        Page::new(Tree::read(html, Limits::PAGE.effort).0, "https://example.org/a/").tree
    }

    fn text(html: &str) -> Option<String> {
        let content = MainContent::of(page(html), None)?;
        Some(content.root().text().split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_page_is_read_as_often_as_its_weight_allows() {
        let check = |weight: usize, expected: usize| assert_eq!(attempts(weight), expected, "{weight}");
        check(0, 4);
        check(MOST_READING / 4, 4);
        check(MOST_READING / 4 + 1, 3);
        check(MOST_READING / 2, 2);
        check(MOST_READING, 1);
        check(MOST_READING + 1, 0);
    }

    #[test]
    fn a_heavy_page_is_read_where_its_author_says() {
        let heavy = format!("{}{}", "<div>".repeat(60), "<b>x</b>".repeat(6_000));
        let marked = format!("<main><nav>menu</nav>{}<footer>end</footer></main>{heavy}", WORDS.repeat(8));
        assert!(page(&marked).weight > MOST_READING);
        let found = text(&marked).expect("there is a main element");
        assert!(found.starts_with("Some words") && found.ends_with("want to read."), "{found}");
        assert_eq!(text(&format!("{}{heavy}", WORDS.repeat(8))), None, "nothing is marked");
    }

    #[test]
    fn the_marked_part_is_taken_if_it_is_longer() {
        // Readability prefers sentences to a list of links, however short they are.
        let links = "<li><a href=/x>A link to something that is worth to be read</a></li>".repeat(9);
        let html = format!("<article><ul>{links}</ul></article><div><section><div>{WORDS}</div></section></div>");
        let found = MainContent::found(page(&html).document, None, ParsePolicy::Strict).expect("it finds something");
        assert!(found.0 < ENOUGH_TEXT && found.1.root().text().contains("Some words"), "{}", found.1.root().text());
        assert!(text(&html).is_some_and(|found| found.starts_with("A link to")), "{:?}", text(&html));
    }
}
