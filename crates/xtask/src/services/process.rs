//! One server process: started with its output in a log, waited for, stopped by its process id.
//!
//! A child process that was not yet waited for keeps its id, so a signal can never hit another process.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal};

use super::Interrupt;
use crate::repository::program;

/// A running server. Dropping it stops it.
pub(super) struct Service {
    name: &'static str,
    child: Child,
    log: PathBuf,
    /// The signal for an orderly stop.
    stop: Signal,
    dead: bool,
}

impl Service {
    /// Starts it, as `owner` (user and group) if given.
    pub(super) fn spawn(
        name: &'static str,
        command: &Command,
        owner: Option<(u32, u32)>,
        dir: &Path,
        stop: Signal,
    ) -> Result<Self> {
        let log = dir.join(format!("{name}.log"));
        let output = File::create(&log)?;
        let mut command = ending_with_us(command, stop);
        if let Some((uid, gid)) = owner {
            command.uid(uid).gid(gid);
        }
        let child = command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            // In its own group, out of reach of Ctrl-C: we stop it after the tests.
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        Ok(Self { name, child, log, stop, dead: false })
    }

    /// Polls until the server responds. An error if it ends, or does not respond by the deadline.
    pub(super) fn wait_until(
        &mut self,
        deadline: Instant,
        interrupt: &Interrupt,
        mut answers: impl FnMut() -> bool,
    ) -> Result<()> {
        loop {
            interrupt.check()?;
            if let Some(status) = self.child.try_wait()? {
                self.dead = true;
                bail!("{} exited at once ({status}); its log:\n{}", self.name, self.log_tail());
            }
            if answers() {
                return Ok(());
            }
            if Instant::now() > deadline {
                bail!("{} does not respond; its log:\n{}", self.name, self.log_tail());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Reports, once, that the server ended during the tests: otherwise their failures would be hard to explain.
    pub(super) fn complain_if_dead(&mut self) {
        if !self.dead
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.dead = true;
            eprintln!("xtask: {} died during the tests ({status}); its log:\n{}", self.name, self.log_tail());
        }
    }

    /// Ends it with another signal than the one for an orderly stop.
    pub(super) fn end_with(mut self, signal: Signal) {
        self.stop = signal;
    }

    fn log_tail(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let pid = Pid::from_child(&self.child);
        let deadline = Instant::now() + Duration::from_secs(10);
        let mut signal = Some(self.stop);
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() > deadline {
                signal = Some(Signal::KILL);
            }
            if let Some(signal) = signal.take() {
                // Fails only if it has just ended, which the next check will show.
                let _ = rustix::process::kill_process(pid, signal);
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Whether a server could not start because its port was taken meanwhile.
pub(super) fn is_port_taken(error: &anyhow::Error) -> bool {
    format!("{error:#}").to_lowercase().contains("address already in use")
}

/// The same command, but the kernel signals it if we are killed without a chance to stop it ourselves.
///
/// Without `setpriv` (Linux only) the command is returned unchanged.
pub(super) fn ending_with_us(command: &Command, signal: Signal) -> Command {
    static SETPRIV: OnceLock<Option<PathBuf>> = OnceLock::new();
    // Busybox has a setpriv without --pdeathsig, so it is tried out.
    let setpriv = SETPRIV.get_or_init(|| {
        let setpriv = program("setpriv")?;
        let probe = Command::new(&setpriv).args(["--pdeathsig", "TERM", "true"]).stderr(Stdio::null()).status();
        probe.is_ok_and(|status| status.success()).then_some(setpriv)
    });
    let mut wrapped = match setpriv {
        None => Command::new(command.get_program()),
        Some(setpriv) => {
            let mut wrapped = Command::new(setpriv);
            // It knows signals by name only.
            let signal = if signal == Signal::INT { "INT" } else { "TERM" };
            wrapped.args(["--pdeathsig", signal, "--"]).arg(command.get_program());
            wrapped
        }
    };
    wrapped.args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        wrapped.current_dir(dir);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    wrapped
}
