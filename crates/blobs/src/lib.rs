//! Content-addressed bytes: a directory or S3.
//!
//! Stores the bodies of visits exactly as they came over the wire, named by their hash, and verifies them when read.
//! Decides nothing: which blobs are still referenced is known to the store, and the caller passes it in. No clock and
//! no environment: `now`, addresses and credentials are arguments.

mod address;
mod blobs;
mod directory;
mod error;
mod group_sync;
mod memory;
#[expect(clippy::disallowed_types, reason = "the bucket is the operator's own")]
mod s3;
mod sweep;
mod temporary;

pub use address::S3Options;
pub use blobs::Blobs;
pub use coding::{Decoded, Limits, Stopped};
pub use error::BlobError;
pub use model::blob::{AtRest, Blob, BlobHash, BlobKey, Coding};
pub use sweep::{GRACE, Listed, Swept};
