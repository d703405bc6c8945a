//! What an exchange came to: plain data for whoever decides.

use crate::room::Room;
use bytes::Bytes;
use coding::{Coding, Stopped};
use model::raw::Headers;
use model::visit::{Failure, Timings};
use std::net::SocketAddr;

/// One request and what came of it.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Where the request went, as it was understood; never with a user name or password.
    pub url: String,
    /// As sent, without the values of secrets.
    pub request_headers: Headers,
    /// The answer, or why there is none.
    pub answer: Result<Answer, Failure>,
    /// What took how long.
    pub timings: Timings,
    /// Who answered, if anybody was reached; through a proxy, whom it was told to reach.
    pub address: Option<SocketAddr>,
}

impl Exchange {
    pub(crate) fn begun() -> Self {
        let answer = Err(Failure::Connect("nothing was asked".to_owned()));
        let (url, request_headers) = (String::new(), Headers::new());
        Self { url, request_headers, answer, timings: Timings::default(), address: None }
    }
}

/// What a server answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Any status, redirects and errors too.
    pub status: u16,
    /// As received; bytes that are not UTF-8 are replaced.
    pub headers: Headers,
    /// The body as it came over the wire; of one that is not whole, the beginning.
    pub wire: Bytes,
    /// How much of it came.
    pub wire_bytes: u64,
    /// What it is coded in.
    pub coding: Coding,
    /// The body with the coding undone; of one that is not whole, the beginning.
    pub decoded: Bytes,
    /// Why there is no more of it; none when it is whole.
    pub stopped: Option<Stopped>,
    /// The memory that the bodies take, and that work on them may take: whoever makes more of them than they are keeps
    /// this until that is dropped as well.
    pub room: Room,
}
