//! The feeds that a user follows, each with its figures: what a reader's list of feeds shows, in one question.

use crate::StoreError;
use crate::codes;
use crate::db::sql::{Text, both, statements};
use crate::db::value::Record;
use crate::store::Store;
use crate::viewer::may_see;
use jiff::{SignedDuration, Timestamp};
use model::enrichment::Switch;
use model::entry::EntryKey;
use model::feed::FeedState;
use model::full_text::FullText;
use model::reader::SortOrder;
use model::{CategoryId, FeedId, UserId};
use uuid::Uuid;

/// The icon `i` of feed `f`, if it has one. SQLite would look it up by its key, and read its bytes to reach its hash.
macro_rules! icon {
    (sqlite) => {
        " LEFT JOIN icons i INDEXED BY icons_of_site ON i.site = f.icon_site"
    };
    (postgres) => {
        " LEFT JOIN icons i ON i.site = f.icon_site"
    };
}

macro_rules! followed {
    ($dialect:ident) => {
        concat!(
            "SELECT f.id, f.uuid, f.url, s.title, f.title, f.site_url, f.description, f.language, s.category_id, s.created_at,
                    s.in_all, s.sort, s.full_text, s.unread + c.arrivals - s.seen_arrivals, c.entries,
                    f.state, f.state_reason, f.state_since, f.owner_id, f.allow_duplicate_urls, f.access IS NOT NULL,
                    f.created_at, f.updated_at,
                    c.etag, c.last_modified, c.cache_control, c.expires_at, c.retry_after_at, c.last_visit_at, c.due_at,
                    c.last_status, c.last_success_at, c.last_error_at, c.last_error, c.failures, c.interval_us, c.reason, i.hash,
                    s.position, c.last_arrival_at, c.ewma_us, f.moved_from, s.ai
             FROM subscriptions s JOIN feeds f ON f.id = s.feed_id JOIN schedule c ON c.feed_id = s.feed_id",
            icon!($dialect),
            "
             WHERE s.user_id = $1 AND s.hidden_at IS NULL AND f.state <> 'deleted' AND ",
            may_see!("$1")
        )
    };
}

macro_rules! list {
    ($dialect:ident) => {
        concat!(followed!($dialect), " ORDER BY s.position, s.id")
    };
}

macro_rules! one {
    ($dialect:ident) => {
        concat!(followed!($dialect), " AND s.feed_id = $2")
    };
}

