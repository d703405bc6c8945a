//! What an operator changes about feeds: switches, root domains, visits on demand; and what is asked of all feeds that
//! are visited: their rhythms, and which still wait.

use crate::StoreError;
use crate::batch::{Batch, Refused};
use crate::commit::ARRIVE;
use crate::outbox::{self, About, Draft};
use crate::queue::Lane;
use crate::sql::{Text, statements};
use crate::store::Store;
use crate::value::Record;
use crate::{feeds, leases};
use jiff::Timestamp;
use model::event::EventKind;
use model::feed::{DomainRule, FeedState};
use model::lease::Sealed;
use model::schedule::Because;
use model::{FeedId, UserId};

macro_rules! may_be_due {
    ($now:literal, $because:literal) => {
        concat!(
            "runnable AND worker IS NULL AND (",
            $because,
            " = 'forced' OR retry_after_at IS NULL OR retry_after_at <= ",
            $now,
            ") AND feed_id IN (SELECT id FROM feeds WHERE state = 'active')"
        )
    };
}

statements! {
    SET_POLLING(Int, Bool, Int) = Text::One("UPDATE feeds SET polling = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_ROOT_DOMAIN(Int, Text, Int) = Text::One(
        "UPDATE feeds SET root_domain = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_DOMAIN_RULE(Int, Text, Int) = Text::One(
        "UPDATE feeds SET domain_rule = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_DUPLICATE_URLS(Int, Bool, Int) = Text::One(
        "UPDATE feeds SET allow_duplicate_urls = $2, updated_at = $3 WHERE id = $1 RETURNING id");
    SET_ACCESS(Int, Text, Bytes, Int) = Text::One(
        "UPDATE feeds SET user_agent = $2, access = $3, updated_at = $4 WHERE id = $1 RETURNING id");
    /// Another feed of the same owner that is there already keeps the address.
    SET_URL(Int, Text, Int) = Text::One(
        "UPDATE feeds SET url = $2, updated_at = $3
         WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM feeds other WHERE other.url = $2 AND other.id <> $1
                                       AND coalesce(other.owner_id, 0) = coalesce(feeds.owner_id, 0))
         RETURNING id");
    /// What the old address said of its document is not true of the new one.
    FORGET_DOCUMENT(Int) = Text::One(
        "UPDATE schedule SET etag = NULL, last_modified = NULL, final_url = NULL, body_hash = NULL, move_to = NULL,
                move_answers = 0, move_since = NULL
         WHERE feed_id = $1");
    SET_OWNER(Int, Int, Int) = Text::One(
        "UPDATE feeds SET owner_id = $2, updated_at = $3
         WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM feeds other WHERE other.url = feeds.url AND other.id <> $1
                                       AND coalesce(other.owner_id, 0) = coalesce($2, 0))
         RETURNING id");
    ROOT_DOMAINS() = Text::One(
        "SELECT root_domain, count(*) FROM feeds WHERE root_domain IS NOT NULL AND state <> 'deleted'
         GROUP BY root_domain ORDER BY root_domain");
    /// The fence of whoever brings feed $1 back: it is still at $2.
    STILL_AT(Int, Text, Int) = Text::One("UPDATE feeds SET updated_at = $3 WHERE id = $1 AND url = $2");
    /// A feed that is taken up again begins with a clean slate.
    CLEAN_SLATE(Int) = Text::One(
        "UPDATE schedule SET failures = 0, busy = 0, outcomes = 0, gone_since = NULL, last_error = NULL,
                last_error_at = NULL
         WHERE feed_id = $1");
    /// How many feeds [`MAKE_ALL_DUE`] makes due next in the same transaction: returning each of them would cost as much as
    /// the rest of it.
    MAY_BE_DUE(Int, Text) = Text::One(concat!("SELECT count(*) FROM schedule WHERE ", may_be_due!("$1", "$2")));
    /// Makes all feeds due that are visited at all, ending no lease; those that were asked to wait only if forced.
    MAKE_ALL_DUE(Int, Text, Text) = Text::One(concat!(
        "UPDATE schedule SET due_at = $1, because = $2, reason = $3, decided_at = $1 WHERE ", may_be_due!("$1", "$2")));
    /// The rhythms of the feeds that are visited.
    RHYTHMS(Int, Int) = Text::One(
        "SELECT feed_id, rhythm FROM schedule WHERE feed_id > $1 AND runnable AND due_at IS NOT NULL
         ORDER BY feed_id LIMIT $2");
    DUE_FEEDS(Int) = Text::One("SELECT feed_id FROM schedule WHERE runnable AND due_at IS NOT NULL AND due_at <= $1");
    /// Feed $1, if it was not visited since $2 and is due by $3.
    WAITING(Int, Int, Int) = Text::Rows(
        "SELECT feed_id FROM schedule
         WHERE feed_id = $1 AND runnable AND due_at <= $3 AND coalesce(last_visit_at, 0) < $2");
}

impl Store {
    /// Whether a success is followed by another visit.
    pub async fn set_polling(&self, feed: FeedId, polling: bool, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_POLLING, vec![feed.0.into(), polling.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// Which site a feed belongs to, by an operator's word.
    pub async fn set_root_domain(&self, feed: FeedId, domain: Option<&str>, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_ROOT_DOMAIN, vec![feed.0.into(), domain.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// Which links of a feed's entries are taken.
    pub async fn set_domain_rule(&self, feed: FeedId, rule: DomainRule, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_DOMAIN_RULE, vec![feed.0.into(), rule.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// Whether several entries of a feed may share one link.
    pub async fn set_duplicate_urls(&self, feed: FeedId, allowed: bool, now: Timestamp) -> Result<(), StoreError> {
        let found = self.write_one(&SET_DUPLICATE_URLS, vec![feed.0.into(), allowed.into(), now.into()]).await?;
        found_or(found.len(), feed)
    }

    /// How a feed is reached: what we call ourselves, and what is sealed.
    pub async fn set_access(
        &self,
        feed: FeedId,
        user_agent: Option<&str>,
        access: Option<Sealed>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let row = vec![feed.0.into(), user_agent.into(), access.map(|sealed| sealed.0).into(), now.into()];
        found_or(self.write_one(&SET_ACCESS, row).await?.len(), feed)
    }

    /// Gives a feed another address, and makes it due there. `false` if another feed has that address.
    pub async fn set_url(&self, feed: FeedId, url: &str, now: Timestamp) -> Result<bool, StoreError> {
        if self.write_one(&SET_URL, vec![feed.0.into(), url.into(), now.into()]).await?.is_empty() {
            return Ok(false);
        }
        let mut batch = Batch::one(&FORGET_DOCUMENT, vec![feed.0.into()]);
        batch.step(&CLEAN_SLATE, vec![vec![feed.0.into()]]);
        leases::make_due(&mut batch, feed, Some(now), Because::Manual, "its address was changed", now);
        self.write(batch).await?;
        Ok(true)
    }

    /// Makes a feed somebody's own, or everybody's. `false` if there is such a feed at its address already.
    pub async fn set_owner(&self, feed: FeedId, owner: Option<UserId>, now: Timestamp) -> Result<bool, StoreError> {
        let row = vec![feed.0.into(), owner.map(|id| id.0).into(), now.into()];
        Ok(!self.write_one(&SET_OWNER, row).await?.is_empty())
    }

    /// All root domains, with the number of their feeds.
    pub async fn root_domains(&self) -> Result<Vec<(String, i64)>, StoreError> {
        self.read_all(&ROOT_DOMAINS, vec![], |row| Ok((row.next()?, row.next()?))).await
    }

    /// Takes up a feed again, forgetting its failures; due at a moment, or as it was.
    pub async fn enable_feed(&self, feed: FeedId, due_at: Option<Timestamp>, now: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        feeds::set_state(&mut batch, feed, &FeedState::Active, now);
        batch.step(&CLEAN_SLATE, vec![vec![feed.0.into()]]);
        if due_at.is_some() {
            leases::make_due(&mut batch, feed, due_at, Because::Manual, "because it was enabled again", now);
        }
        self.write(batch).await.map(|_| ())
    }

    /// Takes up a feed that had been deleted, as somebody now wants it; false if its removal has begun.
    pub(crate) async fn take_up_again(
        &self,
        feed: FeedId,
        url: &str,
        state: &FeedState,
        due_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(&STILL_AT, vec![feed.0.into(), url.into(), now.into()]);
        feeds::set_state(&mut batch, feed, state, now);
        batch.step(&CLEAN_SLATE, vec![vec![feed.0.into()]]);
        leases::make_due(&mut batch, feed, due_at, Because::Added, "because it was added again", now);
        let added = Draft { kind: EventKind::FeedAdded, entry: About::Feed, detail: Some(url.to_owned()) };
        batch.arrive(&ARRIVE, 0, 1);
        outbox::insert(&mut batch, feed, now, vec![added]);
        match self.submit(Lane::Interactive, batch).await {
            Ok(_) => Ok(true),
            Err(Refused::Stale) => Ok(false),
            Err(Refused::Failed(error)) => Err(error),
        }
    }

    /// Makes every feed due that is visited at all; says how many.
    pub async fn make_all_due(&self, now: Timestamp, because: Because, reason: &str) -> Result<usize, StoreError> {
        let mut batch = Batch::default();
        batch.step(&MAY_BE_DUE, vec![vec![now.into(), because.as_str().into()]]);
        batch.step(&MAKE_ALL_DUE, vec![vec![now.into(), because.as_str().into(), reason.into()]]);
        let count = self.write(batch).await?[0].first_mut().map_or(Ok(0), Record::next::<i64>)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// The feeds that are due.
    pub async fn due_feeds(&self, now: Timestamp) -> Result<Vec<FeedId>, StoreError> {
        self.read_all(&DUE_FEEDS, vec![now.into()], |row| row.next().map(FeedId)).await
    }

    /// Which of these feeds were not visited since a moment and are due by another, whoever is going to visit them.
    pub async fn waiting(
        &self,
        feeds: impl IntoIterator<Item = FeedId>,
        since: Timestamp,
        due_by: Timestamp,
    ) -> Result<Vec<FeedId>, StoreError> {
        let rows = feeds.into_iter().map(|feed| vec![feed.0.into(), since.into(), due_by.into()]).collect();
        self.read_each(&WAITING, rows, |row| row.next().map(FeedId)).await
    }

    /// When feeds publish, for those that are visited, after an id.
    pub async fn rhythms(&self, after: FeedId, limit: u32) -> Result<Vec<(FeedId, Option<Vec<u8>>)>, StoreError> {
        let row = vec![after.0.into(), limit.into()];
        self.read_all(&RHYTHMS, row, |row| Ok((FeedId(row.next()?), row.next()?))).await
    }
}

fn found_or(found: usize, feed: FeedId) -> Result<(), StoreError> {
    if found == 0 { Err(StoreError::NotFound { what: "feed", name: feed.to_string() }) } else { Ok(()) }
}
