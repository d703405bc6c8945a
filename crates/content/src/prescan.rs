//! A linear scan of HTML before it is parsed: a tokenizer and a stack, which remove what makes parsers slow.
//!
//! Parsers of HTML search all open elements for many tags, compare each attribute of a tag with all others, and repeat
//! unclosed formatting in every paragraph: 300 KB of nested `div` cost 16 seconds. Beyond the limits, start tags are
//! removed (with as many end tags), and attributes; text stays. How elements end each other is approximated, and errors
//! overcount: a reasonable page within the limits is not changed.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::limits::{Cuts, Limits, beginning};
use crate::tags::{Kind, Tag};

/// HTML that is safe to parse, and what was removed from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prescan<'a> {
    /// The HTML; borrowed unless something other than its end was cut.
    pub html: Cow<'a, str>,
    /// What was cut.
    pub cuts: Cuts,
}

/// Removes from `html` what exceeds `limits`.
pub fn prescan<'a>(html: &'a str, limits: &Limits) -> Prescan<'a> {
    let kept = beginning(html, limits.bytes);
    let mut scan = Scan {
        html: kept,
        limits,
        open: Vec::new(),
        beyond: 0,
        unclosed: [0; FORMATTING.len()],
        foreign: 0,
        endless: Vec::new(),
        out: String::new(),
        copied: 0,
        cuts: Cuts { size: kept.len() < html.len(), ..Cuts::default() },
    };
    scan.run();
    let cuts = scan.cuts;
    if scan.copied == 0 {
        return Prescan { html: Cow::Borrowed(kept), cuts };
    }
    scan.out.push_str(&kept[scan.copied..]);
    Prescan { html: Cow::Owned(scan.out), cuts }
}

/// Elements that HTML reopens in the next paragraph if they were not closed. Of links only one can be open.
const FORMATTING: [Tag; 12] = {
    use Tag::{B, Big, Code, Em, Font, I, S, Small, Strike, Strong, Tt, U};
    [B, Big, Code, Em, Font, I, S, Small, Strike, Strong, Tt, U]
};

struct Scan<'a, 'l> {
    html: &'a str,
    limits: &'l Limits,
    open: Vec<Name>,
    /// How many start tags were removed for their depth and wait for their end tags.
    beyond: usize,
    /// How many formatting elements of each kind are unclosed. The end of a surrounding element does not close them.
    unclosed: [usize; FORMATTING.len()],
    /// How many `svg` and `math` are open; other rules apply inside.
    foreign: usize,
    /// Raw text tags without an end tag anywhere.
    endless: Vec<Tag>,
    out: String,
    copied: usize,
    cuts: Cuts,
}

/// The name of an element: a known tag, or the first eight bytes of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Name(Tag, u64);

/// The extent of a tag: where it ends, and where it has too many attributes.
struct Extent {
    end: usize,
    too_many_at: Option<usize>,
    is_self_closing: bool,
}

impl Scan<'_, '_> {
    fn run(&mut self) {
        let bytes = self.html.as_bytes();
        let mut at = 0;
        while let Some(found) = memchr(b'<', &bytes[at..]) {
            let start = at + found;
            at = match bytes.get(start + 1) {
                Some(b'!') if bytes[start..].starts_with(b"<!--") => end_of_comment(bytes, start + 4),
                Some(b'/') if bytes.get(start + 2).is_some_and(u8::is_ascii_alphabetic) => self.end_tag(start),
                Some(b'!' | b'?' | b'/') => past(bytes, start, b'>'),
                Some(byte) if byte.is_ascii_alphabetic() => self.start_tag(start),
                _ => start + 1,
            };
        }
    }

    fn start_tag(&mut self, start: usize) -> usize {
        let (name, length) = name(&self.html.as_bytes()[start + 1..]);
        let extent = self.extent(start + 1 + length);
        let end = extent.end;
        let is_void = if self.foreign > 0 { extent.is_self_closing } else { name.0.is_void() };
        if is_void {
            self.cut_attributes(&extent);
            return end;
        }
        self.end_implied(name.0);
        if self.open.len() >= self.limits.depth {
            self.cuts.depth = true;
            self.beyond += 1;
            self.cut(start, end);
            return end;
        }
        if let Some(kind) = FORMATTING.iter().position(|tag| *tag == name.0) {
            if self.unclosed.iter().sum::<usize>() >= self.limits.unclosed {
                self.cuts.unclosed = true;
                self.cut(start, end);
                return end;
            }
            self.unclosed[kind] += 1;
        }
        self.cut_attributes(&extent);
        self.foreign += usize::from(matches!(name.0, Tag::Svg | Tag::Math));
        self.open.push(name);
        self.end_of_raw_text(name.0, end).unwrap_or(end)
    }

