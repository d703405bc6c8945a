//! The operator's list of allowed hosts: other hosts are not visited. Pure.
//!
//! It only restricts: an address that the guard refuses is refused whatever the list says. Without a list every host
//! that the guard allows may be visited.

use ipnet::IpNet;
use std::fmt;
use std::net::IpAddr;
use url::Host;

/// One line of the operator's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EgressRule {
    /// This host: `example.org`.
    Host(String),
    /// The hosts below this one, not itself: `*.example.org`.
    Below(String),
    /// Hosts whose addresses are all in this network: `203.0.113.0/24`.
    Net(IpNet),
}

impl EgressRule {
    /// Parses a host, `*.` and a host, a network or an address; the error says why.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Ok(net) = text.parse() {
            return Ok(Self::Net(net));
        }
        if let Ok(address) = text.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            return Ok(Self::Net(address.into()));
        }
        let (below, name) = text.strip_prefix("*.").map_or((false, text), |name| (true, name));
        let name = match Host::parse(name.trim_end_matches('.')).map_err(|error| error.to_string())? {
            Host::Domain(name) if !name.contains('*') => name,
            Host::Domain(_) => return Err("a `*` stands at the beginning, before a dot, or nowhere".to_owned()),
            Host::Ipv4(_) | Host::Ipv6(_) => return Err("write the address in its usual form".to_owned()),
        };
        Ok(if below { Self::Below(name) } else { Self::Host(name) })
    }
}

impl fmt::Display for EgressRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(name) => f.write_str(name),
            Self::Below(name) => write!(f, "*.{name}"),
            Self::Net(net) => net.fmt(f),
        }
    }
}

/// What a list says about a host before its addresses are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is on the list.
    Yes,
    /// It depends on its addresses.
    IfAddressesAre,
    /// It is not on the list.
    No,
}

/// What the rules say about a host by its name.
pub(crate) fn verdict(rules: &[EgressRule], host: &Host<&str>) -> Verdict {
    let named = |name: &str| rules.iter().any(|rule| matches_name(rule, name.trim_end_matches('.')));
    match host {
        Host::Domain(name) if named(name) => Verdict::Yes,
        _ if rules.iter().any(|rule| matches!(rule, EgressRule::Net(_))) => Verdict::IfAddressesAre,
        _ => Verdict::No,
    }
}

/// Whether every address is in a network of the rules: any of them might be dialled.
pub(crate) fn have_all(rules: &[EgressRule], addresses: &[IpAddr]) -> bool {
    let listed =
        |address: &IpAddr| rules.iter().any(|rule| matches!(rule, EgressRule::Net(net) if net.contains(address)));
    addresses.iter().all(listed)
}

fn matches_name(rule: &EgressRule, name: &str) -> bool {
    match rule {
        EgressRule::Host(host) => name == host,
        EgressRule::Below(host) => name.strip_suffix(host.as_str()).is_some_and(|rest| rest.ends_with('.')),
        EgressRule::Net(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let check = |text: &str, expected: &str| {
            let said = EgressRule::read(text).map_or_else(|why| why, |rule| rule.to_string());
            assert_eq!(said, expected, "{text:?}");
        };
        check(" Example.ORG. ", "example.org");
        check("*.Bücher.example", "*.xn--bcher-kva.example");
        check("203.0.113.0/24", "203.0.113.0/24");
        check("2a00:1450::/32", "2a00:1450::/32");
        check("93.184.216.34", "93.184.216.34/32");
        check("[2a00::1]", "2a00::1/128");
        check("*", "a `*` stands at the beginning, before a dot, or nowhere");
        check("a.*.org", "a `*` stands at the beginning, before a dot, or nowhere");
        check("*.*.org", "a `*` stands at the beginning, before a dot, or nowhere");
        check("0x7f.1", "write the address in its usual form");
        check("", "empty host");
        check("https://example.org/", "invalid international domain name");
    }

    #[test]
    fn hosts() {
        let check = |rules: &str, host: &str, addresses: &str, expected: bool| {
            let rules: Vec<_> = rules.split_whitespace().map(|rule| EgressRule::read(rule).unwrap()).collect();
            let addresses: Vec<IpAddr> = addresses.split_whitespace().map(|address| address.parse().unwrap()).collect();
            let url = url::Url::parse(&format!("http://{host}/")).unwrap();
            let allowed = match verdict(&rules, &url.host().unwrap()) {
                Verdict::Yes => true,
                Verdict::IfAddressesAre => have_all(&rules, &addresses),
                Verdict::No => false,
            };
            assert_eq!(allowed, expected, "{host} by {rules:?}");
        };
        check("example.org", "example.org", "1.1.1.1", true);
        check("example.org", "EXAMPLE.org.", "1.1.1.1", true);
        check("example.org", "www.example.org", "1.1.1.1", false);
        check("example.org", "example.org.evil.example", "1.1.1.1", false);
        check("*.example.org", "a.b.example.org", "1.1.1.1", true);
        check("*.example.org", "example.org", "1.1.1.1", false);
        check("*.example.org", "evilexample.org", "1.1.1.1", false);
        check("1.1.1.0/24 2a00::/16", "feed.example", "1.1.1.1 2a00::1", true);
        check("1.1.1.0/24", "feed.example", "1.1.1.1 1.1.2.1", false);
        check("1.1.1.0/24 feed.example", "feed.example", "1.1.2.1", true);
        check("1.1.1.1", "1.1.1.1", "1.1.1.1", true);
        check("1.1.1.1", "[2a00::1]", "2a00::1", false);
        check("example.org", "1.1.1.1", "1.1.1.1", false);
        check("", "example.org", "1.1.1.1", false);
    }
}
