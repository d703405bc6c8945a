//! Sums of visits by the hour (docs/notes/rollups.md): processes add to them, the operator's room reads them.
//!
//! Invariant: a flush is numbered and fenced, so that what is sent twice counts once; rows are sorted by key, so that two
//! processes do not wait for each other in a circle.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::queue::Lane;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::store::Store;
use crate::viewer::may_see;
use jiff::{SignedDuration, Timestamp};
use model::rollup::{HostSum, LATENCY_CLASSES, Latencies, Rollup, VisitSums};
use model::{FeedId, Viewer, WorkerId};

statements! {
    /// The fence: flush $2 of process $1 was not written before.
    FLUSH(Text, Int, Int) = Text::One(
        "INSERT INTO rollup_flushes (worker, number, at) VALUES ($1, $2, $3)
         ON CONFLICT (worker) DO UPDATE SET number = excluded.number, at = excluded.at
         WHERE rollup_flushes.number < excluded.number");
    ADD_HOUR(Int, Int, Int, Int, Int, Int, Int, Int, Int, Int) = Text::Rows(
        "INSERT INTO visit_hours (hour, success, not_modified, error, new_entries, changed_entries, bytes, bytes_saved,
                                  interval_s, took_us)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (hour) DO UPDATE SET
             success = visit_hours.success + excluded.success,
             not_modified = visit_hours.not_modified + excluded.not_modified,
             error = visit_hours.error + excluded.error,
             new_entries = visit_hours.new_entries + excluded.new_entries,
             changed_entries = visit_hours.changed_entries + excluded.changed_entries,
             bytes = visit_hours.bytes + excluded.bytes,
             bytes_saved = visit_hours.bytes_saved + excluded.bytes_saved,
             interval_s = visit_hours.interval_s + excluded.interval_s,
             took_us = visit_hours.took_us + excluded.took_us");
    ADD_LATENCY(Int, Int, Int) = Text::Rows(
        "INSERT INTO visit_hour_latencies (hour, class, visits) VALUES ($1, $2, $3)
         ON CONFLICT (hour, class) DO UPDATE SET visits = visit_hour_latencies.visits + excluded.visits");
    ADD_ERROR(Int, Text, Int, Int, Int) = Text::Rows(
        "INSERT INTO visit_hour_errors (hour, code, visits, first_at, last_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (hour, code) DO UPDATE SET
             visits = visit_hour_errors.visits + excluded.visits,
             first_at = CASE WHEN excluded.first_at < visit_hour_errors.first_at THEN excluded.first_at
                             ELSE visit_hour_errors.first_at END,
             last_at = greatest(visit_hour_errors.last_at, excluded.last_at)");
    ADD_HOST(Int, Text, Int, Int, Int, Int, Int, Int) = Text::Rows(
        "INSERT INTO visit_hour_hosts (hour, host, visits, errors, busy, bytes, first_error_at, last_error_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (hour, host) DO UPDATE SET
             visits = visit_hour_hosts.visits + excluded.visits,
             errors = visit_hour_hosts.errors + excluded.errors,
             busy = visit_hour_hosts.busy + excluded.busy,
             bytes = visit_hour_hosts.bytes + excluded.bytes,
             first_error_at = CASE WHEN excluded.first_error_at < visit_hour_hosts.first_error_at
                                   THEN excluded.first_error_at
                                   ELSE coalesce(visit_hour_hosts.first_error_at, excluded.first_error_at) END,
             last_error_at = CASE WHEN excluded.last_error_at > visit_hour_hosts.last_error_at
                                  THEN excluded.last_error_at
                                  ELSE coalesce(visit_hour_hosts.last_error_at, excluded.last_error_at) END");
    ADD_FEED(Int, Int, Int, Int) = Text::Rows(
        "INSERT INTO visit_hour_feeds (hour, feed_id, new_entries, errors) VALUES ($1, $2, $3, $4)
         ON CONFLICT (hour, feed_id) DO UPDATE SET
             new_entries = visit_hour_feeds.new_entries + excluded.new_entries,
             errors = visit_hour_feeds.errors + excluded.errors");
    /// Hours from $1 up to $2, in buckets of $3.
    BUCKETS(Int, Int, Int) = Text::One(
        "SELECT (hour - $1) / $3, CAST(sum(success) AS BIGINT), CAST(sum(not_modified) AS BIGINT),
                CAST(sum(error) AS BIGINT), CAST(sum(new_entries) AS BIGINT), CAST(sum(changed_entries) AS BIGINT),
                CAST(sum(bytes) AS BIGINT), CAST(sum(bytes_saved) AS BIGINT), CAST(sum(interval_s) AS BIGINT),
                CAST(sum(took_us) AS BIGINT)
         FROM visit_hours WHERE hour >= $1 AND hour < $2 GROUP BY 1 ORDER BY 1");
    LATENCIES(Int, Int) = Text::One(
        "SELECT class, CAST(sum(visits) AS BIGINT) FROM visit_hour_latencies
         WHERE hour >= $1 AND hour < $2 GROUP BY class");
    ERRORS(Int, Int, Int) = Text::One(
        "SELECT code, CAST(sum(visits) AS BIGINT), min(first_at), max(last_at) FROM visit_hour_errors
         WHERE hour >= $1 AND hour < $2 GROUP BY code ORDER BY 2 DESC, code LIMIT $3");
    HOSTS_BY_ERRORS(Int, Int, Int) = Text::One(
        "SELECT host, CAST(sum(visits) AS BIGINT), CAST(sum(errors) AS BIGINT), CAST(sum(busy) AS BIGINT),
                CAST(sum(bytes) AS BIGINT), max(visits), min(first_error_at), max(last_error_at)
         FROM visit_hour_hosts WHERE hour >= $1 AND hour < $2 AND errors > 0 GROUP BY host
         ORDER BY 3 DESC, host LIMIT $3");
    HOSTS_BY_VISITS(Int, Int, Int) = Text::One(
        "SELECT host, CAST(sum(visits) AS BIGINT), CAST(sum(errors) AS BIGINT), CAST(sum(busy) AS BIGINT),
                CAST(sum(bytes) AS BIGINT), max(visits), min(first_error_at), max(last_error_at)
         FROM visit_hour_hosts WHERE hour >= $1 AND hour < $2 GROUP BY host ORDER BY 2 DESC, host LIMIT $3");
    BUSY(Int, Int) = Text::One(
        "SELECT CAST(coalesce(sum(busy), 0) AS BIGINT) FROM visit_hour_hosts WHERE hour >= $1 AND hour < $2");
    /// The feeds that brought most.
    FEEDS(Int, Int, Int, Int) = Text::One(concat!(
        "SELECT f.id, f.title, f.url, t.new_entries
         FROM (SELECT feed_id, CAST(sum(new_entries) AS BIGINT) AS new_entries FROM visit_hour_feeds
               WHERE hour >= $1 AND hour < $2 AND new_entries > 0 GROUP BY feed_id) AS t
         JOIN feeds f ON f.id = t.feed_id
         WHERE f.state <> 'deleted' AND ", may_see!("$4"), " ORDER BY t.new_entries DESC, f.id LIMIT $3"));
    FIRST_HOUR() = Text::One("SELECT min(hour) FROM visit_hours");
    FORGET_HOURS(Int) = Text::One("DELETE FROM visit_hours WHERE hour < $1");
    FORGET_LATENCIES(Int) = Text::One("DELETE FROM visit_hour_latencies WHERE hour < $1");
    FORGET_ERRORS(Int) = Text::One("DELETE FROM visit_hour_errors WHERE hour < $1");
    FORGET_HOSTS(Int) = Text::One("DELETE FROM visit_hour_hosts WHERE hour < $1");
    FORGET_FEEDS(Int) = Text::One("DELETE FROM visit_hour_feeds WHERE hour < $1");
    FORGET_FLUSHES(Int) = Text::One("DELETE FROM rollup_flushes WHERE at < $1");
}

/// A span of hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hours {
    /// The first.
    pub from: Timestamp,
    /// The first that is no longer part of it.
    pub to: Timestamp,
}

/// Failures of one kind in a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorFigure {
    /// A status or a word.
    pub code: String,
    /// How many.
    pub visits: u64,
    /// The first.
    pub first_at: Timestamp,
    /// The last.
    pub last_at: Timestamp,
}

/// The visits to a host in a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFigure {
    /// Its name; empty for those that are not named.
    pub host: String,
    /// The sums.
    pub sum: HostSum,
    /// Visits in the hour that had most.
    pub most_per_hour: u64,
}

/// A feed and what it brought in a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedFigure {
    /// The feed.
    pub feed: FeedId,
    /// What it calls itself.
    pub title: Option<String>,
    /// Where it is.
    pub url: String,
    /// Entries not seen before.
    pub new_entries: u64,
}

/// By what hosts are sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HostOrder {
    /// Those with most failures; others are left out.
    #[default]
    Errors,
    /// Those with most visits.
    Visits,
}

fn sums(row: &mut Record) -> Result<VisitSums, StoreError> {
    Ok(VisitSums {
        success: row.next()?,
        not_modified: row.next()?,
        error: row.next()?,
        new_entries: row.next()?,
        changed_entries: row.next()?,
        bytes: row.next()?,
        bytes_saved: row.next()?,
        interval_s: row.next()?,
        took_us: row.next()?,
    })
}

fn host_figure(row: &mut Record) -> Result<HostFigure, StoreError> {
    let (host, visits, errors, busy, bytes) = (row.next()?, row.next()?, row.next()?, row.next()?, row.next()?);
    let most_per_hour = row.next()?;
    let (first, last): (Option<Timestamp>, Option<Timestamp>) = (row.next()?, row.next()?);
    Ok(HostFigure { host, sum: HostSum { visits, errors, busy, bytes, failed: first.zip(last) }, most_per_hour })
}

impl Hours {
    fn row(self) -> Vec<Value> {
        vec![self.from.into(), self.to.into()]
    }
}

impl Store {
    /// Adds sums of visits to what is there, once: a flush that was written before is left out.
    pub async fn add_rollup(
        &self,
        worker: &WorkerId,
        number: i64,
        rollup: &Rollup,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (mut hours, mut latencies, mut errors, mut hosts, mut feeds) = (vec![], vec![], vec![], vec![], vec![]);
        for (hour, sums) in rollup {
            let all = &sums.all;
            hours.push(vec![
                (*hour).into(),
                all.success.into(),
                all.not_modified.into(),
                all.error.into(),
                all.new_entries.into(),
                all.changed_entries.into(),
                all.bytes.into(),
                all.bytes_saved.into(),
                all.interval_s.into(),
                all.took_us.into(),
            ]);
            let taken = sums.latencies.iter().enumerate().filter(|(_, visits)| **visits > 0);
            latencies
                .extend(taken.map(|(class, visits)| vec![(*hour).into(), (class as i64).into(), (*visits).into()]));
            errors.extend(sums.errors.iter().map(|(code, sum)| -> Vec<Value> {
                let (first, last) = (sum.first_at, sum.last_at);
                vec![(*hour).into(), code.as_str().into(), sum.visits.into(), first.into(), last.into()]
            }));
            hosts.extend(sums.hosts.iter().map(|(host, sum)| -> Vec<Value> {
                let (first, last) = sum.failed.unzip();
                let counts: [Value; 4] = [sum.visits.into(), sum.errors.into(), sum.busy.into(), sum.bytes.into()];
                let mut row: Vec<Value> = vec![(*hour).into(), host.as_str().into()];
                row.extend(counts);
                row.extend([first.into(), last.into()]);
                row
            }));
            feeds.extend(sums.feeds.iter().map(|(feed, sum)| -> Vec<Value> {
                vec![(*hour).into(), feed.0.into(), sum.new_entries.into(), sum.errors.into()]
            }));
        }
        let mut batch = Batch::default();
        batch.fence(&FLUSH, vec![worker.0.as_str().into(), number.into(), now.into()]);
        batch.step(&ADD_HOUR, hours);
        batch.step(&ADD_LATENCY, latencies);
        batch.step(&ADD_ERROR, errors);
        batch.step(&ADD_HOST, hosts);
        batch.step(&ADD_FEED, feeds);
        // False: it was written, and the answer got lost.
        self.write_if(batch).await.map(|_| ())
    }

    /// The sums of a span in buckets of a width, by their number; those without a visit are left out.
    pub async fn visit_buckets(
        &self,
        hours: Hours,
        width: SignedDuration,
    ) -> Result<Vec<(usize, VisitSums)>, StoreError> {
        let row = [hours.row(), vec![width.into()]].concat();
        let bucket = |row: &mut Record| Ok((row.next::<i64>()?.max(0) as usize, sums(row)?));
        self.read_all(&BUCKETS, row, bucket).await
    }

    /// How long the visits of a span took.
    pub async fn visit_latencies(&self, hours: Hours) -> Result<Latencies, StoreError> {
        let mut latencies = Latencies::default();
        let class = |row: &mut Record| Ok((row.next::<i64>()?, row.next::<u64>()?));
        for (class, visits) in self.read_all(&LATENCIES, hours.row(), class).await? {
            // A class of a later version is slower than all of ours, or in between: the last one is nearest.
            let class = usize::try_from(class).unwrap_or(0).min(LATENCY_CLASSES - 1);
            latencies[class] += visits;
        }
        Ok(latencies)
    }

    /// What went wrong in a span, the most frequent first.
    pub async fn visit_errors(&self, hours: Hours, limit: u32) -> Result<Vec<ErrorFigure>, StoreError> {
        let figure = |row: &mut Record| {
            Ok(ErrorFigure { code: row.next()?, visits: row.next()?, first_at: row.next()?, last_at: row.next()? })
        };
        self.read_all(&ERRORS, [hours.row(), vec![limit.into()]].concat(), figure).await
    }

    /// The hosts of public feeds that were visited in a span.
    pub async fn visited_hosts(
        &self,
        hours: Hours,
        order: HostOrder,
        limit: u32,
    ) -> Result<Vec<HostFigure>, StoreError> {
        let sql = match order {
            HostOrder::Errors => &HOSTS_BY_ERRORS,
            HostOrder::Visits => &HOSTS_BY_VISITS,
        };
        self.read_all(sql, [hours.row(), vec![limit.into()]].concat(), host_figure).await
    }

    /// How often servers asked to come later in a span.
    pub async fn busy_answers(&self, hours: Hours) -> Result<u64, StoreError> {
        Ok(self.read_first(&BUSY, hours.row(), |row| row.next()).await?.unwrap_or(0))
    }

    /// The feeds that brought most new entries in a span, as far as a viewer sees them.
    pub async fn busiest_feeds(&self, viewer: Viewer, hours: Hours, limit: u32) -> Result<Vec<FeedFigure>, StoreError> {
        let figure = |row: &mut Record| {
            Ok(FeedFigure { feed: FeedId(row.next()?), title: row.next()?, url: row.next()?, new_entries: row.next()? })
        };
        self.read_all(&FEEDS, [hours.row(), vec![limit.into(), viewer.into()]].concat(), figure).await
    }

    /// The first hour of which there are sums.
    pub async fn first_rollup(&self) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.read_first(&FIRST_HOUR, vec![], |row| row.next()).await?.flatten())
    }

    /// Forgets sums of hours before a moment, and the numbers of processes that have not flushed since another.
    pub async fn forget_rollups(&self, before: Timestamp, silent_since: Timestamp) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        for sql in [&FORGET_HOURS, &FORGET_LATENCIES, &FORGET_ERRORS, &FORGET_HOSTS, &FORGET_FEEDS] {
            batch.step(sql, vec![vec![before.into()]]);
        }
        batch.step(&FORGET_FLUSHES, vec![vec![silent_since.into()]]);
        self.write_in(Lane::Upkeep, batch).await.map(|_| ())
    }
}
