//! A header field that a caller adds to a request, and whether its value may be shown.
//!
//! Credentials are passed this way. The usual names are always secret; a token under another name must be marked by the
//! caller.

use std::fmt;

/// A header field to send.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name, in any case.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether the value may be recorded and shown.
    pub secrecy: Secrecy,
}

/// Whether a value may be recorded and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrecy {
    /// It may, unless the name is that of a credential.
    Open,
    /// It shows as `***`.
    Secret,
}

/// Fields that are always secret.
const ALWAYS_SECRET: &[&str] = &["authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token"];

impl Header {
    /// A public field, unless its name is that of a credential.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), secrecy: Secrecy::Open }
    }

    /// A field with a credential.
    pub fn secret(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { secrecy: Secrecy::Secret, ..Self::new(name, value) }
    }

    /// Whether the value must not be shown.
    pub fn is_secret(&self) -> bool {
        self.secrecy == Secrecy::Secret || ALWAYS_SECRET.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = if self.is_secret() { "***" } else { &self.value };
        write!(f, "{}: {shown}", self.name)
    }
}
