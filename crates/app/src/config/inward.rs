//! Kinds of values about who reaches this server, and under which names.

use url::Url;

use super::value::Value;

/// Where people reach a server, such as `https://news.example`: a scheme, a host, perhaps a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(pub String);

impl Value for Origin {
    fn expected() -> String {
        "an address such as `https://news.example` or `http://192.0.2.1:8100`, without a path".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let plain = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        };
        let url = Url::parse(text).ok().filter(plain).ok_or_else(Self::expected)?;
        Ok(Self(url.origin().ascii_serialization()))
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}

/// Several of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins(pub Vec<String>);

impl Value for Origins {
    const LIST: bool = true;

    fn expected() -> String {
        "addresses such as `https://reader.example`, without a path, separated by commas".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let origins: Result<Vec<Origin>, _> = parts.map(Origin::read).collect();
        origins.map(|all| Self(all.into_iter().map(|origin| origin.0).collect())).map_err(|_| Self::expected())
    }

    fn show(&self) -> String {
        self.0.join(", ")
    }
}

/// The address of an identity provider, or where it sends browsers back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAddress(pub String);

impl Value for WebAddress {
    fn expected() -> String {
        "an address such as `https://login.example/realms/home`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let plain = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty();
        // Kept as written: an issuer is compared letter by letter.
        Url::parse(text).ok().filter(plain).map(|_| Self(text.to_owned())).ok_or_else(Self::expected)
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}

/// Several of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebAddresses(pub Vec<String>);

impl Value for WebAddresses {
    const LIST: bool = true;

    fn expected() -> String {
        "addresses such as `https://reader.example/api/oidc/callback`, separated by commas".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let all: Result<Vec<WebAddress>, _> = parts.map(WebAddress::read).collect();
        all.map(|all| Self(all.into_iter().map(|one| one.0).collect())).map_err(|_| Self::expected())
    }

    fn show(&self) -> String {
        self.0.join(", ")
    }
}

/// Names in another system, such as subjects and groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(pub Vec<String>);

impl Value for Names {
    const LIST: bool = true;

    fn expected() -> String {
        "names, separated by commas".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()))
    }

    fn show(&self) -> String {
        self.0.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_host_and_a_port() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(Origin::read(text).ok().map(|origin| origin.0).as_deref(), expected, "{text}");
        };
        check("https://News.example", Some("https://news.example"));
        check("https://news.example:443/", Some("https://news.example"));
        check("http://[::1]:8100", Some("http://[::1]:8100"));
        for wrong in
            ["news.example", "ftp://news.example", "https://news.example/reader", "https://ada@news.example", "*", ""]
        {
            check(wrong, None);
        }
        assert_eq!(Origins::read("https://a.example, http://b.example:1").unwrap().0.len(), 2);
        assert_eq!(Origins::read("").unwrap().0.len(), 0);
        assert!(Origins::read("https://a.example, *").is_err());
    }
}
