//! The cost of cleaning: per typical entry, compared with ammonia in the same process, and in the worst case.
//!
//! `cargo bench -p content` prints CPU microseconds per generated entry and CPU milliseconds per MiB of HTML that was
//! made to be slow. CPU time is the kernel's count for this thread, so that a busy machine matters little. `cargo bench
//! -p content -- FILE…` takes entries from files instead, one per file.

#![expect(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use content::{Limits, clean, plain_text};
use trial::{Dice, seconds};

#[path = "../src/slow_html.rs"]
mod slow_html;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds of each; the best one counts.
const ROUNDS: usize = 9;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let given: Vec<String> = files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    if given.is_empty() {
        entries("tidy", &world(false));
        entries("untidy", &world(true));
        worst();
    } else {
        entries("given", &given);
    }
}

/// An operation on an entry.
type Work = Box<dyn Fn(&str) -> usize>;

fn entries(kind: &str, world: &[String]) {
    let bytes: usize = world.iter().map(String::len).sum();
    println!("{kind}: {} entries of {} bytes on average", world.len(), bytes / world.len());
    let base = Some("https://example.org/");
    let limits = Limits::ENTRY;
    let ammonia = ammonia_builder();
    let mut rows: Vec<(&str, Work, f64)> = vec![
        ("clean: HTML and text", Box::new(move |html| clean(html, base, &limits).html.len()), f64::MAX),
        (
            "clean, excerpt and hash",
            Box::new(move |html| {
                let cleaned = clean(html, base, &limits);
                cleaned.excerpt(500).len() + cleaned.hash().len()
            }),
            f64::MAX,
        ),
        ("plain_text", Box::new(|html| plain_text(html).len()), f64::MAX),
        ("ammonia: HTML alone", Box::new(move |html| ammonia.clean(html).to_string().len()), f64::MAX),
    ];
    // Interleaved, so that other load on the machine affects all of them.
    for _ in 0..ROUNDS {
        for (_, work, best) in &mut rows {
            *best = best.min(seconds(Duration::ZERO, || world.iter().map(|html| black_box(work(html))).sum::<usize>()));
        }
    }
    for (name, _, best) in &rows {
        let each = best * 1e6 / world.len() as f64;
        println!("  {name:26} {each:8.2} us an entry {:8.1} MB/s", bytes as f64 / 1e6 / best);
    }
}

fn worst() {
    let mut rows: Vec<(f64, &str, String)> = slow_html::slow_html(Limits::ENTRY.bytes)
        .into_iter()
        .map(|(name, html)| {
            let once = || seconds(Duration::ZERO, || clean(&html, None, &Limits::ENTRY));
            let cuts = clean(&html, None, &Limits::ENTRY).cuts;
            (once().min(once()) * 1e3, name, cuts.to_string())
        })
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("worst: CPU ms for 1 MiB");
    for (milliseconds, name, cuts) in rows.iter().take(25) {
        println!("  {milliseconds:8.1}  {name} {cuts}");
    }
}

fn ammonia_builder() -> ammonia::Builder<'static> {
    let mut builder = ammonia::Builder::default();
    let tags = "p br strong em b i u h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a img figure figcaption table thead \
        tbody tr th td";
    builder.tags(tags.split_whitespace().collect());
    builder
}

/// Two thousand entries of about 2.5 KB; untidy ones contain one thing each that a parser must repair.
fn world(untidy: bool) -> Vec<String> {
    let mut dice = Dice::new(9);
    (0..2_000)
        .map(|number| {
            let mut html = String::new();
            while html.len() < 2_300 {
                let (one, two, three) = (dice.words(18), dice.words(3), dice.words(22));
                let page = dice.roll(99_999);
                let _ = match dice.roll(8) {
                    0 => writeln!(html, "<h2 id=\"s{page}\">{two}</h2>\n<blockquote><p>{one}</p></blockquote>"),
                    1 => writeln!(html, "<ul>\n<li>{two}</li>\n<li>{two} &amp; <b>{two}</b></li>\n</ul>"),
                    2 => writeln!(
                        html,
                        "<p><img class=\"wide\" src=\"https://img.example.org/{page}.jpg\" alt=\"{two}\" width=\"640\" height=\"360\" /></p>"
                    ),
                    3 => writeln!(html, "<pre><code>let x = {page} &lt; {page};</code></pre>"),
                    4 => writeln!(html, "<div class=\"note\"><span>{one}</span> {two}</div>"),
                    _ => writeln!(
                        html,
                        "<p>{one} <a href=\"https://example.org/t/{page}?utm_source=rss&amp;utm_medium=feed\">{two}</a> {three} &nbsp;<em>{two}</em>.</p>"
                    ),
                };
            }
            if untidy {
                let broken = ["<p><b>never closed</p>", "</div>", "<p>a<div>b</div></p>", "<a href=x>y</a>", "<o:p></o:p>"];
                html.insert_str(0, broken[number % broken.len()]);
            }
            html
        })
        .collect()
}
