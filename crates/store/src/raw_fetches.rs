//! Raw fetches: which bytes were served when, with which headers. The bytes themselves lie in `blobs`.

use crate::StoreError;
use crate::codes::{self, from_json, json};
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::viewer::{sees_feed, sees_living_feed};
use jiff::Timestamp;
use model::blob::{Blob, BlobHash, BlobKey};
use model::raw::RawFetch;
use model::{FeedId, FetchId, Viewer};
use std::collections::HashSet;
use uuid::Uuid;

macro_rules! columns {
    () => {
        "id, feed_id, fetched_at, url, status, request_headers, response_headers, blob_hash, coding, at_rest,
         wire_bytes, stored_bytes, decoded_bytes, content_type, truncated, problems, understood"
    };
}

statements! {
    INSERT(Uuid, Int, Int, Text, Int, Json, Json, Bytes, Text, Text, Int, Int, Int, Text, Bool, Json, Bool) = Text::Rows(
        concat!("INSERT INTO raw_fetches (", columns!(), ")
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"));
    BY_ID(Uuid, Int) = Text::One(concat!(
        "SELECT ", columns!(), " FROM raw_fetches WHERE id = $1 AND ", sees_living_feed!("feed_id", "$2")));
    OF_FEED(Int, Int, Uuid, Int, Int) = Text::One(concat!(
        "SELECT ", columns!(), " FROM raw_fetches
         WHERE feed_id = $1 AND (fetched_at, id) < ($2, $3) AND ", sees_feed!("$1", "$5"), "
         ORDER BY fetched_at DESC, id DESC LIMIT $4"));
    /// Deletes all but the last $2 errors of feed $1, at once: a feed with many different errors must not fill the disk until
    /// the next cleanup.
    DROP_ERRORS(Int, Int) = Text::One(
        "DELETE FROM raw_fetches WHERE id IN
             (SELECT id FROM raw_fetches WHERE feed_id = $1 AND (status < 200 OR status > 299)
              ORDER BY fetched_at DESC, id DESC LIMIT 1000 OFFSET $2)");
    KEPT(Uuid, Int) = Text::Rows(concat!(
        "SELECT id FROM raw_fetches WHERE id = $1 AND ", sees_feed!("feed_id", "$2")));
    REFERRED(Bytes) = Text::Rows("SELECT DISTINCT blob_hash, coding, at_rest FROM raw_fetches WHERE blob_hash = $1");
}

/// Bodies of errors that are kept of a feed.
const ERRORS: u32 = 5;

/// Adds the steps that write a raw fetch.
pub(crate) fn insert(batch: &mut Batch, raw: RawFetch) {
    let (feed, is_error) = (raw.feed, !(200..300).contains(&raw.status));
    batch.step(
        &INSERT,
        vec![vec![
            raw.id.0.into(),
            raw.feed.0.into(),
            raw.fetched_at.into(),
            raw.url.into(),
            raw.status.into(),
            codes::headers(&raw.request_headers),
            codes::headers(&raw.response_headers),
            raw.blob.hash.0.into(),
            raw.blob.coding.into(),
            raw.blob.at_rest.into(),
            raw.blob.wire_bytes.into(),
            raw.blob.stored_bytes.into(),
            raw.decoded_bytes.into(),
            raw.content_type.into(),
            raw.truncated.into(),
            json(&raw.problems),
            raw.understood.into(),
        ]],
    );
    if is_error {
        batch.step(&DROP_ERRORS, vec![vec![feed.0.into(), ERRORS.into()]]);
    }
}

fn raw_fetch(row: &mut Record) -> Result<RawFetch, StoreError> {
    Ok(RawFetch {
        id: FetchId(row.next()?),
        feed: FeedId(row.next()?),
        fetched_at: row.next()?,
        url: row.next()?,
        status: row.next()?,
        request_headers: from_json(row.next()?)?,
        response_headers: from_json(row.next()?)?,
        blob: Blob {
            hash: BlobHash(row.next()?),
            coding: row.next()?,
            at_rest: row.next()?,
            wire_bytes: row.next()?,
            stored_bytes: row.next()?,
        },
        decoded_bytes: row.next()?,
        content_type: row.next()?,
        truncated: row.next()?,
        problems: from_json(row.next()?)?,
        understood: row.next()?,
    })
}

impl Store {
    /// A raw fetch.
    pub async fn raw_fetch(&self, viewer: Viewer, id: FetchId) -> Result<RawFetch, StoreError> {
        let found = self.read_first(&BY_ID, vec![id.0.into(), viewer.into()], raw_fetch).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "raw fetch", name: id.to_string() })
    }

    /// The last raw fetches of a feed, newest first.
    pub async fn raw_fetches(&self, viewer: Viewer, feed: FeedId, limit: u32) -> Result<Vec<RawFetch>, StoreError> {
        self.raw_fetches_before(viewer, feed, None, limit).await
    }

    /// The raw fetches of a feed before one of them, newest first: a page of all there are.
    pub async fn raw_fetches_before(
        &self,
        viewer: Viewer,
        feed: FeedId,
        before: Option<(Timestamp, FetchId)>,
        limit: u32,
    ) -> Result<Vec<RawFetch>, StoreError> {
        let (at, id) = before.map_or((i64::MAX, Uuid::max()), |(at, id)| (at.as_microsecond(), id.0));
        let row = vec![feed.0.into(), at.into(), id.into(), limit.into(), viewer.into()];
        self.read_all(&OF_FEED, row, raw_fetch).await
    }

    /// Those of these raw fetches that are still there: entries outlive them.
    pub async fn kept_documents(&self, viewer: Viewer, fetches: &[FetchId]) -> Result<HashSet<FetchId>, StoreError> {
        let rows = fetches.iter().map(|fetch| vec![fetch.0.into(), viewer.into()]).collect();
        Ok(self.read_each(&KEPT, rows, |row| row.next().map(FetchId)).await?.into_iter().collect())
    }

    /// Which of these blobs some raw fetch refers to.
    pub(crate) async fn live_blobs(&self, keys: Vec<BlobKey>) -> Result<HashSet<BlobKey>, StoreError> {
        let rows = keys.iter().map(|key| vec![key.hash.0.into()]).collect();
        let key =
            |row: &mut Record| Ok(BlobKey { hash: BlobHash(row.next()?), coding: row.next()?, at_rest: row.next()? });
        Ok(self.read_each(&REFERRED, rows, key).await?.into_iter().collect())
    }
}
