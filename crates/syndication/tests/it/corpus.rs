//! Every document in `corpus/` compared with its expected reading.
//!
//! `name.expected` is beside `name.xml`: the normalised document, one value per line, without ranges. HTTP headers of a
//! document are given in a comment: `<!--hints content-type="…" base="…" language="…"-->`. `UPDATE=1 cargo test -p
//! syndication corpus` rewrites what differs; read the difference before committing it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use syndication::{Hints, Limits, normalised, read, utf8_form};

/// The documents of the corpus, in order.
pub(crate) fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")];
    while let Some(directory) = todo.pop() {
        for file in std::fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path()) {
            if file.is_dir() {
                todo.push(file);
            } else if file.extension().is_some_and(|extension| extension != "expected") {
                found.push(file);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn documents_mean_what_they_are_expected_to() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    let documents = documents();
    for path in &documents {
        let shown = shown(&std::fs::read(path).unwrap());
        let expected_path = path.with_extension("expected");
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if shown != expected {
            if update {
                std::fs::write(&expected_path, &shown).unwrap();
            } else {
                wrong.push(format!("{}\n--- expected\n{expected}--- is\n{shown}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), documents.len(), wrong.join("\n"));
    assert!(documents.len() >= 200, "the corpus has shrunk to {}", documents.len());
}

#[test]
fn ranges_are_the_entries() {
    for path in documents() {
        let bytes = std::fs::read(&path).unwrap();
        let text = utf8_form(&bytes, None, None);
        if bytes.starts_with(b"\xef\xbb\xbf") {
            assert_eq!(text.as_bytes(), bytes, "{}", path.display());
        }
        let Ok(reading) = read(&bytes, &Hints::default(), &Limits::default()) else { continue };
        for entry in reading.entries {
            let range = entry.range.unwrap();
            let piece = &text[range.start as usize..range.end as usize];
            assert!(piece.starts_with(['<', '{']), "{}: {piece}", path.display());
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    let comment = String::from_utf8_lossy(bytes);
    let hint = |name: &str| {
        let inside = comment.split("<!--hints ").nth(1)?.split("-->").next()?;
        Some(inside.split(&format!("{name}=\"")).nth(1)?.split('"').next()?.to_owned())
    };
    let (content_type, base, language) = (hint("content-type"), hint("base"), hint("language"));
    let hints =
        Hints { content_type: content_type.as_deref(), base_url: base.as_deref(), language: language.as_deref() };
    let mut out = String::new();
    match read(bytes, &hints, &Limits::default()) {
        Ok(reading) => flatten(&mut out, "", &normalised::document(&reading)),
        Err(refusal) => {
            let _ = writeln!(out, "not a feed: {refusal}");
        }
    }
    out
}

/// One line for every value: `feed.title.value = "T"`.
fn flatten(out: &mut String, path: &str, value: &Value) {
    let inside = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(key, _)| *key != "range") {
                flatten(out, &inside(key), value);
            }
        }
        Value::Array(values) if values.iter().all(|value| !value.is_object() && !value.is_array()) => {
            let _ = writeln!(out, "{path} = {value}");
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                flatten(out, &format!("{path}[{index}]"), value);
            }
        }
        value => {
            let _ = writeln!(out, "{path} = {value}");
        }
    }
}
