//! LiteLLM's proxy, a model server that somebody else wrote; its models are scripted in `tests/litellm.yaml`.
//!
//! Only the benchmark `litellm` starts it: it takes minutes to install and a quarter of one to start.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use rustix::process::Signal;

use super::process::Service;

/// The key that the proxy asks for.
pub(super) const KEY: &str = "sk-0123456789abcdef";

pub(super) fn spawn(venv: &Path, root: &Path, dir: &Path, port: u16) -> Result<Service> {
    let mut command = Command::new(venv.join("bin/python"));
    command
        .args(["-c", "import sys; from litellm import run_server; sys.exit(run_server())"])
        .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--config"])
        .arg(root.join("tests/litellm.yaml"))
        .env("LITELLM_MASTER_KEY", KEY)
        // The list of prices comes with the package; without this it is fetched.
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        .current_dir(dir);
    Service::spawn("litellm", &command, None, dir, Signal::TERM)
}

/// Whether it is ready for calls.
#[expect(clippy::disallowed_methods, reason = "a server that was started here")]
pub(super) fn answers(port: u16) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "GET /health/liveliness HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    ask().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
}
