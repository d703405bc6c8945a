//! A page as Readability gets it: a tree of only what can become part of an article, within limits.
//!
//! Readability looks at all text of an element for each element, many times, so its cost grows with nodes and text
//! times depth. It never sees the page itself: scripts, hidden and empty elements and most attributes are left out,
//! images have their real address, and what exceeds the limits is cut.
//! Invariant: an `iframe` has no attribute but an ASCII address, and there is no `object` or `embed`. In their
//! attributes Readability looks for players, and panics if a character of three bytes is before the name of one.

use dom_query::{Document, NodeId, NodeRef};
use html5ever::interface::{ElementFlags, NodeOrText, TreeSink as _};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute as Pair, LocalName, QualName, local_name, ns};

use super::ads;
use super::names::Names;
use super::readable::ROOT;
use crate::attributes::{Attribute, Attributes};
use crate::images::{Image, image};
use crate::lazy_images::LazyImages;
use crate::limits::beginning;
use crate::tags::{Kind, Tag};
use crate::tree::{Tree, Visitor, attributes};
use crate::urls::Base;

/// The name of elements that are neither blocks nor part of a line; Readability leaves them alone.
const OTHER: &str = "x-other";

/// Elements and texts of a page; a long encyclopedia article has as many.
const MOST_NODES: usize = 30_000;

/// Bytes of text of a page.
const MOST_TEXT: usize = 1 << 20;

/// Images and players of a page.
const MOST_PICTURES: usize = 2_000;

/// Elements that are nested more deeply lose their tags.
const DEEPEST: usize = 64;

/// Longer texts are split: html5ever writes a text with many `&` in quadratic time.
const LONGEST_TEXT: usize = 512;

/// This many bytes of text take as long as an element.
const BYTES_A_NODE: usize = 8;

/// What Readability does once for each node, in units of what it does for each of its ancestors.
const ONCE: usize = 6;

/// Classes, ids and the like are cut here: each is searched for many words.
const LONGEST_NAME: usize = 256;

/// Readability compares headings of the first two levels with the title. Longer ones, and more, become smaller headings.
const LONGEST_HEADING: usize = 1_000;
const MOST_HEADINGS: usize = 100;

/// A page, reduced to what can be part of an article.
pub(super) struct Page {
    pub(super) tree: PageTree,
    /// What it calls its article.
    pub(super) names: Names,
    /// The base of relative URLs: the page's own, or that of its `base` element.
    pub(super) base: Option<String>,
    /// Whether its end was cut.
    pub(super) is_cut: bool,
}

/// The content of a page.
pub(super) struct PageTree {
    pub(super) document: Document,
    /// What Readability's cost grows with: all nodes, each times its depth.
    pub(super) weight: usize,
    /// The element that its author marked as the main content.
    pub(super) main: Option<NodeId>,
}

impl Page {
    pub(super) fn new(mut tree: Tree, url: &str) -> Self {
        let mut builder = Builder::new(url);
        tree.walk(&mut builder);
        Self {
            base: builder.base.as_str().map(str::to_owned),
            is_cut: builder.is_full,
            tree: PageTree { weight: builder.weight, main: builder.main_content(), document: builder.document },
            names: builder.names,
        }
    }
}

/// An empty document, its `head` and its `body`.
pub(super) fn skeleton() -> (Document, NodeId, NodeId) {
    let document = Document::default();
    let root = document.get_document();
    let [html, head, body] = ["html", "head", "body"].map(|name| element(&document, name, Vec::new()));
    for (parent, child) in [(root, html), (html, head), (html, body)] {
        document.append(&parent, NodeOrText::AppendNode(child));
    }
    (document, head, body)
}

pub(super) fn element(document: &Document, name: &str, pairs: Vec<Pair>) -> NodeId {
    let name = QualName::new(None, ns!(html), LocalName::from(name));
    document.create_element(name, pairs, ElementFlags::default())
}

pub(super) fn pair(name: LocalName, value: &str) -> Pair {
    Pair { name: QualName::new(None, ns!(), name), value: StrTendril::from_slice(value) }
}

