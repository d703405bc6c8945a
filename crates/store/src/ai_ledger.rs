//! The ledger: a row for every attempt that may cost money, and the month that they count for.
//!
//! Invariants: a reservation is one conditional statement on the row of its month, which has every counter that a ceiling is
//! for; so the sum of what is reserved and spent is never above a ceiling, whoever else reserves. An attempt is settled
//! once; one that is not settled by its time is released by whoever reserves next.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value, returned_id};
use crate::store::Store;
use jiff::Timestamp;
use model::EntryId;
use model::enrichment::{AttemptEnd, Ceilings, Kind, Reservation, Source, Spent};
use model::money::Money;

statements! {
    MONTH(Text) = Text::One(
        "SELECT spent, day, day_spent, summary_spent, tags_spent, deframe_spent, month_cap, day_cap, summary_cap, tags_cap,
                deframe_cap
         FROM ai_months WHERE month = $1");
    BEGIN_MONTH(Text) = Text::One("INSERT INTO ai_months (month) VALUES ($1) ON CONFLICT (month) DO NOTHING");
    /// Sets $4 aside for kind $3 on day $2 of month $1, if month, day and kind allow it. $5 to $7 are their ceilings where
    /// the month has none of its own.
    RESERVE(Text, Text, Text, Int, Int, Int, Int) = Text::One(
        "UPDATE ai_months SET
             spent = spent + $4,
             day_spent = CASE WHEN day = $2 THEN day_spent ELSE 0 END + $4,
             day = $2,
             summary_spent = summary_spent + CASE WHEN $3 = 'summary' THEN $4 ELSE 0 END,
             tags_spent = tags_spent + CASE WHEN $3 = 'tags' THEN $4 ELSE 0 END,
             deframe_spent = deframe_spent + CASE WHEN $3 = 'deframe' THEN $4 ELSE 0 END
         WHERE month = $1
             AND spent + $4 <= coalesce(month_cap, $5, 9000000000000000000)
             AND CASE WHEN day = $2 THEN day_spent ELSE 0 END + $4 <= coalesce(day_cap, $6, 9000000000000000000)
             AND CASE $3 WHEN 'summary' THEN summary_spent WHEN 'tags' THEN tags_spent ELSE deframe_spent END + $4
                 <= coalesce(CASE $3 WHEN 'summary' THEN summary_cap WHEN 'tags' THEN tags_cap ELSE deframe_cap END, $7,
                             9000000000000000000)");
    ENTER(Int, Text, Text, Text, Text, Text, Int, Int, Int) = Text::One(
        "INSERT INTO ai_ledger (at, month, day, kind, provider, model, entry_id, state, reserved, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'reserved', $8, $9) RETURNING id");
    /// Ends attempt $1. What it frees is what it had reserved, unless that was released before.
    SETTLE(Int, Int, Int, Int, Text, Text, Int) = Text::One(
        "UPDATE ai_ledger SET freed = CASE WHEN state = 'reserved' THEN reserved ELSE 0 END, state = 'settled', spent = $2,
             tokens_in = $3, tokens_out = $4, outcome = $5, detail = $6, settled_at = $7
         WHERE id = $1 AND state <> 'settled'");
    RELEASE(Int, Int) = Text::One(
        "UPDATE ai_ledger SET freed = reserved, state = 'released', outcome = 'lost', settled_at = $2
         WHERE id = $1 AND state = 'reserved' AND expires_at <= $2");
    EXPIRED(Int, Int) = Text::One(
        "SELECT id FROM ai_ledger WHERE state = 'reserved' AND expires_at <= $1 ORDER BY expires_at LIMIT $2");
    /// The month of attempt $1 learns what it cost, and gets back what it freed.
    BOOK(Int) = Text::One(
        "UPDATE ai_months SET
             spent = spent + (SELECT l.spent - l.freed FROM ai_ledger l WHERE l.id = $1),
             day_spent = day_spent + (SELECT CASE WHEN l.day = ai_months.day THEN l.spent - l.freed ELSE 0 END
                                      FROM ai_ledger l WHERE l.id = $1),
             summary_spent = summary_spent + (SELECT CASE WHEN l.kind = 'summary' THEN l.spent - l.freed ELSE 0 END
                                              FROM ai_ledger l WHERE l.id = $1),
             tags_spent = tags_spent + (SELECT CASE WHEN l.kind = 'tags' THEN l.spent - l.freed ELSE 0 END
                                        FROM ai_ledger l WHERE l.id = $1),
             deframe_spent = deframe_spent + (SELECT CASE WHEN l.kind = 'deframe' THEN l.spent - l.freed ELSE 0 END
                                              FROM ai_ledger l WHERE l.id = $1)
         WHERE month = (SELECT l.month FROM ai_ledger l WHERE l.id = $1)");
    /// So does its day, for charts.
    COUNT_CALL(Int) = Text::One(
        "INSERT INTO ai_days (day, kind, provider, model, calls, failed, tokens_in, tokens_out, spent)
         SELECT l.day, l.kind, l.provider, l.model, 1, CASE WHEN l.outcome = 'ok' THEN 0 ELSE 1 END, l.tokens_in,
                l.tokens_out, l.spent
         FROM ai_ledger l WHERE l.id = $1
         ON CONFLICT (day, kind, provider, model) DO UPDATE SET calls = ai_days.calls + 1,
             failed = ai_days.failed + excluded.failed, tokens_in = ai_days.tokens_in + excluded.tokens_in,
             tokens_out = ai_days.tokens_out + excluded.tokens_out, spent = ai_days.spent + excluded.spent");
    COUNT_CACHED(Text, Text, Text, Text) = Text::One(
        "INSERT INTO ai_days (day, kind, provider, model, cached) VALUES ($1, $2, $3, $4, 1)
         ON CONFLICT (day, kind, provider, model) DO UPDATE SET cached = ai_days.cached + 1");
    SET_CEILINGS(Text, Int, Int, Int, Int, Int) = Text::One(
        "INSERT INTO ai_months (month, month_cap, day_cap, summary_cap, tags_cap, deframe_cap) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (month) DO UPDATE SET month_cap = excluded.month_cap, day_cap = excluded.day_cap,
             summary_cap = excluded.summary_cap, tags_cap = excluded.tags_cap, deframe_cap = excluded.deframe_cap");
    MONTHS(Int) = Text::One(
        "SELECT m.month, m.spent, m.month_cap,
                coalesce((SELECT CAST(sum(d.calls) AS BIGINT) FROM ai_days d WHERE d.day LIKE m.month || '-%'), 0),
                coalesce((SELECT CAST(sum(d.failed) AS BIGINT) FROM ai_days d WHERE d.day LIKE m.month || '-%'), 0)
         FROM ai_months m ORDER BY m.month DESC LIMIT $1");
    DAYS(Text, Text) = Text::One(
        "SELECT day, kind, provider, model, calls, failed, cached, tokens_in, tokens_out, spent FROM ai_days
         WHERE day >= $1 AND day < $2 ORDER BY day, kind, provider, model");
    OUTCOMES(Text) = Text::One(
        "SELECT outcome, count(*) FROM ai_ledger WHERE month = $1 AND outcome IS NOT NULL GROUP BY outcome ORDER BY 2 DESC, 1");
    RESERVED(Text) = Text::One("SELECT coalesce(CAST(sum(reserved) AS BIGINT), 0) FROM ai_ledger WHERE month = $1 AND state = 'reserved'");
    LIST(Int, Int) = Text::One(
        "SELECT id, at, kind, provider, model, entry_id, state, reserved, spent, tokens_in, tokens_out, outcome, detail
         FROM ai_ledger WHERE id > $1 ORDER BY id LIMIT $2");
    FORGET(Int, Int) = Text::One(
        "DELETE FROM ai_ledger WHERE id IN (SELECT id FROM ai_ledger WHERE at < $1 AND state <> 'reserved' ORDER BY at LIMIT $2)");
}

/// Expired reservations released at once.
const RELEASED_AT_ONCE: u32 = 100;
/// Rows forgotten in one transaction.
const STEP: u32 = 1_000;
/// A reason may be no longer than this.
const LONGEST_DETAIL: usize = 300;

/// What one attempt would cost at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt<'a> {
    /// `2026-11`.
    pub month: &'a str,
    /// `2026-11-18`.
    pub day: &'a str,
    /// What would be made.
    pub kind: Kind,
    /// By whom.
    pub provider: &'a str,
    /// By which model.
    pub model: &'a str,
    /// Of which entry.
    pub entry: EntryId,
    /// In the worst case.
    pub amount: Money,
    /// When it is over, one way or the other.
    pub expires_at: Timestamp,
}

/// What an attempt came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// The reservation.
    pub reservation: Reservation,
    /// What it cost.
    pub spent: Money,
    /// The tokens of the prompt.
    pub tokens_in: u64,
    /// The tokens of the answer.
    pub tokens_out: u64,
    /// How it ended.
    pub end: AttemptEnd,
    /// The same in words.
    pub detail: Option<String>,
}

/// A month: what was spent in it, and the ceilings that were set for it alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Month {
    /// Spent and reserved. That of the day is of the day that was asked for.
    pub spent: Spent,
    /// What an operator set for this month.
    pub ceilings: Ceilings,
}

/// A month in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastMonth {
    /// `2026-11`.
    pub month: String,
    /// What was spent.
    pub spent: Money,
    /// The ceiling that was set for it alone.
    pub ceiling: Option<Money>,
    /// Calls.
    pub calls: u64,
    /// Calls that made nothing.
    pub failed: u64,
}

/// What happened on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayUsage {
    /// `2026-11-18`.
    pub day: String,
    /// What was made.
    pub kind: Kind,
    /// By whom.
    pub provider: String,
    /// By which model.
    pub model: String,
    /// Calls.
    pub calls: u64,
    /// Calls that made nothing.
    pub failed: u64,
    /// Results that were there already.
    pub cached: u64,
    /// Tokens of prompts.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// What it cost.
    pub spent: Money,
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerRow {
    /// In the order of the attempts.
    pub id: i64,
    /// When it was made.
    pub at: Timestamp,
    /// What was to be made.
    pub kind: Kind,
    /// By whom.
    pub provider: String,
    /// By which model.
    pub model: String,
    /// Of which entry.
    pub entry: EntryId,
    /// `reserved`, `settled` or `released`.
    pub state: String,
    /// Set aside.
    pub reserved: Money,
    /// What it cost.
    pub spent: Money,
    /// Tokens of the prompt.
    pub tokens_in: u64,
    /// Tokens of the answer.
    pub tokens_out: u64,
    /// How it ended.
    pub end: Option<AttemptEnd>,
    /// The same in words.
    pub detail: Option<String>,
}

impl From<Money> for Value {
    fn from(money: Money) -> Self {
        Self::Int(money.0)
    }
}

fn money(row: &mut Record) -> Result<Money, StoreError> {
    row.next().map(Money)
}

fn ceiling(row: &mut Record) -> Result<Option<Money>, StoreError> {
    Ok(row.next::<Option<i64>>()?.map(Money))
}

/// Adds the steps that end an attempt.
pub(crate) fn settle(batch: &mut Batch, settlement: &Settlement, now: Timestamp) {
    let id = settlement.reservation.id;
    let row = settlement_row(settlement, now);
    batch.step_exactly(1, &SETTLE, vec![row]);
    book(batch, id, settlement.end);
}

fn settlement_row(settlement: &Settlement, now: Timestamp) -> Vec<Value> {
    let detail = settlement.detail.as_deref().map(|text| &text[..text.floor_char_boundary(LONGEST_DETAIL)]);
    vec![
        settlement.reservation.id.into(),
        settlement.spent.into(),
        settlement.tokens_in.into(),
        settlement.tokens_out.into(),
        settlement.end.into(),
        detail.into(),
        now.into(),
    ]
}

fn book(batch: &mut Batch, id: i64, end: AttemptEnd) {
    batch.step(&BOOK, vec![vec![id.into()]]);
    if end != AttemptEnd::NotMade {
        batch.step(&COUNT_CALL, vec![vec![id.into()]]);
    }
}

/// Adds the step that counts a result that was there already.
pub(crate) fn count_cached(batch: &mut Batch, source: &Source, now: Timestamp) {
    let day = now.strftime("%Y-%m-%d").to_string();
    let row = vec![day.into(), source.kind.into(), source.provider.as_str().into(), source.model.as_str().into()];
    batch.step(&COUNT_CACHED, vec![row]);
}

impl Store {
    /// Sets money aside for an attempt; `None` if a ceiling does not allow it. Those of the month itself come before the
    /// given ones.
    pub async fn reserve_money(
        &self,
        attempt: &Attempt<'_>,
        ceilings: &Ceilings,
        now: Timestamp,
    ) -> Result<Option<Reservation>, StoreError> {
        self.release_expired(now).await?;
        self.write_one(&BEGIN_MONTH, vec![attempt.month.into()]).await?;
        let mut batch = Batch::default();
        batch.fence(
            &RESERVE,
            vec![
                attempt.month.into(),
                attempt.day.into(),
                attempt.kind.into(),
                attempt.amount.into(),
                ceilings.month.into(),
                ceilings.day.into(),
                ceilings.of(attempt.kind).into(),
            ],
        );
        batch.step(
            &ENTER,
            vec![vec![
                now.into(),
                attempt.month.into(),
                attempt.day.into(),
                attempt.kind.into(),
                attempt.provider.into(),
                attempt.model.into(),
                attempt.entry.0.into(),
                attempt.amount.into(),
                attempt.expires_at.into(),
            ]],
        );
        match self.submit(self.lane(), batch).await {
            Ok(mut answer) => {
                let id = returned_id(answer.pop().expect("two steps, two answers").records)?;
                Ok(Some(Reservation { id, amount: attempt.amount }))
            }
            Err(crate::db::batch::Refused::Stale) => Ok(None),
            Err(crate::db::batch::Refused::Failed(error)) => Err(error),
        }
    }

    /// Ends an attempt outside of its job: the job was lost, or the call was not made. `false` if it was settled before.
    pub async fn settle(&self, settlement: &Settlement, now: Timestamp) -> Result<bool, StoreError> {
        let mut batch = Batch::default();
        batch.fence(&SETTLE, settlement_row(settlement, now));
        book(&mut batch, settlement.reservation.id, settlement.end);
        self.write_if(batch).await
    }

    /// Releases reservations whose time is over: their process has ended. Returns how many.
    pub async fn release_expired(&self, now: Timestamp) -> Result<u64, StoreError> {
        let expired: Vec<i64> =
            self.read_all(&EXPIRED, vec![now.into(), RELEASED_AT_ONCE.into()], |row| row.next()).await?;
        let mut released = 0;
        for id in expired {
            let mut batch = Batch::default();
            batch.fence(&RELEASE, vec![id.into(), now.into()]);
            batch.step(&BOOK, vec![vec![id.into()]]);
            released += u64::from(self.write_if(batch).await?);
        }
        Ok(released)
    }

    /// A month as it stands on a day.
    pub async fn ai_month(&self, month: &str, day: &str) -> Result<Month, StoreError> {
        let found = self.read_first(&MONTH, vec![month.into()], |row| {
            let (in_all, of_day, on_day): (Money, String, Money) = (money(row)?, row.next()?, money(row)?);
            let spent = Spent {
                month: in_all,
                day: if of_day == day { on_day } else { Money::ZERO },
                summary: money(row)?,
                tags: money(row)?,
                deframe: money(row)?,
            };
            let ceilings = Ceilings {
                month: ceiling(row)?,
                day: ceiling(row)?,
                summary: ceiling(row)?,
                tags: ceiling(row)?,
                deframe: ceiling(row)?,
            };
            Ok(Month { spent, ceilings })
        });
        Ok(found.await?.unwrap_or_default())
    }

    /// Sets the ceilings of a month.
    pub async fn set_ceilings(&self, month: &str, ceilings: &Ceilings) -> Result<(), StoreError> {
        let Ceilings { month: in_all, day, summary, tags, deframe } = *ceilings;
        let row = vec![month.into(), in_all.into(), day.into(), summary.into(), tags.into(), deframe.into()];
        self.write_one(&SET_CEILINGS, row).await.map(|_| ())
    }

    /// The last months, the latest first.
    pub async fn ai_months(&self, limit: u32) -> Result<Vec<PastMonth>, StoreError> {
        self.read_all(&MONTHS, vec![limit.into()], |row| {
            Ok(PastMonth {
                month: row.next()?,
                spent: money(row)?,
                ceiling: ceiling(row)?,
                calls: row.next()?,
                failed: row.next()?,
            })
        })
        .await
    }

    /// What happened from a day on, before another.
    pub async fn ai_days(&self, from: &str, before: &str) -> Result<Vec<DayUsage>, StoreError> {
        self.read_all(&DAYS, vec![from.into(), before.into()], |row| {
            Ok(DayUsage {
                day: row.next()?,
                kind: row.next()?,
                provider: row.next()?,
                model: row.next()?,
                calls: row.next()?,
                failed: row.next()?,
                cached: row.next()?,
                tokens_in: row.next()?,
                tokens_out: row.next()?,
                spent: money(row)?,
            })
        })
        .await
    }

    /// How the attempts of a month ended.
    pub async fn attempt_ends(&self, month: &str) -> Result<Vec<(AttemptEnd, u64)>, StoreError> {
        self.read_all(&OUTCOMES, vec![month.into()], |row| Ok((row.next()?, row.next()?))).await
    }

    /// What is set aside in a month.
    pub async fn reserved(&self, month: &str) -> Result<Money, StoreError> {
        Ok(self.read_first(&RESERVED, vec![month.into()], money).await?.unwrap_or_default())
    }

    /// The ledger after a row.
    pub async fn ledger(&self, after: i64, limit: u32) -> Result<Vec<LedgerRow>, StoreError> {
        self.read_all(&LIST, vec![after.into(), limit.into()], |row| {
            Ok(LedgerRow {
                id: row.next()?,
                at: row.next()?,
                kind: row.next()?,
                provider: row.next()?,
                model: row.next()?,
                entry: EntryId(row.next()?),
                state: row.next()?,
                reserved: money(row)?,
                spent: money(row)?,
                tokens_in: row.next()?,
                tokens_out: row.next()?,
                end: row.next()?,
                detail: row.next()?,
            })
        })
        .await
    }

    /// Forgets rows of the ledger before a moment; months and days stay.
    pub async fn forget_ledger(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.write_counted(&FORGET, vec![before.into(), STEP.into()]).await
    }
}
