//! Writes lists: OPML 2.0 that every program understands, with our attributes in a namespace.
//!
//! Every outline has `text` and `title`, because some programs read only one of them. Reading the result gives the same
//! list.

use std::fmt::Write;

use jiff::Timestamp;

use super::{Opml, Row, Subscription};
use crate::write::{attribute, element, rfc822};

/// The namespace of our attributes; other programs ignore them.
const NAMESPACE: &str = "urn:courant:opml";

/// Writes a list. `created` is when it was made.
pub fn write(opml: &Opml, created: Timestamp) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\"");
    attribute(&mut out, "xmlns:courant", NAMESPACE);
    out.push_str(">\n<head>\n");
    element(&mut out, "title", opml.title.as_deref().unwrap_or_default());
    element(&mut out, "dateCreated", &rfc822(created));
    element(&mut out, "docs", "http://opml.org/spec2.opml");
    out.push_str("</head>\n<body>\n");
    // A stack instead of recursion: the remaining rows of every open folder.
    let mut open = vec![opml.rows.iter()];
    while !open.is_empty() {
        let indent = open_indent(open.len());
        match open.last_mut().and_then(Iterator::next) {
            Some(Row::Feed(feed)) => feed_row(&mut out, indent, feed),
            Some(Row::Folder(folder)) => {
                let _ = write!(out, "{indent}<outline");
                attribute(&mut out, "text", &folder.name);
                attribute(&mut out, "title", &folder.name);
                if folder.rows.is_empty() {
                    out.push_str("/>\n");
                } else {
                    out.push_str(">\n");
                    open.push(folder.rows.iter());
                }
            }
            None => {
                open.pop();
                if !open.is_empty() {
                    let _ = writeln!(out, "{}</outline>", open_indent(open.len()));
                }
            }
        }
    }
    out.push_str("</body>\n</opml>\n");
    out
}

fn open_indent(depth: usize) -> &'static str {
    const BLANKS: &str = "                                                                ";
    &BLANKS[..(depth * 2).min(BLANKS.len())]
}

fn feed_row(out: &mut String, indent: &str, feed: &Subscription) {
    let _ = write!(out, "{indent}<outline");
    attribute(out, "type", "rss");
    attribute(out, "text", &feed.name);
    attribute(out, "title", &feed.name);
    attribute(out, "xmlUrl", &feed.url);
    if let Some(page) = &feed.page {
        attribute(out, "htmlUrl", page);
    }
    if let Some(description) = &feed.description {
        attribute(out, "description", description);
    }
    if !feed.tags.is_empty() {
        attribute(out, "category", &feed.tags.join(","));
    }
    if feed.disabled {
        attribute(out, "courant:disabled", "true");
    }
    out.push_str("/>\n");
}

#[cfg(test)]
mod tests {
    use super::super::{Folder, Limits, Options, read};
    use super::*;

    #[test]
    fn round_trip() {
        let feed =
            |name: &str, url: &str| Subscription { name: name.into(), url: url.into(), ..Subscription::default() };
        let mut rich = feed("A & <B> \"C\"", "http://a.org/f?x=1&y=2");
        rich.page = Some("http://a.org/".into());
        rich.description = Some("about".into());
        rich.tags = vec!["one".into(), "two/three".into()];
        rich.disabled = true;
        let inner = Folder { name: "Inner".into(), rows: vec![Row::Feed(feed("é", "https://b.org/"))] };
        let outer = Folder { name: "Outer".into(), rows: vec![Row::Folder(inner), Row::Feed(rich)] };
        let empty = Folder { name: "Empty".into(), rows: vec![] };
        let rows = vec![Row::Folder(outer), Row::Folder(empty), Row::Feed(feed("Z", "http://z.org/"))];
        let opml = Opml { title: Some("Mine".into()), rows };
        let text = write(&opml, Timestamp::from_second(1_075_000_000).unwrap());
        assert!(text.contains("<dateCreated>Sun, 25 Jan 2004 03:06:40 GMT</dateCreated>"), "{text}");
        let (again, report) = read(text.as_bytes(), &Options::default(), &Limits::default()).unwrap();
        assert_eq!(again, opml);
        assert_eq!(report, super::super::Report::default());
    }
}
