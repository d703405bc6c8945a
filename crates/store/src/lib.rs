//! All SQL of Courant: SQLite or PostgreSQL, migrations, leases, outbox.
//!
//! [`Store`] is one concrete type; which database is behind it is nobody's business. Writes are described as data
//! (`batch`), reads are one function per question. No SQL reads a clock: `now` is a parameter.
//! Nothing here decides anything: what to write is a [`model::plan::Plan`], made elsewhere. The one exception is whose turn
//! it is in a rate group (`rate_groups::turn`, pure): it has to be decided again whenever somebody else was faster.

mod address;
mod batch;
mod codes;
mod error;
mod migrate;
mod postgres;
mod queue;
mod soundness;
mod sql;
mod sqlite;
mod store;
mod trips;
mod value;

// The nouns: each has its statements, its rows and its verbs.
mod commit;
mod entries;
mod feeds;
mod icons;
mod index;
mod leaps;
mod leases;
mod locks;
mod manage;
mod outbox;
mod purge;
mod ranges;
mod rate_groups;
mod raw_fetches;
mod readers;
mod retention;
mod search;
mod settings;
mod visits;

pub use address::Address;
pub use commit::{Committed, Rewrite};
pub use entries::{EntryFilter, Page, Position};
pub use error::StoreError;
pub use feeds::{Added, FeedName, FeedPages, FeedStatus, NewFeed};
pub use index::{Backlog, Indexed, Unindexed};
pub use leaps::ClockCheck;
pub use leases::Behind;
pub use locks::Lock;
pub use postgres::{ServerFacts, inspect_server};
pub use purge::{DuePurge, PurgeStep};
pub use ranges::Turn;
pub use rate_groups::{Appointment, Pace};
pub use retention::FeedRules;
pub use search::{IndexDocument, SearchOrder, SearchPage, SearchQuery};
pub use settings::HEALTH_WARNING;
pub use sqlite::{FileFacts, Synchronous, adopt_file, copy_file, inspect_file};
pub use store::{Check, Compacted, Options, Purpose, Store};
pub use trips::{Lost, Trip, Trips};

/// Every statement, file by file, for the tests that go through all of them.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests go through all statements"))]
static STATEMENTS: &[&[&sql::Sql]] = &[
    commit::ALL,
    entries::ALL,
    feeds::ALL,
    icons::ALL,
    index::ALL,
    leaps::ALL,
    leases::ALL,
    locks::ALL,
    manage::ALL,
    migrate::ALL,
    outbox::ALL,
    purge::ALL,
    ranges::ALL,
    rate_groups::ALL,
    raw_fetches::ALL,
    readers::ALL,
    retention::ALL,
    search::ALL,
    settings::ALL,
    store::ALL,
    visits::ALL,
];
