//! Character references that all parsers read alike; the others are left to the parser of HTML.

/// The reference at the start of `bytes` (which begins with `&`), in text: its length and its character.
pub(crate) fn in_text(bytes: &[u8]) -> Option<(usize, char)> {
    let (name, end) = name(bytes)?;
    match (name.len(), end) {
        (_, Some(b';')) => resolve(bytes, name),
        // `A & B`, `AT&T`: no entity has such a short name.
        (0 | 1, _) if bytes.get(1) != Some(&b'#') => Some((1, '&')),
        _ => None,
    }
}

/// The same in the value of an attribute, where `&copy=` is not an entity.
pub(crate) fn in_value(bytes: &[u8]) -> Option<(usize, char)> {
    let (name, end) = name(bytes)?;
    match end {
        Some(b';') => resolve(bytes, name),
        Some(b'=') if bytes.get(1) != Some(&b'#') => Some((1, '&')),
        _ => in_text(bytes),
    }
}

/// The letters and digits after `&` or `&#`, and the byte after them.
fn name(bytes: &[u8]) -> Option<(&[u8], Option<u8>)> {
    let from = if bytes.get(1) == Some(&b'#') { 2 } else { 1 };
    let rest = &bytes[from..];
    let length = rest.iter().take(40).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    (length < 40).then(|| (&rest[..length], rest.get(length).copied()))
}

fn resolve(bytes: &[u8], name: &[u8]) -> Option<(usize, char)> {
    if bytes[1] == b'#' {
        return Some((name.len() + 3, numbered(name)?));
    }
    let character = match name {
        b"" => return Some((1, '&')),
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"nbsp" => '\u{a0}',
        _ => named(&bytes[..name.len() + 2])?,
    };
    Some((name.len() + 2, character))
}

fn named(reference: &[u8]) -> Option<char> {
    let expansion = htmlize::ENTITIES.get(reference)?;
    let mut characters = std::str::from_utf8(expansion).ok()?.chars();
    // A few stand for two characters, two for white space; they are rare.
    characters.next().filter(|first| characters.next().is_none() && *first >= ' ')
}

/// Numbers that stand for their own code point; browsers map control characters differently.
fn numbered(name: &[u8]) -> Option<char> {
    let text = std::str::from_utf8(name).ok()?;
    let number = match text.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => text.parse().ok()?,
    };
    char::from_u32(number).filter(|c| *c as u32 >= 0x20 && !(0x7f..0xa0).contains(&(*c as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_in_text() {
        let check =
            |text: &str, expected: Option<(usize, char)>| assert_eq!(in_text(text.as_bytes()), expected, "{text}");
        check("&amp;x", Some((5, '&')));
        check("&eacute;", Some((8, 'é')));
        check("&#233;", Some((6, 'é')));
        check("&#xE9;", Some((6, 'é')));
        check("& x", Some((1, '&')));
        check("&", Some((1, '&')));
        check("&;", Some((1, '&')));
        check("&T ", Some((1, '&')));
        check("&copy ", None);
        check("&copyx ", None);
        check("&unknown;", None);
        check("&#;", None);
        check("&# ", None);
        check("&#128;", None);
        check("&#13;", None);
        check("&NewLine;", None);
        check("&#xd800;", None);
        check("&#99999999999;", None);
    }

    #[test]
    fn references_in_values() {
        let check =
            |text: &str, expected: Option<(usize, char)>| assert_eq!(in_value(text.as_bytes()), expected, "{text}");
        check("&copy=1", Some((1, '&')));
        check("&b=2", Some((1, '&')));
        check("&copy;", Some((6, '©')));
        check("&copy", None);
        check("&#65=", None);
    }
}
