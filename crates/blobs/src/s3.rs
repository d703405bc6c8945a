//! Blobs in S3 or a compatible server, through `object_store`.
//!
//! An upload is complete or absent, and two uploads of one blob have the same bytes, so no conditions are needed. A put
//! that finds a recent object uses it; an older one is uploaded again, which makes it recent. One request lies between
//! the sweep's last check of an object and its deletion, and S3 has no way to close that gap. If a body that was
//! unreferenced for a day comes back just then, its entries are kept but its bytes are lost.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use jiff::Timestamp;
use model::blob::BlobKey;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload, RetryConfig,
};

use crate::address::S3Options;
use crate::error::BlobError;
use crate::sweep::{GRACE, Listed, Swept};

/// A bucket of blobs.
pub(crate) struct S3 {
    pub(crate) address: String,
    client: AmazonS3,
    prefix: Path,
}

/// How many objects are checked or deleted at once.
const AT_ONCE: usize = 16;

/// Written by `check` and left there: a few bytes, so that processes do not disturb each other.
const PROBE: &str = "courant-check";

impl S3 {
    pub(crate) fn new(address: &str, bucket: &str, prefix: &str, options: &S3Options) -> Result<Self, BlobError> {
        let region = if options.region.is_empty() { "us-east-1" } else { &options.region };
        // Retries bridge short disruptions. Longer outages are left to the caller, which knows what else there is to
        // do.
        let retry = RetryConfig {
            backoff: BackoffConfig { max_backoff: Duration::from_secs(2), ..BackoffConfig::default() },
            max_retries: 3,
            retry_timeout: Duration::from_secs(30),
        };
        let client =
            ClientOptions::new().with_connect_timeout(Duration::from_secs(5)).with_timeout(Duration::from_secs(30));
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_region(region)
            .with_virtual_hosted_style_request(!options.path_style)
            .with_retry(retry)
            .with_client_options(client.with_allow_http(options.allow_http));
        if let Some(id) = &options.access_key_id {
            builder = builder.with_access_key_id(id);
        }
        if let Some(secret) = &options.secret_access_key {
            builder = builder.with_secret_access_key(secret);
        }
        if let Some(token) = &options.session_token {
            builder = builder.with_token(token);
        }
        if let Some(endpoint) = &options.endpoint {
            builder = builder.with_endpoint(endpoint_of(bucket, endpoint, options.path_style));
        }
        let client = builder.build().map_err(|error| BlobError::Invalid {
            address: address.to_owned(),
            why: "its region, endpoint and credentials do not fit together".to_owned(),
            source: Some(error.into()),
        })?;
        Ok(Self { address: address.to_owned(), client, prefix: prefix.into() })
    }

    pub(crate) async fn put(&self, now: Timestamp, key: BlobKey, bytes: Bytes) -> Result<(), BlobError> {
        if let Some(there) = self.look(key).await?
            && there.bytes == bytes.len() as u64
            && now.duration_since(there.modified) < GRACE / 2
        {
            return Ok(());
        }
        let put = self.client.put(&self.path(&key.to_string()), PutPayload::from_bytes(bytes)).await;
        put.map(drop).map_err(|error| self.error("write", error))
    }

    pub(crate) async fn get(&self, key: BlobKey, limit_bytes: u64) -> Result<Bytes, BlobError> {
        let got = match self.client.get(&self.path(&key.to_string())).await {
            Err(error) if is_missing_object(&error) => {
                return Err(BlobError::NotFound { key, place: self.address.clone() });
            }
            got => got.map_err(|error| self.error("read", error))?,
        };
        if got.meta.size > limit_bytes {
            return Err(BlobError::Corrupt { key, place: self.address.clone(), why: "it is too long".to_owned() });
        }
        got.bytes().await.map_err(|error| self.error("read", error))
    }

    pub(crate) async fn check(&self) -> Result<(), BlobError> {
        let probe = Bytes::from_static(b"courant can write here");
        let path = self.path(PROBE);
        let put = self.client.put(&path, PutPayload::from_bytes(probe.clone())).await;
        put.map_err(|error| self.error("write", error))?;
        let read = async { self.client.get(&path).await?.bytes().await };
        if read.await.map_err(|error| self.error("read", error))? != probe {
            let source = "the bytes read differ from those written".into();
            return Err(BlobError::Unavailable { place: self.address.clone(), doing: "read", source });
        }
        self.list(None, 1).await?;
        // Deleting a missing object tests the permission without removing another process's probe.
        match self.client.delete(&self.path("courant-check-delete")).await {
            Err(error) if !is_missing_object(&error) => Err(self.error("delete", error)),
            _ => Ok(()),
        }
    }

