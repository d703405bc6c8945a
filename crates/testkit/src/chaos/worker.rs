//! One worker process: the real binary, its log, and signals to it.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal};

/// The timeout of waiting for another process.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

/// A running worker; killed when it is dropped.
pub struct Worker {
    /// Its name in requests to publishers.
    pub name: String,
    child: Child,
    log: Arc<Mutex<String>>,
}

/// Whether limits are set while the process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// None.
    None,
    /// A file size limit gives the process an error instead of killing it.
    Files,
}

impl Worker {
    pub(super) fn start(name: String, command: &Command, limits: Limits) -> Self {
        let mut started = match limits {
            Limits::None => Command::new(command.get_program()),
            Limits::Files => {
                // Ignored signals stay ignored after exec; without this, the system would kill it.
                let mut shell = Command::new("sh");
                shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(command.get_program());
                shell
            }
        };
        started.args(command.get_args()).env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                started.env(name, value);
            }
        }
        let mut child = started.spawn().expect("the binary can be started");
        let log = Arc::new(Mutex::new(String::new()));
        // A pipe, not a file: it must be able to log that the disk is full.
        let (lines, kept) = (BufReader::new(child.stderr.take().expect("its log is a pipe")).lines(), Arc::clone(&log));
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push_str(&line);
                kept.push('\n');
            }
        });
        Self { name, child, log }
    }

    /// Its process id, which is part of its name in the database.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// kill -9.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Whether it has ended by itself, which no worker should.
    pub fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// Stops it, and returns when it has stopped.
    pub async fn freeze(&self) {
        self.signal(Signal::STOP);
        let stat = format!("/proc/{}/stat", self.id());
        let stands = || fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") T "));
        assert!(until(PATIENCE, stands).await, "{} does not stop", self.name);
    }

    /// Resumes it.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Limits the size of its files; `None` removes the limit.
    pub fn limit_files(&self, bytes: Option<u64>) {
        let limit = Rlimit { current: bytes, maximum: None };
        rustix::process::prlimit(Some(Pid::from_child(&self.child)), Resource::Fsize, limit)
            .expect("the limits of a child can be set");
    }

    /// How often its log contains these words.
    pub fn said(&self, words: &str) -> usize {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).matches(words).count()
    }

    /// The end of its log.
    pub fn log_tail(&self) -> String {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.child), signal).expect("a child can be signalled");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Polls a condition; returns whether it became true in time.
pub(super) async fn until(patience: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    while !is_so() {
        if Instant::now() > deadline {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    true
}
