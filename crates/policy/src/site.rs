//! The site of a URL: what feeds are grouped by, and the default rate group.

use url::{Host, Url};

/// The maximum length of a feed's URL: the web hardly has longer ones, and every database must be able to index it.
pub const LONGEST_URL: usize = 2_048;

/// The registrable domain of a URL (public suffix list), or its IP address if it has no name. `None` if it is not a web
/// URL.
pub fn root_domain(url: &str) -> Option<String> {
    domain(&Url::parse(url).ok()?)
}

/// A host name as a URL has it, from how it is typed; none for what is no host name.
pub fn host_name(typed: &str) -> Option<String> {
    let url = Url::parse(&format!("http://{typed}/")).ok()?;
    url.host_str().filter(|_| !typed.contains(['/', '@', ':', '?', '#'])).map(str::to_owned)
}

fn domain(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            Some(psl::domain_str(name).unwrap_or(name).to_owned())
        }
        _ => url.host_str().map(str::to_owned),
    }
}

/// The default rate group of a URL: its registrable domain. An IP address is a group per port: two services on one
/// machine are two publishers.
pub(crate) fn rate_group(url: &Url) -> Option<String> {
    match (url.host()?, url.port()) {
        (Host::Domain(_), _) | (_, None) => domain(url),
        (_, Some(port)) => url.host_str().map(|address| format!("{address}:{port}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_and_their_groups() {
        let check = |url: &str, domain: &str, group: &str| {
            assert_eq!(root_domain(url).as_deref().unwrap_or("none"), domain, "{url}");
            let found = Url::parse(url).ok().and_then(|url| rate_group(&url));
            assert_eq!(found.as_deref().unwrap_or("none"), group, "{url}");
        };
        check("https://feeds.example.com/rss", "example.com", "example.com");
        check("https://news.bbc.co.uk/x", "bbc.co.uk", "bbc.co.uk");
        check("https://alice.github.io/feed", "alice.github.io", "alice.github.io");
        check("https://EXAMPLE.com.:8443/", "example.com", "example.com");
        check("http://127.0.0.1/a", "127.0.0.1", "127.0.0.1");
        check("http://127.0.0.1:8480/a", "127.0.0.1", "127.0.0.1:8480");
        check("http://[::1]:8480/a", "[::1]", "[::1]:8480");
        check("http://intranet/a", "intranet", "intranet");
        check("mailto:ada@example.org", "none", "none");
        check("no url", "none", "none");
    }

    #[test]
    fn a_domain_is_a_host_name() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(host_name(text).as_deref(), expected, "{text}");
        check("Example.ORG", Some("example.org"));
        check("bücher.example", Some("xn--bcher-kva.example"));
        check("http://example.org/", None);
        check("a b", None);
        check("", None);
    }
}