struct Builder<'t, 'u> {
    document: Document,
    body: NodeId,
    names: Names,
    base: Base<'u>,
    has_base: bool,
    lazy: LazyImages,
    open: Vec<Open<'t>>,
    /// How many of the open elements, from the first one on, are in the document. The others wait for content.
    built: usize,
    /// Inside an element that is left out with its content.
    muted: bool,
    /// How many open elements have text that is not for readers: `noscript`, `video` and `audio`.
    quiet: usize,
    title: Title,
    headings: usize,
    pictures: usize,
    /// Line breaks since the last content.
    breaks: usize,
    nodes: usize,
    text: usize,
    weight: usize,
    is_full: bool,
    /// The longest `article` so far, and its length.
    article: Option<(NodeId, usize)>,
    /// The longest `main` so far, and its length.
    main: Option<(NodeId, usize)>,
}

/// An open element.
struct Open<'t> {
    tag: Tag,
    pairs: &'t [Pair],
    node: Option<NodeId>,
    /// The length of the text before it.
    text_before: usize,
    /// For a row that waits for content: its cells without content, which keep the others in their column.
    empty_cells: usize,
}

#[derive(PartialEq, Eq)]
enum Title {
    Awaited,
    Open,
    Known,
}

/// What to do when an element ends.
enum Mark {
    Nothing,
    Muted,
    Title,
    /// It matters for images.
    Around(Tag),
    Open,
    /// The same, and its text was left out.
    Quiet,
}

impl<'t> Visitor<'t> for Builder<'t, '_> {
    type Mark = Mark;

    fn open(&mut self, tag: Tag, pairs: &'t [Pair]) -> Mark {
        if self.muted || self.is_full {
            return Mark::Nothing;
        }
        let attributes = attributes(tag, pairs);
        match tag {
            Tag::Title if self.title == Title::Awaited => {
                (self.title, self.muted) = (Title::Open, true);
                return Mark::Title;
            }
            Tag::Meta => self.names.meta(pairs),
            Tag::Base => self.base(pairs),
            _ if tag.kind() == Kind::Gone || attributes.hides() => {
                self.muted = !tag.is_void();
                return if self.muted { Mark::Muted } else { Mark::Nothing };
            }
            _ if self.lazy.open(tag, &attributes) => {
                self.quiet += usize::from(tag == Tag::Noscript);
                return Mark::Around(tag);
            }
            Tag::Source | Tag::Iframe | Tag::Video | Tag::Audio => return self.embedded(tag, pairs, &attributes),
            Tag::Img => self.image(pairs, &attributes),
            Tag::Br | Tag::Hr | Tag::Input => self.void(tag, pairs),
            Tag::Html | Tag::Body | Tag::Object => {}
            _ if tag.is_void() || self.open.len() >= DEEPEST => {}
            _ => {
                self.push(tag, pairs);
                return Mark::Open;
            }
        }
        Mark::Nothing
    }

    fn text(&mut self, text: &'t StrTendril) {
        if self.title == Title::Open {
            self.title = Title::Known;
            return self.names.title(text);
        }
        if self.muted || self.is_full || self.quiet > 0 {
            return;
        }
        self.lazy.text(text);
        if text.trim_start().is_empty() && !self.open.iter().any(|open| open.tag == Tag::Pre) {
            // White space separates words, and before the first word there is nothing to separate.
            if self.built == self.open.len() {
                self.append_text(" ");
            }
            return;
        }
        self.breaks = 0;
        self.build();
        let fitting = beginning(text, MOST_TEXT.saturating_sub(self.text));
        let mut rest = fitting;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(beginning(rest, LONGEST_TEXT).len());
            self.append_text(piece);
            rest = after;
        }
        self.is_full |= fitting.len() < text.len();
    }

    fn close(&mut self, mark: Mark) {
        match mark {
            Mark::Nothing => {}
            Mark::Muted => self.muted = false,
            Mark::Title => (self.title, self.muted) = (Title::Known, false),
            Mark::Around(tag) => {
                self.quiet -= usize::from(tag == Tag::Noscript);
                self.lazy.close(tag);
            }
            Mark::Open => self.pop(),
            Mark::Quiet => {
                self.quiet -= 1;
                self.pop();
            }
        }
    }
}

