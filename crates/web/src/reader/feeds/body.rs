//! A feed as the API shows it.

use crate::Web;
use crate::error::ApiError;
use crate::reader::shape::{moment, posts_per_week, unix};
use data_encoding::HEXLOWER;
use model::UserId;
use model::enrichment::Switch;
use model::feed::FeedState;
use model::full_text::FullText;
use serde::Serialize;
use store::Followed;
use utoipa::ToSchema;

/// A feed that the user follows.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FeedBody {
    pub(crate) id: i64,
    pub(crate) uuid: String,
    /// The user's own title, else the feed's, else its address.
    pub(crate) title: String,
    pub(crate) feed_title: Option<String>,
    pub(crate) url: String,
    pub(crate) site_url: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) category_id: i64,
    pub(crate) unread_count: u64,
    pub(crate) starred_count: u64,
    pub(crate) post_count: u64,
    /// Failures since the last success.
    pub(crate) error_count: u32,
    pub(crate) last_error: Option<String>,
    /// `active`, `paused`, `disabled`, `awaiting`, `rejected` or `gone`.
    pub(crate) state: &'static str,
    pub(crate) state_reason: Option<String>,
    /// When it was switched off after failures.
    pub(crate) disabled_at: Option<String>,
    /// Whether somebody switched it off.
    pub(crate) suspended: bool,
    /// Only this user sees it.
    pub(crate) private: bool,
    /// Whether it has a proxy or credentials of its own; these are never shown.
    pub(crate) has_access: bool,
    pub(crate) allow_duplicate_urls: bool,
    /// Whether its posts are shown among all.
    pub(crate) in_all: bool,
    /// `newest`, `oldest`, or null: as everywhere.
    pub(crate) sort: Option<&'static str>,
    /// `auto`, `always`, `never`, or null: as the feed's own rule says.
    pub(crate) full_text: Option<&'static str>,
    /// Whether its posts have summaries and calm titles: `off`, `local`, `model`, or null: as the instance does.
    pub(crate) ai: Option<&'static str>,
    /// The address of its icon here.
    pub(crate) icon: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) subscribed_at: String,
    /// Its place in the category.
    pub(crate) position: i64,
    /// When its newest post was published.
    pub(crate) last_post_at: Option<String>,
    pub(crate) posts_per_week: Option<f64>,
    /// The address it had before it moved for good.
    pub(crate) redirected_from: Option<String>,
    pub(crate) fetch_state: FetchStateBody,
}

/// How its visits go. Times are unix seconds; 0 is unknown.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FetchStateBody {
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) cache_control: Option<String>,
    pub(crate) expires_at: i64,
    pub(crate) retry_after_until: i64,
    pub(crate) last_checked_at: i64,
    pub(crate) next_check_at: i64,
    pub(crate) last_http_status: u16,
    pub(crate) last_success_at: i64,
    pub(crate) last_error_at: i64,
    pub(crate) last_error: Option<String>,
    pub(crate) consecutive_failures: u32,
    pub(crate) interval_seconds: i64,
    /// Why the next visit is when it is.
    pub(crate) reason: String,
}

pub(crate) fn state_word(state: &FeedState) -> (&'static str, Option<String>) {
    match state {
        FeedState::Active => ("active", None),
        FeedState::Paused => ("paused", None),
        FeedState::Disabled { reason } => ("disabled", Some(reason.clone())),
        FeedState::AwaitingModeration => ("awaiting", None),
        FeedState::Rejected { reason } => ("rejected", Some(reason.clone())),
        FeedState::Gone => ("gone", None),
        FeedState::Deleted => ("deleted", None),
    }
}

impl FeedBody {
    /// A feed, and how many of its posts the user has starred.
    fn of(feed: Followed, starred_count: u64) -> Self {
        let title = feed.title().to_owned();
        let (state, state_reason) = state_word(&feed.state);
        let fetch = feed.fetch;
        Self {
            id: feed.feed.0,
            uuid: feed.uuid.to_string(),
            title,
            feed_title: feed.feed_title,
            url: feed.url,
            site_url: feed.site_url,
            description: feed.description,
            language: feed.language,
            category_id: feed.category.0,
            unread_count: feed.unread,
            starred_count,
            post_count: feed.entries,
            error_count: fetch.failures,
            last_error: fetch.last_error.clone().filter(|_| fetch.failures > 0),
            state,
            state_reason,
            disabled_at: matches!(feed.state, FeedState::Disabled { .. }).then(|| moment(feed.state_since)),
            suspended: feed.state == FeedState::Paused,
            private: feed.owner.is_some(),
            has_access: feed.has_access,
            allow_duplicate_urls: feed.allow_duplicate_urls,
            in_all: feed.in_all,
            sort: feed.sort.map(|order| match order {
                model::reader::SortOrder::Newest => "newest",
                model::reader::SortOrder::Oldest => "oldest",
            }),
            full_text: feed.full_text.as_ref().map(FullText::as_str),
            ai: feed.ai.as_ref().map(Switch::as_str),
            icon: feed.icon.map(|hash| format!("/api/icons/{}", HEXLOWER.encode(&hash))),
            created_at: moment(feed.created_at),
            updated_at: moment(feed.updated_at),
            subscribed_at: moment(feed.since),
            position: feed.position,
            last_post_at: feed.last_post_at.map(moment),
            posts_per_week: posts_per_week(feed.gap),
            redirected_from: feed.moved_from,
            fetch_state: FetchStateBody {
                etag: fetch.etag,
                last_modified: fetch.last_modified,
                cache_control: fetch.cache_control,
                expires_at: unix(fetch.expires_at),
                retry_after_until: unix(fetch.retry_after),
                last_checked_at: unix(fetch.last_visit_at),
                next_check_at: unix(fetch.due_at),
                last_http_status: fetch.last_status.unwrap_or(0),
                last_success_at: unix(fetch.last_success_at),
                last_error_at: unix(fetch.last_error_at),
                last_error: fetch.last_error,
                consecutive_failures: fetch.failures,
                interval_seconds: fetch.interval.as_secs(),
                reason: fetch.reason,
            },
        }
    }
}

/// Bodies of feeds of a user.
pub(crate) async fn bodies(web: &Web, user: UserId, feeds: Vec<Followed>) -> Result<Vec<FeedBody>, ApiError> {
    let starred = web.store.starred_counts(user).await?;
    let of = |feed: Followed| {
        let count = starred.get(&feed.feed).copied().unwrap_or(0);
        FeedBody::of(feed, count)
    };
    Ok(feeds.into_iter().map(of).collect())
}
