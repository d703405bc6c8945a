//! The promises of RFC 9309, one by one.

use super::*;

#[track_caller]
fn check(case: &str, file: &[u8], path: &str, expected: &str) {
    let verdict = Robots::read(file).allows(path);
    let word = if verdict.allowed { "yes" } else { "no" };
    let line = match verdict.because {
        Because::Rule { line, .. } => format!(", line {line}"),
        _ => String::new(),
    };
    assert_eq!(format!("{word}{line}"), expected, "{case}");
}

#[test]
fn whose_rules_they_are() {
    let all = b"User-agent: *\nDisallow: /a\n";
    check("everybody's", all, "/a", "no, line 2");
    check("no rule fits", all, "/b", "yes");
    check("an empty file", b"", "/a", "yes");
    check("nobody named", b"Disallow: /a\n", "/a", "yes");
    let both = b"User-agent: *\nDisallow: /a\nUser-agent: courant\nDisallow: /b\n";
    check("ours instead of everybody's", both, "/a", "yes");
    check("ours", both, "/b", "no, line 4");
    check("ours, though it says nothing", b"User-agent: *\nDisallow: /\n\nUser-agent: Courant\n", "/a", "yes");
    check("case does not count", b"user-AGENT: COURANT\ndisALLOW: /a\n", "/a", "no, line 2");
    check("with a version", b"User-agent: Courant/2.1 (+https://x)\nDisallow: /a\n", "/a", "no, line 2");
    check("a longer name is another", b"User-agent: courant-images\nDisallow: /a\n", "/a", "yes");
    check("a name in a name is another", b"User-agent: ecourant\nDisallow: /a\n", "/a", "yes");
    check("a star with words", b"User-agent: * everybody\nDisallow: /a\n", "/a", "no, line 2");
    check("a star in a name", b"User-agent: cour*\nDisallow: /a\n", "/a", "yes");
    check("somebody else's", b"User-agent: other\nDisallow: /\n", "/a", "yes");
}

#[test]
fn groups() {
    let two = b"User-agent: other\nUser-agent: courant\nDisallow: /a\n";
    check("several agents", two, "/a", "no, line 3");
    let apart = b"User-agent: other\nDisallow: /a\nUser-agent: courant\nDisallow: /b\n";
    check("a rule ends the naming", apart, "/a", "yes");
    let merged =
        b"User-agent: courant\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n\nUser-agent: COURANT\nDisallow: /b\n";
    check("first of two groups", merged, "/a", "no, line 2");
    check("second of two groups", merged, "/b", "no, line 8");
    check("another's between them", merged, "/c", "yes");
    let empty_lines = b"User-agent: courant\n\n\nDisallow: /a\n\nDisallow: /b\n";
    check("empty lines end nothing", empty_lines, "/b", "no, line 6");
    let sitemap = b"User-agent: courant\nSitemap: https://e.org/s.xml\nUser-agent: x\nDisallow: /a\n";
    check("a sitemap ends nothing", sitemap, "/a", "no, line 4");
    check("an unknown line ends nothing", b"User-agent: *\nHost: e.org\nDisallow: /a\n", "/a", "no, line 3");
    let empty = b"User-agent: *\nDisallow:\nUser-agent: x\nDisallow: /\n";
    check("an empty rule ends the naming", empty, "/a", "yes");
}

#[test]
fn the_most_specific_rule_decides() {
    let file = b"User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
    check("the longer", file, "/example/page/disallowed.gif", "no, line 3");
    check("the shorter", file, "/example/page/", "yes, line 2");
    check("order does not count", b"User-agent: *\nDisallow: /\nAllow: /p\n", "/page", "yes, line 3");
    check(
        "of equal ones the allowing",
        b"User-agent: *\nDisallow: /folder\nAllow: /folder\n",
        "/folder",
        "yes, line 3",
    );
    check("a star counts", b"User-agent: *\nAllow: /page\nDisallow: /*.htm\n", "/page.htm", "no, line 3");
    check("the end counts", b"User-agent: *\nAllow: /$\nDisallow: /\n", "/", "yes, line 2");
    check("only there", b"User-agent: *\nAllow: /$\nDisallow: /\n", "/page", "no, line 3");
    let encoded = "User-agent: *\nDisallow: /ツ/a\nAllow: /%E3%83%84/\n".as_bytes();
    check("spelling does not make it longer", encoded, "/%E3%83%84/a", "no, line 2");
    check("itself", b"User-agent: *\nDisallow: /\n", "/robots.txt", "yes");
    check("only itself", b"User-agent: *\nDisallow: /\n", "/robots.txt.bak", "no, line 2");
    check("a path without its slash", b"User-agent: *\nDisallow: /a\n", "a", "no, line 2");
}

#[test]
fn files_as_they_are() {
    check("a mark", b"\xef\xbb\xbfUser-agent: *\nDisallow: /a", "/a", "no, line 2");
    check("DOS", b"User-agent: *\r\n\r\nDisallow: /a\r\n", "/a", "no, line 3");
    check("old Macs", b"User-agent: *\rDisallow: /a\r", "/a", "no, line 2");
    check("comments", b"# hi\nUser-agent: * # all\nDisallow: /a#b\n", "/a", "no, line 3");
    check("spaces", b"  User-agent\t:  * \n\tDisallow :/a \n", "/a", "no, line 2");
    check("no colon", b"User-agent *\nDisallow /a\n", "/a", "no, line 2");
    check("prose is no rule", b"User-agent: *\nDisallow all of this\n", "/all", "yes");
    check("a slip", b"Useragent: *\nDissallow: /a\n", "/a", "no, line 2");
    check("not UTF-8", b"User-agent: *\nDisallow: /\xe9t\xe9\n", "/%E9t%E9/", "no, line 2");
    check("nulls", b"\0\0\nUser-agent: *\nDisallow: /a\0\n", "/a%00", "no, line 3");
    check("a page instead", b"<!DOCTYPE html>\n<a href='https://x'>Disallow: /</a>\n", "/a", "yes");
}

