//! Advertisements inside an article, found by selectors.
//!
//! Only the article that Readability found is searched, never the whole page.

use std::sync::LazyLock;

use dom_query::{Matcher, NodeRef, Selection};

use crate::clean::Cleaned;

/// Never anything else.
const SAFE: &str = ".ad, .ads, .advertisement, .advertising, .sponsored, .promo, .promotion, .social-share, \
    .share-buttons, .newsletter-signup, .subscribe-box";

/// Mostly advertisements. `ad-` is also in `read-more`, `lead-text`, `thread-body`.
const AGGRESSIVE: &str = "[class*=ad-], [class*=ads-], [id*=ad-], [id*=ads-], .related-posts, .recommended";

/// With less text, in characters, the aggressive selectors may have removed the article.
const ENOUGH_TEXT: usize = 400;

static SAFE_MATCHER: LazyLock<Matcher> = LazyLock::new(|| matcher(SAFE));
static AGGRESSIVE_MATCHER: LazyLock<Matcher> = LazyLock::new(|| matcher(AGGRESSIVE));

/// The cleaned article below `root` without advertisements. If all selectors leave little text, those that are not safe
/// are not applied, provided that this leaves more.
pub(super) fn without(root: NodeRef<'_>, clean: impl Fn(&str) -> Cleaned) -> Cleaned {
    Selection::from(root).select_matcher(&SAFE_MATCHER).remove();
    let safe = root.html();
    let more = Selection::from(root).select_matcher(&AGGRESSIVE_MATCHER);
    if more.is_empty() {
        return clean(&safe);
    }
    more.remove();
    let cleaned = clean(&root.html());
    if is_at_least(&cleaned.text, ENOUGH_TEXT) {
        return cleaned;
    }
    let other = clean(&safe);
    if other.text.chars().count() > cleaned.text.chars().count() { other } else { cleaned }
}

/// Whether any selector matches the element.
pub(super) fn is_suspect(node: &NodeRef<'_>) -> bool {
    SAFE_MATCHER.match_element(node) || AGGRESSIVE_MATCHER.match_element(node)
}

fn is_at_least(text: &str, characters: usize) -> bool {
    text.chars().nth(characters - 1).is_some()
}

fn matcher(selectors: &str) -> Matcher {
    Matcher::new(selectors).expect("the selectors above are valid")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean::clean;
    use crate::limits::Limits;
    use dom_query::Document;

    /// The text of what is left, in which `long` stands for a text that is long enough.
    #[track_caller]
    fn check(case: &str, html: &str, expected: &str) {
        let long = "word ".repeat(81);
        let document = Document::fragment(html.replace("long", long.trim()));
        let root = document.root();
        let left = without(root, |html| clean(html, None, &Limits::ENTRY)).text;
        assert_eq!(left.replace(long.trim(), "long").replace('\n', " "), expected, "{case}");
    }

    #[test]
    fn safe_selectors_are_always_applied() {
        let classes = "ad ads advertisement advertising sponsored promo promotion social-share share-buttons \
            newsletter-signup subscribe-box";
        for class in classes.split(' ') {
            let case = &format!("{class} in a long text");
            check(case, &format!("<p>long</p><div class='a {class}'><p>buy</p></div>"), "long");
            let case = &format!("{class} in a short text");
            check(case, &format!("<p>short</p><div class='{class} b'>buy</div>"), "short");
        }
        check("another class", "<p>short</p><p class='adult promoted sharer'>stays</p>", "short stays");
        check("a tag inside", "<p>short <b class=ad>buy</b> text</p>", "short text");
    }

    #[test]
    fn aggressive_selectors_are_applied_to_long_texts() {
        check("a class", "<p>long</p><div class='my-ad-slot'>buy</div>", "long");
        check("classes", "<p>long</p><div class='x ads-1'>buy</div>", "long");
        check("an id", "<p>long</p><div id='ad-1'>buy</div>", "long");
        check("ids", "<p>long</p><div id='top-ads-1'>buy</div>", "long");
        check("related", "<p>long</p><ul class='related-posts'><li>more</li></ul>", "long");
        check("recommended", "<p>long</p><ul class='recommended'><li>more</li></ul>", "long");
        check("others", "<p>long</p><div class='adult' id='addition'>stays</div>", "long stays");
    }

    #[test]
    fn what_looks_like_an_advertisement_may_be_the_article() {
        check("all of it", "<div class='read-more'><p>long</p></div>", "long");
        check("most of it", "<p>short</p><div class='lead-text'><p>long</p></div>", "short long");
        check("a part of a short text", "<p>short</p><div class='thread-body'>text</div>", "short text");
        check("safe ones are still gone", "<div class='read-more'>text<p class=ad>buy</p></div>", "text");
        check("only advertisements", "<div class='ad-1'></div>", "");
    }

    #[test]
    fn enough_is_400_characters() {
        assert!(is_at_least(&"ż".repeat(400), ENOUGH_TEXT));
        assert!(!is_at_least(&"ż".repeat(399), ENOUGH_TEXT));
    }
}
