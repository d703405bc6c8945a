//! What was stored of visits: documents, where an entry is in them, and header fields.

use crate::engine::Engine;
use crate::error::EngineError;
use blobs::BlobError;
use jiff::Timestamp;
use model::entry::{EntryBody, RawRef, Revision};
use model::raw::{KeptHeaders, RawFetch};
use model::visit::PastVisit;
use model::{FeedId, Viewer};
use std::collections::{HashMap, HashSet};
use store::{Store, StoreError};

/// Where an entry is, or was, in the documents of its feed.
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
pub async fn references(
    store: &Store,
    viewer: Viewer,
    body: &EntryBody,
    revisions: &[Revision],
) -> Result<Vec<Reference>, StoreError> {
    let before = revisions.iter().rev().filter_map(|revision| Some((revision.body.raw?, Some(revision.replaced_at))));
    let places: Vec<(RawRef, Option<Timestamp>)> = body.raw.map(|raw| (raw, None)).into_iter().chain(before).collect();
    let fetches: Vec<_> = places.iter().map(|(raw, _)| raw.fetch).collect();
    let kept = store.kept_documents(viewer, &fetches).await?;
    let reference = |(raw, until): (RawRef, _)| Reference { raw, until, kept: kept.contains(&raw.fetch) };
    Ok(places.into_iter().map(reference).collect())
}

/// The header fields of a visit, and where they lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitHeaders {
    /// The visit with which they were stored: this one, or an earlier one with the same fields.
    pub fields: KeptHeaders,
    /// The raw fetch that has them, with the body, if a body was kept.
    pub raw: Option<RawFetch>,
}

/// The header fields of these visits of a feed, in their order. `None`: no answer, or they are no longer stored.
pub async fn visit_headers(
    store: &Store,
    viewer: Viewer,
    feed: FeedId,
    visits: &[PastVisit],
) -> Result<Vec<Option<VisitHeaders>>, StoreError> {
    let wanted: HashSet<Timestamp> = visits.iter().filter_map(|visit| visit.headers_at).collect();
    let mut found: HashMap<Timestamp, VisitHeaders> = HashMap::new();
    for fields in store.visit_headers(viewer, feed).await? {
        found.insert(fields.at, VisitHeaders { fields, raw: None });
    }
    let Some(oldest) = wanted.iter().min().copied() else { return Ok(vec![None; visits.len()]) };
    let mut before = None;
    loop {
        let page = store.raw_fetches_before(viewer, feed, before, PAGE).await?;
        before = page.last().map(|last| (last.fetched_at, last.id));
        let more = before.is_some_and(|(at, _)| at > oldest);
        for raw in page.into_iter().filter(|raw| wanted.contains(&raw.fetched_at)) {
            let fields = KeptHeaders {
                at: raw.fetched_at,
                url: raw.url.clone(),
                status: raw.status,
                request: raw.request_headers.clone(),
                response: raw.response_headers.clone(),
            };
            found.insert(raw.fetched_at, VisitHeaders { fields, raw: Some(raw) });
        }
        if !more {
            return Ok(visits.iter().map(|visit| found.get(&visit.headers_at?).cloned()).collect());
        }
    }
}

/// Raw fetches that are listed at a time.
const PAGE: u32 = 50;

/// The passage as the publisher wrote it; `None` if the document is no longer stored or the viewer may not see it.
pub async fn passage(engine: &Engine, viewer: Viewer, place: &RawRef) -> Result<Option<String>, EngineError> {
    let raw = match engine.store.raw_fetch(viewer, place.fetch).await {
        Err(StoreError::NotFound { .. }) => return Ok(None),
        other => other?,
    };
    let decoded = match decoded(engine, &raw).await {
        Err(BlobError::NotFound { .. }) => return Ok(None),
        other => other?,
    };
    let text = syndication::utf8_form(&decoded, raw.content_type.as_deref(), Some(&raw.url));
    let (start, end) = (place.offset as usize, place.offset.saturating_add(place.length) as usize);
    Ok(text.get(start..end).map(str::to_owned))
}

/// The bytes of a document. It was within all limits when it was fetched; now only its length is checked.
pub(crate) async fn decoded(engine: &Engine, raw: &RawFetch) -> Result<Vec<u8>, BlobError> {
    let limits = coding::Limits { decoded_bytes: engine.options.document.document_bytes as u64, ratio: u64::MAX };
    Ok(engine.blobs.decoded(&raw.blob, limits).await?.bytes)
}
