//! The outbox: what happened, in commit order, written in the commit that made it true.
//!
//! `bus` renders and delivers; consumers page by id and miss nothing, because ids are given out under the arrival row.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::db::wake::Topic;
use crate::store::Store;
use crate::viewer::sees_feed;
use jiff::Timestamp;
use model::event::{Event, EventKind};
use model::plan::ChangedEntry;
use model::{EntryId, EventId, FeedId, Viewer};

statements! {
    /// The event is about entry $5, or about the new entry $6 from the end.
    INSERT(Int, Int, Text, Int, Int, Int, Text) = Text::Rows(
        "INSERT INTO outbox (id, at, kind, feed_id, entry_id, detail)
         VALUES (new_event($1), $2, $3, $4, coalesce($5, new_entry($6)), $7)");
    /// What happened to a feed that was removed since is the operator's to see: nobody knows any more whose it was.
    AFTER(Int, Int, Int) = Text::One(concat!(
        "SELECT id, at, kind, feed_id, entry_id, detail FROM outbox
         WHERE id > $1 AND ($3 = -1 OR ", sees_feed!("feed_id", "$3"), ") ORDER BY id LIMIT $2"));
    LAST() = Text::One("SELECT events FROM arrival");
    FORGET(Int, Int) = Text::One(
        "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE at < $1 ORDER BY at LIMIT $2)");
}

/// Events forgotten in one transaction.
const STEP: u32 = 1_000;

/// An event whose id is not known yet.
pub(crate) struct Draft {
    pub(crate) kind: EventKind,
    pub(crate) entry: About,
    pub(crate) detail: Option<String>,
}

/// What an event is about.
pub(crate) enum About {
    Feed,
    Entry(EntryId),
    /// An entry of the same plan, counted from the end.
    New(usize),
}

impl Draft {
    pub(crate) fn new_entry(back: usize) -> Self {
        Self { kind: EventKind::EntryNew, entry: About::New(back), detail: None }
    }

    pub(crate) fn changed(entry: &ChangedEntry) -> Self {
        Self { kind: EventKind::EntryChanged, entry: About::Entry(entry.id), detail: None }
    }
}

/// Adds the step that writes events. Their ids were taken from the arrival row just before.
pub(crate) fn insert(batch: &mut Batch, feed: FeedId, now: Timestamp, events: Vec<Draft>) {
    let count = events.len();
    if count > 0 {
        batch.wakes(Topic::Events);
    }
    let row = |(i, event): (usize, Draft)| -> Vec<Value> {
        let (entry, back) = match event.entry {
            About::Feed => (Value::Null, Value::Null),
            About::Entry(id) => (id.0.into(), Value::Null),
            About::New(back) => (Value::Null, Value::NewEntry(back as i64)),
        };
        vec![
            Value::NewEvent((count - 1 - i) as i64),
            now.into(),
            event.kind.into(),
            feed.0.into(),
            entry,
            back,
            event.detail.into(),
        ]
    };
    batch.step(&INSERT, events.into_iter().enumerate().map(row).collect());
}

fn event(row: &mut Record) -> Result<Event, StoreError> {
    Ok(Event {
        id: EventId(row.next()?),
        at: row.next()?,
        kind: row.next()?,
        feed: FeedId(row.next()?),
        entry: row.next::<Option<i64>>()?.map(EntryId),
        detail: row.next()?,
    })
}

impl Store {
    /// The events after an id, in commit order.
    pub async fn events(&self, viewer: Viewer, after: EventId, limit: u32) -> Result<Vec<Event>, StoreError> {
        self.read_all(&AFTER, vec![after.0.into(), limit.into(), viewer.into()], event).await
    }

    /// The last id given out; a consumer that starts here hears only what comes.
    pub async fn last_event(&self) -> Result<EventId, StoreError> {
        Ok(EventId(self.read_first(&LAST, vec![], |row| row.next()).await?.unwrap_or(0)))
    }

    /// Deletes events from before a moment, a few at a time: other writers wait for no more than these.
    pub async fn forget_events(&self, before: Timestamp) -> Result<(), StoreError> {
        while self.write_counted(&FORGET, vec![before.into(), STEP.into()]).await? == u64::from(STEP) {}
        Ok(())
    }
}
