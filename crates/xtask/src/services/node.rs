//! Node and the packages of npm that tests run: the identity provider in `tests/oidc`, below the build directory.
//!
//! Only what the lock file names is installed, and no package runs a script while it is. Tests start the programs themselves.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::{program, target_dir};

/// The oldest Node that runs the identity provider.
const OLDEST: u32 = 20;

/// A Node that is new enough, if there is one.
pub fn node() -> Option<PathBuf> {
    let node = program("node")?;
    let said = Command::new(&node).arg("--version").output().ok()?;
    (major(&String::from_utf8_lossy(&said.stdout))? >= OLDEST).then_some(node)
}

/// What installs packages.
pub fn npm() -> Option<PathBuf> {
    program("npm")
}

/// Installs the packages of `tests/oidc`, unless they are there already; returns their directory.
pub fn ensure_modules(root: &Path, npm: &Path) -> Result<PathBuf> {
    let source = root.join("tests/oidc");
    let wanted = fs::read_to_string(source.join("package-lock.json"))
        .with_context(|| format!("cannot read the lock file in {}", source.display()))?;
    let kept = target_dir(root).join("npm");
    let directory = kept.join("oidc");
    let (modules, installed) = (directory.join("node_modules"), directory.join("installed.json"));
    let is_current = || fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted);
    if is_current() {
        return Ok(modules);
    }
    fs::create_dir_all(&directory)?;
    let lock = File::create(kept.join("oidc.lock"))?;
    lock.lock()?;
    // The previous holder of the lock may have installed them.
    if !is_current() {
        eprintln!("xtask: installing oidc-provider (the identity provider of the tests) into {}", directory.display());
        for file in ["package.json", "package-lock.json"] {
            fs::copy(source.join(file), directory.join(file))?;
        }
        let mut command = Command::new(npm);
        command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&directory);
        let status = command.status().with_context(|| format!("cannot run {}", npm.display()))?;
        if !status.success() {
            bail!("{command:?} failed ({status})");
        }
        fs::write(&installed, wanted)?;
    }
    Ok(modules)
}

/// The major version in `v22.1.0`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(["v22.1.0\n", "v8", "22.1.0", "vx.1", ""].map(major), [Some(22), Some(8), None, None, None]);
    }
}
