//! A proxy: its protocol, address and login. How to talk to it is in `tunnel`.
//!
//! A proxy is configured by the operator, globally or for a feed; it never comes from a feed, a page or a reader. So
//! its own address is not checked by the guard and may be private. The addresses it is asked to reach are checked: see
//! `connector`.

use std::fmt;
use url::{Host, Url};

/// A proxy to visit through. Displays as its URL without the login.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Proxy {
    pub(crate) protocol: Protocol,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
    pub(crate) login: Option<Login>,
}

/// The protocol of a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Protocol {
    /// The CONNECT method (RFC 9110).
    Http,
    /// SOCKS version 5 (RFC 1928).
    Socks5,
}

/// A user name and a password.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: String,
}

/// The maximum of RFC 1929, whose lengths have one byte; enough for any proxy.
const LONGEST_WORD: usize = 255;

impl Proxy {
    /// Parses `http://[user:password@]host[:port]` or the same with `socks5`. `socks5h` means the same as `socks5`: we
    /// always resolve names ourselves, because a name given to a proxy could resolve to another address.
    ///
    /// The error says why without repeating the text, which may contain a password.
    pub fn read(text: &str) -> Result<Self, String> {
        let url = Url::parse(text.trim()).map_err(|error| error.to_string())?;
        let (protocol, usual_port) = match url.scheme() {
            "http" => (Protocol::Http, 80),
            "socks5" | "socks5h" => (Protocol::Socks5, 1080),
            other => return Err(format!("its scheme is {other}, not http, socks5 or socks5h")),
        };
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err("it has more than a host and a port".to_owned());
        }
        // Parsed once more, because the URL parser leaves hosts of unknown schemes as they are.
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or("it has no host")?;
        let host = Host::parse(host).map_err(|error| error.to_string())?;
        let port = url.port().unwrap_or(usual_port);
        if port == 0 {
            return Err("port 0 cannot be used".to_owned());
        }
        Ok(Self { protocol, host, port, login: Login::of(&url, protocol)? })
    }
}

impl Login {
    fn of(url: &Url, protocol: Protocol) -> Result<Option<Self>, String> {
        if url.username().is_empty() && url.password().is_none() {
            return Ok(None);
        }
        let unreadable = || "its user name or password is not UTF-8".to_owned();
        let user = unescaped(url.username()).ok_or_else(unreadable)?;
        let password = unescaped(url.password().unwrap_or_default()).ok_or_else(unreadable)?;
        if user.is_empty() {
            Err("it has a password, but no user name".to_owned())
        } else if user.len() > LONGEST_WORD || password.len() > LONGEST_WORD {
            Err(format!("its user name or password is longer than {LONGEST_WORD} bytes"))
        } else if user.contains(':') && protocol == Protocol::Http {
            Err("its user name contains a colon".to_owned())
        } else {
            Ok(Some(Self { user, password }))
        }
    }
}

impl fmt::Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, host, port, login } = self;
        let scheme = match protocol {
            Protocol::Http => "http",
            Protocol::Socks5 => "socks5",
        };
        write!(f, "{scheme}://{}{host}:{port}", if login.is_some() { "***@" } else { "" })
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Decodes percent escapes: `%40` is `@`; an invalid one is kept.
fn unescaped(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = tail.get(..2).filter(|_| byte == b'%').and_then(|digits| {
            let digit = |digit: u8| char::from(digit).to_digit(16);
            Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
        });
        out.push(escaped.unwrap_or(byte));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let said = Proxy::read(text).map_or_else(
            |why| why,
            |proxy| {
                let login = proxy.login.as_ref().map(|login| format!(" {} {}", login.user, login.password));
                format!("{proxy:?}{}", login.unwrap_or_default())
            },
        );
        assert_eq!(said, expected, "{text:?}");
    }

    #[test]
    fn proxies() {
        check("http://proxy.example:3128", "http://proxy.example:3128");
        check(" HTTP://Proxy.Example/ ", "http://proxy.example:80");
        check("http://127.1:8080", "http://127.0.0.1:8080");
        check("socks5://127.1", "socks5://127.0.0.1:1080");
        check("socks5h://Bücher.example:80/", "socks5://xn--bcher-kva.example:80");
        check("socks5://[FD00::1]:9", "socks5://[fd00::1]:9");
        check("http://ada:s%40cret%@proxy.example:1", "http://***@proxy.example:1 ada s@cret%");
        check("socks5://a%3Ab:@proxy.example", "socks5://***@proxy.example:1080 a:b ");
    }

    #[test]
    fn invalid_proxies_are_refused() {
        check("proxy.example:3128", "its scheme is proxy.example, not http, socks5 or socks5h");
        check("https://proxy.example", "its scheme is https, not http, socks5 or socks5h");
        check("socks4://proxy.example", "its scheme is socks4, not http, socks5 or socks5h");
        check("proxy", "relative URL without a base");
        check("socks5:proxy", "it has more than a host and a port");
        check("socks5://", "it has no host");
        check("http://ada:secret@[::/", "invalid IPv6 address");
        check("http://proxy.example/path", "it has more than a host and a port");
        check("socks5://proxy.example?a", "it has more than a host and a port");
        check("http://proxy.example:0", "port 0 cannot be used");
        check("http://:secret@proxy.example", "it has a password, but no user name");
        check("http://a%3Ab:secret@proxy.example", "its user name contains a colon");
        check("http://ada:%ff@proxy.example", "its user name or password is not UTF-8");
        let long = format!("socks5://{}@proxy.example", "a".repeat(256));
        check(&long, "its user name or password is longer than 255 bytes");
    }

    #[test]
    fn logins_are_not_shown() {
        let proxy = Proxy::read("http://ada:s3cret@proxy.example:3128").unwrap();
        for shown in [proxy.to_string(), format!("{proxy:?}"), format!("{:?}", Some(&proxy))] {
            assert!(!shown.contains("ada") && !shown.contains("s3cret"), "{shown}");
        }
    }
}
