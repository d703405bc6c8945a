//! The store's promises, each on SQLite and on PostgreSQL.
//!
//! One file per noun; `support` builds databases, feeds and plans. Nothing here sleeps: time is an argument.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by stopping")]
#![allow(clippy::disallowed_methods, reason = "stands between the store and the server of the test run")]

mod accounts;
mod adopting;
mod ai_ledger;
mod bookmarks;
mod commits;
mod deleting;
mod entries;
mod events;
mod faults;
mod feeds;
mod filters;
mod found;
mod full_texts;
mod icons;
mod imports;
mod jobs;
mod keeping;
mod killed;
mod leaps;
mod leases;
mod likes;
mod opening;
mod ranges;
mod rate_groups;
mod read_state;
mod retention;
mod rollups;
mod saved_searches;
mod search;
mod soundness;
mod subscriptions;
mod support;
mod tags;
mod viewers;
mod waking;