impl<'t, 'u> Builder<'t, 'u> {
    fn new(url: &'u str) -> Self {
        let (document, _, body) = skeleton();
        Self {
            document,
            body,
            names: Names::new(),
            base: Base::new(Some(url)),
            has_base: false,
            lazy: LazyImages::default(),
            open: Vec::new(),
            built: 0,
            muted: false,
            quiet: 0,
            title: Title::Awaited,
            headings: 0,
            pictures: 0,
            breaks: 0,
            nodes: 0,
            text: 0,
            weight: 0,
            is_full: false,
            article: None,
            main: None,
        }
    }

    fn push(&mut self, tag: Tag, pairs: &'t [Pair]) {
        self.open.push(Open { tag, pairs, node: None, text_before: self.text, empty_cells: 0 });
    }

    fn pop(&mut self) {
        self.keep_empty_cell();
        let Some(open) = self.open.pop() else { return };
        self.built = self.built.min(self.open.len());
        let Some(node) = open.node else { return };
        let length = self.text - open.text_before;
        let best = match open.tag {
            Tag::Article => &mut self.article,
            Tag::Main => &mut self.main,
            Tag::H1 | Tag::H2 => return self.heading(open.tag, node, length),
            _ => return,
        };
        if best.is_none_or(|(_, longest)| length > longest) {
            *best = Some((node, length));
        }
    }

    /// If the element that ends is a cell without content, it becomes part of its row as soon as that has any.
    fn keep_empty_cell(&mut self) {
        let [.., row, cell] = self.open.as_mut_slice() else { return };
        if cell.node.is_some() || cell.tag.kind() != Kind::Cell || row.tag != Tag::Tr {
            return;
        }
        if row.node.is_none() {
            row.empty_cells += 1;
        } else {
            self.build();
        }
    }

    fn heading(&mut self, tag: Tag, node: NodeId, length: usize) {
        self.headings += 1;
        let node = NodeRef::new(node, &self.document.tree);
        if length > LONGEST_HEADING || self.headings > MOST_HEADINGS {
            node.rename("h3");
        } else if tag == Tag::H1 {
            self.names.heading(&node.text());
        }
    }

    /// Puts all open elements into the document, because there is content in the last one.
    fn build(&mut self) {
        while self.built < self.open.len() && !self.is_full {
            let open = &mut self.open[self.built];
            let (tag, pairs, empty_cells) = (open.tag, open.pairs, std::mem::take(&mut open.empty_cells));
            let node = self.append(tag, kept(tag, pairs));
            self.open[self.built].node = node;
            self.built += 1;
            for _ in 0..empty_cells {
                self.append(Tag::Td, Vec::new());
            }
        }
    }

    /// Appends an element to the last open one that is in the document.
    fn append(&mut self, tag: Tag, pairs: Vec<Pair>) -> Option<NodeId> {
        if !self.has_room(1) {
            return None;
        }
        let name = if tag == Tag::Unknown { OTHER } else { tag.name() };
        let has_names = !pairs.is_empty();
        let node = element(&self.document, name, pairs);
        // Readability replaces a `div` by the paragraph inside, and its class would be lost.
        if has_names && matches!(tag, Tag::Div | Tag::Section) {
            let node = NodeRef::new(node, &self.document.tree);
            if ads::is_suspect(&node) {
                node.rename(OTHER);
            }
        }
        self.document.append(&self.parent(), NodeOrText::AppendNode(node));
        Some(node)
    }

    /// Appends a text as a node of its own, also after another one: together they might be too long to write.
    fn append_text(&mut self, text: &str) {
        if self.has_room(1 + text.len() / BYTES_A_NODE) {
            self.text += text.len();
            let node = self.document.tree.new_text(StrTendril::from_slice(text)).id;
            self.document.append(&self.parent(), NodeOrText::AppendNode(node));
        }
    }

    fn has_room(&mut self, size: usize) -> bool {
        self.is_full |= self.nodes >= MOST_NODES;
        if !self.is_full {
            self.nodes += 1;
            self.weight += size * (ONCE + self.built);
        }
        !self.is_full
    }

