//! Dates: a ladder from the two forms that nearly every feed writes down to the ones that people type.
//!
//! RFC 822 and RFC 3339 as they should be; ISO 8601 in its shorter spellings; then words, in any order and in the
//! common languages, as long as a day, a month and a year can be told. A date without a zone is taken as UTC.
//! What cannot be understood is `None`; the caller keeps the text as given.

use jiff::Timestamp;

use crate::date_words::{month, zone_minutes};

/// Longer than any date anyone writes; what is longer is not looked at.
const MAX_LENGTH: usize = 128;

/// The instant that `text` names, if it names one.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_LENGTH {
        return None;
    }
    rfc822(text.as_bytes()).or_else(|| iso(text)).or_else(|| words(text))
}

/// A date being put together; what was not said is midnight, UTC.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    year: i64,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    nanosecond: i32,
    offset_minutes: i64,
}

impl Parts {
    fn instant(self) -> Option<Timestamp> {
        let Parts { year, month, day, hour, minute, second, .. } = self;
        let midnight_after = hour == 24 && minute == 0 && second == 0;
        if !(1..=12).contains(&month) || day == 0 || day > days_in(year, month) || year < 1 {
            return None;
        }
        // 23:59:60 is a leap second; jiff and everybody else counts it as the next.
        if (hour > 23 && !midnight_after) || minute > 59 || second > 60 || self.offset_minutes.abs() > 26 * 60 {
            return None;
        }
        let seconds = days_since_1970(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second)
            - self.offset_minutes * 60;
        // The last day of 9999 is beyond what a timestamp can hold; those who write it mean "never".
        Timestamp::new(seconds, self.nanosecond).ok().or((year == 9999).then_some(Timestamp::MAX))
    }
}

fn days_in(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since the epoch in the proleptic Gregorian calendar: years begin in March so that leap days come last.
fn days_since_1970(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = i64::from((month + 9) % 12);
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 306 + 5) / 10 + i64::from(day) - 1 - 719_468
}

/// Two digits are 1990 to 2089.
fn full_year(digits: &str) -> Option<i64> {
    let year: i64 = digits.parse().ok()?;
    match digits.len() {
        1 | 2 if year < 90 => Some(year + 2000),
        1 | 2 => Some(year + 1900),
        3 if year >= 100 => Some(year + 1900),
        4 => Some(year),
        _ => None,
    }
}

/// `Tue, 10 Jun 2003 04:00:00 GMT` exactly: the form nearly every RSS feed writes, without allocating.
fn rfc822(text: &[u8]) -> Option<Timestamp> {
    let text = match text {
        [_, _, _, b',', b' ', rest @ ..] => rest,
        _ => text,
    };
    let (day, text) = match *text {
        [tens @ b'0'..=b'3', ones @ b'0'..=b'9', b' ', ref rest @ ..] => {
            (u32::from(tens - b'0') * 10 + u32::from(ones - b'0'), rest)
        }
        [ones @ b'1'..=b'9', b' ', ref rest @ ..] => (u32::from(ones - b'0'), rest),
        _ => return None,
    };
    let [m1, m2, m3, b' ', y1, y2, y3, y4, b' ', h1, h2, b':', n1, n2, b':', s1, s2, b' ', ref zone @ ..] = *text
    else {
        return None;
    };
    let digits = [y1, y2, y3, y4, h1, h2, n1, n2, s1, s2];
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = |digits: &[u8]| digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'));
    let month = match &[m1, m2, m3] {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    };
    let offset_minutes = match *zone {
        [b'G', b'M', b'T'] | [b'Z'] | [b'U', b'T', b'C'] | [b'U', b'T'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, m1, m2] if [h1, h2, m1, m2].iter().all(u8::is_ascii_digit) => {
            let minutes = i64::from(number(&[h1, h2]) * 60 + number(&[m1, m2]));
            if sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let parts = Parts {
        year: i64::from(number(&[y1, y2, y3, y4])),
        month,
        day,
        hour: number(&[h1, h2]),
        minute: number(&[n1, n2]),
        second: number(&[s1, s2]),
        nanosecond: 0,
        offset_minutes,
    };
    parts.instant()
}

/// ISO 8601 and its profiles: a date of digits, perhaps a time, perhaps a zone.
fn iso(text: &str) -> Option<Timestamp> {
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(text.len());
    let (date, rest) = text.split_at(split);
    let mut parts = iso_date(date)?;
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
            parts.offset_minutes = offset(zone)?;
        }
    }
    parts.instant()
}

