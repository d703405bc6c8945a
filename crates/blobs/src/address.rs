//! The address of a blob store as an operator writes it: `file:PATH` or `s3://bucket/prefix`.
//!
//! Credentials, region and endpoint do not belong into an address; they come as [`S3Options`].

use std::fmt;
use std::path::PathBuf;

use crate::error::BlobError;

/// S3 settings besides bucket and prefix. `app` fills them from the configuration.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct S3Options {
    /// The region; empty is `us-east-1`, which servers other than AWS ignore.
    pub region: String,
    /// The access key; `None` uses the machine's own role (instance metadata).
    pub access_key_id: Option<String>,
    /// The secret of `access_key_id`.
    pub secret_access_key: Option<String>,
    /// For temporary credentials.
    pub session_token: Option<String>,
    /// A server other than AWS, as `https://host:port`, without the bucket.
    pub endpoint: Option<String>,
    /// Permits an `http://` endpoint.
    pub allow_http: bool,
    /// Whether the bucket goes into the path instead of the host name; most servers other than AWS need it.
    pub path_style: bool,
}

// By hand: secrets must not be logged when the configuration is printed.
impl fmt::Debug for S3Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = |secret: &Option<String>| secret.as_ref().map(|_| "***");
        f.debug_struct("S3Options")
            .field("region", &self.region)
            .field("access_key_id", &self.access_key_id)
            .field("secret_access_key", &hidden(&self.secret_access_key))
            .field("session_token", &hidden(&self.session_token))
            .field("endpoint", &self.endpoint)
            .field("allow_http", &self.allow_http)
            .field("path_style", &self.path_style)
            .finish()
    }
}

/// A parsed address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Directory(PathBuf),
    S3 { bucket: String, prefix: String },
}

impl Address {
    pub(crate) fn parse(address: &str) -> Result<Self, BlobError> {
        let invalid = |why: &str| BlobError::Invalid { address: address.to_owned(), why: why.to_owned(), source: None };
        if let Some(rest) = address.strip_prefix("s3://") {
            let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
            if !is_bucket(bucket) {
                return Err(invalid("a bucket is named in lower case letters, digits, dots and hyphens"));
            }
            let prefix = prefix.trim_matches('/');
            if prefix.split('/').any(|part| part == "." || part == "..") || prefix.contains("//") {
                return Err(invalid("the prefix has empty or relative parts"));
            }
            return Ok(Self::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() });
        }
        let Some(path) = address.strip_prefix("file:") else {
            return Err(invalid("it starts with neither file: nor s3://"));
        };
        // `file:///var/x` is the URL form of `file:/var/x`; anything between the slashes would be a host.
        let path = match path.strip_prefix("//") {
            Some(rest) if rest.starts_with('/') => rest,
            Some(_) => return Err(invalid("a file address has no host: write file:/path or file:path")),
            None => path,
        };
        if path.is_empty() {
            return Err(invalid("the path is missing"));
        }
        Ok(Self::Directory(path.into()))
    }
}

fn is_bucket(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |address: &str, expected: &str| {
            let said = match Address::parse(address) {
                Ok(Address::Directory(path)) => format!("directory {}", path.display()),
                Ok(Address::S3 { bucket, prefix }) => format!("bucket {bucket}, prefix {prefix:?}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(said, expected);
        };
        check("file:/var/lib/courant/blobs", "directory /var/lib/courant/blobs");
        check("file:///var/lib/courant/blobs", "directory /var/lib/courant/blobs");
        check("file:data/blobs", "directory data/blobs");
        check("s3://feeds", "bucket feeds, prefix \"\"");
        check("s3://feeds/", "bucket feeds, prefix \"\"");
        check("s3://feeds/raw/2026/", "bucket feeds, prefix \"raw/2026\"");
        check("file:", "\"file:\" cannot hold blobs: the path is missing");
        check(
            "file://host/x",
            "\"file://host/x\" cannot hold blobs: a file address has no host: write file:/path or file:path",
        );
        check("/var/x", "\"/var/x\" cannot hold blobs: it starts with neither file: nor s3://");
        check(
            "s3://Feeds_1/x",
            "\"s3://Feeds_1/x\" cannot hold blobs: a bucket is named in lower case letters, digits, dots and hyphens",
        );
        check("s3://feeds/a/../b", "\"s3://feeds/a/../b\" cannot hold blobs: the prefix has empty or relative parts");
    }

    #[test]
    fn secrets_are_not_printed() {
        let options = S3Options {
            secret_access_key: Some("hush".into()),
            session_token: Some("hush".into()),
            ..S3Options::default()
        };
        assert!(!format!("{options:?}").contains("hush"));
    }
}
