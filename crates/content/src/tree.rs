//! The slow path: HTML of any shape is parsed into a tree as browsers do, and the tree is written.
//!
//! html5ever parses and repairs; this is its tree sink, which also counts its steps. html5ever takes quadratic time on
//! hostile input, so the input is pre-scanned and parsing stops at the limit.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute as Pair, LocalName, Namespace, ParseOpts, QualName, local_name, ns, parse_fragment};

use crate::attributes::{Attribute, Attributes};
use crate::tags::Tag;
use crate::writer::{Mark, Writer};

/// How many bytes are parsed between two checks of the effort.
const STRETCH: usize = 1 << 10;

/// This many bytes of attributes take as long as a step.
const BYTES_A_STEP: u64 = 4;

/// A byte of a named character reference takes as long as this many steps.
const STEPS_A_LETTER: u64 = 3;

/// A document as nodes that refer to each other by index.
pub(crate) struct Tree {
    nodes: RefCell<Vec<Node>>,
    effort: Cell<u64>,
    /// The limit of the effort.
    most: u64,
}

#[derive(Default)]
struct Node {
    parent: Option<u32>,
    previous: Option<u32>,
    next: Option<u32>,
    first: Option<u32>,
    last: Option<u32>,
    content: Content,
}

#[derive(Default)]
enum Content {
    /// The document, comments, and other nodes that are never written.
    #[default]
    Nothing,
    Text(StrTendril),
    Element(Tag, Vec<Pair>),
}

/// A node's index and name; the name is needed far more often than anything else.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    node: u32,
    name: QualName,
    /// A MathML element in which HTML begins again.
    holds_html: bool,
}

const DOCUMENT: u32 = 0;

impl Tree {
    /// Parses `html` to its end, or until the cost exceeds `effort`; returns whether it did.
    pub(crate) fn read(html: &str, effort: u64) -> (Self, bool) {
        let tree = Self { nodes: RefCell::new(vec![Node::default()]), effort: Cell::new(0), most: effort };
        let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        let options = ParseOpts { tree_builder, ..ParseOpts::default() };
        let context = QualName::new(None, ns!(html), local_name!("div"));
        let mut parser = parse_fragment(tree, options, context, Vec::new(), false);
        let mut rest = html;
        let mut is_too_much = false;
        while !rest.is_empty() && !is_too_much {
            let (stretch, after) = rest.split_at(rest.floor_char_boundary(STRETCH.min(rest.len())));
            parser.process(StrTendril::from_slice(stretch));
            parser.tokenizer.sink.sink.spend(letters_of_references(stretch) * STEPS_A_LETTER);
            rest = after;
            is_too_much = parser.tokenizer.sink.sink.is_too_much();
        }
        (parser.finish(), is_too_much && !rest.is_empty())
    }

    /// Steps taken so far.
    #[cfg(test)]
    pub(crate) fn effort(&self) -> u64 {
        self.effort.get()
    }

    /// Shows everything below the root to `visitor`, in document order, without recursion.
    pub(crate) fn walk<'t, V: Visitor<'t>>(&'t mut self, visitor: &mut V) {
        let nodes: &'t [Node] = self.nodes.get_mut();
        let mut marks: Vec<Option<V::Mark>> = Vec::new();
        let mut at = DOCUMENT;
        loop {
            let node = &nodes[at as usize];
            let mark = match &node.content {
                Content::Nothing => None,
                Content::Text(text) => {
                    visitor.text(text);
                    None
                }
                Content::Element(tag, pairs) => Some(visitor.open(*tag, pairs)),
            };
            if let Some(first) = node.first {
                marks.push(mark);
                at = first;
                continue;
            }
            if let Some(mark) = mark {
                visitor.close(mark);
            }
            // The next node is the sibling of this one, or of its nearest ancestor that has one.
            let mut from = node;
            loop {
                if let Some(next) = from.next {
                    at = next;
                    break;
                }
                let (Some(parent), Some(mark)) = (from.parent, marks.pop()) else { return };
                if let Some(mark) = mark {
                    visitor.close(mark);
                }
                from = &nodes[parent as usize];
            }
        }
    }

    fn spend(&self, steps: u64) {
        self.effort.set(self.effort.get() + steps);
    }

    fn is_too_much(&self) -> bool {
        self.effort.get() > self.most
    }

    fn add(&self, content: Content) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node { content, ..Node::default() });
        nodes.len() as u32 - 1
    }

    fn nothing(&self) -> Handle {
        self.spend(10);
        let name = QualName::new(None, ns!(), local_name!(""));
        Handle { node: self.add(Content::Nothing), name, holds_html: false }
    }

    /// Appends a node or text to `parent`, or inserts it before `sibling`.
    fn insert(&self, parent: u32, sibling: Option<u32>, child: NodeOrText<Handle>) {
        self.spend(2);
        let nodes = &mut *self.nodes.borrow_mut();
        let before = match sibling {
            Some(sibling) => nodes[sibling as usize].previous,
            None => nodes[parent as usize].last,
        };
        let child = match child {
            NodeOrText::AppendNode(handle) => handle.node,
            NodeOrText::AppendText(text) => {
                self.spend(10);
                if let Some(Content::Text(said)) = before.map(|before| &mut nodes[before as usize].content) {
                    said.push_tendril(&text);
                    return;
                }
                nodes.push(Node { content: Content::Text(text), ..Node::default() });
                nodes.len() as u32 - 1
            }
        };
        let node = &mut nodes[child as usize];
        (node.parent, node.previous, node.next) = (Some(parent), before, sibling);
        match before {
            Some(before) => nodes[before as usize].next = Some(child),
            None => nodes[parent as usize].first = Some(child),
        }
        match sibling {
            Some(sibling) => nodes[sibling as usize].previous = Some(child),
            None => nodes[parent as usize].last = Some(child),
        }
    }

    fn detach(&self, child: u32) {
        self.spend(2);
        let nodes = &mut *self.nodes.borrow_mut();
        let node = &mut nodes[child as usize];
        let (parent, previous, next) = (node.parent.take(), node.previous.take(), node.next.take());
        let Some(parent) = parent else { return };
        match previous {
            Some(previous) => nodes[previous as usize].next = next,
            None => nodes[parent as usize].first = next,
        }
        match next {
            Some(next) => nodes[next as usize].previous = previous,
            None => nodes[parent as usize].last = previous,
        }
    }
}

