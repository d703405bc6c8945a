//! One polite HTTP exchange: guarded addresses, deadlines, limits, conditional requests, decoding.
//!
//! The only door to hosts that somebody else chose. It follows no redirects, knows no robots, no rates and no
//! credentials, and decides nothing: the engine goes hop by hop and passes every hop through here, so every hop is
//! checked. Where to look: `guard` (which addresses), `target` (which URLs), `connector` (dials only what was checked),
//! `body` (limits), `fetch` (the whole).

mod answer;
mod body;
mod connection;
mod connector;
mod egress;
mod error;
mod fetch;
pub mod guard;
mod journey;
mod network;
mod options;
mod request;
mod resolver;
mod target;
mod tls;

pub use answer::{Answer, Exchange};
pub use egress::Egress;
pub use error::FetchError;
pub use fetch::Fetch;
pub use network::{Dialled, Network, Promise, Stream, System};
pub use options::{Limits, Options, Timeouts};
pub use request::Request;
