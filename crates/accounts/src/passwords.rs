//! Hashing of passwords: argon2id, on few threads, so that logins take neither all processors nor all memory, and block no
//! request that needs no password.
//!
//! A password for a user who does not exist costs the same as a wrong one.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use data_encoding::BASE64_NOPAD;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::secret_token::random;

/// Hashes and verifies passwords. Cheap to clone.
#[derive(Clone)]
pub struct Passwords {
    params: Params,
    permits: Arc<Semaphore>,
    /// A hash of no password, with our parameters.
    nobody: Arc<str>,
}

/// Memory and passes that OWASP recommends.
const MEMORY_KIB: u32 = 19 * 1_024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// The right to hash now. Held from looking at the failed logins to noting another: those who wait see what the others
/// have failed.
pub(crate) struct Permit {
    #[expect(dead_code, reason = "given back when dropped")]
    permit: Option<OwnedSemaphorePermit>,
}

/// Whether a password fits a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verified {
    Yes,
    /// It does, and the hash was made with other parameters.
    Outdated,
    No,
}

impl Default for Passwords {
    fn default() -> Self {
        let permits = available_parallelism().map_or(1, usize::from) / 2;
        Self::with(Params::new(MEMORY_KIB, PASSES, LANES, None).expect("valid parameters"), permits.max(1))
    }
}

impl Passwords {
    /// With parameters that protect nothing, for tests.
    pub fn cheap_for_tests() -> Self {
        Self::with(Params::new(Params::MIN_M_COST, 1, 1, None).expect("valid parameters"), 2)
    }

    fn with(params: Params, permits: usize) -> Self {
        let (salt, hash) = (BASE64_NOPAD.encode(&random::<16>()), BASE64_NOPAD.encode(&random::<32>()));
        let nobody = format!("{}{salt}${hash}", prefix(&params));
        Self { params, permits: Arc::new(Semaphore::new(permits)), nobody: nobody.into() }
    }

    /// Waits for the right to hash.
    pub(crate) async fn permit(&self) -> Permit {
        // Never closed; without a permit the work is done all the same.
        Permit { permit: Arc::clone(&self.permits).acquire_owned().await.ok() }
    }

    /// The hash of a new password.
    pub(crate) async fn hash(&self, password: &str) -> String {
        let permit = self.permit().await;
        let (argon, password) = (self.argon(), password.to_owned());
        let work = move || {
            let hashed = argon.hash_password_with_salt(password.as_bytes(), &random::<16>());
            hashed.expect("a short password and a salt of 16 bytes can be hashed").to_string()
        };
        let hash = tokio::task::spawn_blocking(work).await.expect("hashing does not panic");
        drop(permit);
        hash
    }

    /// Whether the password fits. Without a hash it does not, after the same time.
    pub(crate) async fn verify(&self, _permit: &Permit, password: &str, hash: Option<&str>) -> Verified {
        let (argon, password) = (self.argon(), password.to_owned());
        let (known, hash) = (hash.is_some(), hash.unwrap_or(&self.nobody).to_owned());
        let ours = hash.starts_with(&prefix(&self.params));
        let work = move || {
            let fits =
                PasswordHash::new(&hash).is_ok_and(|hash| argon.verify_password(password.as_bytes(), &hash).is_ok());
            match (fits && known, ours) {
                (false, _) => Verified::No,
                (true, true) => Verified::Yes,
                (true, false) => Verified::Outdated,
            }
        };
        tokio::task::spawn_blocking(work).await.expect("hashing does not panic")
    }

    fn argon(&self) -> Argon2<'static> {
        Argon2::new(Algorithm::Argon2id, Version::V0x13, self.params.clone())
    }
}

/// What hashes with these parameters begin with.
fn prefix(params: &Params) -> String {
    format!("$argon2id$v=19$m={},t={},p={}$", params.m_cost(), params.t_cost(), params.p_cost())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let passwords = Passwords::cheap_for_tests();
        let permit = passwords.permit().await;
        let hash = passwords.hash("correct horse").await;
        assert!(hash.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{hash}");
        assert_ne!(hash, passwords.hash("correct horse").await, "salted");
        assert_eq!(passwords.verify(&permit, "correct horse", Some(&hash)).await, Verified::Yes);
        for (password, hash) in
            [("Correct horse", Some(hash.as_str())), ("", Some(&hash)), ("x", None), ("x", Some("$argon2id$nonsense"))]
        {
            assert_eq!(passwords.verify(&permit, password, hash).await, Verified::No, "{password} {hash:?}");
        }
    }

    #[tokio::test]
    async fn a_hash_with_other_parameters_is_outdated() {
        let hash = Passwords::cheap_for_tests().hash("correct horse").await;
        let passwords = Passwords::default();
        let permit = passwords.permit().await;
        assert_eq!(passwords.verify(&permit, "correct horse", Some(&hash)).await, Verified::Outdated);
        assert_eq!(passwords.verify(&permit, "wrong", Some(&hash)).await, Verified::No);
    }

    /// Else its time would tell which users there are.
    #[test]
    fn nobody_costs_as_much_as_somebody() {
        let passwords = Passwords::default();
        assert!(passwords.nobody.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", passwords.nobody);
        assert!(PasswordHash::new(&passwords.nobody).is_ok_and(|hash| hash.hash.is_some()));
    }
}
