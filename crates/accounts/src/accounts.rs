//! What all verbs of accounts need: the store, the clock, keys and the hashing of passwords.

use crate::derived_keys::DerivedKeys;
use crate::passwords::Passwords;
use jiff::SignedDuration;
use policy::limits::LoginLimits;
use std::sync::Arc;
use store::Store;
use work::Clock;

/// The verbs of accounts. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) keys: DerivedKeys,
    pub(crate) passwords: Passwords,
    pub(crate) options: Options,
}

/// What accounts are made of.
pub struct Parts<'a> {
    /// Where they are stored.
    pub store: Store,
    /// The time.
    pub clock: Clock,
    /// The root secret of this installation.
    pub root_secret: &'a [u8],
    /// How passwords are hashed.
    pub passwords: Passwords,
    /// What is configured.
    pub options: Options,
}

/// What can be configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How long a signed token is valid.
    pub token: SignedDuration,
    /// How long a session of a browser lasts.
    pub session: SignedDuration,
    /// How many logins may fail.
    pub login_limits: LoginLimits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            token: SignedDuration::from_hours(24),
            session: SignedDuration::from_hours(30 * 24),
            login_limits: LoginLimits::default(),
        }
    }
}

impl Accounts {
    /// Puts the parts together.
    pub fn new(parts: Parts<'_>) -> Self {
        let Parts { store, clock, root_secret, passwords, options } = parts;
        let keys = DerivedKeys::new(root_secret);
        Self { inner: Arc::new(Inner { store, clock, keys, passwords, options }) }
    }

    /// The store behind it.
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// What is configured.
    pub fn options(&self) -> &Options {
        &self.inner.options
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }
}
