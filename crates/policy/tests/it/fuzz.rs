//! Mutated robots.txt files, URLs and patterns: no panic, no slow input, no impossible result.
//!
//! A few thousand mutants in every test run; `FUZZ_SECONDS=600 cargo test --release -p policy fuzz` runs longer.

use policy::discover::{candidates, platform, well_known};
use policy::rate_groups::RateGroups;
use policy::robots::Robots;
use trial::Stock;
use url::Url;

/// Mutants per target in a normal test run.
const MUTANTS: usize = 3_000;

fn fuzz(seeds: &[&str], tokens: &[&str], target: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let stock = Stock::bytes(seeds.iter().copied(), tokens.iter().copied()).at_most(16 << 10);
    trial::fuzz(MUTANTS, &stock, target);
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
