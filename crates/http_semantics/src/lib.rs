//! HTTP fields whose meaning several crates need: one reader and one writer of each, one file per field.
//!
//! Pure: no I/O, no clock (`now` is an argument). Field values are hostile input: any bytes, repeated, without end.
//! Every function accepts all of them, does bounded work and never panics. Sections are those of RFC 9110 (semantics),
//! RFC 9111 (caching) and RFC 8288 (links). Content codings are in `coding`; what to do with a value is for `policy`.

pub mod age;
mod cache_control;
mod conditional;
mod entity_tag;
pub mod expires;
mod freshness;
pub mod http_date;
mod if_none_match;
pub mod link;
pub mod retry_after;
mod syntax;

pub use cache_control::CacheControl;
pub use conditional::Conditions;
pub use entity_tag::EntityTag;
pub use freshness::{Freshness, StatedBy, freshness};
pub use if_none_match::IfNoneMatch;
pub use link::Link;
pub use syntax::combined;