    fn parent(&self) -> NodeId {
        self.open[..self.built].last().and_then(|open| open.node).unwrap_or(self.body)
    }

    fn image(&mut self, pairs: &[Pair], attributes: &Attributes<'_>) {
        if self.pictures >= MOST_PICTURES {
            return;
        }
        let url = match image(attributes, &mut self.lazy, &mut self.base) {
            Image::Show(url) | Image::Link(url) => url,
            Image::Drop => return,
        };
        let mut kept = kept(Tag::Img, pairs);
        kept.push(pair(local_name!("src"), &url));
        for (attribute, name) in [(Attribute::Alt, local_name!("alt")), (Attribute::Title, local_name!("title"))] {
            kept.extend(attributes.get(attribute).map(|value| pair(name, value)));
        }
        self.picture(Tag::Img, kept);
    }

    /// A player, or a page inside the page: it is content if it has an address.
    fn embedded(&mut self, tag: Tag, pairs: &'t [Pair], attributes: &Attributes<'_>) -> Mark {
        let src = attributes.get(Attribute::Src).filter(|_| self.pictures < MOST_PICTURES);
        let src = src.and_then(|src| self.base.web_url(src)).map(|url| pair(local_name!("src"), &url));
        match tag {
            Tag::Video | Tag::Audio => {
                self.push(tag, &pairs[..0]);
                self.quiet += 1;
                // Its own address is written like that of a source inside.
                self.picture_of(src);
                Mark::Quiet
            }
            Tag::Iframe => {
                if let Some(src) = src {
                    self.picture(tag, vec![src]);
                }
                self.muted = true;
                Mark::Muted
            }
            _ => {
                self.picture_of(src);
                Mark::Nothing
            }
        }
    }

    fn picture_of(&mut self, src: Option<Pair>) {
        if let Some(src) = src {
            self.picture(Tag::Source, vec![src]);
        }
    }

    fn picture(&mut self, tag: Tag, pairs: Vec<Pair>) {
        self.pictures += 1;
        self.breaks = 0;
        self.build();
        self.append(tag, pairs);
    }

    /// Matters only beside content. Two line breaks in a row begin a paragraph, and so do more.
    fn void(&mut self, tag: Tag, pairs: &[Pair]) {
        self.breaks += 1;
        if self.built == self.open.len() && self.breaks <= 2 && self.quiet == 0 {
            self.append(tag, kept(tag, pairs));
        }
    }

    /// The first `base` counts, as in browsers.
    fn base(&mut self, pairs: &[Pair]) {
        let href = pairs.iter().find(|pair| pair.name.local == local_name!("href"));
        if let Some(href) = href.filter(|_| !self.has_base) {
            self.has_base = true;
            self.base.replace(&href.value);
        }
    }

    /// The longest `article` if it is most of `main`; a page with many of them is a list. Else `main`.
    fn main_content(&self) -> Option<NodeId> {
        match (self.article, self.main) {
            (Some((article, length)), Some((_, all))) if length * 2 >= all => Some(article),
            (article, main) => main.or(article).map(|(node, _)| node),
        }
    }
}

