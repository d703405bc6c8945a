//! Rule: dependencies point one way, pure <- effects <- services <- delivery.
//!
//! The table below is the house; a new crate is added here with its layer, which is the moment to ask whether it has
//! to be a crate. `also` lists what a crate may use beyond its layer, and is meant to stay short.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::Finding;
use super::tree::Tree;

/// What a crate may know of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// Decides, and touches nothing: no clock, no network, no files, no chance.
    Pure,
    /// Wraps one outside thing, and decides nothing.
    Effects,
    /// Verbs: look, decide, commit.
    Services,
    /// The program and its protocols.
    Delivery,
    /// For tests only.
    Testing,
    /// For the repository only.
    Chores,
}

struct Member {
    name: &'static str,
    layer: Layer,
    also: &'static [&'static str],
}

const fn member(name: &'static str, layer: Layer, also: &'static [&'static str]) -> Member {
    Member { name, layer, also }
}

const HOUSE: &[Member] = &[
    member("model", Layer::Pure, &[]),
    member("coding", Layer::Pure, &[]),
    member("http_semantics", Layer::Pure, &[]),
    member("meter", Layer::Pure, &[]),
    member("syndication", Layer::Pure, &[]),
    member("content", Layer::Pure, &[]),
    member("prose", Layer::Pure, &[]),
    member("policy", Layer::Pure, &["prose", "content", "http_semantics"]),
    // Who speaks HTTP may read its fields.
    member("fetch", Layer::Effects, &["http_semantics"]),
    member("store", Layer::Effects, &[]),
    member("blobs", Layer::Effects, &[]),
    // Who speaks HTTP outwards does so through `fetch`.
    member("bus", Layer::Effects, &["fetch", "http_semantics"]),
    member("llm", Layer::Effects, &["fetch", "http_semantics"]),
    // What all services stand on.
    member("work", Layer::Services, &[]),
    member("engine", Layer::Services, &["work"]),
    member("accounts", Layer::Services, &["work"]),
    member("reader", Layer::Services, &["work", "engine"]),
    member("enrich", Layer::Services, &["work"]),
    member("publish", Layer::Services, &["work"]),
    member("web", Layer::Delivery, &[]),
    member("rpc", Layer::Delivery, &[]),
    member("app", Layer::Delivery, &["web", "rpc"]),
    member("testkit", Layer::Testing, &["web", "trial"]),
    member("trial", Layer::Testing, &[]),
    member("xtask", Layer::Chores, &[]),
];

fn member_named(name: &str) -> Option<&'static Member> {
    HOUSE.iter().find(|member| member.name == name)
}

/// What keeps `user` from depending on `used`; none when nothing does.
fn objection(user: &Member, used: &Member, kind: Kind) -> Option<String> {
    let below_delivery = matches!(used.layer, Layer::Pure | Layer::Effects | Layer::Services);
    match used.layer {
        Layer::Chores => return Some("nobody depends on xtask".to_owned()),
        Layer::Testing if kind == Kind::Dev => return None,
        Layer::Testing if user.layer == Layer::Testing => {}
        Layer::Testing => return Some(format!("{} is for dev-dependencies only", used.name)),
        _ => {}
    }
    let allowed = user.also.contains(&used.name)
        || match user.layer {
            Layer::Pure => used.name == "model",
            Layer::Effects => ["model", "coding"].contains(&used.name),
            Layer::Services => matches!(used.layer, Layer::Pure | Layer::Effects),
            Layer::Delivery | Layer::Testing => below_delivery,
            Layer::Chores => false,
        };
    (!allowed).then(|| format!("{} ({:?}) may not use {} ({:?})", user.name, user.layer, used.name, used.layer))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Build,
    Dev,
}

/// One entry of a dependency table.
pub(super) struct Dependency {
    /// The package that is meant, also where it has been given another name.
    pub(super) package: String,
    pub(super) kind: Kind,
    pub(super) line: usize,
}

/// What a crate's `Cargo.toml` says, as far as the rules care.
pub(super) struct Manifest {
    pub(super) path: PathBuf,
    /// The directory below `crates/`: the name by which the table knows the crate.
    pub(super) dir: String,
    /// The package's own name, which may differ.
    pub(super) package: String,
    pub(super) dependencies: Vec<Dependency>,
}

impl Manifest {
    /// Reads `crates/*/Cargo.toml`.
    pub(super) fn read_all(tree: &Tree) -> Result<Vec<Self>> {
        let workspace = read_table(tree, Path::new("Cargo.toml"))?.0;
        let renamed = |name: &str| {
            let shared = workspace.get("workspace")?.get("dependencies")?.get(name)?;
            Some(shared.get("package")?.as_str()?.to_owned())
        };
        let is_crate = |path: &&Path| path.components().count() == 3 && path.ends_with("Cargo.toml");
        let paths = tree.below("crates", "toml").filter(is_crate);
        paths.map(|path| Self::read(tree, path, &renamed)).collect()
    }

