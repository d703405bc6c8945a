//! The cost of extracting an article: from typical pages, and in the worst case.
//!
//! `cargo bench -p content --bench article` prints CPU milliseconds. The worst cases have 1 MiB: HTML that is slow to
//! parse, and pages of several sizes that are slow for Readability, filled up with what is slow to parse but not shown.
//! CPU time is the kernel's count for this thread. `cargo bench -p content --bench article -- PART` measures only those
//! whose name contains PART.

#![expect(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use content::article;
use trial::{Dice, seconds};

#[path = "../src/slow_html.rs"]
mod slow_html;
#[path = "../src/slow_pages.rs"]
mod slow_pages;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const URL: &str = "https://example.org/2024/page.html";

/// Rounds of each; the best one counts.
const ROUNDS: usize = 5;

/// The size of the worst cases.
const SIZE: usize = 1 << 20;

/// Characters that take long to look up.
const FILLER: &str = "&CounterClockwiseContourIntegral;";

fn main() {
    let part = std::env::args().skip(1).find(|argument| !argument.starts_with("--")).unwrap_or_default();
    let chosen = |pages: Vec<(String, String)>| pages.into_iter().filter(|(name, _)| name.contains(&part));
    println!("typical: CPU ms for a page");
    chosen(typical()).for_each(|(name, html)| print(&name, &html, ROUNDS));
    // One look at each tells which are the worst; these are measured again.
    let mut pages: Vec<(f64, String, String)> =
        chosen(worst()).map(|(name, html)| (milliseconds(&html, 1), name, html)).collect();
    pages.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("worst: CPU ms for 1 MiB");
    pages.iter().take(30).for_each(|(_, name, html)| print(name, html, ROUNDS));
}

fn milliseconds(html: &str, rounds: usize) -> f64 {
    let round = |_| seconds(Duration::from_millis(60), || black_box(article(html, URL)));
    (0..rounds).map(round).fold(f64::MAX, f64::min) * 1e3
}

fn print(name: &str, html: &str, rounds: usize) {
    let answer = article(html, URL).map_or_else(
        || "no article".to_owned(),
        |article| format!("{} bytes of text {}", article.text.len(), article.cuts),
    );
    println!("  {:8.2}  {name}: {answer}", milliseconds(html, rounds));
}

fn typical() -> Vec<(String, String)> {
    let mut pages = vec![
        ("a news page".to_owned(), include_str!("../corpus/articles/news.html").to_owned()),
        ("a blog with images".to_owned(), include_str!("../corpus/articles/lazy-images.html").to_owned()),
    ];
    for paragraphs in [20, 100, 1_000] {
        let page = long_page(paragraphs);
        pages.push((format!("{paragraphs} paragraphs, {} KB with scripts", page.len() >> 10), page));
    }
    pages
}

/// A page with a script and a link beside each paragraph, as most news sites have.
fn long_page(paragraphs: usize) -> String {
    let mut dice = Dice::new(9);
    let mut html = String::from("<title>A page of many words | The site</title><main><article class=\"story\">");
    for number in 0..paragraphs {
        let (words, link) = (dice.words(60), dice.words(3));
        let _ = writeln!(
            html,
            "<div class=\"block b{number}\"><p class=\"text\">{words} <a href=\"/t/{number}\">{link}</a>, {words}.</p></div>\n\
            <script>window.slots = window.slots || [];\nslots.push({{\"id\": {number}, \"sizes\": [[300, 250]]}});</script>"
        );
    }
    html.push_str("</article></main><aside class=\"sidebar\">");
    for number in 0..paragraphs {
        let _ = writeln!(html, "<div class=\"teaser\"><h3><a href=\"/n/{number}\">{}</a></h3></div>", dice.words(8));
    }
    html + "</aside>"
}

fn worst() -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> =
        slow_html::slow_html(SIZE).into_iter().map(|(name, html)| (format!("{name} (to parse)"), html)).collect();
    for bytes in (0..7).map(|times| SIZE >> times) {
        pages.extend(slow_pages::slow_pages(bytes).into_iter().map(|(name, html)| {
            let filler = FILLER.repeat(SIZE.saturating_sub(html.len()) / FILLER.len());
            (format!("{name} ({} KiB)", bytes >> 10), format!("{html}<div hidden>{filler}</div>"))
        }));
    }
    pages
}
