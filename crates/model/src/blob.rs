//! A blob: the bytes of one response exactly as they came over the wire, named by their hash.
//!
//! Plain data and the one text form of a blob's name, which the store keeps and `blobs` uses as a path. Decoding is
//! in `coding`; reading and writing in `blobs`.
//! Invariant: the text form never changes, because years of rows and files are named by it.

use data_encoding::HEXLOWER;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// One stored body: what it is called and how large it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blob {
    /// SHA-256 of the bytes as they came over the wire, before any decoding.
    pub hash: BlobHash,
    /// How the server had coded the body.
    pub coding: Coding,
    /// What was done to the bytes before storing them.
    pub at_rest: AtRest,
    /// How many bytes came over the wire.
    pub wire_bytes: u64,
    /// How many bytes they take at rest.
    pub stored_bytes: u64,
}

impl Blob {
    /// The name under which the bytes are kept.
    pub fn key(&self) -> BlobKey {
        BlobKey { hash: self.hash, coding: self.coding, at_rest: self.at_rest }
    }
}

/// A blob's name: `ab/cdef….gz`, `ab/cdef….id.zst`. Keys are ordered as their text is, so that a listing can be paged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlobKey {
    /// SHA-256 of the wire bytes.
    pub hash: BlobHash,
    /// How the server had coded the body. Part of the name, because the same bytes mean something else under another
    /// coding.
    pub coding: Coding,
    /// What was done to the bytes before storing them.
    pub at_rest: AtRest,
}

impl BlobKey {
    /// What follows the hash: `gz`, `br`, `id.zst`.
    fn suffix(self) -> &'static str {
        match (self.coding, self.at_rest) {
            (Coding::Identity, AtRest::AsIs) => "id",
            (Coding::Gzip, AtRest::AsIs) => "gz",
            (Coding::Deflate, AtRest::AsIs) => "deflate",
            (Coding::Brotli, AtRest::AsIs) => "br",
            (Coding::Zstd, AtRest::AsIs) => "zst",
            (Coding::Identity, AtRest::Zstd) => "id.zst",
            (Coding::Gzip, AtRest::Zstd) => "gz.zst",
            (Coding::Deflate, AtRest::Zstd) => "deflate.zst",
            (Coding::Brotli, AtRest::Zstd) => "br.zst",
            (Coding::Zstd, AtRest::Zstd) => "zst.zst",
        }
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.hash.to_string();
        write!(f, "{}/{}.{}", &hex[..2], &hex[2..], self.suffix())
    }
}

impl FromStr for BlobKey {
    type Err = NotABlobName;

    fn from_str(text: &str) -> Result<Self, NotABlobName> {
        let (shard, rest) = text.split_once('/').ok_or(NotABlobName)?;
        let (tail, suffix) = rest.split_once('.').ok_or(NotABlobName)?;
        if shard.len() != 2 {
            return Err(NotABlobName);
        }
        let hash = [shard, tail].concat().parse()?;
        let (coding, at_rest) = match suffix.split_once('.') {
            None => (suffix, AtRest::AsIs),
            Some((coding, "zst")) => (coding, AtRest::Zstd),
            Some(_) => return Err(NotABlobName),
        };
        let coding = match coding {
            "id" => Coding::Identity,
            "gz" => Coding::Gzip,
            "deflate" => Coding::Deflate,
            "br" => Coding::Brotli,
            "zst" => Coding::Zstd,
            _ => return Err(NotABlobName),
        };
        Ok(Self { hash, coding, at_rest })
    }
}

impl Ord for BlobKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.hash.cmp(&other.hash).then_with(|| self.suffix().cmp(other.suffix()))
    }
}

impl PartialOrd for BlobKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A SHA-256, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobHash(pub [u8; 32]);

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", HEXLOWER.encode_display(&self.0))
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BlobHash {
    type Err = NotABlobName;

    // Upper case is refused: a hash must have exactly one text form, or rows and files would not match.
    fn from_str(text: &str) -> Result<Self, NotABlobName> {
        let mut hash = [0; 32];
        if HEXLOWER.decode_len(text.len()) != Ok(hash.len()) {
            return Err(NotABlobName);
        }
        HEXLOWER.decode_mut(text.as_bytes(), &mut hash).map_err(|_| NotABlobName)?;
        Ok(Self(hash))
    }
}

