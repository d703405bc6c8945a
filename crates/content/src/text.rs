//! Markup to text, and excerpts of it.

use unicode_segmentation::{GraphemeCursor, GraphemeIncomplete};

use crate::clean::clean;
use crate::entities;
use crate::limits::Limits;
use crate::lines::one_line;
use crate::tags::{Kind, Tag};

/// The text of an HTML fragment on one line: no markup, no control characters, entities resolved, white space collapsed.
pub fn plain_text(html: &str) -> String {
    if memchr::memchr2(b'<', b'&', html.as_bytes()).is_none() {
        return one_line(crate::limits::beginning(html, Limits::ENTRY.bytes));
    }
    let mut text = clean(html, None, &Limits::ENTRY).text;
    // Lines are separated in the text of a body; a title or a name has only one.
    if text.contains('\n') {
        text = text.replace('\n', " ");
    }
    text
}

/// The text of HTML that [`clean`] wrote, in a fraction of the time: nothing in it is misplaced, hidden or unquoted.
/// White space is not collapsed. For other HTML the result is partly text and partly markup.
pub fn words_of_clean(html: &str) -> String {
    let bytes = html.as_bytes();
    let mut text = String::with_capacity(html.len());
    let mut at = 0;
    while let Some(special) = memchr::memchr2(b'<', b'&', &bytes[at..]).map(|offset| at + offset) {
        text.push_str(&html[at..special]);
        let rest = &bytes[special..];
        at = special
            + if rest[0] == b'&' {
                let (length, character) = entities::in_text(rest).unwrap_or((1, '&'));
                text.push(character);
                length
            } else {
                if parts_words(&rest[1..]) {
                    text.push(' ');
                }
                // In attribute values `>` is written as an entity.
                memchr::memchr(b'>', rest).map_or(rest.len(), |end| end + 1)
            };
    }
    text.push_str(&html[at..]);
    text
}

/// Whether a tag, given from its name on, separates words.
fn parts_words(tag: &[u8]) -> bool {
    let name = tag.strip_prefix(b"/").unwrap_or(tag);
    let length = name.iter().take(12).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    !matches!(Tag::named(&name[..length]).kind(), Kind::Run | Kind::Image)
}

/// At most `limit` characters of a text, cut between words if possible, with an ellipsis if it was cut.
pub fn excerpt(text: &str, limit: usize) -> String {
    let mut places = text.char_indices().map(|(at, _)| at);
    // Where the last character that fits begins, and the first that does not: the ellipsis needs room, too.
    let room = limit.checked_sub(1).and_then(|last| places.nth(last)).unwrap_or(0);
    let Some(end) = places.next() else { return text.to_owned() };
    let words = text[..end].rfind(char::is_whitespace).map(|at| text[..at].trim_end().len());
    let cut = words.filter(|at| *at > 0 && *at <= room).unwrap_or_else(|| between_graphemes(text, room));
    if limit == 0 {
        return String::new();
    }
    format!("{}…", &text[..cut])
}

/// The last index at or before `at` that splits no grapheme cluster.
fn between_graphemes(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(true) => at,
        Ok(false) => before(&mut cursor, text),
        Err(GraphemeIncomplete::InvalidOffset | _) => 0,
    }
}

fn before(cursor: &mut GraphemeCursor, text: &str) -> usize {
    cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_a_person_would_read() {
        let check = |html: &str, expected: &str| assert_eq!(plain_text(html), expected, "{html}");
        check("<p>One</p><p>two</p>", "One two");
        check("a<b>b</b>c &amp; d &eacute;", "abc & d é");
        check("x <!-- <p>no</p> --> y", "x y");
        check("<script>alert('<p>')</SCRIPT >yes<style>p{}</style>", "yes");
        check("1 < 2 and 3 > 2", "1 < 2 and 3 > 2");
        check("<p title='a > b'>odd</p>", "odd");
        check("unclosed <p", "unclosed");
        check("<script>never closed", "");
        check("&lt;script&gt;", "<script>");
        check(" \n\t ", "");
        check("AT&T &copy 2024 &nbsp; &unknown; &#x41;&#65;", "AT&T © 2024 &unknown; AA");
        check("a\u{0}b\u{202e}c &#8238;&#7;d", "abc d");
        check("<td>one</td><table><tr><td>two<td>three</table>", "one two three");
        check("<p style='display:none'>hidden</p><p hidden>too</p>seen", "seen");
    }

    #[test]
    fn the_words_of_what_is_clean() {
        let check = |html: &str, expected: &str| assert_eq!(words_of_clean(html), expected, "{html}");
        check("<p>One</p><p>two</p>", " One  two ");
        check("a<b>b</b>c<img src=\"/x\" alt=\"y &gt; z\">d", "abcd");
        check("<h1>a</h1><ul><li>b</li></ul>c<br>d", " a   b  c d");
        check("<table><tbody><tr><td colspan=\"2\">a</td><td>b</td></tr></tbody></table>", "    a  b    ");
        check("AT&amp;T &lt;b&gt; a&nbsp;b é", "AT&T <b> a\u{a0}b é");
        check("not clean: &unknown; <p", "not clean: &unknown;  ");
        check("", "");
    }

    #[test]
    fn a_million_brackets_cost_a_million_steps() {
        let many = 1 << 18;
        assert_eq!(plain_text(&"<".repeat(many)).len(), many);
        assert_eq!(plain_text(&"<".repeat(many * 4)).len(), many, "it stops where its HTML would be too long");
        assert_eq!(plain_text(&"<script></".repeat(1 << 16)), "");
        assert_eq!(words_of_clean(&"<".repeat(many)), " ");
        assert_eq!(words_of_clean(&"&".repeat(many)).len(), many);
    }

    #[test]
    fn an_excerpt_cuts_no_word() {
        let check = |text: &str, limit, expected: &str| {
            let cut = excerpt(text, limit);
            assert_eq!(cut, expected, "{text} {limit}");
            assert!(cut.chars().count() <= limit);
        };
        check("short", 10, "short");
        check("exactly 10", 10, "exactly 10");
        check("one two three", 9, "one two…");
        check("one two three", 8, "one two…");
        check("one two three", 7, "one…");
        check("one  two", 5, "one…");
        check("indivisible", 5, "indi…");
        check("żółć żółć", 6, "żółć…");
        check("anything", 0, "");
    }

    #[test]
    fn an_excerpt_cuts_no_grapheme() {
        let check = |text: &str, limit, expected: &str| assert_eq!(excerpt(text, limit), expected, "{text} {limit}");
        check("caf\u{65}\u{301}bar", 5, "caf…");
        check("ab👩‍👩‍👧cd", 6, "ab…");
        check("🇩🇪🇫🇷🇵🇱", 4, "🇩🇪…");
        check("東京都の新聞", 4, "東京都…");
        check("e\u{301}\u{301}\u{301}\u{301}", 3, "…");
    }
}
