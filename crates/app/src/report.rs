//! How a failed command ends: one sentence on standard error and an exit code. The sentence names what failed; the
//! causes follow on the same line. Problems of the configuration are one per line. Called by `cli.rs` only.

use std::io::Write;
use std::process::ExitCode;

use serde_json::json;

use crate::config::Problems;
use crate::output::{Closed, Output};

/// The command is not possible here; the text says what to do instead.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotThisWay(pub(crate) String);

/// The command failed, and its output has said how.
#[derive(Debug, thiserror::Error)]
#[error("the answer says what is wrong")]
pub(crate) struct Told;

/// A site has several feeds, and there was no user to choose one.
#[derive(Debug, thiserror::Error)]
#[error("{url} has {} feeds: choose one with --pick NUMBER, or take them with --pick all", feeds.len())]
pub(crate) struct Choice {
    /// The site.
    pub(crate) url: String,
    /// Its feeds, in the order of their numbers.
    pub(crate) feeds: Vec<String>,
}

/// A choice is needed, and the output has said which.
#[derive(Debug, thiserror::Error)]
#[error("the answer says what to choose from")]
pub(crate) struct Undecided;

/// A choice is needed before anything can be done.
const CHOICE: u8 = 3;

/// Turns a command's result into the program's exit code, and prints errors.
pub(crate) fn finish(result: anyhow::Result<()>, output: Output) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<Closed>() => ExitCode::SUCCESS,
        Err(error) if error.is::<Told>() => ExitCode::FAILURE,
        Err(error) if error.is::<Undecided>() => ExitCode::from(CHOICE),
        Err(error) if error.is::<Choice>() => {
            complain(&sentence(&error, output));
            ExitCode::from(CHOICE)
        }
        Err(error) if error.is::<NotThisWay>() => {
            complain(&sentence(&error, output));
            ExitCode::from(2)
        }
        Err(error) => {
            complain(&sentence(&error, output));
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard error. If that is closed, nothing can be reported.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

fn sentence(error: &anyhow::Error, output: Output) -> String {
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    match (output, error.downcast_ref::<Problems>()) {
        (Output::Json(_), Some(problems)) => {
            json!({ "error": "the configuration has problems", "problems": problems.0 }).to_string()
        }
        (Output::Json(_), None) => json!({ "error": error.to_string(), "caused_by": causes }).to_string(),
        (Output::Text, Some(problems)) => {
            problems.0.iter().map(|problem| format!("error: {problem}")).collect::<Vec<_>>().join("\n")
        }
        (Output::Text, None) if causes.is_empty() => format!("error: {error}"),
        (Output::Text, None) => format!("error: {error}, caused by: {}", causes.join(": ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Layout;

    #[test]
    fn an_error_is_one_line_that_names_its_causes() {
        let check = |case: &str, error: &anyhow::Error, output, expected: &str| {
            assert_eq!(sentence(error, output), expected, "{case}");
        };
        let plain = anyhow::anyhow!("no feed with id 7");
        let deep = anyhow::anyhow!("disk full").context("cannot write").context("cannot save");
        let config = anyhow::Error::new(Problems(vec!["one".into(), "two".into()]));
        check("no cause", &plain, Output::Text, "error: no feed with id 7");
        check("causes", &deep, Output::Text, "error: cannot save, caused by: cannot write: disk full");
        check("problems", &config, Output::Text, "error: one\nerror: two");
        check(
            "no cause, JSON",
            &plain,
            Output::Json(Layout::Document),
            r#"{"caused_by":[],"error":"no feed with id 7"}"#,
        );
        check(
            "causes, JSON",
            &deep,
            Output::Json(Layout::Document),
            r#"{"caused_by":["cannot write","disk full"],"error":"cannot save"}"#,
        );
        check(
            "problems, JSON",
            &config,
            Output::Json(Layout::Document),
            r#"{"error":"the configuration has problems","problems":["one","two"]}"#,
        );
    }
}
