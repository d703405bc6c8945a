//! Content codings as pure code: parsing `Content-Encoding`, and a push decoder for bodies that are still arriving.
//!
//! `fetch` pushes chunks as they arrive; `blobs` decodes on reading and compresses before storing. Every limit is
//! checked before memory is allocated, so hostile bytes cost no more than honest ones. No I/O here; the plain data
//! (`Coding`, `AtRest`) is in `model::blob`.

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
