//! Mutated hostile snippets. The checks: the referee has no complaint, cleaning again changes nothing, text has no
//! control characters.
//!
//! A few thousand mutants in every test run; `FUZZ_SECONDS=3600 cargo test --release -p content fuzz` runs for an hour.
//! A failing mutant is printed as an escaped string, to become a row of `hostile`.

use content::{Limits, article, clean, content_hash, excerpt, plain_text, prescan};
use trial::Stock;

use crate::hostile::CASES;
use crate::referee::{complaint, is_forbidden};

/// Mutants per target in a normal test run.
const MUTANTS: usize = 3_000;

/// The same where one takes longer.
const FEWER_MUTANTS: usize = 400;

/// Pages with an article.
const PAGES: &[&str] = &[
    include_str!("../../corpus/articles/news.html"),
    include_str!("../../corpus/articles/lazy-images.html"),
    include_str!("../../corpus/articles/japanese.html"),
    include_str!("../../corpus/articles/read-more.html"),
];

/// Inputs that have caused trouble in parsers of HTML.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "<", ">", "&", "\"", "'", "=", "/", " ", "\n", "\r", "\0", "<!--", "-->", "--!>", "<![CDATA[", "]]>", "<?", "</",
    "/>", "&#x", "&lt;", "&amp", "&nbsp;", "&#13;", "&NewLine;", "&notit;", "<p>", "</p>", "<b>", "</b>",
    "<a href=x>", "<a href=\"https://e.org/\">", "</a>", "<div>", "</div>", "<table>", "</table>", "<tr>", "<td>",
    "</td>", "<caption>", "<select>", "<option>", "<template>", "</template>", "<svg>", "</svg>", "<math>", "<mtext>",
    "<mglyph>", "<annotation-xml encoding=text/html>", "<foreignObject>", "<desc>", "<style>", "</style>", "<script>",
    "</script>", "<noscript>", "</noscript>", "<title>", "</title>", "<textarea>", "<xmp>", "<plaintext>", "<iframe>",
    "</iframe>", "<pre>", "<pre>\n", "</pre>", "<li>", "<ul>", "</ul>", "<h1>", "<h2>", "</h1>", "<button>", "<form>",
    "</form>", "<object>", "<marquee>", "<img src=x>", "<img src='http://e.org/x.png'>", "<br>", "</br>", "<hr>",
    "<nobr>", "<font color=red>", "<body>", "<frameset>", "<html>", "<head>", "<col>", "<input type=hidden>", "<dd>",
    "<dt>", "<ruby><rt>", "onclick=x", "style='display:none'", "hidden", "href='javascript:x'", "\u{202e}",
    "\u{feff}", "\u{a0}", "\u{85}", "\u{301}", "<p title='&#1;'>", "<a href=x title='\u{7}'>", "<source src=v.mp4>",
    "<video>", "<picture>", "<source srcset='a 1x, b 2x'>", "<img data-src=x.jpg>", "<article>", "</article>", "<main>",
    "<section class='ad'>", "<div class='read-more'>", "<iframe src='€youtube.com'>", "<base href=//e.org/>",
    "<meta property=og:title content=x>", "class=comment", "id=readability-page-1", "rel=author", "role=dialog",
];

fn fuzz(target: impl Fn(&str) + std::panic::RefUnwindSafe) {
    let stock = Stock::text(CASES.iter().map(|case| case.1), TOKENS.iter().copied()).at_most(16 << 10);
    trial::fuzz(MUTANTS, &stock, |html| target(std::str::from_utf8(html).expect("a text stays one")));
}

fn promises(html: &str, limits: &Limits) {
    let base = Some("https://example.org/a/");
    let once = clean(html, base, limits);
    assert_eq!(complaint(&once.html), None, "{}", once.html);
    let twice = clean(&once.html, base, limits);
    assert_eq!((&twice.html, &twice.text), (&once.html, &once.text));
    assert!(!twice.cuts.any());
    assert!(once.html.len() <= limits.bytes);
    assert!(!once.text.chars().any(|c| is_forbidden(c) || c == '\t'), "{:?}", once.text);
    assert!(!once.text.contains("  ") && !once.text.contains("\n\n") && once.text.trim() == once.text);
    let short = once.excerpt(20);
    assert!(short.chars().count() <= 20 && !short.contains('\n'));
    assert_eq!(once.hash(), content_hash(&once.text));
    assert_eq!(excerpt(&once.text, usize::MAX), once.text);
}

#[test]
fn fuzz_clean() {
    fuzz(|html| promises(html, &Limits::ENTRY));
}

#[test]
fn fuzz_clean_within_small_limits() {
    fuzz(|html| promises(html, &Limits { bytes: 400, depth: 6, attributes: 2, unclosed: 2, effort: 400 }));
}

#[test]
fn fuzz_plain_text() {
    fuzz(|html| {
        let text = plain_text(html);
        assert!(!text.chars().any(|c| is_forbidden(c) || matches!(c, '\t' | '\n')), "{text:?}");
    });
}

#[test]
fn fuzz_prescan() {
    let limits = Limits { bytes: 400, depth: 4, attributes: 2, unclosed: 2, effort: 0 };
    fuzz(|html| {
        let scanned = prescan(html, &limits);
        assert!(scanned.html.len() <= html.len().min(limits.bytes));
        let is_cut = scanned.cuts.any();
        assert_eq!(scanned.html == html, !is_cut, "{scanned:?}");
    });
}

#[test]
fn fuzz_article() {
    let seeds = PAGES.iter().copied().chain(CASES.iter().map(|case| case.1));
    let stock = Stock::text(seeds, TOKENS.iter().copied()).at_most(16 << 10);
    trial::fuzz(FEWER_MUTANTS, &stock, |html| {
        let html = std::str::from_utf8(html).expect("a text stays one");
        let Some(article) = article(html, "https://example.org/a/") else { return };
        assert_eq!(complaint(&article.html), None, "{}", article.html);
        let again = clean(&article.html, None, &Limits::ENTRY);
        assert_eq!((&again.html, &again.text), (&article.html, &article.text));
        assert_eq!(article.hash, content_hash(&article.text));
        assert!(article.reading_minutes > 0);
        assert!(!article.title.unwrap_or_default().chars().any(|c| is_forbidden(c) || c == '\n'));
    });
}
