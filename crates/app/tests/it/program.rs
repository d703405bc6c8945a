//! Runs the real binary in a directory of its own with an empty environment, so that a test sees only what it set.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A directory to run `courant` in.
pub(crate) struct Program {
    directory: TempDir,
    env: Vec<(String, String)>,
}

/// The result of a run.
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Program {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), env: Vec::new() }
    }

    /// Sets a variable for later runs.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Writes a file, with its directories.
    pub(crate) fn file(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The command, not yet started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_courant"));
        command.args(arguments).env_clear().envs(self.env.iter().cloned()).current_dir(self.directory.path());
        command
    }

    /// A shell with the same environment, for what only a shell can set.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).env_clear().envs(self.env.iter().cloned()).current_dir(self.directory.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.command(arguments).output().unwrap().into()
    }

    /// Value and origin of an option, as shown by `config show`.
    pub(crate) fn setting(&self, key: &str, flags: &[&str]) -> String {
        let run = self.run(&[&["config", "show", "--json"], flags].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let shown: Value = serde_json::from_str(&run.stdout).unwrap();
        let setting = shown["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == key).unwrap();
        format!("{} from {}", setting["value"].as_str().unwrap_or("none"), setting["from"].as_str().unwrap())
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap_or(-1),
        }
    }
}
