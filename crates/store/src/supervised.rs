//! Feeds as the operator's room lists them: where they stand, who reads them, what their publishers ask for. Pages by number,
//! because tables are sorted by any column; other users' private feeds are left out.

use crate::StoreError;
use crate::codes;
use crate::db::question::Question;
use crate::db::sql::{Sql, Text, both, statements};
use crate::db::value::{Record, Value};
use crate::store::Store;
use crate::viewer::{may_see, sees_living_feed};
use jiff::{SignedDuration, Timestamp};
use model::feed::FeedState;
use model::lease::VisitHints;
use model::{FeedId, Viewer};

macro_rules! columns {
    () => {
        "f.id, coalesce(f.title, ''), f.url, f.state, f.state_reason, f.moved_from, s.rate_group, s.interval_us, s.ewma_us,
         s.last_success_at, s.last_status, s.last_error, s.failures, s.last_arrival_at, s.due_at, s.reason,
         (SELECT count(*) FROM subscriptions u WHERE u.feed_id = f.id AND u.hidden_at IS NULL) AS readers"
    };
}

macro_rules! has {
    (sqlite $column:literal) => {
        concat!("instr(lower(", $column, "), $3) > 0")
    };
    (postgres $column:literal) => {
        concat!("strpos(lower(", $column, "), $3) > 0")
    };
}

/// What viewer $1 may see, of state $2 (0: all), with text $3 (NULL: any); $4 is what counts as long silence.
macro_rules! from {
    ($dialect:ident) => {
        concat!(
            " FROM feeds f JOIN schedule s ON s.feed_id = f.id
             WHERE f.state <> 'deleted' AND ", may_see!("$1"), "
               AND ($2 = 0 OR ($2 = 1 AND s.failures > 0 AND f.state = 'active') OR ($2 = 2 AND f.state = 'disabled')
                    OR ($2 = 3 AND f.state = 'paused') OR ($2 = 4 AND s.readings > 0 AND s.last_arrival_at < $4)
                    OR ($2 = 5 AND s.last_success_at IS NULL) OR ($2 = 6 AND f.moved_from IS NOT NULL))
               AND ($3 IS NULL OR ", has!($dialect "coalesce(f.title, '')"), " OR ", has!($dialect "f.url"), ")"
        )
    };
}

macro_rules! list {
    ($dialect:ident $order:literal) => {
        concat!("SELECT ", columns!(), from!($dialect), " ORDER BY ", $order, " LIMIT $5 OFFSET $6")
    };
}
macro_rules! list_by {
    ($name:ident $order:literal) => {
        macro_rules! $name {
                                                                                            ($dialect:ident) => {
                                                                                                list!($dialect $order)
                                                                                            };
                                                                                        }
    };
}
list_by!(by_id "f.id");
list_by!(by_title "lower(coalesce(f.title, f.url)), f.id");
list_by!(by_errors "s.failures DESC, f.id");
list_by!(by_interval "s.interval_us DESC, f.id");
list_by!(by_success "coalesce(s.last_success_at, 0), f.id");
list_by!(by_news "coalesce(s.last_arrival_at, 0), f.id");
list_by!(by_readers "17 DESC, f.id");

macro_rules! count {
    ($dialect:ident) => {
        concat!("SELECT count(*)", from!($dialect))
    };
}

statements! {
    BY_ID(Int, Int, Text, Int, Int, Int) = both!(by_id);
    BY_TITLE(Int, Int, Text, Int, Int, Int) = both!(by_title);
    BY_ERRORS(Int, Int, Text, Int, Int, Int) = both!(by_errors);
    BY_INTERVAL(Int, Int, Text, Int, Int, Int) = both!(by_interval);
    BY_SUCCESS(Int, Int, Text, Int, Int, Int) = both!(by_success);
    BY_NEWS(Int, Int, Text, Int, Int, Int) = both!(by_news);
    BY_READERS(Int, Int, Text, Int, Int, Int) = both!(by_readers);
    COUNT(Int, Int, Text, Int) = both!(count);
    ONE(Int, Int) = Text::One(concat!(
        "SELECT ", columns!(), ", s.ttl_minutes, s.skip_hours, s.skip_days, s.cache_control, s.expires_at,
                s.retry_after_at, s.etag IS NOT NULL, s.last_modified IS NOT NULL
         FROM feeds f JOIN schedule s ON s.feed_id = f.id
         WHERE f.id = $2 AND f.state <> 'deleted' AND ", may_see!("$1")));
    /// When the last $4 entries of feed $2 were seen first, if since $3.
    ARRIVALS(Int, Int, Int, Int) = Text::One(concat!(
        "SELECT l.first_seen_at FROM (
             SELECT e.first_seen_at, e.id FROM entries e
             WHERE e.feed_id = $2 AND ", sees_living_feed!("$2", "$1"), " ORDER BY e.id DESC LIMIT $4) AS l
         WHERE l.first_seen_at >= $3 ORDER BY l.id"));
}

/// Which feeds are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SupervisedFilter {
    /// All.
    #[default]
    All,
    /// Active, and the last visits failed.
    Failing,
    /// Switched off after failures.
    Disabled,
    /// Switched off by somebody.
    Paused,
    /// Without a new entry for long.
    Silent,
    /// Never visited with success.
    Never,
    /// Moved for good since they were added.
    Redirected,
}

/// By what they are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SupervisedOrder {
    /// In the order in which they were added.
    #[default]
    Added,
    /// By name.
    Title,
    /// Those that failed most often in a row first.
    Errors,
    /// Those with the longest interval first.
    Interval,
    /// Those whose last success is longest ago first.
    LastSuccess,
    /// Those whose last entry is oldest first.
    LastNew,
    /// Those that most people follow first.
    Readers,
}

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SupervisedQuery {
    /// Which.
    pub filter: SupervisedFilter,
    /// With this in the title or the address.
    pub text: Option<String>,
    /// In which order.
    pub order: SupervisedOrder,
    /// What counts as long silence: no entry since then.
    pub silent_since: Timestamp,
}

/// A feed, as the operator's room lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisedFeed {
    /// The feed.
    pub feed: FeedId,
    /// What it calls itself; may be empty.
    pub title: String,
    /// Where it is.
    pub url: String,
    /// Whether it is visited.
    pub state: FeedState,
    /// Where it was before it moved for good.
    pub moved_from: Option<String>,
    /// Whose courtesy budget it shares.
    pub rate_group: String,
    /// The interval chosen.
    pub interval: SignedDuration,
    /// Smoothed time between its entries.
    pub ewma: Option<SignedDuration>,
    /// The last visit that worked.
    pub last_success_at: Option<Timestamp>,
    /// The status of the last visit.
    pub last_status: Option<u16>,
    /// Why the last visit failed, if it did.
    pub last_error: Option<String>,
    /// Failures in a row.
    pub failures: u32,
    /// When its newest entry was published.
    pub last_arrival_at: Option<Timestamp>,
    /// When it is due.
    pub due_at: Option<Timestamp>,
    /// Why then.
    pub reason: String,
    /// How many users follow it.
    pub readers: u64,
}

