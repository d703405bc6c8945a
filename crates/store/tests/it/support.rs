//! Databases, feeds and plans for the suites.

use jiff::{SignedDuration, Timestamp};
use model::entry::{EntryBody, EntryKey, KeyKind};
use model::feed::DomainRule;
use model::lease::{History, Lease};
use model::plan::{EntryVersion, NewEntry, Plan};
use model::reader::Role;
use model::retention::{Burial, Why};
use model::schedule::{Because, Next, Schedule};
use model::visit::{PastVisit, VisitResult};
use model::{EntryId, FeedId, UserId, Viewer, WorkerId};
use store::{Address, NewFeed, Options, Store};
use uuid::Uuid;

/// Runs each function on both databases.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(crate::support::Database::sqlite().await).await })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() { super::$name(crate::support::Database::postgres().await).await })*
        }
    };
}
pub(crate) use on_both;

pub(crate) const SECOND: SignedDuration = SignedDuration::from_secs(1);
pub(crate) const MINUTE: SignedDuration = SignedDuration::from_mins(1);
pub(crate) const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// 2026-01-01T00:00:00Z: where every test begins.
pub(crate) fn start() -> Timestamp {
    Timestamp::from_second(1_767_225_600).unwrap()
}

/// Without waiting for the disk: a killed process loses nothing by that, only a machine that loses power.
pub(crate) fn quick() -> Options {
    Options { synchronous: store::Synchronous::Normal, ..Options::at(start()) }
}

/// A fresh database with a store on it.
pub(crate) struct Database {
    pub(crate) store: Store,
    pub(crate) address: Address,
    pub(crate) url: String,
    _keep: Keep,
}

