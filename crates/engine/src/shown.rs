//! An address as a log line shows it: without what may be a secret. Private feeds have their keys in the query.

use std::fmt;

pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (address, query) = match self.0.split_once(['?', '#']) {
            Some((address, _)) => (address, "?…"),
            None => (self.0, ""),
        };
        let (scheme, rest) = address.split_once("://").map_or(("", address), |(scheme, rest)| (scheme, rest));
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let colon = if scheme.is_empty() { "" } else { "://" };
        write!(f, "{scheme}{colon}{host}{path}{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_is_not_shown() {
        let check = |url: &str, expected: &str| assert_eq!(Shown(url).to_string(), expected, "{url}");
        check("https://one.example/feed", "https://one.example/feed");
        check("https://one.example/feed?key=hunter2", "https://one.example/feed?…");
        check("https://one.example?key=hunter2", "https://one.example?…");
        check("https://ada:hunter2@one.example:8443/a@b", "https://one.example:8443/a@b");
        check("https://one.example/#hunter2", "https://one.example/?…");
        check("nowhere", "nowhere");
        check("", "");
    }
}
