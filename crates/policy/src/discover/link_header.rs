//! The `Link` header (RFC 8288): where an answer declares feeds, hubs and pages without a body being read.
//!
//! Reads what servers send rather than what the grammar allows: a link that is broken ends at the next comma that
//! stands before a `<`, and the others are read. One pass, bounded.

use url::Url;

/// No more of a header is read.
const MAX_BYTES: usize = 16 * 1024;
const MAX_LINKS: usize = 64;

/// One link of a header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderLink {
    /// Absolute.
    pub url: String,
    /// Its relations, in lower case.
    pub rels: Vec<String>,
    /// Its media type, in lower case.
    pub media_type: Option<String>,
    /// What it is called.
    pub title: Option<String>,
}

impl HeaderLink {
    /// Whether it stands in this relation.
    pub fn is(&self, rel: &str) -> bool {
        self.rels.iter().any(|known| known == rel)
    }
}

/// The links of a header's value, relative to the address that answered. Links about other resources (`anchor`) are
/// left out.
pub fn links(header: &str, base: &Url) -> Vec<HeaderLink> {
    let mut rest = &header[..header.floor_char_boundary(MAX_BYTES)];
    let mut links = Vec::new();
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        let Some(close) = rest.find('>') else { break };
        let target = rest[..close].trim();
        rest = &rest[close + 1..];
        let mut link = HeaderLink::default();
        let mut elsewhere = false;
        while let Some((name, value, after)) = parameter(rest) {
            rest = after;
            match name.as_str() {
                // Of two, the first counts.
                "rel" if link.rels.is_empty() => {
                    link.rels = value.split_whitespace().take(16).map(str::to_ascii_lowercase).collect();
                }
                "type" if link.media_type.is_none() => link.media_type = Some(value.to_ascii_lowercase()),
                "title*" => link.title = extended(&value).or(link.title),
                "title" if link.title.is_none() => link.title = Some(value),
                "anchor" => elsewhere = base.join(&value).is_ok_and(|anchor| anchor != *base),
                _ => {}
            }
        }
        let url = base.join(target).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        if let (Some(url), false) = (url, elsewhere) {
            link.url = url.into();
            link.title = link.title.map(|title| title.trim().chars().filter(|c| !c.is_control()).take(200).collect());
            link.title = link.title.filter(|title| !title.is_empty());
            links.push(link);
        }
        if links.len() >= MAX_LINKS {
            break;
        }
    }
    links
}

/// `; name=value` or `; name="value"` at the start of a text, and what comes after it.
fn parameter(text: &str) -> Option<(String, String, &str)> {
    let text = text.trim_start().strip_prefix(';')?.trim_start();
    let end = text.find(['=', ';', ',', '<']).unwrap_or(text.len());
    let name = text[..end].trim().to_ascii_lowercase();
    let Some(value) = text[end..].strip_prefix('=') else { return Some((name, String::new(), &text[end..])) };
    let value = value.trim_start();
    let Some(quoted) = value.strip_prefix('"') else {
        let end = value.find([';', ',']).unwrap_or(value.len());
        return Some((name, value[..end].trim().to_owned(), &value[end..]));
    };
    let mut read = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((name, read, &quoted[at + 1..])),
            '\\' => read.extend(characters.next().map(|(_, character)| character)),
            _ => read.push(character),
        }
    }
    // Not closed: nothing after it can be trusted.
    Some((name, read, ""))
}

/// `UTF-8'en'%E2%82%AC`, as RFC 8187 writes what is not ASCII.
fn extended(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '\'');
    let (charset, _, text) = (parts.next()?, parts.next()?, parts.next()?);
    if !charset.eq_ignore_ascii_case("utf-8") {
        return None;
    }
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| u8::from_str_radix(text.get(at + 1..at + 3)?, 16).ok()).flatten();
        decoded.push(code.unwrap_or(bytes[at]));
        at += if code.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, header: &str, expected: &str) {
        let base = Url::parse("https://e.org/a/b").unwrap();
        let told = links(header, &base).into_iter().map(|link| {
            let media_type = link.media_type.unwrap_or_default();
            format!("{} [{}] {media_type} {}", link.url, link.rels.join(" "), link.title.unwrap_or_default())
        });
        assert_eq!(told.map(|link| link.trim_end().to_owned()).collect::<Vec<_>>().join("; "), expected, "{case}");
    }

    #[test]
    fn links_as_the_rfc_has_them() {
        check(
            "one",
            "<https://x.org/f>; rel=\"alternate\"; type=\"application/rss+xml\"; title=\"F\"",
            "https://x.org/f [alternate] application/rss+xml F",
        );
        check("relative", "<../f>; rel=alternate", "https://e.org/f [alternate]");
        check("several", "</1>; rel=next, </2>; rel=prev", "https://e.org/1 [next]; https://e.org/2 [prev]");
        check("several relations", "</f>; rel=\"Alternate  FEED\"", "https://e.org/f [alternate feed]");
        check("the first counts", "</f>; rel=a; rel=b", "https://e.org/f [a]");
        check(
            "commas and angles in quotes",
            "</1>; title=\"a, <b>; c\"; rel=x, </2>; rel=y",
            "https://e.org/1 [x]  a, <b>; c; https://e.org/2 [y]",
        );
        check("escapes", "</1>; title=\"say \\\"hi\\\"\"; rel=x", "https://e.org/1 [x]  say \"hi\"");
        check("commas in an address", "</a,b;c>; rel=x", "https://e.org/a,b;c [x]");
        check("another alphabet", "</1>; title=\"e\"; title*=UTF-8''%e2%82%ac%20x; rel=x", "https://e.org/1 [x]  € x");
        check("about another", "</1>; rel=x; anchor=\"/other\"", "");
        check("about itself", "</1>; rel=x; anchor=\"\"", "https://e.org/1 [x]");
        check("space", " < /1 > ;rel = x ; type = text/html ", "https://e.org/1 [x] text/html");
    }

    #[test]
    fn links_as_they_come() {
        check("nothing", "", "");
        check("no angle", "https://x.org/f; rel=alternate", "");
        check("not closed", "<https://x.org/f; rel=alternate", "");
        check("a quote not closed", "</1>; rel=\"x, </2>; rel=y", "https://e.org/1 [x, </2>; rel=y]");
        check("no value", "</1>; rel; crossorigin, </2>; rel=y", "https://e.org/1 []; https://e.org/2 [y]");
        check("no semicolon", "</1> rel=x, </2>; rel=y", "https://e.org/1 []; https://e.org/2 [y]");
        check("another scheme", "<javascript:alert(1)>; rel=alternate", "");
        check("ends in an escape", "</1>; title=\"\\", "https://e.org/1 []");
        check("half a code", "</1>; title*=UTF-8''%e; rel=x", "https://e.org/1 [x]  %e");
    }
}
