//! Who is at the other end: the address of the client and whether it came by HTTPS, as trusted proxies say. Decided in
//! `policy::client_address`.

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use policy::{client_address, is_https};
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::Web;

/// The other end of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Client {
    /// Its address.
    pub address: IpAddr,
    /// Whether it came by HTTPS.
    pub https: bool,
}

impl Client {
    /// What its requests are counted by. Whoever has one IPv6 address has a network of them.
    pub(crate) fn counted(&self) -> String {
        match self.address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }

    pub(crate) fn of(web: &Web, parts: &Parts) -> Self {
        // Without a connection (tests of a router) it is nobody whom anybody trusts.
        let nowhere = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map_or(nowhere, |ConnectInfo(peer)| *peer).ip();
        let trusted = &web.options.trusted_proxies;
        let hops: Vec<&str> =
            parts.headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok()).collect();
        let proto = last(&parts.headers, "x-forwarded-proto");
        Self { address: client_address(peer, &hops, trusted), https: is_https(peer, proto, trusted) }
    }
}

fn last<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get_all(name).iter().next_back().and_then(|value| value.to_str().ok())
}

impl FromRequestParts<Web> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Infallible> {
        Ok(Self::of(web, parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_in_a_network_are_counted_together() {
        let counted = |address: &str| Client { address: address.parse().unwrap(), https: false }.counted();
        assert_eq!(counted("192.0.2.1"), "192.0.2.1");
        assert_eq!(counted("2001:db8::1"), "2001:db8:0:0::/64");
        assert_eq!(counted("2001:db8::1"), counted("2001:db8::ffff:1"));
        assert_ne!(counted("2001:db8::1"), counted("2001:db8:0:1::1"));
    }
}
