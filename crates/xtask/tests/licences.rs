//! Every dependency may be used, and a bad licence or a banned crate would be found.

use std::path::Path;

use serde_json::{Value as Json, json};
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
fn what_is_planted_is_found() {
    let package = |name: &str, licence: Option<&str>| json!({ "name": name, "version": "1.0.0", "license": licence });
    check("a good one", &package("serde", Some("MIT OR Apache-2.0")), "");
    check("a bad licence", &package("viral", Some("AGPL-3.0")), "viral 1.0.0: its licence `AGPL-3.0` is not allowed");
    check("no licence", &package("orphan", None), "orphan 1.0.0: names no licence");
    check("nonsense", &package("odd", Some("MIT AND")), "odd 1.0.0: its licence `MIT AND` cannot be read");
    check("a banned crate", &package("openssl", Some("MIT")), "openssl 1.0.0: banned: one TLS stack");
    check("banned without a reason", &package("diesel", Some("MIT")), "diesel 1.0.0: banned");
}

#[test]
fn a_ban_that_cannot_be_read_is_an_error() {
    assert!(Policy::read(&DENY.replace("crate =", "crat =")).is_err());
    assert!(Policy::read("[licenses]\nallow = []").is_err());
}

#[track_caller]
fn check(case: &str, package: &Json, expected: &str) {
    let policy = Policy::read(DENY).expect("the policy can be read");
    let found = policy.objections(&json!({ "packages": [package] })).expect("the packages can be read").join("\n");
    let as_expected = if expected.is_empty() { found.is_empty() } else { found.starts_with(expected) };
    assert!(as_expected, "{case}: {found}");
}