enum Keep {
    Directory(#[expect(dead_code, reason = "dropped last")] tempfile::TempDir),
    Server(#[expect(dead_code, reason = "dropped last")] testkit::services::Database),
}

impl Database {
    pub(crate) async fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", directory.path().join("courant.db").display());
        Self::open(url, Keep::Directory(directory)).await
    }

    pub(crate) async fn postgres() -> Self {
        let migrate = async |url: String| -> Result<(), store::StoreError> {
            Store::open(&Address::parse(&url)?, &Options::at(start())).await?.close(start()).await
        };
        let database = testkit::services::postgres_prepared("store", migrate).await;
        Self::open(database.url().to_owned(), Keep::Server(database)).await
    }

    async fn open(url: String, keep: Keep) -> Self {
        let address = Address::parse(&url).unwrap();
        let store = Store::open(&address, &quick()).await.unwrap();
        Self { store, address, url, _keep: keep }
    }

    /// Another process's view of the same database.
    pub(crate) async fn another(&self) -> Store {
        Store::open(&self.address, &quick()).await.unwrap()
    }

    /// Adds feeds of one rate group that are due at once.
    pub(crate) async fn feeds(&self, count: u128, group: &str) -> Vec<FeedId> {
        let feeds = (0..count).map(|n| NewFeed { rate_group: group.into(), ..feed(group, n) }).collect();
        let added = self.store.add_feeds(feeds, start()).await.unwrap();
        added.into_iter().map(store::Added::id).collect()
    }

    /// Adds one due feed and claims it.
    pub(crate) async fn leased(&self) -> Lease {
        self.feeds(1, "one.example").await;
        claim(&self.store, "w", start(), 1).await.pop().expect("the feed is due")
    }
}

/// Two users, Ada and Bob, a feed that both are subscribed to, and its entries.
pub(crate) struct Readers {
    pub(crate) ada: UserId,
    pub(crate) bob: UserId,
    pub(crate) feed: FeedId,
    pub(crate) entries: Vec<EntryId>,
}

impl Database {
    /// Adds a feed with entries of these titles, and two subscribers.
    pub(crate) async fn readers(&self, titles: &[&str]) -> Readers {
        let lease = self.leased().await;
        let entries = self.store.commit(&lease, plan(&lease, start(), titles)).await.unwrap().new;
        let mut users = Vec::new();
        for name in ["ada", "bob"] {
            let user = self.store.add_user(name, Role::User, start()).await.unwrap();
            let category = self.store.default_category(user).await.unwrap();
            self.store.subscribe(user, lease.feed, category, None, start()).await.unwrap();
            users.push(user);
        }
        Readers { ada: users[0], bob: users[1], feed: lease.feed, entries }
    }
}

pub(crate) fn feed(host: &str, n: u128) -> NewFeed {
    let uuid = Uuid::from_u128(n + (u128::from(host.len() as u64) << 64));
    NewFeed {
        root_domain: Some(host.to_owned()),
        domain_rule: DomainRule::Registrable,
        ..NewFeed::public(uuid, format!("https://{host}/{n}.xml"), host.to_owned(), start())
    }
}

pub(crate) fn worker(name: &str) -> WorkerId {
    WorkerId(name.to_owned())
}

/// Claims for two minutes.
pub(crate) async fn claim(store: &Store, name: &str, now: Timestamp, limit: u32) -> Vec<Lease> {
    store.unscoped().claim_due(&worker(name), now, now + MINUTE * 2, limit).await.unwrap()
}

/// A plan that brings `titles` and comes again in an hour.
pub(crate) fn plan(lease: &Lease, now: Timestamp, titles: &[&str]) -> Plan {
    let before = &lease.dossier.history;
    let news = titles.len() as u32;
    let history = History {
        visits: before.visits + 1,
        readings: before.readings + 1,
        last_visit_at: Some(now),
        last_success_at: Some(now),
        last_status: Some(200),
        new_entries: news,
        interval: HOUR,
        ..before.clone()
    };
    Plan {
        at: now,
        visit: PastVisit {
            at: now,
            status: Some(200),
            result: if news == 0 { VisitResult::Unchanged } else { VisitResult::Fresh },
            error: None,
            took: SignedDuration::from_millis(120),
            wire_bytes: 1000,
            decoded_bytes: 4000,
            new_entries: news,
            changed_entries: 0,
            next_at: Some(now + HOUR),
            interval: HOUR,
            reason: "as usual".into(),
            trace: Vec::new(),
            headers_at: None,
            problems: None,
            ewma: None,
        },
        schedule: Schedule {
            next: Next::At(now + HOUR),
            interval: HOUR,
            because: if news == 0 { Because::NotModified } else { Because::NewEntries },
            reason: "as usual".into(),
            trace: Vec::new(),
        },
        history,
        headers: None,
        raw: None,
        feed: None,
        state: None,
        moved: None,
        pause: None,
        new: titles.iter().map(|title| new_entry(title, now)).collect(),
        changed: Vec::new(),
        redated: Vec::new(),
        aliases: Vec::new(),
        lineage: Vec::new(),
        refused: Vec::new(),
        events: Vec::new(),
        enrich: model::plan::Enrich::No,
    }
}

pub(crate) fn new_entry(title: &str, now: Timestamp) -> NewEntry {
    NewEntry {
        uid: format!("uid:{title}"),
        keys: vec![key(KeyKind::Guid, title), key(KeyKind::Url, title)],
        version: version(title),
        first_seen_at: now,
        sort_at: now,
        quiet: false,
    }
}

pub(crate) fn version(title: &str) -> EntryVersion {
    EntryVersion {
        title: Some(title.to_owned()),
        excerpt: Some(format!("about {title}")),
        link: Some(format!("https://one.example/{title}")),
        content_hash: hash(title),
        raw_hash: hash(title),
        body: EntryBody { content: Some(format!("<p>{title}</p>")), ..EntryBody::default() },
        ..EntryVersion::default()
    }
}

pub(crate) fn key(kind: KeyKind, text: &str) -> EntryKey {
    EntryKey { kind, hash: hash(text) }
}

/// Any function of the text will do.
pub(crate) fn hash(text: &str) -> [u8; 16] {
    let mut hash = [0u8; 16];
    for (i, byte) in text.bytes().enumerate() {
        hash[i % 16] = hash[i % 16].wrapping_mul(31).wrapping_add(byte);
    }
    hash
}

/// The titles of all entries, in order of arrival.
pub(crate) async fn titles(store: &Store) -> Vec<String> {
    let entries = store.arrived(Viewer::Operator, store::EntryFilter::default(), EntryId(0), 10_000).await.unwrap();
    entries.into_iter().map(|entry| entry.title.unwrap_or_default()).collect()
}

impl Database {
    /// Does something behind the store's back, as an accident or a hand at the database would.
    pub(crate) async fn meddle(&self, sql: &str) {
        match &self.address {
            Address::Sqlite(path) => rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap(),
            Address::Postgres(_) => {
                let (client, connection) = tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.unwrap();
                let connection = tokio::spawn(connection);
                client.batch_execute(sql).await.unwrap();
                drop(client);
                connection.await.unwrap().unwrap();
            }
        }
    }

    /// What a question without parameters answers, asked behind the store's back: one number.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        match &self.address {
            Address::Sqlite(path) => {
                rusqlite::Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
            }
            Address::Postgres(_) => {
                let (client, connection) = tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                client.query_one(sql, &[]).await.unwrap().get(0)
            }
        }
    }

    /// Transactions that somebody left open.
    pub(crate) async fn open_transactions(&self) -> i64 {
        match &self.address {
            // Nobody can begin to write while another does.
            Address::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.busy_timeout(std::time::Duration::ZERO).unwrap();
                i64::from(connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_err())
            }
            Address::Postgres(_) => {
                let (client, connection) = tokio_postgres::connect(&self.url, tokio_postgres::NoTls).await.unwrap();
                tokio::spawn(connection);
                let open = "SELECT count(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
                client.query_one(open, &[]).await.unwrap().get(0)
            }
        }
    }
}

/// The maintenance lock.
pub(crate) async fn lock(store: &Store, who: &str, now: Timestamp) -> store::Lock {
    store.take_lock("maintenance", &worker(who), now, MINUTE).await.unwrap().expect("nobody else has it")
}

/// An entry that goes.
pub(crate) fn burial(id: EntryId, tombstone_until: Timestamp) -> Burial {
    Burial { id, why: Why::UnreadTooLong, tombstone_until }
}
