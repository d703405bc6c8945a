//! The zones of dates: an offset, an abbreviation, or a name of the time zone database.
//!
//! Abbreviations are ambiguous: the meaning that is usual in feeds is taken. Names are looked up in the built-in copy
//! of the database; it is as new as this program, and nothing is read at run time.

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// A zone.
#[derive(Debug, Clone)]
pub(super) enum Zone {
    /// Minutes east of Greenwich.
    Minutes(i64),
    /// A named zone, whose offset depends on the day.
    Place(TimeZone),
}

impl Default for Zone {
    fn default() -> Self {
        Zone::Minutes(0)
    }
}

/// More than any real offset, with room for mistakes; larger values are ignored.
const MAX_MINUTES: i64 = 26 * 60;

impl Zone {
    /// The instant at which local clocks show what UTC clocks show at `shown`.
    pub(super) fn instant(&self, shown: Timestamp) -> Option<Timestamp> {
        match self {
            Zone::Minutes(minutes) if minutes.abs() > MAX_MINUTES => Some(shown),
            Zone::Minutes(minutes) => Timestamp::new(shown.as_second() - minutes * 60, shown.subsec_nanosecond()).ok(),
            Zone::Place(zone) => zone.to_timestamp(TimeZone::UTC.to_datetime(shown)).ok(),
        }
    }

    /// `Z`, `+02:00`, `-0530`, `GMT+2`, `MST-07:00`, `EST`, `Europe/Berlin`, `-08:00[America/Los_Angeles]`; `None` if
    /// it is unknown.
    pub(super) fn of(text: &str) -> Option<Zone> {
        let text = text.trim_matches(['(', ')', '[', ']']).trim();
        let word = text.split([' ', '(', '[']).next().unwrap_or_default().to_ascii_lowercase();
        if word.contains('/') {
            return place(&word);
        }
        // A name before an offset is redundant; if they differ, the digits count.
        if let Some(at) = word.find(['+', '-'])
            && word[at + 1..].starts_with(|c: char| c.is_ascii_digit())
        {
            return minutes(&word[at..]).map(Zone::Minutes);
        }
        let name = word.trim_matches(['+', '-']);
        if name.is_empty() && !word.is_empty() {
            return None;
        }
        if name.is_empty() {
            return Some(Zone::Minutes(0));
        }
        abbreviated(name).map(Zone::Minutes).or_else(|| place(name))
    }
}

/// `+2`, `-05`, `+530`, `-0800`, `+05:30`, `-07:00:00`.
fn minutes(offset: &str) -> Option<i64> {
    let digits: String = offset[1..].chars().filter(char::is_ascii_digit).collect();
    let number = |digits: &str| digits.parse::<i64>().ok();
    let (hours, minutes) = match digits.len() {
        1 | 2 => (number(&digits)?, 0),
        3 => (number(&digits[..1])?, number(&digits[1..])?),
        4 | 6 => (number(&digits[..2])?, number(&digits[2..4])?),
        _ => return None,
    };
    let total = hours * 60 + minutes;
    Some(if offset.starts_with('-') { -total } else { total })
}

fn place(name: &str) -> Option<Zone> {
    // Longer than any name.
    if name.len() > 64 {
        return None;
    }
    TimeZoneDatabase::bundled().get(name).ok().map(Zone::Place)
}

/// Minutes east of Greenwich of a zone's name in lower case.
pub(super) fn abbreviated(name: &str) -> Option<i64> {
    let name = name.trim_end_matches('.');
    if let [letter @ b'a'..=b'z'] = name.as_bytes() {
        // RFC 822's military zones, with the signs it printed.
        return Some(match letter {
            b'a'..=b'i' => -60 * i64::from(letter - b'a' + 1),
            b'k'..=b'm' => -60 * i64::from(letter - b'a'),
            b'n'..=b'y' => 60 * i64::from(letter - b'n' + 1),
            _ => 0,
        });
    }
    ZONES.iter().find(|(_, names)| names.contains(&name)).map(|(minutes, _)| *minutes)
}

#[rustfmt::skip]
const ZONES: &[(i64, &[&str])] = &[
    (-660, &["nut"]),
    (-600, &["hst", "hast", "ckt"]),
    (-540, &["akst", "hadt", "hdt"]),
    (-480, &["pst", "pt", "akdt"]),
    (-420, &["mst", "mt", "pdt"]),
    (-360, &["cst", "ct", "mdt"]),
    (-300, &["est", "et", "cdt", "cot", "pet", "ect"]),
    (-240, &["ast", "at", "edt", "clt", "vet", "bot", "amt"]),
    (-210, &["nst"]),
    (-180, &["adt", "brt", "art", "clst", "uyt", "gft"]),
    (-150, &["ndt"]),
    (-120, &["brst", "fnt"]),
    (-60, &["azot", "cvt"]),
    (0, &["ut", "utc", "gmt", "z", "wet", "egst", "uct"]),
    (60, &["cet", "met", "mez", "bst", "west", "wat", "ist-ie", "dft"]),
    (120, &["cest", "mest", "mesz", "eet", "sast", "cat", "ist-il"]),
    (180, &["eest", "msk", "eat", "trt", "idt", "ast-ar", "oez"]),
    (210, &["irst"]),
    (240, &["msd", "gst", "azt", "samt", "get"]),
    (270, &["irdt", "aft"]),
    (300, &["pkt", "yekt", "uzt", "tmt", "mvt"]),
    (330, &["ist", "slst"]),
    (345, &["npt"]),
    (360, &["almt", "omst", "bdt", "btt"]),
    (390, &["mmt"]),
    (420, &["ict", "wib", "novt", "krat", "hovt"]),
    (480, &["hkt", "sgt", "pht", "awst", "irkt", "wita", "myt", "sct"]),
    (540, &["jst", "kst", "yakt", "wit"]),
    (570, &["acst"]),
    (600, &["aest", "vlat", "chst", "pgt"]),
    (630, &["acdt"]),
    (660, &["aedt", "magt", "sbt", "nct"]),
    (720, &["nzst", "pett", "fjt"]),
    (780, &["nzdt", "tot", "phot"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations() {
        assert_eq!(abbreviated("est"), Some(-300));
        assert_eq!(abbreviated("ist"), Some(330));
        assert_eq!(abbreviated("a"), Some(-60));
        assert_eq!(abbreviated("y"), Some(720));
        assert_eq!(abbreviated("nowhere"), None);
    }
}
