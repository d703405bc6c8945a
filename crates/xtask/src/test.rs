//! `cargo xtask test`: the tests of the whole workspace, with the services they talk to.
//!
//! nextest if installed (a process per test, faster, better reports), else `cargo test`. Both run the same tests;
//! nextest does not run doc tests, so these follow.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::repository::cargo;
use crate::services::{Interrupt, Services};

/// Runs the tests; returns the exit code. `arguments` are passed to nextest or `cargo test`.
pub fn test(root: &Path, arguments: &[String], interrupt: &Interrupt) -> Result<u8> {
    let mut services = Services::start(root, interrupt)?;
    let has_nextest = cargo(root)
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());

    let mut tests = cargo(root);
    tests.args(if has_nextest { &["nextest", "run"][..] } else { &["test"][..] });
    add_arguments(&mut tests, arguments);
    let code = services.run(&tests, interrupt)?;

    // A selection of tests does not include the doc tests of everything.
    if code != 0 || !has_nextest || !arguments.is_empty() {
        return Ok(code);
    }
    let mut doc_tests = cargo(root);
    doc_tests.args(["test", "--doc", "--workspace", "--quiet"]);
    services.run(&doc_tests, interrupt)
}

/// The whole workspace, unless the arguments name packages.
fn add_arguments(tests: &mut Command, arguments: &[String]) {
    let names_package = |argument: &String| ["-p", "--package"].contains(&argument.as_str());
    if !arguments.iter().any(names_package) {
        tests.arg("--workspace");
    }
    tests.args(arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: &str, arguments: &[&str], expected: &str) {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let mut command = Command::new("cargo");
        add_arguments(&mut command, &arguments);
        let actual: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
        assert_eq!(actual.join(" "), expected, "{case}");
    }

    #[test]
    fn arguments() {
        check("everything", &[], "--workspace");
        check("a filter", &["moved_feed"], "--workspace moved_feed");
        check("one crate", &["-p", "store"], "-p store");
    }
}
