//! A mutation fuzzer that needs no nightly compiler: robots.txt, Link headers, addresses and patterns, bent.
//!
//! A few thousand mutants in every test run; `FUZZ_SECONDS=600 cargo test --release -p policy fuzz` runs longer. What
//! fails is printed as an escaped string, to become a line of a table.

use policy::discover::{candidates, link_header, platform, well_known};
use policy::rate_groups::RateGroups;
use policy::robots::Robots;
use std::time::{Duration, Instant};
use url::Url;

/// Mutants per target in a normal test run.
const MUTANTS: usize = 3_000;

/// A small generator of numbers; the same mutants in every run, unless there is time for others.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }
}

fn fuzz(seeds: &[&str], tokens: &[&str], target: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let until = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut dice = Dice(seconds.unwrap_or(7));
    let mut count = 0_usize;
    while until.map_or(count < MUTANTS, |until| Instant::now() < until) {
        let mutant = mutate(&mut dice, seeds, tokens);
        let started = Instant::now();
        let outcome = std::panic::catch_unwind(|| target(&mutant));
        assert!(outcome.is_ok(), "mutant {count}: \"{}\"", mutant.escape_ascii());
        assert!(started.elapsed() < Duration::from_secs(5), "mutant {count} is slow: \"{}\"", mutant.escape_ascii());
        count += 1;
    }
    if until.is_some() {
        println!("{count} mutants");
    }
}

fn mutate(dice: &mut Dice, seeds: &[&str], tokens: &[&str]) -> Vec<u8> {
    let mut bytes = seeds[dice.roll(seeds.len())].as_bytes().to_vec();
    for _ in 0..=dice.roll(6) {
        let at = dice.roll(bytes.len() + 1);
        let end = (at + dice.roll(30)).min(bytes.len());
        match dice.roll(6) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = dice.roll(256) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].repeat(1 + dice.roll(40));
                bytes.splice(at..at, piece);
            }
            4 => {
                let other = seeds[dice.roll(seeds.len())].as_bytes();
                bytes.splice(at..at, other[dice.roll(other.len())..].iter().copied());
            }
            _ => {
                let token = tokens[dice.roll(tokens.len())].repeat(1 + dice.roll(50));
                bytes.splice(at..at, token.into_bytes());
            }
        }
        bytes.truncate(16 * 1024);
    }
    bytes
}

#[test]
fn fuzz_robots() {
    let seeds = [
        "User-agent: *\nDisallow: /a/*.php$\nAllow: /a/b\nCrawl-delay: 1.5\nSitemap: https://e.org/s.xml\n",
        "\u{feff}user-agent: courant # us\r\nUser-agent: x\r\n\r\nDISALLOW: /\u{e9}?q=%2F%zz\r\nnonsense\r",
    ];
    let tokens =
        ["*", "$", "%", "%2", "%2A", ":", "#", "\r", "\n", "\0", "User-agent: courant\n", "Disallow: /*a", "?", "/"];
    fuzz(&seeds, &tokens, |bytes| {
        let robots = Robots::read(bytes);
        assert!(robots.allows("/robots.txt").allowed);
        let text = String::from_utf8_lossy(bytes);
        for path in ["/", "/a/b.php", "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa?q=/", &text] {
            let verdict = robots.allows(path);
            assert_eq!(verdict, robots.allows(path));
            let _ = verdict.because.to_string();
        }
        assert!(robots.delay().is_none_or(|delay| (0..=60_000).contains(&delay.as_millis())));
    });
}

#[test]
fn fuzz_link_headers() {
    let seeds = [
        "</f>; rel=\"alternate feed\"; type=\"application/rss+xml\"; title*=UTF-8''%e2%82%ac, <https://x.org/>; rel=hub",
        "<a>; title=\"\\\"<>,;\"; anchor=\"#x\"; rel=self",
    ];
    let base = Url::parse("https://e.org/a").expect("a constant address");
    fuzz(&seeds, &["<", ">", "\"", "\\", ";", ",", "=", "%", "title*=UTF-8''", "\u{20ac}"], |bytes| {
        let header = String::from_utf8_lossy(bytes);
        let links = link_header::links(&header, &base);
        assert!(links.len() <= 64 && links.iter().all(|link| link.url.starts_with("http")));
    });
}

#[test]
fn fuzz_addresses() {
    let seeds = [
        "https://github.com/a/b/commits/main",
        "https://www.youtube.com/watch?v=a&list=PLb",
        "https://e.org/@a@b.example",
        "https://old.reddit.com/r/a/search?q=b&sort=new",
        "https://gitlab.com/a/b/-/tree/main",
        "https://a.wordpress.com/category/b/page/2",
        "http://[::1]:8080/feed?x#y",
    ];
    fuzz(&seeds, &["/", "@", "%", "?", "#", "..", "-", ".", ":", "\u{e9}", "&", "{", "feed:"], |bytes| {
        let url = String::from_utf8_lossy(bytes);
        let known = platform(&url).map(|platform| platform.candidates).unwrap_or_default();
        for found in known.into_iter().chain(well_known(&url)) {
            assert!(Url::parse(&found).is_ok_and(|url| url.has_host()), "{found}");
        }
        let page = model::discovery::Page { canonical: Some(url.clone().into_owned()), ..Default::default() };
        assert!(candidates(&url, &page, &[&url]).len() <= 20);
        let _ = RateGroups::default().of(&url);
    });
}

#[test]
fn fuzz_patterns() {
    let seeds = ["*.e.org/a/{2} = x, spacing 5s, at once 2, pause url", "127.0.0.1:80/{1}", "*.github.io = alone"];
    fuzz(&seeds, &["*", ".", "/", "{", "}", "=", ",", ":", " ", "alone", "spacing", "99999999999"], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        match RateGroups::new([text.as_ref()]) {
            Ok(groups) => drop(groups.of("https://a.e.org/a/b/c")),
            Err(bad) => assert!(bad.iter().all(|bad| !bad.problem.is_empty())),
        }
    });
}
