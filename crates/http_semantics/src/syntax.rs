//! What the fields have in common: lists, directives, quoted strings, numbers of seconds (RFC 9110, 5.6; RFC 9111, 1.2.2).
//!
//! Work is bounded here: at most [`MAX_LINES`] lines of a field, [`MAX_LINE_BYTES`] of a line and [`MAX_MEMBERS`]
//! members of a list are read, each byte at most twice. The fields themselves are in files of their own.

use std::borrow::Cow;

/// More lines of one field are not read.
pub(crate) const MAX_LINES: usize = 32;
/// The rest of a longer line is not read.
pub(crate) const MAX_LINE_BYTES: usize = 16 << 10;
/// More members of a list are not read.
pub(crate) const MAX_MEMBERS: usize = 256;
/// RFC 9111, 1.2.2: what a number of seconds counts as that is too large to represent.
pub(crate) const MAX_DELTA_SECONDS: i64 = 1 << 31;

/// All lines of a list-based field as one value, in order (RFC 9110, 5.3); `None` if there is no line.
pub fn combined<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Cow<'a, str>> {
    let mut lines = lines.into_iter();
    let mut all = Cow::Borrowed(lines.next()?);
    for line in lines.take(MAX_LINES - 1) {
        let all = all.to_mut();
        all.push_str(", ");
        all.push_str(line);
    }
    Some(all)
}

/// The lines of a field, as far as they are read.
pub(crate) fn bounded<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> impl Iterator<Item = &'a [u8]> {
    lines.into_iter().take(MAX_LINES).map(|line| &line[..line.len().min(MAX_LINE_BYTES)])
}

/// The members of a list-based field over all its lines, without the white space around them; empty ones are left out
/// (RFC 9110, 5.6.1.2). Commas inside of quoted strings do not separate.
pub(crate) fn members<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> impl Iterator<Item = &'a [u8]> {
    let members = bounded(lines).flat_map(|line| Members { rest: line, quotes: true });
    members.map(<[u8]>::trim_ascii).filter(|member| !member.is_empty()).take(MAX_MEMBERS)
}

/// The members of one line.
struct Members<'a> {
    rest: &'a [u8],
    /// Quotes are looked at. Not so after one that is never closed: it is a mistake, and must not hide what follows.
    quotes: bool,
}

impl<'a> Iterator for Members<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.rest;
        if line.is_empty() {
            return None;
        }
        let mut at = 0;
        while at < line.len() && line[at] != b',' {
            if self.quotes && line[at] == b'"' {
                match closing_quote(&line[at + 1..]) {
                    Some(length) => at += length + 1,
                    None => self.quotes = false,
                }
            }
            at += 1;
        }
        self.rest = line.get(at + 1..).unwrap_or_default();
        Some(&line[..at])
    }
}

/// How many bytes stand before the quote that closes a quoted string; a backslash takes its meaning from the next byte.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

/// A directive of a list: its name, and its argument if it has one, with its quotes and escapes removed. White space
/// around the `=` is against the grammar, but is written.
pub(crate) fn directive(member: &[u8]) -> (&[u8], Option<Cow<'_, [u8]>>) {
    let Some(equals) = member.iter().position(|byte| *byte == b'=') else { return (member, None) };
    (member[..equals].trim_ascii(), Some(unquoted(member[equals + 1..].trim_ascii())))
}

/// A token as it is, or what a quoted string says. A text that is neither stays as it is.
fn unquoted(text: &[u8]) -> Cow<'_, [u8]> {
    let quoted = text.strip_prefix(b"\"").filter(|rest| closing_quote(rest).is_some_and(|end| end + 1 == rest.len()));
    let Some(quoted) = quoted.map(|rest| &rest[..rest.len() - 1]) else { return Cow::Borrowed(text) };
    if !quoted.contains(&b'\\') {
        return Cow::Borrowed(quoted);
    }
    let mut bytes = quoted.iter();
    let mut said = Vec::with_capacity(quoted.len());
    while let Some(byte) = bytes.next() {
        said.extend(if *byte == b'\\' { bytes.next() } else { Some(byte) });
    }
    Cow::Owned(said)
}

