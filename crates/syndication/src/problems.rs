//! The problems of a document, with line and column.
//!
//! Everything that was repaired is listed here; how serious a problem is, is not decided here. Lines and columns refer
//! to the UTF-8 form of the document.

use model::reading::Problem;

/// Longer messages are cut.
const MAX_MESSAGE: usize = 200;

/// Collects problems in document order.
///
/// Lines are counted from the last problem on, so that all of them together cost one pass.
#[derive(Debug)]
pub(crate) struct Problems<'a> {
    text: &'a str,
    list: Vec<Problem>,
    limit: usize,
    more: usize,
    counted: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Problems<'a> {
    pub(crate) fn new(text: &'a str, limit: usize) -> Self {
        Problems { text, list: Vec::new(), limit, more: 0, counted: 0, line: 1, line_start: 0 }
    }

    /// A problem of the document as a whole.
    pub(crate) fn whole(&mut self, message: impl Into<String>) {
        self.list.push(Problem { message: message.into(), line: None, column: None });
    }

    /// A problem at a byte offset.
    pub(crate) fn at(&mut self, offset: usize, message: impl FnOnce() -> String) {
        if self.list.len() >= self.limit {
            self.more += 1;
            return;
        }
        let offset = offset.min(self.text.len());
        if offset < self.counted {
            (self.counted, self.line, self.line_start) = (0, 1, 0);
        }
        for newline in memchr::memchr_iter(b'\n', &self.text.as_bytes()[self.counted..offset]) {
            self.line += 1;
            self.line_start = self.counted + newline + 1;
        }
        self.counted = offset;
        // Columns are for people; on a line of a megabyte they are useless.
        let on_line = &self.text.as_bytes()[self.line_start..offset];
        let column =
            if on_line.len() > 10_000 { on_line.len() } else { String::from_utf8_lossy(on_line).chars().count() };
        // Messages contain names of tags, which may be a megabyte long.
        let message = message().chars().take(MAX_MESSAGE).collect();
        self.list.push(Problem { message, line: Some(self.line), column: Some(column as u32 + 1) });
    }

    pub(crate) fn finish(mut self) -> Vec<Problem> {
        if self.more > 0 {
            let message = format!("and {} more like these", self.more);
            self.list.push(Problem { message, line: None, column: None });
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_overflow() {
        let mut problems = Problems::new("one\nzwö x\nthree", 3);
        problems.at(9, || "second line".into());
        problems.at(11, || "third line".into());
        problems.at(0, || "back".into());
        problems.at(1, || "too many".into());
        let places: Vec<_> = problems.finish().into_iter().map(|p| (p.line, p.column)).collect();
        assert_eq!(places, [(Some(2), Some(5)), (Some(3), Some(1)), (Some(1), Some(1)), (None, None)]);
    }
}
