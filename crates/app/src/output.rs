//! What a command prints, on standard output; logs and errors go to standard error and are not here. The only file that
//! writes to standard output. A closed reader (`courant … | head -1`) is not a failure: it is returned as `Closed`, on
//! which `report.rs` ends the program quietly.

use std::fmt::Display;
use std::io::{self, Write};

use serde_json::Value;

/// The output of a command, and whether the user asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// For a person.
    Text,
    /// For a program.
    Json(Layout),
}

/// How JSON is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `--json`: one indented document.
    Document,
    /// `--ndjson`: one line for each row of a list, or one line.
    Lines,
}

/// The reader of our standard output has closed it.
#[derive(Debug, thiserror::Error)]
#[error("standard output was closed")]
pub struct Closed;

impl Output {
    /// Whether the output is JSON.
    pub fn is_json(self) -> bool {
        self != Self::Text
    }

    /// Prints one line, or a text that already has its line breaks.
    pub fn print(self, text: impl Display) -> anyhow::Result<()> {
        let mut text = text.to_string();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        // One write and one flush: a partial output must not look complete.
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Closed.into()),
            Err(error) => Err(anyhow::Error::new(error).context("cannot write to standard output")),
            Ok(()) => Ok(()),
        }
    }

    /// Prints a JSON value: indented, because people read it too, or as lines.
    pub fn json(self, value: &Value) -> anyhow::Result<()> {
        match (self, value) {
            (Self::Json(Layout::Lines), Value::Array(rows)) => {
                let lines: Vec<String> = rows.iter().map(ToString::to_string).collect();
                if lines.is_empty() { Ok(()) } else { self.print(lines.join("\n")) }
            }
            (Self::Json(Layout::Lines), value) => self.print(value),
            (_, value) => self.print(format_args!("{value:#}")),
        }
    }
}
