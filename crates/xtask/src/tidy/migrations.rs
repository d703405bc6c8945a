//! Rules: migrations come in pairs for the two dialects, are numbered without gaps, are listed where the store finds them,
//! and never change once released.
//!
//! `crates/store/migrations/SHA256SUMS` lists the released ones, as `sha256sum` writes it. Users of an older version
//! have applied exactly those files, so later changes need a new migration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::Finding;
use super::tree::Tree;

const DIR: &str = "crates/store/migrations";
const DIALECTS: [&str; 2] = ["sqlite", "postgres"];
/// Where the store lists the migrations it runs.
const LIST: &str = "crates/store/src/db/migrate.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for dialect in DIALECTS {
        findings.extend(numbered(&names(tree, dialect), dialect));
    }
    findings.extend(paired(tree));
    findings.extend(listed(tree));
    findings.extend(released(tree));
    findings
}

fn names(tree: &Tree, dialect: &str) -> BTreeSet<String> {
    let dir = format!("{DIR}/{dialect}");
    tree.below(&dir, "sql").filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect()
}

/// `0001_name.sql` has the number 1.
fn number(name: &str) -> Option<u32> {
    let (number, rest) = name.split_once('_')?;
    let is_well_formed = number.len() == 4 && rest.len() > ".sql".len();
    is_well_formed.then(|| number.parse().ok()).flatten()
}

fn numbered(names: &BTreeSet<String>, dialect: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut expected = 1;
    for name in names {
        let path = PathBuf::from(format!("{DIR}/{dialect}/{name}"));
        let Some(number) = number(name) else {
            findings.push(Finding::new(&path, 1, "a migration without a number", "call it NNNN_name.sql"));
            continue;
        };
        if number != expected {
            let what = format!("number {number:04} comes where {expected:04} is expected");
            findings.push(Finding::new(&path, 1, what, "number migrations 0001, 0002, … without gaps or doubles"));
        }
        expected = number + 1;
    }
    findings
}

fn paired(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for [here, there] in [DIALECTS, [DIALECTS[1], DIALECTS[0]]] {
        for name in names(tree, here).difference(&names(tree, there)) {
            let path = PathBuf::from(format!("{DIR}/{here}/{name}"));
            let remedy = format!("add {DIR}/{there}/{name}, if only with a comment that says why it is empty");
            findings.push(Finding::new(&path, 1, format!("{there} has no migration of this name"), remedy));
        }
    }
    findings
}

/// A file that is not in the list is never run, and no test notices: every database lacks it alike.
fn listed(tree: &Tree) -> Vec<Finding> {
    let Some(list) = tree.text(Path::new(LIST)) else { return Vec::new() };
    let is_listed = |name: &str| {
        let quoted = format!("\"{}\"", name.trim_end_matches(".sql"));
        list.lines().any(|line| line.contains(&quoted) && line.contains("compatible with"))
    };
    let mut findings = Vec::new();
    for dialect in DIALECTS {
        for name in names(tree, dialect).into_iter().filter(|name| !is_listed(name)) {
            let path = PathBuf::from(format!("{DIR}/{dialect}/{name}"));
            let remedy = format!("add it to MIGRATIONS in {LIST}");
            findings.push(Finding::new(&path, 1, "a migration that is never run", remedy));
        }
    }
    findings
}

fn released(tree: &Tree) -> Vec<Finding> {
    let sums = Path::new(DIR).join("SHA256SUMS");
    let Some(text) = tree.text(&sums) else { return Vec::new() };
    let mut findings = Vec::new();
    let mut listed = BTreeMap::new();
    for (line, entry) in (1..).zip(text.lines()) {
        let Some((hash, name)) = entry.split_once("  ") else {
            findings.push(Finding::new(&sums, line, "not a line of sha256sum", "write `<hash>  <dialect>/<file>`"));
            continue;
        };
        listed.insert(name.to_owned(), line);
        let path = Path::new(DIR).join(name);
        let Ok(bytes) = std::fs::read(tree.root.join(&path)) else {
            let what = format!("the released migration {name} is missing");
            findings.push(Finding::new(&sums, line, what, "restore it: databases out there have applied it"));
            continue;
        };
        if HEXLOWER.encode(&Sha256::digest(&bytes)) != hash {
            let remedy = "restore it and write a new migration: databases out there have applied the old one";
            findings.push(Finding::new(&path, 1, "a released migration was changed", remedy));
        }
    }
    let newest = listed.keys().filter_map(|name| number(name.rsplit('/').next()?)).max().unwrap_or(0);
    for dialect in DIALECTS {
        for name in names(tree, dialect) {
            let is_listed = listed.contains_key(&format!("{dialect}/{name}"));
            if !is_listed && number(&name).is_some_and(|number| number <= newest) {
                let path = PathBuf::from(format!("{DIR}/{dialect}/{name}"));
                let what = format!("a new migration among those released (up to {newest:04})");
                findings.push(Finding::new(&path, 1, what, "give it the next number"));
            }
        }
    }
    findings
}
