//! Access scopes: what an API key may be used for.
//!
//! A key acts for its user and never beyond that user's role; a scope narrows it further. Which scope an action needs
//! is decided in `policy/src/permission.rs`.

use crate::words::words;
use std::fmt;
use std::str::FromStr;

/// One thing that an API key may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Read what its user may read in the reader.
    ReaderRead,
    /// Change it; includes reading.
    ReaderWrite,
    /// Read from the engine API.
    EngineRead,
    /// Change feeds through the engine API; includes reading.
    EngineWrite,
    /// Read published out-feeds.
    PublishRead,
    /// Administer. It does not include the reader or the engine.
    Admin,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::ReaderRead, Self::ReaderWrite, Self::EngineRead, Self::EngineWrite, Self::PublishRead, Self::Admin];

    words! {
        /// Its name, as columns and people write it.
        as_str, NAMES:
        Self::ReaderRead => "reader:read",
        Self::ReaderWrite => "reader:write",
        Self::EngineRead => "engine:read",
        Self::EngineWrite => "engine:write",
        Self::PublishRead => "publish:read",
        Self::Admin => "admin",
    }

    /// Whether a key with this scope may do what `wanted` stands for: writing includes reading.
    pub fn covers(self, wanted: Self) -> bool {
        self == wanted
            || matches!((self, wanted), (Self::ReaderWrite, Self::ReaderRead) | (Self::EngineWrite, Self::EngineRead))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text).ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// A text that is no scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownScope(pub String);

impl fmt::Display for UnknownScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no scope `{}`; choose from {}", self.0, Scope::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownScope {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_as_it_is_written() {
        for scope in Scope::ALL {
            assert_eq!(scope.to_string().parse(), Ok(scope));
        }
        let no = "Reader:Read".parse::<Scope>().unwrap_err().to_string();
        assert_eq!(
            no,
            "there is no scope `Reader:Read`; choose from reader:read, reader:write, engine:read, engine:write, \
             publish:read, admin"
        );
    }

    #[test]
    fn writing_includes_reading_and_nothing_else() {
        let check = |scope: Scope, expected: &str| {
            let covered: Vec<_> = Scope::ALL.into_iter().filter(|wanted| scope.covers(*wanted)).collect();
            let covered: Vec<_> = covered.iter().map(Scope::as_str).collect();
            assert_eq!(covered.join(" "), expected, "{scope}");
        };
        check(Scope::ReaderRead, "reader:read");
        check(Scope::ReaderWrite, "reader:read reader:write");
        check(Scope::EngineRead, "engine:read");
        check(Scope::EngineWrite, "engine:read engine:write");
        check(Scope::PublishRead, "publish:read");
        check(Scope::Admin, "admin");
    }
}
