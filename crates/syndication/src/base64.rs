//! Base64, as Atom 0.3 allowed it for content: whitespace anywhere, padding optional.

/// Decodes text; `None` if it is not base64, or not text inside.
pub(crate) fn decode_text(encoded: &str) -> Option<String> {
    let (mut bits, mut filled) = (0_u32, 0_u32);
    let mut bytes = Vec::with_capacity(encoded.len() * 3 / 4);
    for byte in encoded.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        filled += 6;
        if filled >= 8 {
            filled -= 8;
            bytes.push((bits >> filled) as u8);
        }
    }
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
}
