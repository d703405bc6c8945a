//! Which candidates are found, and in which order.

use super::*;
use model::discovery::PageLink;

fn link(found: Found, url: &str, title: &str, media_type: &str) -> PageLink {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    PageLink { url: url.into(), title: text(title), media_type: text(media_type), found }
}

fn rss(url: &str, title: &str) -> PageLink {
    link(Found::LinkElement, url, title, "application/rss+xml")
}

fn anchor(url: &str, words: &str) -> PageLink {
    link(Found::Anchor, url, words, "")
}

#[track_caller]
fn check(case: &str, url: &str, links: Vec<PageLink>, headers: &[&str], expected: &str) {
    told(case, url, &Page { links, ..Page::default() }, headers, expected);
}

#[track_caller]
fn told(case: &str, url: &str, page: &Page, headers: &[&str], expected: &str) {
    let found = candidates(url, page, headers);
    // Well-known paths have a test of their own.
    let certain = found.iter().filter(|candidate| candidate.found != Found::WellKnown);
    let told = certain.map(|candidate| {
        assert!(!candidate.why.is_empty());
        format!("{} {:?} {}", candidate.found.as_str(), candidate.kind, candidate.url.replacen("https://", "", 1))
    });
    assert_eq!(told.collect::<Vec<_>>().join("; "), expected, "{case}");
}

#[test]
fn which_links_of_a_header_are_candidates() {
    let page = "https://e.org/a/b";
    let header = |case: &str, line: &str, expected: &str| check(case, page, vec![], &[line], expected);
    let kind = "type=\"application/rss+xml\"";
    header("relative", &format!("<../f>; rel=alternate; {kind}"), "link-header Rss e.org/f");
    header("by `feed`", &format!("</f>; rel=feed; {kind}"), "link-header Rss e.org/f");
    header("about another", &format!("</f>; rel=alternate; {kind}; anchor=\"/other\""), "");
    header("about itself", &format!("</f>; rel=alternate; {kind}; anchor=\"\""), "link-header Rss e.org/f");
    header("another scheme", &format!("<javascript:alert(1)>; rel=alternate; {kind}"), "");
    header("no feed", "</f>; rel=alternate; type=text/html", "");
    header("another relation", &format!("</f>; rel=next; {kind}"), "");
    let titled = format!("</f>; rel=alternate; {kind}; title=\" a\u{1}{} \"", "b".repeat(999));
    let title = candidates(page, &Page::default(), &[&titled])[0].title.clone();
    assert_eq!(title, Some(format!("a{}", "b".repeat(199))));
    let two = [format!("</f>; rel=alternate; {kind}"), format!("</g>; rel=alternate; {kind}")];
    check("two lines", page, vec![], &[&two[0], &two[1]], "link-header Rss e.org/f; link-header Rss e.org/g");
}

#[test]
fn the_most_promising_come_first() {
    let front = "https://e.org/";
    check("nothing", front, vec![], &[], "");
    check(
        "as the page has them",
        front,
        vec![rss("https://e.org/b", "B"), rss("https://e.org/a", "A")],
        &[],
        "link-element Rss e.org/b; link-element Rss e.org/a",
    );
    check(
        "comments last",
        front,
        vec![
            rss("https://e.org/c", "Comments Feed"),
            rss("https://e.org/comments/feed/", "x"),
            rss("https://e.org/a", "A"),
        ],
        &[],
        "link-element Rss e.org/a; link-element Rss e.org/c; link-element Rss e.org/comments/feed/",
    );
    check(
        "the section that was asked for",
        "https://e.org/category/x/",
        vec![rss("https://e.org/feed/", ""), rss("https://e.org/category/x/feed/", "")],
        &[],
        "link-element Rss e.org/category/x/feed/; link-element Rss e.org/feed/",
    );
    check(
        "declared, in the header, linked",
        front,
        vec![
            anchor("https://e.org/rss.xml", "RSS"),
            link(Found::LinkElement, "https://e.org/a", "", "application/atom+xml"),
        ],
        &["</h>; rel=alternate; type=\"application/feed+json\", </x>; rel=next; type=application/rss+xml"],
        "link-element Atom e.org/a; link-header Json e.org/h; anchor Rss e.org/rss.xml",
    );
    check(
        "data is no feed",
        front,
        vec![
            link(Found::LinkElement, "https://e.org/wp-json/wp/v2/pages/2", "", "application/json"),
            link(Found::LinkElement, "https://e.org/x.json", "", "application/json"),
            rss("https://e.org/feed", ""),
        ],
        &[],
        "link-element Rss e.org/feed; link-element Json e.org/x.json",
    );
}