/// What the publisher of a feed asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublisherHints {
    /// What the document says.
    pub hints: VisitHints,
    /// `Cache-Control`, as written.
    pub cache_control: Option<String>,
    /// `Expires`.
    pub expires_at: Option<Timestamp>,
    /// `Retry-After`, as a moment.
    pub retry_after: Option<Timestamp>,
    /// Whether it gave an entity tag.
    pub has_etag: bool,
    /// Whether it said when the document changed.
    pub has_last_modified: bool,
}

fn supervised(row: &mut Record) -> Result<SupervisedFeed, StoreError> {
    Ok(SupervisedFeed {
        feed: FeedId(row.next()?),
        title: row.next()?,
        url: row.next()?,
        state: {
            let word: String = row.next()?;
            codes::state(&word, row.next()?)?
        },
        moved_from: row.next()?,
        rate_group: row.next()?,
        interval: row.next()?,
        ewma: row.next()?,
        last_success_at: row.next()?,
        last_status: row.next()?,
        last_error: row.next()?,
        failures: row.next()?,
        last_arrival_at: row.next()?,
        due_at: row.next()?,
        reason: row.next()?,
        readers: row.next()?,
    })
}

impl Store {
    /// A page of feeds as an operator looks at them, and how many there are.
    pub async fn supervised_feeds(
        &self,
        viewer: Viewer,
        query: &SupervisedQuery,
        offset: u32,
        limit: u32,
    ) -> Result<(Vec<SupervisedFeed>, u64), StoreError> {
        let filter: i64 = match query.filter {
            SupervisedFilter::All => 0,
            SupervisedFilter::Failing => 1,
            SupervisedFilter::Disabled => 2,
            SupervisedFilter::Paused => 3,
            SupervisedFilter::Silent => 4,
            SupervisedFilter::Never => 5,
            SupervisedFilter::Redirected => 6,
        };
        let list: &'static Sql = match query.order {
            SupervisedOrder::Added => &BY_ID,
            SupervisedOrder::Title => &BY_TITLE,
            SupervisedOrder::Errors => &BY_ERRORS,
            SupervisedOrder::Interval => &BY_INTERVAL,
            SupervisedOrder::LastSuccess => &BY_SUCCESS,
            SupervisedOrder::LastNew => &BY_NEWS,
            SupervisedOrder::Readers => &BY_READERS,
        };
        let text = query.text.as_ref().map(|text| text.to_lowercase());
        let row: Vec<Value> = vec![viewer.into(), filter.into(), text.into(), query.silent_since.into()];
        let page = [row.clone(), vec![limit.into(), offset.into()]].concat();
        let mut answers = self.read_snapshot(vec![Question::new(list, page), Question::new(&COUNT, row)]).await?;
        let total = answers[1].first_mut().map_or(Ok(0), Record::next)?;
        let feeds = answers[0].iter_mut().map(supervised).collect::<Result<_, _>>()?;
        Ok((feeds, total))
    }

    /// One of them, with what its publisher asks for.
    pub async fn supervised_feed(
        &self,
        viewer: Viewer,
        feed: FeedId,
    ) -> Result<Option<(SupervisedFeed, PublisherHints)>, StoreError> {
        let read = |row: &mut Record| {
            let feed = supervised(row)?;
            let hints = VisitHints { ttl_minutes: row.next()?, skip_hours: row.next()?, skip_days: row.next()? };
            let asked = PublisherHints {
                hints,
                cache_control: row.next()?,
                expires_at: row.next()?,
                retry_after: row.next()?,
                has_etag: row.next()?,
                has_last_modified: row.next()?,
            };
            Ok((feed, asked))
        };
        self.read_first(&ONE, vec![viewer.into(), feed.0.into()], read).await
    }

    /// When entries of a feed were seen first, since a moment: the last ones, the oldest of them first.
    pub async fn arrivals(
        &self,
        viewer: Viewer,
        feed: FeedId,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<Timestamp>, StoreError> {
        let row = vec![viewer.into(), feed.0.into(), since.into(), limit.into()];
        self.read_all(&ARRIVALS, row, |row| row.next()).await
    }
}
