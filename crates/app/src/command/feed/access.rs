//! Flags for credentials and proxy of a feed. Secrets come from a file or from standard input, never from the command
//! line, which every process can read.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use engine::{Access, Credentials};

/// How the feed is reached.
#[derive(clap::Args)]
pub(crate) struct AccessArgs {
    /// Credentials for the publisher: `basic:NAME`, `bearer` or `header:NAME`; the secret comes from --secret-file
    #[arg(long, value_name = "HOW", requires = "secret_file")]
    auth: Option<String>,
    /// File with the password, token or header value; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "auth")]
    secret_file: Option<PathBuf>,
    /// File with the address of a proxy for this feed, such as `socks5://name:password@proxy:1080`; `-` is standard input
    #[arg(long, value_name = "FILE")]
    proxy_file: Option<PathBuf>,
    /// The User-Agent for the publisher
    #[arg(long, value_name = "TEXT")]
    user_agent: Option<String>,
}

impl AccessArgs {
    /// Reads the secrets.
    pub(super) fn read(&self) -> anyhow::Result<Access> {
        let proxy = self.proxy_file.as_deref().map(secret).transpose()?;
        let credentials = match (&self.auth, &self.secret_file) {
            (Some(how), Some(file)) => Some(credentials(how, secret(file)?)?),
            _ => None,
        };
        Ok(Access { credentials, proxy, user_agent: self.user_agent.clone() })
    }
}

fn credentials(how: &str, secret: String) -> anyhow::Result<Credentials> {
    Ok(match how.split_once(':') {
        Some(("basic", user)) if !user.is_empty() => Credentials::Basic { user: user.to_owned(), password: secret },
        Some(("header", name)) if !name.is_empty() => Credentials::Header { name: name.to_lowercase(), value: secret },
        None if how == "bearer" => Credentials::Bearer(secret),
        _ => anyhow::bail!("`{how}` is not a kind of credentials: use `basic:NAME`, `bearer` or `header:NAME`"),
    })
}

/// The first line of a file, without its line break.
fn secret(file: &Path) -> anyhow::Result<String> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).context("cannot read standard input")?;
        text
    } else {
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?
    };
    let line = text.lines().next().unwrap_or_default();
    anyhow::ensure!(!line.is_empty(), "{} is empty: it should contain the secret", file.display());
    Ok(line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_credentials() {
        let check = |how: &str, expected: Option<Credentials>| {
            assert!(credentials(how, "s".into()).ok() == expected, "{how}");
        };
        check("basic:ada", Some(Credentials::Basic { user: "ada".into(), password: "s".into() }));
        check("bearer", Some(Credentials::Bearer("s".into())));
        check("header:X-Key", Some(Credentials::Header { name: "x-key".into(), value: "s".into() }));
        check("basic:", None);
        check("basic", None);
        check("digest:ada", None);
    }
}
