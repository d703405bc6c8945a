//! Dates as people write them: words in any order, told apart by what they look like.
//!
//! Enough for a date are a day, a month and a year; what else is understood makes it more precise.

use jiff::Timestamp;

use super::Parts;
use super::clock::{clock, offset};
use super::names::month;

/// The instant that words name, if they name one.
pub(super) fn instant(text: &str) -> Option<Timestamp> {
    let lower = text.to_lowercase();
    let between = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '年' | '月' | '日' | '년' | '월' | '일');
    let mut found = Found::default();
    for word in lower.split(between).filter(|word| !word.is_empty()) {
        found.word(word)?;
    }
    // Koreans write no zone, and mean their own.
    if !found.zoned && text.contains(['년', '전', '후']) {
        found.parts.offset_minutes = 9 * 60;
    }
    found.instant()
}

/// What the words so far have said.
#[derive(Default)]
struct Found<'a> {
    parts: Parts,
    /// Those that may be the day, the year, or a month in digits.
    numbers: Vec<&'a str>,
    has_month: bool,
    clocked: bool,
    zoned: bool,
    half: Option<Half>,
}

/// Of the day.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
}

impl<'a> Found<'a> {
    /// Takes in one word, in lower case; `None` if there can be no date with it.
    fn word(&mut self, word: &'a str) -> Option<()> {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        match word {
            "am" | "a.m." | "오전" | "上午" | "午前" => self.half = Some(Half::Morning),
            "pm" | "p.m." | "오후" | "下午" | "午後" => self.half = Some(Half::Afternoon),
            _ if digits > 0 && !self.clocked && is_clock(word) => self.clock_with_zone(word)?,
            _ if self.clocked && !self.zoned && word.starts_with(['+', '-']) => self.zone(word)?,
            _ if digits > 0 && word[digits..].contains(['-', '/', '.']) && word.len() > digits + 1 => {
                self.whole_date(word)?;
            }
            _ if (1..=2).contains(&digits) && self.has_month && self.numbers.len() == 2 && !self.clocked => {
                // The hour alone.
                self.parts.hour = word[..digits].parse().ok()?;
                self.clocked = true;
            }
            _ if digits > 0 => self.numbers.push(&word[..digits]),
            _ => match month(word).filter(|_| !self.has_month) {
                Some(month) => self.month(month),
                None if self.clocked && !self.zoned && word.is_ascii() => self.zone(word)?,
                None => {}
            },
        }
        Some(())
    }

    fn month(&mut self, month: u32) {
        self.parts.month = month;
        self.has_month = true;
    }

    fn zone(&mut self, zone: &str) -> Option<()> {
        self.parts.offset_minutes = offset(zone)?;
        self.zoned = true;
        Some(())
    }

    /// `10:15`, `4h30`, `3:04pm`, `10:15+02:00`.
    fn clock_with_zone(&mut self, word: &str) -> Option<()> {
        let end = word.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | 'h'))).unwrap_or(word.len());
        clock(word[..end].trim_end_matches(['h', ':']), &mut self.parts)?;
        self.clocked = true;
        match word[end..].trim() {
            "" | "z" => {}
            "am" => self.half = Some(Half::Morning),
            "pm" => self.half = Some(Half::Afternoon),
            zone => self.zone(zone)?,
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
                self.month(month(field)?);
            }
        }
        if !self.has_month && self.numbers.len() == 3 {
            self.month_in_digits(word.contains('.'))?;
        }
        if let Some(time) = time {
            let end = time.find(['+', '-', 'z']).unwrap_or(time.len());
            clock(&time[..end], &mut self.parts)?;
            self.clocked = true;
            self.zone(&time[end..])?;
        }
        Some(())
    }

    /// Of three numbers, takes the one that is the month: the second after a year of four digits, with dots or where the
    /// first would be no month; else the first, as Americans write it.
    fn month_in_digits(&mut self, dots: bool) -> Option<()> {
        let first: u32 = self.numbers[0].parse().ok()?;
        let place = usize::from(self.numbers[0].len() == 4 || dots || first > 12);
        let month = self.numbers.remove(place).parse().ok()?;
        self.month(month);
        Some(())
    }

    fn instant(mut self) -> Option<Timestamp> {
        match self.half {
            Some(Half::Afternoon) if self.parts.hour < 12 => self.parts.hour += 12,
            Some(Half::Morning) if self.parts.hour == 12 => self.parts.hour = 0,
            _ => {}
        }
        if !self.has_month && self.numbers.len() == 3 && self.numbers[0].len() == 4 {
            self.month_in_digits(false)?;
        }
        let [first, second, ..] = *self.numbers.as_slice() else { return None };
        // The year is the four-digit one, or else the later one.
        let (year, day) = if first.len() == 4 { (first, second) } else { (second, first) };
        self.parts.year = full_year(year)?;
        self.parts.day = day.parse().ok()?;
        self.parts.instant().filter(|_| self.has_month)
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
