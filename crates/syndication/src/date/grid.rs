//! Every weekday with every month of every language, in the usual orders: never a wrong month.
//!
//! The names are those of `languages`, so this tests that they are distinguished, not that they are correct.

use super::languages::LANGUAGES;
use super::{days_since_1970, parse};

/// Names that stand for two months: October and November, June and July, July and August.
const AMBIGUOUS: [&str; 5] = ["lis", "listopad", "listopada", "lip", "srp"];

/// The spellings of a name, with and without dots.
fn spellings(names: &str) -> Vec<String> {
    let mut all: Vec<String> = names.split('/').map(|name| name.replace('_', " ")).collect();
    all.extend(
        all.iter()
            .filter(|name| name.ends_with('.'))
            .map(|name| name.trim_end_matches('.').to_owned())
            .collect::<Vec<_>>(),
    );
    all
}

#[test]
fn no_month_is_taken_for_another() {
    let mut read = 0;
    for (tag, months, weekdays) in LANGUAGES {
        for (month, names) in (1..).zip(months.split(' ')) {
            for name in spellings(names) {
                let check = |text: &str, day: u32, may_be_none: bool| {
                    let shown = parse(text).map(|instant| instant.to_string());
                    let expected = format!("2020-{month:02}-{day:02}T16:11:02Z");
                    assert!(
                        shown.as_ref() == Some(&expected) || (may_be_none && shown.is_none()),
                        "{tag}: {text}: {shown:?}"
                    );
                };
                let ambiguous = AMBIGUOUS.contains(&name.as_str());
                let alone = format!("17 {name} 2020 16:11:02 +0000");
                assert_eq!(parse(&alone).is_none(), ambiguous, "{tag}: {alone}");
                check(&alone, 17, ambiguous);
                check(&format!("{name} 17, 2020 16:11:02"), 17, ambiguous);
                for (weekday, weekday_names) in (0..).zip(weekdays.split(' ')) {
                    // Dates of real feeds have the right weekday; with a wrong one, no result is better than a wrong
                    // month.
                    let is_right = |day: &u32| (days_since_1970(2020, month, *day) + 3) % 7 == weekday;
                    let right = (10..=16).find(is_right).unwrap();
                    let wrong = (10..=16).find(|day| !is_right(day)).unwrap();
                    for weekday in spellings(weekday_names) {
                        for text in
                            [format!("{weekday}, {right} {name} 2020"), format!("{weekday} {name} {right}, 2020")]
                        {
                            check(&format!("{text} 16:11:02 +0000"), right, false);
                        }
                        check(&format!("{weekday}, {wrong} {name} 2020 16:11:02 +0000"), wrong, ambiguous);
                        read += 3;
                    }
                }
            }
        }
    }
    assert!(LANGUAGES.len() >= 27 && read > 20_000, "{read} dates of {} languages", LANGUAGES.len());
}
