//! The time of `courant serve` from nothing to its first response, and its memory then. Reports each figure with its
//! target; run by `cargo xtask bench`. Medians of several starts, each on an empty directory.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Instant;

use trial::{Bar, figure};

const STARTS: usize = 9;

fn main() {
    let mut figures: Vec<(f64, f64)> = (0..STARTS).map(|_| start()).collect();
    figures.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (milliseconds, _) = figures[STARTS / 2];
    figures.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (_, megabytes) = figures[STARTS / 2];
    let note = format!("an empty directory; median of {STARTS}");
    figure("start", "start to first answer, ms", milliseconds, Bar::AtMost(300.0), &note);
    figure("start", "resident memory when idle, MB", megabytes, Bar::AtMost(25.0), &note);
}

/// Milliseconds to the first response, and megabytes held after it.
#[expect(clippy::disallowed_methods, reason = "asks the program it has started")]
fn start() -> (f64, f64) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let began = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_courant"))
        .args(["serve", "--listen", "127.0.0.1:0"])
        .env_clear()
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("courant starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("it says where it serves");
    let address = line.trim().rsplit('/').next().expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    write!(stream, "GET /api/health HTTP/1.1\r\nhost: courant\r\nconnection: close\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("Linux tells about processes");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line for memory");
    let kilobytes: f64 = resident.trim().trim_end_matches(" kB").parse().expect("a number");
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    (milliseconds, kilobytes / 1024.0)
}
