//! `Link` (RFC 8288): what an answer is related to, said without a body. Read and written.
//!
//! Reads what servers send rather than what the grammar allows: a broken link ends where the next `<` begins, and the
//! others are read. Targets and anchors stay references: to resolve them is for the caller, who knows the base.

use crate::syntax::bounded;
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::borrow::Cow;
use std::fmt;

/// More links of one answer are not read.
const MAX_LINKS: usize = 256;
/// More relations of one link are not read.
const MAX_RELATIONS: usize = 16;
/// More parameters of one link are not read.
const MAX_PARAMETERS: usize = 64;

/// One link. `to_string` writes it as a field has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// Where it leads, as written: it may be relative.
    pub target: String,
    /// What it is a link from, as written; the document itself if this says nothing.
    pub anchor: Option<String>,
    /// Its relations, in lower case.
    pub relations: Vec<String>,
    /// The media type of the target, in lower case.
    pub media_type: Option<String>,
    /// What it is called.
    pub title: Option<String>,
}

impl Link {
    /// Whether it stands in this relation, given in lower case.
    pub fn is(&self, relation: &str) -> bool {
        self.relations.iter().any(|known| known == relation)
    }
}

/// The links of all lines of the field, in their order.
pub fn read<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Vec<Link> {
    let mut links = Vec::new();
    for line in bounded(lines) {
        let line = String::from_utf8_lossy(line);
        let mut rest = &line[..];
        while let Some(open) = rest.find('<').filter(|_| links.len() < MAX_LINKS) {
            rest = &rest[open + 1..];
            let Some(close) = rest.find('>') else { break };
            let target = rest[..close].trim().to_owned();
            let (link, after) = with_parameters(Link { target, ..Link::default() }, &rest[close + 1..]);
            links.push(link);
            rest = after;
        }
    }
    links
}

/// Reads the parameters that follow a target. Of two of a kind the first counts (3.3, 3.4.1).
fn with_parameters(mut link: Link, text: &str) -> (Link, &str) {
    let mut rest = text;
    // What `title*` says is preferred to what `title` says (3.4.1).
    let mut international = None;
    for _ in 0..MAX_PARAMETERS {
        let Some((name, value, after)) = parameter(rest) else { break };
        rest = after;
        match name.as_str() {
            "rel" if link.relations.is_empty() => {
                let relations = value.split_ascii_whitespace().take(MAX_RELATIONS);
                link.relations = relations.map(str::to_ascii_lowercase).collect();
            }
            "type" => link.media_type = link.media_type.or_else(|| Some(value.to_ascii_lowercase())),
            "title" => link.title = link.title.or(Some(value)),
            "title*" => international = international.or_else(|| extended(&value)),
            "anchor" => link.anchor = link.anchor.or(Some(value)),
            _ => {}
        }
    }
    link.title = international.or(link.title);
    (link, rest)
}

/// `; name=value` or `; name="value"` at the beginning of a text, and what comes after it.
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

/// `UTF-8'en'%E2%82%AC`, as RFC 8187 writes what is not ASCII. What is no code stays as it is.
fn extended(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '\'');
    let (charset, _, text) = (parts.next()?, parts.next()?, parts.next()?);
    let is_known = charset.eq_ignore_ascii_case("utf-8");
    is_known.then(|| percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)).flatten()
}

/// What may not stand between `<` and `>`, or in a URL at all (RFC 3986, 2).
const NOT_IN_URL: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');
/// What RFC 8187 lets stand for itself (`attr-char`), taken out of what is encoded.
const NOT_IN_EXTENDED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", utf8_percent_encode(&self.target, NOT_IN_URL))?;
        if let Some(anchor) = &self.anchor {
            write!(f, "; anchor=\"{}\"", utf8_percent_encode(anchor, NOT_IN_URL))?;
        }
        let relations: Vec<&str> =
            self.relations.iter().map(String::as_str).filter(|relation| is_printable(relation)).collect();
        if !relations.is_empty() {
            quoted(f, "rel", &relations.join(" "))?;
        }
        if let Some(media_type) = self.media_type.as_deref().filter(|media_type| is_printable(media_type)) {
            quoted(f, "type", media_type)?;
        }
        match &self.title {
            Some(title) if is_printable(title) => quoted(f, "title", title),
            Some(title) => write!(f, "; title*=UTF-8''{}", utf8_percent_encode(title, NOT_IN_EXTENDED)),
            None => Ok(()),
        }
    }
}

