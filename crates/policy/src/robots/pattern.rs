//! Paths of robots.txt: normalised, and matched with `*` and `$` (RFC 9309, 2.2.2 and 2.2.3).
//!
//! Both sides are normalised first to plain ASCII, so that matching is a text comparison.
//! Invariant: linear time. Each piece between two stars is searched once, from the end of the previous match; the
//! leftmost match is never worse than a later one, so there is no backtracking.

/// The path of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Normalised, without the `$` at its end.
    text: String,
    /// It ended in `$`: nothing may follow.
    whole: bool,
}

impl Pattern {
    /// `None` for a rule without a path, which has no effect.
    pub(super) fn read(value: &[u8]) -> Option<Pattern> {
        let (value, whole) = match value.split_last() {
            Some((b'$', value)) => (value, true),
            _ => (value, false),
        };
        if value.is_empty() {
            return None;
        }
        // `Disallow: private/` is invalid by the RFC, but the intention is clear.
        let slash: &[u8] = if matches!(value[0], b'/' | b'*') { b"" } else { b"/" };
        Some(Pattern { text: comparable(&[slash, value].concat(), Side::Rule), whole })
    }

    /// Its specificity: in octets, as the RFC counts.
    pub(super) fn octets(&self) -> usize {
        self.text.len() + usize::from(self.whole)
    }

    /// Whether it matches a path normalised by `comparable`.
    pub(super) fn fits(&self, path: &str) -> bool {
        let mut pieces = self.text.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = path.strip_prefix(first) else { return false };
        let mut pieces = pieces.peekable();
        if pieces.peek().is_none() {
            return !self.whole || rest.is_empty();
        }
        while let Some(piece) = pieces.next() {
            if self.whole && pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            match rest.find(piece) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        true
    }
}

/// The origin of a text: in a rule `*` and `$` are special, in a URL they are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Rule,
    Url,
}

/// One form for all spellings of a path with its query: what may be plain is plain, everything else is `%XX`.
///
/// Reserved characters equal their encoded forms, as in the RFC, except for separators of paths: `/a%2Fb` is not
/// `/a/b`. In a query these are equal as well.
pub(super) fn comparable(text: &[u8], side: Side) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_query = false;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        let encoded = (byte == b'%').then(|| hex(text.get(at + 1..at + 3)?)).flatten();
        at += if encoded.is_some() { 3 } else { 1 };
        let keep = match (encoded, byte) {
            (Some(byte), _) => is_plain(byte) || (in_query && matches!(byte, b'/' | b'?')),
            (None, b'*') => side == Side::Rule,
            // An invalid percent sign stays: encoding it would make it another character.
            (None, byte) => is_plain(byte) || matches!(byte, b'/' | b'?' | b'%' | b'#'),
        };
        in_query |= encoded.is_none() && byte == b'?';
        let byte = encoded.unwrap_or(byte);
        if keep {
            out.push(byte as char);
        } else {
            const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
            out.push('%');
            out.push(DIGITS[usize::from(byte >> 4)] as char);
            out.push(DIGITS[usize::from(byte & 15)] as char);
        }
    }
    out
}

/// Unreserved, or reserved without a meaning in paths and rules.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:@[]!'()+,;=&".contains(&byte)
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    Some(digit(digits[0])? << 4 | digit(*digits.get(1)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: &str, rule: &str, path: &str, expected: bool) {
        let pattern = Pattern::read(rule.as_bytes());
        let fits = pattern.is_some_and(|pattern| pattern.fits(&comparable(path.as_bytes(), Side::Url)));
        assert_eq!(fits, expected, "{case}: {rule} on {path}");
    }

    #[test]
    fn the_beginning_of_a_path() {
        check("all", "/", "/anything", true);
        check("same", "/fish", "/fish", true);
        check("longer", "/fish", "/fishheads/yummy.html", true);
        check("query", "/fish", "/fish?id=1", true);
        check("case counts", "/fish", "/Fish.asp", false);
        check("not at the beginning", "/fish", "/catfish", false);
        check("a folder", "/fish/", "/fish", false);
        check("without its slash", "fish/", "/fish/salmon", true);
        check("no path says nothing", "", "/", false);
        check("only a dollar", "$", "/", false);
    }

    #[test]
    fn stars_and_dollars() {
        check("a star at the end", "/fish*", "/fish/salmon.html", true);
        check("a star in front", "*.php", "/folder/filename.php?p=1", true);
        check("a star between", "/fish*.php", "/fishheads/catfish.php?p=1", true);
        check("in this order", "/fish*.php", "/Fish.PHP", false);
        check("to the end", "/*.php$", "/folder/a.php", true);
        check("not beyond it", "/*.php$", "/a.php?p=1", false);
        check("not with a slash", "/*.php$", "/a.php/", false);
        check("the last of several", "/*.php$", "/a.php.php", true);
        check("a whole path", "/this/path$", "/this/path", true);
        check("a longer path", "/this/path$", "/this/pathology", false);
        check("star and end may not overlap", "/ab*b$", "/ab", false);
        check("stars in a row", "/a**b***c", "/axbxc", true);
        check("a star before the end", "/a*$", "/abc", true);
        check("a dollar elsewhere is itself", "/a$b", "/a$b", true);
        check("and its encoded form", "/a$b", "/a%24b", true);
        check("a star meant as such", "/file-with-a-%2A.html", "/file-with-a-*.html", true);
        check("is not any text", "/file-with-a-%2A.html", "/file-with-a-b.html", false);
        check("a dollar meant as such", "/foo-%24", "/foo-$bar", true);
    }

    #[test]
    fn spellings_of_one_path() {
        check("plain", "/foo/bar?baz=quz", "/foo/bar?baz=quz", true);
        check("reserved in a query", "/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", true);
        check("the other way round", "/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https://foo.bar", true);
        check("not ASCII", "/foo/bar/ツ", "/foo/bar/%E3%83%84", true);
        check("not ASCII, encoded", "/foo/bar/%e3%83%84", "/foo/bar/ツ", true);
        check("needlessly encoded", "/foo/bar/%62%61%7A", "/foo/bar/baz", true);
        check("needlessly encoded in the URL", "/~joe/", "/%7Ejoe/x", true);
        check("a slash is not its code", "/a%2Fb", "/a/b", false);
        check("a bare per cent sign", "/100%", "/100%/x", true);
        check("a code cut short", "/a%4", "/a%4", true);
        check("a space", "/a b", "/a%20b", true);
    }

    /// A naive matcher would backtrack here for years.
    #[test]
    fn many_stars_cost_nothing() {
        check("stars", &format!("/{}b", "*a".repeat(5_000)), &format!("/{}", "a".repeat(20_000)), false);
        check("stars to the end", &format!("/{}$", "*a".repeat(5_000)), &format!("/{}", "a".repeat(20_000)), true);
    }
}