/// How many letters follow an `&`: html5ever looks up the names of characters letter by letter.
fn letters_of_references(html: &str) -> u64 {
    let bytes = html.as_bytes();
    let letters = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    memchr::memchr_iter(b'&', bytes).map(|at| letters(at + 1) as u64).sum()
}

/// Sees the nodes of a tree in document order.
pub(crate) trait Visitor<'t> {
    /// Returned by `open`, and passed to `close` when the element ends.
    type Mark;

    fn open(&mut self, tag: Tag, pairs: &'t [Pair]) -> Self::Mark;

    fn text(&mut self, text: &'t StrTendril);

    fn close(&mut self, mark: Self::Mark);
}

impl<'t> Visitor<'t> for Writer<'_> {
    type Mark = Mark;

    fn open(&mut self, tag: Tag, pairs: &'t [Pair]) -> Mark {
        self.open(tag, &attributes(tag, pairs))
    }

    fn text(&mut self, text: &'t StrTendril) {
        self.text(text);
    }

    fn close(&mut self, mark: Mark) {
        self.close(mark);
    }
}

/// The attributes that matter; html5ever has decoded entities and removed duplicates.
pub(crate) fn attributes(tag: Tag, pairs: &[Pair]) -> Attributes<'_> {
    let mut attributes = Attributes::default();
    for pair in pairs {
        if let Some(wanted) = Attribute::of(tag, pair.name.local.as_bytes()) {
            attributes.add(wanted, Cow::Borrowed(&*pair.value));
        }
    }
    attributes
}

impl ElemName for &Handle {
    fn ns(&self) -> &Namespace {
        &self.name.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.name.local
    }
}

impl TreeSink for Tree {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = &'a Handle;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { node: DOCUMENT, name: QualName::new(None, ns!(), local_name!("")), holds_html: false }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> &'a Handle {
        self.spend(1);
        target
    }

    fn create_element(&self, name: QualName, pairs: Vec<Pair>, flags: ElementFlags) -> Handle {
        self.spend(16 + 4 * pairs.len() as u64);
        if !self.is_too_much() {
            let bytes: usize = pairs.iter().map(|pair| pair.value.len()).sum();
            self.spend(bytes as u64 / BYTES_A_STEP);
        }
        // Formatting elements are recreated in every paragraph in which they are still open, with all their attributes:
        // possibly hundreds of times within one stretch.
        let pairs = if self.is_too_much() { Vec::new() } else { pairs };
        // Elements of SVG and MathML are not HTML, whatever their name.
        let tag = if name.ns == ns!(html) { Tag::named(name.local.as_bytes()) } else { Tag::Svg };
        let holds_html = flags.mathml_annotation_xml_integration_point;
        Handle { node: self.add(Content::Element(tag, pairs)), name, holds_html }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.nothing()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.nothing()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.node, None, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        let has_parent = self.nodes.borrow()[element.node as usize].parent.is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// The content of a template is not on the page; it is kept separately and never written.
    fn get_template_contents(&self, _: &Handle) -> Handle {
        self.nothing()
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        self.spend(1);
        one.node == other.node
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(handle) = &new {
            self.detach(handle.node);
        }
        let parent = self.nodes.borrow()[sibling.node as usize].parent;
        if let Some(parent) = parent {
            self.insert(parent, Some(sibling.node), new);
        }
    }

    fn add_attrs_if_missing(&self, _: &Handle, _: Vec<Pair>) {}

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.node);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        loop {
            let first = self.nodes.borrow()[node.node as usize].first;
            let Some(first) = first else { return };
            self.detach(first);
            let name = QualName::new(None, ns!(), local_name!(""));
            let child = Handle { node: first, name, holds_html: false };
            self.insert(new_parent.node, None, NodeOrText::AppendNode(child));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        handle.holds_html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_characters_are_an_effort() {
        let check = |html: &str, expected: u64| assert_eq!(letters_of_references(html), expected, "{html}");
        check("&amp;&nbsp;", 7);
        check("&nonsense and &", 8);
        check("&#12345;&#x1f600;", 0);
        check("no reference", 0);
        let effort = |html: &str| Tree::read(&html.repeat(100), u64::MAX).0.effort();
        // Of a reference that two stretches share, only the first part counts.
        assert!(effort("&CounterClockwiseContourIntegral;") > effort("&#8755;") + 90 * 31 * STEPS_A_LETTER);
    }
}
