//! Dates of digits: ISO 8601 and its profiles, ordinal dates, and Unix timestamps.

use jiff::Timestamp;

use super::clock::clock;
use super::zones::Zone;
use super::{Parts, days_in, days_since_1970};

/// ISO 8601 and its profiles: a date of digits, optionally a time and a zone.
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(text.len());
    let (date, rest) = text.split_at(split);
    let mut parts = calendar(date)?;
    let rest = rest.trim_start_matches(['T', 't', ' ', '_', ',']);
    if !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ','))).unwrap_or(rest.len());
        let (time, zone) = rest.split_at(end);
        if time.is_empty() {
            return None;
        }
        clock(time, &mut parts)?;
        let zone = zone.trim();
        if !zone.is_empty() {
            parts.zone = Zone::of(zone)?;
        }
    }
    parts.instant()
}

fn calendar(date: &str) -> Option<Parts> {
    let century_less = date.strip_prefix('-');
    let fields: Vec<&str> = century_less.unwrap_or(date).split('-').collect();
    let number = |digits: &str| digits.parse::<u32>().ok();
    let year = |digits: &str| match digits.len() {
        // Two digits in ISO are of this century, unlike elsewhere.
        2 => digits.parse::<i64>().ok().map(|year| year + 2000),
        4 => digits.parse().ok(),
        _ => None,
    };
    let (year, month, day) = match (century_less.is_some(), fields.as_slice()) {
        (true, [all]) if all.len() == 4 => (year(&all[..2])?, number(&all[2..])?, 1),
        (true, [y, m]) => (year(y)?, number(m)?, 1),
        (false, [y, m, d]) if m.len() <= 2 && !d.is_empty() && d.len() <= 2 => (year(y)?, number(m)?, number(d)?),
        (false, [y, days]) if days.len() == 3 => return ordinal(year(y)?, number(days)?),
        (false, [y, m]) if y.len() == 4 => (year(y)?, number(m)?, 1),
        (false, [all]) => match all.len() {
            4 => (year(all)?, 1, 1),
            5 => return ordinal(year(&all[..2])?, number(&all[2..])?),
            6 => (year(&all[..2])?, number(&all[2..4])?, number(&all[4..])?),
            7 => return ordinal(year(&all[..4])?, number(&all[4..])?),
            8 => (year(&all[..4])?, number(&all[4..6])?, number(&all[6..])?),
            // Not ISO, but used by programs: seconds or milliseconds since 1970.
            10 => return unix(all.parse().ok()?),
            13 => return unix(all.parse::<i64>().ok()? / 1000),
            14 => {
                let mut parts = Parts {
                    year: year(&all[..4])?,
                    month: number(&all[4..6])?,
                    day: number(&all[6..8])?,
                    ..Parts::default()
                };
                clock(&all[8..], &mut parts)?;
                return Some(parts);
            }
            _ => return None,
        },
        _ => return None,
    };
    Some(Parts { year, month, day, ..Parts::default() })
}

/// A day of the year.
fn ordinal(year: i64, mut day: u32) -> Option<Parts> {
    for month in 1..=12 {
        if day <= days_in(year, month) {
            return (day > 0).then_some(Parts { year, month, day, ..Parts::default() });
        }
        day -= days_in(year, month);
    }
    None
}

fn unix(seconds: i64) -> Option<Parts> {
    let days = seconds.div_euclid(86_400);
    let of_day = seconds.rem_euclid(86_400);
    let mut year = 1970 + days.div_euclid(366);
    while days_since_1970(year + 1, 1, 1) <= days {
        year += 1;
    }
    let mut parts = ordinal(year, u32::try_from(days - days_since_1970(year, 1, 1) + 1).ok()?)?;
    parts.hour = u32::try_from(of_day / 3600).ok()?;
    parts.minute = u32::try_from(of_day / 60 % 60).ok()?;
    parts.second = u32::try_from(of_day % 60).ok()?;
    Some(parts)
}
