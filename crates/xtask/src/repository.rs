//! Paths: the root of the checkout, the build directory, installed programs.
//!
//! Everything is looked up on demand and nothing is cached: each command runs once.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// The root of the checkout that contains `start`: the nearest parent directory with a `[workspace]` that has members.
/// `fuzz` is a workspace of its own, without.
pub fn root_above(start: &Path) -> Result<PathBuf> {
    start
        .ancestors()
        .find(|dir| {
            std::fs::read_to_string(dir.join("Cargo.toml"))
                .is_ok_and(|manifest| manifest.contains("[workspace]\n") && manifest.contains("\nmembers = "))
        })
        .map(Path::to_path_buf)
        .with_context(|| format!("{} is not inside a checkout of this repository", start.display()))
}

/// The build directory, for everything that can be rebuilt.
pub fn target_dir(root: &Path) -> PathBuf {
    root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")))
}

/// The path of a program, also in the directories where Debian keeps daemons.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from))
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

/// The cargo that runs us, without the variables that it sets for *this* crate. Build scripts that watch such variables
/// would otherwise run again at every change between `cargo test` and `cargo xtask test`.
pub fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.current_dir(root);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let about_this_crate = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
        if about_this_crate.iter().any(|prefix| text.starts_with(prefix)) {
            cargo.env_remove(&name);
        }
    }
    cargo
}
