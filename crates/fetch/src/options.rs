//! What an operator may set about visits, with the defaults that README and config name.
//!
//! Plain data; `Fetch::new` checks it once. Private networks are opened here and nowhere else: no request can.

use crate::EgressRule;
use ipnet::IpNet;
use rustls::pki_types::CertificateDer;
use std::path::PathBuf;
use std::time::Duration;

/// How visits behave.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who we say we are.
    pub user_agent: String,
    /// Networks that may be visited although they are not part of the public internet.
    pub allow_private: Vec<IpNet>,
    /// The only hosts that may be visited; none when there is no such list.
    pub egress: Option<Vec<EgressRule>>,
    /// How long to wait for what.
    pub timeouts: Timeouts,
    /// How much to take.
    pub limits: Limits,
    /// Certificate authorities to trust beside the system's, in DER.
    pub authorities: Vec<CertificateDer<'static>>,
    /// Where large bodies wait until they are whole; none for the system's place for temporary files.
    pub spool: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            user_agent: concat!("Courant/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_private: Vec::new(),
            egress: None,
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            authorities: Vec::new(),
            spool: None,
        }
    }
}

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the address, for the connection and for securing it, each.
    pub connect: Duration,
    /// For the head of the answer, once the request is on its way.
    pub first_byte: Duration,
    /// For everything.
    pub total: Duration,
    /// How long a body may stand still, and when its speed is first judged.
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
            // Long enough for robots.txt, a redirect and the next feed of the same host at a visit a second; short
            // because most hosts have one feed, and a thousand idle sockets help nobody.
            idle: Duration::from_secs(5),
        }
    }
}

/// How much to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How far a body may unfold.
    pub body: coding::Limits,
    /// The most bytes of all header fields of an answer.
    pub header_bytes: usize,
    /// The most memory that all bodies and what is made of them take together, from their first byte until nobody needs
    /// them any more. A document that would need more than its share of this is worked on alone.
    pub memory_bytes: u64,
    /// The least speed of a body on average, in bytes a second.
    pub least_speed: u64,
    /// The most connections open at once to all hosts together, those that are kept for later included. More have to
    /// wait, for as long as connecting may take; while more than half are taken, none is kept for later.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // Half of what a process may usually have open, and more than that many visits are not under way at once.
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
    /// For a body as it comes over the wire. An incompressible one grows a little by being compressed; beyond that, more
    /// wire bytes than decoded ones are padding.
    pub(crate) fn wire_bytes(&self) -> u64 {
        self.body.decoded_bytes.saturating_add(64 << 10)
    }
}
