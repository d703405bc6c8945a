//! The result of an exchange: plain data for the caller, who decides.

use crate::room::Room;
use bytes::Bytes;
use coding::{Coding, Stopped};
use model::raw::Headers;
use model::visit::{Failure, Timings};
use std::net::SocketAddr;

/// One request and its result.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The URL of the request as parsed; never with a user name or password.
    pub url: String,
    /// As sent, without the values of secrets.
    pub request_headers: Headers,
    /// The response, or why there is none.
    pub answer: Result<Answer, Failure>,
    /// The duration of each phase.
    pub timings: Timings,
    /// The address of the server, if one was reached; through a proxy, the address it was asked to reach.
    pub address: Option<SocketAddr>,
}

impl Exchange {
    pub(crate) fn begun() -> Self {
        let answer = Err(Failure::Connect("no request was made".to_owned()));
        let (url, request_headers) = (String::new(), Headers::new());
        Self { url, request_headers, answer, timings: Timings::default(), address: None }
    }
}

/// A response.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Any status, redirects and errors included.
    pub status: u16,
    /// As received; invalid UTF-8 is replaced.
    pub headers: Headers,
    /// The body as received; if it is not complete, its beginning.
    pub wire: Bytes,
    /// How many bytes of it were received.
    pub wire_bytes: u64,
    /// Its content coding.
    pub coding: Coding,
    /// The decoded body; if it is not complete, its beginning.
    pub decoded: Bytes,
    /// Why it is not complete; `None` if it is.
    pub stopped: Option<Stopped>,
    /// The memory reserved for the body and for the work on it. A caller that makes something larger of the body keeps
    /// this until that is dropped as well.
    pub room: Room,
}
