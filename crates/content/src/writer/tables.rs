//! Tables: rows in bodies, cells in rows, and nothing else between them; what is missing is added.

use super::{Mark, Open, Writer};
use crate::attributes::{Attribute, Attributes, number};
use crate::lines::Gap;
use crate::tags::{Kind, Tag};

impl Writer<'_> {
    pub(super) fn table(&mut self) -> Mark {
        // Needs room for table, body, row and cell; otherwise there would be text between cells.
        if !self.has_room(if self.is_between_cells() { 8 } else { 4 }) {
            self.separate();
            return Mark::Break;
        }
        self.make_cell();
        self.end_paragraph();
        self.fresh = false;
        self.text.part(Gap::Line);
        self.push(Tag::Table, false)
    }

    /// Writes rows and cells in valid positions; elsewhere they are not rows and cells.
    pub(super) fn part_of_table(&mut self, tag: Tag, attributes: &Attributes<'_>) -> Mark {
        let level = |tag: Tag| match tag.kind() {
            Kind::Rows => 1,
            Kind::Row => 2,
            Kind::Cell => 3,
            _ => 0,
        };
        let table = self.open.iter().rposition(|open| open.tag == Tag::Table);
        let inside = table.map(|table| &self.open[table + 1..]).unwrap_or_default();
        let misplaced = |open: &Open| !open.implied && level(open.tag) >= level(tag);
        let Some(table) = table.filter(|_| !inside.iter().any(misplaced)) else {
            self.separate();
            return Mark::Break;
        };
        let above = inside.iter().take_while(|open| (1..level(tag)).contains(&level(open.tag))).count();
        self.pop_to(table + 1 + above);
        let levels = [Tag::Tbody, Tag::Tr];
        for missing in &levels[above.min(2)..level(tag) - 1] {
            self.push(*missing, true);
        }
        self.fresh = false;
        self.text.part(if level(tag) == 3 { Gap::Space } else { Gap::Line });
        if level(tag) < 3 {
            return self.push(if tag == Tag::Tfoot { Tag::Tbody } else { tag }, false);
        }
        let start = self.html.len();
        self.html.push('<');
        self.html.push_str(tag.name());
        for (attribute, name) in [(Attribute::Colspan, " colspan=\""), (Attribute::Rowspan, " rowspan=\"")] {
            // As many as a readable table has; a browser would lay out thousands.
            if let Some(span) = attributes.get(attribute).and_then(number).filter(|span| (2..=100).contains(span)) {
                self.html.push_str(name);
                self.html.push_str(&span.to_string());
                self.html.push('"');
            }
        }
        self.html.push('>');
        self.opened(tag, false, start)
    }

    pub(super) fn is_between_cells(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.tag.kind(), Kind::Table | Kind::Rows | Kind::Row))
    }

    pub(super) fn make_cell(&mut self) {
        while self.is_between_cells() {
            let next = match self.open.last().map(|open| open.tag.kind()) {
                Some(Kind::Table) => Tag::Tbody,
                Some(Kind::Rows) => Tag::Tr,
                _ => Tag::Td,
            };
            self.fresh = false;
            self.text.part(if next == Tag::Td { Gap::Space } else { Gap::Line });
            if self.push(next, true) == Mark::Nothing {
                return;
            }
        }
    }
}
