//! An S3 server: moto, from PyPI, in a venv below the build directory.
//!
//! moto keeps objects in memory and accepts any credentials; it is used for its compatibility with S3, not for speed.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::Signal;

use super::process::Service;
use crate::repository::{program, target_dir};

/// The bucket that every test may use, below a prefix of its own.
const BUCKET: &str = "courant-test";

/// A Python that can create a venv, if there is one. Debian ships `venv` without the `ensurepip` it needs.
pub fn python() -> Option<PathBuf> {
    ["python3", "/usr/bin/python3"].into_iter().filter_map(program).find(|python| {
        let probe = Command::new(python).args(["-c", "import venv, ensurepip"]).stderr(Stdio::null()).status();
        probe.is_ok_and(|status| status.success())
    })
}

/// Creates the venv unless it exists and matches `tests/requirements.txt`.
pub fn ensure_venv(root: &Path, python: &Path) -> Result<PathBuf> {
    let requirements = root.join("tests/requirements.txt");
    let wanted =
        fs::read_to_string(&requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    let venv = target_dir(root).join("venv");
    let installed = venv.join("installed.txt");
    let is_current = || fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted);
    if is_current() {
        return Ok(venv);
    }
    fs::create_dir_all(target_dir(root))?;
    let lock = File::create(target_dir(root).join("venv.lock"))?;
    lock.lock()?;
    // The previous holder of the lock may have created it.
    if !is_current() {
        eprintln!("xtask: installing moto and schemathesis (for the tests) into {}", venv.display());
        run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))?;
        let pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--requirement"];
        run(Command::new(venv.join("bin/python")).args(pip).arg(&requirements))?;
        fs::write(&installed, wanted)?;
    }
    Ok(venv)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(())
}

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