statements! {
    LIST(Int) = both!(list);
    ONE(Int, Int) = both!(one);
    /// What the feeds of user $1 are called, and where they are filed.
    LABELS(Int) = Text::One(concat!(
        "SELECT f.id, s.title, f.title, f.url, f.site_url, s.category_id, s.unread + c.arrivals - s.seen_arrivals
         FROM subscriptions s JOIN feeds f ON f.id = s.feed_id JOIN schedule c ON c.feed_id = s.feed_id
         WHERE s.user_id = $1 AND s.hidden_at IS NULL AND f.state <> 'deleted' AND ", may_see!("$1"), " ORDER BY s.id"));
    /// Links of entries with a key, in the feeds that user $1 follows.
    LINKS(Int, Int, Bytes) = Text::One(concat!(
        "SELECT e.link FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
             JOIN entry_keys k ON k.feed_id = s.feed_id AND k.kind = $2 AND k.hash = $3
             JOIN entries e ON e.id = k.entry_id
         WHERE s.user_id = $1 AND s.hidden_at IS NULL AND f.state <> 'deleted' AND e.link IS NOT NULL AND ",
        may_see!("$1"), " ORDER BY e.id"));
    /// Unread entries by category.
    COUNTS(Int) = Text::One(concat!(
        "SELECT s.feed_id, s.category_id, s.in_all, s.unread + c.arrivals - s.seen_arrivals
         FROM subscriptions s JOIN feeds f ON f.id = s.feed_id JOIN schedule c ON c.feed_id = s.feed_id
         WHERE s.user_id = $1 AND s.hidden_at IS NULL AND f.state <> 'deleted' AND ", may_see!("$1")));
}

/// A feed that a user follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// The feed.
    pub feed: FeedId,
    /// Its name for programs.
    pub uuid: Uuid,
    /// Where it is.
    pub url: String,
    /// What the user calls it.
    pub own_title: Option<String>,
    /// What it calls itself.
    pub feed_title: Option<String>,
    /// The page it belongs to.
    pub site_url: Option<String>,
    /// What it says about itself.
    pub description: Option<String>,
    /// Language tag.
    pub language: Option<String>,
    /// The user's folder.
    pub category: CategoryId,
    /// Since when the user follows it.
    pub since: Timestamp,
    /// Whether its entries are shown among all.
    pub in_all: bool,
    /// How its entries are sorted, if differently from the rest.
    pub sort: Option<SortOrder>,
    /// When full texts are fetched, if the user has chosen.
    pub full_text: Option<FullText>,
    /// How many of its entries the user has not read.
    pub unread: u64,
    /// How many entries are stored.
    pub entries: u64,
    /// Whether it is visited.
    pub state: FeedState,
    /// Since when it is in that state.
    pub state_since: Timestamp,
    /// Whose private feed it is.
    pub owner: Option<UserId>,
    /// Whether entries with the same address are different ones.
    pub allow_duplicate_urls: bool,
    /// Whether it has a proxy or credentials of its own.
    pub has_access: bool,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it changed.
    pub updated_at: Timestamp,
    /// How its visits go.
    pub fetch: FetchState,
    /// The hash of its site's icon.
    pub icon: Option<[u8; 32]>,
    /// Its place in the category.
    pub position: i64,
    /// When its newest entry was published.
    pub last_post_at: Option<Timestamp>,
    /// Smoothed time between its entries.
    pub gap: Option<SignedDuration>,
    /// Where it was before it moved for good.
    pub moved_from: Option<String>,
    /// Whether its entries are enriched, if the user has chosen.
    pub ai: Option<Switch>,
}

/// What a feed that a user follows is called, and where it is filed: all that a search by names needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedLabel {
    /// The feed.
    pub feed: FeedId,
    /// What the user calls it.
    pub own_title: Option<String>,
    /// What it calls itself.
    pub feed_title: Option<String>,
    /// Where it is.
    pub url: String,
    /// The page it belongs to.
    pub site_url: Option<String>,
    /// The user's folder.
    pub category: CategoryId,
    /// How many of its entries the user has not read.
    pub unread: u64,
}

/// How the visits of a feed go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchState {
    /// Validator.
    pub etag: Option<String>,
    /// Validator.
    pub last_modified: Option<String>,
    /// As given.
    pub cache_control: Option<String>,
    /// As given.
    pub expires_at: Option<Timestamp>,
    /// The server asked to be left alone until then.
    pub retry_after: Option<Timestamp>,
    /// The last visit.
    pub last_visit_at: Option<Timestamp>,
    /// When it is due.
    pub due_at: Option<Timestamp>,
    /// Status of the last visit.
    pub last_status: Option<u16>,
    /// The last visit that worked.
    pub last_success_at: Option<Timestamp>,
    /// The last one that failed.
    pub last_error_at: Option<Timestamp>,
    /// Why it failed.
    pub last_error: Option<String>,
    /// Failures since the last success.
    pub failures: u32,
    /// The time between two visits.
    pub interval: SignedDuration,
    /// Why it is due when it is.
    pub reason: String,
}

/// What to call a feed: what the user says, else what it calls itself, else its address.
fn title<'a>(own: Option<&'a str>, of_feed: Option<&'a str>, url: &'a str) -> &'a str {
    own.or(of_feed).filter(|title| !title.is_empty()).unwrap_or(url)
}

impl Followed {
    /// What to call it: what the user says, else what it calls itself, else its address.
    pub fn title(&self) -> &str {
        title(self.own_title.as_deref(), self.feed_title.as_deref(), &self.url)
    }
}

