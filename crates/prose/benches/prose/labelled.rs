//! Labelled texts: files of JSON lines. Lines that do not fit are counted and left out, so that a figure says what it is of.

use serde_json::Value;

/// The lines of a file for which `read` finds what it needs.
pub(crate) fn lines<T>(file: &str, read: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("cannot read {file}: {error}");
            std::process::exit(2);
        }
    };
    let (mut found, mut unfit) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str(line).ok().and_then(|value| read(&value)) {
            Some(read) => found.push(read),
            None => unfit += 1,
        }
    }
    if unfit > 0 {
        eprintln!("{file}: {unfit} lines do not have the form that --help describes");
    }
    found
}

/// A text field of a line.
pub(crate) fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field)?.as_str().map(str::to_owned)
}
