//! Properties of every robots.txt and every visit, and the cost of hostile ones.

use jiff::{SignedDuration, Timestamp};
use policy::challenge;
use policy::outage::{Outage, Reach};
use policy::robots::{LIMIT_BYTES, Robots};
use proptest::prelude::*;
use std::time::Duration;
use trial::timed;

/// The meaning of a pattern, as a slow reference implementation.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|at| fits(rest, &path[at..])),
        [first, rest @ ..] => path.first() == Some(first) && fits(rest, &path[1..]),
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_file(bytes in proptest::collection::vec(any::<u8>(), 0..600), path in ".{0,60}") {
        let _ = Robots::read(&bytes).allows(&path).because.to_string();
    }

    #[test]
    fn a_rule_fits_as_its_meaning_says(rule in "/[ab*]{0,8}[$]?", path in "/[ab]{0,10}") {
        let robots = Robots::read(format!("User-agent: *\nDisallow: {rule}\n").as_bytes());
        prop_assert_eq!(!robots.allows(&path).allowed, fits(rule.as_bytes(), path.as_bytes()), "{} {}", rule, path);
    }

    /// The order of rules does not count, and an allowing rule of the same length wins.
    #[test]
    fn the_most_specific_rule_decides(
        rules in proptest::collection::vec((any::<bool>(), "/[ab]{0,4}"), 1..6),
        path in "/[ab]{0,6}",
    ) {
        let line = |(allow, rule): &(bool, String)| format!("{}: {rule}\n", if *allow { "Allow" } else { "Disallow" });
        let expected = rules.iter().filter(|(_, rule)| path.starts_with(rule.as_str()))
            .max_by_key(|(allow, rule)| (rule.len(), *allow)).is_none_or(|(allow, _)| *allow);
        for rules in [rules.iter().map(line).collect::<String>(), rules.iter().rev().map(line).collect()] {
            let robots = Robots::read(format!("User-agent: courant\n{rules}").as_bytes());
            prop_assert_eq!(robots.allows(&path).allowed, expected, "{} {}", rules, path);
        }
    }

    /// One response ends an outage, whatever came before.
    #[test]
    fn an_answer_ends_every_outage(notes in proptest::collection::vec((0..9_u8, -900..900_i64, any::<bool>()), 0..60)) {
        let (mut reach, mut now) = (Reach::default(), Timestamp::UNIX_EPOCH);
        for (group, seconds, reached) in notes {
            now += SignedDuration::from_secs(seconds);
            reach.note(&group.to_string(), now, reached);
            let _ = reach.verdict(now).to_string();
        }
        reach.note("x", now, true);
        prop_assert_eq!(reach.verdict(now), Outage::None);
    }

    #[test]
    fn any_answer_may_be_a_challenge(status in any::<u16>(), name in ".{0,20}", body in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = challenge(status, [(name.as_str(), name.as_str())], &body);
    }
}

/// The worst possible file costs a path no more than a moment.
#[test]
fn hostile_files_are_fast() {
    let path = format!("/{}", "a".repeat(8_000));
    for (case, rule) in [
        ("stars", format!("Disallow: /{}b\n", "*a".repeat(200))),
        ("short rules", "Disallow: /*b\n".to_owned()),
        ("agents", "User-agent: courant\n".to_owned()),
        ("codes", "Disallow: /%41%zz%\n".to_owned()),
        ("one line", "Disallow: /*a".to_owned()),
        ("sitemaps", "Sitemap: https://e.org/\n".to_owned()),
    ] {
        let file = format!("User-agent: *\n{}", rule.repeat(LIMIT_BYTES / rule.len() + 9));
        let (_, took) = timed(|| Robots::read(file.as_bytes()).allows(&path));
        assert!(took < Duration::from_secs(20), "{case} took {took:?}");
    }
}
