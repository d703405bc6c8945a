//! Persons on one line of text: an e-mail address, a name, or both in one of several formats.
//!
//! Pure text processing; which elements are persons is in `xml::persons`. A text without an address is a name as a
//! whole: a list of authors in one element is not split, because names may contain commas.

use model::reading::Person;

/// Splits `me@example.org (Me)`, `Me <me@example.org>`, `Me (me@example.org)` and similar forms.
pub(crate) fn split(text: &str) -> Option<Person> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let Some((start, end)) = address(text) else {
        return Some(Person { name: Some(text.to_owned()), ..Person::default() });
    };
    let email = text[start..end].to_owned();
    let mut name = format!("{}{}", &text[..start], &text[end..]);
    for wrapping in ["mailto:", &email, "()", "<>", "&lt;&gt;", "[]", "\"\""] {
        name = name.replace(wrapping, "");
    }
    let mut name = name.trim();
    name = name.strip_prefix('(').unwrap_or(name);
    name = name.strip_suffix(')').unwrap_or(name);
    let name = name.trim().trim_matches('"').trim();
    Some(Person { name: (!name.is_empty()).then(|| name.to_owned()), email: Some(email), ..Person::default() })
}

/// The position of an e-mail address in a text.
fn address(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let local = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+');
    let domain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'[' | b']');
    memchr::memchr_iter(b'@', bytes).take(4).find_map(|at| {
        let start = at - bytes[..at].iter().rev().take_while(|byte| local(byte)).count();
        let mut end = at + 1 + bytes[at + 1..].iter().take_while(|byte| domain(byte)).count();
        let literal = bytes.get(at + 1) == Some(&b'[');
        while end > at && (bytes[end - 1] == b'.' || (bytes[end - 1] == b']' && !literal)) {
            end -= 1;
        }
        // Some addresses include a subject.
        if text[end..].starts_with("?subject=") {
            end += text[end..].find(|c: char| c.is_whitespace() || matches!(c, ')' | '>')).unwrap_or(text.len() - end);
        }
        (start < at && text[at..end].contains('.')).then_some((start, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let person = split(text).unwrap_or_default();
        let shown = format!("{}|{}", person.name.unwrap_or_default(), person.email.unwrap_or_default());
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn fashions() {
        check("me@example.org (Me)", "Me|me@example.org");
        check("Me <me@example.org>", "Me|me@example.org");
        check("Me (me@example.org)", "Me|me@example.org");
        check("Me [me@example.org]", "Me|me@example.org");
        check("me@example.org", "|me@example.org");
        check("Me", "Me|");
        check("me+you@example.org (Me (and You))", "Me (and You)|me+you@example.org");
        check("me@example.org?subject=hello (Me)", "Me|me@example.org?subject=hello");
        check("Me (mailto:me@example.org)", "Me|me@example.org");
        check("me@example.org (me@example.org)", "|me@example.org");
        check("me@localhost", "me@localhost|");
        check("", "|");
    }
}
