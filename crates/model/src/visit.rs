//! A visit: one HTTP exchange with its redirects, and its outcome.
//!
//! What servers do is an outcome, never an error. `PastVisit` is the stored record of a visit: the last 50 per feed.

use crate::raw::Headers;
use crate::words::words;
use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// One exchange with everything that is kept of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Visit {
    /// When it began.
    pub at: Timestamp,
    /// How long it took in total.
    pub took: SignedDuration,
    /// The final URL, after redirects.
    pub url: String,
    /// All requests, the last one included.
    pub hops: Vec<Hop>,
    /// The new URL of the feed, if all redirects were permanent.
    pub moved_to: Option<String>,
    /// The last status, if there was a response.
    pub status: Option<u16>,
    /// The outcome.
    pub outcome: Outcome,
    /// The beginning of a truncated body or of an error page: stored for inspection, never parsed as a feed.
    pub cut: Option<Cut>,
    /// The validators for the next conditional request.
    pub validators: Validators,
    /// What the response says about when to come again.
    pub freshness: Freshness,
    /// As sent.
    pub request_headers: Headers,
    /// As received.
    pub response_headers: Headers,
}

impl Visit {
    /// A visit before its first request.
    pub fn none(at: Timestamp) -> Self {
        Self {
            at,
            took: SignedDuration::ZERO,
            url: String::new(),
            hops: Vec::new(),
            moved_to: None,
            status: None,
            outcome: Outcome::Failed(Failure::Request("no request was made".to_owned())),
            cut: None,
            validators: Validators::default(),
            freshness: Freshness::default(),
            request_headers: Headers::new(),
            response_headers: Headers::new(),
        }
    }

    /// Whether any server responded, whatever it said: then the network works.
    pub fn reached(&self) -> bool {
        self.hops.iter().any(|hop| hop.status.is_some())
    }
}

/// One request of a visit and its result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hop {
    /// The URL of the request.
    pub url: String,
    /// The status, if there was a response.
    pub status: Option<u16>,
    /// The address of the server.
    pub address: Option<SocketAddr>,
    /// The duration of each phase.
    pub timings: Timings,
    /// Bytes of the body as they came.
    pub wire_bytes: u64,
    /// Bytes of the body once decoded.
    pub decoded_bytes: u64,
}

/// The duration of an exchange, phase by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Resolving the name; none for IP addresses and for reused connections.
    pub dns: Option<Duration>,
    /// Connecting; none for reused connections.
    pub connect: Option<Duration>,
    /// The TLS handshake.
    pub tls: Option<Duration>,
    /// From sending the request to the head of the response.
    pub first_byte: Option<Duration>,
    /// Everything.
    pub total: Duration,
}

/// The outcome of a visit.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A body.
    Fresh(Body),
    /// 304, or the same bytes as last time.
    Unchanged,
    /// 410.
    Gone,
    /// 429 or 503: asked to come later.
    Busy,
    /// No request was made: a redirect leads to a publisher whose rate group has no free slot before this time. Not a
    /// failure.
    Deferred {
        /// The first free slot.
        until: Timestamp,
    },
    /// Any other failure.
    Failed(Failure),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fresh(_) => f.write_str("a body"),
            Self::Unchanged => f.write_str("nothing changed"),
            Self::Gone => f.write_str("the server says that the feed is gone (410)"),
            Self::Busy => f.write_str("the server asked to come later"),
            Self::Deferred { until } => {
                write!(f, "its publisher has no room for a visit until {until:.0}")
            }
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

/// A body, encoded and decoded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// Exactly as it came over the wire.
    pub wire: Bytes,
    /// The content coding the wire bytes are in.
    pub coding: crate::blob::Coding,
    /// Decoded. Without a coding, the same bytes in the same allocation.
    pub decoded: Bytes,
    /// As the server said.
    pub content_type: Option<String>,
}

/// The beginning of a body that is not a document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cut {
    /// The part that is kept.
    pub body: Body,
    /// Whether there was more.
    pub truncated: bool,
}

/// Why a visit failed, in enough detail to say what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The URL cannot be visited at all.
    Url(String),
    /// The request cannot be sent.
    Request(String),
    /// The name has no address.
    Dns(String),
    /// No connection.
    Connect(String),
    /// No connection, because this machine or this process ran out of a resource; says which. Neither the network nor
    /// the publisher is at fault.
    Exhausted(String),
    /// No secure connection.
    Tls(String),
    /// Too slow.
    Timeout(Phase),
    /// A status other than success.
    Status(u16),
    /// The body exceeds the limit.
    TooLarge {
        /// The limit.
        limit_bytes: u64,
    },
    /// The decompression ratio of the body exceeds the limit.
    TooDense {
        /// The limit.
        ratio: u64,
    },
    /// The response head exceeds the limit.
    HeadersTooLarge {
        /// The limit.
        limit_bytes: u64,
    },
    /// Visits to this address are forbidden.
    PrivateAddress(IpAddr),
    /// The host is not on the operator's list of allowed hosts.
    NotAllowed(String),
    /// The proxy failed, not the host behind it.
    Proxy(String),
    /// More redirects than we follow.
    TooManyRedirects,
    /// A redirect to something that is not a URL.
    Redirect(String),
    /// robots.txt forbids the visit; says by which rule.
    Robots(String),
    /// A challenge page that asks for a browser or a person; says whose.
    Challenge(&'static str),
    /// The response violates the protocol.
    Protocol(String),
    /// The body is not a feed; says what it is instead.
    NotAFeed(String),
    /// The content of the feed cannot be stored; says why.
    NotKept(String),
}