impl FeedLabel {
    /// What to call it: what the user says, else what it calls itself, else its address.
    pub fn title(&self) -> &str {
        title(self.own_title.as_deref(), self.feed_title.as_deref(), &self.url)
    }
}

/// Unread entries of a feed, and where it is filed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreadCount {
    /// The feed.
    pub feed: FeedId,
    /// The user's folder.
    pub category: CategoryId,
    /// Whether its entries are shown among all.
    pub in_all: bool,
    /// How many.
    pub unread: u64,
}

fn followed(row: &mut Record) -> Result<Followed, StoreError> {
    Ok(Followed {
        feed: FeedId(row.next()?),
        uuid: row.next()?,
        url: row.next()?,
        own_title: row.next()?,
        feed_title: row.next()?,
        site_url: row.next()?,
        description: row.next()?,
        language: row.next()?,
        category: CategoryId(row.next()?),
        since: row.next()?,
        in_all: row.next()?,
        sort: row.next()?,
        full_text: row.next()?,
        unread: row.next::<i64>()?.max(0) as u64,
        entries: row.next::<i64>()?.max(0) as u64,
        state: {
            let word: String = row.next()?;
            codes::state(&word, row.next()?)?
        },
        state_since: row.next()?,
        owner: row.next::<Option<i64>>()?.map(UserId),
        allow_duplicate_urls: row.next()?,
        has_access: row.next()?,
        created_at: row.next()?,
        updated_at: row.next()?,
        fetch: FetchState {
            etag: row.next()?,
            last_modified: row.next()?,
            cache_control: row.next()?,
            expires_at: row.next()?,
            retry_after: row.next()?,
            last_visit_at: row.next()?,
            due_at: row.next()?,
            last_status: row.next()?,
            last_success_at: row.next()?,
            last_error_at: row.next()?,
            last_error: row.next()?,
            failures: row.next()?,
            interval: row.next()?,
            reason: row.next()?,
        },
        icon: row.next()?,
        position: row.next()?,
        last_post_at: row.next()?,
        gap: row.next()?,
        moved_from: row.next()?,
        ai: row.next()?,
    })
}

impl Store {
    /// The links of entries that have a key, in the feeds that a user follows.
    pub async fn links_with_key(&self, user: UserId, key: EntryKey) -> Result<Vec<String>, StoreError> {
        self.read_all(&LINKS, vec![user.0.into(), key.kind.into(), key.hash.into()], |row| row.next()).await
    }

    /// The feeds that a user follows, in the order in which they subscribed.
    pub async fn followed(&self, user: UserId) -> Result<Vec<Followed>, StoreError> {
        self.read_all(&LIST, vec![user.0.into()], followed).await
    }

    /// What the feeds are called that a user follows, in the same order.
    pub async fn feed_labels(&self, user: UserId) -> Result<Vec<FeedLabel>, StoreError> {
        let label = |row: &mut Record| {
            Ok(FeedLabel {
                feed: FeedId(row.next()?),
                own_title: row.next()?,
                feed_title: row.next()?,
                url: row.next()?,
                site_url: row.next()?,
                category: CategoryId(row.next()?),
                unread: row.next::<i64>()?.max(0) as u64,
            })
        };
        self.read_all(&LABELS, vec![user.0.into()], label).await
    }

    /// One of them.
    pub async fn followed_feed(&self, user: UserId, feed: FeedId) -> Result<Option<Followed>, StoreError> {
        self.read_first(&ONE, vec![user.0.into(), feed.0.into()], followed).await
    }

    /// How many unread entries each feed of a user has.
    pub async fn unread_counts(&self, user: UserId) -> Result<Vec<UnreadCount>, StoreError> {
        let count = |row: &mut Record| {
            Ok(UnreadCount {
                feed: FeedId(row.next()?),
                category: CategoryId(row.next()?),
                in_all: row.next()?,
                unread: row.next::<i64>()?.max(0) as u64,
            })
        };
        self.read_all(&COUNTS, vec![user.0.into()], count).await
    }
}
