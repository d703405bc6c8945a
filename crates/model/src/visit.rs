//! A visit: one HTTP exchange with its redirects, and its outcome.
//!
//! What servers do is an outcome, never an error. `PastVisit` is what is remembered of a visit: the last 50 per feed.

use crate::raw::Headers;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::net::IpAddr;

/// One exchange with everything worth keeping of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Visit {
    /// When it began.
    pub at: Timestamp,
    /// How long it took in all.
    pub took: SignedDuration,
    /// Where it ended, after redirects.
    pub url: String,
    /// The last status, if there was an answer at all.
    pub status: Option<u16>,
    /// What it means.
    pub outcome: Outcome,
    /// What the answer offers for the next conditional request.
    pub validators: Validators,
    /// What the answer says about when to come again.
    pub freshness: Freshness,
    /// As sent.
    pub request_headers: Headers,
    /// As received.
    pub response_headers: Headers,
}

/// What a visit came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A body.
    Fresh(Body),
    /// 304, or the same bytes as last time.
    Unchanged,
    /// The feed says that it lives elsewhere now (301, 308).
    Moved {
        /// Where.
        to: String,
    },
    /// 410.
    Gone,
    /// 429 or 503: asked to come later.
    Busy,
    /// Anything else that went wrong.
    Failed(Failure),
}

/// A body, as it came and as it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Exactly as it came over the wire.
    pub wire: Vec<u8>,
    /// The content coding the wire bytes are in.
    pub coding: crate::raw::Coding,
    /// With the coding undone.
    pub decoded: Vec<u8>,
    /// As the server said.
    pub content_type: Option<String>,
}

/// Why a visit failed, precisely enough to say what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The URL cannot be visited at all.
    Url(String),
    /// The request cannot be sent as asked for.
    Request(String),
    /// The name has no address.
    Dns(String),
    /// No connection.
    Connect(String),
    /// No secure connection.
    Tls(String),
    /// Too slow.
    Timeout(Phase),
    /// A status that is not success.
    Status(u16),
    /// The body is longer than we take.
    TooLarge {
        /// The limit.
        limit_bytes: u64,
    },
    /// The head of the answer is longer than we take.
    HeadersTooLarge {
        /// The limit.
        limit_bytes: u64,
    },
    /// The address is not one that visits may reach.
    PrivateAddress(IpAddr),
    /// The operator's list of hosts to visit does not have this one.
    NotAllowed(String),
    /// The proxy failed, not the host behind it.
    Proxy(String),
    /// More redirects than we follow.
    TooManyRedirects,
    /// The answer breaks the protocol.
    Protocol(String),
    /// The body is no feed; says what it is instead.
    NotAFeed(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(why) => write!(f, "the URL cannot be visited: {why}"),
            Self::Request(why) => write!(f, "the request cannot be sent: {why}"),
            Self::Dns(why) => write!(f, "the host name cannot be resolved: {why}"),
            Self::Connect(why) => write!(f, "no connection: {why}"),
            Self::Tls(why) => write!(f, "no secure connection: {why}"),
            Self::Timeout(phase) => write!(f, "timed out while {phase}"),
            Self::Status(status) => write!(f, "the server answered {status}"),
            Self::TooLarge { limit_bytes } => write!(f, "the body is larger than {limit_bytes} bytes"),
            Self::HeadersTooLarge { limit_bytes } => {
                write!(f, "the head of the answer is larger than {limit_bytes} bytes")
            }
            Self::PrivateAddress(address) => write!(f, "{address} is not an address that visits may reach"),
            Self::NotAllowed(host) => write!(f, "{host} is not on the operator's list of hosts to visit"),
            Self::Proxy(why) => write!(f, "the proxy failed: {why}"),
            Self::TooManyRedirects => write!(f, "too many redirects"),
            Self::Protocol(why) => write!(f, "the answer breaks the protocol: {why}"),
            Self::NotAFeed(what) => write!(f, "not a feed: {what}"),
        }
    }
}

/// What was being waited for when time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The address.
    Dns,
    /// The connection.
    Connect,
    /// The secure connection.
    Tls,
    /// The first byte of the answer.
    FirstByte,
    /// The rest of the body.
    Body,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns => "resolving the name",
            Self::Connect => "connecting",
            Self::Tls => "securing the connection",
            Self::FirstByte => "waiting for the answer",
            Self::Body => "reading the body",
        })
    }
}

/// What a server gives us to ask "has it changed?", sent back verbatim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, quotes and all.
    pub etag: Option<String>,
    /// `Last-Modified`, as written.
    pub last_modified: Option<String>,
}

/// What a server says about when to come again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// `Cache-Control`, as written.
    pub cache_control: Option<String>,
    /// `Expires`.
    pub expires_at: Option<Timestamp>,
    /// `Retry-After`, both forms, as a moment.
    pub retry_after: Option<Timestamp>,
}

/// What is remembered of a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastVisit {
    /// When it began.
    pub at: Timestamp,
    /// The status, if there was an answer.
    pub status: Option<u16>,
    /// In one word.
    pub result: VisitResult,
    /// What went wrong, in words.
    pub error: Option<String>,
    /// How long it took.
    pub took: SignedDuration,
    /// Bytes over the wire.
    pub wire_bytes: u64,
    /// Bytes once decoded.
    pub decoded_bytes: u64,
    /// Entries not seen before.
    pub new_entries: u32,
    /// Entries that say something else than before.
    pub changed_entries: u32,
    /// When the next visit was set to.
    pub next_at: Option<Timestamp>,
    /// The interval chosen.
    pub interval: SignedDuration,
    /// Why, in words.
    pub reason: String,
}

/// The outcome of a visit in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VisitResult {
    /// A feed that was read.
    Fresh,
    /// Nothing changed.
    Unchanged,
    /// The feed moved.
    Moved,
    /// The feed is gone.
    Gone,
    /// Asked to come later.
    Busy,
    /// It failed.
    Failed,
}
