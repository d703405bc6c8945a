//! `cargo xtask licences`: every dependency has a licence we accept, and none is a crate we have banned.
//!
//! `deny.toml` says which; it is cargo-deny's own file. This check needs no network and nothing to install, so that it
//! can run everywhere; where cargo-deny is installed, `make lint` asks it as well.

mod expression;

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value as Json;
use toml::{Table, Value};

use crate::repository::cargo;
use expression::Expression;

/// What `deny.toml` says, as far as we read it.
pub struct Policy {
    allowed: Vec<String>,
    /// A crate and why it is banned.
    banned: Vec<(String, String)>,
}

impl Policy {
    /// Reads the text of a `deny.toml`.
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

    /// What is wrong with the packages that `cargo metadata` lists, one line each.
    pub fn objections(&self, metadata: &Json) -> Result<Vec<String>> {
        let packages = metadata.get("packages").and_then(Json::as_array).context("cargo metadata lists no packages")?;
        Ok(packages.iter().filter_map(|package| self.objection(package)).collect())
    }

    fn objection(&self, package: &Json) -> Option<String> {
        let field = |name: &str| package.get(name).and_then(Json::as_str);
        let name = field("name").unwrap_or("?");
        let called = format!("{name} {}", field("version").unwrap_or("?"));
        if let Some((_, reason)) = self.banned.iter().find(|(banned, _)| banned == name) {
            return Some(format!("{called}: banned: {reason}; `cargo tree -i {name}` shows who brings it"));
        }
        let Some(licence) = field("license") else {
            return Some(format!("{called}: names no licence; read its licence file, or use another crate"));
        };
        match Expression::parse(licence) {
            Err(error) => Some(format!("{called}: its licence `{licence}` cannot be read: {error}")),
            Ok(expression) if expression.holds(&|id| self.allowed.iter().any(|allowed| allowed == id)) => None,
            Ok(_) => Some(format!("{called}: its licence `{licence}` is not allowed by deny.toml; use another crate")),
        }
    }
}

/// What is wrong with the dependencies of the workspace at `root`.
pub fn licences(root: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(root.join("deny.toml")).context("cannot read deny.toml")?;
    let policy = Policy::read(&text)?;
    // Offline, so that it is quick and the same everywhere; but a fresh clone may lack the crates of other platforms.
    let metadata = metadata(root).or_else(|_| {
        cargo(root).args(["fetch", "--locked", "--quiet"]).status().context("cannot run cargo fetch")?;
        metadata(root)
    })?;
    policy.objections(&metadata)
}

fn metadata(root: &Path) -> Result<Json> {
    let arguments = ["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"];
    let output = cargo(root).args(arguments).output().context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata did not answer in JSON")
}
