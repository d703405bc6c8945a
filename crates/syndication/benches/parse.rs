//! Parse-only throughput, one thread, bytes in memory: `syndication::read` against feed-rs in the same process.
//!
//! `cargo bench -p syndication` measures generated documents, the same on every machine; `cargo bench -p syndication --
//! DIR…` measures the `.xml` files of directories. Prints MB per CPU second and the ratio. CPU time is the kernel's
//! count for this thread, so that a busy machine matters little.

#![expect(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use trial::{Bar, Dice, figure, seconds};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rounds per parser; the best one counts.
const ROUNDS: usize = 7;
/// The minimum duration of a round.
const LONG_ENOUGH: Duration = Duration::from_millis(250);

fn main() {
    let directories: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let world = if directories.is_empty() { own_world() } else { files(&directories) };
    let bytes: usize = world.iter().map(Vec::len).sum();
    println!("{} documents, {:.1} MB", world.len(), bytes as f64 / 1e6);

    let entries = |document: &[u8]| {
        let reading = syndication::read(document, &syndication::Hints::default(), &syndication::Limits::default());
        reading.map_or(0, |reading| black_box(reading).entries.len())
    };
    let theirs = |document: &[u8]| feed_rs::parser::parse(document).map_or(0, |feed| black_box(feed).entries.len());
    let found: (usize, usize) = (world.iter().map(|d| entries(d)).sum(), world.iter().map(|d| theirs(d)).sum());
    println!("entries found: syndication {}, feed-rs {}", found.0, found.1);

    // Interleaved, so that other load on the machine affects both.
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        best.0 = best.0.min(seconds(LONG_ENOUGH, || world.iter().map(|document| entries(document)).sum::<usize>()));
        best.1 = best.1.min(seconds(LONG_ENOUGH, || world.iter().map(|document| theirs(document)).sum::<usize>()));
    }
    let speed = |seconds: f64| bytes as f64 / 1e6 / seconds;
    println!("syndication {:8.1} MB per CPU second", speed(best.0));
    println!("feed-rs     {:8.1} MB per CPU second", speed(best.1));
    let note = format!(
        "{:.0} and {:.0} MB per CPU second, {} documents, {:.1} MB",
        speed(best.0),
        speed(best.1),
        world.len(),
        bytes as f64 / 1e6
    );
    figure("P1", "parse, speed over feed-rs", best.1 / best.0, Bar::AtLeast(2.5), &note);
}

fn files(directories: &[String]) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = directories
        .iter()
        .flat_map(|directory| std::fs::read_dir(directory).into_iter().flatten().flatten().map(|file| file.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "xml"))
        .collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Forty feeds of the usual shapes: RSS with CDATA, RSS with escaped HTML, Atom with HTML, Atom with XHTML.
fn own_world() -> Vec<Vec<u8>> {
    let mut dice = Dice::new(1);
    (0..40).map(|number| feed(&mut dice, number).into_bytes()).collect()
}

fn paragraphs(dice: &mut Dice, count: usize) -> String {
    let mut out = String::new();
    for _ in 0..count {
        let (before, link, after) = (dice.words(20), dice.words(3), dice.words(25));
        let page = dice.roll(99_999);
        let _ = writeln!(
            out,
            "<p>{before} <a href=\"https://example.org/t/{page}?a=1&amp;b=2\">{link}</a> {after} &amp;&nbsp;<em>{link}</em>.</p>"
        );
    }
    out
}

fn escaped(html: &str) -> String {
    html.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn feed(dice: &mut Dice, number: usize) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let entries = 10 + dice.roll(50);
    let is_atom = number % 3 == 2;
    let style = number % 2;
    if is_atom {
        let _ = write!(
            out,
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>{}</title><id>urn:feed:{number}</id><link href=\"https://example.org/\"/><updated>2026-11-01T00:00:00Z</updated>",
            dice.words(3)
        );
    } else {
        let _ = write!(
            out,
            "<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>{}</title><link>https://example.org/</link><description>{}</description>",
            dice.words(3),
            dice.words(9)
        );
    }
    for entry in 0..entries {
        let count = 1 + dice.roll(14);
        let (title, summary, html) = (dice.words(7), dice.words(25), paragraphs(dice, count));
        if is_atom {
            let content = if style == 0 {
                format!("<content type=\"html\">{}</content>", escaped(&html))
            } else {
                format!(
                    "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">{}</div></content>",
                    html.replace("&nbsp;", "&#160;")
                )
            };
            let _ = writeln!(
                out,
                "<entry><title>{title}</title><id>urn:{number}:{entry}</id><link rel=\"alternate\" href=\"https://example.org/{entry}\"/><published>2026-10-01T10:00:00Z</published><updated>2026-10-01T10:{:02}:00Z</updated><author><name>{}</name></author><category term=\"news\"/><summary>{summary}</summary>{content}</entry>",
                entry % 60,
                dice.words(2)
            );
        } else {
            let body = if style == 0 { format!("<![CDATA[{html}]]>") } else { escaped(&html) };
            let _ = writeln!(
                out,
                "<item><title>{title}</title><link>https://example.org/{entry}</link><guid isPermaLink=\"false\">tag:{number}:{entry}</guid><pubDate>Thu, 01 Oct 2026 10:{:02}:00 GMT</pubDate><dc:creator>{}</dc:creator><category>news</category><description>{summary}</description><content:encoded>{body}</content:encoded></item>",
                entry % 60,
                dice.words(2)
            );
        }
    }
    out.push_str(if is_atom { "</feed>\n" } else { "</channel></rss>\n" });
    out
}
