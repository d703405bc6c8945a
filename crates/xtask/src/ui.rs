//! The web app in `ui/`: built into `ui/dist`, which the `web` crate embeds, its own tests, and what a browser does with it.
//! Needs Node and npm; the browser is Chromium, as Debian packages it.
//!
//! Quick if nothing has changed. Only what the lock file names is installed, and no package runs a script while it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::repository::{cargo, program, target_dir};
use crate::services::{node, npm};

/// Where what the app is made of lies, below `ui`.
const SOURCES: &[&str] = &["src", "css", "public", "index.html", "build.mjs", "package-lock.json"];

/// Builds the app, unless it is up to date.
pub fn build(root: &Path) -> Result<()> {
    let ui = root.join("ui");
    let (node, npm) = programs()?;
    install(&ui, &npm)?;
    let built = fs::metadata(ui.join("dist/manifest.json")).and_then(|file| file.modified()).ok();
    let newest = SOURCES.iter().filter_map(|name| newest(&ui.join(name))).max();
    if built.is_some() && built > newest {
        return Ok(());
    }
    run(Command::new(node).arg("build.mjs").current_dir(&ui))
}

/// Checks the types of the app and runs its unit tests.
pub fn test(root: &Path) -> Result<()> {
    build(root)?;
    let (_, npm) = programs()?;
    for script in ["check", "test"] {
        run(Command::new(&npm).args(["run", "--silent", script]).current_dir(root.join("ui")))?;
    }
    Ok(())
}

/// Drives the real program with a browser: every screen, every state, in about two minutes.
pub fn e2e(root: &Path, arguments: &[String]) -> Result<()> {
    browse(root, "test/e2e/run.mjs", arguments)
}

/// Takes pictures of every screen into `ui/dist-test`; `--docs` takes those of the README into `docs/images`.
pub fn screenshots(root: &Path, arguments: &[String]) -> Result<()> {
    browse(root, "test/screenshots.mjs", arguments)
}

/// The browser of the tests, if there is one.
pub fn chromium() -> Option<PathBuf> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(program)
}

/// Runs a script of `ui` that starts the program and a browser.
fn browse(root: &Path, script: &str, arguments: &[String]) -> Result<()> {
    let chromium =
        chromium().context("the web app is tested with Chromium: apt-get install chromium, or from chromium.org")?;
    build(root)?;
    run(cargo(root).args(["build", "--package", "courant"]))?;
    let (node, _) = programs()?;
    let courant = target_dir(root).join("debug/courant");
    run(Command::new(node)
        .arg(script)
        .args(arguments)
        .current_dir(root.join("ui"))
        .env("COURANT_BIN", courant)
        .env("CHROMIUM", chromium))
}

fn programs() -> Result<(PathBuf, PathBuf)> {
    let found = node().zip(npm());
    found.context("the web app needs Node 20 or newer and npm: apt-get install nodejs npm, or from nodejs.org")
}

fn install(ui: &Path, npm: &Path) -> Result<()> {
    let wanted = fs::read_to_string(ui.join("package-lock.json")).context("cannot read ui/package-lock.json")?;
    let installed = ui.join("node_modules/.installed.json");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    eprintln!("xtask: installing what the web app is built with into ui/node_modules");
    run(Command::new(npm)
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(ui))?;
    fs::write(&installed, wanted)?;
    Ok(())
}

/// When something in a file or directory was last changed.
fn newest(path: &Path) -> Option<SystemTime> {
    let own = fs::metadata(path).ok()?.modified().ok();
    let inside = fs::read_dir(path).into_iter().flatten().flatten().filter_map(|entry| newest(&entry.path()));
    inside.chain(own).max()
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_of_a_directory_counts() {
        let directory = std::env::temp_dir().join(format!("xtask-ui-{}", std::process::id()));
        fs::create_dir_all(directory.join("a")).unwrap();
        fs::write(directory.join("a/b"), "").unwrap();
        let later = SystemTime::now() + std::time::Duration::from_mins(5);
        fs::File::options().write(true).open(directory.join("a/b")).unwrap().set_modified(later).unwrap();
        assert_eq!(newest(&directory), Some(later));
        assert_eq!(newest(&directory.join("nothing")), None);
        fs::remove_dir_all(directory).unwrap();
    }
}
