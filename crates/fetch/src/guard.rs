//! The guard: which addresses a visit may reach. Pure functions over one table.
//!
//! The predicates of the standard library are not enough: they miss shared address space, NAT64, 6to4, Teredo and the
//! clouds' metadata services, and change with its version. Resolving and dialling are elsewhere; the connector asks
//! here before it dials.
//! Invariant: an address that [`is_global`] refuses is dialled only when an operator's network contains it, or when it
//! [`is_local`] and the operator configured the very host and port.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether a visit may reach the address: a global one, or one that the operator allows.
pub fn may_reach(address: IpAddr, allowed: &[IpNet]) -> bool {
    is_global(address) || allowed.iter().any(|net| net.contains(&address))
}

/// Whether the address is one where an operator runs services: this machine, or a private network (RFC 1918, shared
/// address space, unique local addresses). Link-local addresses and the clouds' metadata services are not.
pub fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => LOCAL_V4.iter().any(|net| net.contains(&address)) && !METADATA_V4.contains(&address),
        IpAddr::V6(address) => {
            (address == Ipv6Addr::LOCALHOST || LOCAL_V6.contains(&address)) && !METADATA_V6.contains(&address)
        }
    }
}

/// Whether the address belongs to the public internet, by the registries of special-purpose addresses.
///
/// IPv6 addresses that embed an IPv4 address are refused, even if that is public: an unknown gateway decides what they
/// reach.
pub fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !SPECIAL_V4.iter().any(|net| net.contains(&address)),
        IpAddr::V6(address) => {
            GLOBAL_UNICAST.contains(&address)
                && !SPECIAL_V6.iter().any(|net| net.contains(&address))
                && !is_isatap(address)
        }
    }
}

/// The last 64 bits say `0000:5efe` or `0200:5efe` and then an IPv4 address (RFC 5214), under any prefix.
fn is_isatap(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    matches!(segments[4], 0 | 0x0200) && segments[5] == 0x5efe
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(start: [u16; 8], prefix: u8) -> Ipv6Net {
    let [s0, s1, s2, s3, s4, s5, s6, s7] = start;
    Ipv6Net::new_assert(Ipv6Addr::new(s0, s1, s2, s3, s4, s5, s6, s7), prefix)
}

const SPECIAL_V4: &[Ipv4Net] = &[
    v4(0, 0, 0, 0, 8),          // this network; 0.0.0.0 is loopback on Linux
    v4(10, 0, 0, 0, 8),         // private
    v4(100, 64, 0, 0, 10),      // shared by carriers; 100.100.100.200 is a metadata service
    v4(127, 0, 0, 0, 8),        // loopback
    v4(168, 63, 129, 16, 32),   // a cloud's host service, in the middle of public space
    v4(169, 254, 0, 0, 16),     // link-local; 169.254.169.254 is the metadata service
    v4(172, 16, 0, 0, 12),      // private
    v4(192, 0, 0, 0, 24),       // protocol assignments; 192.0.0.192 is a metadata service
    v4(192, 0, 2, 0, 24),       // documentation
    v4(192, 88, 99, 0, 24),     // 6to4 relays
    v4(192, 168, 0, 0, 16),     // private
    v4(198, 18, 0, 0, 15),      // benchmarks
    v4(198, 51, 100, 0, 24),    // documentation
    v4(203, 0, 113, 0, 24),     // documentation
    v4(224, 0, 0, 0, 4),        // multicast
    v4(240, 0, 0, 0, 4),        // reserved
    v4(255, 255, 255, 255, 32), // broadcast
];

/// All that is routed today. Addresses outside are refused without being listed: `::1`, `fe80::1`, or prefixes assigned
/// later.
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The first ones lie outside [`GLOBAL_UNICAST`] and are listed anyway, so that the table can be read alone.
const SPECIAL_V6: &[Ipv6Net] = &[
    v6([0; 8], 96),                             // unspecified, loopback, IPv4-compatible
    v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96),      // IPv4-mapped
    v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96),      // IPv4-translated
    v6([0x0064, 0xff9b, 0, 0, 0, 0, 0, 0], 96), // NAT64
    v6([0x0064, 0xff9b, 1, 0, 0, 0, 0, 0], 48), // NAT64 of a local network
    v6([0x0100, 0, 0, 0, 0, 0, 0, 0], 64),      // discard
    v6([0x0100, 0, 0, 1, 0, 0, 0, 0], 64),      // dummy
    v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16),      // segment routing
    v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7),       // unique local; fd00:ec2::254 is a metadata service
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10),      // link-local
    v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10),      // site-local
    v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8),       // multicast
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),      // protocol assignments: Teredo, benchmarks, ORCHID
    v6([0x2001, 0x0db8, 0, 0, 0, 0, 0, 0], 32), // documentation
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),      // 6to4
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),      // documentation
];

