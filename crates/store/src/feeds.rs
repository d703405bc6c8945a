//! Feeds: adding them, finding them, changing what they are. When they are visited is `leases.rs`.

use crate::codes;
use crate::db::batch::Batch;
use crate::db::columns::{Part, selected_columns, text};
use crate::db::sql::{Text, statements};
use crate::db::value::Value;
use crate::db::wake::Topic;
use crate::store::Store;
use crate::viewer::may_see;
use crate::{StoreError, commit};
use jiff::{SignedDuration, Timestamp};
use model::event::{EventKind, Payload};
use model::feed::{DomainRule, Feed, FeedState, GuidTrust, Origin};
use model::lease::Sealed;
use model::plan::PauseReason;
use model::schedule::Because;
use model::{FeedId, UserId, Viewer};
use std::collections::BTreeMap;
use std::fmt;
use uuid::Uuid;

selected_columns! {
    /// A feed and where it stands, over [`from!`].
    StatusColumns {
        id = "f.id";
        uuid = "f.uuid";
        url = "f.url";
        owner: Option<i64> = "f.owner_id";
        kind = "f.kind";
        title = "f.title";
        site_url = "f.site_url";
        description = "f.description";
        language = "f.language";
        root_domain = "f.root_domain";
        domain_rule = "f.domain_rule";
        polling = "f.polling";
        state: String = "f.state";
        state_reason = "f.state_reason";
        state_since = "f.state_since";
        collisions = "f.guid_collisions";
        unreliable = "f.guid_unreliable";
        allow_duplicate_urls = "f.allow_duplicate_urls";
        created_at = "f.created_at";
        updated_at = "f.updated_at";
        due_at = "s.due_at";
        worker = "s.worker";
        rate_group = "s.rate_group";
        visits = "s.visits";
        readings = "s.readings";
        last_visit_at = "s.last_visit_at";
        last_success_at = "s.last_success_at";
        last_status = "s.last_status";
        last_error_at = "s.last_error_at";
        last_error = "s.last_error";
        failures = "s.failures";
        interval = "s.interval_us";
        because = "s.because";
        reason = "s.reason";
        new_entries = "s.new_entries";
        retry_after = "s.retry_after_at";
        rules = "f.rules";
        slot = "s.slot_at";
        paused_until: Option<Timestamp> = "g.paused_until";
        paused_because = "g.paused_because";
        purge_at = "f.purge_at";
    }
    fn feed_status(row) -> FeedStatus {
        let feed = Feed {
            id: FeedId(id),
            uuid,
            url,
            owner: owner.map(UserId),
            kind,
            title,
            site_url,
            description,
            language,
            root_domain,
            domain_rule,
            polling,
            state: codes::state(&state, state_reason)?,
            state_since,
            guids: GuidTrust { collisions, unreliable },
            allow_duplicate_urls,
            created_at,
            updated_at,
        };
        FeedStatus {
            feed,
            due_at,
            worker,
            rate_group,
            visits,
            readings,
            last_visit_at,
            last_success_at,
            last_status,
            last_error_at,
            last_error,
            failures,
            interval,
            because,
            reason,
            new_entries,
            retry_after,
            rules: codes::rules(rules)?,
            slot,
            pause: paused_until.zip(paused_because),
            purge_at,
        }
    }
}

macro_rules! from {
    () => {
        "feeds f JOIN schedule s ON s.feed_id = f.id LEFT JOIN rate_groups g ON g.name = s.rate_group"
    };
}

