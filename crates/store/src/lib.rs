//! All SQL of Courant: SQLite or PostgreSQL, migrations, leases, outbox.
//!
//! [`Store`] is one concrete type; which database is behind it is nobody's business. Writes are described as data
//! (`batch`), reads are one function per question. No SQL reads a clock: `now` is a parameter.
//! Nothing here decides anything: what to write is a [`model::plan::Plan`], made elsewhere.

mod address;
mod batch;
mod codes;
mod error;
mod migrate;
mod postgres;
mod queue;
mod sql;
mod sqlite;
mod store;
mod value;

// The nouns: each has its statements, its rows and its verbs.
mod commit;
mod entries;
mod feeds;
mod icons;
mod leases;
mod locks;
mod outbox;
mod rate_groups;
mod raw_fetches;
mod readers;
mod settings;
mod visits;

pub use address::Address;
pub use commit::{Committed, Rewrite};
pub use entries::{EntryFilter, Page, Position};
pub use error::StoreError;
pub use feeds::{Added, FeedName, FeedStatus, NewFeed};
pub use locks::Lock;
pub use rate_groups::{Appointment, Pace};
pub use sqlite::{FileFacts, Synchronous, copy_file, inspect_file};
pub use store::{Check, Options, Purpose, Store};

/// Every statement, file by file, for the tests that go through all of them.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests go through all statements"))]
static STATEMENTS: &[&[&sql::Sql]] = &[
    commit::ALL,
    entries::ALL,
    feeds::ALL,
    icons::ALL,
    leases::ALL,
    locks::ALL,
    migrate::ALL,
    outbox::ALL,
    rate_groups::ALL,
    raw_fetches::ALL,
    readers::ALL,
    settings::ALL,
    store::ALL,
    visits::ALL,
];
