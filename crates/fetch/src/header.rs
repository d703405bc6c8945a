//! A header field that a caller adds to a request, and whether its value may be seen.
//!
//! Credentials travel as these. Who marks nothing is still safe with the usual names; a token under a name of a
//! publisher's own is known as one by its owner only.

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
    /// It may, unless the name alone says that it is a credential.
    Open,
    /// It shows as `***`.
    Secret,
}

/// Fields that carry credentials whatever their caller says.
const ALWAYS_SECRET: &[&str] = &["authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token"];

impl Header {
    /// A field that anybody may see, if its name is not that of a credential.
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
