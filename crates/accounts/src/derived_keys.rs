//! The keys of this crate, derived from the root secret with HKDF: one per purpose, so that none can stand in for another.

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use aws_lc_rs::{constant_time, hmac};
use data_encoding::HEXLOWER;
use jsonwebtoken::{DecodingKey, EncodingKey};

/// The keys of one installation.
pub(crate) struct DerivedKeys {
    pub(crate) sign: EncodingKey,
    pub(crate) verify: DecodingKey,
    csrf: hmac::Key,
}

const TOKENS: &[&[u8]] = &[b"courant signed tokens 1"];
const CSRF: &[&[u8]] = &[b"courant csrf 1"];

struct Length;

impl KeyType for Length {
    fn len(&self) -> usize {
        32
    }
}

impl DerivedKeys {
    pub(crate) fn new(root: &[u8]) -> Self {
        let root = Salt::new(HKDF_SHA256, &[]).extract(root);
        let key = |purpose: &[&[u8]]| {
            let mut key = [0; 32];
            let filled = root.expand(purpose, Length).and_then(|okm| okm.fill(&mut key));
            filled.expect("32 bytes are a length that HKDF can give");
            key
        };
        let tokens = key(TOKENS);
        Self {
            sign: EncodingKey::from_secret(&tokens),
            verify: DecodingKey::from_secret(&tokens),
            csrf: hmac::Key::new(hmac::HMAC_SHA256, &key(CSRF)),
        }
    }

    /// The proof that a page belongs to the session with that token: nobody else can make it.
    pub(crate) fn csrf_token(&self, session_hash: &[u8; 32]) -> String {
        HEXLOWER.encode(hmac::sign(&self.csrf, session_hash).as_ref())
    }
}

/// Whether two secrets are equal, in the same time whether they are or not.
pub(crate) fn same_secret(one: &str, other: &str) -> bool {
    constant_time::verify_slices_are_equal(one.as_bytes(), other.as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_csrf_token_belongs_to_one_session_and_one_secret() {
        let keys = DerivedKeys::new(b"0123456789abcdef0123456789abcdef");
        let token = keys.csrf_token(&[1; 32]);
        assert_eq!(token, DerivedKeys::new(b"0123456789abcdef0123456789abcdef").csrf_token(&[1; 32]));
        assert_ne!(token, keys.csrf_token(&[2; 32]));
        assert_ne!(token, DerivedKeys::new(b"another secret of at least 32 bytes").csrf_token(&[1; 32]));
        assert!(same_secret(&token, &token.clone()) && !same_secret(&token, "") && !same_secret(&token, &token[1..]));
    }
}
