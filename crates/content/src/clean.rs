//! Sanitising: untrusted HTML in, HTML that is safe to show and its text out, in one pass.
//!
//! `simple` handles tidy HTML, `tree` the rest; both pass elements and text to `writer`, which decides. Article
//! extraction is not here. `policy` calls this for every entry that is new or changed.

use std::borrow::Cow;

use model::entry::Hash;

use crate::hash::hash_of_lines;
use crate::limits::{Cuts, Limits, beginning};
use crate::prescan::prescan;
use crate::simple;
use crate::text::excerpt;
use crate::tree::Tree;
use crate::writer::Writer;

/// Sanitised HTML and its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Safe to show: only listed tags and attributes, absolute URLs. Cleaning it again changes nothing.
    pub html: String,
    /// Its text, one line per block.
    pub text: String,
    /// What was cut because of a limit.
    pub cuts: Cuts,
}

impl Cleaned {
    /// The beginning of the text on one line, at most `limit` characters long.
    pub fn excerpt(&self, limit: usize) -> String {
        // A character has at most four bytes, and nothing beyond the limit is needed.
        let beginning = beginning(&self.text, (limit + 1) * 4);
        excerpt(&beginning.replace('\n', " "), limit)
    }

    /// The hash of the text, by which two entries are compared.
    pub fn hash(&self) -> Hash {
        hash_of_lines(&self.text)
    }
}

/// Sanitises `html`. Relative URLs are resolved against `base`.
pub fn clean(html: &str, base: Option<&str>, limits: &Limits) -> Cleaned {
    let all = html;
    let html = one_kind_of_line_end(beginning(html, limits.bytes));
    let mut cuts = Cuts { size: all.len() > limits.bytes, ..Cuts::default() };
    let mut writer = Writer::new(base, limits, html.len());
    if simple::write(&html, limits.depth, &mut writer).is_none() {
        writer = Writer::new(base, limits, html.len());
        cuts = cuts.and(write_tree(&html, limits, &mut writer));
    }
    let (html, text, more) = writer.finish();
    Cleaned { html, text, cuts: cuts.and(more) }
}

/// Normalises line ends, as parsers of HTML do first. Also removes NUL, which parsers drop or replace in different
/// ways.
pub(crate) fn one_kind_of_line_end(html: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\r', b'\0', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    Cow::Owned(html.replace("\r\n", "\n").replace('\r', "\n").replace('\0', ""))
}