/// Whether a text can stand in a quoted string. A relation or a media type that cannot is left out when a link is
/// written: no such thing exists.
fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// A parameter as a quoted string.
fn quoted(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "; {name}=\"")?;
    for character in value.chars() {
        let escape = if matches!(character, '"' | '\\') { "\\" } else { "" };
        write!(f, "{escape}{character}")?;
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, line: &str, expected: &str) {
        let shown = read([line.as_bytes()]).into_iter().map(|link| {
            let anchor = link.anchor.map(|anchor| format!(" from {anchor:?}")).unwrap_or_default();
            let (media_type, title) = (link.media_type.unwrap_or_default(), link.title.unwrap_or_default());
            format!("{}{anchor} [{}] {media_type} {title}", link.target, link.relations.join(" "))
        });
        assert_eq!(shown.map(|link| link.trim_end().to_owned()).collect::<Vec<_>>().join("; "), expected, "{case}");
    }

    #[test]
    fn links_as_the_rfc_has_them() {
        // RFC 8288, 3.5.
        check(
            "one",
            "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"",
            "http://example.com/TheBook/chapter2 [previous]  previous chapter",
        );
        check("an extension relation", "</>; rel=\"http://example.net/foo\"", "/ [http://example.net/foo]");
        check("an anchor", "</terms>; rel=\"copyright\"; anchor=\"#foo\"", "/terms from \"#foo\" [copyright]");
        check(
            "two in another alphabet",
            "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, \
             </TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel",
            "/TheBook/chapter2 [previous]  letztes Kapitel; /TheBook/chapter4 [next]  nächstes Kapitel",
        );
        check(
            "several relations",
            "<http://example.org/>; rel=\"start http://example.net/relation/other\"",
            "http://example.org/ [start http://example.net/relation/other]",
        );
        check(
            "several links",
            "<https://example.org/>; rel=\"start\", <https://example.org/index>; rel=\"index\"",
            "https://example.org/ [start]; https://example.org/index [index]",
        );
        // RFC 8288, 3.3: further `rel` are ignored. 3.4.1: so are further `type`, `title` and `title*`.
        check("the first counts", "<f>; rel=a; rel=b; type=a; type=b; title=a; title=b; anchor=a; anchor=b", {
            "f from \"a\" [a] a a"
        });
        check("title* is preferred", "<1>; title*=UTF-8''%e2%82%ac%20x; title=\"e\"; title*=UTF-8''z", "1 []  € x");
        check("commas and angles in quotes", "<1>; title=\"a, <b>; c\"; rel=x, <2>; rel=y", "1 [x]  a, <b>; c; 2 [y]");
        check("escapes", "<1>; title=\"say \\\"hi\\\"\"; rel=x", "1 [x]  say \"hi\"");
        check("commas in an address", "</a,b;c>; rel=x", "/a,b;c [x]");
        check("space", " < /1 > ;rel = X ; type = Text/HTML ", "/1 [x] text/html");
        check("an empty target", "<>; rel=self", " [self]");
    }

    #[test]
    fn links_as_they_come() {
        check("nothing", "", "");
        check("no angle", "https://x.org/f; rel=alternate", "");
        check("not closed", "<https://x.org/f; rel=alternate", "");
        check("a quote not closed", "</1>; rel=\"x, </2>; rel=y", "/1 [x, </2>; rel=y]");
        check("no value", "</1>; rel; crossorigin, </2>; rel=y", "/1 []; /2 [y]");
        check("no semicolon", "</1> rel=x, </2>; rel=y", "/1 []; /2 [y]");
        check("ends in an escape", "</1>; title=\"\\", "/1 []");
        check("half a code", "</1>; title*=UTF-8''%e; rel=x", "/1 [x]  %e");
        check("no UTF-8", "</1>; title*=UTF-8''%ff; title=a; rel=x", "/1 [x]  a");
        check("another charset", "</1>; title*=ISO-8859-1''%e9; rel=x", "/1 [x]");
        let lines = ["<1>", "</2", "<3>"];
        assert_eq!(read(lines.map(str::as_bytes)).len(), 2, "a line that is broken does not break the next");
        let many = "<>,".repeat(9_999);
        assert_eq!(read([many.as_bytes(); 9]).len(), MAX_LINKS);
        let long = format!("<1>{}", ";".repeat(9_999));
        assert_eq!(read([long.as_bytes()]).len(), 1);
    }

    #[test]
    fn written_and_read_again() {
        let check = |link: Link, written: &str| {
            assert_eq!(link.to_string(), written);
            assert_eq!(read([written.as_bytes()]), [link]);
        };
        let link = |target: &str, relation: &str| Link {
            target: target.into(),
            relations: vec![relation.into()],
            ..Link::default()
        };
        check(link("https://hub.example/?a=1,2;3", "hub"), "<https://hub.example/?a=1,2;3>; rel=\"hub\"");
        let feed = Link {
            media_type: Some("application/atom+xml".into()),
            title: Some("say \"hi\" \\ bye".into()),
            anchor: Some("#a".into()),
            ..link("/feed", "alternate")
        };
        check(
            feed,
            "</feed>; anchor=\"#a\"; rel=\"alternate\"; type=\"application/atom+xml\"; title=\"say \\\"hi\\\" \\\\ bye\"",
        );
        let other = Link { title: Some("nächstes Kapitel".into()), ..link("/4", "next") };
        check(other, "</4>; rel=\"next\"; title*=UTF-8''n%C3%A4chstes%20Kapitel");
        let mut hostile = link("/a> b\r\nset-cookie: c\u{e9}", "x\"\r\ny");
        hostile.relations.push("z\"".into());
        hostile.media_type = Some("a\r\nb".into());
        assert_eq!(hostile.to_string(), "</a%3E%20b%0D%0Aset-cookie:%20c%C3%A9>; rel=\"z\\\"\"");
    }
}