fn iso_date(date: &str) -> Option<Parts> {
    let century_less = date.strip_prefix('-');
    let fields: Vec<&str> = century_less.unwrap_or(date).split('-').collect();
    let number = |digits: &str| digits.parse::<u32>().ok();
    let year = |digits: &str| match digits.len() {
        // ISO's two digits are of this century, unlike everybody else's.
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
            // Not ISO, but what programs write: seconds or milliseconds since 1970.
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

/// `4`, `04:00`, `4:00:00.123`, `040000`, `4h30`.
fn clock(time: &str, parts: &mut Parts) -> Option<()> {
    let (whole, fraction) = time.split_once(['.', ',']).unwrap_or((time, ""));
    let mut fields = [0_u32; 3];
    if whole.contains([':', 'h']) {
        for (index, field) in whole.split([':', 'h']).enumerate() {
            if !field.is_empty() {
                *fields.get_mut(index)? = field.parse().ok()?;
            }
        }
    } else {
        for (index, pair) in whole.as_bytes().chunks(2).enumerate() {
            *fields.get_mut(index)? = std::str::from_utf8(pair).ok()?.parse().ok()?;
        }
    }
    if !fraction.is_empty() {
        let digits: String = fraction.chars().take(9).collect();
        let scale = 10_i32.pow(9 - u32::try_from(digits.len()).ok()?);
        parts.nanosecond = digits.parse::<i32>().ok()? * scale;
    }
    [parts.hour, parts.minute, parts.second] = fields;
    Some(())
}

/// `Z`, `+02:00`, `-0530`, `GMT+2`, `EST`; minutes east of Greenwich. Unknown names are Greenwich.
fn offset(zone: &str) -> Option<i64> {
    let zone = zone.trim_matches(['(', ')', '[', ']']).trim();
    let lower = zone.to_ascii_lowercase();
    let bare = lower.strip_prefix("etc/").unwrap_or(&lower);
    let bare = ["gmt", "utc"].iter().find_map(|name| bare.strip_prefix(name)).map_or(bare, str::trim);
    let first_word = bare.split([' ', '(', '[']).next().unwrap_or_default();
    match first_word.as_bytes() {
        [] => Some(0),
        [sign @ (b'+' | b'-'), rest @ ..] => {
            let digits: String =
                rest.iter().filter(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
            let (hours, minutes) = match digits.len() {
                1 | 2 => (digits.parse().ok()?, 0),
                3 => (digits[..1].parse::<i64>().ok()?, digits[1..].parse::<i64>().ok()?),
                4 => (digits[..2].parse().ok()?, digits[2..].parse().ok()?),
                _ => return None,
            };
            let total = hours * 60 + minutes;
            Some(if *sign == b'-' { -total } else { total })
        }
        word if word[0].is_ascii_digit() => None,
        _ => Some(zone_minutes(first_word).unwrap_or(0)),
    }
}

/// Anything else: words, told apart by what they look like.
fn words(text: &str) -> Option<Timestamp> {
    let lower = text.to_lowercase();
    let mut parts = Parts::default();
    let mut numbers: Vec<&str> = Vec::new();
    let (mut month_at, mut clocked, mut zoned, mut afternoon) = (None, false, false, None);
    let spaced = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '年' | '月' | '日' | '년' | '월' | '일');
    for word in lower.split(spaced).filter(|word| !word.is_empty()) {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let tail = &word[digits..];
        match word {
            "am" | "a.m." | "오전" | "上午" | "午前" => afternoon = Some(false),
            "pm" | "p.m." | "오후" | "下午" | "午後" => afternoon = Some(true),
            _ if digits > 0 && !clocked && is_clock(word) => {
                let end =
                    word.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | 'h'))).unwrap_or(word.len());
                clock(word[..end].trim_end_matches(['h', ':']), &mut parts)?;
                clocked = true;
                match word[end..].trim() {
                    "" | "z" => {}
                    "am" => afternoon = Some(false),
                    "pm" => afternoon = Some(true),
                    zone => {
                        parts.offset_minutes = offset(zone)?;
                        zoned = true;
                    }
                }
            }
            _ if clocked && !zoned && word.starts_with(['+', '-']) => {
                parts.offset_minutes = offset(word)?;
                zoned = true;
            }
            _ if digits > 0 && tail.contains(['-', '/', '.']) && word.len() > digits + 1 => {
                // `06-nov-94`, `2006/09/15`, `15.9.2006`, `2006-január-3t10:15`
                let (date, time) = match word.split_once('t') {
                    Some((date, time)) if time.starts_with(|c: char| c.is_ascii_digit()) => (date, Some(time)),
                    _ => (word, None),
                };
                let dots = word.contains('.');
                for field in date.split(['-', '/', '.']).filter(|field| !field.is_empty()) {
                    if field.bytes().all(|byte| byte.is_ascii_digit()) {
                        numbers.push(field);
                    } else {
                        month_at = Some(numbers.len());
                        parts.month = month(field)?;
                    }
                }
                if month_at.is_none() && numbers.len() == 3 {
                    numeric_date(&mut numbers, &mut month_at, &mut parts, dots)?;
                }
                if let Some(time) = time {
                    let end = time.find(['+', '-', 'z']).unwrap_or(time.len());
                    clock(&time[..end], &mut parts)?;
                    parts.offset_minutes = offset(&time[end..])?;
                    (clocked, zoned) = (true, true);
                }
            }
            _ if digits > 0 && digits <= 2 && month_at.is_some() && numbers.len() == 2 && !clocked => {
                // The hour alone.
                parts.hour = word[..digits].parse().ok()?;
                clocked = true;
            }
            _ if digits > 0 => numbers.push(&word[..digits]),
            _ => {
                if let Some(found) = month(word).filter(|_| month_at.is_none()) {
                    month_at = Some(numbers.len());
                    parts.month = found;
                } else if clocked && !zoned && word.is_ascii() {
                    parts.offset_minutes = offset(word)?;
                    zoned = true;
                }
            }
        }
    }
    match afternoon {
        Some(true) if parts.hour < 12 => parts.hour += 12,
        Some(false) if parts.hour == 12 => parts.hour = 0,
        _ => {}
    }
    if month_at.is_none() && numbers.len() == 3 && numbers[0].len() == 4 {
        numeric_date(&mut numbers, &mut month_at, &mut parts, false)?;
    }
    // Koreans write no zone, and mean their own.
    if !zoned && text.contains(['년', '전', '후']) {
        parts.offset_minutes = 9 * 60;
    }
    month_at?;
    let [first, second, ..] = numbers.as_slice() else { return None };
    // The year is the four-digit one, or else the later one.
    let (year, day) = if first.len() == 4 { (first, second) } else { (second, first) };
    parts.year = full_year(year)?;
    parts.day = day.parse().ok()?;
    parts.instant()
}

