//! Code hosting: repositories and package registries.

use super::{Platform, UrlParts, is_name};

/// First path segments that are not accounts.
const GITHUB_OWN: [&str; 24] = [
    "about",
    "apps",
    "collections",
    "contact",
    "customer-stories",
    "enterprise",
    "events",
    "explore",
    "features",
    "issues",
    "join",
    "login",
    "marketplace",
    "new",
    "notifications",
    "pricing",
    "pulls",
    "readme",
    "search",
    "security",
    "settings",
    "site",
    "topics",
    "trending",
];

const FORGEJO: [&str; 4] = ["codeberg.org", "gitea.com", "code.forgejo.org", "git.disroot.org"];

/// Sites where users choose the names in paths.
pub(super) fn is_host(host: &str) -> bool {
    ["github.com", "gitlab.com"].contains(&host) || FORGEJO.contains(&host)
}

pub(super) fn github(parts: &UrlParts<'_>) -> Option<Platform> {
    if parts.host != "github.com" {
        return None;
    }
    let feed = |path: String| format!("https://github.com/{path}.atom");
    let candidates = match parts.path[..] {
        ["orgs" | "sponsors", account] => vec![feed(account.into())],
        [own, ..] if GITHUB_OWN.contains(&own) => return None,
        [account] => vec![feed(account.into())],
        [account, repository, ref rest @ ..] => {
            let repository = repository.strip_suffix(".git").unwrap_or(repository);
            let of = |what: &str| feed(format!("{account}/{repository}/{what}"));
            match *rest {
                ["releases", ..] => vec![of("releases")],
                ["tags"] => vec![of("tags")],
                ["wiki", ..] => vec![of("wiki")],
                // The rest is a branch, which may contain slashes, and the path of a file.
                ["commits" | "tree" | "blob", ref branch @ ..] if !branch.is_empty() => {
                    vec![of(&format!("commits/{}", branch.join("/")))]
                }
                ["commits"] => vec![of("commits")],
                _ => vec![of("releases"), of("commits"), of("tags")],
            }
        }
        [] => return None,
    };
    Platform::known("GitHub", candidates)
}

pub(super) fn gitlab(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 5] = ["explore", "users", "dashboard", "help", "-"];
    if parts.host != "gitlab.com" || parts.path.first().is_none_or(|first| OWN.contains(first)) {
        return None;
    }
    let dash = parts.path.iter().position(|part| *part == "-").unwrap_or(parts.path.len());
    let project = parts.at(&format!("/{}", parts.path[..dash].join("/")));
    let commits = |branch: &[&str]| format!("{project}/-/commits/{}?format=atom", branch.join("/"));
    Platform::known(
        "GitLab",
        match parts.path.get(dash + 1..).unwrap_or_default() {
            ["tags", ..] => vec![format!("{project}/-/tags?format=atom")],
            ["releases", ..] => vec![format!("{project}/-/releases.atom")],
            ["commits" | "tree" | "blob", branch @ ..] if !branch.is_empty() => vec![commits(branch)],
            _ if dash == 1 => vec![format!("{project}.atom")],
            _ => vec![
                format!("{project}/-/releases.atom"),
                format!("{project}/-/tags?format=atom"),
                format!("{project}.atom"),
            ],
        },
    )
}

/// Codeberg and other hosts of Forgejo or Gitea.
pub(super) fn codeberg(parts: &UrlParts<'_>) -> Option<Platform> {
    const OWN: [&str; 6] = ["explore", "user", "org", "api", "admin", "assets"];
    if !FORGEJO.contains(&parts.host) {
        return None;
    }
    let name = if parts.host == "codeberg.org" { "Codeberg" } else { "Forgejo" };
    let candidates = match parts.path[..] {
        [own, ..] if OWN.contains(&own) => return None,
        [account] => vec![parts.at(&format!("/{account}.atom"))],
        [account, repository, ref rest @ ..] => {
            let of = |what: &str| parts.at(&format!("/{account}/{repository}{what}"));
            match *rest {
                ["releases", ..] => vec![of("/releases.atom")],
                ["tags", ..] => vec![of("/tags.atom")],
                ["src" | "commits", "branch", branch, ..] => vec![of(&format!("/atom/branch/{branch}"))],
                _ => vec![of("/releases.atom"), of("/tags.atom"), of(".atom")],
            }
        }
        [] => return None,
    };
    Platform::known(name, candidates)
}

