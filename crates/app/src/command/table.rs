//! The layout of lists and times. In a terminal a table fits its width: the widest cells are cut, or the last column is
//! wrapped. In a pipe nothing is cut. Widths are terminal columns: Chinese takes two, an accent none.
//! Untrusted text loses its control characters: a title must not move the cursor.

use std::io::IsTerminal as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use terminal_size::terminal_size;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Between two columns.
const GAP: usize = 2;
/// The minimum width of a column.
const NARROWEST: usize = 8;

/// A table that fits the terminal, one line per row.
pub(super) fn render(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    arranged(header, rows, terminal_width())
}

/// A line that fits the terminal: the rest continues below, indented to column `indent`, where the text begins.
pub(super) fn paragraph(line: &str, indent: usize) -> String {
    hanging(&printable(line), indent, terminal_width())
}

fn hanging(line: &str, indent: usize, fits: Option<usize>) -> String {
    let Some(fits) = fits.filter(|fits| line.width() > *fits) else { return line.to_owned() };
    let at = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    let (label, text) = line.split_at(at(indent));
    // A line without a label keeps its indentation.
    let (label, text) =
        if label.ends_with(' ') { (label, text) } else { line.split_at(line.len() - line.trim_start().len()) };
    let lines = wrapped(text, fits.saturating_sub(indent).max(3 * NARROWEST));
    format!("{label}{}", lines.join(&format!("\n{}", " ".repeat(indent))))
}

/// `1 feed`, `2 feeds`.
pub(super) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Columns of the terminal, if standard output is one.
pub(super) fn terminal_width() -> Option<usize> {
    let width = || terminal_size().map(|(width, _)| usize::from(width.0)).filter(|width| *width > 0);
    std::io::stdout().is_terminal().then(width).flatten()
}

fn arranged(header: &[&str], rows: impl Iterator<Item = Vec<String>>, fits: Option<usize>) -> String {
    let header: Vec<String> = header.iter().map(|name| (*name).to_owned()).collect();
    let rows = rows.map(|row| row.iter().map(|cell| printable(cell)).collect::<Vec<_>>());
    let rows: Vec<Vec<String>> = [header].into_iter().chain(rows).collect();
    let columns = rows[0].len();
    let natural = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let natural: Vec<usize> = (0..columns).map(natural).collect();
    let widths = match fits {
        None => natural,
        Some(fits) => fitted(&natural, fits.saturating_sub(GAP * (columns - 1))),
    };
    let mut lines = Vec::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let cell = cut(cell, *width);
            let blank = width + GAP - cell.width().min(*width);
            line.push_str(&cell);
            line.push_str(&" ".repeat(blank));
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

/// The widths of columns: their natural width, limited for the widest ones.
fn fitted(natural: &[usize], room: usize) -> Vec<usize> {
    let sum = |most: usize| natural.iter().map(|width| *width.min(&most)).sum::<usize>();
    let widest = natural.iter().copied().max().unwrap_or(0);
    let most = (NARROWEST..=widest).rev().find(|most| sum(*most) <= room).unwrap_or(NARROWEST);
    let mut widths: Vec<usize> = natural.iter().map(|width| *width.min(&most)).collect();
    // The remainder of the division goes to the first column that can use it.
    let spare = room.saturating_sub(widths.iter().sum());
    if let Some(column) = (0..widths.len()).find(|column| widths[*column] < natural[*column]) {
        widths[column] = natural[column].min(widths[column] + spare);
    }
    widths
}

/// The part of a text that fits, with `…` for the rest.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut room = most.saturating_sub(1);
    for part in text.graphemes(true) {
        let width = part.width();
        if width > room {
            break;
        }
        room -= width;
        kept.push_str(part);
    }
    kept.push('…');
    kept
}

/// A text in lines of at most `most` columns. A longer word has a line of its own.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a line");
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= most {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// The local time zone; UTC if it is unknown, and in tests of this crate, which must not depend on the machine.
pub(super) fn zone() -> TimeZone {
    if cfg!(test) { TimeZone::UTC } else { TimeZone::try_system().unwrap_or(TimeZone::UTC) }
}

/// A local time with its zone: `2026-01-31 14:03 CET`.
pub(super) fn moment(at: Timestamp) -> String {
    at.to_zoned(zone()).strftime("%Y-%m-%d %H:%M %Z").to_string()
}

/// A time in a table, whose header names the zone.
pub(super) fn in_table(at: Timestamp) -> String {
    at.to_zoned(zone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// The header of a column of times: names the zone if it is the same for all, which only daylight saving prevents.
pub(super) fn header(name: &str, moments: impl Iterator<Item = Timestamp>) -> String {
    let zone = zone();
    let mut names = moments.map(|at| at.to_zoned(zone.clone()).strftime("%Z").to_string());
    match names.next() {
        None => name.to_owned(),
        Some(first) if names.all(|other| other == first) => format!("{name} ({first})"),
        Some(_) => format!("{name} (local)"),
    }
}

/// On one line, without characters that move the cursor or change the text direction.
pub(super) fn printable(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = text.trim_end_matches(['\r', '\n']).chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c });
    shown.filter(|c| !c.is_control() && !turns(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]], fits: Option<usize>) -> String {
        arranged(&["id", "title", "why"], rows.iter().map(|row| row.map(str::to_owned).to_vec()), fits)
    }

    #[test]
    fn a_title_cannot_move_the_cursor() {
        let shown = render(&["title"], [vec!["calm\u{1b}[2J\r\n\u{202e}x".to_owned()]].into_iter());
        assert!(shown.contains("calm[2J") && !shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }

    #[test]
    fn wide_characters_are_counted_as_a_terminal_shows_them() {
        let rows = [["1", "日本語", "x"], ["2", "cafe\u{301}", "x"], ["3", "👩‍💻 ok", "x"], ["4", "plain", "x"]];
        let shown = table(&rows, None);
        let before: Vec<usize> = shown.lines().skip(1).map(|line| line.trim_end_matches('x').width()).collect();
        assert_eq!(before, [12; 4], "{shown}");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    }

    #[test]
    fn a_table_fits_the_terminal_and_is_whole_in_a_pipe() {
        let long = "word ".repeat(40);
        let rows = [["1", long.as_str(), "short"], ["2", "b", long.as_str()]];
        for width in [40, 80, 200] {
            let shown = table(&rows, Some(width));
            assert!(shown.lines().all(|line| line.width() <= width), "{width}\n{shown}");
            assert_eq!(shown.lines().count(), 3, "one line for each row");
        }
        assert!(table(&rows, None).contains(long.trim_end()));
    }

    #[test]
    fn a_long_line_continues_below_its_text() {
        let line = "  state     one two three four five six seven";
        assert_eq!(hanging(line, 12, None), line);
        assert_eq!(hanging(line, 12, Some(36)), "  state     one two three four five\n            six seven");
        assert_eq!(hanging("  · one two three four five six", 4, Some(28)), "  · one two three four five\n    six");
        assert_eq!(hanging("one two three four five six seven", 4, Some(28)), "one two three four five six\n    seven");
    }
}
