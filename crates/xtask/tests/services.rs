//! The services of a test run end with it, however it ends.
//!
//! Each test runs the real `xtask services` with a temporary directory of its own, which must be empty afterwards.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, process};

use rustix::process::{Pid, Signal, kill_process};

#[test]
fn the_code_of_the_command_is_passed_on() {
    let mut run = Run::start("code", "exit 7");
    assert_eq!(run.child.wait().unwrap().code(), Some(7));
    run.expect_nothing_left();
}

#[test]
fn an_interrupt_stops_everything() {
    let mut run = Run::start("interrupt", "sleep 1000");
    run.signal(Signal::INT);
    assert_eq!(run.child.wait().unwrap().code(), Some(130));
    run.expect_nothing_left();
}

#[test]
fn a_termination_stops_everything() {
    let mut run = Run::start("terminate", "trap 'exit 3' TERM; sleep 1000 & wait");
    run.signal(Signal::TERM);
    assert_eq!(run.child.wait().unwrap().code(), Some(143));
    run.expect_nothing_left();
}

// This uses setpriv, which is Linux only.
#[cfg(target_os = "linux")]
#[test]
fn the_servers_do_not_survive_a_kill() {
    let mut run = Run::start("kill", "exec sleep 1000");
    run.signal(Signal::KILL);
    run.child.wait().unwrap();
    // It could not remove its directory, so the next run does, once no process writes there any more.
    let [left] = &run.left_behind()[..] else { panic!("{:?}", run.left_behind()) };
    let pid_file = left.join("postgres/data/postmaster.pid");
    run.wait_until("the servers are gone", |run| !pid_file.exists() && run.answering().is_empty());
    let mut next = Run::start("kill", "exit 0");
    next.child.wait().unwrap();
    next.expect_nothing_left();
}

/// `xtask services` running a shell, and the addresses of its servers.
struct Run {
    child: Child,
    servers: Vec<SocketAddr>,
    temporary: PathBuf,
}

impl Run {
    /// Starts it and waits until the command runs, with all servers up.
    #[track_caller]
    fn start(name: &str, script: &str) -> Self {
        let temporary = env::temp_dir().join(format!("xtask-services-{}-{name}", process::id()));
        fs::create_dir_all(&temporary).expect("a directory can be made");
        fs::set_permissions(&temporary, Permissions::from_mode(0o755)).expect("it can be opened to others");
        let script = format!("echo $COURANT_TEST_POSTGRES $COURANT_TEST_NATS $COURANT_TEST_S3; {script}");
        let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["services", "--", "sh", "-c", &script])
            .env("TMPDIR", &temporary)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("xtask can be run");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("the command speaks");
        let servers: Vec<SocketAddr> = line.split_whitespace().map(address).collect();
        assert_eq!(servers.len(), 3, "{line}");
        Self { child, servers, temporary }
    }

    fn signal(&self, signal: Signal) {
        assert_eq!(self.answering().len(), 3, "all are up before the signal");
        kill_process(Pid::from_child(&self.child), signal).expect("it still runs");
    }

    fn left_behind(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.temporary).expect("the directory is there");
        entries.flatten().map(|entry| entry.path()).collect()
    }

    #[expect(clippy::disallowed_methods, reason = "servers that were started here")]
    fn answering(&self) -> Vec<&SocketAddr> {
        self.servers.iter().filter(|server| TcpStream::connect(server).is_ok()).collect()
    }

    #[track_caller]
    fn wait_until(&self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !is_so(self) {
            assert!(Instant::now() < deadline, "still not: {what}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn expect_nothing_left(&self) {
        assert_eq!(self.answering(), Vec::<&SocketAddr>::new());
        assert_eq!(self.left_behind(), Vec::<PathBuf>::new());
        fs::remove_dir(&self.temporary).expect("the directory is empty");
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // It is still running only after a failed assertion; its servers end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address in `scheme://user:password@127.0.0.1:port/path`.
fn address(url: &str) -> SocketAddr {
    let server = url.split("://").nth(1).and_then(|rest| rest.split('/').next());
    server.and_then(|server| server.rsplit('@').next()?.parse().ok()).expect("a URL with a server")
}