/// How a server coded a body for transfer (`Content-Encoding`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Coding {
    /// No coding.
    #[default]
    Identity,
    /// gzip (RFC 1952).
    Gzip,
    /// `deflate`: zlib by the standard, raw deflate in practice.
    Deflate,
    /// Brotli (RFC 7932).
    Brotli,
    /// Zstandard (RFC 8878).
    Zstd,
}

impl Coding {
    /// The token of the `Content-Encoding` header.
    pub fn token(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

impl fmt::Display for Coding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

/// What was done to the wire bytes before storing them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum AtRest {
    /// Nothing: they were compressed already, or too small to benefit.
    #[default]
    AsIs,
    /// We compressed them with zstd; reading decompresses them.
    Zstd,
}

/// The text is not the name of a blob. It may belong to another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotABlobName;

impl fmt::Display for NotABlobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the name of a blob")
    }
}

impl std::error::Error for NotABlobName {}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff";

    fn key(coding: Coding, at_rest: AtRest) -> BlobKey {
        BlobKey { hash: HEX.parse().unwrap(), coding, at_rest }
    }

    #[test]
    fn keys_have_one_text_form_for_ever() {
        let check = |coding, at_rest, suffix: &str| {
            let text = format!("00/{}.{suffix}", &HEX[2..]);
            assert_eq!(key(coding, at_rest).to_string(), text);
            assert_eq!(text.parse(), Ok(key(coding, at_rest)));
        };
        check(Coding::Identity, AtRest::AsIs, "id");
        check(Coding::Identity, AtRest::Zstd, "id.zst");
        check(Coding::Gzip, AtRest::AsIs, "gz");
        check(Coding::Gzip, AtRest::Zstd, "gz.zst");
        check(Coding::Deflate, AtRest::AsIs, "deflate");
        check(Coding::Deflate, AtRest::Zstd, "deflate.zst");
        check(Coding::Brotli, AtRest::AsIs, "br");
        check(Coding::Brotli, AtRest::Zstd, "br.zst");
        check(Coding::Zstd, AtRest::AsIs, "zst");
        check(Coding::Zstd, AtRest::Zstd, "zst.zst");
    }

    #[test]
    fn what_is_not_a_key_is_refused() {
        let check = |case, text: &str| assert_eq!(text.parse::<BlobKey>(), Err(NotABlobName), "{case}: {text}");
        check("empty", "");
        check("no shard", &format!("{HEX}.gz"));
        check("shard in the wrong place", &format!("000/{}.gz", &HEX[3..]));
        check("too short", &format!("00/{}.gz", &HEX[4..]));
        check("too long", &format!("00/{}00.gz", &HEX[2..]));
        check("upper case", &format!("00/{}.gz", HEX[2..].to_uppercase()));
        check("no suffix", &format!("00/{}", &HEX[2..]));
        check("unknown suffix", &format!("00/{}.zip", &HEX[2..]));
        check("unknown at rest", &format!("00/{}.id.gz", &HEX[2..]));
        check("one suffix too many", &format!("00/{}.id.zst.zst", &HEX[2..]));
        check("not ASCII", &format!("0é/{}.gz", &HEX[2..]));
        check("a temporary file", "00/.tmp-1-1");
        check("an escape", &format!("../{}.gz", &HEX[2..]));
    }

    #[test]
    fn keys_sort_as_their_text_does() {
        let mut keys = Vec::new();
        for coding in [Coding::Identity, Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd] {
            for at_rest in [AtRest::AsIs, AtRest::Zstd] {
                keys.push(key(coding, at_rest));
                keys.push(BlobKey { hash: BlobHash([0xab; 32]), coding, at_rest });
            }
        }
        keys.sort();
        assert!(keys.is_sorted_by_key(ToString::to_string));
    }
}
