//! A mutation fuzzer that needs no nightly compiler: hostile snippets, cut, spliced and bent.
//!
//! Runs a few thousand mutants in every test run; `FUZZ_SECONDS=3600 cargo test --release -p content fuzz` runs for an
//! hour. What fails is printed as an escaped string, to become a row of `hostile`.
//! The oracles: the referee has no complaint, cleaning again changes nothing, text has no control characters.

use std::time::{Duration, Instant};

use content::{Limits, clean, content_hash, excerpt, plain_text, prescan};

use crate::hostile::CASES;
use crate::referee::{complaint, is_forbidden};

/// Mutants per target in a normal test run.
const MUTANTS: usize = 3_000;

/// A small generator of numbers; the same mutants in every run, unless there is time for others.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let at = self.roll(text.len() + 1);
        text.floor_char_boundary(at)
    }

    fn seed(&mut self) -> &'static str {
        CASES[self.roll(CASES.len())].1
    }
}

/// Runs `target` on mutants until its share of time or count is used up.
fn fuzz(target: impl Fn(&str) + std::panic::RefUnwindSafe) {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut dice = Dice(seconds.unwrap_or(7));
    let mut count = 0_usize;
    while until.map_or(count < MUTANTS, |until| Instant::now() < until) {
        let mutant = mutate(&mut dice);
        let outcome = std::panic::catch_unwind(|| target(&mutant));
        assert!(outcome.is_ok(), "mutant {count}: {mutant:?}");
        count += 1;
    }
    if until.is_some() {
        eprintln!("{count} mutants");
    }
}

fn mutate(dice: &mut Dice) -> String {
    const TOKENS: &[&str] = &[
        "<",
        ">",
        "&",
        "\"",
        "'",
        "=",
        "/",
        " ",
        "\n",
        "\r",
        "\0",
        "<!--",
        "-->",
        "--!>",
        "<![CDATA[",
        "]]>",
        "<?",
        "</",
        "/>",
        "&#x",
        "&lt;",
        "&amp",
        "&nbsp;",
        "&#13;",
        "&NewLine;",
        "&notit;",
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<a href=x>",
        "<a href=\"https://e.org/\">",
        "</a>",
        "<div>",
        "</div>",
        "<table>",
        "</table>",
        "<tr>",
        "<td>",
        "</td>",
        "<caption>",
        "<select>",
        "<option>",
        "<template>",
        "</template>",
        "<svg>",
        "</svg>",
        "<math>",
        "<mtext>",
        "<mglyph>",
        "<annotation-xml encoding=text/html>",
        "<foreignObject>",
        "<desc>",
        "<style>",
        "</style>",
        "<script>",
        "</script>",
        "<noscript>",
        "</noscript>",
        "<title>",
        "</title>",
        "<textarea>",
        "<xmp>",
        "<plaintext>",
        "<iframe>",
        "</iframe>",
        "<pre>",
        "<pre>\n",
        "</pre>",
        "<li>",
        "<ul>",
        "</ul>",
        "<h1>",
        "<h2>",
        "</h1>",
        "<button>",
        "<form>",
        "</form>",
        "<object>",
        "<marquee>",
        "<img src=x>",
        "<img src='http://e.org/x.png'>",
        "<br>",
        "</br>",
        "<hr>",
        "<nobr>",
        "<font color=red>",
        "<body>",
        "<frameset>",
        "<html>",
        "<head>",
        "<col>",
        "<input type=hidden>",
        "<dd>",
        "<dt>",
        "<ruby><rt>",
        "onclick=x",
        "style='display:none'",
        "hidden",
        "href='javascript:x'",
        "\u{202e}",
        "\u{feff}",
        "\u{a0}",
        "\u{85}",
        "\u{301}",
        "<p title='&#1;'>",
        "<a href=x title='\u{7}'>",
        "<source src=v.mp4>",
        "<video>",
    ];
    let mut html = dice.seed().to_owned();
    for _ in 0..=dice.roll(8) {
        let at = dice.place(&html);
        match dice.roll(6) {
            0 => html.truncate(at),
            1 | 2 => html.insert_str(at, TOKENS[dice.roll(TOKENS.len())]),
            3 => {
                let end = html.floor_char_boundary((at + dice.roll(12)).min(html.len())).max(at);
                html.replace_range(at..end, "");
            }
            4 => {
                let end = html.floor_char_boundary((at + dice.roll(60)).min(html.len())).max(at);
                let piece = html[at..end].repeat(1 + dice.roll(6));
                html.insert_str(at, &piece);
            }
            _ => {
                let other = dice.seed();
                html.insert_str(at, &other[dice.place(other)..]);
            }
        }
        let end = html.floor_char_boundary(16 << 10);
        html.truncate(end);
    }
    html
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