impl Failure {
    words! {
        /// The failure in one word.
        kind, KINDS:
        Self::Url(_) => "url",
        Self::Request(_) => "request",
        Self::Dns(_) => "dns",
        Self::Connect(_) => "connect",
        Self::Exhausted(_) => "exhausted",
        Self::Tls(_) => "tls",
        Self::Timeout(_) => "timeout",
        Self::Status(_) => "status",
        Self::TooLarge { .. } => "too-large",
        Self::TooDense { .. } => "too-dense",
        Self::HeadersTooLarge { .. } => "headers-too-large",
        Self::PrivateAddress(_) => "private-address",
        Self::NotAllowed(_) => "not-allowed",
        Self::Proxy(_) => "proxy",
        Self::TooManyRedirects => "too-many-redirects",
        Self::Redirect(_) => "redirect",
        Self::Robots(_) => "robots",
        Self::Challenge(_) => "challenge",
        Self::Protocol(_) => "protocol",
        Self::NotAFeed(_) => "not-a-feed",
        Self::NotKept(_) => "not-kept",
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(why) => write!(f, "the URL cannot be visited: {why}"),
            Self::Request(why) => write!(f, "the request cannot be sent: {why}"),
            Self::Dns(why) => write!(f, "the host name cannot be resolved: {why}"),
            Self::Connect(why) => write!(f, "no connection: {why}"),
            Self::Exhausted(why) => write!(f, "cannot open another connection: {why}"),
            Self::Tls(why) => write!(f, "no secure connection: {why}"),
            Self::Timeout(phase) => write!(f, "timed out while {phase}"),
            Self::Status(status) => write!(f, "the server answered {status}"),
            Self::TooLarge { limit_bytes } => write!(f, "the body is larger than {limit_bytes} bytes"),
            Self::TooDense { ratio } => write!(f, "the body decodes to more than {ratio} times its size"),
            Self::HeadersTooLarge { limit_bytes } => {
                write!(f, "the head of the answer is larger than {limit_bytes} bytes")
            }
            Self::PrivateAddress(address) => write!(f, "{address} is not an address that visits may reach"),
            Self::NotAllowed(host) => write!(f, "{host} is not on the operator's list of hosts to visit"),
            Self::Proxy(why) => write!(f, "the proxy failed: {why}"),
            Self::TooManyRedirects => write!(f, "too many redirects"),
            Self::Redirect(why) => write!(f, "the redirects lead nowhere: {why}"),
            Self::Robots(rule) => write!(f, "robots.txt does not allow it: {rule}"),
            Self::Challenge(whose) => {
                write!(
                    f,
                    "{whose} shows a challenge that only a browser can pass; the publisher would have to allow us"
                )
            }
            Self::Protocol(why) => write!(f, "the answer breaks the protocol: {why}"),
            Self::NotAFeed(what) => write!(f, "not a feed: {what}"),
            Self::NotKept(why) => write!(f, "its content cannot be stored: {why}"),
        }
    }
}

/// The phase in which a timeout occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Resolving the name.
    Dns,
    /// Connecting.
    Connect,
    /// The TLS handshake.
    Tls,
    /// Waiting for the first byte of the response.
    FirstByte,
    /// Reading the rest of the body.
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

/// The validators of a response, sent back verbatim in conditional requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, quotes and all.
    pub etag: Option<String>,
    /// `Last-Modified`, as written.
    pub last_modified: Option<String>,
}

/// What a response says about when to come again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// `Cache-Control`, as written.
    pub cache_control: Option<String>,
    /// `Expires`.
    pub expires_at: Option<Timestamp>,
    /// `Retry-After`, both forms, as a moment.
    pub retry_after: Option<Timestamp>,
}

/// The stored record of a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastVisit {
    /// When it began.
    pub at: Timestamp,
    /// The status, if there was a response.
    pub status: Option<u16>,
    /// The result.
    pub result: VisitResult,
    /// The error message.
    pub error: Option<String>,
    /// How long it took.
    pub took: SignedDuration,
    /// Bytes over the wire.
    pub wire_bytes: u64,
    /// Bytes once decoded.
    pub decoded_bytes: u64,
    /// Entries not seen before.
    pub new_entries: u32,
    /// Entries whose content changed.
    pub changed_entries: u32,
    /// When the next visit was set to.
    pub next_at: Option<Timestamp>,
    /// The interval chosen.
    pub interval: SignedDuration,
    /// The reason, as a sentence.
    pub reason: String,
    /// What each rule said.
    pub trace: Vec<String>,
    /// The visit whose stored header fields apply: this one, or an earlier one with equal fields.
    pub headers_at: Option<Timestamp>,
    /// The problems of the document, counted.
    pub problems: Option<String>,
    /// Smoothed time between entries, as the decision knew it.
    pub ewma: Option<SignedDuration>,
}

/// The result of a visit in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VisitResult {
    /// A feed that was read.
    Fresh,
    /// Nothing changed.
    Unchanged,
    /// The feed is gone.
    Gone,
    /// Asked to come later.
    Busy,
    /// It failed.
    Failed,
    /// Postponed, because the rate group had no free slot.
    Deferred,
}

impl VisitResult {
    words! {
        /// The word for logs and metrics; database columns use the words of `store`.
        as_str, WORDS:
        Self::Fresh => "fresh",
        Self::Unchanged => "unchanged",
        Self::Gone => "gone",
        Self::Busy => "busy",
        Self::Failed => "failed",
        Self::Deferred => "deferred",
    }
}
