//! `Age` (RFC 9111, 5.1): how long ago a cache on the way got the answer from its origin.
//!
//! Not subtracted from `max-age` by `freshness`, which counts from the moment the answer came.

use crate::syntax::{delta_seconds, members};
use jiff::SignedDuration;

/// The age that an answer states. Of several values the first counts; one that is no number is ignored (5.1).
pub fn read<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Option<SignedDuration> {
    members(lines).next().and_then(delta_seconds).map(SignedDuration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number() {
        let check = |lines: &[&str], expected: Option<i64>| {
            let read = read(lines.iter().map(|line| line.as_bytes())).map(|age| age.as_secs());
            assert_eq!(read, expected, "{lines:?}");
        };
        check(&[], None);
        check(&[" 0 "], Some(0));
        check(&["60, 5", "7"], Some(60));
        check(&["soon, 5"], None);
        check(&["-5"], None);
        check(&["99999999999999999999"], Some(1 << 31));
    }
}