#[test]
fn once_each_and_visitable() {
    let front = "https://e.org/";
    check(
        "twice",
        front,
        vec![rss("https://e.org/feed/", ""), rss("http://e.org/feed", ""), anchor("https://e.org/feed#top", "RSS")],
        &["</feed/>; rel=alternate; type=application/rss+xml"],
        "link-element Rss e.org/feed/",
    );
    check(
        "queries count",
        front,
        vec![rss("https://e.org/?f=1", ""), rss("https://e.org/?f=2", "")],
        &[],
        "link-element Rss e.org/?f=1; link-element Rss e.org/?f=2",
    );
    check("itself", front, vec![rss("https://e.org/#feed", "")], &[], "");
    check(
        "for readers",
        front,
        vec![anchor("feed://e.org/f", "x"), anchor("feed:https://e.org/g", "x")],
        &[],
        "anchor Unknown http://e.org/f; anchor Unknown e.org/g",
    );
    check(
        "other schemes",
        front,
        vec![rss("javascript:alert(1)", ""), rss("file:///etc/passwd", ""), rss("rel", "")],
        &[],
        "",
    );
    let many = (0..100).map(|n| rss(&format!("https://e.org/{n}"), "")).collect();
    let page = Page { links: many, ..Page::default() };
    assert_eq!(candidates(front, &page, &[]).len(), MOST);
    assert_eq!(candidates("nonsense", &page, &[]), []);
}

#[test]
fn links_that_look_like_feeds() {
    let front = "https://e.org/";
    let is = |url: &str, words: &str, expected: &str| {
        let expected = if expected.is_empty() {
            String::new()
        } else {
            format!("anchor {expected} {}", url.replacen("https://", "", 1))
        };
        check(&format!("{words:?} {url}"), front, vec![anchor(url, words)], &[], &expected);
    };
    is("https://e.org/feed/", "here", "Unknown");
    is("https://e.org/blog/index.xml", "", "Unknown");
    is("https://e.org/news.rss", "", "Rss");
    is("https://e.org/?feed=atom", "", "Atom");
    is("https://e.org/feeds/all", "", "Unknown");
    is("https://e.org/x", "RSS", "Unknown");
    is("https://e.org/news.xml", "News", "Unknown");
    is("https://e.org/about-rss.html", "RSS", "");
    is("https://e.org/rss.png", "RSS", "");
    is("https://e.org/sitemap.xml", "XML", "");
    is("https://feedly.com/i/subscription/feed/x", "feed", "");
    is("https://e.org/feedback", "Feedback", "");
    is("https://e.org/subscribe", "Subscribe now", "");
    check(
        "ours before others'",
        front,
        vec![anchor("https://other.org/feed", "RSS"), anchor("https://e.org/feed", "RSS")],
        &[],
        "anchor Unknown e.org/feed; anchor Unknown other.org/feed",
    );
    check(
        "the surer first",
        front,
        vec![
            anchor("https://e.org/x", "RSS"),
            anchor("https://e.org/feed", "here"),
            link(Found::Anchor, "https://e.org/t", "", "application/atom+xml"),
        ],
        &[],
        "anchor Atom e.org/t; anchor Unknown e.org/feed; anchor Unknown e.org/x",
    );
}

#[test]
fn sites_that_we_know() {
    check("by address", "https://github.com/ada", vec![], &[], "platform Atom github.com/ada.atom");
    check(
        "a post's comments were asked for",
        "https://www.reddit.com/r/a/comments/b/c/",
        vec![],
        &[],
        "platform Rss www.reddit.com/r/a/comments/b/.rss",
    );
    let page = |generator: &str, canonical: Option<&str>| Page {
        metas: vec![("generator".into(), generator.into())],
        canonical: canonical.map(str::to_owned),
        ..Page::default()
    };
    told("by program", "https://e.org/", &page("Hugo 1", None), &[], "platform Unknown e.org/index.xml");
    told(
        "its comments",
        "https://e.org/",
        &page("WordPress", None),
        &[],
        "platform Unknown e.org/feed/; platform Unknown e.org/comments/feed/",
    );
    let canonical = Some("https://www.youtube.com/channel/UCx");
    told(
        "by its other address",
        "https://www.youtube.com/@ada",
        &page("", canonical),
        &[],
        "platform Unknown www.youtube.com/feeds/videos.xml?channel_id=UCx",
    );
    told("not by another site's", "https://e.org/", &page("", Some("https://github.com/ada")), &[], "");
}

#[test]
fn well_known_paths_are_for_sites_that_declare_nothing() {
    let guesses = |links: Vec<PageLink>| {
        let found = candidates("https://e.org/", &Page { links, ..Page::default() }, &[]);
        found.iter().filter(|candidate| candidate.found == Found::WellKnown).count()
    };
    assert_eq!(guesses(vec![]), 8);
    assert_eq!(guesses(vec![anchor("https://e.org/x", "RSS")]), 8);
    assert_eq!(guesses(vec![anchor("https://e.org/feed", "RSS")]), 7, "one of them is linked");
    assert_eq!(guesses(vec![rss("https://e.org/x", "")]), 0);
}
