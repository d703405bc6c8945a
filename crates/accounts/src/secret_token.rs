//! Random tokens: sessions, keys, one-time links. They exist in the answer that gives them out; the store gets their hash.

use aws_lc_rs::{digest, rand};
use data_encoding::BASE64URL_NOPAD;

/// Random bytes.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

/// A token of 256 bits that goes into a URL or a cookie.
pub(crate) fn new_token() -> String {
    BASE64URL_NOPAD.encode(&random::<32>())
}

/// What the store knows a token by. The token is random, so that a fast hash is enough.
pub(crate) fn hash(token: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
    hash
}