    fn read(tree: &Tree, path: &Path, renamed: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let (table, text) = read_table(tree, path)?;
        let dir = path.parent().and_then(Path::file_name).expect("crates/<dir>/Cargo.toml has a directory");
        let dir = dir.to_string_lossy().into_owned();
        let package = table.get("package").and_then(|package| package.get("name")?.as_str());
        let package = package.unwrap_or(&dir).to_owned();

        let per_target = table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
        let sections: Vec<&Table> = per_target.filter_map(Value::as_table).chain([&table]).collect();
        let kinds =
            [("dependencies", Kind::Normal), ("build-dependencies", Kind::Build), ("dev-dependencies", Kind::Dev)];
        let mut dependencies = Vec::new();
        for (section, kind) in kinds {
            for (name, value) in sections.iter().filter_map(|table| table.get(section)?.as_table()).flatten() {
                let own_rename = value.get("package").and_then(Value::as_str).map(str::to_owned);
                let package = own_rename.or_else(|| renamed(name)).unwrap_or_else(|| name.clone());
                dependencies.push(Dependency { package, kind, line: line_of(&text, section, name) });
            }
        }
        Ok(Self { path: path.to_path_buf(), dir, package, dependencies })
    }

    pub(super) fn layer(&self) -> Option<Layer> {
        member_named(&self.dir).map(|member| member.layer)
    }
}

/// A manifest as a table and as text; empty where there is none.
fn read_table(tree: &Tree, path: &Path) -> Result<(Table, String)> {
    let text = tree.text(path).unwrap_or_default();
    let table = text.parse().with_context(|| format!("{} is not TOML", path.display()))?;
    Ok((table, text))
}

/// Where a dependency is written, for the reader of a finding: the parsed table has no lines.
fn line_of(text: &str, section: &str, name: &str) -> usize {
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(header) = line.trim().strip_prefix('[') {
            let header = header.trim_end_matches(']');
            inside = header.ends_with(section);
            if header.ends_with(&format!("{section}.{name}")) {
                return number;
            }
        }
        let key = line.split(['=', '.']).next().unwrap_or_default().trim().trim_matches('"');
        if inside && key == name {
            return number;
        }
    }
    1
}

pub(super) fn check(manifests: &[Manifest]) -> Vec<Finding> {
    let dirs: BTreeMap<&str, &str> = manifests.iter().map(|m| (m.package.as_str(), m.dir.as_str())).collect();
    let mut findings = Vec::new();
    for manifest in manifests {
        let Some(user) = member_named(&manifest.dir) else {
            let what = format!("the crate {} has no place in the house", manifest.dir);
            findings.push(Finding::new(
                &manifest.path,
                1,
                what,
                "add it to the table in crates/xtask/src/tidy/house.rs",
            ));
            continue;
        };
        for dependency in &manifest.dependencies {
            let used = dirs.get(dependency.package.as_str()).and_then(|dir| member_named(dir));
            if let Some(what) = used.and_then(|used| objection(user, used, dependency.kind)) {
                let remedy = "move the code to where both may reach it (pure <- effects <- services <- delivery)";
                findings.push(Finding::new(&manifest.path, dependency.line, what, remedy));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(user: &str, kind: Kind, used: &str, expected: &str) {
        let (user, used) = (member_named(user).unwrap(), member_named(used).unwrap());
        let actual = objection(user, used, kind).unwrap_or_else(|| "fine".to_owned());
        assert!(actual.contains(expected), "{} -> {}: {actual}", user.name, used.name);
    }

    #[test]
    fn direction() {
        check("policy", Kind::Normal, "model", "fine");
        check("policy", Kind::Normal, "prose", "fine");
        check("prose", Kind::Normal, "content", "may not use");
        check("model", Kind::Normal, "coding", "may not use");
        check("fetch", Kind::Normal, "coding", "fine");
        check("fetch", Kind::Normal, "policy", "may not use");
        check("llm", Kind::Normal, "fetch", "fine");
        for speaks_http in ["policy", "fetch", "llm", "bus", "engine", "web", "testkit"] {
            check(speaks_http, Kind::Normal, "http_semantics", "fine");
        }
        for does_not in ["model", "syndication", "content", "store", "blobs"] {
            check(does_not, Kind::Normal, "http_semantics", "may not use");
        }
        check("http_semantics", Kind::Normal, "syndication", "may not use");
        check("store", Kind::Normal, "fetch", "may not use");
        check("engine", Kind::Normal, "store", "fine");
        check("engine", Kind::Normal, "enrich", "may not use");
        check("engine", Kind::Build, "web", "may not use");
        check("web", Kind::Normal, "engine", "fine");
        check("web", Kind::Normal, "rpc", "may not use");
        check("app", Kind::Normal, "rpc", "fine");
        check("store", Kind::Dev, "testkit", "fine");
        check("store", Kind::Dev, "engine", "may not use");
        check("app", Kind::Normal, "testkit", "dev-dependencies only");
        check("testkit", Kind::Normal, "web", "fine");
        check("testkit", Kind::Normal, "app", "may not use");
        check("app", Kind::Dev, "xtask", "nobody");
    }

    #[test]
    fn a_dependency_is_found_in_its_section() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nb = \"1\"\nc.workspace = true\n[dev-dependencies.b]\npath = \"b\"\n";
        assert_eq!(line_of(text, "dependencies", "b"), 4);
        assert_eq!(line_of(text, "dependencies", "c"), 5);
        assert_eq!(line_of(text, "dev-dependencies", "b"), 6);
    }
}
