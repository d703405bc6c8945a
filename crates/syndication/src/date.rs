//! Dates: a sequence of parsers, from the two forms that nearly every feed uses to those that people type.
//!
//! Standard RFC 822 is parsed here; ISO 8601 in all its spellings, RFC 3339 included, in `iso`; the rest are words, in
//! any order and in the common languages (`words`, and `names` for the months). A date without a zone, or with an
//! unknown one (`zones`), is taken as UTC: no date is lost for one bad part, but a month is never guessed. The result
//! is `None` if the text is not understood; the caller keeps the text.

mod clock;
#[cfg(test)]
mod grid;
mod iso;
mod languages;
mod names;
mod words;
mod zones;

use jiff::Timestamp;

use self::zones::Zone;

/// Longer texts are not parsed.
const MAX_LENGTH: usize = 128;

/// The instant that `text` denotes, if any.
pub fn parse(text: &str) -> Option<Timestamp> {
    parse_in(text, None)
}

/// The instant that `text` denotes in a feed of this language, which decides where the name of a month is ambiguous.
pub fn parse_in(text: &str, language: Option<&str>) -> Option<Timestamp> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_LENGTH {
        return None;
    }
    rfc822(text.as_bytes()).or_else(|| iso::instant(text)).or_else(|| words::instant(text, language))
}

/// A date being assembled; missing parts mean midnight, UTC.
#[derive(Debug, Clone, Default)]
struct Parts {
    year: i64,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    nanosecond: i32,
    zone: Zone,
}

impl Parts {
    fn instant(self) -> Option<Timestamp> {
        let Parts { year, month, day, hour, minute, second, .. } = self;
        if !(1..=12).contains(&month) || day == 0 || day > days_in(year, month) || year < 1 {
            return None;
        }
        // 23:59:60 is a leap second; jiff and everybody else counts it as the next second. Hour 24 is the first hour of
        // the next day.
        if hour > 24 || minute > 59 || second > 60 {
            return None;
        }
        let seconds = days_since_1970(year, month, day) * 86_400 + i64::from(hour * 3600 + minute * 60 + second);
        let instant = Timestamp::new(seconds, self.nanosecond).ok().and_then(|shown| self.zone.instant(shown));
        // The last day of 9999 exceeds a timestamp; publishers who write it mean "never".
        instant.or((year == 9999).then_some(Timestamp::MAX))
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

/// `Tue, 10 Jun 2003 04:00:00 GMT` exactly: the form of nearly every RSS feed, without allocating.
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
        zone: Zone::Minutes(offset_minutes),
    };
    parts.instant()
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
        check("2003-12-31 10:14:55 PM", "2003-12-31T22:14:55Z");
        check("١ ديسمبر ٢٠٢٠", "2020-12-01T00:00:00Z");
    }

    #[test]
    fn a_weekday_is_no_month() {
        check("mar., 01 déc. 2020 16:11:02 +0000", "2020-12-01T16:11:02Z");
        check("mar, 01 dic 2020 16:11:02 +0000", "2020-12-01T16:11:02Z");
        check("martedì, 1 dicembre 2020", "2020-12-01T00:00:00Z");
        check("maandag, 07 dec 2020 16:11:02 +0000", "2020-12-07T16:11:02Z");
        check("2020. december 2., szerda", "2020-12-02T00:00:00Z");
        check("Paz, 06 Ara 2020 16:11:02 +0300", "2020-12-06T13:11:02Z");
        check("30 marras 2020", "2020-11-30T00:00:00Z");
        check("mar., 11 04 2020 08:51:49 +0100", "2020-04-11T07:51:49Z");
    }

    #[test]
    fn zones_of_places() {
        check("Tue, 01 Dec 2020 16:11:02 America/Los_Angeles", "2020-12-02T00:11:02Z");
        check("Wed, 01 Jul 2020 16:11:02 America/Los_Angeles", "2020-07-01T23:11:02Z");
        check("2020-07-01 16:11:02 Europe/Berlin", "2020-07-01T14:11:02Z");
        check("2020-07-01T16:11:02-07:00[America/Los_Angeles]", "2020-07-01T23:11:02Z");
        check("2020-07-01T16:11:02[Asia/Tokyo]", "2020-07-01T07:11:02Z");
        check("Tue, 01 Dec 2020 16:11:02 MST-07:00", "2020-12-01T23:11:02Z");
        check("Tue, 01 Dec 2020 16:11:02 Nowhere/Land", "2020-12-01T16:11:02Z");
    }

    #[test]
    fn one_bad_part_does_not_lose_a_date() {
        check("Tue, 01 Dec 2020 16:11:02 +3000", "2020-12-01T16:11:02Z");
        check("2020-12-01T16:11:02+30:00", "2020-12-01T16:11:02Z");
        check("Tue, 01 Dec 2020 24:05:00 GMT", "2020-12-02T00:05:00Z");
        check("2020-12-01T24:05:00Z", "2020-12-02T00:05:00Z");
        check("2020-12-01T16:11:02-07:00:00", "2020-12-01T23:11:02Z");
        check("Sat, 11 04 2020 08:51:49 +0100", "2020-04-11T07:51:49Z");
        check("04 25 2020 08:51:49 +0100", "2020-04-25T07:51:49Z");
        check("Tue, 01 Dec 2020 10:15 Uhr CET", "2020-12-01T09:15:00Z");
    }

    #[test]
    fn a_month_of_two_meanings_is_asked_of_the_language() {
        let at = |language| parse_in("5 lis 2020", language).map(|instant| instant.to_string());
        assert_eq!(at(None), None);
        assert_eq!(at(Some("pl-PL")).as_deref(), Some("2020-11-05T00:00:00Z"));
        assert_eq!(at(Some("hr")).as_deref(), Some("2020-10-05T00:00:00Z"));
    }

    #[test]
    fn not_dates() {
        check("", "none");
        check("yesterday", "none");
        check("-1", "none");
        check("Mon, 01 Jan 999999999 00:00:00 GMT", "none");
        check("06-nov-94t1.ééééé", "none");
        check(&format!("Mon, {} 01 Jan 2026", "(".repeat(200_000)), "none");
    }
}
