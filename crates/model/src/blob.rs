//! A blob: where the exact bytes of a raw fetch lie, and in which coding.

use std::fmt;

/// A content-addressed, immutable run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blob {
    /// SHA-256 of the bytes as they came over the wire.
    pub hash: BlobHash,
    /// The content coding they came in.
    pub coding: Coding,
    /// What was done to them for storage.
    pub at_rest: AtRest,
    /// Their length as they came.
    pub wire_bytes: u64,
    /// Their length as stored.
    pub stored_bytes: u64,
}

/// SHA-256 of wire bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobHash(pub [u8; 32]);

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A content coding of HTTP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Coding {
    #[default]
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// What was done to the wire bytes for storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum AtRest {
    /// Nothing.
    #[default]
    AsIs,
    /// Compressed with zstd, because they came uncompressed.
    Zstd,
}
