//! Every dependency may be used, and a bad licence or a banned crate would be found.
//!
//! The first test reads this workspace, the others add what must be refused, to show that the check can fail.

use std::path::Path;
use std::process::Command;
use std::{env, fs, process};

use xtask::licences::{Policy, licences};
use xtask::repository::root_above;

const DENY: &str = r#"
    [licenses]
    allow = ["MIT", "Apache-2.0"]
    [bans]
    deny = [{ crate = "openssl", reason = "one TLS stack" }, "diesel"]
"#;

#[test]
fn this_workspace_may_use_all_its_dependencies() {
    let root = root_above(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let found = licences(&root).unwrap();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn violations_are_found() {
    check("a good one", "serde v1.0.0", "MIT OR Apache-2.0", "");
    check("a bad licence", "viral v1.0.0", "AGPL-3.0", "viral v1.0.0: its licence `AGPL-3.0` is not allowed");
    check("no licence", "orphan v1.0.0", "", "orphan v1.0.0: names no licence");
    check("nonsense", "odd v1.0.0", "MIT AND", "odd v1.0.0: its licence `MIT AND` cannot be read");
    check("a banned crate", "openssl v1.0.0", "MIT", "openssl v1.0.0: banned: one TLS stack");
    check("banned without a reason", "diesel v1.0.0 (proc-macro)", "MIT", "diesel v1.0.0 (proc-macro): banned");
}

#[test]
fn indirect_dependencies_are_checked() {
    let root = env::temp_dir().join(format!("xtask-licences-{}", process::id()));
    let package = |name: &str, licence: &str, dependency: &str| {
        let dir = root.join("crates").join(name);
        fs::create_dir_all(dir.join("src")).expect("a directory can be made");
        fs::write(dir.join("src/lib.rs"), "").expect("a file can be written");
        let manifest = format!("[package]\nname = \"{name}\"\nlicense = \"{licence}\"\n[dependencies]\n{dependency}\n");
        fs::write(dir.join("Cargo.toml"), manifest).expect("a file can be written");
    };
    package("ours", "MIT", "theirs.path = \"../theirs\"");
    package("theirs", "MIT", "viral.path = \"../viral\"");
    package("viral", "AGPL-3.0", "");
    fs::write(root.join("Cargo.toml"), "[workspace]\nresolver = \"3\"\nmembers = [\"crates/ours\"]\n").unwrap();
    fs::write(root.join("deny.toml"), DENY).unwrap();
    let mut lock = Command::new(env!("CARGO"));
    assert!(lock.current_dir(&root).args(["generate-lockfile", "--offline", "--quiet"]).status().unwrap().success());

    let found = licences(&root).unwrap();
    fs::remove_dir_all(&root).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("viral v0.0.0 ") && found[0].contains("AGPL-3.0"), "{found:?}");
}

#[test]
fn a_ban_that_cannot_be_read_is_an_error() {
    assert!(Policy::read(&DENY.replace("crate =", "crat =")).is_err());
    assert!(Policy::read("[licenses]\nallow = []").is_err());
}

#[track_caller]
fn check(case: &str, package: &str, licence: &str, expected: &str) {
    let policy = Policy::read(DENY).expect("the policy can be read");
    let found = policy.objections(&format!("ours v0.1.0\tMIT\t\n{package}\t{licence}\t (*)\n")).join("\n");
    let as_expected = if expected.is_empty() { found.is_empty() } else { found.starts_with(expected) };
    assert!(as_expected, "{case}: {found}");
}
