//! Rule: no path of the developer's machine in the repository.
//!
//! Searches every text file for absolute paths of home and work directories. Third-party feeds (`corpus/`) are exempt.

use std::path::Path;

use super::Finding;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for path in tree.files.iter().filter(|path| !path.components().any(|part| part.as_os_str() == "corpus")) {
        for (number, line) in (1..).zip(tree.text(path).unwrap_or_default().lines()) {
            findings.extend(machine_path(line).map(|found| finding(path, number, found)));
        }
    }
    findings
}

fn finding(path: &Path, line: usize, found: &str) -> Finding {
    let what = format!("`{found}` is a path of one machine");
    Finding::new(path, line, what, "write a path relative to the repository, or a made-up one")
}

/// The first such path in a line; one that continues a host or another directory does not count.
fn machine_path(line: &str) -> Option<&str> {
    line.match_indices('/').find_map(|(at, _)| {
        let before = &line[..at];
        let goes_on = before.ends_with(|c: char| c.is_alphanumeric() || "._-~/%}>)*]".contains(c));
        if goes_on && !before.ends_with("file://") {
            return None;
        }
        let mut parts = line[at + 1..].split('/');
        let (dir, below) = (parts.next()?, parts.next()?);
        let name = below.chars().take_while(|c| c.is_alphanumeric() || "_-.".contains(*c)).count();
        let found = match dir {
            "root" | "work" => dir.len() + 2,
            // /home/<name>/ in documentation is a placeholder.
            "home" | "Users" if name > 0 && name == below.len() && parts.next().is_some() => {
                dir.len() + below.len() + 3
            }
            _ => return None,
        };
        Some(&line[at..at + found])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        // Written with a bar, or this file would be a finding itself.
        assert_eq!(machine_path(&line.replace('|', "/")).unwrap_or(""), expected.replace('|', "/"), "{line}");
    }

    #[test]
    fn paths_of_machines() {
        check("cd |root|src", "|root|");
        check("let p = \"|work|shared\";", "|work|");
        check("see file:||", "");
        check("see file:|||work|a", "|work|");
        check("(|home|ada|src)", "|home|ada|");
        check("|home|<name>|src", "");
        check("https:||example.org|work|", "");
        check("{dir}|work|x", "");
        check("|home|page", "");
        check("|rootless|x", "");
    }
}
