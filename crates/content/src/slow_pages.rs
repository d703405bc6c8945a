//! Pages that are slow to extract an article from: shapes that Readability visits many times, by name. For tests and the
//! benchmark.
//!
//! `slow_html` has those that are slow to parse; these are well-formed, and go through the limits of a parser.

/// Names, and pages of about `bytes` bytes each.
pub(crate) fn slow_pages(bytes: usize) -> Vec<(&'static str, String)> {
    const WORDS: &str = "some words, and more of them, which a reader may want to read; ";
    let fill = |piece: &str| piece.repeat(bytes / piece.len());
    let numbered = |piece: &str| {
        let mut html = String::with_capacity(bytes + 64);
        let mut number = 0;
        while html.len() < bytes {
            html.push_str(&piece.replace('#', &number.to_string()));
            number += 1;
        }
        html
    };
    // Everything inside of this many elements.
    let inside = |depth: usize, tag: &str, piece: &str| {
        let name = tag.split([' ', '>']).next().unwrap_or_default();
        format!(
            "{}{}{}",
            format!("<{tag}>").repeat(depth),
            piece.repeat(bytes / piece.len()),
            format!("</{name}>").repeat(depth)
        )
    };
    // One element inside the other, with something before and after the inner one.
    let tower = |depth: usize, tag: &str, piece: &str| {
        let name = tag.split(' ').next().unwrap_or_default();
        format!("{}{}", format!("<{tag}>{piece}").repeat(depth), format!("{piece}</{name}>").repeat(depth))
    };
    let paragraph = format!("<p>{WORDS}</p>");
    let letters = "abcdefghijklmnopqrstuvwxyz-_ ".repeat(9);
    let repeated = |piece: String| fill(&piece);
    vec![
        ("text at depth", inside(60, "div class=content", WORDS)),
        ("text at depth of sections", inside(60, "section", WORDS)),
        ("text at depth without commas", inside(60, "div", "wordy ")),
        ("paragraphs at depth", inside(60, "div", &paragraph)),
        ("paragraphs at depth of articles", inside(60, "article", &paragraph)),
        ("short paragraphs at depth", inside(60, "div", "<p>x</p>")),
        ("spans at depth", inside(60, "div", "<span>x</span>")),
        ("links at depth", inside(60, "div", "<a href=/x>x</a>")),
        ("long links at depth", inside(60, "div", &format!("<a href=/x>{WORDS}</a>"))),
        ("images at depth", inside(60, "div", "<img src=/x.png>")),
        ("shares at depth", inside(60, "div class=share", "<p class=share>x</p>")),
        ("authors at depth", inside(60, "div class=author", &paragraph)),
        ("comments at depth", inside(60, "div class=comment", &paragraph)),
        ("adverts at depth", inside(60, "div class=ad-x", &paragraph)),
        ("insertions at depth", inside(60, "ins", "<ins>x</ins>")),
        ("insertions and line breaks at depth", inside(60, "ins", "x<br><br>")),
        ("lists at depth", inside(60, "ul", "<li>x</li>")),
        ("lists in items at depth", inside(30, "ul><li", "x <b>y</b>")),
        ("tables at depth", inside(15, "table><tr><td", "<b>x</b>")),
        ("forms at depth", inside(60, "fieldset", "<input>x")),
        ("spans in spans", inside(60, "span", "<b>x</b>")),
        ("entities at depth", inside(60, "div", "&CounterClockwiseContourIntegral;")),
        ("towers", repeated(tower(60, "div", "x"))),
        ("towers of paragraphs", repeated(tower(60, "div", "<p>some words, and more</p>"))),
        ("towers of lists", repeated(tower(30, "ul", "<li>x</li>"))),
        ("low towers", repeated(tower(8, "div", "<p>some words, and more</p>"))),
        ("low towers of classes", repeated(tower(8, "div class=\"share comment\"", "<p>some words</p>"))),
        ("headings", format!("<title>some title, of a page that has many headings</title>{}", fill("<h2>x y</h2>"))),
        (
            "headings and a long one",
            format!("<h1>{}</h1>{}", WORDS.repeat(bytes / 128), fill("<h2>x</h2>").split_at(bytes / 2).0),
        ),
        (
            "headings and a long title",
            format!("<title>{}</title>{}", WORDS.repeat(bytes / 128), fill("<h2>x</h2>").split_at(bytes / 2).0),
        ),
        ("headings in headings", inside(60, "h1><div", WORDS)),
        ("Greek at depth", inside(60, "div", "ΣΑΣ ")),
        ("long classes", fill(&format!("<p class=\"{letters}\">x</p>"))),
        ("long classes of divisions", fill(&format!("<div class=\"{letters}\" id=\"{letters}\">x</div>"))),
        ("many short classes", numbered("<div class=\"c#\">x</div>")),
        ("line breaks", fill("x<br><br>")),
        ("line breaks and spaces", fill("<br> <b> </b> <br>x")),
        ("paragraphs", fill(&paragraph)),
        ("short paragraphs", fill("<p>x</p>")),
        ("divisions with text", fill(&format!("<div>{WORDS}</div>"))),
        ("divisions with a paragraph", fill(&format!("<div>{paragraph}</div>"))),
        ("unlikely divisions", fill(&format!("<div class=comment>{paragraph}</div>"))),
        ("hidden divisions", fill("<div hidden><p>x</p></div>")),
        ("links", fill("<a href=/x>x</a> ")),
        ("items", fill("<li>x</li>")),
        ("cells", format!("<table>{}</table>", fill("<tr><td>x</td><td></td></tr>"))),
        ("tables", fill("<table><tr><td>x</td></tr></table>")),
        ("data tables", fill("<table><caption>x</caption><tr><th>x</th></tr></table>")),
        ("images", numbered("<img src=/#.png>")),
        ("figures", numbered("<figure><img src=/#.png><figcaption>x</figcaption></figure>")),
        ("pictures", numbered("<picture><source srcset='/a# 1x, /b# 2x'><img></picture>")),
        ("late images", numbered("<img data-src=/#.png><noscript><img src=/#.png></noscript>")),
        ("players", numbered("<iframe src=https://www.youtube.com/embed/#></iframe>")),
        ("objects", fill("<object><embed src=//youtube.com/x>x</object>")),
        ("videos", numbered("<video><source src=/#.mp4>x</video>")),
        ("inputs", fill("x<input>")),
        ("forms", fill("<form>x<input></form>")),
        ("commas", fill(",")),
        ("words in bold", fill("<b>x</b> ")),
        ("text", fill(WORDS)),
        ("articles", fill(&format!("<article>{paragraph}</article>"))),
        ("metas", numbered("<meta name=author content='x#'>")),
        (
            "little text in much",
            format!("{}<article><p>{WORDS}</p></article>", fill("<div class=sidebar><a href=/x>x</a></div>")),
        ),
    ]
}
