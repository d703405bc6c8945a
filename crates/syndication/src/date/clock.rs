//! The time of day in any spelling.
//!
//! Digits only: AM and PM are in `words`, zones in `zones`.

use super::Parts;

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
