//! The usual paths of feeds, for sites that declare none.
//!
//! Guesses are unsolicited requests: they are few, ordered by their success rate, and tried one by one until one is a
//! feed.

use url::Url;

/// The maximum of guesses for an unknown site.
const MOST: usize = 8;

/// Next to the page.
const NEAR: [&str; 3] = ["feed", "rss", "index.xml"];
/// At the root.
const ROOT: [&str; 8] = ["feed", "rss.xml", "atom.xml", "feed.xml", "index.xml", "rss", "feed.json", "?feed=rss2"];

/// The usual feed URLs for a page: next to it first, then at the root of its site.
pub fn well_known(url: &str) -> Vec<String> {
    let Some(url) = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    else {
        return Vec::new();
    };
    let mut found: Vec<String> = Vec::with_capacity(MOST);
    let mut add = |base: &Url, path: &str| {
        let address = base.join(path).map(String::from).unwrap_or_default();
        if found.len() < MOST && !address.is_empty() && !found.contains(&address) {
            found.push(address);
        }
    };
    if let Some(folder) = section(&url) {
        for path in NEAR {
            add(&folder, path);
        }
    }
    let mut root = url;
    root.set_path("/");
    root.set_query(None);
    root.set_fragment(None);
    for path in ROOT {
        add(&root, path);
    }
    found
}

/// The folder of a page, if it may have a feed of its own. Deep paths and paths with a year are taken for articles,
/// which have feeds only for their comments.
fn section(url: &Url) -> Option<Url> {
    let mut parts: Vec<&str> = url.path_segments()?.filter(|part| !part.is_empty()).collect();
    if parts.last().is_some_and(|last| last.contains('.')) {
        parts.pop();
    }
    let is_year = |part: &&str| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.is_empty() || parts.len() > 2 || parts.iter().any(is_year) {
        return None;
    }
    let mut folder = url.clone();
    folder.set_path(&format!("/{}/", parts.join("/")));
    folder.set_query(None);
    folder.set_fragment(None);
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, url: &str, expected: &str) {
        let found = well_known(url);
        assert!(found.len() <= MOST, "{case}");
        let paths: Vec<_> = found.iter().map(|url| url.replacen("https://e.org", "", 1)).collect();
        assert_eq!(paths.join(" "), expected, "{case}");
    }

    #[test]
    fn near_the_page_then_at_the_root() {
        let root = "/feed /rss.xml /atom.xml /feed.xml /index.xml /rss /feed.json /?feed=rss2";
        let near = "/feed /rss.xml /atom.xml /feed.xml /index.xml";
        check("a front page", "https://e.org", root);
        check("a section", "https://e.org/blog", &format!("/blog/feed /blog/rss /blog/index.xml {near}"));
        check("with a slash", "https://e.org/blog/?x#y", &format!("/blog/feed /blog/rss /blog/index.xml {near}"));
        check("a file", "https://e.org/a/index.html", &format!("/a/feed /a/rss /a/index.xml {near}"));
        check("an article", "https://e.org/2024/05/title", root);
        check("deep", "https://e.org/a/b/c", root);
        check("another port", "http://e.org:81/", &root.replace('/', "http://e.org:81/"));
        check("no page", "mailto:x@e.org", "");
        check("nonsense", "::", "");
    }
}
