//! nats-server with JetStream, its streams in the temporary directory.
//!
//! It is reachable only from this machine, without a password: it holds nothing that matters. It is ready when it sends
//! its greeting.

use std::io::Read;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;

use super::process::Service;
use crate::repository::program;

/// The server program, if it is installed.
pub fn nats_server() -> Option<PathBuf> {
    program("nats-server")
}

pub(super) fn spawn(program: &Path, dir: &Path, port: u16) -> Result<Service> {
    let mut command = Command::new(program);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(dir.join("nats"));
    Service::spawn("nats-server", &command, None, dir, Signal::TERM)
}

/// A NATS server greets every client.
#[expect(clippy::disallowed_methods, reason = "a server that was started here")]
pub(super) fn answers(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let mut greeting = [0; 5];
    stream.set_read_timeout(Some(Duration::from_secs(1))).is_ok()
        && stream.read_exact(&mut greeting).is_ok()
        && &greeting == b"INFO "
}
