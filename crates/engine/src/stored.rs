//! Documents that were kept: their bytes, and the places in them where an entry stands.

use crate::engine::Engine;
use crate::error::EngineError;
use blobs::BlobError;
use jiff::Timestamp;
use model::entry::{EntryBody, RawRef, Revision};
use model::raw::RawFetch;
use store::{Store, StoreError};

/// Where an entry stands, or stood, in what its feed served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The place.
    pub raw: RawRef,
    /// Until when the entry said what stands there; `None` if it still does.
    pub until: Option<Timestamp>,
    /// Whether the document is still there. Entries outlive their documents.
    pub kept: bool,
}

impl Reference {
    /// In words.
    pub fn note(&self) -> String {
        let what = match self.until {
            None => "what it says now".to_owned(),
            Some(until) => format!("what it said until {until:.0}"),
        };
        if self.kept { what } else { format!("{what}; the document is no longer kept") }
    }
}

/// Where an entry and what it said before stand: the newest first.
pub async fn references(store: &Store, body: &EntryBody, revisions: &[Revision]) -> Result<Vec<Reference>, StoreError> {
    let before = revisions.iter().rev().filter_map(|revision| Some((revision.body.raw?, Some(revision.replaced_at))));
    let places: Vec<(RawRef, Option<Timestamp>)> = body.raw.map(|raw| (raw, None)).into_iter().chain(before).collect();
    let fetches: Vec<_> = places.iter().map(|(raw, _)| raw.fetch).collect();
    let kept = store.kept_documents(&fetches).await?;
    let reference = |(raw, until): (RawRef, _)| Reference { raw, until, kept: kept.contains(&raw.fetch) };
    Ok(places.into_iter().map(reference).collect())
}

/// What stands there, as the publisher wrote it; `None` if the document is no longer kept.
pub async fn passage(engine: &Engine, place: &RawRef) -> Result<Option<String>, EngineError> {
    let raw = match engine.store.raw_fetch(place.fetch).await {
        Err(StoreError::NotFound { .. }) => return Ok(None),
        other => other?,
    };
    let decoded = match decoded(engine, &raw).await {
        Err(BlobError::NotFound { .. }) => return Ok(None),
        other => other?,
    };
    let text = syndication::utf8_form(&decoded, raw.content_type.as_deref());
    let (start, end) = (place.offset as usize, place.offset.saturating_add(place.length) as usize);
    Ok(text.get(start..end).map(str::to_owned))
}

/// The bytes of a document. It was within the limits when it came; only its length is one now.
pub(crate) async fn decoded(engine: &Engine, raw: &RawFetch) -> Result<Vec<u8>, BlobError> {
    let limits = coding::Limits { decoded_bytes: engine.options.document.document_bytes as u64, ratio: u64::MAX };
    Ok(engine.blobs.decoded(&raw.blob, limits).await?.bytes)
}
