//! The feeds in which a search looks: those that the user follows, with what is known of each without looking at entries.

use super::{Conditions, sift};
use crate::StoreError;
use crate::db::sql::{Text, both, statements};
use crate::db::value::Record;
use crate::search::Hit;
use crate::store::Store;
use crate::viewer::may_see;
use model::{FeedId, UserId};
use std::collections::{HashMap, HashSet};

/// The marks `m` that mute. Without being told, SQLite looks for them among all marks of a feed.
macro_rules! muting_marks {
    (sqlite) => {
        "marks m INDEXED BY marks_muted"
    };
    (postgres) => {
        "marks m"
    };
}

macro_rules! scope {
    ($dialect:ident) => {
        concat!(
            "SELECT s.feed_id, s.watermark, s.unread + c.arrivals - s.seen_arrivals, c.entries,
                (SELECT count(*) FROM ",
            muting_marks!($dialect),
            " WHERE m.user_id = $1 AND m.feed_id = s.feed_id AND m.muted)
         FROM subscriptions s JOIN feeds f ON f.id = s.feed_id JOIN schedule c ON c.feed_id = s.feed_id
         WHERE s.user_id = $1 AND s.hidden_at IS NULL AND f.state <> 'deleted' AND ",
            may_see!("$1")
        )
    };
}

statements! {
    SCOPE(Int) = both!(scope);
}

/// What is known of a feed that the user follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Figures {
    pub(super) watermark: i64,
    pub(super) unread: u64,
    pub(super) entries: u64,
    pub(super) muted: u64,
}

/// The feeds of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scope(pub(super) HashMap<i64, Figures>);

impl Scope {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn feeds(&self) -> Vec<i64> {
        self.0.keys().copied().collect()
    }

    /// If there is no other.
    pub(super) fn only_feed(&self) -> Option<FeedId> {
        self.0.keys().next().filter(|_| self.0.len() == 1).map(|feed| FeedId(*feed))
    }

    pub(super) fn with_unread(&self) -> Vec<i64> {
        self.0.iter().filter(|(_, feed)| feed.unread > 0).map(|(feed, _)| *feed).collect()
    }

    pub(super) fn unread(&self) -> u64 {
        self.0.values().map(|feed| feed.unread).sum()
    }

    /// How many entries there are in all: unread ones, read ones, or both. Muted ones are in no list.
    pub(super) fn count(&self, unread: Option<bool>) -> u64 {
        let shown: u64 = self.0.values().map(|feed| feed.entries.saturating_sub(feed.muted)).sum();
        match unread {
            None => shown,
            Some(true) => self.unread(),
            Some(false) => shown.saturating_sub(self.unread()),
        }
    }

    /// Whether a hit may be found, as far as the feed and the date decide it.
    pub(super) fn may_find(&self, hit: &Hit, conditions: &Conditions) -> bool {
        let (since, before) = conditions.between();
        let Some(feed) = self.0.get(&hit.feed) else { return false };
        hit.sort_at >= since && hit.sort_at < before && (conditions.unread != Some(true) || feed.unread > 0)
    }

    /// Whether the user's mark on a hit could decide whether it is found.
    pub(super) fn needs_mark(&self, hit: &Hit, conditions: &Conditions) -> bool {
        conditions.unread.is_some() || self.0.get(&hit.feed).is_some_and(|feed| feed.muted > 0)
    }

    /// Whether a hit is unread.
    pub(super) fn is_unread(&self, hit: &Hit, mark: Option<sift::Marked>) -> bool {
        let watermark = self.0.get(&hit.feed).map_or(i64::MAX, |feed| feed.watermark);
        sift::is_unread(hit, watermark, mark)
    }
}

impl Store {
    /// The feeds that a user follows, or those of them that are named.
    pub(super) async fn search_scope(&self, user: UserId, named: Option<&[FeedId]>) -> Result<Scope, StoreError> {
        let named: Option<HashSet<i64>> = named.map(|feeds| feeds.iter().map(|feed| feed.0).collect());
        let number = |row: &mut Record| row.next::<i64>().map(|number| number.max(0).cast_unsigned());
        let figures = |row: &mut Record| {
            let feed: i64 = row.next()?;
            let watermark = row.next()?;
            Ok((feed, Figures { watermark, unread: number(row)?, entries: number(row)?, muted: number(row)? }))
        };
        let all = self.read_all(&SCOPE, vec![user.0.into()], figures).await?;
        let is_named = |feed: &i64| named.as_ref().is_none_or(|named| named.contains(feed));
        Ok(Scope(all.into_iter().filter(|(feed, _)| is_named(feed)).collect()))
    }
}
