//! Every dependency may be used, and a bad licence or a banned crate would be found.
//!
//! The first test reads this workspace, the others add what must be refused, to show that the check can fail.

use std::os::unix::fs::PermissionsExt as _;
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

#[test]
fn cargo_deny_does_the_work_where_it_is_installed() {
    let dir = env::temp_dir().join(format!("xtask-deny-{}", process::id()));
    fs::create_dir_all(&dir).unwrap();
    let installed = dir.join("cargo-deny");
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([dir.clone()].into_iter().chain(env::split_paths(&path))).unwrap();
    // What the command prints and returns when `cargo deny` is this script. The root is this repository.
    let run = |script: &str| {
        fs::write(&installed, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&installed, fs::Permissions::from_mode(0o755)).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).arg("licences").env("PATH", &path).output().unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let version = r#"[ "$2" = --version ] && exit 0"#;
    let arguments = "deny --locked check --hide-inclusion-graph bans licenses sources\n";
    let found = run(&format!("{version}; echo \"$@\"; exit 4"));
    assert_eq!(found, (Some(4), arguments.to_owned(), String::new()), "its answer is ours");
    let clean = run(&format!("{version}; echo \"$@\""));
    assert_eq!(clean, (Some(0), arguments.to_owned(), String::new()));
    let (code, stdout, stderr) = run("exit 101");
    assert_eq!((code, stdout.as_str(), stderr.lines().count()), (Some(0), "", 1), "our own check, said in a line");
    assert!(stderr.starts_with("cargo-deny is not installed: "), "{stderr}");
    fs::remove_dir_all(&dir).unwrap();
}

#[track_caller]
fn check(case: &str, package: &str, licence: &str, expected: &str) {
    let policy = Policy::read(DENY).expect("the policy can be read");
    let found = policy.objections(&format!("ours v0.1.0\tMIT\t\n{package}\t{licence}\t (*)\n")).join("\n");
    let as_expected = if expected.is_empty() { found.is_empty() } else { found.starts_with(expected) };
    assert!(as_expected, "{case}: {found}");
}
