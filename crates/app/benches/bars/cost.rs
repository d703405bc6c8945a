//! The cost of a program: processor seconds and peak memory of one child process, as counted by the kernel.
//!
//! The child is started by a small process of its own (`measure`), which has no other children: so the kernel's sum is
//! that of the child, and memory that the harness once held is not included.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};

/// The cost of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// User and system.
    pub(crate) cpu_seconds: f64,
    pub(crate) wall_seconds: f64,
    pub(crate) peak_megabytes: f64,
}

/// Runs a command to its end and returns its cost. A command that fails ends the benchmark.
pub(crate) fn cost(command: &Command, log: &Path) -> Cost {
    let mut measured = Command::new(std::env::current_exe().expect("this program has a name"));
    measured.arg("measure").arg(log).arg(command.get_program()).args(command.get_args());
    measured.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = measured.stderr(Stdio::inherit()).output().expect("this program starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = said.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    match numbers[..] {
        [cpu_seconds, wall_seconds, peak_megabytes] if output.status.success() => {
            Cost { cpu_seconds, wall_seconds, peak_megabytes }
        }
        _ => panic!("{command:?} failed; what it said is in {}", log.display()),
    }
}

/// The process itself: `measure LOG PROGRAM ARGUMENTS`.
pub(crate) fn measure(arguments: &[String]) -> std::process::ExitCode {
    let [log, program, rest @ ..] = arguments else { panic!("measure what?") };
    let log = std::fs::OpenOptions::new().create(true).append(true).open(log).expect("a log can be written");
    let also = log.try_clone().expect("a log can be shared");
    let begun = Instant::now();
    let status = Command::new(program).args(rest).stdin(Stdio::null()).stdout(log).stderr(also).status();
    let wall = begun.elapsed().as_secs_f64();
    if !status.is_ok_and(|status| status.success()) {
        return std::process::ExitCode::FAILURE;
    }
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the kernel counts");
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let cpu = seconds(used.user_time()) + seconds(used.system_time());
    println!("{cpu} {wall} {}", used.max_rss() as f64 / 1024.0);
    std::process::ExitCode::SUCCESS
}
