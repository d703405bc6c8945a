//! The options of visits, with the defaults that README and config name.
//!
//! Plain data; `Fetch::new` checks it once. Private addresses are allowed here and nowhere else: no request can.

use crate::EgressRule;
use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// The options of visits.
#[derive(Debug, Clone)]
pub struct Options {
    /// The `User-Agent`.
    pub user_agent: String,
    /// Networks that may be visited although they are not part of the public internet.
    pub allow_private: Vec<IpNet>,
    /// The URL of the one service that this `Fetch` is for, if the operator configured it: its host may be on this
    /// machine or in a private network, on its port only. Not for a `Fetch` that visits what others chose: their
    /// requests could reach the service, too.
    pub configured: Option<Url>,
    /// The only hosts that may be visited; `None` without such a list.
    pub egress: Option<Vec<EgressRule>>,
    /// The timeouts.
    pub timeouts: Timeouts,
    /// The limits.
    pub limits: Limits,
    /// Certificate authorities to trust in addition to the system's, in DER.
    pub authorities: Vec<CertificateDer<'static>>,
    /// The directory for large bodies that are still arriving; `None` for the system's temporary directory.
    pub spool: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            user_agent: concat!("Courant/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_private: Vec::new(),
            configured: None,
            egress: None,
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            authorities: Vec::new(),
            spool: None,
        }
    }
}

/// The timeouts of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For resolving, connecting and the TLS handshake, each.
    pub connect: Duration,
    /// For the head of the response, once the request is sent.
    pub first_byte: Duration,
    /// For everything.
    pub total: Duration,
    /// How long a body may stall, and when its speed is first checked.
    pub stall: Duration,
    /// How long an unused connection is kept.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(15),
            total: Duration::from_secs(30),
            stall: Duration::from_secs(10),
            // Long enough for robots.txt, a redirect and the next feed of the same host at a visit a second; short,
            // because most hosts have one feed, and a thousand idle sockets are useless.
            idle: Duration::from_secs(5),
        }
    }
}

/// The limits of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For decompression.
    pub body: coding::Limits,
    /// The maximum size of all header fields of a response.
    pub header_bytes: usize,
    /// The maximum memory of all bodies and of what is made of them, from the first byte until they are dropped. A
    /// document that needs more than its share is processed alone.
    pub memory_bytes: u64,
    /// The minimum average speed of a body, in bytes per second.
    pub least_speed: u64,
    /// The maximum of open connections to all hosts, idle ones included. Further requests wait, for at most the connect
    /// timeout. While more than half are in use, none is kept for reuse.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // Half of what a process may usually open, and more than the visits that are in progress at once.
        Self {
            body: coding::Limits::default(),
            header_bytes: 64 << 10,
            memory_bytes: 128 << 20,
            least_speed: 1 << 10,
            connections: 512,
        }
    }
}

impl Limits {
    /// For a body as received. Compression makes incompressible data a little larger; any further excess over the
    /// decoded size is padding.
    pub(crate) fn wire_bytes(&self) -> u64 {
        self.body.decoded_bytes.saturating_add(64 << 10)
    }
}
