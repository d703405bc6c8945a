//! Dates as people write them: words in any order, classified by their form.
//!
//! A date needs a day, a month and a year; anything else makes it more precise. The month is decided when all words are
//! known (`names`).

use jiff::Timestamp;

use super::clock::clock;
use super::names;
use super::zones::{self, Zone};
use super::{Parts, days_since_1970};

/// The instant that words denote, if any.
pub(super) fn instant(text: &str, language: Option<&str>) -> Option<Timestamp> {
    let folded = names::fold(text);
    let between =
        |c: char| c.is_whitespace() || matches!(c, ',' | '،' | '(' | ')' | '年' | '月' | '日' | '년' | '월' | '일');
    let mut found = Found::default();
    for part in folded.split_inclusive(between) {
        let word = part.trim_end_matches(between);
        if !word.is_empty() {
            found.word(word, part[word.len()..].chars().next())?;
        }
    }
    // Korean dates have no zone and are in local time.
    if !found.zoned && text.contains(['년', '전', '후']) {
        found.parts.zone = Zone::Minutes(9 * 60);
    }
    found.instant(language)
}

/// What was found so far.
#[derive(Default)]
struct Found<'a> {
    parts: Parts,
    /// Candidates for the day, the year, or a month in digits.
    numbers: Vec<&'a str>,
    /// Candidates for a month or a weekday.
    names: Vec<&'a str>,
    has_month: bool,
    clocked: bool,
    zoned: bool,
    half: Option<Half>,
    /// The word before says that a number is a month.
    month_follows: bool,
}

/// AM or PM.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
}

impl<'a> Found<'a> {
    /// Takes one folded word, and the character after it; `None` if it cannot be part of a date.
    fn word(&mut self, word: &'a str, after: Option<char>) -> Option<()> {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        // A third number is an hour.
        let timed = self.clocked || self.numbers.len() > 2;
        let is_month = std::mem::take(&mut self.month_follows) || matches!(after, Some('月' | '월'));
        match word {
            "am" | "a.m." | "오전" | "上午" | "午前" => self.half = Some(Half::Morning),
            "pm" | "p.m." | "오후" | "下午" | "午後" => self.half = Some(Half::Afternoon),
            // Vietnamese for month.
            "thang" | "thg" => self.month_follows = true,
            _ if digits > 0 && !self.clocked && is_clock(word) => self.clock_with_zone(word)?,
            _ if self.clocked && word.starts_with(['+', '-']) => self.zone(word),
            _ if digits > 0 && word[digits..].contains(['-', '/', '.']) && word.len() > digits + 1 => {
                self.whole_date(word)?;
            }
            _ if (1..=2).contains(&digits) && is_month && !self.has_month => self.month(word[..digits].parse().ok()?),
            _ if digits > 0 => self.numbers.push(&word[..digits]),
            _ if timed && zones::abbreviated(word).is_some() => self.zone(word),
            _ if word.contains('/') => self.zone(word),
            _ if timed && word.is_ascii() && !names::is_name(word) => self.zone(word),
            _ => self.names.push(word),
        }
        Some(())
    }

    fn month(&mut self, month: u32) {
        self.parts.month = month;
        self.has_month = true;
    }

    /// The first known zone counts.
    fn zone(&mut self, zone: &str) {
        if !self.zoned
            && let Some(zone) = Zone::of(zone)
        {
            self.parts.zone = zone;
            self.zoned = true;
        }
    }