    pub(crate) async fn list(&self, after: Option<BlobKey>, limit: usize) -> Result<Vec<Listed>, BlobError> {
        let objects = match after {
            Some(key) => self.client.list_with_offset(Some(&self.prefix), &self.path(&key.to_string())),
            None => self.client.list(Some(&self.prefix)),
        };
        let mut listed = Vec::new();
        let mut objects = objects.map_err(|error| self.error("list", error));
        while listed.len() < limit
            && let Some(object) = objects.try_next().await?
        {
            // Objects that are not blobs belong to somebody else and are skipped.
            listed.extend(self.key(&object).map(|key| list_entry(key, &object)));
        }
        Ok(listed)
    }

    /// Deletes blobs, all of them or those last put before a time.
    pub(crate) async fn delete(&self, keys: Vec<BlobKey>, before: Option<Timestamp>) -> Result<Swept, BlobError> {
        let keys = futures_util::stream::iter(keys);
        let mut deletions = keys.map(|key| self.delete_one(key, before)).buffer_unordered(AT_ONCE);
        let mut swept = Swept::default();
        while let Some(bytes) = deletions.try_next().await? {
            swept.deleted += u64::from(bytes.is_some());
            swept.bytes += bytes.unwrap_or(0);
        }
        Ok(swept)
    }

    async fn delete_one(&self, key: BlobKey, before: Option<Timestamp>) -> Result<Option<u64>, BlobError> {
        let Some(there) = self.look(key).await? else { return Ok(None) };
        if before.is_some_and(|before| there.modified >= before) {
            return Ok(None);
        }
        match self.client.delete(&self.path(&key.to_string())).await {
            Err(error) if !is_missing_object(&error) => Err(self.error("delete", error)),
            _ => Ok(Some(there.bytes)),
        }
    }

    async fn look(&self, key: BlobKey) -> Result<Option<Listed>, BlobError> {
        match self.client.head(&self.path(&key.to_string())).await {
            Ok(object) => Ok(Some(list_entry(key, &object))),
            // The response to HEAD has no body, so a missing bucket looks the same; the next request shows the
            // difference.
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error("look", error)),
        }
    }

    fn path(&self, name: &str) -> Path {
        self.prefix.parts().chain(Path::from(name).parts()).collect()
    }

    fn key(&self, object: &ObjectMeta) -> Option<BlobKey> {
        let name = object.location.as_ref().strip_prefix(self.prefix.as_ref())?;
        name.trim_start_matches('/').parse().ok()
    }

    fn error(&self, doing: &'static str, error: Error) -> BlobError {
        let place = self.address.clone();
        let invalid = |why: &str, error: Error| BlobError::Invalid {
            address: self.address.clone(),
            why: why.to_owned(),
            source: Some(error.into()),
        };
        match &error {
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => BlobError::Denied {
                place,
                doing,
                advice: "check the access key, its secret, and that it may list, get, put and delete objects there",
                source: error.into(),
            },
            Error::NotFound { .. } => invalid("there is no such bucket; create it, or correct the address", error),
            _ if error.to_string().contains("redirect without LOCATION") => {
                invalid("the bucket is in another region; correct the region", error)
            }
            _ => BlobError::Unavailable { place, doing, source: error.into() },
        }
    }
}

fn is_missing_object(error: &Error) -> bool {
    matches!(error, Error::NotFound { source, .. } if !source.to_string().contains("NoSuchBucket"))
}

fn list_entry(key: BlobKey, object: &ObjectMeta) -> Listed {
    let modified = Timestamp::from_millisecond(object.last_modified.timestamp_millis());
    // A time out of range is nonsense; counting it as new deletes nothing.
    Listed { key, modified: modified.unwrap_or(Timestamp::MAX), bytes: object.size }
}

/// The endpoint as `object_store` wants it: with the bucket in the host name, unless it goes into the path.
fn endpoint_of(bucket: &str, endpoint: &str, path_style: bool) -> String {
    match endpoint.split_once("://") {
        Some((scheme, host)) if !path_style => format!("{scheme}://{bucket}.{host}"),
        _ => endpoint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints() {
        assert_eq!(endpoint_of("feeds", "https://s3.example:9000", false), "https://feeds.s3.example:9000");
        assert_eq!(endpoint_of("feeds", "https://s3.example:9000", true), "https://s3.example:9000");
    }
}
