//! The domain types of Courant.
//!
//! Plain data with public fields; no I/O, no clock, no SQL, no wire format. A database row, an API body and a domain
//! value are three types: these are the domain values. The ids' docs are the glossary.

pub mod blob;
pub mod challenge;
pub mod discovery;
pub mod entry;
pub mod event;
pub mod feed;
pub mod icon;
pub mod ids;
pub mod job;
pub mod lease;
pub mod plan;
pub mod raw;
pub mod reader;
pub mod reading;
pub mod retention;
pub mod schedule;
pub mod viewer;
pub mod visit;
mod words;

pub use ids::{CategoryId, EntryId, EventId, FeedId, FetchId, JobId, SubscriptionId, UserId, WorkerId};
pub use viewer::Viewer;
