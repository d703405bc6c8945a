//! Resolves relative references as text (RFC 3986).
//!
//! Not the `url` crate: it normalises (punycode, percent-encoding, a final slash), and a feed's links must stay as the
//! publisher wrote them. URLs are parsed properly before they are dialled.

use std::borrow::Cow;
use std::cell::Cell;

/// Longer than any URL that a server accepts.
const MAX_BASE: usize = 2048;

/// Resolves `reference` against `base`; without a base, or if it is absolute already, it is unchanged.
pub(crate) fn resolve<'a>(base: Option<&str>, reference: &'a str) -> Cow<'a, str> {
    let reference = reference.trim();
    if let Some(fixed) = with_two_slashes(reference) {
        return Cow::Owned(fixed);
    }
    let Some(base) = base else { return Cow::Borrowed(reference) };
    if scheme(reference).is_some() || reference.is_empty() {
        return Cow::Borrowed(reference);
    }
    match Parts::of(base) {
        Some(base) => Cow::Owned(base.join(reference)),
        // A relative base, in a document whose own URL is unknown.
        None if reference.starts_with(['/', '?', '#']) => Cow::Borrowed(reference),
        None => match base.rfind('/') {
            Some(slash) => Cow::Owned(format!("{}{reference}", &base[..=slash])),
            None => Cow::Borrowed(reference),
        },
    }
}

/// `http:///example.org`, which cannot be fetched, as browsers read it.
fn with_two_slashes(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once(":///")?;
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    is_http.then(|| format!("{scheme}://{}", rest.trim_start_matches('/')))
}

/// How many bytes the bases of a document may still add to its references.
///
/// A base of a kilobyte and a hundred thousand short links would make a small document a hundred megabytes.
#[derive(Debug, Clone)]
pub(crate) struct Growth(Cell<usize>);

impl Growth {
    pub(crate) fn up_to(bytes: usize) -> Self {
        Growth(Cell::new(bytes))
    }

    /// How much may still be added.
    pub(crate) fn left(&self) -> usize {
        self.0.get()
    }

    /// Some of the added bytes were dropped again.
    pub(crate) fn give_back(&self, bytes: usize) {
        self.0.set(self.0.get() + bytes);
    }

    /// Like [`resolve`], but references stay relative when the budget is used up.
    pub(crate) fn resolve(&self, base: Option<&str>, reference: &str) -> String {
        let added = base.map_or(0, str::len);
        if self.0.get() < added {
            return reference.trim().to_owned();
        }
        let resolved = resolve(base, reference);
        if matches!(resolved, Cow::Owned(_)) {
            self.0.set(self.0.get() - added);
        }
        resolved.into_owned()
    }
}

/// The scheme of an absolute URL.
pub(crate) fn scheme(url: &str) -> Option<&str> {
    let (scheme, _) = url.split_once(':')?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    valid.then_some(scheme)
}

/// Whether a URL is http or https.
pub(crate) fn is_http(url: &str) -> bool {
    scheme(url).is_some_and(|scheme| ["http", "https"].iter().any(|ok| ok.eq_ignore_ascii_case(scheme)))
}

/// Whether a URL may be a base: a `javascript:` base would affect every link of a document.
pub(crate) fn may_be_base(url: &str) -> bool {
    url.len() <= MAX_BASE
        && scheme(url).is_some_and(|scheme| {
            ["http", "https", "ftp", "file", "feed"].iter().any(|ok| ok.eq_ignore_ascii_case(scheme))
        })
}

/// Whether a relative reference may be a base, for documents whose own URL is unknown.
pub(crate) fn may_be_relative_base(reference: &str) -> bool {
    !reference.is_empty() && reference.len() <= MAX_BASE && scheme(reference).is_none()
}

/// A parsed base URL.
struct Parts<'a> {
    scheme: &'a str,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Option<Parts<'a>> {
        let scheme = scheme(url)?;
        let rest = &url[scheme.len() + 1..];
        let rest = rest.split('#').next().unwrap_or_default();
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Some(Parts { scheme, authority, path, query })
    }

    fn join(&self, reference: &str) -> String {
        if let Some(rest) = reference.strip_prefix("//") {
            return format!("{}://{rest}", self.scheme);
        }
        let end_of_path = reference.find(['?', '#']).unwrap_or(reference.len());
        let (path, tail) = reference.split_at(end_of_path);
        let mut out = String::with_capacity(self.scheme.len() + self.path.len() + reference.len() + 32);
        out.push_str(self.scheme);
        out.push(':');
        if let Some(authority) = self.authority {
            out.push_str("//");
            out.push_str(authority);
        }
        if path.is_empty() {
            out.push_str(self.path);
            if let Some(query) = self.query.filter(|_| !tail.starts_with('?')) {
                out.push('?');
                out.push_str(query);
            }
        } else if path.starts_with('/') {
            without_dots(path, &mut out);
        } else {
            let folder = self.path.rfind('/').map_or("/", |slash| &self.path[..=slash]);
            without_dots(&format!("{folder}{path}"), &mut out);
        }
        out.push_str(tail);
        out
    }
}

/// Appends a path without its `.` and `..` segments.
fn without_dots(path: &str, out: &mut String) {
    let floor = out.len();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    let parent = out[floor..].rfind('/').map_or(floor, |slash| floor + slash);
                    out.truncate(parent);
                }
                if last {
                    out.push('/');
                }
            }
            _ => {
                out.push('/');
                out.push_str(segment);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, reference: &str, expected: &str) {
        assert_eq!(resolve(Some(base), reference), expected, "{reference} on {base}");
    }

    #[test]
    fn references() {
        check("http://a/b/c/d?q", "g", "http://a/b/c/g");
        check("http://a/b/c/d?q", "./g/", "http://a/b/c/g/");
        check("http://a/b/c/d?q", "../g", "http://a/b/g");
        check("http://a/b/c/d?q", "../../../g", "http://a/g");
        check("http://a/b/c/d?q", "..", "http://a/b/");
        check("http://a/b/c/d?q", "/g", "http://a/g");
        check("http://a/b/c/d?q", "//g", "http://g");
        check("http://a/b/c/d?q", "?y", "http://a/b/c/d?y");
        check("http://a/b/c/d?q", "#s", "http://a/b/c/d?q#s");
        check("http://a/b/c/d?q", "mailto:x@y", "mailto:x@y");
        check("http://a", "g", "http://a/g");
        check("http://例え.jp/あ/", "い", "http://例え.jp/あ/い");
        check("not a base", "g", "g");
        check("http://a/", "https:////b/c", "https://b/c");
        check("http://a/", "file:///b", "file:///b");
    }

    #[test]
    fn bases() {
        assert!(may_be_base("HTTPS://example.org/"));
        assert!(!may_be_base("javascript:alert(1)//"));
        assert!(!may_be_base("relative/"));
    }
}
