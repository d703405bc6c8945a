//! Where a store is: `sqlite:PATH` or `postgres://…`. Parsing only; nothing is opened here.
//!
//! Passwords never leave through `Display` or errors.

use crate::StoreError;
use std::fmt;
use std::path::PathBuf;

/// Where a store is.
#[derive(Clone)]
pub enum Address {
    /// A file.
    Sqlite(PathBuf),
    /// A server.
    Postgres(Box<tokio_postgres::Config>),
}

impl Address {
    /// Understands `sqlite:PATH`, `postgres://…` and `postgresql://…`.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        let scheme = text.split(':').next().unwrap_or_default();
        match scheme {
            "sqlite" => {
                let path = text["sqlite".len()..].trim_start_matches(':');
                let path = path.strip_prefix("//").unwrap_or(path);
                if path.is_empty() {
                    return Err(StoreError::Address(
                        "the database URL `sqlite:` names no file; write sqlite:PATH".into(),
                    ));
                }
                Ok(Self::Sqlite(path.into()))
            }
            "postgres" | "postgresql" => text.parse().map(|config| Self::Postgres(Box::new(config))).map_err(|error| {
                let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
                StoreError::Address(format!(
                    "the database URL is not understood: {why}; write postgres://USER@HOST/DATABASE"
                ))
            }),
            _ if text.contains(':') => Err(StoreError::Address(format!(
                "unknown database scheme `{scheme}:`; write sqlite:PATH or postgres://USER@HOST/DATABASE"
            ))),
            _ => Err(StoreError::Address(
                "the database URL has no scheme; write sqlite:PATH or postgres://USER@HOST/DATABASE".into(),
            )),
        }
    }
}

/// Readable in a message, without secrets.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "the SQLite database {}", path.display()),
            Self::Postgres(config) => {
                let host = config.get_hosts().first().map_or("localhost".into(), |host| match host {
                    tokio_postgres::config::Host::Tcp(name) => name.clone(),
                    tokio_postgres::config::Host::Unix(path) => path.display().to_string(),
                });
                let port = config.get_ports().first().copied().unwrap_or(5432);
                let name = config.get_dbname().or(config.get_user()).unwrap_or("?");
                write!(f, "the PostgreSQL database {name} at {host}:{port}")
            }
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_and_print_without_secrets() {
        let check = |text: &str, expected: &str| {
            let shown = match Address::parse(text) {
                Ok(address) => address.to_string(),
                Err(error) => format!("error: {error}"),
            };
            assert_eq!(shown, expected, "{text}");
        };
        check("sqlite:data/courant.db", "the SQLite database data/courant.db");
        check("sqlite:///srv/courant.db", "the SQLite database /srv/courant.db");
        check("postgres://ada:hunter2@db.example:6432/news", "the PostgreSQL database news at db.example:6432");
        check("postgresql://localhost/news", "the PostgreSQL database news at localhost:5432");
        check("sqlite:", "error: the database URL `sqlite:` names no file; write sqlite:PATH");
        check(
            "mysql://localhost/x",
            "error: unknown database scheme `mysql:`; write sqlite:PATH or postgres://USER@HOST/DATABASE",
        );
        check(
            "courant.db",
            "error: the database URL has no scheme; write sqlite:PATH or postgres://USER@HOST/DATABASE",
        );
        check(
            "postgres://ada:hunter2@db:port/news",
            "error: the database URL is not understood: invalid value for option `port`; write postgres://USER@HOST/DATABASE",
        );
    }
}
