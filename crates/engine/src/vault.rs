//! The vault: seals what must not be read in the database. AES-256-GCM under a key that HKDF derives from the root
//! secret; the feed's UUID is authenticated with it, so that a sealed value is of no use in another feed's row.

use crate::access::Access;
use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use aws_lc_rs::rand;
use model::lease::Sealed;
use std::sync::Arc;
use uuid::Uuid;

/// Seals and opens. Cheap to clone.
#[derive(Clone)]
pub struct Vault {
    key: Arc<LessSafeKey>,
}

/// Names the key's purpose: other keys of the same root are other keys.
const PURPOSE: &[&[u8]] = &[b"courant feed access 1"];

/// Why a sealed value stays closed.
#[derive(Debug, thiserror::Error)]
#[error(
    "the credentials of {feed} cannot be opened: they were sealed with another secret (COURANT_SECRET, or keys/secret in the data directory)"
)]
pub struct Locked {
    /// Whose.
    pub feed: Uuid,
}

struct Length;

impl KeyType for Length {
    fn len(&self) -> usize {
        AES_256_GCM.key_len()
    }
}

impl Vault {
    /// Opens with the root secret of this installation.
    pub fn new(root: &[u8]) -> Self {
        let derived = Salt::new(HKDF_SHA256, &[]).extract(root);
        let mut key = [0; 32];
        let filled = derived.expand(PURPOSE, Length).and_then(|okm| okm.fill(&mut key));
        filled.expect("32 bytes are a length that HKDF can give");
        let key = UnboundKey::new(&AES_256_GCM, &key).expect("32 bytes are an AES-256 key");
        Self { key: Arc::new(LessSafeKey::new(key)) }
    }

    /// Seals a feed's access. The nonce goes first.
    pub fn seal(&self, feed: Uuid, access: &Access) -> Sealed {
        let mut nonce = [0; NONCE_LEN];
        rand::fill(&mut nonce).expect("the system gives random bytes");
        let mut text = serde_json::to_vec(access).expect("strings have a JSON form");
        let (unique, about) = (Nonce::assume_unique_for_key(nonce), Aad::from(feed.into_bytes()));
        self.key.seal_in_place_append_tag(unique, about, &mut text).expect("a short text can be sealed");
        Sealed([nonce.as_slice(), &text].concat())
    }

    /// Opens what was sealed for the same feed.
    pub fn open(&self, feed: Uuid, sealed: &Sealed) -> Result<Access, Locked> {
        let locked = || Locked { feed };
        let (nonce, text) = sealed.0.split_first_chunk::<NONCE_LEN>().ok_or_else(locked)?;
        let mut text = text.to_vec();
        let (unique, about) = (Nonce::assume_unique_for_key(*nonce), Aad::from(feed.into_bytes()));
        let text = self.key.open_in_place(unique, about, &mut text).map_err(|_| locked())?;
        serde_json::from_slice(text).map_err(|_| locked())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Credentials;

    const ROOT: &[u8] = b"0123456789abcdef0123456789abcdef";

    fn access() -> Access {
        let credentials = Credentials::Basic { user: "ada".into(), password: "lovelace".into() };
        Access { credentials: Some(credentials), proxy: Some("socks5://p.example:1080".into()), user_agent: None }
    }

    #[test]
    fn what_is_sealed_opens_again_and_only_so() {
        let (vault, feed, other) = (Vault::new(ROOT), Uuid::from_u128(1), Uuid::from_u128(2));
        let sealed = vault.seal(feed, &access());
        assert!(vault.open(feed, &sealed).is_ok_and(|opened| opened == access()));
        assert!(Vault::new(ROOT).open(feed, &sealed).is_ok(), "after a restart");
        assert!(vault.open(other, &sealed).is_err(), "in another feed's row");
        assert!(Vault::new(b"another secret of at least 32 byte").open(feed, &sealed).is_err(), "with another secret");
        for at in 0..sealed.0.len() {
            let mut bent = sealed.clone();
            bent.0[at] ^= 1;
            assert!(vault.open(feed, &bent).is_err(), "byte {at} changed");
        }
        assert!(vault.open(feed, &Sealed(vec![])).is_err(), "nothing");
    }

    #[test]
    fn the_same_access_is_never_sealed_the_same_way() {
        let vault = Vault::new(ROOT);
        assert_ne!(vault.seal(Uuid::nil(), &access()), vault.seal(Uuid::nil(), &access()));
    }

    #[test]
    fn nothing_of_it_can_be_read() {
        let sealed = Vault::new(ROOT).seal(Uuid::nil(), &access());
        for secret in ["lovelace", "ada", "p.example"] {
            assert!(!sealed.0.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "{secret} in the sealed");
            assert!(!format!("{:?} {sealed:?}", access()).contains(secret), "{secret} in what is printed");
        }
    }
}