/// Where an operator's own services are.
const LOCAL_V4: &[Ipv4Net] = &[
    v4(10, 0, 0, 0, 8),     // private
    v4(100, 64, 0, 0, 10),  // shared address space
    v4(127, 0, 0, 0, 8),    // loopback
    v4(172, 16, 0, 0, 12),  // private
    v4(192, 168, 0, 0, 16), // private
];
const LOCAL_V6: Ipv6Net = v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7);

/// Metadata services inside of these networks: they hand out credentials of the machine.
const METADATA_V4: &[Ipv4Addr] = &[Ipv4Addr::new(100, 100, 100, 200)];
const METADATA_V6: &[Ipv6Addr] =
    &[Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &str, expected: bool) {
        for address in addresses.split_whitespace() {
            assert_eq!(is_global(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn the_internet() {
        check("1.0.0.0 1.1.1.1 8.8.8.8 93.184.216.34 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0", true);
        check("126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0", true);
        check("172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0", true);
        check("192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0", true);
        check("203.0.112.255 203.0.114.0 223.255.255.255", true);
        check("2606:4700:4700::1111 2a00:1450:4001:800::200e 2620:fe::fe 2001:200:: 2001:4860:4860::8888", true);
        check("2001:db7:ffff::1 2001:db9:: 2003:: 3ffe:ffff::1 2000::", true);
    }

    #[test]
    fn special_v4() {
        check("0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.0 100.100.100.200", false);
        check("100.127.255.255 127.0.0.0 127.0.0.1 127.1.2.3 127.255.255.255 168.63.129.16", false);
        check("169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192", false);
        check("192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255", false);
        check("198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255", false);
        check("224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255", false);
    }

    #[test]
    fn special_v6() {
        check(":: ::1 ::2 100:: 100:0:0:1:: 1fff::1 4000:: 5f00:: fbff::1 fc00:: fd00:ec2::254 fdff::1", false);
        check("fd20:ce::254 fe80::1 febf::1 fec0::1 feff::1 ff00:: ff02::1 ffff::", false);
        check("2001:: 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1", false);
        check("2002:: 3fff:: 3fff:fff::1", false);
    }

    #[test]
    fn v4_inside_v6_whatever_it_is() {
        check("::127.0.0.1 ::8.8.8.8 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8", false);
        check("64:ff9b::127.0.0.1 64:ff9b::8.8.8.8 64:ff9b:1:7f00:0:100:: 64:ff9b:1:808:8:800::", false);
        check("2002:7f00:1::1 2002:808:808::1 2001:0:4136:e378:8000:63bf:80ff:fffe", false);
        check("fe80::5efe:127.0.0.1 2a00:1450::5efe:10.0.0.1 2a00:1450::200:5efe:10.0.0.1", false);
    }

    #[test]
    fn where_an_operator_runs_services() {
        let check = |addresses: &str, expected| {
            for address in addresses.split_whitespace() {
                assert_eq!(is_local(address.parse().unwrap()), expected, "{address}");
            }
        };
        check("127.0.0.1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.7 100.64.0.1 100.127.255.255 ::1 fd00::7", true);
        check("0.0.0.0 169.254.169.254 168.63.129.16 100.100.100.200 172.32.0.1 192.0.0.192 224.0.0.1", false);
        check("255.255.255.255 1.1.1.1 :: fe80::1 fd00:ec2::254 fd20:ce::254 ff02::1 ::ffff:127.0.0.1 2a00::1", false);
    }

    #[test]
    fn an_operator_may_open_a_network() {
        let allowed: Vec<IpNet> = vec!["192.168.1.0/24".parse().unwrap(), "fd00:1::/32".parse().unwrap()];
        let check = |address: &str, expected| assert_eq!(may_reach(address.parse().unwrap(), &allowed), expected);
        check("192.168.1.7", true);
        check("192.168.2.7", false);
        check("fd00:1::7", true);
        check("fd00:2::7", false);
        check("::ffff:192.168.1.7", false);
        check("8.8.8.8", true);
    }
}
