//! Prometheus' own reader of figures: what it understands and does not frown at, a Prometheus can be pointed at.

use super::handed_on;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// What `promtool check metrics` says of a page; nothing if it has nothing to say.
pub fn promtool(page: &str) -> String {
    let mut checking = Command::new(handed_on("COURANT_TEST_PROMTOOL"))
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
