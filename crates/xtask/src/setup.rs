//! The programs that the tests need, and their installation.
//!
//! On Debian, as root, missing packages are installed; elsewhere we say exactly what to install. A test run never skips
//! tests because a program is missing: it names the program and fails.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::program;
use crate::services::{ensure_modules, ensure_venv, nats_server, node, npm, postgres_bin, python};
use crate::ui::chromium;

/// The programs that a test run starts.
pub struct Programs {
    /// The directory of `initdb` and `postgres`.
    pub postgres_bin: PathBuf,
    /// The NATS server.
    pub nats_server: PathBuf,
    /// A Python that can make a venv.
    pub python: PathBuf,
    /// Parses metrics as Prometheus does.
    pub promtool: PathBuf,
    /// The proxy that our configuration in `deploy/nginx` is for.
    pub nginx: PathBuf,
    /// Runs the identity provider of the tests.
    pub node: PathBuf,
    /// Installs it.
    pub npm: PathBuf,
}

/// Finds the programs; the error names the packages of the missing ones.
pub fn programs() -> Result<Programs> {
    let found = || {
        Some(Programs {
            postgres_bin: postgres_bin()?,
            nats_server: nats_server()?,
            python: python()?,
            promtool: promtool()?,
            nginx: nginx()?,
            node: node()?,
            npm: npm()?,
        })
    };
    found().with_context(what_is_missing)
}

fn what_is_missing() -> String {
    format!(
        "the tests need programs that are not installed, or too old: apt-get install {} (Node 20 or later)",
        missing(installed()).join(" ")
    )
}

/// The same with the browser, which only the tests of the web app start.
fn all_programs() -> Result<Programs> {
    let found = programs()?;
    chromium().with_context(what_is_missing)?;
    Ok(found)
}

fn promtool() -> Option<PathBuf> {
    program("promtool")
}

fn nginx() -> Option<PathBuf> {
    program("nginx")
}

/// Installs what is missing, if possible; quick if nothing is.
pub fn setup(root: &Path) -> Result<()> {
    let found = match all_programs() {
        Ok(found) => found,
        Err(missing) => {
            install(&missing)?;
            all_programs()?
        }
    };
    ensure_venv(root, &found.python)?;
    ensure_modules(root, &found.npm)?;
    crate::ui::build(root)?;
    Ok(())
}

/// Which of the programs are installed, in the order of their packages.
fn installed() -> [bool; 8] {
    let found = [postgres_bin(), nats_server(), python(), promtool(), nginx(), node(), npm(), chromium()];
    found.map(|program| program.is_some())
}

/// The packages to install, given which programs were found.
fn missing(found: [bool; 8]) -> Vec<&'static str> {
    let packages = ["postgresql", "nats-server", "python3-venv", "prometheus", "nginx", "nodejs", "npm", "chromium"];
    packages.into_iter().zip(found).filter(|(_, found)| !found).map(|(package, _)| package).collect()
}

fn install(why: &anyhow::Error) -> Result<()> {
    let packages = missing(installed());
    let Some(apt_get) = program("apt-get").filter(|_| rustix::process::geteuid().is_root()) else {
        bail!("{why}");
    };
    eprintln!("xtask: installing {}", packages.join(" "));
    let _policy = ServicesStayOff::begin()?;
    let apt_get = |arguments: &[&str]| -> Result<()> {
        let mut command = Command::new(&apt_get);
        command.arg("--quiet").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        let status = command.status().context("cannot run apt-get")?;
        if !status.success() {
            bail!("apt-get {} failed ({status})", arguments.join(" "));
        }
        Ok(())
    };
    apt_get(&["update"])?;
    apt_get(&[&["install", "--yes", "--no-install-recommends"], &packages[..]].concat())
}

/// Debian starts a server as soon as its package is installed. We start our own, so this prevents it in Debian's way: a
/// `policy-rc.d` that forbids it, for as long as this value lives.
struct ServicesStayOff {
    ours: bool,
}

const POLICY: &str = "/usr/sbin/policy-rc.d";

impl ServicesStayOff {
    fn begin() -> Result<Self> {
        // An existing one (in most container images) is left unchanged.
        let ours = !Path::new(POLICY).exists();
        if ours {
            fs::write(POLICY, "#!/bin/sh\nexit 101\n").with_context(|| format!("cannot write {POLICY}"))?;
            fs::set_permissions(POLICY, fs::Permissions::from_mode(0o755))?;
        }
        Ok(Self { ours })
    }
}

impl Drop for ServicesStayOff {
    fn drop(&mut self) {
        if self.ours
            && let Err(error) = fs::remove_file(POLICY)
        {
            eprintln!("xtask: cannot remove {POLICY}, which keeps packages from starting their services: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_named() {
        assert_eq!(missing([true; 8]), Vec::<&str>::new());
        let found = [false, true, false, true, false, false, true, false];
        assert_eq!(missing(found), ["postgresql", "python3-venv", "nginx", "nodejs", "chromium"]);
    }
}