/// A number of digits and nothing else; one that is too large counts as `u64::MAX`.
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    Some(text.iter().fold(0, add))
}

/// `delta-seconds`: digits only, at most [`MAX_DELTA_SECONDS`].
pub(crate) fn delta_seconds(text: &[u8]) -> Option<i64> {
    let seconds = digits(text)?;
    Some(i64::try_from(seconds).unwrap_or(i64::MAX).min(MAX_DELTA_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        let check = |lines: &[&str], expected: &[&str]| {
            let found: Vec<_> = members(lines.iter().map(|line| line.as_bytes())).map(<[u8]>::to_vec).collect();
            let found: Vec<_> = found.iter().map(|member| String::from_utf8_lossy(member)).collect();
            assert_eq!(found, expected, "{lines:?}");
        };
        // RFC 9110, 5.6.1.2.
        check(&["foo,bar"], &["foo", "bar"]);
        check(&["foo ,bar,"], &["foo", "bar"]);
        check(&["foo , ,bar,charlie"], &["foo", "bar", "charlie"]);
        check(&["", ",", ",   ,"], &[]);
        // RFC 9110, 5.3: two lines are one list.
        check(&["Foo, Bar", "Baz"], &["Foo", "Bar", "Baz"]);
        // RFC 9110, 5.5: the comma inside of quotes is data.
        check(&[r#""http://example.com/a.html,foo", x"#], &[r#""http://example.com/a.html,foo""#, "x"]);
        check(&[r#"a="x\",y", b"#], &[r#"a="x\",y""#, "b"]);
        check(&[r#"a="x, b=y, "c,d""#], &[r#"a="x, b=y, "c"#, "d\""]);
        check(&[r#"a=x", b=y"#, "c"], &[r#"a=x""#, "b=y", "c"]);
        check(&[r#"a="\"#, "b"], &[r#"a="\"#, "b"]);
    }

    #[test]
    fn no_more_is_read_than_the_limits() {
        let hostile = "a,".repeat(MAX_LINE_BYTES);
        assert_eq!(members([hostile.as_bytes()]).count(), MAX_MEMBERS);
        assert_eq!(bounded([hostile.as_bytes()]).map(<[u8]>::len).sum::<usize>(), MAX_LINE_BYTES);
        assert_eq!(bounded([hostile.as_bytes(); 100]).count(), MAX_LINES);
    }

    #[test]
    fn directives() {
        let check = |member: &str, name: &str, argument: Option<&str>| {
            let (found, value) = directive(member.as_bytes());
            assert_eq!((found, value.as_deref()), (name.as_bytes(), argument.map(str::as_bytes)), "{member}");
        };
        check("no-store", "no-store", None);
        check("max-age=5", "max-age", Some("5"));
        check("max-age=", "max-age", Some(""));
        check("max-age = \"5\"", "max-age", Some("5"));
        check(r#"x="a\"b\\""#, "x", Some(r#"a"b\"#));
        check(r#"x="a"b"#, "x", Some(r#""a"b"#));
        check(r#"x="a"#, "x", Some(r#""a"#));
        check("x=\"", "x", Some("\""));
        check("=", "", Some(""));
    }

    #[test]
    fn numbers() {
        let check = |text: &str, expected: Option<i64>| assert_eq!(delta_seconds(text.as_bytes()), expected, "{text}");
        check("0", Some(0));
        check("0005", Some(5));
        check("2147483648", Some(MAX_DELTA_SECONDS));
        check("2147483649", Some(MAX_DELTA_SECONDS));
        check(&"9".repeat(1000), Some(MAX_DELTA_SECONDS));
        for invalid in ["", "-1", "+1", "1.5", "1s", " 1", "1e3", "\u{0661}"] {
            check(invalid, None);
        }
    }

    #[test]
    fn lines_are_combined_in_their_order() {
        assert_eq!(combined([]), None);
        assert_eq!(combined(["a"]).as_deref(), Some("a"));
        assert_eq!(combined(["a, b", "", "c"]).as_deref(), Some("a, b, , c"));
        assert_eq!(combined(["a"; 99]).map(|all| all.matches('a').count()), Some(MAX_LINES));
    }
}
