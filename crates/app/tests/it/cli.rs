//! The command line prints results on standard output, errors on standard error, and sets the exit code.

use std::io;
use std::process::Stdio;

use serde_json::Value;

use crate::program::Program;

#[test]
fn the_version_is_one_line() {
    let run = Program::new().run(&["--version"]);
    assert_eq!((run.stdout, run.code), (format!("courant {}\n", env!("CARGO_PKG_VERSION")), 0));
}

#[test]
fn help_lists_commands_in_groups_and_says_where_the_rest_is() {
    let run = Program::new().run(&["--help"]);
    for part in ["Usage: courant [OPTIONS] <COMMAND>", "Set up:\n  config ", "courant help options"] {
        assert!(run.stdout.contains(part), "{part} in:\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("--s3-region"), "only flags that everybody needs");
    assert!(!run.stdout.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn a_usage_error_exits_with_2() {
    for arguments in [
        &[][..],
        &["nonsense"],
        &["config", "chek"],
        &["config", "check", "--nonsense"],
        &["config", "check", "--store", "--json"],
    ] {
        let run = Program::new().run(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(run.stderr.contains("--help") || run.stderr.contains("Usage:"), "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn a_global_flag_may_stand_before_or_after_the_command() {
    for arguments in [["--listen", "[::1]:80", "config", "check"], ["config", "check", "--listen", "[::1]:80"]] {
        assert_eq!(Program::new().run(&arguments).code, 0, "{arguments:?}");
    }
    let run = Program::new().run(&["--listen", "x", "config", "check"]);
    assert!(run.stderr.starts_with("error: `web.listen` from --listen is `x`"), "{}", run.stderr);
    assert_eq!(Program::new().setting("blobs.s3_allow_http", &["--s3-allow-http"]), "true from --s3-allow-http");
    assert_eq!(Program::new().setting("blobs.s3_allow_http", &["--s3-allow-http=no"]), "false from --s3-allow-http");
}

#[test]
fn with_json_errors_are_json_too() {
    let check = |arguments: &[&str], code: i32, expected: &str| {
        let run = Program::new().run(arguments);
        let error: Value = serde_json::from_str(&run.stderr).unwrap_or_else(|_| panic!("{}", run.stderr));
        assert!(error["error"].as_str().unwrap().contains(expected), "{arguments:?}: {error}");
        assert_eq!(run.code, code, "{arguments:?}");
        error
    };
    let error =
        check(&["config", "check", "--json", "--listen", "x", "--log", "y"], 1, "the configuration has problems");
    assert_eq!(error["problems"].as_array().unwrap().len(), 2);
    check(&["config", "chek", "--json"], 2, "unrecognized subcommand");
}

#[test]
fn json_answers_are_json() {
    for command in ["check", "show", "docs"] {
        let run = Program::new().run(&["config", command, "--json"]);
        assert!(serde_json::from_str::<Value>(&run.stdout).is_ok(), "{command}: {}", run.stdout);
    }
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    for arguments in [&["config", "docs"][..], &["config", "show"], &["--help"], &["--version"]] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = Program::new().command(arguments).stdout(Stdio::from(writer)).output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_is_a_failure() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let output = Program::new().command(&["config", "docs"]).stdout(full).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.starts_with("error: cannot write to standard output, caused by: "), "{stderr}");
    assert_eq!(output.status.code(), Some(1));
}