    /// `10:15`, `4h30`, `3:04pm`, `10:15+02:00`.
    fn clock_with_zone(&mut self, word: &str) -> Option<()> {
        let end = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | 'h'))).unwrap_or(word.len());
        clock(word[..end].trim_end_matches(['h', ':']), &mut self.parts)?;
        self.clocked = true;
        match word[end..].trim() {
            "" => {}
            "am" => self.half = Some(Half::Morning),
            "pm" => self.half = Some(Half::Afternoon),
            zone => self.zone(zone),
        }
        Some(())
    }

    /// `06-nov-94`, `2006/09/15`, `15.9.2006`, `2006-január-3t10:15`.
    fn whole_date(&mut self, word: &'a str) -> Option<()> {
        let (date, time) = match word.split_once('t') {
            Some((date, time)) if time.starts_with(|c: char| c.is_ascii_digit()) => (date, Some(time)),
            _ => (word, None),
        };
        for field in date.split(['-', '/', '.']).filter(|field| !field.is_empty()) {
            if field.bytes().all(|byte| byte.is_ascii_digit()) {
                self.numbers.push(field);
            } else {
                self.names.push(field);
            }
        }
        if !self.has_month && self.numbers.len() == 3 {
            self.month_in_digits(word.contains('.'))?;
        }
        if let Some(time) = time {
            let end = time.find(['+', '-', 'z']).unwrap_or(time.len());
            clock(&time[..end], &mut self.parts)?;
            self.clocked = true;
            if end < time.len() {
                self.zone(&time[end..]);
            }
        }
        Some(())
    }

    /// Of three numbers, takes the one that is the month: the second after a four-digit year, with dots or if the first
    /// cannot be a month; else the first, as in the US.
    fn month_in_digits(&mut self, dots: bool) -> Option<()> {
        let first: u32 = self.numbers[0].parse().ok()?;
        let place = usize::from(self.numbers[0].len() == 4 || dots || first > 12);
        let month = self.numbers.remove(place).parse().ok()?;
        self.month(month);
        Some(())
    }

    fn instant(mut self, language: Option<&str>) -> Option<Timestamp> {
        // In Vietnamese weekdays are numbers, too.
        if self.has_month && self.names.contains(&"th") && matches!(*self.numbers, [_, _, year] if year.len() == 4) {
            self.numbers.remove(0);
        }
        if !self.has_month {
            self.find_month(language)?;
        }
        match (self.numbers.get(2), self.clocked) {
            // Only an hour.
            (Some(hour), false) if hour.len() <= 2 => self.parts.hour = hour.parse().ok()?,
            _ => {}
        }
        match self.half {
            Some(Half::Afternoon) if self.parts.hour < 12 => self.parts.hour += 12,
            Some(Half::Morning) if self.parts.hour == 12 => self.parts.hour = 0,
            _ => {}
        }
        (self.parts.year, self.parts.day) = self.year_and_day()?;
        self.parts.instant()
    }

    /// The year is the four-digit number, or else the later one.
    fn year_and_day(&self) -> Option<(i64, u32)> {
        let [first, second, ..] = *self.numbers.as_slice() else { return None };
        let (year, day) = if first.len() == 4 { (first, second) } else { (second, first) };
        Some((full_year(year)?, day.parse().ok()?))
    }

    fn find_month(&mut self, language: Option<&str>) -> Option<()> {
        let year_at = match self.numbers.as_slice() {
            [year, _, _] if year.len() == 4 => Some(0),
            [_, _, year] if year.len() == 4 => Some(2),
            _ => None,
        };
        let also_digits = year_at == Some(2) || (year_at == Some(0) && self.clocked);
        let date = self.year_and_day();
        let fits = |month: u32, weekday: u32| {
            let day = date.map(|(year, day)| days_since_1970(year, month, day));
            // 1970-01-01 was a Thursday.
            day.is_some_and(|day| (day + 3).rem_euclid(7) == i64::from(weekday))
        };
        if let Some(month) = names::month(&self.names, also_digits, language, fits) {
            self.month(month);
            return Some(());
        }
        // In digits between spaces: after the year, or after the day unless only the other order is possible.
        let place = match year_at? {
            0 => 1,
            _ => usize::from(self.numbers[1].parse::<u32>().ok()? <= 12),
        };
        let month = self.numbers.remove(place).parse().ok()?;
        self.month(month);
        Some(())
    }
}

fn is_clock(word: &str) -> bool {
    let Some(at) = word.find([':', 'h']) else { return false };
    at <= 2
        && word[..at].bytes().all(|byte| byte.is_ascii_digit())
        && word[at + 1..].starts_with(|c: char| c.is_ascii_digit())
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