    fn end_tag(&mut self, start: usize) -> usize {
        let (name, length) = name(&self.html.as_bytes()[start + 2..]);
        let extent = self.extent(start + 2 + length);
        if self.beyond > 0 && !name.0.is_void() {
            self.beyond -= 1;
            self.cut(start, extent.end);
            return extent.end;
        }
        self.cut_attributes(&extent);
        if let Some(kind) = FORMATTING.iter().position(|tag| *tag == name.0) {
            self.unclosed[kind] = self.unclosed[kind].saturating_sub(1);
        }
        if let Some(at) = self.open.iter().rposition(|open| *open == name) {
            let ended = self.open.drain(at..).filter(|open| matches!(open.0, Tag::Svg | Tag::Math)).count();
            self.foreign -= ended;
        }
        extent.end
    }

    /// Ends elements that end without a tag of their own when `tag` begins.
    fn end_implied(&mut self, tag: Tag) {
        if self.foreign > 0 {
            return;
        }
        if tag.ends_paragraph() {
            let inline = |open: &&Name| matches!(open.0.kind(), Kind::Run | Kind::Through);
            let inside = self.open.iter().rev().take(32).take_while(inline).count();
            if let Some(at) = (self.open.len() - inside).checked_sub(1).filter(|at| self.open[*at].0 == Tag::P) {
                self.open.truncate(at);
            }
        }
        let ends: fn(Tag) -> bool = match tag {
            Tag::Li => |open| open == Tag::Li,
            Tag::Dd | Tag::Dt => |open| matches!(open, Tag::Dd | Tag::Dt),
            Tag::Option | Tag::Optgroup => |open| open == Tag::Option,
            Tag::Td | Tag::Th => |open| open.kind() == Kind::Cell,
            Tag::Tr => |open| matches!(open.kind(), Kind::Cell | Kind::Row),
            Tag::Thead | Tag::Tbody | Tag::Tfoot => |open| matches!(open.kind(), Kind::Cell | Kind::Row | Kind::Rows),
            Tag::Rb | Tag::Rt | Tag::Rp => |open| matches!(open, Tag::Rb | Tag::Rt | Tag::Rp),
            _ => return,
        };
        // Elements left open inside end with it, but not beyond a list or a table.
        let stops = |open: Tag| matches!(open, Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table);
        let near = self.open.iter().rev().take(8).take_while(|open| !stops(open.0));
        if let Some(last) = near.enumerate().filter(|(_, open)| ends(open.0)).map(|(at, _)| at).last() {
            self.open.truncate(self.open.len() - 1 - last);
        }
    }

    /// The end of raw text after the tag that begins it.
    fn end_of_raw_text(&mut self, tag: Tag, from: usize) -> Option<usize> {
        use Tag::{Iframe, Noembed, Noframes, Script, Style, Textarea, Title, Xmp};
        // Inside SVG these are ordinary tags; inside `select` some are ignored. Then their content counts as markup.
        let is_raw = matches!(tag, Script | Style | Textarea | Title | Xmp | Iframe | Noembed | Noframes);
        if !is_raw
            || self.foreign > 0
            || self.endless.contains(&tag)
            || self.open.iter().any(|open| open.0 == Tag::Select)
        {
            return None;
        }
        let bytes = self.html.as_bytes();
        let mut at = from;
        while let Some(found) = memmem::find(&bytes[at..], b"</") {
            at += found;
            let (ending, _) = name(&bytes[at + 2..]);
            if ending.0 == tag {
                return Some(at);
            }
            at += 2;
        }
        // There is none further on either.
        self.endless.push(tag);
        None
    }

    fn extent(&self, from: usize) -> Extent {
        let bytes = self.html.as_bytes();
        let is_space = |byte: u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\x0c' | b'\r');
        let mut extent = Extent { end: bytes.len(), too_many_at: None, is_self_closing: false };
        let (mut at, mut count) = (from, 0);
        loop {
            while at < bytes.len() && (is_space(bytes[at]) || bytes[at] == b'/') {
                at += 1;
            }
            match bytes.get(at) {
                None => return extent,
                Some(b'>') => {
                    extent.end = at + 1;
                    extent.is_self_closing = bytes[at - 1] == b'/';
                    return extent;
                }
                Some(_) => {}
            }
            count += 1;
            if count > self.limits.attributes {
                extent.too_many_at.get_or_insert(at);
            }
            // A name may begin with `=`, and ends before the next one.
            at += 1;
            at += bytes[at..].iter().take_while(|byte| !is_space(**byte) && !b"/>=".contains(byte)).count();
            let equals = at + bytes[at..].iter().take_while(|byte| is_space(**byte)).count();
            if bytes.get(equals) != Some(&b'=') {
                continue;
            }
            at = equals + 1;
            at += bytes[at..].iter().take_while(|byte| is_space(**byte)).count();
            at = match bytes.get(at) {
                None => return extent,
                Some(quote @ (b'"' | b'\'')) => past(bytes, at + 1, *quote),
                Some(_) => at + bytes[at..].iter().take_while(|byte| !is_space(**byte) && **byte != b'>').count(),
            };
        }
    }

