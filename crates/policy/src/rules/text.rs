//! The text form of rules: parses and formats durations, numbers and words. Errors say what was expected.

use super::{Delay, Unit};
use jiff::SignedDuration;

const UNITS: [(&str, i64); 4] = [("d", 86400), ("h", 3600), ("m", 60), ("s", 1)];

/// `90s`, `5m`, `2h`, `7d`.
pub(super) fn duration(text: &str) -> Result<SignedDuration, String> {
    let expected = || "expected a duration such as `90s`, `5m`, `2h` or `7d`".to_owned();
    let end = text.find(|c: char| !c.is_ascii_digit()).ok_or_else(expected)?;
    let (number, unit) = text.split_at(end);
    let number: i64 = number.parse().map_err(|_| expected())?;
    let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(expected)?;
    // A century is more than anyone means, and far from overflowing later arithmetic.
    let seconds = number.checked_mul(*seconds).filter(|seconds| *seconds <= 100 * 366 * 86400).ok_or_else(expected)?;
    Ok(SignedDuration::from_secs(seconds))
}

/// The same text, in the largest unit that is whole.
pub(super) fn show(duration: SignedDuration) -> String {
    let seconds = duration.as_secs();
    let whole = UNITS.iter().find(|(_, unit)| seconds >= *unit && seconds % unit == 0);
    whole.map_or_else(|| "0s".to_owned(), |(name, unit)| format!("{}{name}", seconds / unit))
}

/// A duration, or `never`.
pub(super) fn or_never(text: &str) -> Result<Option<SignedDuration>, String> {
    if text == "never" {
        Ok(None)
    } else {
        duration(text).map(Some).map_err(|expected| format!("{expected}, or `never`"))
    }
}

/// A whole number of at least one, or `never`.
pub(super) fn count_or_never(text: &str) -> Result<Option<u32>, String> {
    match text.parse::<u32>() {
        _ if text == "never" => Ok(None),
        Ok(count) if count > 0 => Ok(Some(count)),
        _ => Err("expected a whole number from 1 on, or `never`".into()),
    }
}

/// A number within a range.
pub(super) fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

/// One of a list of words.
pub(super) fn word<T: Copy>(text: &str, words: &[(&str, T)]) -> Result<T, String> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let (last, others) = words.split_last().expect("a rule has at least one word");
        format!("expected {} or {last}", others.join(", "))
    })
}

/// The word of a value.
pub(super) fn word_of<T: Copy + PartialEq>(value: T, words: &[(&'static str, T)]) -> String {
    words.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word).to_owned()
}

/// `one_strike`, `keep_interval`, `exponential 2 30m`, `ladder 1h 4h 12h`, and `exponential 2 interval`, optionally
/// with a minimum for the interval: `exponential 2 interval 15m`.
pub(super) fn delay(text: &str) -> Result<Delay, String> {
    let expected = "expected `one_strike`, `keep_interval`, `exponential 2 interval`, `exponential 2 interval 15m`, \
                    `exponential 2 30m` or `ladder 1h 4h 12h`";
    let mut words = text.split_whitespace();
    let delay = match words.next() {
        Some("one_strike") => Delay::OneStrike,
        Some("keep_interval") => Delay::KeepInterval,
        Some("exponential") => {
            let base = number(words.next().ok_or(expected)?, 1.0, 100.0)?;
            let unit = match words.next().ok_or(expected)? {
                "interval" => Unit::Interval { least: words.next().map_or(Ok(super::FLOOR), duration)? },
                fixed => Unit::Fixed(duration(fixed)?),
            };
            Delay::Exponential { base, unit }
        }
        Some("ladder") => {
            let steps = words.by_ref().take(50).map(duration).collect::<Result<Vec<_>, _>>()?;
            if steps.is_empty() {
                return Err(expected.into());
            }
            Delay::Ladder(steps)
        }
        _ => return Err(expected.into()),
    };
    if words.next().is_some() { Err(expected.into()) } else { Ok(delay) }
}

/// The same text.
pub(super) fn show_delay(delay: &Delay) -> String {
    match delay {
        Delay::OneStrike => "one_strike".into(),
        Delay::KeepInterval => "keep_interval".into(),
        Delay::Exponential { base, unit: Unit::Interval { least: super::FLOOR } } => {
            format!("exponential {base} interval")
        }
        Delay::Exponential { base, unit: Unit::Interval { least } } => {
            format!("exponential {base} interval {}", show(*least))
        }
        Delay::Exponential { base, unit: Unit::Fixed(unit) } => format!("exponential {base} {}", show(*unit)),
        Delay::Ladder(steps) => steps.iter().fold("ladder".to_owned(), |text, step| format!("{text} {}", show(*step))),
    }
}
