//! The content of a log line. Fields quote untrusted text (titles, URLs, reasons): each is cut, and characters that
//! could start another line, move a terminal's cursor or change the text direction are escaped. So an event is one line
//! of bounded length, and text from outside cannot forge another line.

use std::fmt::{self, Debug, Write as _};

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// Longer fields are cut.
const FIELD_CHARS: usize = 1000;
/// Longer lines have their fields cut.
const LINE_BYTES: usize = 8 << 10;

/// Fields of a text line.
pub(super) struct BoundedText;

impl<'w> FormatFields<'w> for BoundedText {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut text = Text { writer, empty: true, result: Ok(()) };
        fields.record(&mut text);
        text.result
    }
}

struct Text<'w> {
    writer: Writer<'w>,
    empty: bool,
    result: fmt::Result,
}

impl Visit for Text<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            self.record_debug(field, &format_args!("{value}"));
        } else {
            self.record_debug(field, &value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Events from the `log` crate have their origin in fields that the line already shows.
        if self.result.is_ok() && !field.name().starts_with("log.") {
            self.result = self.show(field.name(), value);
        }
    }
}

impl Text<'_> {
    fn show(&mut self, name: &str, value: &dyn Debug) -> fmt::Result {
        if !std::mem::take(&mut self.empty) {
            self.writer.write_char(' ')?;
        }
        match (name, self.writer.has_ansi_escapes()) {
            ("message", _) => {}
            (name, true) => write!(self.writer, "\x1b[3m{name}\x1b[0m\x1b[2m=\x1b[0m")?,
            (name, false) => write!(self.writer, "{name}=")?,
        }
        write!(Bounded { writer: &mut self.writer, left: FIELD_CHARS }, "{value:?}")
    }
}

/// Passes on at most `left` characters, escaped if harmful.
struct Bounded<'a, 'w> {
    writer: &'a mut Writer<'w>,
    left: usize,
}

impl fmt::Write for Bounded<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            match self.left {
                0 => return Ok(()),
                1 => self.writer.write_char('…')?,
                _ if is_harmful(letter) => write!(self.writer, "{}", letter.escape_default())?,
                _ => self.writer.write_char(letter)?,
            }
            self.left -= 1;
        }
        Ok(())
    }
}

/// Control characters, line separators, and bidirectional overrides.
fn is_harmful(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A line of JSON, with the same limits.
pub(super) struct BoundedJson<F>(pub(super) F);

impl<S, N, F> FormatEvent<S, N> for BoundedJson<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = String::new();
        self.0.format_event(context, Writer::new(&mut line), event)?;
        writer.write_str(&bounded(line))
    }
}

fn bounded(mut line: String) -> String {
    if line.len() > LINE_BYTES
        && let Ok(mut value) = serde_json::from_str(&line)
    {
        shorten(&mut value);
        line = format!("{value}\n");
    }
    let body = line.trim_end_matches('\n');
    if !body.contains(is_harmful) {
        return line;
    }
    let mut safe = String::with_capacity(line.len() + 16);
    for letter in body.chars() {
        if is_harmful(letter) {
            // These can only be inside a JSON string; all of them have four digits.
            let _ = write!(safe, "\\u{:04x}", letter as u32);
        } else {
            safe.push(letter);
        }
    }
    safe.push('\n');
    safe
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(FIELD_CHARS) {
                text.truncate(end);
                text.push('…');
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::Layer as _;
    use tracing_subscriber::layer::SubscriberExt as _;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The line of one event that quotes untrusted text.
    fn written(json: bool, quoted: &str) -> String {
        let written = Written::default();
        let to = written.clone();
        let layer = crate::log::lines(move || to.clone(), json, false, crate::clock::system());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer.boxed()), || {
            tracing::warn!(shown = %quoted, debugged = quoted, "a title: {quoted}");
        });
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn untrusted_text_forges_no_line_and_moves_no_cursor() {
        for json in [false, true] {
            let line = written(json, "one\nERROR two\r\u{1b}[2J\u{9b}3\u{2028}\u{202e}four\u{7f}");
            assert_eq!(line.matches('\n').count(), 1, "{line:?}");
            assert!(line.ends_with('\n') && !line.trim_end_matches('\n').contains(is_harmful), "{line:?}");
            assert!(line.contains("one\\nERROR two\\r"), "{line:?}");
            if json {
                let read: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(read["debugged"], "one\nERROR two\r\u{1b}[2J\u{9b}3\u{2028}\u{202e}four\u{7f}");
            }
        }
    }

    #[test]
    fn a_line_has_a_bounded_length() {
        for json in [false, true] {
            let line = written(json, &"ä\u{202e}".repeat(1_000_000));
            assert!(line.len() < 3 * 6 * FIELD_CHARS && line.contains('…'), "{}", line.len());
            assert_eq!(line.matches('\n').count(), 1);
            assert!(!json || serde_json::from_str::<Value>(&line).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_is_harmless_stays_as_it_is() {
        assert!(written(false, "Grüße").ends_with("a title: Grüße shown=Grüße debugged=\"Grüße\"\n"));
    }
}
