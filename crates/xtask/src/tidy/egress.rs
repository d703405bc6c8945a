//! Rule: only `fetch` opens connections to hosts that somebody else chose.
//!
//! Clippy finds connections (`clippy.toml` at the root). This rule checks that clippy is still configured to, that the
//! exceptions are in the listed files, and that no other crate depends on a client library. Tests and benchmarks may
//! connect: they do so to servers they started themselves.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::Finding;
use super::house::{Kind, Manifest};
use super::rust_text::{RustText, has_word};
use super::tree::Tree;

const CLIPPY: &str = "clippy.toml";

/// The entries that `clippy.toml` must have, with their lint.
const MUST_BE_DISALLOWED: &[(&str, &str)] = &[
    ("disallowed-methods", "async_nats::connect"),
    ("disallowed-methods", "hyper::client::conn::http1::handshake"),
    ("disallowed-methods", "hyper::client::conn::http2::handshake"),
    ("disallowed-methods", "reqwest::get"),
    ("disallowed-methods", "std::net::TcpStream::connect"),
    ("disallowed-methods", "std::net::TcpStream::connect_timeout"),
    ("disallowed-methods", "std::net::ToSocketAddrs::to_socket_addrs"),
    ("disallowed-methods", "std::net::UdpSocket::bind"),
    ("disallowed-methods", "tokio::net::TcpSocket::connect"),
    ("disallowed-methods", "tokio::net::TcpStream::connect"),
    ("disallowed-methods", "tokio::net::UdpSocket::bind"),
    ("disallowed-methods", "tokio::net::lookup_host"),
    ("disallowed-methods", "tokio_postgres::Config::connect"),
    ("disallowed-methods", "tokio_postgres::connect"),
    ("disallowed-types", "hickory_resolver::TokioResolver"),
    ("disallowed-types", "hyper_util::client::legacy::Client"),
    ("disallowed-types", "object_store::aws::AmazonS3Builder"),
    ("disallowed-types", "reqwest::Client"),
    ("disallowed-types", "socket2::Socket"),
    ("disallowed-types", "ureq::Agent"),
];

/// The files that may have an exception. All but the first connect to what an operator or a test has configured.
const EXCEPTIONS: &[&str] = &[
    "crates/fetch",
    "crates/app/src/command/doctor/events.rs",
    "crates/store/src/db/postgres",
    "crates/store/src/db/tests.rs",
    "crates/blobs/src/lib.rs",
    "crates/testkit",
    "crates/xtask",
];

/// The crates that may depend on a client library.
const CLIENTS: &[(&str, &[&str])] = &[
    ("async-nats", &["bus"]),
    ("curl", &[]),
    ("deadpool-postgres", &["store"]),
    ("hickory-resolver", &["fetch"]),
    ("hyper-rustls", &["fetch"]),
    ("hyper-util", &["fetch", "web"]),
    ("isahc", &[]),
    ("mio", &[]),
    ("object_store", &["blobs"]),
    ("reqwest", &[]),
    ("socket2", &[]),
    ("tokio-postgres", &["store", "testkit"]),
    ("tokio-rustls", &["fetch"]),
    ("ureq", &[]),
];

pub(super) fn check(tree: &Tree, manifests: &[Manifest]) -> Result<Vec<Finding>> {
    let mut findings = disallowed(&tree.text(Path::new(CLIPPY)).unwrap_or_default())?;
    for path in tree.below("crates", "rs").filter(|path| !may_be_excepted(path)) {
        findings.extend(exceptions(path, &tree.text(path).unwrap_or_default()));
    }
    findings.extend(clients(manifests));
    Ok(findings)
}

fn disallowed(clippy: &str) -> Result<Vec<Finding>> {
    let table: Table = clippy.parse().context("clippy.toml is not TOML")?;
    let path_of = |entry: &Value| entry.as_str().or_else(|| entry.get("path")?.as_str()).map(str::to_owned);
    let listed: BTreeSet<(&str, String)> = ["disallowed-methods", "disallowed-types"]
        .iter()
        .filter_map(|lint| Some((*lint, table.get(*lint)?.as_array()?)))
        .flat_map(|(lint, entries)| entries.iter().filter_map(move |entry| Some((lint, path_of(entry)?))))
        .collect();
    let missing = MUST_BE_DISALLOWED.iter().filter(|(lint, path)| !listed.contains(&(*lint, (*path).to_owned())));
    let finding = |(lint, path): &(&str, &str)| {
        let remedy = format!("list it under {lint}: only `fetch` may connect to hosts that somebody else chose");
        Finding::new(Path::new(CLIPPY), 1, format!("clippy is not told to look for {path}"), remedy)
    };
    Ok(missing.map(finding).collect())
}

fn may_be_excepted(path: &Path) -> bool {
    let for_tests =
        path.components().any(|part| ["tests", "tests.rs", "benches"].iter().any(|name| part.as_os_str() == *name));
    for_tests || EXCEPTIONS.iter().any(|place| path.starts_with(place))
}

fn exceptions(path: &Path, source: &str) -> Vec<Finding> {
    let text = RustText::new(source);
    let lint = |line: &str| ["disallowed_methods", "disallowed_types"].into_iter().find(|lint| has_word(line, lint));
    let finding = |(number, lint)| {
        let remedy = "go through `fetch`, which checks what it dials";
        Finding::new(path, number, format!("an exception to {lint} in a file that may not connect"), remedy)
    };
    text.before_tests().into_iter().filter_map(|(number, line)| Some((number, lint(line)?))).map(finding).collect()
}

fn clients(manifests: &[Manifest]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for manifest in manifests {
        for dependency in manifest.dependencies.iter().filter(|dependency| dependency.kind != Kind::Dev) {
            let client = CLIENTS.iter().find(|(package, _)| *package == dependency.package);
            if let Some((package, users)) = client
                && !users.contains(&manifest.dir.as_str())
            {
                let what = format!("{} may not depend on the network client {package}", manifest.dir);
                findings.push(Finding::new(&manifest.path, dependency.line, what, "go through `fetch`"));
            }
        }
    }
    findings
}
