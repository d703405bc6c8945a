//! An S3 server: moto, from PyPI, in the venv of the tests.
//!
//! moto keeps objects in memory and accepts any credentials; it is used for its compatibility with S3, not for speed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::Signal;

use super::process::Service;

/// The bucket that every test may use, below a prefix of its own.
const BUCKET: &str = "courant-test";

pub(super) fn spawn(venv: &Path, dir: &Path, port: u16) -> Result<Service> {
    // Through Python rather than its script: the first line of a script cannot hold a long path.
    let mut command = Command::new(venv.join("bin/python"));
    command.args(["-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", &port.to_string()]);
    Service::spawn("moto", &command, None, dir, Signal::TERM)
}

pub(super) fn answers(port: u16) -> bool {
    request(port, "GET", "/moto-api/").is_ok_and(|status| status == 200)
}

pub(super) fn create_bucket(port: u16) -> Result<()> {
    match request(port, "PUT", &format!("/{BUCKET}"))? {
        200 => Ok(()),
        status => bail!("moto answered {status}"),
    }
}

/// One HTTP request without a body; returns the status.
#[expect(clippy::disallowed_methods, reason = "a server that was started here")]
fn request(port: u16, method: &str, path: &str) -> Result<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).context("moto did not answer in HTTP")
}
