//! A visit: one HTTP exchange with its redirects, and its outcome.
//!
//! What servers do is an outcome, never an error. `PastVisit` is what is remembered of a visit: the last 50 per feed.

use crate::raw::Headers;
use crate::words::words;
use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// One exchange with everything worth keeping of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Visit {
    /// When it began.
    pub at: Timestamp,
    /// How long it took in all.
    pub took: SignedDuration,
    /// Where it ended, after redirects.
    pub url: String,
    /// The way there, the last hop included.
    pub hops: Vec<Hop>,
    /// Where the feed lives now, if every redirect on the way was permanent.
    pub moved_to: Option<String>,
    /// The last status, if there was an answer at all.
    pub status: Option<u16>,
    /// What it means.
    pub outcome: Outcome,
    /// The beginning of a body that was cut off, or of an error's: for the record, never to be read as a feed.
    pub cut: Option<Cut>,
    /// What the answer offers for the next conditional request.
    pub validators: Validators,
    /// What the answer says about when to come again.
    pub freshness: Freshness,
    /// As sent.
    pub request_headers: Headers,
    /// As received.
    pub response_headers: Headers,
}

impl Visit {
    /// A visit that has not been anywhere yet.
    pub fn none(at: Timestamp) -> Self {
        Self {
            at,
            took: SignedDuration::ZERO,
            url: String::new(),
            hops: Vec::new(),
            moved_to: None,
            status: None,
            outcome: Outcome::Failed(Failure::Request("nothing was asked".to_owned())),
            cut: None,
            validators: Validators::default(),
            freshness: Freshness::default(),
            request_headers: Headers::new(),
            response_headers: Headers::new(),
        }
    }

    /// Whether any server answered, whatever it said: then it is not the network that fails.
    pub fn reached(&self) -> bool {
        self.hops.iter().any(|hop| hop.status.is_some())
    }
}

/// One request of a visit and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hop {
    /// Where the request went.
    pub url: String,
    /// What was answered, if anything.
    pub status: Option<u16>,
    /// Who answered.
    pub address: Option<SocketAddr>,
    /// What took how long.
    pub timings: Timings,
    /// Bytes of the body as they came.
    pub wire_bytes: u64,
    /// Bytes of the body once decoded.
    pub decoded_bytes: u64,
}

/// What an exchange took, phase by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// Resolving the name; none for addresses and for connections that were kept.
    pub dns: Option<Duration>,
    /// Connecting; none for connections that were kept.
    pub connect: Option<Duration>,
    /// Securing the connection.
    pub tls: Option<Duration>,
    /// From sending the request to the head of the answer.
    pub first_byte: Option<Duration>,
    /// Everything.
    pub total: Duration,
}

/// What a visit came to.
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
    /// Not asked at all: the publisher that a redirect leads to has no room before this moment. Nobody's fault.
    Deferred {
        /// The first free moment.
        until: Timestamp,
    },
    /// Anything else that went wrong.
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

/// A body, as it came and as it reads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// Exactly as it came over the wire.
    pub wire: Bytes,
    /// The content coding the wire bytes are in.
    pub coding: crate::blob::Coding,
    /// With the coding undone. Where there is none, the same bytes in the same place.
    pub decoded: Bytes,
    /// As the server said.
    pub content_type: Option<String>,
}

/// The beginning of a body that is no document.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cut {
    /// What is kept of it.
    pub body: Body,
    /// Whether there was more.
    pub truncated: bool,
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
    /// No connection, because this machine or this process has nothing left to open one with; says what. Neither the
    /// network nor the publisher is to blame.
    Exhausted(String),
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
    /// The body unfolds to more than we take for its size.
    TooDense {
        /// The limit.
        ratio: u64,
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
    /// A redirect to something that is no address.
    Redirect(String),
    /// The site asks visitors like us to stay away from it; says by which rule.
    Robots(String),
    /// A page that wants a browser, or a person, to prove itself; says whose.
    Challenge(&'static str),
    /// The answer breaks the protocol.
    Protocol(String),
    /// The body is no feed; says what it is instead.
    NotAFeed(String),
    /// What the feed says cannot be kept; says what stands in the way.
    NotKept(String),
}

impl Failure {
    words! {
        /// What went wrong in one word.
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
            Self::Exhausted(why) => write!(f, "no room here for another connection: {why}"),
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
                write!(f, "{whose} asks visitors to prove that they are people; the publisher would have to let us in")
            }
            Self::Protocol(why) => write!(f, "the answer breaks the protocol: {why}"),
            Self::NotAFeed(what) => write!(f, "not a feed: {what}"),
            Self::NotKept(why) => write!(f, "what it says cannot be kept: {why}"),
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
    /// What each rule said.
    pub trace: Vec<String>,
    /// The visit with which its header fields were stored: this one, or an earlier one that was answered alike.
    pub headers_at: Option<Timestamp>,
    /// What was wrong with the document, counted.
    pub problems: Option<String>,
}

/// The outcome of a visit in one word.
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
    /// Put off, because there was no room.
    Deferred,
}

impl VisitResult {
    words! {
        /// The word that is logged and counted by; columns have the words of the store.
        as_str, WORDS:
        Self::Fresh => "fresh",
        Self::Unchanged => "unchanged",
        Self::Gone => "gone",
        Self::Busy => "busy",
        Self::Failed => "failed",
        Self::Deferred => "deferred",
    }
}
