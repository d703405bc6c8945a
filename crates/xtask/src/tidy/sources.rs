//! Rules for Rust files: each has a header, a meaningful name, and no ignored tests.
//!
//! Formatting is left to rustfmt, `unwrap` and `dbg!` to clippy. Only code counts, not comments or strings, so that
//! this file may name what it forbids.

use std::path::Path;

use super::Finding;
use super::rust_text::{RustText, has_word};
use super::tree::Tree;

/// Names without meaning, which attract unrelated code.
const EMPTY_NAMES: &[&str] = &["utils", "helpers", "common", "types", "manager"];

/// What is forbidden in code, and what to do instead.
const FORBIDDEN: &[(&str, &str)] = &[
    ("#[ignore", "make the test pass or delete it: one that does not run proves nothing"),
    ("todo!(", "write it, or return an error that says what is missing"),
    ("unimplemented!(", "write it, or return an error that says what is missing"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in tree.below("", "rs") {
        findings.extend(named(path));
        findings.extend(written(path, &tree.text(path).unwrap_or_default()));
    }
    findings
}

fn named(path: &Path) -> Option<Finding> {
    // `common/mod.rs` is `common.rs` by another name.
    let named = if path.ends_with("mod.rs") { path.parent()? } else { path };
    let stem = named.file_stem()?.to_str()?;
    EMPTY_NAMES.contains(&stem).then(|| {
        let what = format!("a file named {stem} says nothing about what is inside");
        Finding::new(path, 1, what, "name it after the one noun or verb it holds")
    })
}

fn written(path: &Path, source: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.starts_with("//!") {
        let remedy = "begin with `//!`: what lives here, what deliberately does not, who calls it";
        findings.push(Finding::new(path, 1, "the file has no header", remedy));
    }
    for (number, line) in (1..).zip(RustText::new(source).code.lines()) {
        if let Some((word, remedy)) = FORBIDDEN.iter().find(|(word, _)| has_word(line, word)) {
            findings.push(Finding::new(path, number, format!("`{word}` in the code"), *remedy));
        }
    }
    findings
}
