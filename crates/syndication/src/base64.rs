//! Base64, as Atom 0.3 allowed it for content.
//!
//! Decodes text only: other content is returned to the caller unchanged. White space may be anywhere, padding is
//! optional.

use data_encoding::{BASE64_NOPAD, Encoding};
use std::sync::LazyLock;

/// The usual alphabet. Bits that are left over at the end are ignored.
static LENIENT: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = BASE64_NOPAD.specification();
    specification.check_trailing_bits = false;
    specification.encoding().expect("the specification of BASE64_NOPAD with one check less is valid")
});

/// Decodes text; `None` if it is not base64, or not text inside. Nothing after the first `=` is read.
pub(crate) fn decode_text(encoded: &str) -> Option<String> {
    let digits = encoded.bytes().take_while(|byte| *byte != b'=').filter(|byte| !byte.is_ascii_whitespace());
    let mut digits: Vec<u8> = digits.collect();
    // A last digit that stands alone is less than a byte: completed here, and removed again below.
    let is_incomplete = digits.len() % 4 == 1;
    digits.extend(is_incomplete.then_some(b'A'));
    let mut bytes = LENIENT.decode(&digits).ok()?;
    bytes.truncate(bytes.len() - usize::from(is_incomplete));
    let text = String::from_utf8(bytes).ok()?;
    (!text.is_empty()).then(|| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_text_only() {
        assert_eq!(decode_text("RXhhbXBs\n ZSA8Yj4="), Some("Example <b>".into()));
        assert_eq!(decode_text("not base64!"), None);
        assert_eq!(decode_text("/////w=="), None);
    }

    #[test]
    fn as_leniently_as_feeds_need() {
        let check = |encoded: &str, expected: Option<&str>| assert_eq!(decode_text(encoded).as_deref(), expected);
        check("", None);
        check("YWJj", Some("abc"));
        check("YWI=", Some("ab"));
        check("YWI", Some("ab"));
        check("YWJ", Some("ab"));
        check("YWJjZ", Some("abc"));
        check("YWJj!", None);
        check("Y\tW\x0cJ\rj\n", Some("abc"));
        check("YWI=!YWJj", Some("ab"));
        check("YW-_", None);
        check("=", None);
    }
}
