//! The time of day and the zone, in whatever spelling: what all rungs of the ladder end with.

use super::Parts;
use super::names::zone_minutes;

/// `4`, `04:00`, `4:00:00.123`, `040000`, `4h30`.
pub(super) fn clock(time: &str, parts: &mut Parts) -> Option<()> {
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
        let digits = fraction.get(..fraction.len().min(9))?;
        let scale = 10_i32.pow(9 - digits.len() as u32);
        parts.nanosecond = digits.parse::<i32>().ok()? * scale;
    }
    [parts.hour, parts.minute, parts.second] = fields;
    Some(())
}

/// `Z`, `+02:00`, `-0530`, `GMT+2`, `EST`; minutes east of Greenwich. Unknown names are Greenwich.
pub(super) fn offset(zone: &str) -> Option<i64> {
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
