//! Secret values, and hiding them in texts. A `Secret` always prints as `***`; the only way to its text is `expose`,
//! which is easy to search for.

use std::fmt;

use url::Url;

use super::value::Value;

/// The replacement of a secret in every output.
pub const HIDDEN: &str = "***";

/// A text that is never printed, compared or logged.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The hidden text, for its use. Never for an output.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Value for Secret {
    const SECRET: bool = true;

    fn expected() -> String {
        "a text".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("a text that is not empty".into()) } else { Ok(Self::new(text)) }
    }

    fn show(&self) -> String {
        HIDDEN.into()
    }

    fn quote(_: &str) -> String {
        HIDDEN.into()
    }
}

/// A URL that may contain a password: printed without it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretUrl(Url);

impl SecretUrl {
    /// Hides the password of a URL.
    pub fn new(url: Url) -> Self {
        Self(url)
    }

    /// The URL with its password, for connecting. Never for an output.
    pub fn expose(&self) -> &Url {
        &self.0
    }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&redacted(self.0.as_str()))
    }
}

/// A text that may be a URL, without the secrets it may contain. It need not be valid: errors quote mistyped URLs, too.
/// So it works on characters and hides too much rather than too little: all before the last `@`, and suspicious
/// parameters.
pub fn redacted(text: &str) -> String {
    let (text, query) = match text.split_once('?') {
        // A password may contain a bare `?`; then the rest is not a query, but part of what is hidden.
        Some((head, query)) if !query.contains('@') => (head, Some(query)),
        _ => (text, None),
    };
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text),
    };
    let mut safe = match rest.rsplit_once('@') {
        None => format!("{scheme}{rest}"),
        Some((login, host)) => match login.split_once(':') {
            Some((user, _)) if !scheme.is_empty() => format!("{scheme}{user}:{HIDDEN}@{host}"),
            // A PostgreSQL login without a password is a user name; elsewhere (NATS) it is a token.
            None if scheme.starts_with("postgres") => format!("{scheme}{login}@{host}"),
            _ => format!("{scheme}{HIDDEN}@{host}"),
        },
    };
    if let Some(query) = query {
        safe.push('?');
        let parameters: Vec<String> = query.split('&').map(parameter).collect();
        safe.push_str(&parameters.join("&"));
    }
    safe
}

fn parameter(pair: &str) -> String {
    let (name, _) = pair.split_once('=').unwrap_or((pair, ""));
    let lower = name.to_lowercase();
    let telling = ["pass", "secret", "token", "key", "auth"].iter().any(|word| lower.contains(word));
    if telling { format!("{name}={HIDDEN}") } else { pair.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_inside_urls_are_hidden() {
        let check = |given, expected: &str| assert_eq!(redacted(given), expected, "{given}");
        check("postgres://ada:hunter2@db/feeds", "postgres://ada:***@db/feeds");
        check("postgres://ada@db/feeds", "postgres://ada@db/feeds");
        check("postgres://ada:hun@ter2@db/feeds", "postgres://ada:***@db/feeds");
        check("postgres://ada:hun/te?r2@db/feeds", "postgres://ada:***@db/feeds");
        check("postgres:///feeds?host=/run&password=hunter2", "postgres:///feeds?host=/run&password=***");
        check("postgres://db/feeds?sslmode=require", "postgres://db/feeds?sslmode=require");
        check("mysql://ada:hunter2@db", "mysql://ada:***@db");
        check("ada:hunter2@db/feeds", "***@db/feeds");
        check("nats://t0ken@bus:4222", "nats://***@bus:4222");
        check("http://proxy:3128", "http://proxy:3128");
        check("sqlite:courant.db", "sqlite:courant.db");
    }

    #[test]
    fn a_secret_prints_as_stars() {
        let secret = Secret::new("hunter2");
        let url = SecretUrl::new(Url::parse("postgres://ada:hunter2@db/feeds").unwrap());
        assert_eq!(format!("{secret:?} {:?} {}", Some(&secret), secret.show()), "*** Some(***) ***");
        assert_eq!(format!("{url:?} {url}"), "postgres://ada:***@db/feeds postgres://ada:***@db/feeds");
    }
}
