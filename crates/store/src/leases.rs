//! Leases: claiming what is due, renewing, handing back, making due.
//!
//! A lease *is* the due time moved forward: expiry needs no reaper, the feed is simply due again. The token grows
//! with every claim and every end of a lease; whoever writes with an older one writes nothing.
//! Invariant: whatever writes `due_at` writes `decided_at`, the moment from which it was reckoned (`leaps.rs`).

use crate::StoreError;
use crate::codes;
use crate::db::batch::{Batch, Durable};
use crate::db::queue::Lane;
use crate::db::sql::{Dialect, Text, statements};
use crate::db::value::{Record, Value};
use crate::store::Store;
use jiff::Timestamp;
use model::feed::GuidTrust;
use model::lease::{Dossier, History, Lease, PendingMove, Quota, Sealed, VisitHints};
use model::raw::HeadersMark;
use model::visit::{Freshness, Validators};
use model::{FeedId, UserId, WorkerId};
use std::collections::HashSet;

/// What a worker is told of a feed, after its id, the token and until when it is leased.
macro_rules! dossier {
    () => {
        "s.slot_at, s.because = 'forced', s.rate_group, s.visits, s.readings, s.etag, s.last_modified, s.final_url, s.cache_control, s.expires_at,
         s.retry_after_at, s.last_visit_at, s.last_success_at, s.last_status, s.last_error_at, s.last_error, s.failures,
         s.interval_us, s.new_entries, s.ewma_us, s.body_hash, s.busy, s.ttl_minutes, s.skip_hours, s.skip_days, s.rhythm,
         s.outcomes, s.gone_since, s.move_to, s.move_answers, s.move_since, s.quota_day, s.quota_used, s.quota_edits,
         s.last_arrival_at, s.headers_at, s.headers_mark, f.uuid, f.url, f.owner_id, f.kind, f.title, f.site_url, f.description, f.language,
         f.root_domain, f.domain_rule, f.polling, f.state, f.state_reason, f.guid_collisions, f.guid_unreliable,
         f.allow_duplicate_urls, f.user_agent, f.access, f.rules,
         (SELECT count(*) FROM subscriptions WHERE feed_id = s.feed_id)"
    };
}

