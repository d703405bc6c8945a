//! Rule: no SQL reads a clock; `now` is a parameter.
//!
//! Tests set the time themselves, and several machines may share one database: the time that counts is the caller's.
//! Checks SQL files and strings in Rust, not comments.

use std::path::Path;

use super::Finding;
use super::rust_text::{RustText, has_word};
use super::tree::Tree;

/// In lower case. SQLite's `unixepoch` as a modifier would be harmless, but times are microseconds anyway.
const CLOCKS: &[&str] = &[
    "clock_timestamp",
    "current_date",
    "current_time",
    "current_timestamp",
    "julianday",
    "localtime",
    "localtimestamp",
    "statement_timestamp",
    "strftime",
    "timeofday",
    "transaction_timestamp",
    "unixepoch",
    "'now'",
    "now()",
];

/// The only file that may read the database's clock: to report its difference from ours. Nothing is decided by it.
const EXCEPTION: &str = "crates/store/src/db/postgres/server.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sql = tree.below("crates/store", "sql").map(|path| (path, without_comments(tree, path)));
    let strings = |path| RustText::new(&tree.text(path).unwrap_or_default()).strings;
    let rust = tree.below("crates/store", "rs").filter(|path| *path != Path::new(EXCEPTION));
    let rust = rust.map(|path| (path, strings(path)));
    for (path, text) in sql.chain(rust) {
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(clock) = clock_in(line) {
                let what = format!("`{clock}` in SQL reads the database's clock");
                findings.push(Finding::new(path, number, what, "pass the time as a parameter"));
            }
        }
    }
    findings
}

fn without_comments(tree: &Tree, path: &Path) -> String {
    let text = tree.text(path).unwrap_or_default();
    text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn clock_in(line: &str) -> Option<&'static str> {
    // `now ( )` is `now()`.
    let line = line.to_lowercase().replace(" (", "(").replace("( )", "()");
    CLOCKS.iter().copied().find(|clock| has_word(&line, clock))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_known_by_name() {
        assert_eq!(clock_in("SELECT Now ( )"), Some("now()"));
        assert_eq!(clock_in("due_at <= now()"), Some("now()"));
        assert_eq!(clock_in("DEFAULT CURRENT_TIMESTAMP,"), Some("current_timestamp"));
        assert_eq!(clock_in("datetime('now')"), Some("'now'"));
        assert_eq!(clock_in("SELECT unixepoch()"), Some("unixepoch"));
        assert_eq!(clock_in("SELECT known(), current_timetable"), None);
    }
}