    fn cut_attributes(&mut self, extent: &Extent) {
        // Up to its `>`; every parser drops a tag that never ends.
        if let Some(at) = extent.too_many_at {
            self.cuts.attributes = true;
            self.cut(at, extent.end - usize::from(self.html.as_bytes()[extent.end - 1] == b'>'));
        }
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.out.push_str(&self.html[self.copied..from]);
        self.copied = to;
    }
}

fn name(bytes: &[u8]) -> (Name, usize) {
    let length =
        bytes.iter().take_while(|byte| !matches!(byte, b' ' | b'\n' | b'\t' | b'\x0c' | b'\r' | b'/' | b'>')).count();
    let mut short = [0; 16];
    let known = length.min(16);
    short[..known].copy_from_slice(&bytes[..known]);
    short.make_ascii_lowercase();
    let tag = if length <= 16 { Tag::named(&short[..length]) } else { Tag::Unknown };
    let mut first = [0; 8];
    first.copy_from_slice(&short[..8]);
    (Name(tag, u64::from_le_bytes(first)), length)
}

/// The index after the next `byte`, or the end.
fn past(bytes: &[u8], from: usize, byte: u8) -> usize {
    memchr(byte, &bytes[from..]).map_or(bytes.len(), |at| from + at + 1)
}

fn end_of_comment(bytes: &[u8], from: usize) -> usize {
    if bytes[from..].starts_with(b">") || bytes[from..].starts_with(b"->") {
        return past(bytes, from, b'>');
    }
    let mut at = from;
    while let Some(found) = memmem::find(&bytes[at..], b"--") {
        let after = at + found + 2;
        match bytes.get(after) {
            Some(b'>') => return after + 1,
            Some(b'!') if bytes.get(after + 1) == Some(&b'>') => return after + 2,
            _ => at = after - 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limits = Limits { bytes: 1 << 10, depth: 3, attributes: 2, unclosed: 2, effort: 0 };

    #[track_caller]
    fn check(case: &str, html: &str, expected: &str, reason: &str) {
        let scanned = prescan(html, &SMALL);
        assert_eq!((scanned.html.as_ref(), scanned.cuts.to_string().as_str()), (expected, reason), "{case}");
    }

    #[test]
    fn what_is_within_the_limits_is_not_touched() {
        for (case, html) in [
            ("plain", "a < b <3 </ >"),
            ("as deep as may be", "<ul><li><b>x</b></li></ul>"),
            ("items without ends", "<ul><li>a<li>b<li>c<li>d<li>e</ul>"),
            ("paragraphs without ends", "<p>a<p>b<p>c<p>d<div>e</div>"),
            ("cells without ends", "<table><tr><td>a<td>b<td>c<tr><td>d</table>"),
            ("voids", "<p><br><br><img><hr><input>x"),
            ("a script", "<script>'<i><i><i><i><i>'</script>x"),
            ("a comment", "<!-- <i><i><i><i><i> -->x"),
            ("a quoted tag", "<i title='<b><b><b><b>'>x</i>"),
            ("shapes", "<svg><path/><path/><path/><path/></svg>"),
            ("unfinished", "<p><i class='"),
        ] {
            check(case, html, html, "");
            assert!(matches!(prescan(html, &SMALL).html, Cow::Borrowed(_)), "{case}");
        }
    }

    #[test]
    fn what_is_past_the_limits_is_taken_out() {
        check("size", &"ż".repeat(600), &"ż".repeat(512), "too long");
        check(
            "depth",
            "<div><div><div><div>x</div></div></div></div>y",
            "<div><div><div>x</div></div></div>y",
            "nested too deeply",
        );
        check("unknown tags too", "<q1><q1><q1><q1>x</q1></q1>", "<q1><q1><q1>x</q1>", "nested too deeply");
        check("attributes", "<p a b=1 c='>' d>x", "<p a b=1 >x", "too many attributes in a tag");
        check("attributes of void tags", "<br a b c/>", "<br a b >", "too many attributes in a tag");
        check("attributes of end tags", "</p a b c>", "</p a b >", "too many attributes in a tag");
        check("formatting", "<p><b>x<p><b>y<p><i>z", "<p><b>x<p><b>y<p>z", "too many unclosed tags");
        check("closed, though crossed", "<b><i></b></i><b><i></b></i><b>", "<b><i></b></i><b><i></b></i><b>", "");
        check("closed by others", "<p><b></p><p><b></p><b></i>", "<p><b></p><p><b></p></i>", "too many unclosed tags");
        check("svg is no place to hide", "<svg><style><i><i>x", "<svg><style><i>x", "nested too deeply");
        check("a comment that ended", "<!--><i><i><i><i>x", "<!--><i><i>x", "too many unclosed tags");
    }

    #[test]
    fn slow_input_is_scanned_once() {
        for piece in ["<div>", "<a ", "<p a='", "<!--", "</", "<script>", "<i x=", "<b></p>", "<!-", "<![CDATA["] {
            let html = piece.repeat((1 << 20) / piece.len());
            let scanned = prescan(&html, &Limits::ENTRY);
            assert!(scanned.html.len() <= html.len(), "{piece}");
        }
    }
}