pub(super) fn pypi(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        ("pypi.org", ["project", name, ..]) if is_name(name) => {
            Platform::known("PyPI", [format!("https://pypi.org/rss/project/{name}/releases.xml")])
        }
        _ => None,
    }
}

pub(super) fn crates_io(parts: &UrlParts<'_>) -> Option<Platform> {
    match (parts.host, &parts.path[..]) {
        ("crates.io", ["crates", name, ..]) if is_name(name) => {
            Platform::known("crates.io", [format!("https://static.crates.io/rss/crates/{name}.xml")])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn repositories() {
        check("github.com/ada", "GitHub: github.com/ada.atom");
        check("github.com/orgs/engines", "GitHub: github.com/engines.atom");
        check(
            "github.com/ada/engine",
            "GitHub: github.com/ada/engine/releases.atom github.com/ada/engine/commits.atom github.com/ada/engine/tags.atom",
        );
        check("www.github.com/ada/engine.git/releases", "GitHub: github.com/ada/engine/releases.atom");
        check("github.com/ada/engine/releases/tag/v1", "GitHub: github.com/ada/engine/releases.atom");
        check("github.com/ada/engine/tags", "GitHub: github.com/ada/engine/tags.atom");
        check("github.com/ada/engine/commits/main/", "GitHub: github.com/ada/engine/commits/main.atom");
        check("github.com/ada/engine/commits", "GitHub: github.com/ada/engine/commits.atom");
        check("github.com/ada/engine/tree/fix/it", "GitHub: github.com/ada/engine/commits/fix/it.atom");
        check("github.com/ada/engine/blob/main/a.rs", "GitHub: github.com/ada/engine/commits/main/a.rs.atom");
        check("github.com/ada/engine/wiki", "GitHub: github.com/ada/engine/wiki.atom");
        check("github.com/topics/rust", "none");
        check("github.com", "none");
        check("gitlab.com/ada", "GitLab: gitlab.com/ada.atom");
        check(
            "gitlab.com/ada/group/engine",
            "GitLab: gitlab.com/ada/group/engine/-/releases.atom gitlab.com/ada/group/engine/-/tags?format=atom \
             gitlab.com/ada/group/engine.atom",
        );
        check("gitlab.com/ada/engine/-/tags", "GitLab: gitlab.com/ada/engine/-/tags?format=atom");
        check("gitlab.com/ada/engine/-/commits/main", "GitLab: gitlab.com/ada/engine/-/commits/main?format=atom");
        check("gitlab.com/ada/engine/-/tree/main", "GitLab: gitlab.com/ada/engine/-/commits/main?format=atom");
        check("gitlab.com/explore", "none");
        check("codeberg.org/ada", "Codeberg: codeberg.org/ada.atom");
        check(
            "codeberg.org/ada/engine",
            "Codeberg: codeberg.org/ada/engine/releases.atom codeberg.org/ada/engine/tags.atom codeberg.org/ada/engine.atom",
        );
        check("codeberg.org/ada/engine/src/branch/main", "Codeberg: codeberg.org/ada/engine/atom/branch/main");
        check("codeberg.org/ada/engine/releases", "Codeberg: codeberg.org/ada/engine/releases.atom");
        check("codeberg.org/explore/repos", "none");
    }

    #[test]
    fn registries() {
        check("pypi.org/project/requests/", "PyPI: pypi.org/rss/project/requests/releases.xml");
        check("pypi.org/search/?q=x", "none");
        check("crates.io/crates/serde/1.0.0", "crates.io: static.crates.io/rss/crates/serde.xml");
        check("crates.io/crates/a%2Fb", "none");
    }
}
