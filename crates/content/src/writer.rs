//! Elements and text in, sanitised HTML and plain text out: the only place that writes markup. Tables are in `tables`,
//! pictures and embedded content in `pictures`; escaping is in `escape`.
//!
//! Safety rests on these files alone: every `<` they write begins one of the listed tags, every attribute is one of
//! eight with an escaped value, every URL was checked. No parser of HTML can find anything else in it, whatever the
//! context.
//!
//! Invariant: the output is a fixed point. Its nesting never triggers HTML's rules for misplaced tags (no block in a
//! paragraph, no inline element in itself, cells in rows in bodies in tables, nothing else between), so parsing it
//! gives the same elements, and writing those gives the same bytes.

mod pictures;
mod tables;

use crate::attributes::{Attribute, Attributes};
use crate::characters::is_dropped;
use crate::escape::{self, is_blank};
use crate::lazy_images::LazyImages;
use crate::limits::{Cuts, Limits};
use crate::lines::{Gap, Lines};
use crate::tags::{Kind, Tag};
use crate::urls::Base;

/// Writes what a parser of HTML finds, as far as it is allowed.
pub(crate) struct Writer<'a> {
    base: Base<'a>,
    limits: &'a Limits,
    html: String,
    text: Lines,
    open: Vec<Open>,
    /// The total length of the end tags of all open elements.
    closing: usize,
    last_id: u32,
    /// The separator between the last cell that began and the text before it.
    cell_gap: Gap,
    /// Which inline elements are open, and whether a heading is: each at most once, one bit each.
    held: u16,
    /// How many `pre` are open.
    preformatted: usize,
    /// An unlisted block began or ended here: what follows is a paragraph of its own.
    fresh: bool,
    /// Inside an element that is removed with its content.
    muted: bool,
    /// The output limit is reached.
    full: bool,
    /// Where the link of an embedded object ended: its alternatives are not linked again.
    embedded_at: usize,
    /// Where the last image begins.
    image_at: usize,
    lazy: LazyImages,
    cuts: Cuts,
}

/// Returned by `open`, and passed to `close` when the element ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Its tags were not written.
    Nothing,
    /// Its tags were not written, and it separates.
    Break,
    /// It was removed with its content.
    Muted,
    /// Its tags were not written; it matters for images.
    Around(Tag),
    /// It was written; it may have ended since.
    Written(u32),
}

/// An element whose start tag was written.
#[derive(Debug, Clone, Copy)]
struct Open {
    id: u32,
    tag: Tag,
    /// It was added by the writer for the sake of its content.
    implied: bool,
    start: usize,
    inside: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(base: Option<&'a str>, limits: &'a Limits, bytes: usize) -> Self {
        Self {
            base: Base::new(base),
            limits,
            html: String::with_capacity(bytes + bytes / 8),
            text: Lines::with_capacity(bytes),
            open: Vec::with_capacity(16),
            closing: 0,
            last_id: 0,
            cell_gap: Gap::Nothing,
            held: 0,
            preformatted: 0,
            fresh: false,
            muted: false,
            full: false,
            embedded_at: usize::MAX,
            image_at: usize::MAX,
            lazy: LazyImages::default(),
            cuts: Cuts::default(),
        }
    }

    /// HTML, text, and what did not fit.
    pub(crate) fn finish(mut self) -> (String, String, Cuts) {
        while !self.open.is_empty() {
            self.pop();
        }
        (self.html, self.text.finish(), self.cuts)
    }

    /// An element begins.
    pub(crate) fn open(&mut self, tag: Tag, attributes: &Attributes<'_>) -> Mark {
        if self.muted || self.full {
            return Mark::Nothing;
        }
        let kind = tag.kind();
        if kind == Kind::Gone || attributes.hides() {
            self.muted = !tag.is_void();
            return if self.muted { Mark::Muted } else { Mark::Nothing };
        }
        if self.lazy.open(tag, attributes) {
            return Mark::Around(tag);
        }
        match kind {
            Kind::Block | Kind::Heading | Kind::Item => self.block(tag),
            Kind::Run => self.run(tag, attributes),
            Kind::Table => self.table(),
            Kind::Rows | Kind::Row | Kind::Cell => self.part_of_table(tag, attributes),
            Kind::Line => self.line(),
            Kind::Image => self.image(attributes),
            Kind::Embedded => self.embedded(tag, attributes),
            Kind::Break => {
                self.separate();
                Mark::Break
            }
            Kind::Through | Kind::Nothing | Kind::Gone => Mark::Nothing,
        }
    }

    /// An element ends.
    pub(crate) fn close(&mut self, mark: Mark) {
        match mark {
            Mark::Nothing => {}
            Mark::Muted => self.muted = false,
            Mark::Around(tag) => self.lazy.close(tag),
            Mark::Break if self.muted || self.full => {}
            Mark::Break => self.separate(),
            Mark::Written(id) => {
                if let Some(at) = self.open.iter().rposition(|open| open.id == id) {
                    self.pop_to(at);
                }
            }
        }
    }

