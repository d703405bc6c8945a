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

/// The rows of a file that is a JSON array, or has one object per line.
pub(crate) fn rows<T>(file: &str, read: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    let array = std::fs::read(file).ok().filter(|bytes| bytes.trim_ascii_start().starts_with(b"["));
    match array.and_then(|bytes| serde_json::from_slice::<Vec<Value>>(&bytes).ok()) {
        Some(rows) => rows.iter().filter_map(read).collect(),
        None => lines(file, read),
    }
}

/// How often a positive is ranked above a negative; ties count half.
pub(crate) fn auc(scores: &[f64], positive: &[bool]) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*a].total_cmp(&scores[*b]));
    let (mut ranks, mut at) = (0.0, 0);
    while at < order.len() {
        let same = order[at..].iter().take_while(|other| scores[**other] <= scores[order[at]]).count();
        let rank = at as f64 + f64::midpoint(same as f64, 1.0);
        ranks += rank * order[at..at + same].iter().filter(|other| positive[**other]).count() as f64;
        at += same;
    }
    let positives = positive.iter().filter(|positive| **positive).count() as f64;
    let negatives = scores.len() as f64 - positives;
    (ranks - positives * f64::midpoint(positives, 1.0)) / (positives * negatives).max(1.0)
}
