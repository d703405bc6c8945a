//! How a feed is reached beyond its URL: credentials, a proxy, a user agent. Secrets are printed as `***`, stored sealed by
//! the vault, and sent only to the feed's own origin.

use data_encoding::BASE64;
use fetch::{Header, Proxy};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a feed needs to be visited.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Credentials for the publisher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Credentials>,
    /// A proxy: `http://` or `socks5://`; may contain a user name and password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// A user agent; not secret, and stored beside the sealed part.
    #[serde(skip)]
    pub user_agent: Option<String>,
}

/// Credentials for a publisher.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Credentials {
    /// User name and password.
    Basic {
        /// Name.
        user: String,
        /// Password.
        password: String,
    },
    /// A token.
    Bearer(String),
    /// A header field of the publisher's own.
    Header {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
    },
}

impl Access {
    /// Whether there is anything to keep secret; such a feed has an owner.
    pub fn is_secret(&self) -> bool {
        self.credentials.is_some() || self.proxy.is_some()
    }

    /// Why the proxy cannot be used, if it cannot.
    pub fn problem(&self) -> Option<String> {
        self.route().err()
    }

    /// The proxy, understood.
    pub(crate) fn route(&self) -> Result<Option<Proxy>, String> {
        self.proxy.as_deref().map(Proxy::read).transpose()
    }

    /// The header field with the credentials.
    pub(crate) fn proof(&self) -> Option<Header> {
        let authorization = |value: String| Header::secret("authorization", value);
        Some(match self.credentials.as_ref()? {
            Credentials::Basic { user, password } => {
                authorization(format!("Basic {}", BASE64.encode(format!("{user}:{password}").as_bytes())))
            }
            Credentials::Bearer(token) => authorization(format!("Bearer {token}")),
            Credentials::Header { name, value } => Header::secret(name, value),
        })
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = |there: bool| if there { "***" } else { "none" };
        let (credentials, proxy) = (hidden(self.credentials.is_some()), hidden(self.proxy.is_some()));
        write!(f, "Access {{ credentials: {credentials}, proxy: {proxy}, user_agent: {:?} }}", self.user_agent)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
