//! HTML that was made to cost time: the worst that is known of, by name. For tests and for the benchmark.

/// A name, and a piece of HTML of about `bytes` bytes.
pub(crate) fn laborious(bytes: usize) -> Vec<(&'static str, String)> {
    let fill = |piece: &str| piece.repeat(bytes / piece.len().max(1));
    // What goes first stays open while the rest comes.
    let below = |first: &str, piece: &str| format!("{first}{}", piece.repeat((bytes - first.len()) / piece.len()));
    let numbered = |piece: &str| {
        let mut html = String::with_capacity(bytes + 64);
        let mut number = 0;
        while html.len() < bytes {
            html.push_str(&piece.replace('#', &number.to_string()));
            number += 1;
        }
        html
    };
    let deep = |tag: &str, times: usize| tag.repeat(times);
    let count = |times: usize, piece: &str| {
        (0..times).map(|number| piece.replace('%', &number.to_string())).collect::<String>()
    };
    let fonts = |times: usize| count(times, "<font size=%>");
    vec![
        ("nested div", fill("<div>")),
        ("nested unknown", fill("<x>")),
        ("nested span", fill("<span>")),
        ("nested blockquote with text", fill("<blockquote>x")),
        ("nested list", fill("<ul><li>")),
        ("nested table", fill("<table><tr><td>")),
        ("nested table without cells", fill("<table>")),
        ("nested template", fill("<template>")),
        ("nested svg", fill("<svg>")),
        ("nested math and svg", fill("<math><mi><svg><desc>")),
        ("nested select", fill("<select><option>")),
        ("nested button", fill("<button>")),
        ("nested object", fill("<object>")),
        ("nested form", fill("<form>")),
        ("nested ruby", fill("<ruby><rt>")),
        ("paragraphs at depth", below(&deep("<div>", 250), "<p>")),
        ("ends of paragraphs", fill("</p>")),
        ("ends of paragraphs at depth", below(&deep("<span>", 250), "</p>")),
        ("ends of nothing at depth", below(&deep("<span>", 250), "</x>")),
        ("ends of bold at depth", below(&deep("<span>", 250), "</b>")),
        ("items at depth", below(&deep("<span>", 250), "<li>")),
        ("headings at depth", below(&deep("<span>", 250), "</h1>")),
        ("links", fill("<a>")),
        ("links and paragraphs", fill("<a><p>")),
        ("links and divisions", fill("<a><div>")),
        ("links with other addresses", numbered("<a href=#>")),
        ("links at depth", below(&deep("<div>", 250), "<a>x")),
        ("bold", fill("<b>")),
        ("bold and paragraphs", fill("<b><p>")),
        ("bold over divisions", fill("<b><div></b>")),
        ("bold and italic, crossed", fill("<b><i></b></i>")),
        ("bold and blocks, crossed", fill("<b><i><p></b></i></p>")),
        ("fonts", numbered("<font size=#>")),
        ("fonts and paragraphs", below(&fonts(1000), "<p>x")),
        ("a few fonts and paragraphs", below(&fonts(31), "<p>x")),
        ("a few fonts and ends", below(&fonts(31), "x</p>")),
        ("a few fonts and divisions", below(&fonts(31), "<div>x</div>")),
        ("a few fonts and cells", below(&format!("{}<table>", fonts(31)), "<tr><td>x")),
        ("foster text", below("<table>", "x<tr>")),
        ("foster elements", below("<table>", "<b>x<tr>")),
        ("foster text at depth", below(&format!("{}<table>", deep("<div>", 250)), "x<tr>")),
        ("foster blocks", below("<table>", "<p>x")),
        ("cells", below("<table><tr>", "<td>")),
        ("rows", below("<table>", "<tr>")),
        ("captions", below("<table>", "<caption>")),
        ("attributes", below("<p ", "a ")),
        ("other attributes", format!("<p {}>", numbered("a#='' "))),
        ("sixty attributes each", fill(&format!("<p {}>", count(63, "a% ")))),
        ("sixty new attributes each", numbered(&format!("<p {}>", count(63, "a%b# ")))),
        ("new tags", numbered("<x#>")),
        ("new tags, ended", numbered("<x#></x#>")),
        ("brackets", fill("<")),
        ("brackets, not tidy", below("<p><b></p>", "<")),
        ("ampersands", fill("&")),
        ("ampersands, not tidy", below("<p><b></p>", "&")),
        ("entities without ends", fill("&amp")),
        ("entities that are none", fill("&xyz")),
        ("longest entities", fill("&CounterClockwiseContourIntegral;")),
        ("longest entities, not tidy", below("<p><b></p>", "&CounterClockwiseContourIntegral")),
        ("numbers", fill("&#0")),
        ("long numbers", fill("&#99999999999999999999;")),
        ("NUL", fill("\0")),
        ("carriage returns", fill("\r")),
        ("line ends", fill("\n")),
        ("open comments", fill("<!--")),
        ("comments", fill("<!---->")),
        ("dashes in a comment", below("<!--", "--!")),
        ("bogus comments", fill("<!>")),
        ("instructions", fill("<?")),
        ("cdata", fill("<![CDATA[")),
        ("cdata in svg", below("<svg>", "<![CDATA[]]>")),
        ("doctypes", fill("<!DOCTYPE html>")),
        ("scripts without ends", fill("<script>")),
        ("ends in a script", below("<script>", "</scrip")),
        ("comments in a script", below("<script>", "<!--<script>")),
        ("styles", fill("<style></style>")),
        ("text areas", fill("<textarea></textarea>")),
        ("titles", fill("<title></title>")),
        ("plaintext", below("<plaintext>", "<p>")),
        ("quotes without ends", fill("<a b='")),
        ("equals", fill("<a =")),
        ("slashes", fill("<a / ")),
        ("images", numbered("<img src=https://e.org/#>")),
        ("tidy images", numbered("<img src=\"https://e.org/#\">")),
        ("odd addresses", numbered("<a href='https://é.example/ #'>x</a>")),
        ("tidy links", fill("<a href=\"https://e.org/\">x</a>")),
        ("tidy bold", fill("<b>x</b>")),
        ("tidy bold at depth", below(&deep("<blockquote>", 250), "<b>x</b>")),
        ("tidy divisions", fill("<div>x</div>")),
        ("tidy rows", below("<table>", "<tr><td>x</td></tr>")),
        ("empty bold", fill("<b></b>")),
        ("line breaks", fill("<br>")),
        ("inputs", fill("<input>")),
        ("text that grows", fill("&lt;")),
        ("spaces", fill("&nbsp;")),
        ("no words", fill("\u{202e}")),
        ("accents", fill("\u{301}")),
        ("styled", fill("<p style='display:block;;;;;'>x")),
        ("srcset", format!("<img srcset='{}'>", numbered("a #w, "))),
        ("data image", format!("<img src='data:image/png;base64,{}'>", fill("A"))),
    ]
}