statements! {
    INSERT(Uuid, Text, Int, Text, Text, Text, Text, Bool, Text, Text, Int, Text, Bytes, Text) = Text::Rows(
        "INSERT INTO feeds (uuid, url, owner_id, kind, title, site_url, root_domain, domain_rule, polling, state,
                            state_reason, state_since, created_at, updated_at, user_agent, access, origin)
         VALUES ($1, $2, $3, 'unknown', $4, $5, $6, $7, $8, $9, $10, $11, $11, $11, $12, $13, $14)
         ON CONFLICT DO NOTHING");
    /// A feed that was there already keeps its schedule.
    INSERT_SCHEDULE(Uuid, Bool, Int, Text, Text, Text, Int) = Text::Rows(
        "INSERT INTO schedule (feed_id, runnable, due_at, rate_group, because, reason, decided_at)
         SELECT id, $2, $3, $4, $5, $6, $7 FROM feeds WHERE uuid = $1");
    /// A feed that was there already is not announced.
    ANNOUNCE(Int, Int, Uuid, Text, Json) = Text::Rows(
        "INSERT INTO outbox (id, at, kind, feed_id, version, payload)
         SELECT new_event($1), $2, $4, id, 1, $5 FROM feeds WHERE uuid = $3");
    /// Says to which question ($1) each answer belongs, for they come in any order.
    FIND(Int, Text, Int) = Text::Rows(
        "SELECT $1, id, uuid, state FROM feeds WHERE url = $2 AND coalesce(owner_id, 0) = $3");
    /// The feed with id $1, or the one that was deleted ($2).
    BY_ID(Int, Bool, Int) = Text::One(
        text!("SELECT ", Part::List(StatusColumns::SQL), " FROM ", Part::Text(from!()), "
                 WHERE f.id = $1 AND (f.state = 'deleted') = $2 AND ", Part::Text(may_see!("$3"))));
    BY_UUID(Uuid, Bool, Int) = Text::One(
        text!("SELECT ", Part::List(StatusColumns::SQL), " FROM ", Part::Text(from!()), "
                 WHERE f.uuid = $1 AND (f.state = 'deleted') = $2 AND ", Part::Text(may_see!("$3"))));
    BY_URL(Text, Bool, Int) = Text::One(
        text!("SELECT ", Part::List(StatusColumns::SQL), " FROM ", Part::Text(from!()), "
                 WHERE f.url = $1 AND (f.state = 'deleted') = $2 AND ", Part::Text(may_see!("$3")), "
                 ORDER BY coalesce(f.owner_id, 0) LIMIT 1"));
    /// Those that can still be brought back.
    LIST_DELETED(Int, Int, Int) = Text::One(
        text!("SELECT ", Part::List(StatusColumns::SQL), " FROM ", Part::Text(from!()), "
                 WHERE f.id > $1 AND f.state = 'deleted' AND f.url NOT LIKE 'purged:%' AND ", Part::Text(may_see!("$3")), "
                 ORDER BY f.id LIMIT $2"));
    LIST(Int, Int, Int) = Text::One(
        text!("SELECT ", Part::List(StatusColumns::SQL), " FROM ", Part::Text(from!()), "
                 WHERE f.id > $1 AND f.state <> 'deleted' AND ", Part::Text(may_see!("$3")), " ORDER BY f.id LIMIT $2"));
    COUNT() = Text::One("SELECT count(*) FROM feeds WHERE state <> 'deleted'");
    /// The feed of owner $2 at an address, deleted or not.
    AT(Text, Int, Int) = Text::One(concat!(
        "SELECT f.id FROM feeds f WHERE f.url = $1 AND coalesce(f.owner_id, 0) = $2 AND ", may_see!("$3")));
    /// Another feed of the same owner that is there already keeps the address; then nothing is moved.
    MOVE(Int, Text, Int) = Text::One(
        "UPDATE feeds SET moved_from = url, url = $2, updated_at = $3
         WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM feeds other WHERE other.url = $2 AND other.id <> $1
                                       AND coalesce(other.owner_id, 0) = coalesce(feeds.owner_id, 0))");
}

/// What is needed to add a feed.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFeed {
    /// Made by the caller, so that adding twice is told apart from adding two.
    pub uuid: Uuid,
    /// Where.
    pub url: String,
    /// Whose, if private.
    pub owner: Option<UserId>,
    /// A title to begin with, as an OPML file gives one.
    pub title: Option<String>,
    /// The site to begin with.
    pub site_url: Option<String>,
    /// Which site it belongs to.
    pub root_domain: Option<String>,
    /// Which links are accepted.
    pub domain_rule: DomainRule,
    /// Whether a success is followed by another visit.
    pub polling: bool,
    /// Visited from now on, or waiting for somebody.
    pub state: FeedState,
    /// Whose courtesy budget it shares.
    pub rate_group: String,
    /// When it is first due.
    pub due_at: Option<Timestamp>,
    /// Who is told that we visit, instead of our own name.
    pub user_agent: Option<String>,
    /// Proxy and credentials, sealed.
    pub access: Option<Sealed>,
    /// Who brings it.
    pub origin: Origin,
}

impl NewFeed {
    /// A feed that everybody may have, visited from a moment on.
    pub fn public(uuid: Uuid, url: String, rate_group: String, due_at: Timestamp) -> Self {
        Self {
            uuid,
            url,
            owner: None,
            title: None,
            site_url: None,
            root_domain: None,
            domain_rule: DomainRule::default(),
            polling: true,
            state: FeedState::Active,
            rate_group,
            due_at: Some(due_at),
            user_agent: None,
            access: None,
            origin: Origin::Operator,
        }
    }
}

/// What became of a feed that was to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is new.
    New(FeedId),
    /// It was there already.
    Existing(FeedId),
    /// It was deleted once; its history is back.
    Revived(FeedId),
}

impl Added {
    /// Which feed it is.
    pub fn id(self) -> FeedId {
        match self {
            Self::New(id) | Self::Existing(id) | Self::Revived(id) => id,
        }
    }
}

/// How people and programs name a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedName {
    /// By our key.
    Id(FeedId),
    /// By its UUID.
    Uuid(Uuid),
    /// By its URL.
    Url(String),
}

impl FeedName {
    /// A number, a UUID, or else a URL.
    pub fn parse(text: &str) -> Self {
        let id = text.parse().map(|id| Self::Id(FeedId(id))).ok();
        let uuid = || text.parse().map(Self::Uuid).ok();
        id.or_else(uuid).unwrap_or_else(|| Self::Url(text.to_owned()))
    }
}

impl fmt::Display for FeedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Uuid(uuid) => uuid.fmt(f),
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// A feed and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedStatus {
    /// The feed.
    pub feed: Feed,
    /// When it is due, or, while `worker` is set, when the lease ends.
    pub due_at: Option<Timestamp>,
    /// Who is at it.
    pub worker: Option<String>,
    /// Whose courtesy budget it shares.
    pub rate_group: String,
    /// Visits so far.
    pub visits: i64,
    /// The last visit.
    pub last_visit_at: Option<Timestamp>,
    /// The last visit that succeeded.
    pub last_success_at: Option<Timestamp>,
    /// The last status.
    pub last_status: Option<u16>,
    /// The last failure.
    pub last_error_at: Option<Timestamp>,
    /// In words.
    pub last_error: Option<String>,
    /// Failures in a row.
    pub failures: u32,
    /// The interval chosen.
    pub interval: SignedDuration,
    /// The rule that chose it.
    pub because: String,
    /// In words.
    pub reason: String,
    /// Entries the last reading brought.
    pub new_entries: u32,
    /// The server asked not to be visited before.
    pub retry_after: Option<Timestamp>,
    /// Rules of its own, by key.
    pub rules: BTreeMap<String, String>,
    /// The slot it waits for, where its publisher's other feeds went first.
    pub slot: Option<Timestamp>,
    /// Until when its publisher is left alone, and why; it may be over.
    pub pause: Option<(Timestamp, PauseReason)>,
    /// When it is removed with everything it said, if it was deleted.
    pub purge_at: Option<Timestamp>,
    /// How many documents of it were read.
    pub readings: i64,
}

/// All feeds that a viewer may see, in the order of their ids, some at a time.
pub struct FeedPages {
    store: Store,
    viewer: Viewer,
    after: Option<FeedId>,
}

/// Feeds of a page.
const PAGE: u32 = 1000;

/// How the address of a feed begins whose removal has begun (`purge.rs`): it cannot be brought back.
const PURGED: &str = "purged:";

impl FeedPages {
    /// The next ones; `None` when these were all.
    pub async fn next(&mut self) -> Result<Option<Vec<FeedStatus>>, StoreError> {
        let page = self.store.feeds(self.viewer, self.after, PAGE).await?;
        self.after = page.last().map(|status| status.feed.id).or(self.after);
        Ok(Some(page).filter(|page| !page.is_empty()))
    }
}

/// Adds the step that gives a feed another address.
pub(crate) fn move_to(batch: &mut Batch, feed: FeedId, url: &str, now: Timestamp) {
    batch.step(&MOVE, vec![vec![feed.0.into(), url.into(), now.into()]]);
}

impl Store {
    /// Adds a feed.
    pub async fn add_feed(&self, feed: NewFeed, now: Timestamp) -> Result<Added, StoreError> {
        let added = self.add_feeds(vec![feed], now).await?;
        Ok(added[0])
    }

    /// Adds many feeds in one transaction; the answers are in their order.
    pub async fn add_feeds(&self, feeds: Vec<NewFeed>, now: Timestamp) -> Result<Vec<Added>, StoreError> {
        let mut batch = Batch::default();
        batch.step(&INSERT, feeds.iter().map(|feed| insert_row(feed, now)).collect());
        batch.step(&INSERT_SCHEDULE, feeds.iter().map(|feed| schedule_row(feed, now)).collect());
        batch.arrive(&commit::ARRIVE, 0, feeds.len());
        let id = |i: usize| Value::NewEvent((feeds.len() - 1 - i) as i64);
        let events = feeds.iter().enumerate().map(|(i, feed)| {
            let (kind, payload) = (EventKind::FeedAdded, Payload::of(&EventKind::FeedAdded, &feed.url));
            vec![id(i), now.into(), feed.uuid.into(), kind.as_str().into(), codes::payload(&payload.json)]
        });
        batch.step(&ANNOUNCE, events.collect());
        batch.wakes(Topic::Events);
        let owner = |feed: &NewFeed| feed.owner.map_or(0, |id| id.0);
        let questions = feeds.iter().enumerate();
        let questions =
            questions.map(|(i, feed)| vec![(i as i64).into(), feed.url.as_str().into(), owner(feed).into()]);
        batch.step(&FIND, questions.collect());
        if feeds.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.write(batch).await?.pop().expect("the last step returns the feeds").records;
        let mut found =
            found.into_iter().map(|mut row| Ok((row.next::<i64>()?, row))).collect::<Result<Vec<_>, _>>()?;
        found.sort_unstable_by_key(|(question, _)| *question);
        let mut added = Vec::with_capacity(feeds.len());
        for (feed, (_, mut row)) in feeds.iter().zip(found) {
            let (id, uuid, state) = (FeedId(row.next()?), row.next::<Uuid>()?, row.next::<String>()?);
            added.push(if uuid == feed.uuid {
                Added::New(id)
            } else if state == codes::state_word(&FeedState::Deleted) {
                self.revive(id, feed, now).await?
            } else {
                Added::Existing(id)
            });
        }
        Ok(added)
    }

    /// Brings a deleted feed back; if it was removed in the meantime, it is a new one.
    async fn revive(&self, id: FeedId, feed: &NewFeed, now: Timestamp) -> Result<Added, StoreError> {
        if self.take_up_again(id, &feed.url, &feed.state, feed.due_at, now).await? {
            return Ok(Added::Revived(id));
        }
        Box::pin(self.add_feed(feed.clone(), now)).await
    }

    /// A feed and where it stands. One that was deleted, or that the viewer may not see, is not found.
    pub async fn feed(&self, viewer: Viewer, name: &FeedName) -> Result<FeedStatus, StoreError> {
        let found = self.find_feed(viewer, name, false).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "feed", name: name.to_string() })
    }

    /// A feed that was deleted and can still be brought back.
    pub async fn deleted_feed(&self, viewer: Viewer, name: &FeedName) -> Result<Option<FeedStatus>, StoreError> {
        Ok(self.find_feed(viewer, name, true).await?.filter(|status| !status.feed.url.starts_with(PURGED)))
    }

    async fn find_feed(
        &self,
        viewer: Viewer,
        name: &FeedName,
        deleted: bool,
    ) -> Result<Option<FeedStatus>, StoreError> {
        let (sql, name): (_, Value) = match name {
            FeedName::Id(id) => (&BY_ID, id.0.into()),
            FeedName::Uuid(uuid) => (&BY_UUID, (*uuid).into()),
            FeedName::Url(url) => (&BY_URL, url.as_str().into()),
        };
        self.read_first(sql, vec![name, deleted.into(), viewer.into()], feed_status).await
    }

    /// The next deleted feeds after `after` that can still be brought back.
    pub async fn deleted_feeds(
        &self,
        viewer: Viewer,
        after: Option<FeedId>,
        limit: u32,
    ) -> Result<Vec<FeedStatus>, StoreError> {
        let row = vec![after.map_or(0, |id| id.0).into(), limit.into(), viewer.into()];
        self.read_all(&LIST_DELETED, row, feed_status).await
    }

    /// Which feed an address belongs to, among the public ones or those of an owner. A deleted one keeps its address.
    pub async fn feed_at(
        &self,
        viewer: Viewer,
        url: &str,
        owner: Option<UserId>,
    ) -> Result<Option<FeedId>, StoreError> {
        let row = vec![url.into(), owner.map_or(0, |id| id.0).into(), viewer.into()];
        self.read_first(&AT, row, |row| Ok(FeedId(row.next()?))).await
    }

    /// The next feeds after `after`, without deleted ones.
    pub async fn feeds(
        &self,
        viewer: Viewer,
        after: Option<FeedId>,
        limit: u32,
    ) -> Result<Vec<FeedStatus>, StoreError> {
        let row = vec![after.map_or(0, |id| id.0).into(), limit.into(), viewer.into()];
        self.read_all(&LIST, row, feed_status).await
    }

    /// All feeds but deleted ones, some at a time.
    pub fn feed_pages(&self, viewer: Viewer) -> FeedPages {
        FeedPages { store: self.clone(), viewer, after: None }
    }

    /// How many feeds there are, without deleted ones.
    pub async fn count_feeds(&self) -> Result<i64, StoreError> {
        Ok(self.read_first(&COUNT, vec![], |row| row.next()).await?.unwrap_or(0))
    }
}

fn insert_row(feed: &NewFeed, now: Timestamp) -> Vec<Value> {
    vec![
        feed.uuid.into(),
        feed.url.as_str().into(),
        feed.owner.map(|id| id.0).into(),
        feed.title.as_deref().into(),
        feed.site_url.as_deref().into(),
        feed.root_domain.as_deref().into(),
        feed.domain_rule.into(),
        feed.polling.into(),
        codes::state_word(&feed.state).into(),
        feed.state.reason().into(),
        now.into(),
        feed.user_agent.as_deref().into(),
        feed.access.as_ref().map(|sealed| sealed.0.clone()).into(),
        feed.origin.into(),
    ]
}

fn schedule_row(feed: &NewFeed, now: Timestamp) -> Vec<Value> {
    vec![
        feed.uuid.into(),
        feed.state.is_runnable().into(),
        feed.due_at.into(),
        feed.rate_group.as_str().into(),
        Because::Added.as_str().into(),
        "because it was added".into(),
        now.into(),
    ]
}
