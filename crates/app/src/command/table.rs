//! How lists look in a terminal. Text of strangers loses its control characters: a title must not move the cursor.

use comfy_table::{ContentArrangement, Table, presets};
use jiff::Timestamp;

/// A table that fits the terminal.
pub(super) fn render(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header);
    table.add_rows(rows.map(|row| row.iter().map(|cell| printable(cell)).collect::<Vec<_>>()));
    table.trim_fmt()
}

/// A moment as people write it, in UTC.
pub(super) fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// At most so many characters of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Without control characters.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_cannot_move_the_cursor() {
        let shown = render(&["title"], [vec!["calm\u{1b}[2J\r\n".to_owned()]].into_iter());
        assert!(shown.contains("calm[2J") && !shown.contains('\u{1b}'), "{shown:?}");
    }
}
