//! The sources of the configuration, as data: the process's environment, working directory and flags, read once. The
//! only file that reads the environment; tests build their own `Sources`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// What a configuration is loaded from. Not `Debug`: the environment contains secrets.
#[derive(Clone, Default)]
pub struct Sources {
    /// Given flags: key of the option and text.
    pub flags: Vec<(&'static str, String)>,
    /// The file named by `--config`.
    pub config: Option<PathBuf>,
    /// The environment.
    pub env: BTreeMap<OsString, OsString>,
    /// The base of relative paths to files that are read.
    pub directory: PathBuf,
}

impl Sources {
    /// The environment and working directory of this process.
    pub fn of_process() -> Self {
        Self { env: std::env::vars_os().collect(), ..Self::default() }
    }

    /// Neither the environment nor a file of this machine: for what must not depend on them.
    pub fn apart(directory: PathBuf) -> Self {
        Self { directory, ..Self::default() }
    }

    /// Only these variables, and no file: for tests.
    #[cfg(test)]
    pub(crate) fn from_env(env: &[(&str, &str)]) -> Self {
        let env = env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { env, directory: "/nonexistent".into(), ..Self::default() }
    }
}
