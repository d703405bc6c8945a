//! Rule: pure crates stay pure: no runtime, network, SQL, files, environment, clock or randomness.
//!
//! Checked three times: the direct dependencies, the indirect ones, and the source. The last looks for the usual
//! spellings, which is enough against mistakes.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::Finding;
use super::house::{Kind, Layer, Manifest};
use super::rust_text::{RustText, has_word};
use super::tree::Tree;
use crate::repository::cargo;

/// Forbidden as direct dependencies of a pure crate.
const FORBIDDEN: &[&str] = &[
    "async-nats",
    "axum",
    "deadpool-postgres",
    "fastrand",
    "getrandom",
    "hickory-resolver",
    "hyper",
    "hyper-rustls",
    "hyper-util",
    "mio",
    "object_store",
    "rand",
    "reqwest",
    "rusqlite",
    "socket2",
    "tokio",
    "tokio-postgres",
    "tokio-rustls",
    "tonic",
    "ureq",
];

/// Forbidden as indirect dependencies, too.
const FORBIDDEN_ANYWHERE: &[&str] = &["getrandom", "hyper", "mio", "rusqlite", "socket2", "tokio"];

/// Forbidden words in the source, and what they access.
const FORBIDDEN_WORDS: &[(&str, &str)] = &[
    ("SystemTime", "a clock"),
    ("Instant::now", "a clock"),
    ("Timestamp::now", "a clock"),
    ("Zoned::now", "a clock"),
    ("TimeZone::system", "the machine's time zone"),
    ("thread::sleep", "a clock"),
    ("std::env", "the environment"),
    ("env::", "the environment"),
    ("std::fs", "files"),
    ("fs::", "files"),
    ("std::process", "other processes"),
    ("process::Command", "other processes"),
    ("TcpStream", "the network"),
    ("TcpListener", "the network"),
    ("UdpSocket", "the network"),
];

pub(super) fn check(tree: &Tree, manifests: &[Manifest]) -> Result<Vec<Finding>> {
    let pure: Vec<&Manifest> = manifests.iter().filter(|m| m.layer() == Some(Layer::Pure)).collect();
    let mut findings = direct(&pure);
    findings.extend(indirect(tree, &pure)?);
    for manifest in &pure {
        let src = format!("crates/{}/src", manifest.dir);
        for path in tree.below(&src, "rs").filter(|path| !path.ends_with("tests.rs")) {
            findings.extend(in_source(path, &tree.text(path).unwrap_or_default()));
        }
    }
    Ok(findings)
}

fn direct(pure: &[&Manifest]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in pure {
        for dependency in manifest.dependencies.iter().filter(|dependency| dependency.kind != Kind::Dev) {
            if FORBIDDEN.contains(&dependency.package.as_str()) {
                let what = format!("{} is pure and may not use {}", manifest.dir, dependency.package);
                findings.push(Finding::new(&manifest.path, dependency.line, what, "let an effects crate do it"));
            }
        }
    }
    findings
}

/// Asks cargo for the dependencies of the pure crates when they are built alone. The lock file does not help: it
/// contains the dependencies of all crates, features and build scripts.
fn indirect(tree: &Tree, pure: &[&Manifest]) -> Result<Vec<Finding>> {
    if pure.is_empty() || !tree.root.join("Cargo.lock").exists() {
        return Ok(Vec::new());
    }
    let mut command = cargo(&tree.root);
    command.args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", " {p}"]);
    for manifest in pure {
        command.args(["--package", &manifest.package]);
    }
    let output = command.output().context("cannot run cargo tree")?;
    if !output.status.success() {
        bail!("cargo tree failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(forbidden_in(&String::from_utf8_lossy(&output.stdout), pure))
}

/// Parses the output of `cargo tree`: each line is a depth and a package, below the one that needs it.
fn forbidden_in(listing: &str, pure: &[&Manifest]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut trail: Vec<&str> = Vec::new();
    for line in listing.lines() {
        let mut words = line.split_whitespace();
        let (Some(depth), Some(package)) = (words.next().and_then(|depth| depth.parse().ok()), words.next()) else {
            continue;
        };
        trail.truncate(depth);
        trail.push(package);
        let top = pure.iter().find(|manifest| manifest.package == trail[0]);
        // Deeper than the direct dependencies, which `direct` checks.
        if depth > 1
            && FORBIDDEN_ANYWHERE.contains(&package)
            && let Some(top) = top
        {
            let what = format!("{} is pure, but brings {package} along: {}", top.dir, trail.join(" -> "));
            let remedy = format!("switch off the feature of {} that needs it, or use another crate", trail[1]);
            let line = top.dependencies.iter().find(|dependency| dependency.package == trail[1]).map_or(1, |d| d.line);
            findings.push(Finding::new(&top.path, line, what, remedy));
        }
    }
    findings
}

fn in_source(path: &Path, source: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in RustText::new(source).before_tests() {
        if let Some((word, what)) = FORBIDDEN_WORDS.iter().find(|(word, _)| has_word(line, word)) {
            let what = format!("`{}` in a pure crate reads {what}", word.trim_end_matches(':'));
            findings.push(Finding::new(path, number, what, "take it as an argument, or let an effects crate do it"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let findings: Vec<String> = in_source(Path::new("a.rs"), source).iter().map(ToString::to_string).collect();
        let actual = findings.join("\n");
        if expected.is_empty() {
            assert_eq!(actual, "", "{source}");
        } else {
            assert!(actual.contains(expected), "{source}: {actual:?}");
        }
    }

    #[test]
    fn what_the_source_says() {
        check("let now = Timestamp::now();", "a.rs:1: `Timestamp::now` in a pure crate reads a clock");
        check("\nuse std::{env, fs};\nlet x = fs::read(p);", "a.rs:3: `fs`");
        check("use std::time::{Duration, SystemTime};", "a clock");
        check("let t = std::time::Instant::now();", "a clock");
        check("let home = std::env::var(\"HOME\");", "the environment");
        check("use std::net::TcpStream;", "the network");
        check("use std::net::IpAddr;", "");
        check("// std::fs would be wrong here\nlet x = \"std::fs\";", "");
        check("let version = env!(\"CARGO_PKG_VERSION\");", "");
        check("fn f() {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}", "");
        check("#[cfg(test)]\nmod tests;\nuse std::fs;", "a.rs:3");
    }
}
