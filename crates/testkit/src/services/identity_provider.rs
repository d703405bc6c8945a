//! A real identity provider (npm: oidc-provider) of one test, with switches to falsify what it says.
//!
//! Its program is `tests/oidc/provider.mjs`, which explains the switches.

use super::environment;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

const PROGRAM: &str = include_str!("../../../../tests/oidc/provider.mjs");

/// A running provider; killed when dropped.
pub struct IdentityProvider {
    child: Child,
    issuer: String,
    _directory: TempDir,
}

/// Starts a provider that knows one client; returns when it listens.
pub fn identity_provider(client_id: &str, client_secret: &str, redirect_uris: &[&str]) -> IdentityProvider {
    let directory = tempfile::tempdir().expect("a directory");
    let program = directory.path().join("provider.mjs");
    std::fs::write(&program, PROGRAM).expect("a file");
    // Node looks for packages beside the program.
    symlink(environment("COURANT_TEST_NODE_MODULES"), directory.path().join("node_modules")).expect("a link");
    let mut command = Command::new(environment("COURANT_TEST_NODE"));
    command.arg(&program).args([client_id, client_secret]).args(redirect_uris).current_dir(directory.path());
    // It ends with its standard input, that is, with this process at the latest.
    let log = std::fs::File::create(directory.path().join("log")).expect("a file");
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn();
    let mut child = spawned.expect("node can be run");
    let mut line = String::new();
    let stdout = child.stdout.as_mut().expect("a pipe");
    let _ = BufReader::new(stdout).read_line(&mut line);
    let log = || std::fs::read_to_string(directory.path().join("log")).unwrap_or_default();
    assert!(line.starts_with("http://127.0.0.1:"), "the identity provider does not start: {line:?} {}", log());
    IdentityProvider { child, issuer: line.trim().to_owned(), _directory: directory }
}

impl IdentityProvider {
    /// What it calls itself.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Sets switches, as JSON.
    pub fn set(&self, switches: &str) {
        let answer = self.request("POST /test", switches);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }

    /// The paths that it was asked for, as a JSON list.
    pub fn requests(&self) -> String {
        let answer = self.request("GET /test/requests", "");
        answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).expect("an answer has a body")
    }

    #[expect(clippy::disallowed_methods, reason = "asks the program it has started")]
    fn request(&self, line: &str, body: &str) -> String {
        let address = self.issuer.strip_prefix("http://").expect("an address");
        let mut stream = TcpStream::connect(address).expect("the identity provider listens");
        // HTTP/1.0: the body ends with the connection, and is not in chunks.
        let length = body.len();
        write!(stream, "{line} HTTP/1.0\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n{body}").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }
}

impl Drop for IdentityProvider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