    /// Text, decoded; may come in any number of pieces.
    pub(crate) fn text(&mut self, text: &str) {
        if self.muted || self.full {
            return;
        }
        let mut text = text;
        self.lazy.text(text);
        if self.fresh || self.is_between_cells() {
            // White space at the edge of a block is dropped, except in preformatted text.
            if self.preformatted == 0 || self.is_between_cells() {
                text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || is_dropped(c));
            }
            if text.is_empty() {
                return self.text.part(Gap::Space);
            }
            self.make_room();
            if self.full {
                return;
            }
        }
        let start = self.html.len();
        // The maximum growth by escaping.
        if start + self.closing + text.len() * 6 > self.limits.bytes {
            text = self.fitting(text);
        }
        let newline = if self.preformatted > 0 { Gap::Line } else { Gap::Space };
        escape::text(text, newline, &mut self.html, &mut self.text);
        self.begin_preformatted(start);
    }

    fn block(&mut self, tag: Tag) -> Mark {
        self.make_cell();
        if tag.kind() == Kind::Heading && self.held & bit(tag) != 0 || !self.has_room(1) {
            self.separate();
            return Mark::Break;
        }
        self.end_paragraph();
        if tag == Tag::Li {
            self.end_item();
        }
        self.fresh = false;
        self.text.part(Gap::Line);
        self.push(tag, false)
    }

    fn run(&mut self, tag: Tag, attributes: &Attributes<'_>) -> Mark {
        if self.held & bit(tag) != 0 {
            return Mark::Nothing;
        }
        let href = attributes.get(Attribute::Href).and_then(|href| self.base.web_url(href));
        if tag == Tag::A && href.is_none() {
            return Mark::Nothing;
        }
        self.make_room();
        if !self.has_room(1) {
            return Mark::Nothing;
        }
        match href {
            Some(href) => self.link(&href, attributes.get(Attribute::Title)),
            None => self.push(tag, false),
        }
    }

    fn link(&mut self, href: &str, title: Option<&str>) -> Mark {
        let start = self.html.len();
        self.html.push_str("<a");
        self.attribute(" href=\"", Some(href));
        self.attribute(" title=\"", title);
        self.html.push_str(" rel=\"noopener noreferrer\" target=\"_blank\">");
        self.opened(Tag::A, false, start)
    }

    fn line(&mut self) -> Mark {
        // There are no line breaks between cells; after a block there is one already.
        if !self.is_between_cells() {
            self.text.part(Gap::Line);
            if !self.fresh {
                self.void("<br>");
            }
        }
        Mark::Nothing
    }

    /// An unlisted block begins or ends.
    fn separate(&mut self) {
        // Cells are separate already.
        if self.is_between_cells() {
            return;
        }
        self.end_paragraph();
        self.fresh = true;
        self.text.part(Gap::Line);
    }

    /// Prepares for visible content: adds the cell, paragraph or line break it needs.
    fn make_room(&mut self) {
        self.make_cell();
        if !self.fresh {
            return;
        }
        self.fresh = false;
        let holder = self.open.iter().rposition(|open| open.tag.kind() != Kind::Run);
        let is_line_only = holder
            .map(|at| self.open[at].tag)
            .is_some_and(|tag| matches!(tag.kind(), Kind::Heading) || matches!(tag, Tag::Pre | Tag::P));
        if !is_line_only && self.has_room(1) {
            self.push(Tag::P, true);
        } else if self.has_content(holder) {
            self.void("<br>");
        } else if holder.is_some_and(|at| self.open[at].tag.kind() == Kind::Cell) {
            // Nothing was written that would separate it from the cell before.
            self.text.set(self.cell_gap);
        }
    }

    /// Whether anything but start tags was written since the element at `holder` began, or since the beginning.
    fn has_content(&self, holder: Option<usize>) -> bool {
        let mut at = self.html.len();
        for open in self.open[holder.unwrap_or(0)..].iter().rev() {
            if open.inside != at {
                return true;
            }
            at = open.start;
        }
        holder.is_none() && at > 0
    }

    /// Ends the open paragraph, if any; inline elements inside continue after it.
    fn end_paragraph(&mut self) {
        let runs = self.open.iter().rev().take_while(|open| open.tag.kind() == Kind::Run).count();
        let Some(at) = (self.open.len() - runs).checked_sub(1).filter(|at| self.open[*at].tag == Tag::P) else {
            return;
        };
        let again: Vec<(Open, String)> =
            self.open[at + 1..].iter().map(|open| (*open, self.html[open.start..open.inside].to_owned())).collect();
        self.pop_to(at);
        for (open, tag) in again {
            let start = self.html.len();
            self.html.push_str(&tag);
            if self.opened(open.tag, open.implied, start) != Mark::Nothing {
                // The same element for the caller that holds its mark.
                self.open.iter_mut().last().expect("it was opened").id = open.id;
            }
        }
    }

    /// An item ends the item before it, unless a list or another block is between them.
    fn end_item(&mut self) {
        let nearest = self.open.iter().rposition(|open| open.tag.kind() != Kind::Run);
        if let Some(at) = nearest.filter(|at| self.open[*at].tag == Tag::Li) {
            self.pop_to(at);
        }
    }

    fn has_room(&mut self, elements: usize) -> bool {
        let has = self.open.len() + elements <= self.limits.depth;
        self.cuts.depth |= !has;
        has
    }

    fn push(&mut self, tag: Tag, implied: bool) -> Mark {
        let start = self.html.len();
        self.html.push('<');
        self.html.push_str(tag.name());
        self.html.push('>');
        self.opened(tag, implied, start)
    }

    fn opened(&mut self, tag: Tag, implied: bool, start: usize) -> Mark {
        if !self.keep_or_drop_with(start, end_tag_length(tag)) {
            return Mark::Nothing;
        }
        self.last_id += 1;
        self.closing += end_tag_length(tag);
        if tag.kind() == Kind::Cell {
            self.cell_gap = self.text.gap();
        }
        self.held |= bit(tag);
        self.preformatted += usize::from(tag == Tag::Pre);
        self.open.push(Open { id: self.last_id, tag, implied, start, inside: self.html.len() });
        Mark::Written(self.last_id)
    }

    fn void(&mut self, tag: &str) {
        let start = self.html.len();
        self.html.push_str(tag);
        self.keep_or_drop(start);
    }

    fn keep_or_drop(&mut self, start: usize) {
        self.keep_or_drop_with(start, 0);
    }

    /// Removes what was written since `start` if it and `more` do not fit; then nothing else is written.
    fn keep_or_drop_with(&mut self, start: usize, more: usize) -> bool {
        if !self.full && self.html.len() + self.closing + more > self.limits.bytes {
            self.full = true;
            self.cuts.size = true;
        }
        if self.full {
            self.html.truncate(start);
        }
        !self.full
    }

    /// The part of a text that fits; if that is not all of it, nothing more is written.
    fn fitting<'t>(&mut self, text: &'t str) -> &'t str {
        // One byte for the line break that `pre` needs if it begins with one.
        let begins = self.open.last().is_some_and(|open| open.tag == Tag::Pre && open.inside == self.html.len());
        let first = text.chars().find(|c| *c == '\x0c' || !is_dropped(*c));
        let line_end = usize::from(begins && first == Some('\n'));
        let mut room = self.limits.bytes.saturating_sub(self.html.len() + self.closing + line_end);
        for (at, character) in text.char_indices() {
            let length = escape::length(character);
            if length > room {
                self.full = true;
                self.cuts.size = true;
                return &text[..at];
            }
            room -= length;
        }
        text
    }

    fn pop_to(&mut self, at: usize) {
        while self.open.len() > at {
            self.pop();
        }
    }

    /// Writes an end tag, or removes the start tag if the element is empty.
    fn pop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.closing -= end_tag_length(open.tag);
        self.held &= !bit(open.tag);
        self.preformatted -= usize::from(open.tag == Tag::Pre);
        let kind = open.tag.kind();
        let is_block = matches!(kind, Kind::Block | Kind::Heading | Kind::Item);
        let inside = &self.html[open.inside..];
        let is_empty = match kind {
            Kind::Cell => inside.is_empty() && open.implied,
            _ if is_block && open.tag != Tag::Pre => is_blank(inside),
            _ => inside.is_empty(),
        };
        if is_empty {
            self.html.truncate(open.start);
            // It still separates what comes before and after it.
            self.fresh |= is_block || kind == Kind::Table;
        } else {
            self.html.push_str("</");
            self.html.push_str(open.tag.name());
            self.html.push('>');
            // A break inside an inline element still holds after it.
            self.fresh &= kind == Kind::Run;
        }
        match kind {
            Kind::Block | Kind::Heading | Kind::Item | Kind::Table | Kind::Rows | Kind::Row => {
                self.text.part(Gap::Line);
            }
            // Whatever the cell ended with.
            Kind::Cell => self.text.set(Gap::Space),
            _ => {}
        }
    }

    /// Parsers drop one line break directly after `<pre>`; a text that begins with one needs two.
    fn begin_preformatted(&mut self, start: usize) {
        let begins = self.open.last().is_some_and(|open| open.tag == Tag::Pre && open.inside == start);
        if begins && self.html.as_bytes().get(start) == Some(&b'\n') {
            self.html.insert(start, '\n');
        }
    }

    /// Writes ` name="` with its value, unless the cleaned value is empty.
    fn attribute(&mut self, name: &str, value: Option<&str>) {
        let start = self.html.len();
        self.html.push_str(name);
        let empty = self.html.len();
        escape::value(value.unwrap_or_default(), &mut self.html);
        if self.html.len() == empty {
            self.html.truncate(start);
        } else {
            self.html.push('"');
        }
    }
}

/// The bit of a tag in the set of those that never nest in themselves.
fn bit(tag: Tag) -> u16 {
    match tag {
        Tag::A => 1,
        Tag::Strong => 2,
        Tag::Em => 4,
        Tag::B => 8,
        Tag::I => 16,
        Tag::U => 32,
        Tag::Code => 64,
        _ if tag.kind() == Kind::Heading => 128,
        _ => 0,
    }
}

fn end_tag_length(tag: Tag) -> usize {
    tag.name().len() + 3
}
