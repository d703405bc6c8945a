//! The outbox: what happened, in commit order, written in the commit that made it true, by every service.
//!
//! `bus` renders and delivers; consumers page by id and miss nothing, because ids are given out under the arrival row.
//! A row has columns for what an event is about, and a payload in JSON with the version of its shape (`model::event`).

use crate::db::batch::Batch;
use crate::db::columns::{Part, selected_columns, text};
use crate::db::sql::{Text, statements};
use crate::db::value::Value;
use crate::db::wake::Topic;
use crate::store::Store;
use crate::viewer::sees_feed;
use crate::{StoreError, codes, commit};
use jiff::Timestamp;
use model::event::{Event, EventKind, NewEvent, Payload, Subject};
use model::plan::ChangedEntry;
use model::{EntryId, EventId, FeedId, UserId, Viewer};

statements! {
    /// The event is about entry $5, or about the new entry $6 from the end.
    INSERT(Int, Int, Text, Int, Int, Int, Int, Text, Int, Json) = Text::Rows(
        "INSERT INTO outbox (id, at, kind, feed_id, entry_id, user_id, site, version, payload)
         VALUES (new_event($1), $2, $3, $4, coalesce($5, new_entry($6)), $7, $8, $9, $10)");
    /// A user sees what is about them, and about feeds that they may see. What happened to a feed that was removed since is
    /// the operator's to see, as is the rest: nobody knows any more whose it was.
    AFTER(Int, Int, Int) = Text::One(text!(
        "SELECT ", Part::List(EventColumns::SQL), " FROM outbox
         WHERE id > $1 AND ($3 = -1 OR (user_id = $3 AND feed_id IS NULL) OR ", Part::Text(sees_feed!("feed_id", "$3")), ")
         ORDER BY id LIMIT $2"));
    LAST() = Text::One("SELECT events FROM arrival");
    FORGET(Int, Int) = Text::One(
        "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE at < $1 ORDER BY at LIMIT $2)");
}

/// Events forgotten in one transaction.
const STEP: u32 = 1_000;

/// The longest name of a kind.
const LONGEST_KIND_BYTES: usize = 64;
/// The longest name of a site: a domain name has at most 253 bytes.
const LONGEST_SITE_BYTES: usize = 255;

/// An event whose id is not known yet.
pub(crate) struct Draft {
    kind: EventKind,
    about: About,
    payload: Payload,
}

/// What an event is about.
enum About {
    Known(Subject),
    /// An entry of the same plan, counted from the end, of this feed.
    New(FeedId, usize),
}

impl Draft {
    pub(crate) fn new_entry(feed: FeedId, back: usize) -> Self {
        Self { kind: EventKind::EntryNew, about: About::New(feed, back), payload: Payload::none() }
    }

    pub(crate) fn changed(feed: FeedId, entry: &ChangedEntry) -> Self {
        Self::about(EventKind::EntryChanged, Subject::Entry(feed, entry.id), Payload::none())
    }

    pub(crate) fn about(kind: EventKind, subject: Subject, payload: Payload) -> Self {
        Self { kind, about: About::Known(subject), payload }
    }

    /// One of a kind that says one thing.
    pub(crate) fn saying(kind: EventKind, subject: Subject, text: &str) -> Self {
        let payload = Payload::of(&kind, text);
        Self::about(kind, subject, payload)
    }
}

/// Adds events to a batch that takes no ids otherwise; what holds the arrival row comes last in a batch.
pub(crate) fn record(batch: &mut Batch, now: Timestamp, events: Vec<Draft>) {
    if !events.is_empty() {
        batch.arrive(&commit::ARRIVE, 0, events.len());
        insert(batch, now, events);
    }
}

/// Adds the step that writes events. Their ids were taken from the arrival row just before.
pub(crate) fn insert(batch: &mut Batch, now: Timestamp, events: Vec<Draft>) {
    let count = events.len();
    if count > 0 {
        batch.wakes(Topic::Events);
    }
    let row = |(i, event): (usize, Draft)| -> Vec<Value> {
        let Draft { kind, about, payload } = event;
        let (mut feed, mut entry, mut new, mut user, mut site) =
            (Value::Null, Value::Null, Value::Null, Value::Null, Value::Null);
        match about {
            About::New(of, back) => (feed, new) = (of.0.into(), Value::NewEntry(back as i64)),
            About::Known(Subject::Entry(of, id)) => (feed, entry) = (of.0.into(), id.0.into()),
            About::Known(Subject::Feed(id)) => feed = id.0.into(),
            About::Known(Subject::User(id)) => user = id.0.into(),
            About::Known(Subject::Site(name)) => site = name.into(),
            About::Known(Subject::None) => {}
        }
        vec![
            Value::NewEvent((count - 1 - i) as i64),
            now.into(),
            kind.as_str().into(),
            feed,
            entry,
            new,
            user,
            site,
            payload.version.into(),
            codes::payload(&payload.json),
        ]
    };
    batch.step(&INSERT, events.into_iter().enumerate().map(row).collect());
}

selected_columns! {
    EventColumns {
        id = "id";
        at = "at";
        kind: String = "kind";
        feed: Option<i64> = "feed_id";
        entry: Option<i64> = "entry_id";
        user: Option<i64> = "user_id";
        site: Option<String> = "site";
        version = "version";
        payload: Option<String> = "payload";
        detail: Option<String> = "detail";
    }
    fn event(row) -> Event {
        let kind = EventKind::named(&kind);
        let subject = match (feed, entry, user, site) {
            (Some(feed), Some(entry), ..) => Subject::Entry(FeedId(feed), EntryId(entry)),
            (Some(feed), ..) => Subject::Feed(FeedId(feed)),
            (_, _, Some(user), _) => Subject::User(UserId(user)),
            (.., Some(site)) => Subject::Site(site),
            _ => Subject::None,
        };
        let payload = match (payload, detail) {
            (Some(json), _) => Payload { version, json: serde_json::from_str(&json).map_err(StoreError::row)? },
            // From a process of an earlier version, which runs beside this one while a cluster is brought up to date.
            (None, Some(detail)) => Payload::of(&kind, &detail),
            (None, None) => Payload { version, json: serde_json::Value::Null },
        };
        Event { id: EventId(id), at, kind, subject, payload }
    }
}

impl Store {
    /// Writes an event by itself. What happens together with a change belongs into the transaction of that change.
    pub async fn record_event(&self, event: NewEvent, now: Timestamp) -> Result<EventId, StoreError> {
        let NewEvent { kind, subject, payload } = event;
        check(&kind, &subject, &payload)
            .map_err(|why| StoreError::Unfit { doing: "write an event", source: why.into() })?;
        let mut batch = Batch::default();
        record(&mut batch, now, vec![Draft::about(kind, subject, payload)]);
        let arrived = self.write(batch).await?.swap_remove(0).records.pop();
        let mut arrived = arrived.ok_or_else(|| StoreError::row("the arrival row is missing"))?;
        let _last_entry: i64 = arrived.next()?;
        arrived.next().map(EventId)
    }

    /// The events after an id, in commit order. Kinds and versions that this program does not know are among them.
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

/// Whether an event is fit to be stored for ever.
fn check(kind: &EventKind, subject: &Subject, payload: &Payload) -> Result<(), String> {
    let name = kind.as_str();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._".contains(c);
    if name.is_empty() || name.len() > LONGEST_KIND_BYTES || !name.chars().all(fits) {
        return Err(format!("`{name:.64}` is no name of a kind: lower case letters, digits, dots, at most 64"));
    }
    if let Subject::Site(site) = subject
        && (site.is_empty() || site.len() > LONGEST_SITE_BYTES)
    {
        return Err(format!("the name of a site has {} bytes instead of 1 to {LONGEST_SITE_BYTES}", site.len()));
    }
    let length = payload.json.to_string().len();
    if length > Payload::LONGEST_BYTES {
        return Err(format!("the payload has {length} bytes, more than {}", Payload::LONGEST_BYTES));
    }
    if !(payload.json.is_null() || payload.json.is_object()) {
        return Err("the payload is no JSON object".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::migrate::{self, MIGRATIONS};
    use crate::{Address, Options};
    use std::fmt::Write as _;

    /// Events as schema 18 had them, not in the order of their ids.
    const EARLIER: &str = "UPDATE arrival SET events = 9;
        INSERT INTO outbox (id, at, kind, feed_id, entry_id, detail) VALUES
            (9, 1, 'entry.gone', 5, 6, 'unread_too_long'), (2, 2, 'feed.added', 5, NULL, 'https://a.example/\"x\"'),
            (3, 3, 'entry.new', 5, 6, NULL), (4, 4, 'feed.health', 5, NULL, 'failing: timeout');";

    /// What brings a database to schema 18, with its events.
    fn earlier(text: fn(&migrate::Migration) -> &'static str) -> String {
        let mut all = format!("{};", migrate::CREATE_TABLE);
        for migration in MIGRATIONS.iter().filter(|migration| migration.version <= 18) {
            let (version, name) = (migration.version, migration.name);
            all += text(migration);
            let min = migration.min_compatible;
            let _ = write!(all, ";INSERT INTO schema_migrations VALUES ({version}, '{name}', {min}, 0);");
        }
        all + EARLIER
    }

    async fn reads_the_earlier_events(url: &str) {
        let store = Store::open(&Address::parse(url).unwrap(), &Options::at(Timestamp::UNIX_EPOCH)).await.unwrap();
        let read = store.events(Viewer::Operator, EventId(0), 10).await.unwrap();
        let (feed, entry) = (Subject::Feed(FeedId(5)), Subject::Entry(FeedId(5), EntryId(6)));
        let event = |id: i64, at, kind: EventKind, subject: &Subject, text| Event {
            id: EventId(id),
            at: Timestamp::from_microsecond(at).unwrap(),
            payload: Payload::of(&kind, text),
            kind,
            subject: subject.clone(),
        };
        let expected = [
            event(2, 2, EventKind::FeedAdded, &feed, "https://a.example/\"x\""),
            event(3, 3, EventKind::EntryNew, &entry, ""),
            event(4, 4, EventKind::FeedHealth, &feed, "failing: timeout"),
            event(9, 1, EventKind::EntryGone, &entry, "unread_too_long"),
        ];
        assert_eq!(read, expected, "{url}");
        let next = NewEvent { kind: EventKind::FeedHealth, subject: Subject::None, payload: Payload::none() };
        assert_eq!(store.record_event(next, Timestamp::UNIX_EPOCH).await.unwrap(), EventId(10));
        store.close(Timestamp::UNIX_EPOCH).await.unwrap();
    }

    #[tokio::test]
    async fn events_of_an_earlier_schema_keep_their_ids_and_what_they_say() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("courant.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch(&earlier(|migration| migration.sqlite)).unwrap();
        reads_the_earlier_events(&format!("sqlite:{}", path.display())).await;

        let database = testkit::services::postgres().await;
        let (client, connection) = database_client(database.url()).await;
        client.batch_execute(&earlier(|migration| migration.postgres)).await.unwrap();
        drop(client);
        connection.await.unwrap();
        reads_the_earlier_events(database.url()).await;
    }

    #[expect(clippy::disallowed_methods, reason = "asks the server of the test run")]
    async fn database_client(url: &str) -> (tokio_postgres::Client, tokio::task::JoinHandle<()>) {
        let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
        (client, tokio::spawn(async move { connection.await.unwrap() }))
    }
}
