//! Prometheus' own checker of metrics: a page that passes can be scraped by Prometheus.

use super::environment;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The output of `promtool check metrics` for a page; empty if it has no complaints.
pub fn promtool(page: &str) -> String {
    let mut checking = Command::new(environment("COURANT_TEST_PROMTOOL"))
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool can be run");
    checking.stdin.take().expect("a pipe").write_all(page.as_bytes()).expect("promtool reads");
    let checked = checking.wait_with_output().expect("promtool ends");
    let said = [checked.stdout, checked.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    if checked.status.success() { said } else { format!("{}: {said}", checked.status) }
}
