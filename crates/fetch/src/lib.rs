//! One polite HTTP exchange: guarded addresses, deadlines, limits, conditional requests, decoding.
//!
//! The only way to hosts that somebody else chose. It follows no redirects, knows no robots.txt and no rates, keeps no
//! credentials, and decides nothing: the engine passes every hop through here, so every hop is checked. Where to look:
//! `guard` (which addresses), `rule` (the operator's list), `target` (which URLs), `connector` (dials only what was
//! checked), `proxy` and `tunnel`, `body` (limits), `room` (memory), `fetch` (the whole).

mod answer;
mod body;
mod certificate;
mod connection;
mod connector;
mod egress;
mod error;
#[expect(clippy::disallowed_types, reason = "the one client there is; its connector asks the guard")]
mod fetch;
pub mod guard;
mod header;
#[expect(clippy::disallowed_methods, reason = "the one place that dials; only the connector calls it")]
mod network;
mod options;
mod progress;
mod proxy;
mod request;
#[expect(clippy::disallowed_types, reason = "the one resolver there is; the connector checks what it finds")]
mod resolver;
mod room;
mod rule;
mod spool;
mod target;
mod tls;
mod tunnel;

pub use answer::{Answer, Exchange};
pub use egress::Egress;
pub use error::FetchError;
pub use fetch::Fetch;
pub use header::{Header, Secrecy};
pub use network::{Dialled, Network, Promise, Stream, System};
pub use options::{Limits, Options, Timeouts};
pub use proxy::Proxy;
pub use request::Request;
pub use room::Room;
pub use rule::EgressRule;
