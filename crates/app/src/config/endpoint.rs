//! URLs of external systems: database, raw bytes, events, S3. Pure: only the form is checked here; the crate that
//! connects finds out whether a server responds.

use std::path::PathBuf;

use url::Url;

use super::secret::{Secret, SecretUrl, redacted};
use super::value::Value;

/// The location of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// One file; its directory is created if missing.
    Sqlite(PathBuf),
    /// A server, with any parameters that PostgreSQL knows.
    Postgres(SecretUrl),
}

impl DatabaseUrl {
    /// The connection text, including a password that was configured separately.
    pub fn connection(&self, password: Option<&Secret>) -> Secret {
        match self {
            Self::Sqlite(path) => Secret::new(format!("sqlite:{}", path.display())),
            Self::Postgres(url) => {
                let mut url = url.expose().clone();
                // A URL without a host (a Unix socket) has no login: the parameter does the same.
                if let Some(password) = password
                    && url.set_password(Some(password.expose())).is_err()
                {
                    url.query_pairs_mut().append_pair("password", password.expose());
                }
                Secret::new(url)
            }
        }
    }

    /// Whether the URL itself contains a password.
    pub fn has_password(&self) -> bool {
        match self {
            Self::Sqlite(_) => false,
            Self::Postgres(url) => {
                let url = url.expose();
                url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password")
            }
        }
    }
}

impl Value for DatabaseUrl {
    fn expected() -> String {
        "`sqlite:PATH` or `postgres://USER@HOST/DATABASE`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            // A database in memory would not survive a restart, and parameters would become part of the file name.
            let refused = path.is_empty() || path == ":memory:" || path.contains(['?', '\0']);
            return if refused {
                Err(format!("{} with a plain path", Self::expected()))
            } else {
                Ok(Self::Sqlite(path.into()))
            };
        }
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "postgres" | "postgresql") && text.contains("://") => {
                Ok(Self::Postgres(SecretUrl::new(url)))
            }
            _ => Err(Self::expected()),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Sqlite(path) => format!("sqlite:{}", path.display()),
            Self::Postgres(url) => url.to_string(),
        }
    }

    fn quote(text: &str) -> String {
        format!("`{}`", redacted(text))
    }
}

/// The location of the raw bytes of visits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobsUrl {
    /// A directory, created if missing.
    Directory(PathBuf),
    /// A bucket, and the prefix of the names in it.
    S3 {
        /// The bucket's name.
        bucket: String,
        /// Empty, or without slashes at its ends.
        prefix: String,
    },
}

impl Value for BlobsUrl {
    fn expected() -> String {
        "`file:PATH` or `s3://BUCKET/PREFIX`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("file:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { Err(Self::expected()) } else { Ok(Self::Directory(path.into())) };
        }
        let rest = text.strip_prefix("s3://").ok_or_else(Self::expected)?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let named = bucket.len() >= 3 && bucket.chars().all(|c| c.is_ascii_alphanumeric() || ".-_".contains(c));
        if !named || prefix.contains(['?', '#']) {
            return Err(Self::expected());
        }
        Ok(Self::S3 { bucket: bucket.into(), prefix: prefix.trim_matches('/').into() })
    }

    fn show(&self) -> String {
        match self {
            Self::Directory(path) => format!("file:{}", path.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => format!("s3://{bucket}"),
            Self::S3 { bucket, prefix } => format!("s3://{bucket}/{prefix}"),
        }
    }

    fn quote(text: &str) -> String {
        format!("`{}`", redacted(text))
    }
}

/// Declares a URL that is used for connecting as it is.
macro_rules! urls {
    ($($(#[$doc:meta])+ $name:ident: $schemes:pat, $expected:literal;)+) => { $(
        $(#[$doc])+
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(pub SecretUrl);

        impl Value for $name {
            fn expected() -> String {
                $expected.into()
            }

            fn read(text: &str) -> Result<Self, String> {
                match Url::parse(text) {
                    Ok(url) if matches!(url.scheme(), $schemes) && url.has_host() => Ok(Self(SecretUrl::new(url))),
                    _ => Err(Self::expected()),
                }
            }

            fn show(&self) -> String {
                self.0.to_string()
            }

            fn quote(text: &str) -> String {
                format!("`{}`", redacted(text))
            }
        }
    )+ };
}

urls! {
    /// A NATS server.
    EventsUrl: "nats" | "tls", "`nats://HOST:PORT`";
    /// The address of an S3 service.
    S3Endpoint: "http" | "https", "a web address such as `https://s3.example.org`";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Value>(text: &str, expected: &str) {
        let shown = T::read(text).map_or_else(|wish| format!("expected {wish}"), |value| value.show());
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn a_database_is_a_file_or_a_server() {
        const FORMS: &str = "expected `sqlite:PATH` or `postgres://USER@HOST/DATABASE`";
        check::<DatabaseUrl>("sqlite:courant.db", "sqlite:courant.db");
        check::<DatabaseUrl>("sqlite:///srv/courant.db", "sqlite:/srv/courant.db");
        check::<DatabaseUrl>("sqlite::memory:", &format!("{FORMS} with a plain path"));
        check::<DatabaseUrl>("sqlite:a.db?mode=ro", &format!("{FORMS} with a plain path"));
        check::<DatabaseUrl>("postgres://ada:pw@db/feeds", "postgres://ada:***@db/feeds");
        check::<DatabaseUrl>("postgresql://db/feeds", "postgresql://db/feeds");
        check::<DatabaseUrl>("postgres:feeds", FORMS);
        check::<DatabaseUrl>("mysql://db/feeds", FORMS);
        check::<DatabaseUrl>("/srv/courant.db", FORMS);
    }

    #[test]
    fn raw_bytes_live_in_a_directory_or_a_bucket() {
        check::<BlobsUrl>("file:blobs", "file:blobs");
        check::<BlobsUrl>("file:///srv/blobs", "file:/srv/blobs");
        check::<BlobsUrl>("s3://feeds", "s3://feeds");
        check::<BlobsUrl>("s3://feeds/raw/v1/", "s3://feeds/raw/v1");
        check::<BlobsUrl>("s3://", "expected `file:PATH` or `s3://BUCKET/PREFIX`");
        check::<BlobsUrl>("gs://feeds", "expected `file:PATH` or `s3://BUCKET/PREFIX`");
    }

    #[test]
    fn other_systems() {
        check::<EventsUrl>("nats://bus:4222", "nats://bus:4222");
        check::<EventsUrl>("kafka://bus", "expected `nats://HOST:PORT`");
        check::<S3Endpoint>("http://127.0.0.1:9000", "http://127.0.0.1:9000/");
        check::<S3Endpoint>("127.0.0.1:9000", "expected a web address such as `https://s3.example.org`");
    }

    #[test]
    fn the_password_joins_the_connection_and_only_there() {
        let connection = |url, password: &str| {
            let url = DatabaseUrl::read(url).unwrap();
            url.connection(Some(&Secret::new(password))).expose().to_owned()
        };
        assert_eq!(connection("postgres://ada@db/feeds", "p@ss/w"), "postgres://ada:p%40ss%2Fw@db/feeds");
        assert_eq!(connection("postgres:///feeds?host=/run", "p&w"), "postgres:///feeds?host=/run&password=p%26w");
        assert_eq!(connection("sqlite:courant.db", "pw"), "sqlite:courant.db");
    }
}