statements! {
    /// Leases up to $4 feeds that are due at $3 to worker $1 until $2, and tells of them.
    CLAIM(Text, Int, Int, Int) = Text::Two {
        sqlite: "UPDATE schedule SET due_at = $2, token = token + 1, worker = $1, going_at = NULL, decided_at = $3
                 WHERE feed_id IN (SELECT feed_id FROM schedule WHERE runnable AND due_at IS NOT NULL AND due_at <= $3
                                   ORDER BY due_at, feed_id LIMIT $4)",
        postgres: concat!(
            "WITH due AS MATERIALIZED (
                 SELECT feed_id FROM schedule WHERE runnable AND due_at IS NOT NULL AND due_at <= $3
                 ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)
             UPDATE schedule s SET due_at = $2, token = s.token + 1, worker = $1, going_at = NULL, decided_at = $3
             FROM due JOIN feeds f ON f.id = due.feed_id
             WHERE s.feed_id = due.feed_id
             RETURNING s.feed_id, s.token, s.due_at, ", dossier!()),
    };
    /// Tells what [`CLAIM`] takes next in the same transaction (SQLite, whose RETURNING sees nothing but the updated table).
    DUE(Int, Int, Int) = Text::One(concat!(
        "SELECT s.feed_id, s.token + 1, $1, ", dossier!(), "
         FROM schedule s JOIN feeds f ON f.id = s.feed_id
         WHERE s.runnable AND s.due_at IS NOT NULL AND s.due_at <= $2 ORDER BY s.due_at, s.feed_id LIMIT $3"));
    /// A feed as its worker would get it, without taking it.
    PEEK(Int) = Text::One(concat!(
        "SELECT s.feed_id, s.token, s.due_at, ", dossier!(), "
         FROM schedule s JOIN feeds f ON f.id = s.feed_id WHERE s.feed_id = $1"));
    /// Renews a lease at $5; one that is just being committed is locked, and needs no renewal.
    RENEW(Int, Int, Text, Int, Int) = Text::Two {
        sqlite: "UPDATE schedule SET due_at = $4, decided_at = $5
                 WHERE feed_id = $1 AND token = $2 AND worker = $3 RETURNING feed_id",
        postgres: "UPDATE schedule SET due_at = $4, decided_at = $5
                   WHERE feed_id = (SELECT feed_id FROM schedule WHERE feed_id = $1 AND token = $2 AND worker = $3
                                    FOR UPDATE SKIP LOCKED)
                   RETURNING feed_id",
    };
    HELD(Int, Int) = Text::Rows("SELECT feed_id FROM schedule WHERE feed_id = $1 AND token = $2");
    /// Ends a lease without a visit; the feed is due at $3, with slot $4 if it keeps one.
    HAND_BACK(Int, Int, Int, Int) = Text::Rows(
        "UPDATE schedule SET due_at = $3, slot_at = $4, going_at = NULL, worker = NULL, token = token + 1, decided_at = $3
         WHERE feed_id = $1 AND token = $2");
    /// Ends every lease there is: the feeds are due at $1.
    RECLAIM(Int) = Text::One(
        "UPDATE schedule SET due_at = $1, slot_at = NULL, going_at = NULL, going_group = NULL, worker = NULL,
                token = token + 1, decided_at = $1
         WHERE worker IS NOT NULL");
}

fn lease(row: &mut Record) -> Result<Lease, StoreError> {
    let (feed, token) = (FeedId(row.next()?), row.next()?);
    // A feed that is looked at, not leased, may never be due.
    let until = row.next::<Option<Timestamp>>()?.unwrap_or(Timestamp::UNIX_EPOCH);
    let (slot, forced) = (row.next()?, row.next()?);
    let rate_group = row.next()?;
    let history = History {
        visits: row.next()?,
        readings: row.next()?,
        validators: Validators { etag: row.next()?, last_modified: row.next()? },
        final_url: row.next()?,
        freshness: Freshness { cache_control: row.next()?, expires_at: row.next()?, retry_after: row.next()? },
        last_visit_at: row.next()?,
        last_success_at: row.next()?,
        last_status: row.next()?,
        last_error_at: row.next()?,
        last_error: row.next()?,
        failures: row.next()?,
        interval: row.next()?,
        new_entries: row.next()?,
        ewma: row.next()?,
        body_hash: row.next()?,
        busy: row.next()?,
        hints: VisitHints { ttl_minutes: row.next()?, skip_hours: row.next()?, skip_days: row.next()? },
        rhythm: row.next()?,
        outcomes: row.next::<i64>()? as u64,
        gone_since: row.next()?,
        pending_move: pending_move(row)?,
        quota: Quota { day: row.next()?, used: row.next()?, edits: row.next()? },
        last_arrival_at: row.next()?,
        headers: headers_mark(row)?,
    };
    let dossier = Dossier {
        uuid: row.next()?,
        url: row.next()?,
        rate_group,
        owner: row.next::<Option<i64>>()?.map(UserId),
        kind: row.next()?,
        title: row.next()?,
        site_url: row.next()?,
        description: row.next()?,
        language: row.next()?,
        root_domain: row.next()?,
        domain_rule: row.next()?,
        polling: row.next()?,
        state: codes::state(&row.next::<String>()?, row.next()?)?,
        guids: GuidTrust { collisions: row.next()?, unreliable: row.next()? },
        allow_duplicate_urls: row.next()?,
        user_agent: row.next()?,
        access: row.next::<Option<Vec<u8>>>()?.map(Sealed),
        rules: codes::rules(row.next()?)?,
        subscribers: row.next()?,
        history,
    };
    Ok(Lease { feed, token, until, slot, forced, dossier })
}

fn pending_move(row: &mut Record) -> Result<Option<PendingMove>, StoreError> {
    let (to, answers, since): (Option<String>, u32, Option<Timestamp>) = (row.next()?, row.next()?, row.next()?);
    Ok(to.zip(since).map(|(to, since)| PendingMove { to, answers, since }))
}

fn headers_mark(row: &mut Record) -> Result<Option<HeadersMark>, StoreError> {
    let (at, mark): (Option<Timestamp>, Option<i64>) = (row.next()?, row.next()?);
    Ok(at.zip(mark).map(|(at, mark)| HeadersMark { at, mark }))
}

impl Store {
    /// Leases up to `limit` due feeds to a worker until a moment, longest due first.
    pub async fn claim_due(
        &self,
        worker: &WorkerId,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Lease>, StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        if self.dialect() == Dialect::Sqlite {
            batch.step(&DUE, vec![vec![until.into(), now.into(), limit.into()]]);
        }
        batch.step(&CLAIM, vec![vec![worker.0.as_str().into(), until.into(), now.into(), limit.into()]]);
        self.write_in(Lane::Leases, batch).await?[0].records.iter_mut().map(lease).collect()
    }

    /// What a worker would be told about a feed, which is not leased by this: only `rewrite` takes it, and only as long
    /// as nobody has been there since.
    pub async fn peek(&self, feed: FeedId) -> Result<Lease, StoreError> {
        let found = self.read_first(&PEEK, vec![feed.0.into()], lease).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "feed", name: feed.to_string() })
    }

    /// Moves a worker's leases forward; gives back those that are no longer its own.
    pub async fn renew(
        &self,
        worker: &WorkerId,
        leases: &[(FeedId, i64)],
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Vec<FeedId>, StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        let row = |(feed, token): &(FeedId, i64)| -> Vec<Value> {
            vec![feed.0.into(), (*token).into(), worker.0.as_str().into(), until.into(), now.into()]
        };
        batch.step(&RENEW, leases.iter().map(row).collect());
        let mut renewed = HashSet::new();
        for mut row in self.write_in(Lane::Leases, batch).await?.into_iter().flat_map(|step| step.records) {
            renewed.insert(FeedId(row.next()?));
        }
        // Not renewed because it was locked by its own commit, or because it is gone: ask.
        let doubtful: Vec<_> = leases.iter().copied().filter(|(feed, _)| !renewed.contains(feed)).collect();
        let held = self.held(doubtful.iter().copied()).await?;
        Ok(doubtful.into_iter().map(|(feed, _)| feed).filter(|feed| !held.contains(feed)).collect())
    }

    /// Which of these leases nobody has ended or taken since.
    pub(crate) async fn held(
        &self,
        leases: impl Iterator<Item = (FeedId, i64)>,
    ) -> Result<HashSet<FeedId>, StoreError> {
        let rows = leases.map(|(feed, token)| vec![feed.0.into(), token.into()]).collect();
        Ok(self.read_each(&HELD, rows, |row| row.next().map(FeedId)).await?.into_iter().collect())
    }

    /// Ends leases of visits that may have begun: each feed is due again at the moment given, at once after a stop.
    pub async fn hand_back(&self, leases: &[(FeedId, i64)], due_at: Timestamp) -> Result<(), StoreError> {
        self.end_leases(leases.iter().map(|(feed, token)| (*feed, *token, None)), due_at).await
    }

    /// Ends leases of visits that were not begun: each feed is due again at the moment given, and keeps the slot it has
    /// (who reserves again each time starves its host).
    pub async fn put_back(&self, leases: &[Lease], due_at: Timestamp) -> Result<(), StoreError> {
        self.end_leases(leases.iter().map(|lease| (lease.feed, lease.token, lease.slot)), due_at).await
    }

    async fn end_leases(
        &self,
        leases: impl Iterator<Item = (FeedId, i64, Option<Timestamp>)>,
        due_at: Timestamp,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::lasting(Durable::Soon);
        let row = |(feed, token, slot): (FeedId, i64, Option<Timestamp>)| {
            vec![feed.0.into(), token.into(), due_at.into(), slot.into()]
        };
        batch.step(&HAND_BACK, leases.map(row).collect());
        self.write_in(Lane::Leases, batch).await.map(|_| ())
    }

    /// Ends all leases, whoever holds them, and makes their feeds due; says how many. For whoever knows that no other
    /// worker runs: what is left then was held by a process that was killed, and would be waited for in vain.
    pub async fn reclaim(&self, due_at: Timestamp) -> Result<u64, StoreError> {
        self.write_counted(&RECLAIM, vec![due_at.into()]).await
    }
}
