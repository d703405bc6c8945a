//! The address of a client behind reverse proxies (C-40), and whether it came by HTTPS. Pure; `web` asks for each
//! request, and limits, logs and `/metrics` believe the answer.
//!
//! Invariant: what a peer that is not a trusted proxy says about itself is ignored.

use ipnet::IpNet;
use std::net::{IpAddr, SocketAddr};

/// No chain of proxies is longer; the rest of the header is not read.
const HOPS: usize = 50;

/// The right-most address that is not a trusted proxy's, from the values of X-Forwarded-For in the order of the
/// headers. Each proxy vouches for the hop to its left, so the walk goes left while hops are trusted. It ends at what is
/// no address, empty elements included: some proxies write `unknown`, and what stands to its left nobody vouches for.
pub fn client_address(peer: IpAddr, forwarded_for: &[&str], trusted: &[IpNet]) -> IpAddr {
    let mut client = peer.to_canonical();
    for hop in forwarded_for.iter().rev().flat_map(|value| value.rsplit(',')).take(HOPS) {
        if !is_trusted(client, trusted) {
            break;
        }
        let Some(address) = address(hop.trim()) else { break };
        client = address;
    }
    client
}

/// Whether the client came by HTTPS, as the trusted proxy next to us says in X-Forwarded-Proto. Of a list the last
/// counts: only that one was written by our peer.
pub fn is_https(peer: IpAddr, x_forwarded_proto: Option<&str>, trusted: &[IpNet]) -> bool {
    let said = x_forwarded_proto.and_then(|value| value.rsplit(',').next());
    is_trusted(peer.to_canonical(), trusted) && said.is_some_and(|said| said.trim().eq_ignore_ascii_case("https"))
}

fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|net| net.contains(&address))
}

/// An address as proxies write it: some add a port, and IPv6 may be in brackets.
fn address(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    let address = bare.parse().ok().or_else(|| hop.parse().ok().map(|with_port: SocketAddr| with_port.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nets(list: &str) -> Vec<IpNet> {
        list.split_whitespace().map(|net| net.parse().unwrap()).collect()
    }

    #[test]
    fn a_client_is_who_the_trusted_proxies_say() {
        let trusted = nets("127.0.0.0/8 ::1/128 10.0.0.0/8 fd00::/8");
        let check = |case: &str, peer: &str, headers: &[&str], expected: &str| {
            let found = client_address(peer.parse().unwrap(), headers, &trusted);
            assert_eq!(found.to_string(), expected, "{case}");
        };
        check("no proxy", "192.0.2.1", &[], "192.0.2.1");
        check("a proxy that says nothing", "127.0.0.1", &[], "127.0.0.1");
        check("one proxy", "127.0.0.1", &["192.0.2.1"], "192.0.2.1");
        check("a stranger is not believed", "198.51.100.9", &["192.0.2.1"], "198.51.100.9");
        check("a forged first hop", "127.0.0.1", &["6.6.6.6, 192.0.2.1"], "192.0.2.1");
        check("a forged hop that looks trusted", "127.0.0.1", &["6.6.6.6, 10.0.0.9, 192.0.2.1"], "192.0.2.1");
        check("two proxies", "127.0.0.1", &["6.6.6.6,192.0.2.1 ,10.0.0.7"], "192.0.2.1");
        check("two headers are one list", "127.0.0.1", &["6.6.6.6", "192.0.2.1, 10.0.0.7"], "192.0.2.1");
        check("everybody is trusted", "127.0.0.1", &["10.0.0.1, 10.0.0.2"], "10.0.0.1");
        check("garbage next to us", "127.0.0.1", &["192.0.2.1, unknown"], "127.0.0.1");
        check("garbage further left", "127.0.0.1", &["192.0.2.1, _hidden, 10.0.0.2"], "10.0.0.2");
        check("an empty element is garbage", "127.0.0.1", &["192.0.2.1,"], "127.0.0.1");
        check("an empty header", "127.0.0.1", &[""], "127.0.0.1");
        check("a port", "127.0.0.1", &["192.0.2.1:4711"], "192.0.2.1");
        check("IPv6", "::1", &["2001:db8::1, fd00::2"], "2001:db8::1");
        check("IPv6 in brackets", "::1", &["[2001:db8::1]"], "2001:db8::1");
        check("IPv6 with a port", "::1", &["[2001:db8::1]:443"], "2001:db8::1");
        check("half a bracket", "::1", &["[2001:db8::1"], "::1");
        check("a zone", "::1", &["fe80::1%eth0"], "::1");
        check("a mapped peer is trusted", "::ffff:127.0.0.1", &["192.0.2.1"], "192.0.2.1");
        check("a mapped stranger", "::ffff:198.51.100.9", &["192.0.2.1"], "198.51.100.9");
        check("a mapped hop", "127.0.0.1", &["::ffff:192.0.2.1"], "192.0.2.1");
        check("a mapped proxy", "127.0.0.1", &["192.0.2.1, ::ffff:10.0.0.3"], "192.0.2.1");
        check("octal is garbage", "127.0.0.1", &["0300.0.2.1"], "127.0.0.1");

        let (near, far) = (["10.0.0.1"; 49].join(","), ["10.0.0.1"; 50].join(","));
        check("the fiftieth hop is read", "127.0.0.1", &["192.0.2.1", &near], "192.0.2.1");
        check("the next is not", "127.0.0.1", &["192.0.2.1", &far], "10.0.0.1");
    }

    #[test]
    fn without_trusted_proxies_the_peer_is_the_client() {
        let peer = "127.0.0.1".parse().unwrap();
        assert_eq!(client_address(peer, &["192.0.2.1"], &[]), peer);
        assert!(!is_https(peer, Some("https"), &[]));
    }

    #[test]
    fn https_is_what_the_nearest_proxy_says() {
        let check = |peer: &str, header: Option<&str>, expected: bool| {
            assert_eq!(is_https(peer.parse().unwrap(), header, &nets("127.0.0.0/8")), expected, "{peer} {header:?}");
        };
        check("127.0.0.1", Some("https"), true);
        check("::ffff:127.0.0.1", Some("HTTPS "), true);
        check("127.0.0.1", Some("http"), false);
        check("127.0.0.1", Some("http, https"), true);
        check("127.0.0.1", Some("https, http"), false);
        check("127.0.0.1", Some(""), false);
        check("127.0.0.1", None, false);
        check("192.0.2.1", Some("https"), false);
    }
}
