//! House rules that reviewers should not have to remember, checked by reading the repository.
//!
//! `cargo xtask tidy` prints its findings, and the tests of this crate expect none. Each rule has a file and looks only
//! at a list of files, so it passes when there is nothing to check yet, and its tests can show that it finds what it
//! forbids. What clippy or rustfmt can check is left to them.

mod clocks;
mod egress;
mod house;
mod machine;
mod migrations;
mod purity;
mod rust_text;
mod sources;
mod tree;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;

use house::Manifest;
use tree::Tree;

/// One violation of a house rule: where, what is wrong, what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    path: PathBuf,
    line: usize,
    what: String,
    remedy: String,
}

impl Finding {
    fn new(path: &Path, line: usize, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path: path.to_path_buf(), line, what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}; {}", self.path.display(), self.line, self.what, self.remedy)
    }
}

/// All violations in the repository at `root`, in file order.
pub fn tidy(root: &Path) -> Result<Vec<Finding>> {
    let tree = Tree::read(root)?;
    let manifests = Manifest::read_all(&tree)?;
    let mut findings = Vec::new();
    findings.extend(house::check(&manifests));
    findings.extend(purity::check(&tree, &manifests)?);
    findings.extend(egress::check(&tree, &manifests)?);
    findings.extend(migrations::check(&tree));
    findings.extend(clocks::check(&tree));
    findings.extend(sources::check(&tree));
    findings.extend(machine::check(&tree));
    findings.sort();
    findings.dedup();
    Ok(findings)
}
