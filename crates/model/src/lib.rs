//! The domain types of Courant.
//!
//! Plain data with public fields; no I/O, no clock, no SQL, and no wire format but that of filters, which users write. A
//! database row, an API body and a domain value are three types: these are the domain values. The ids' docs are the
//! glossary.

pub mod access_scope;
pub mod account;
pub mod blob;
pub mod challenge;
pub mod discovery;
pub mod enrichment;
pub mod entry;
pub mod event;
pub mod feed;
pub mod filter;
pub mod full_text;
pub mod icon;
pub mod ids;
pub mod job;
pub mod lease;
pub mod library;
pub mod money;
pub mod plan;
pub mod raw;
pub mod reader;
pub mod reading;
pub mod retention;
pub mod rollup;
pub mod schedule;
pub mod viewer;
pub mod visit;
mod words;

pub use ids::{
    BookmarkId, CategoryId, EntryId, EventId, FeedId, FetchId, FilterId, ImportId, JobId, KeyId, SavedSearchId,
    SessionId, SubscriptionId, SweepId, TagId, UserId, WorkerId,
};
pub use viewer::Viewer;