fn is_clock(word: &str) -> bool {
    let Some(at) = word.find([':', 'h']) else { return false };
    at <= 2
        && word[..at].bytes().all(|byte| byte.is_ascii_digit())
        && word[at + 1..].starts_with(|c: char| c.is_ascii_digit())
}

/// Three numbers: year first if it has four digits; else day first with dots or where the month would be no month;
/// else month first, as Americans write it.
fn numeric_date(numbers: &mut Vec<&str>, month_at: &mut Option<usize>, parts: &mut Parts, dots: bool) -> Option<()> {
    let values: Option<Vec<u32>> = numbers.iter().map(|number| number.parse().ok()).collect();
    let &[first, second, _] = values?.as_slice() else { return None };
    let month = usize::from(numbers[0].len() == 4 || dots || first > 12);
    parts.month = if month == 1 { second } else { first };
    numbers.remove(month);
    *month_at = Some(month);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let shown = parse(text).map_or("none".to_owned(), |instant| instant.to_string());
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn as_rss_writes_them() {
        check("Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z");
        check("Thu, 1 Jan 2004 19:48:21 +0200", "2004-01-01T17:48:21Z");
        check("01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z");
        check("Thu, 01 Jan 2004 19:48 GMT", "2004-01-01T19:48:00Z");
        check("Thu, 01 Jan 2004 19 EST", "2004-01-02T00:00:00Z");
        check("Thu, 01 Jan 2004", "2004-01-01T00:00:00Z");
        check("Thu, 01 Jan 04 19:48:21 EST", "2004-01-02T00:48:21Z");
        check("Thu,  01  Jan  2004  19:48:21  PDT", "2004-01-02T02:48:21Z");
        check("Thu, 01 January 2004 19:48:21 -0500 (EST)", "2004-01-02T00:48:21Z");
        check("Thu, Jan 01 2004 19:48:21 GMT", "2004-01-01T19:48:21Z");
        check("Thu, 01 Jan 2004 19:48:21 GMT-05:00", "2004-01-02T00:48:21Z");
        check("Thu, 01 Jan 2004 19:48:21 Etc/GMT", "2004-01-01T19:48:21Z");
        check("Thu, 01 Jan 2004 24:00:00 GMT", "2004-01-02T00:00:00Z");
        check("Thu, 31 Jun 2004 19:48:21 GMT", "none");
        check("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z");
        check("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z");
        check("Sun Jan  4 16:29:06 PST 2004", "2004-01-05T00:29:06Z");
        check("Fri, 2006/09/15 08:19:53 EDT", "2006-09-15T12:19:53Z");
    }

    #[test]
    fn as_atom_writes_them() {
        check("2003-12-31T10:14:55Z", "2003-12-31T10:14:55Z");
        check("2003-12-31T10:14:55.25-08:00", "2003-12-31T18:14:55.25Z");
        check("2003-12-31T10:14:55", "2003-12-31T10:14:55Z");
        check("2003-12-31T10:14Z", "2003-12-31T10:14:00Z");
        check("2003-12-31 10:14:55", "2003-12-31T10:14:55Z");
        check("2003-12-31 10:14:55 -0800", "2003-12-31T18:14:55Z");
        check("2003-12-31T10:14:55PST", "2003-12-31T18:14:55Z");
        check("2003-12-31", "2003-12-31T00:00:00Z");
        check("2003-12", "2003-12-01T00:00:00Z");
        check("2003", "2003-01-01T00:00:00Z");
        check("20031231", "2003-12-31T00:00:00Z");
        check("20031231T101455Z", "2003-12-31T10:14:55Z");
        check("2003-335", "2003-12-01T00:00:00Z");
        check("03-12-31", "2003-12-31T00:00:00Z");
        check("031231", "2003-12-31T00:00:00Z");
        check("-0312", "2003-12-01T00:00:00Z");
        check("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z");
        check("0000-00-00T00:00:00Z", "none");
        check("2003-12-31T25:14:55Z", "none");
    }

    #[test]
    fn as_people_write_them() {
        check("25 décembre 2004", "2004-12-25T00:00:00Z");
        check("Mittwoch, 3. März 2004 10:15 Uhr", "2004-03-03T10:15:00Z");
        check("mié, 5 may 2004 10:15:00 CEST", "2004-05-05T08:15:00Z");
        check("5 de maio de 2004", "2004-05-05T00:00:00Z");
        check("12 września 2004 10:00", "2004-09-12T10:00:00Z");
        check("12 октября 2004, 10:00", "2004-10-12T10:00:00Z");
        check("Κυρ, 11 Ιούλ 2004 12:00:00 EST", "2004-07-11T17:00:00Z");
        check("2004-július-13T9:15-03:00", "2004-07-13T12:15:00Z");
        check("2004년 05월 28일 01:31:15", "2004-05-27T16:31:15Z");
        check("2004-05-25 오후 11:23:17", "2004-05-25T14:23:17Z");
        check("January 5, 2004 3:04 PM", "2004-01-05T15:04:00Z");
        check("5th January 2004", "2004-01-05T00:00:00Z");
        check("15.09.2006 10:00", "2006-09-15T10:00:00Z");
        check("09/15/2006", "2006-09-15T00:00:00Z");
        check("1075000000", "2004-01-25T03:06:40Z");
        check("2004/01/05 10:11", "2004-01-05T10:11:00Z");
    }

    #[test]
    fn not_dates() {
        check("", "none");
        check("yesterday", "none");
        check("-1", "none");
        check("Mon, 01 Jan 999999999 00:00:00 GMT", "none");
        check(&format!("Mon, {} 01 Jan 2026", "(".repeat(200_000)), "none");
    }
}
