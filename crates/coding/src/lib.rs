//! Content codings as pure code: what a `Content-Encoding` says, and a decoder that is fed while a body arrives.
//!
//! `fetch` pushes chunks as they come from the wire, `blobs` decodes on reading and compresses what is put away. Every
//! limit is checked before the memory is taken, so hostile bytes cost no more than honest ones. No I/O here; the plain
//! data (`Coding`, `AtRest`) is in `model::blob`.

mod brotli;
mod decoder;
mod deflate;
mod gzip;
mod header;
mod zstandard;

pub use decoder::{Decoded, Decoder, Limits, Stopped, decode};
pub use header::{ACCEPTED, Unsupported, from_header};
pub use model::blob::Coding;
pub use zstandard::compress;
