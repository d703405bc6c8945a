//! Markup to text: linear in its input, never fails, never returns markup.

/// The text of an HTML fragment: tags, comments, scripts and styles gone, entities resolved, white space collapsed.
pub fn plain_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let tag = &rest[at..];
        let (skipped, separates) = skip(tag);
        if separates {
            text.push(' ');
        }
        if skipped == 0 {
            text.push('<');
        }
        rest = &tag[skipped.max(1)..];
    }
    text.push_str(rest);
    collapse(&htmlize::unescape(text))
}

/// How many bytes of `tag` are markup (0: a lone `<` is text), and whether words on its two sides are apart.
fn skip(tag: &str) -> (usize, bool) {
    if tag.starts_with("<!--") {
        return (tag.find("-->").map_or(tag.len(), |end| end + 3), false);
    }
    let name: &str = {
        let name = tag[1..].trim_start_matches('/');
        let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
        &name[..end]
    };
    if name.is_empty() && !tag.starts_with("<!") && !tag.starts_with("<?") {
        return (0, false);
    }
    let end = tag.find('>').map_or(tag.len(), |end| end + 1);
    let opens = !tag.starts_with("</");
    for hidden in ["script", "style"] {
        if opens && name.eq_ignore_ascii_case(hidden) {
            return (end + hidden_until(&tag[end..], hidden), true);
        }
    }
    let inline = ["a", "b", "i", "u", "em", "strong", "span", "code", "abbr", "sup", "sub", "small", "mark", "font"];
    (end, !inline.iter().any(|inline| name.eq_ignore_ascii_case(inline)))
}

/// How many bytes until the element `name` is closed.
fn hidden_until(text: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let after = from + at + 2;
        if text.as_bytes()[after..].get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes())) {
            return text[after..].find('>').map_or(text.len(), |end| after + end + 1);
        }
        from = after;
    }
    text.len()
}

fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// At most `limit` characters of a text, cut between words where there are any, with an ellipsis where it was cut.
pub fn excerpt(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let room = text.char_indices().nth(limit.saturating_sub(1)).map_or(0, |(at, _)| at);
    let cut = text[..end].rfind(char::is_whitespace).filter(|at| *at > 0 && *at <= room).unwrap_or(room);
    format!("{}…", text[..cut].trim_end())
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
        check("<p title='a > b'>odd</p>", "b'>odd");
        check("unclosed <p", "unclosed");
        check("<script>never closed", "");
        check("&lt;script&gt;", "<script>");
        check(" \n\t ", "");
    }

    #[test]
    fn a_million_brackets_cost_a_million_steps() {
        assert_eq!(plain_text(&"<".repeat(1 << 20)).len(), 1 << 20);
        assert_eq!(plain_text(&"<script></".repeat(1 << 16)), "");
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
        check("indivisible", 5, "indi…");
        check("żółć żółć", 6, "żółć…");
    }
}