fn write_tree(html: &str, limits: &Limits, writer: &mut Writer<'_>) -> Cuts {
    let scanned = prescan(html, limits);
    let (mut tree, is_too_much) = Tree::read(&scanned.html, limits.effort);
    tree.walk(writer);
    Cuts { effort: is_too_much, ..scanned.cuts }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::slow_html::slow_html;
    use crate::text::words_of_clean;
    use proptest::prelude::*;
    use std::time::Duration;
    use trial::timed;

    /// Processor time, generous for a debug build; an input of quadratic cost takes a minute.
    const PATIENCE: Duration = Duration::from_secs(3);

    fn long_way(html: &str, base: Option<&str>, limits: &Limits) -> Cleaned {
        let mut writer = Writer::new(base, limits, html.len());
        let cuts = write_tree(html, limits, &mut writer);
        let (html, text, more) = writer.finish();
        Cleaned { html, text, cuts: cuts.and(more) }
    }

    fn short_way(html: &str, base: Option<&str>, limits: &Limits) -> Option<Cleaned> {
        let mut writer = Writer::new(base, limits, html.len());
        simple::write(html, limits.depth, &mut writer)?;
        let (html, text, cuts) = writer.finish();
        Some(Cleaned { html, text, cuts })
    }

    /// Checks the promises that hold for any input.
    fn hold(html: &str, limits: &Limits) {
        let base = Some("https://example.org/a/");
        let once = clean(html, base, limits);
        let twice = clean(&once.html, base, limits);
        assert_eq!(twice.html, once.html, "cleaning twice changes {html:?}");
        assert_eq!(twice.text, once.text, "the text of {:?} of {html:?}", once.html);
        assert_eq!(twice.cuts, Cuts::default(), "cleaning twice cuts {html:?}");
        let (quick, lines) = (words_of_clean(&once.html), &once.text);
        assert!(
            quick.split_whitespace().eq(lines.split_whitespace()),
            "{quick:?} differ from the words of {:?}",
            once.html
        );
        assert_eq!(short_way(&once.html, base, limits), Some(twice), "tidy: {:?} of {html:?}", once.html);
        let read = long_way(&once.html, base, limits);
        assert_eq!((read.html, read.text), (once.html, once.text), "a browser reads something else: {html:?}");
        let html = beginning(html, limits.bytes);
        if let Some(short) = short_way(html, base, limits) {
            let long = long_way(html, base, limits);
            assert_eq!((short.html, short.text), (long.html, long.text), "both ways must agree: {html:?}");
        }
    }

    #[test]
    fn the_short_way_gives_up_where_there_is_something_to_repair() {
        for html in [
            "<ul><li>a<div><li>b</li></div></li></ul>",
            "<ul><li><b>a<li>b</li></b></li></ul>",
            "<dl><dd>a<div><dt>b</dt></div></dd></dl>",
            "<a href='/1'>a<b><a href='/2'>b</a></b></a>",
            "<p>a<b><div>b</div></b></p>",
            "<h1>a<h2>b</h2></h1>",
            "<h1><p>a<h2>b",
            "<b><b><b><b>a</b></b></b></b>",
            "<table>a<tr><td>b</td></tr></table>",
            "<table><tr><td>a</td></tr>&amp;</table>",
            "<table><td>a</td></table>",
            "<p>a</div>b</p>",
            "<p><b>a</p>b",
            "<p/>a",
            "a&copy b",
            "<a href=x>a</a>",
            "<script><!-- </script> --></script>a",
            "<!-- a -- b -->c",
            "<!-->a",
            "<svg></svg>a",
            "<iframe><p></iframe>a",
            "<x>a</x>",
            "a</p>b",
            "a<p",
        ] {
            assert_eq!(short_way(html, None, &Limits::ENTRY), None, "{html}");
            hold(html, &Limits::ENTRY);
        }
    }

    #[test]
    fn the_short_way_is_taken_where_it_is_tidy() {
        for html in [
            "1 < 2 & 3, AT&T",
            "<p>a<p>b<ul><li>c<li>d</ul><div><p>e</div><ul><li><p>f</li></ul>",
            "<B TITLE='x'>a</B><br/><IMG SRC='/x' ALT=\"\">",
            "<table><tr><th>a</th></tr></table>",
            "<a href='/?a=1&b=2&amp;c'>a<div>b</div></a>",
            "<pre>\n\n  a</pre>",
            "<script>if (a < b && '</p>') x</script><style>p > b {}</style>a",
            "<iframe src='/x'></iframe><!-- a --><p>never ended <b>either",
            "<p hidden>a</p><div style='display:none'>b</div>c &eacute;&#233;&#xe9;",
        ] {
            assert!(short_way(html, None, &Limits::ENTRY).is_some(), "{html}");
            hold(html, &Limits::ENTRY);
        }
    }

    #[test]
    fn slow_html_is_cut_short() {
        // The limits of an entry, and the size of the input, divided by sixteen.
        let limits = Limits { bytes: 1 << 16, effort: Limits::ENTRY.effort / 16, ..Limits::ENTRY };
        for (name, html) in slow_html(limits.bytes) {
            let scanned = prescan(&html, &limits);
            let (tree, _) = Tree::read(&scanned.html, limits.effort);
            // The effort is checked after every stretch, and one stretch costs no more than this.
            assert!(tree.effort() < limits.effort + 300_000, "{name}: {} steps", tree.effort());
            // Steps are the proxy; processor time is what they limit.
            let (_, took) = timed(|| clean(&html, Some("https://example.org/"), &limits));
            assert!(took < PATIENCE, "{name} took {took:?}");
        }
    }

    #[test]
    fn an_honest_page_is_not_cut() {
        let piece = "<p><b>Words <a href=/x>and links</b></a>, <i>closed</i><p>more words, more words and more of them, as\
            there are in most of what people publish and other people want to read &copy more words\
            <ul><li>an item<li>another <img src=y><li><table><tr><td>cell<td>cell</table></ul><div><p>x</div>\n";
        let html = piece.repeat(Limits::ENTRY.bytes / piece.len());
        let scanned = prescan(&html, &Limits::ENTRY);
        assert_eq!(scanned.cuts, Cuts::default());
        let (tree, is_too_much) = Tree::read(&scanned.html, Limits::ENTRY.effort);
        assert!(!is_too_much, "{} steps", tree.effort());
    }

    /// Pieces that nest well, badly and dangerously.
    pub(crate) fn pieces() -> impl Strategy<Value = String> {
        #[rustfmt::skip]
        const PIECES: &[&str] = &[
            "<p>", "</p>", "<b>", "</b>", "<i>", "</i>", "<a href=\"x\">", "<a href='https://e.org/'>", "</a>",
            "<div>", "</div>", "<ul>", "</ul>", "<ol>", "<li>", "</li>", "<table>", "</table>", "<tr>", "</tr>",
            "<td>", "</td>", "<th colspan=\"2\">", "</th>", "<tbody>", "</tbody>", "<thead>", "</thead>", "<tfoot>",
            "<caption>", "</caption>", "<h1>", "</h1>", "<h2>", "</h2>", "<pre>", "</pre>", "<pre>\n", "\n", "\n\n",
            " ", "text", " words here ", "&amp;", "&lt;", "&nbsp;", "&copy", "&#13;", "\r\n", "\u{c}", "<br>",
            "<br/>", "<hr>", "<img src=\"y.png\">", "<img src='http://e.org/z.png' alt='z'>", "<figure>", "</figure>",
            "<figcaption>", "</figcaption>", "<blockquote>", "</blockquote>", "<code>", "</code>", "<span>",
            "</span>", "<em>", "</em>", "<font color=\"red\">", "</font>", "<section>", "</section>", "<button>",
            "</button>", "<svg>", "</svg>", "<math>", "<mtext>", "</math>", "<style>", "</style>", "<script>",
            "</script>", "<template>", "</template>", "<select>", "<option>", "</select>", "<noscript>",
            "</noscript>", "<iframe src=\"https://e.org/v\">", "</iframe>", "<object>", "</object>", "<form>",
            "</form>", "<dl>", "<dt>", "<dd>", "</dl>", "<!--", "-->", "<!-- x -->", "<b hidden>",
            "<video src=\"v\">", "<source src=\"w\">", "</video>", "<picture>", "</picture>",
            "<source srcset=\"s 1x, l 2x\">", "<img data-src=\"y.png\">", "<img src=\"/blank.gif\" srcset=\"y 2x\">", "\0", "\u{202e}", "<", "<x>", "</x>", "<a>",
            "<title>", "</title>", "<xmp>", "</br>", "<p/>", "<nobr>", "<marquee>", "<foreignObject>",
            "<annotation-xml encoding=\"text/html\">", "<![CDATA[", "]]>", "<body>", "<frameset>",
        ];
        proptest::collection::vec(proptest::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
    }

    /// Mostly nested correctly.
    fn tidy() -> impl Strategy<Value = String> {
        let leaf = proptest::sample::select(
            &[
                "words",
                " ",
                "\n",
                "&amp; x",
                "&eacute;",
                "<br>",
                "<img src=\"y\" alt='&quot;'/>",
                "<!-- c -->",
                "a < b",
                "<script>if (a<b) '</p>'</script>",
                "<style>b{}</style>",
                "",
            ][..],
        );
        leaf.prop_map(str::to_owned).prop_recursive(6, 40, 4, |inner| {
            let names = proptest::sample::select(
                &[
                    "p",
                    "b",
                    "i",
                    "em",
                    "code",
                    "span",
                    "div",
                    "ul",
                    "li",
                    "blockquote",
                    "h2",
                    "pre",
                    "figure",
                    "table",
                    "tr",
                    "td",
                    "tbody",
                    "a href=\"x?a=1&b=2\"",
                    "section",
                    "dl",
                    "dt",
                    "dd",
                    "sup",
                    "noscript",
                    "font",
                    "th",
                ][..],
            );
            (names, proptest::collection::vec(inner, 0..4)).prop_map(|(name, inner)| {
                format!("<{name}>{}</{}>", inner.concat(), name.split(' ').next().unwrap_or_default())
            })
        })
    }

    const SMALL: Limits = Limits { bytes: 300, depth: 7, ..Limits::ENTRY };

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn promises_hold_for_pieces(html in pieces()) {
            hold(&html, &Limits::ENTRY);
        }

        #[test]
        fn promises_hold_at_the_limits(html in pieces()) {
            hold(&html.repeat(3), &SMALL);
        }

        #[test]
        fn promises_hold_for_what_is_tidy(html in tidy()) {
            hold(&html, &Limits::ENTRY);
        }

        #[test]
        fn promises_hold_for_text(html in "[\\PC<>&;\"'\r\n\t\u{0}-\u{1f}]{0,60}") {
            hold(&html, &Limits::ENTRY);
        }
    }
}
