//! Addresses, and sentences with addresses in them, as a log line shows them: without what may be a secret. Private feeds
//! have their keys in the query.

use std::fmt;

pub(crate) struct Redacted<'a>(pub(crate) &'a str);

impl fmt::Display for Redacted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(begin) = rest.find("://") {
            let (before, address) = rest.split_at(begin + 3);
            let (address, after) = address.split_at(address.find(ends_address).unwrap_or(address.len()));
            let (place, query) = match address.split_once(['?', '#']) {
                Some((place, _)) => (place, "?…"),
                None => (address, ""),
            };
            let (host, path) = place.split_at(place.find('/').unwrap_or(place.len()));
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            write!(f, "{before}{host}{path}{query}")?;
            rest = after;
        }
        f.write_str(rest)
    }
}

/// Characters that end an address in a sentence.
fn ends_address(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '"' | '<' | '>' | '`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_is_not_shown() {
        let check = |text: &str, expected: &str| assert_eq!(Redacted(text).to_string(), expected, "{text}");
        check("https://one.example/feed", "https://one.example/feed");
        check("https://one.example/feed?key=hunter2", "https://one.example/feed?…");
        check("https://one.example?key=hunter2", "https://one.example?…");
        check("https://ada:hunter2@one.example:8443/a@b", "https://one.example:8443/a@b");
        check("https://one.example/#hunter2", "https://one.example/?…");
        check("nowhere", "nowhere");
        check("", "");
        check("is it there? yes", "is it there? yes");
        check(
            "moved to https://one.example/feed?key=hunter2, which is already feed 7",
            "moved to https://one.example/feed?… which is already feed 7",
        );
        check(
            "\"http://[/?key=hunter2\": invalid; http://ada:hunter2@b/ too",
            "\"http://[/?…\": invalid; http://b/ too",
        );
    }
}
