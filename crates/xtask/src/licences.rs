//! `cargo xtask licences`: every dependency has a licence we accept, and none is a crate we have banned.
//!
//! The lists are in `deny.toml`, cargo-deny's own file. Where cargo-deny is installed, it does the work. Elsewhere our
//! own check reads the same lists: it needs no network and nothing to install, but does not look at where crates come
//! from (`sources`).

mod expression;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::repository::cargo;
use expression::Expression;

/// The parts of `deny.toml` that we use.
pub struct Policy {
    allowed: Vec<String>,
    /// A crate and why it is banned.
    banned: Vec<(String, String)>,
}

impl Policy {
    /// Parses a `deny.toml`.
    pub fn read(text: &str) -> Result<Self> {
        let table: Table = text.parse().context("deny.toml is not TOML")?;
        let list = |section: &str, key: &str| -> Result<Vec<Value>> {
            let list = table.get(section).and_then(|section| section.get(key)?.as_array());
            list.cloned().with_context(|| format!("deny.toml has no list {section}.{key}"))
        };
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let allowed = list("licenses", "allow")?.iter().filter_map(text).collect();
        let ban = |entry: &Value| {
            let name = text(entry).or_else(|| text(entry.get("crate")?));
            let reason = entry.get("reason").and_then(text).unwrap_or_else(|| "no reason given".to_owned());
            Ok((name.context("every entry of bans.deny in deny.toml needs a `crate`")?, reason))
        };
        let banned = list("bans", "deny")?.iter().map(ban).collect::<Result<_>>()?;
        Ok(Self { allowed, banned })
    }

    /// The problems of the packages in a listing, whose lines are: `name vVERSION`, a tab, the licence, a tab.
    pub fn objections(&self, listing: &str) -> Vec<String> {
        let packages: BTreeSet<(&str, &str)> = listing
            .lines()
            .filter_map(|line| {
                let mut columns = line.split('\t');
                Some((columns.next()?, columns.next()?))
            })
            .collect();
        packages.iter().filter_map(|(package, licence)| self.objection(package, licence)).collect()
    }

    fn objection(&self, package: &str, licence: &str) -> Option<String> {
        let name = package.split(' ').next().unwrap_or_default();
        if let Some((_, reason)) = self.banned.iter().find(|(banned, _)| banned == name) {
            return Some(format!(
                "{package}: banned: {reason}; `cargo tree --target all -i {name}` shows who brings it"
            ));
        }
        if licence.is_empty() {
            return Some(format!("{package}: names no licence; read its licence file, or use another crate"));
        }
        match Expression::parse(licence) {
            Err(error) => Some(format!("{package}: its licence `{licence}` cannot be read: {error}")),
            Ok(expression) if expression.holds(&|id| self.allowed.iter().any(|allowed| allowed == id)) => None,
            Ok(_) => Some(format!("{package}: its licence `{licence}` is not allowed by deny.toml; use another crate")),
        }
    }
}

/// Runs cargo-deny, which prints what it finds, and returns its exit code; `None` if it is not installed.
pub fn cargo_deny(root: &Path) -> Result<Option<u8>> {
    let mut version = cargo(root);
    version.args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !version.status().context("cannot run cargo")?.success() {
        return Ok(None);
    }
    let mut deny = cargo(root);
    deny.args(["deny", "--locked", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"]);
    let code = deny.status().context("cannot run cargo deny")?.code();
    Ok(Some(code.map_or(1, |code| u8::try_from(code).unwrap_or(1))))
}

/// The problems of the dependencies of the workspace at `root`.
pub fn licences(root: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(root.join("deny.toml")).context("cannot read deny.toml")?;
    let policy = Policy::read(&text)?;
    // Offline, so that it is quick and repeatable; but a fresh clone may lack the crates of other platforms.
    let listing = listing(root).or_else(|_| {
        cargo(root).args(["fetch", "--locked", "--quiet"]).status().context("cannot run cargo fetch")?;
        listing(root)
    })?;
    if listing.is_empty() {
        bail!("cargo tree lists no packages");
    }
    Ok(policy.objections(&listing))
}

/// Every package that some platform, feature or test of ours needs. From `cargo tree`: `cargo metadata` also lists
/// optional dependencies that are not enabled (rustls-webpki's ring, for one).
fn listing(root: &Path) -> Result<String> {
    let mut tree = cargo(root);
    tree.args(["tree", "--workspace", "--all-features", "--target", "all", "--edges", "normal,build,dev"]);
    tree.args(["--prefix", "none", "--format", "{p}\t{l}\t", "--locked", "--offline"]);
    let output = tree.output().context("cannot run cargo tree")?;
    if !output.status.success() {
        bail!("cargo tree failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).context("cargo tree did not answer in UTF-8")
}
