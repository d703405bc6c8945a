//! Rules that involve several options, and what only `serve` needs. Pure; each problem is one sentence that says what
//! to change. Called when the configuration is loaded and before `serve` starts.

use super::endpoint::{BlobsUrl, DatabaseUrl};
use super::options::Config;
use super::secret::Secret;

/// The minimum length of a secret from which session and credential keys are derived.
const ROOT_SECRET_BYTES: usize = 32;

/// Refuses a root secret that could be guessed.
pub(super) fn root_secret_is_long(secret: Option<&Secret>) -> Result<(), String> {
    match secret.map(|secret| secret.expose().len()) {
        Some(bytes) if bytes < ROOT_SECRET_BYTES => Err(format!("at least {ROOT_SECRET_BYTES} bytes, not {bytes}")),
        _ => Ok(()),
    }
}

/// Refuses an invalid proxy.
pub(super) fn proxy_is_one(proxy: Option<&Secret>) -> Result<(), String> {
    let read = proxy.map_or(Ok(()), |proxy| fetch::Proxy::read(proxy.expose()).map(drop));
    read.map_err(|why| format!("a proxy such as `socks5://127.0.0.1:1080`, but {why}"))
}

impl Config {
    /// Options that contradict each other, for any command.
    pub(super) fn contradictions(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut problem = |text: &str| problems.push(text.to_owned());
        if self.database.url.has_password() && self.database.password.is_some() {
            problem("`database.password` is set and `database.url` holds a password too: keep one of them");
        }
        if self.blobs.s3_access_key.is_some() != self.blobs.s3_secret_key.is_some() {
            problem("`blobs.s3_access_key` and `blobs.s3_secret_key` go together: set both or none");
        }
        let plain = self.blobs.s3_endpoint.as_ref().is_some_and(|url| url.0.expose().scheme() == "http");
        if plain && matches!(self.blobs.url, BlobsUrl::S3 { .. }) && !self.blobs.s3_allow_http {
            problem("`blobs.s3_endpoint` is not encrypted: use `https:`, or set `blobs.s3_allow_http` to `true`");
        }
        problems
    }

    /// What prevents `serve` from starting although every value is valid. Other commands do not need it.
    pub fn check_for_serve(&self) -> Vec<String> {
        let mut problems = Vec::new();
        // Two machines with different secrets would not accept each other's sessions.
        if matches!(self.database.url, DatabaseUrl::Postgres(_)) && self.auth.secret.is_none() {
            problems.push(
                "`auth.secret` is required with PostgreSQL: set COURANT_SECRET or COURANT_SECRET_FILE to at least 32 \
                 random bytes, the same on all machines"
                    .to_owned(),
            );
        }
        if self.metrics.listen.is_some_and(|address| address == self.web.listen && address.port() != 0) {
            problems.push(format!(
                "`metrics.listen` and `web.listen` are both {}: choose another port for one of them, or leave \
                 `metrics.listen` empty",
                self.web.listen
            ));
        }
        if self.oidc.issuer.is_some() && (self.oidc.client_id.is_none() || self.web.public_url.is_none()) {
            problems.push(
                "`oidc.issuer` needs `oidc.client_id` and `web.public_url`: set COURANT_OIDC_CLIENT_ID and \
                 COURANT_PUBLIC_URL, or leave COURANT_OIDC_ISSUER empty"
                    .to_owned(),
            );
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Sources, load};

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        let check = |case: &str, env: &[(&str, &str)], expected: &str| {
            let problems = match load(&Sources::from_env(env)) {
                Ok(loaded) => loaded.config.check_for_serve(),
                Err(problems) => problems.0,
            };
            let short: Vec<&str> = problems.iter().filter_map(|text| text.split(':').next()).collect();
            assert_eq!(short.join("; "), expected, "{case}");
        };
        let postgres = ("COURANT_DATABASE_URL", "postgres://ada@db/feeds");
        let secret = ("COURANT_SECRET", "0123456789abcdef0123456789abcdef");
        let endpoint = ("COURANT_S3_ENDPOINT", "http://127.0.0.1:9000");
        let bucket = ("COURANT_BLOBS", "s3://feeds");
        check("SQLite needs no secret", &[], "");
        check("PostgreSQL does", &[postgres], "`auth.secret` is required with PostgreSQL");
        check("PostgreSQL with one", &[postgres, secret], "");
        check(
            "two passwords",
            &[("COURANT_DATABASE_URL", "postgres://a:b@db/f"), ("COURANT_DATABASE_PASSWORD", "b"), secret],
            "`database.password` is set and `database.url` holds a password too",
        );
        check(
            "half a key",
            &[("COURANT_S3_ACCESS_KEY", "id")],
            "`blobs.s3_access_key` and `blobs.s3_secret_key` go together",
        );
        let issuer = ("COURANT_OIDC_ISSUER", "https://login.example");
        check("half a provider", &[issuer], "`oidc.issuer` needs `oidc.client_id` and `web.public_url`");
        let client = ("COURANT_OIDC_CLIENT_ID", "courant");
        check("a provider", &[issuer, client, ("COURANT_PUBLIC_URL", "https://news.example")], "");
        check("plain S3", &[bucket, endpoint], "`blobs.s3_endpoint` is not encrypted");
        check("plain S3, allowed", &[bucket, endpoint, ("COURANT_S3_ALLOW_HTTP", "true")], "");
    }
}
