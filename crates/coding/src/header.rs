//! Parses `Content-Encoding`. `fetch` calls this before it pushes the first byte.
//!
//! Only a single coding is accepted: stacked codings can hide the ratio of a decompression bomb, and no feed needs
//! them.

use model::blob::Coding;

/// The value of `Accept-Encoding`: every coding that [`from_header`] understands. gzip comes first, because some
/// servers look only at the first.
pub const ACCEPTED: &str = "gzip, br, zstd, deflate";

/// Parses a `Content-Encoding` value; several header lines must be joined by commas first. Empty and `identity` mean no
/// coding; beside a real coding they are ignored.
pub fn from_header(value: &str) -> Result<Coding, Unsupported> {
    let mut codings = value.split(',').map(str::trim).filter(|token| !is_identity(token));
    let Some(token) = codings.next() else { return Ok(Coding::Identity) };
    if codings.next().is_some() {
        return Err(Unsupported::Several(value.trim().to_owned()));
    }
    let known = |name: &str| token.eq_ignore_ascii_case(name);
    if known("gzip") || known("x-gzip") {
        Ok(Coding::Gzip)
    } else if known("deflate") {
        Ok(Coding::Deflate)
    } else if known("br") {
        Ok(Coding::Brotli)
    } else if known("zstd") {
        Ok(Coding::Zstd)
    } else {
        Err(Unsupported::Unknown(token.to_owned()))
    }
}

/// A `Content-Encoding` that we do not decode, as the server named it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// A single unknown coding.
    #[error("unknown content coding {0:?}")]
    Unknown(String),
    /// Several stacked codings.
    #[error("more than one content coding: {0:?}")]
    Several(String),
}

fn is_identity(token: &str) -> bool {
    token.is_empty() || token.eq_ignore_ascii_case("identity")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_encodings() {
        let check = |value, expected: &str| {
            let said = from_header(value).map_or_else(|refusal| refusal.to_string(), |coding| coding.to_string());
            assert_eq!(said, expected, "{value:?}");
        };
        check("", "identity");
        check("  ", "identity");
        check("identity", "identity");
        check("Identity, ", "identity");
        check("gzip", "gzip");
        check("GZip", "gzip");
        check(" x-gzip ", "gzip");
        check("deflate", "deflate");
        check("br", "br");
        check("zstd", "zstd");
        check("identity, gzip", "gzip");
        check("gzip, gzip", "more than one content coding: \"gzip, gzip\"");
        check("gzip,br", "more than one content coding: \"gzip,br\"");
        check("compress", "unknown content coding \"compress\"");
        check("utf-8", "unknown content coding \"utf-8\"");
        check("gzip;q=1", "unknown content coding \"gzip;q=1\"");
        check("g\nzip", "unknown content coding \"g\\nzip\"");
    }

    #[test]
    fn what_we_ask_for_we_can_read() {
        for token in ACCEPTED.split(", ") {
            assert_eq!(from_header(token).unwrap().token(), token);
        }
    }
}
