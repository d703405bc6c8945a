//! Programs from PyPI: each set in a venv below the build directory, made once and again when its list changes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::repository::{program, target_dir};

/// A set of programs: a pinned list, and the directory it is installed into.
struct Venv {
    directory: &'static str,
    requirements: &'static str,
    /// For the message before a long wait.
    what: &'static str,
}

const TESTS: Venv = Venv { directory: "venv", requirements: "tests/requirements.txt", what: "moto and schemathesis" };

const LITELLM: Venv = Venv {
    directory: "venv-litellm",
    requirements: "tests/requirements-litellm.txt",
    what: "LiteLLM (two to three minutes)",
};

/// A Python that can create a venv, if there is one. Debian ships `venv` without the `ensurepip` it needs.
pub fn python() -> Option<PathBuf> {
    ["python3", "/usr/bin/python3"].into_iter().filter_map(program).find(|python| {
        let probe = Command::new(python).args(["-c", "import venv, ensurepip"]).stderr(Stdio::null()).status();
        probe.is_ok_and(|status| status.success())
    })
}

/// What the tests run from PyPI.
pub fn ensure_venv(root: &Path, python: &Path) -> Result<PathBuf> {
    ensure(&TESTS, root, python)
}

/// LiteLLM's proxy.
pub(super) fn ensure_litellm(root: &Path, python: &Path) -> Result<PathBuf> {
    ensure(&LITELLM, root, python)
}

/// Creates the venv unless it exists and matches its list.
fn ensure(wish: &Venv, root: &Path, python: &Path) -> Result<PathBuf> {
    let requirements = root.join(wish.requirements);
    let wanted =
        fs::read_to_string(&requirements).with_context(|| format!("cannot read {}", requirements.display()))?;
    let venv = target_dir(root).join(wish.directory);
    let installed = venv.join("installed.txt");
    let is_current = || fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted);
    if is_current() {
        return Ok(venv);
    }
    fs::create_dir_all(target_dir(root))?;
    let lock = File::create(target_dir(root).join(format!("{}.lock", wish.directory)))?;
    lock.lock()?;
    // The previous holder of the lock may have created it.
    if !is_current() {
        eprintln!("xtask: installing {} into {}", wish.what, venv.display());
        run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))?;
        let pip = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--requirement"];
        run(Command::new(venv.join("bin/python")).args(pip).arg(&requirements))?;
        fs::write(&installed, wanted)?;
    }
    Ok(venv)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(())
}