/// The attributes by which Readability and the selectors of `ads` judge an element, and those that `clean` keeps.
fn kept(tag: Tag, pairs: &[Pair]) -> Vec<Pair> {
    let is_href = |name: &LocalName| tag == Tag::A && *name == local_name!("href");
    let is_kept = |name: &LocalName| match &**name {
        "class" | "id" | "role" | "rel" | "itemprop" | "aria-hidden" | "aria-modal" => true,
        "colspan" | "rowspan" => tag.kind() == Kind::Cell,
        "summary" | "datatable" => tag == Tag::Table,
        _ => is_href(name),
    };
    // Nothing on the page may be called like the article that Readability finds.
    let pairs = pairs.iter().filter(|pair| is_kept(&pair.name.local) && &*pair.value != ROOT);
    pairs
        .map(|kept| {
            let longest = if is_href(&kept.name.local) { usize::MAX } else { LONGEST_NAME };
            pair(kept.name.local.clone(), beginning(&kept.value, longest))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::slow_pages::slow_pages;

    fn page(html: &str) -> PageTree {
        whole_page(html).tree
    }

    fn whole_page(html: &str) -> Page {
        Page::new(Tree::read(html, Limits::PAGE.effort).0, "https://example.org/a/")
    }

    fn body(page: &PageTree) -> String {
        page.document.body().expect("there is one").inner_html().to_string()
    }

    #[track_caller]
    fn check(case: &str, html: &str, expected: &str) {
        assert_eq!(body(&page(html)), expected, "{case}");
    }

    #[test]
    fn only_content_is_left() {
        check("a page", "<!doctype html><html><head><title>t</title></head><body><p>x</p></body></html>", "<p>x</p>");
        check("scripts", "<p>x<script>y</script><style>z</style></p><template>t</template>", "<p>x</p>");
        check("comments", "<p>x<!-- y --></p>", "<p>x</p>");
        check("shapes", "<p>x<svg><title>y</title><text>z</text></svg></p>", "<p>x</p>");
        check("hidden", "<p>x</p><p hidden>y</p><div style='display:none'><p>z</p></div>", "<p>x</p>");
        check("empty elements", "<div><p></p><p> <b></b></p></div><p>x</p><div></div>", "<p>x</p>");
        check("empty elements before content", "<div><p> </p><p>x</p></div>", "<div><p>x</p></div>");
        check("space between words", "<p><b>x</b> <i>y</i>\n</p>", "<p><b>x</b> <i>y</i> </p>");
        check("preformatted", "<pre>x<b>\n </b>y</pre>", "<pre>x<b>\n </b>y</pre>");
        check("unknown elements", "<story-text>x</story-text>", "<x-other>x</x-other>");
        check("forms", "<form>x<input name=y><select><option>z</select></form>", "<form>x<input></form>");
        check("line breaks", "x<br><br><br>y<br>", "x<br><br>y<br>");
        check("line breaks alone", "<p><br></p>", "");
        check("objects", "<object data='€youtube.com'><p>x</p><embed src='€youtube.com'></object>", "<p>x</p>");
    }

    #[test]
    fn cells_stay_in_their_column() {
        let rows = "<table><tr><td></td><td></td><td>x</td></tr><tr><td>y</td><td></td></tr><tr><td></td></tr></table>";
        let expected =
            "<table><tbody><tr><td></td><td></td><td>x</td></tr><tr><td>y</td><td></td></tr></tbody></table>";
        check("empty cells", rows, expected);
        check("no content", "<table><tr><td></td><td></td></tr></table>", "");
    }

    #[test]
    fn few_attributes_are_left() {
        check(
            "classes",
            "<p class='a' id='b' onclick='c' style='color:red' data-d='e'>x",
            "<p class=\"a\" id=\"b\">x</p>",
        );
        check("links", "<a href='/x?y' title=z>x</a><p href='/x'>x</p>", "<a href=\"/x?y\">x</a><p>x</p>");
        check("cells", "<table><tr><td colspan=2>x", "<table><tbody><tr><td colspan=\"2\">x</td></tr></tbody></table>");
        check("Readability's own", "<p id='readability-page-1' data-readability-score=1>x", "<p>x</p>");
        let long = "ż".repeat(LONGEST_NAME);
        check(
            "long classes",
            &format!("<p class='{long}'>x"),
            &format!("<p class=\"{}\">x</p>", &long[..LONGEST_NAME]),
        );
        check(
            "suspects keep their class",
            "<div class='my-ad-slot'>x</div>",
            "<x-other class=\"my-ad-slot\">x</x-other>",
        );
    }

    #[test]
    fn images_have_their_address() {
        let image = "<img src=\"https://example.org/a/x.png\">";
        check("relative", "<img src='x.png' srcset='y.png 2x' width=10>", image);
        check("late", "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' data-src='x.png'>", image);
        check("late, and again", "<div><img data-src='x.png'></div> <noscript>y<p><img src='z.png'></p></noscript>", {
            "<div><img src=\"https://example.org/a/x.png\"></div> "
        });
        check("only without scripts", "<noscript>Enable it!<img src='x.png'></noscript>", image);
        check("a picture", "<picture><source srcset='x.png 2x, y.png 1x'><img></picture>", image);
        check(
            "a base",
            "<base href='/b/'><base href='/c/'><img src='x.png'>",
            "<img src=\"https://example.org/b/x.png\">",
        );
        check("a base that is none", "<base href='javascript:x'><img src='x.png'>", image);
        check("a pixel", "<p>x<img src='x.png' width=1 height=1></p>", "<p>x</p>");
        check("over http", "<img src='http://e.org/x.png' alt='y'>", "<img src=\"http://e.org/x.png\" alt=\"y\">");
    }

    #[test]
    fn players_have_nothing_but_an_address() {
        let frame = "<iframe src=\"https://example.org/%E2%82%ACyoutube.com\"></iframe>";
        check("a frame", "<iframe src='/€youtube.com' title='€youtube.com' class='€youtube.com'>x</iframe>", frame);
        check("a frame that is a script", "x<iframe src='javascript:x'></iframe>", "x");
        let video = "<video><source src=\"https://example.org/a/x.mp4\"></video>";
        check("a video", "<video src='x.mp4' poster='€youtube.com'>Your browser cannot</video>", video);
        check("sources", "<video title=y><source src='x.mp4'>Your browser cannot</video>", video);
        check("no source", "<video>Your browser cannot</video>", "");
    }

    #[test]
    fn what_is_slow_is_changed_or_cut() {
        let deep = format!("{}x{}", "<div>".repeat(99), "</div>".repeat(99));
        let expected = format!("{}x{}", "<div>".repeat(DEEPEST), "</div>".repeat(DEEPEST));
        check("depth", &deep, &expected);
        let long = "x".repeat(LONGEST_HEADING + 1);
        check("a long heading", &format!("<h1>{long}</h1>"), &format!("<h3>{long}</h3>"));
        let headings = page(&"<h2>x</h2>".repeat(MOST_HEADINGS + 5));
        assert_eq!(headings.document.select("h2").length(), MOST_HEADINGS);
        let images = page(&"<img src=/x.png>x".repeat(MOST_PICTURES + 5));
        assert_eq!(images.document.select("img").length(), MOST_PICTURES);
        let text = page(&"&".repeat(LONGEST_TEXT * 3));
        assert_eq!(text.document.body().expect("there is one").children().len(), 3);
        let words = whole_page(&"word ".repeat(MOST_TEXT / 4));
        assert!(words.is_cut && words.tree.document.text().len() == MOST_TEXT);
    }

    #[test]
    fn slow_pages_have_a_bounded_tree() {
        // Besides content, a document has its frame.
        let most = MOST_NODES + 8;
        for (name, html) in slow_pages(1 << 15) {
            let page = page(&html);
            assert!(page.document.tree.len() <= most, "{name}: {} nodes", page.document.tree.len());
        }
        for piece in ["<p>x</p>", "<b>x</b>", "x<br>", "<li>x", "<td></td>", "<table><tr><td>x"] {
            let html = format!("<table><tr>{}x", piece.repeat(MOST_NODES));
            let nodes = page(&html).document.tree.len();
            assert!(nodes <= most, "{piece}: {nodes} nodes");
        }
    }

    #[test]
    fn the_main_content_is_what_its_author_marked() {
        let check = |case: &str, html: &str, expected: Option<&str>| {
            let page = page(html);
            let found = page.main.map(|node| NodeRef::new(node, &page.document.tree).text().to_string());
            assert_eq!(found.as_deref(), expected, "{case}");
        };
        check("an article", "<p>x</p><article>word</article>", Some("word"));
        check("the longest article", "<article>x</article><article>word</article>", Some("word"));
        check("an article in main", "<main>x<article>word</article></main>", Some("word"));
        check("many articles in main", "<main><article>a</article><article>b</article><i>c</i></main>", Some("abc"));
        check("main alone", "<main>x</main>", Some("x"));
        check("neither", "<p>x</p>", None);
    }
}
