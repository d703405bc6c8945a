//! All SQL of Courant: SQLite or PostgreSQL, migrations, leases, outbox.
//!
//! [`Store`] is one concrete type; which database is behind it is nobody's business. Writes are described as data
//! (`batch`), reads are one function per question. No SQL reads a clock: `now` is a parameter.
//! Nothing here decides anything: what to write is a [`model::plan::Plan`], made elsewhere. The one exception is which slot a visit gets
//! in its rate group (`rate_groups::next_slot`, pure): it has to be decided again whenever somebody else was faster.

mod codes;
mod db;
mod error;
mod store;

// The nouns: each has its statements, its rows and its verbs.
mod commit;
mod entries;
mod feed_settings;
mod feed_state;
mod feeds;
mod icons;
mod index;
mod jobs;
mod leaps;
mod leases;
mod locks;
mod outbox;
mod purge;
mod ranges;
mod rate_groups;
mod raw_fetches;
mod retention;
mod schedule;
mod search;
mod settings;
mod subscriptions;
mod unscoped;
mod users;
mod viewer;
mod visits;

pub use commit::{Committed, Rewrite};
pub use db::address::Address;
#[cfg(feature = "simulation")]
pub use db::faulty_link::{Dropped, FaultyLink, Transfer};
pub use db::postgres::{ServerFacts, inspect_server};
pub use db::sqlite::{FileFacts, Synchronous, adopt_file, copy_file, inspect_file};
pub use db::wake::{Topic, Waiter, Woken};
pub use entries::{EntryFilter, Page, Position};
pub use error::StoreError;
pub use feeds::{Added, FeedName, FeedPages, FeedStatus, NewFeed};
pub use index::{Backlog, Indexed, Unindexed};
pub use leaps::ClockCheck;
pub use locks::Lock;
pub use purge::{DuePurge, PurgeStep};
pub use ranges::LockAttempt;
pub use rate_groups::{Appointment, Pace};
pub use retention::FeedRules;
pub use schedule::Behind;
pub use search::{IndexDocument, SearchOrder, SearchPage, SearchQuery};
pub use settings::HEALTH_WARNING;
pub use store::{Check, Compacted, Options, Purpose, Store};
pub use unscoped::Unscoped;

/// Every statement that is put together from parts, likewise.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests go through all statements"))]
static COMPOSED: &[&db::compose::Composed] = &[&entries::LIST];

/// Every statement, file by file, for the tests that go through all of them.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests go through all statements"))]
static STATEMENTS: &[&[&db::sql::Sql]] = &[
    commit::ALL,
    entries::ALL,
    feed_settings::ALL,
    feed_state::ALL,
    feeds::ALL,
    icons::ALL,
    index::ALL,
    jobs::ALL,
    leaps::ALL,
    leases::ALL,
    locks::ALL,
    db::migrate::ALL,
    outbox::ALL,
    purge::ALL,
    ranges::ALL,
    rate_groups::ALL,
    raw_fetches::ALL,
    retention::ALL,
    schedule::ALL,
    search::ALL,
    settings::ALL,
    store::ALL,
    subscriptions::ALL,
    users::ALL,
    visits::ALL,
];
