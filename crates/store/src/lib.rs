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
mod ai_ledger;
mod ai_providers;
mod api_keys;
mod bookmarks;
mod categories;
mod commit;
mod enrichments;
mod entries;
mod feed_settings;
mod feed_state;
mod feeds;
mod filters;
mod followed;
mod found;
mod full_texts;
mod icons;
mod identities;
mod imports;
mod index;
mod jobs;
mod leaps;
mod leases;
mod likes;
mod locks;
mod login_failures;
mod one_time_links;
mod outbox;
mod posts;
mod preferences;
mod purge;
mod ranges;
mod rate_groups;
mod raw_fetches;
mod read_state;
mod retention;
mod revoked_tokens;
mod rollups;
mod saved_searches;
mod schedule;
mod search;
mod sessions;
mod settings;
mod subscriptions;
mod supervised;
mod system;
mod tags;
mod unscoped;
mod users;
mod view_ids;
mod viewer;
mod visits;

pub use ai_ledger::{Attempt, DayUsage, LedgerRow, Month, PastMonth, Settlement};
pub use api_keys::NewKey;
pub use bookmarks::{BookmarkChange, BookmarkFilter, BookmarkPage, BookmarkSlice, Made};
pub use categories::CategoryChange;
pub use commit::{Committed, Rewrite};
pub use db::address::Address;
#[cfg(feature = "simulation")]
pub use db::faulty_link::{Dropped, FaultyLink, Transfer};
pub use db::postgres::{ServerFacts, inspect_server};
pub use db::sqlite::{FileFacts, Synchronous, adopt_file, copy_file, inspect_file};
pub use db::sqlite::{ReedmeBookmark, ReedmeFeed, ReedmeFile, ReedmeGroup, ReedmeItem};
pub use db::wake::{Topic, Waiter, Woken};
pub use enrichments::{EnrichmentCount, EnrichmentEnd, Material, NewEnrichment};
pub use entries::{EntryFilter, Page, Position};
pub use error::StoreError;
pub use feeds::{Added, FeedName, FeedPages, FeedStatus, NewFeed};
pub use filters::{FilterDraft, FilterRun, StoredFilter};
pub use followed::{FeedLabel, FetchState, Followed, UnreadCount};
pub use found::{Conditions, Found, MOST_HITS};
pub use full_texts::FullTextState;
pub use identities::{Linked, OidcLogin};
pub use imports::ImportProgress;
pub use index::{Backlog, Indexed, Unindexed};
pub use leaps::ClockCheck;
pub use locks::Lock;
pub use posts::{Kept, PageStart, Post, PostFilter, PostPage, PostScope};
pub use purge::{DuePurge, PurgeStep};
pub use ranges::LockAttempt;
pub use rate_groups::{Appointment, Pace};
pub use read_state::{HISTORY_FOR, Mark, RecentSweep, Sweep, UNDO_FOR};
pub use retention::FeedRules;
pub use rollups::{ErrorFigure, FeedFigure, HostFigure, HostOrder, Hours};
pub use schedule::Behind;
pub use search::{IndexDocument, SearchOrder, SearchPage, SearchQuery};
pub use sessions::NewSession;
pub use settings::HEALTH_WARNING;
pub use store::{Check, Compacted, Options, Purpose, Store};
pub use subscriptions::SubscriptionChange;
pub use supervised::{PublisherHints, SupervisedFeed, SupervisedFilter, SupervisedOrder, SupervisedQuery};
pub use system::{DatabaseKind, HeldWork, IndexLag, Schema};
pub use tags::Renamed;
pub use unscoped::Unscoped;
pub use users::Changed;

/// Every statement that is put together from parts, likewise.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests go through all statements"))]
static COMPOSED: &[&db::compose::Composed] = &[&entries::LIST];

/// Every statement, file by file, for the tests that go through all of them.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests go through all statements"))]
static STATEMENTS: &[&[&db::sql::Sql]] = &[
    categories::ALL,
    bookmarks::ALL,
    ai_ledger::ALL,
    ai_providers::ALL,
    api_keys::ALL,
    commit::ALL,
    enrichments::ALL,
    entries::ALL,
    feed_settings::ALL,
    feed_state::ALL,
    feeds::ALL,
    filters::ALL,
    followed::ALL,
    found::ALL,
    found::scope::ALL,
    full_texts::ALL,
    icons::ALL,
    imports::ALL,
    identities::ALL,
    index::ALL,
    jobs::ALL,
    leaps::ALL,
    leases::ALL,
    likes::ALL,
    locks::ALL,
    login_failures::ALL,
    db::migrate::ALL,
    one_time_links::ALL,
    outbox::ALL,
    posts::ALL,
    preferences::ALL,
    purge::ALL,
    ranges::ALL,
    rate_groups::ALL,
    raw_fetches::ALL,
    read_state::ALL,
    retention::ALL,
    saved_searches::ALL,
    revoked_tokens::ALL,
    rollups::ALL,
    schedule::ALL,
    search::ALL,
    sessions::ALL,
    settings::ALL,
    store::ALL,
    subscriptions::ALL,
    supervised::ALL,
    system::ALL,
    tags::ALL,
    users::ALL,
    view_ids::ALL,
    visits::ALL,
];