#[test]
fn only_the_limit_is_read() {
    let mut file = b"User-agent: *\nDisallow: /a\n".to_vec();
    file.resize(LIMIT_BYTES - 12, b'#');
    file.extend_from_slice(b"\nDisallow: /public/private\nDisallow: /late\n");
    check("before the limit", &file, "/a", "no, line 2");
    check("cut in the middle", &file, "/public", "yes");
    check("beyond the limit", &file, "/late", "yes");
}

#[test]
fn without_a_file() {
    const STAY_AWAY: &str = "robots.txt cannot be reached, so nothing else is asked for";
    let check = |case: &str, status: Option<u16>, expected: &str| {
        let verdict = Robots::from_status(status, b"User-agent: *\nDisallow: /\n").allows("/a");
        assert_eq!(verdict.because.to_string(), expected, "{case}");
        assert_eq!(verdict.allowed, verdict.because == Because::NoFile, "{case}");
    };
    check("there it is", Some(200), "line 2 of robots.txt says \"Disallow: /\" to everybody");
    check("not found", Some(404), "the site has no robots.txt");
    check("forbidden", Some(403), "the site has no robots.txt");
    check("gone", Some(410), "the site has no robots.txt");
    check("too many redirects", Some(301), "the site has no robots.txt");
    check("too busy", Some(429), STAY_AWAY);
    check("broken", Some(500), STAY_AWAY);
    check("down", Some(503), STAY_AWAY);
    check("silent", None, STAY_AWAY);
    check("nonsense", Some(999), STAY_AWAY);
}

#[test]
fn an_old_file_is_better_than_none() {
    let old = || Some(Robots::read(b"User-agent: *\nDisallow: /a\n"));
    let check = |case: &str, last: Option<Robots>, days: i64, expected: &str| {
        let robots = Robots::while_unreachable(last, A_DAY * days as i32);
        let word = |path: &str| if robots.allows(path).allowed { "yes" } else { "no" };
        assert_eq!(format!("{} {}", word("/a"), word("/b")), expected, "{case}");
    };
    check("known before", old(), 2, "no yes");
    check("never known", None, 2, "no no");
    check("for a month", old(), 30, "yes yes");
    check("for a month, never known", None, 31, "yes yes");
}

#[test]
fn how_long_a_file_is_kept() {
    let check = |case: &str, status: Option<u16>, cache_control: Option<&str>, minutes: i64| {
        assert_eq!(keep_for(status, cache_control).as_mins(), minutes, "{case}");
    };
    check("a day", Some(200), None, 1440);
    check("less", Some(200), Some("public, Max-Age=7200"), 120);
    check("never more", Some(200), Some("max-age=31536000"), 1440);
    check("not before every page", Some(200), Some("max-age=0"), 60);
    check("nor then", Some(200), Some("no-store"), 60);
    check("nonsense", Some(200), Some("=, ,"), 1440);
    check("an invalid age is none", Some(200), Some("max-age=soon"), 60);
    check("an overflow", Some(200), Some("max-age=99999999999999999999"), 1440);
    check("none there", Some(404), None, 1440);
    check("broken", Some(503), Some("max-age=86400"), 10);
    check("too busy", Some(429), None, 10);
    check("silent", None, None, 10);
}

#[test]
fn pauses_and_sitemaps() {
    let check = |case: &str, file: &str, expected: Option<f64>| {
        let delay = Robots::read(file.as_bytes()).delay().map(|delay| delay.as_secs_f64());
        assert_eq!(delay, expected, "{case}");
    };
    check("none", "User-agent: *\n", None);
    check("seconds", "User-agent: *\nCrawl-delay: 10\n", Some(10.0));
    check("parts of a second", "User-agent: *\nCrawl-delay: 0.5\n", Some(0.5));
    check("no longer than a minute", "User-agent: *\nCrawl-delay: 86400\n", Some(60.0));
    check("infinitely long", "User-agent: *\nCrawl-delay: inf\n", Some(60.0));
    check("negative", "User-agent: *\nCrawl-delay: -5\n", None);
    check("no number", "User-agent: *\nCrawl-delay: NaN\n", None);
    check("another's", "User-agent: x\nCrawl-delay: 10\nDisallow:\nUser-agent: *\nDisallow: /a\n", None);
    check("another's, then we are named", "User-agent: x\nCrawl-delay: 10\nUser-agent: *\nDisallow: /a\n", None);
    check("the longer of two", "User-agent: *\nCrawl-delay: 9\nCrawl-delay: 5\n", Some(9.0));

    let file = b"Sitemap: https://e.org/a.xml\nUser-agent: x\nSITEMAP: https://e.org/b.xml # b\n\
        sitemap: /relative.xml\nSitemap: https://e.org/a.xml\nSitemap: file:///etc/passwd\n";
    assert_eq!(Robots::read(file).sitemaps(), ["https://e.org/a.xml", "https://e.org/b.xml"]);
}
