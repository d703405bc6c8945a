//! A reading for people: what `courant parse` prints without `--json`.
//!
//! Title, entries with their dates, the publisher's wishes, and the problems. Not meant for programs, and safe for a
//! terminal: control characters of a feed are removed.

use std::fmt::Write;

use model::reading::{Dated, ReadEntry, ReadFeed, Reading};

use crate::normalised;
use crate::text::is_honest;

/// The feed, its entries with dates, its wishes, and its problems.
pub fn render(reading: &Reading) -> String {
    let mut out = String::new();
    let title = reading.feed.about.title.as_ref().map_or("(no title)", |title| title.value.as_str());
    let _ = writeln!(out, "{}", one_line(title));
    let _ = writeln!(
        out,
        "  {}, {}, {} entries",
        normalised::version(reading.format),
        reading.encoding,
        reading.entries.len()
    );
    if let Some(link) = &reading.feed.about.link {
        let _ = writeln!(out, "  {}", one_line(link));
    }
    for wish in wishes(&reading.feed) {
        let _ = writeln!(out, "  {wish}");
    }
    out.push('\n');
    for entry in normalised::entries(reading) {
        let _ = writeln!(out, "{}  {}", date_of(entry), one_line(title_of(entry)));
        if let Some(link) = &entry.about.link {
            let _ = writeln!(out, "                  {}", one_line(link));
        }
    }
    if !reading.problems.is_empty() {
        let _ = writeln!(out, "\nwhat is wrong with it:");
        for problem in &reading.problems {
            let _ = writeln!(out, "  {}", one_line(&normalised::warning(problem)));
        }
    }
    out
}

fn title_of(entry: &ReadEntry) -> &str {
    match (&entry.about.title, &entry.about.id) {
        (Some(title), _) => &title.value,
        (None, Some(id)) => id,
        (None, None) => "(no title)",
    }
}

/// `2026-01-31 23:59`, or a blank of the same width.
fn date_of(entry: &ReadEntry) -> String {
    let dated: Option<&Dated> = entry.about.published.as_ref().or(entry.about.updated.as_ref());
    match dated.and_then(|dated| dated.at) {
        Some(at) => at.to_string().chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect(),
        None => "(no date)       ".to_owned(),
    }
}

/// The publisher's wishes about visits.
fn wishes(feed: &ReadFeed) -> Vec<String> {
    let hints = &feed.hints;
    let mut wishes = Vec::new();
    if let Some(minutes) = hints.ttl_minutes {
        wishes.push(format!("wants to be visited every {minutes} minutes"));
    }
    if !hints.skip_hours.is_empty() {
        let hours: Vec<_> = hints.skip_hours.iter().map(u8::to_string).collect();
        wishes.push(format!("not in the hours {} GMT", hours.join(", ")));
    }
    if !hints.skip_days.is_empty() {
        let days: Vec<_> = hints.skip_days.iter().map(|day| format!("{day:?}")).collect();
        wishes.push(format!("not on {}", days.join(", ")));
    }
    for hub in &hints.hubs {
        wishes.push(format!("announces changes at {}", one_line(hub)));
    }
    if let Some(address) = &hints.self_url {
        wishes.push(format!("calls itself {}", one_line(address)));
    }
    if let Some(address) = &feed.new_location {
        wishes.push(format!("has moved to {}", one_line(address)));
    }
    if let Some(address) = hints.prev_archive.as_ref().or(hints.next.as_ref()) {
        wishes.push(format!("goes on at {}", one_line(address)));
    }
    wishes
}

/// Feeds must not control the terminal: no line breaks, no control characters, no bidirectional overrides.
fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| is_honest(*c)).take(200).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Hints, Limits, read};

    #[test]
    fn shows_what_matters() {
        let feed = "<rss version='2.0'><channel><title>A\u{1b}[31m &amp; B</title><ttl>60</ttl><item><title>O\u{202e}ne</title>\n\
                    <pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate></item><item><guid>2</guid></item></rss>";
        let shown = super::render(&read(feed.as_bytes(), &Hints::default(), &Limits::default()).unwrap());
        let expected = "A[31m & B\n  rss20, utf-8, 2 entries\n  wants to be visited every 60 minutes\n\n\
                        2004-01-01 19:48  One\n(no date)         2\n\nwhat is wrong with it:\n  \
                        2:83: <channel> is not closed before </rss>\n  there are control characters in it, which were left out\n";
        assert_eq!(shown, expected);
    }
}
