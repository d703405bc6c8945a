//! Leases: claiming what is due, renewing, handing back, making due.
//!
//! A lease *is* the due time moved forward: expiry needs no reaper, the feed is simply due again. The token grows
//! with every claim and every end of a lease; a write with an older token writes nothing.
//! Invariant: every statement that writes `due_at` also writes `decided_at` (`leaps.rs`).

use crate::StoreError;
use crate::codes;
use crate::db::batch::{Batch, Durable};
use crate::db::columns::{Part, selected_columns, stored_columns, text};
use crate::db::queue::Lane;
use crate::db::sql::{Dialect, Text, statements};
use crate::db::value::{Record, Value};
use crate::store::Store;
use jiff::Timestamp;
use model::feed::GuidTrust;
use model::lease::{Dossier, History, Lease, PendingMove, Sealed};
use model::raw::HeadersMark;
use model::{FeedId, UserId, WorkerId};
use std::collections::HashSet;

stored_columns! {
    /// How a feed behaved so far, in `schedule`: the end of a lease writes it, the next lease reads it. To keep something
    /// more from visit to visit, add a line here and a column in a migration.
    HistoryColumns(history: History) {
        visits: Int = history.visits;
        readings: Int = history.readings;
        etag: Text = history.validators.etag;
        last_modified: Text = history.validators.last_modified;
        final_url: Text = history.final_url;
        cache_control: Text = history.freshness.cache_control;
        expires_at: Int = history.freshness.expires_at;
        retry_after_at: Int = history.freshness.retry_after;
        last_visit_at: Int = history.last_visit_at;
        last_success_at: Int = history.last_success_at;
        last_status: Int = history.last_status;
        last_error_at: Int = history.last_error_at;
        last_error: Text = history.last_error;
        failures: Int = history.failures;
        interval_us: Int = history.interval;
        new_entries: Int = history.new_entries;
        ewma_us: Int = history.ewma;
        body_hash: Bytes = history.body_hash;
        busy: Int = history.busy;
        ttl_minutes: Int = history.hints.ttl_minutes;
        skip_hours: Int = history.hints.skip_hours;
        skip_days: Int = history.hints.skip_days;
        rhythm: Bytes = history.rhythm;
        outcomes: Int as i64 = history.outcomes as i64;
        gone_since: Int = history.gone_since;
        move_to: Text as Option<String> = history.pending_move.as_ref().map(|pending| pending.to.as_str());
        move_answers: Int as u32 = history.pending_move.as_ref().map_or(0, |pending| pending.answers);
        move_since: Int as Option<Timestamp> = history.pending_move.as_ref().map(|pending| pending.since);
        quota_day: Int = history.quota.day;
        quota_used: Int = history.quota.used;
        quota_edits: Int = history.quota.edits;
        last_arrival_at: Int = history.last_arrival_at;
        headers_at: Int as Option<Timestamp> = history.headers.map(|headers| headers.at);
        headers_mark: Int as Option<i64> = history.headers.map(|headers| headers.mark);
        full_bytes: Int = history.full_bytes;
    }
    then {
        history.outcomes = outcomes as u64;
        let pending = |(to, since)| PendingMove { to, answers: move_answers, since };
        history.pending_move = move_to.zip(move_since).map(pending);
        history.headers = headers_at.zip(headers_mark).map(|(at, mark)| HeadersMark { at, mark });
    }
}

selected_columns! {
    /// What a worker is told of a feed besides: after its id, the token and until when it is leased, before its history.
    LeaseColumns {
        slot = "s.slot_at";
        forced = "s.because = 'forced'";
        rate_group = "s.rate_group";
        uuid = "f.uuid";
        url = "f.url";
        owner: Option<i64> = "f.owner_id";
        kind = "f.kind";
        title = "f.title";
        site_url = "f.site_url";
        description = "f.description";
        language = "f.language";
        root_domain = "f.root_domain";
        domain_rule = "f.domain_rule";
        polling = "f.polling";
        state: String = "f.state";
        state_reason = "f.state_reason";
        collisions = "f.guid_collisions";
        unreliable = "f.guid_unreliable";
        allow_duplicate_urls = "f.allow_duplicate_urls";
        user_agent = "f.user_agent";
        access: Option<Vec<u8>> = "f.access";
        rules = "f.rules";
        subscribers = "(SELECT count(*) FROM subscriptions u WHERE u.feed_id = s.feed_id AND u.hidden_at IS NULL)";
    }
    fn lease_of(row, feed: FeedId, token: i64, until: Timestamp) -> Lease {
        let dossier = Dossier {
            uuid,
            url,
            rate_group,
            owner: owner.map(UserId),
            kind,
            title,
            site_url,
            description,
            language,
            root_domain,
            domain_rule,
            polling,
            state: codes::state(&state, state_reason)?,
            guids: GuidTrust { collisions, unreliable },
            allow_duplicate_urls,
            user_agent,
            access: access.map(Sealed),
            rules: codes::rules(rules)?,
            subscribers,
            history: HistoryColumns::read(row)?,
        };
        Lease { feed, token, until, slot, forced, dossier }
    }
}

/// Both of them, in the order in which they are read.
const TOLD: &str = text!(Part::List(LeaseColumns::SQL), ", ", Part::Of("s", HistoryColumns::NAMES));

statements! {
    /// Leases up to $4 feeds that are due at $3 to worker $1 until $2, and returns their dossiers.
    CLAIM(Text, Int, Int, Int) = Text::Two {
        sqlite: "UPDATE schedule SET due_at = $2, token = token + 1, worker = $1, going_at = NULL, decided_at = $3
                 WHERE feed_id IN (SELECT feed_id FROM schedule WHERE runnable AND due_at IS NOT NULL AND due_at <= $3
                                   ORDER BY due_at, feed_id LIMIT $4)",
        postgres: text!(
            "WITH due AS MATERIALIZED (
                 SELECT feed_id FROM schedule WHERE runnable AND due_at IS NOT NULL AND due_at <= $3
                 ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)
             UPDATE schedule s SET due_at = $2, token = s.token + 1, worker = $1, going_at = NULL, decided_at = $3
             FROM due JOIN feeds f ON f.id = due.feed_id
             WHERE s.feed_id = due.feed_id
             RETURNING s.feed_id, s.token, s.due_at, ", Part::Text(TOLD)),
    };
    /// The dossiers of what [`CLAIM`] takes next in the same transaction: SQLite's RETURNING sees only the updated table.
    DUE(Int, Int, Int) = Text::One(text!(
        "SELECT s.feed_id, s.token + 1, $1, ", Part::Text(TOLD), "
         FROM schedule s JOIN feeds f ON f.id = s.feed_id
         WHERE s.runnable AND s.due_at IS NOT NULL AND s.due_at <= $2 ORDER BY s.due_at, s.feed_id LIMIT $3"));
    /// A feed as its worker would get it, without taking it.
    PEEK(Int) = Text::One(text!(
        "SELECT s.feed_id, s.token, s.due_at, ", Part::Text(TOLD), "
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
    lease_of(row, feed, token, until)
}

impl Store {
    /// Leases up to `limit` due feeds to a worker until a moment, longest due first.
    pub(crate) async fn claim_due(
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

    /// The dossier of a feed without a lease: only `rewrite` uses it, and writes only if the token has not moved since.
    pub(crate) async fn peek(&self, feed: FeedId) -> Result<Lease, StoreError> {
        let found = self.read_first(&PEEK, vec![feed.0.into()], lease).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "feed", name: feed.to_string() })
    }

    /// Moves a worker's leases forward; returns those that are no longer its own.
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

    /// The feeds whose leases are still held.
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
    /// (reserving again each time would starve its host).
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

    /// Ends all leases and makes their feeds due; returns how many. Only for a process that knows that no other worker runs:
    /// the leases are those of a killed process.
    pub async fn reclaim(&self, due_at: Timestamp) -> Result<u64, StoreError> {
        self.write_counted(&RECLAIM, vec![due_at.into()]).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commit::{self, DecisionColumns};
    use crate::db::sql::Sql;
    use crate::db::value::Kind;
    use crate::{Address, NewFeed, Options};
    use jiff::SignedDuration;
    use model::feed::{DomainRule, FeedKind, FeedState};
    use model::lease::{Quota, VisitHints};
    use model::plan::{FeedFacts, Plan};
    use model::schedule::{Because, Next, Schedule};
    use model::visit::{Freshness, PastVisit, Validators, VisitResult};
    use std::collections::BTreeSet;
    use std::sync::OnceLock;
    use uuid::Uuid;

    /// What else is in `schedule`: neither decided by a visit nor kept from visit to visit.
    const OTHERS: &[&str] = &[
        "feed_id",
        "runnable",
        "token",
        "worker",
        "slot_at",
        "going_at",
        "going_group",
        "rate_group",
        "arrivals",
        "entries",
    ];

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_microsecond(micros).unwrap()
    }

    /// No two values are alike.
    fn distinct() -> History {
        History {
            visits: 101,
            readings: 102,
            validators: Validators { etag: Some("etag".into()), last_modified: Some("last modified".into()) },
            final_url: Some("final url".into()),
            freshness: Freshness {
                cache_control: Some("cache control".into()),
                expires_at: Some(at(103)),
                retry_after: Some(at(104)),
            },
            last_visit_at: Some(at(105)),
            last_success_at: Some(at(106)),
            last_status: Some(107),
            last_error_at: Some(at(108)),
            last_error: Some("last error".into()),
            failures: 109,
            busy: 110,
            interval: SignedDuration::from_micros(111),
            new_entries: 112,
            ewma: Some(SignedDuration::from_micros(113)),
            last_arrival_at: Some(at(114)),
            body_hash: Some([115; 16]),
            hints: VisitHints { ttl_minutes: Some(116), skip_hours: 117, skip_days: 118 },
            rhythm: Some(vec![119]),
            outcomes: u64::MAX - 119,
            gone_since: Some(at(121)),
            pending_move: Some(PendingMove { to: "move to".into(), answers: 122, since: at(123) }),
            quota: Quota { day: 124, used: 125, edits: 126 },
            headers: Some(HeadersMark { at: at(127), mark: 128 }),
            full_bytes: Some(129),
        }
    }

    fn decided() -> Schedule {
        Schedule {
            next: Next::At(at(201)),
            interval: SignedDuration::from_micros(111),
            because: Because::NewEntries,
            reason: "reason".into(),
            trace: Vec::new(),
        }
    }

    /// What must be in which column, however columns are listed elsewhere.
    fn columns() -> Vec<(&'static str, Kind, Value)> {
        let int = |name, value: i64| (name, Kind::Int, Value::Int(value));
        let text = |name, value: &str| (name, Kind::Text, Value::Text(value.into()));
        let bytes = |name, value: &[u8]| (name, Kind::Bytes, Value::Bytes(value.to_vec()));
        vec![
            int("visits", 101),
            int("readings", 102),
            text("etag", "etag"),
            text("last_modified", "last modified"),
            text("final_url", "final url"),
            text("cache_control", "cache control"),
            int("expires_at", 103),
            int("retry_after_at", 104),
            int("last_visit_at", 105),
            int("last_success_at", 106),
            int("last_status", 107),
            int("last_error_at", 108),
            text("last_error", "last error"),
            int("failures", 109),
            int("busy", 110),
            int("interval_us", 111),
            int("new_entries", 112),
            int("ewma_us", 113),
            int("last_arrival_at", 114),
            bytes("body_hash", &[115; 16]),
            int("ttl_minutes", 116),
            int("skip_hours", 117),
            int("skip_days", 118),
            bytes("rhythm", &[119]),
            int("outcomes", -120),
            int("gone_since", 121),
            text("move_to", "move to"),
            int("move_answers", 122),
            int("move_since", 123),
            int("quota_day", 124),
            int("quota_used", 125),
            int("quota_edits", 126),
            int("headers_at", 127),
            int("headers_mark", 128),
            int("full_bytes", 129),
            int("due_at", 201),
            text("because", Because::NewEntries.as_str()),
            text("reason", "reason"),
            int("decided_at", 202),
        ]
    }

    /// A migration that adds a column makes somebody decide where it belongs.
    #[test]
    fn every_column_of_the_schedule_is_in_a_list() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for migration in crate::db::migrate::MIGRATIONS {
            connection.execute_batch(migration.sqlite).unwrap();
        }
        let mut statement = connection.prepare("SELECT name FROM pragma_table_info('schedule')").unwrap();
        let found: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        let all = HistoryColumns::NAMES.iter().chain(DecisionColumns::NAMES).chain(OTHERS);
        let listed: Vec<&str> = all.copied().collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), found);
        assert_eq!(listed.len(), found.len(), "no column is in two lists");
        let checked: BTreeSet<&str> =
            columns().iter().map(|(name, _, _)| *name).chain(OTHERS.iter().copied()).collect();
        assert_eq!(checked, found, "the test below knows every column");
    }

    #[tokio::test]
    async fn every_column_of_a_lease_comes_back_as_it_was_written() {
        let database = testkit::services::postgres().await;
        let address = Address::parse(database.url()).unwrap();
        let postgres = Store::open(&address, &Options::at(at(0))).await.unwrap();
        for store in [Store::simulated(at(0)).unwrap(), postgres] {
            write_and_read(&store, 1).await;
            // Two at once, so that PostgreSQL writes both as rows of arrays.
            write_and_read(&store, 2).await;
        }
    }

    /// New feeds with everything that a feed can have, leased.
    async fn leased(store: &Store, count: u128) -> Vec<Lease> {
        for n in 0..count {
            let (uuid, url) = (Uuid::from_u128(n + count), format!("url {count} {n}"));
            let feed = NewFeed {
                root_domain: Some("root domain".into()),
                domain_rule: DomainRule::Exact,
                polling: count > 1,
                owner: Some(UserId(1)),
                user_agent: Some("user agent".into()),
                access: Some(Sealed(vec![3])),
                ..NewFeed::public(uuid, url, "rate group".into(), at(1))
            };
            store.add_feed(feed, at(1)).await.unwrap();
        }
        store.claim_due(&WorkerId("w".into()), at(2), at(3), 9).await.unwrap()
    }

    /// Writes through the real commit, reads through the real claim and peek, and looks at every column by itself.
    async fn write_and_read(store: &Store, count: u128) {
        let leases = leased(store, count).await;
        let facts = FeedFacts {
            kind: FeedKind::Atom,
            title: Some("title".into()),
            site_url: Some("site url".into()),
            description: Some("description".into()),
            language: Some("language".into()),
            // Two feeds apart, no two of the four booleans of a lease are alike in both.
            guids: GuidTrust { collisions: 129, unreliable: count == 1 },
        };
        let batches = leases.iter().map(|lease| commit::batch(lease.feed, lease.token, plan(facts.clone()))).collect();
        for result in store.submit_together(Lane::Commits, batches).await {
            result.unwrap();
        }
        for lease in &leases {
            for (name, kind, value) in columns() {
                let text = format!("SELECT {name} FROM schedule WHERE feed_id = $1");
                let found = raw(store, text, lease.feed).await;
                assert_eq!(found, value, "{name} {kind:?} in {}", store.name());
            }
        }
        for lease in &leases {
            for text in [
                "UPDATE schedule SET slot_at = 203, because = 'forced' WHERE feed_id = $1 RETURNING feed_id",
                "UPDATE feeds SET rules = '{\"key\":\"value\"}' WHERE id = $1 RETURNING id",
                "INSERT INTO subscriptions (user_id, feed_id, category_id, created_at) VALUES (1, $1, 1, 1) RETURNING id",
            ] {
                store.write_one(statement(text.to_owned()), vec![lease.feed.0.into()]).await.unwrap();
            }
        }
        let peeked = store.peek(leases[0].feed).await.unwrap();
        let claimed = store.claim_due(&WorkerId("w".into()), at(300), at(301), 9).await.unwrap();
        assert_eq!(claimed.len(), leases.len());
        for (before, after) in leases.iter().zip(&claimed) {
            let expected = Lease {
                feed: before.feed,
                token: before.token + 2,
                until: at(301),
                slot: Some(at(203)),
                forced: true,
                dossier: Dossier {
                    uuid: before.dossier.uuid,
                    url: before.dossier.url.clone(),
                    rate_group: "rate group".into(),
                    owner: Some(UserId(1)),
                    kind: facts.kind,
                    title: facts.title.clone(),
                    site_url: facts.site_url.clone(),
                    description: facts.description.clone(),
                    language: facts.language.clone(),
                    root_domain: Some("root domain".into()),
                    domain_rule: DomainRule::Exact,
                    polling: count > 1,
                    state: FeedState::Active,
                    guids: facts.guids,
                    allow_duplicate_urls: false,
                    user_agent: Some("user agent".into()),
                    access: Some(Sealed(vec![3])),
                    rules: [("key".to_owned(), "value".to_owned())].into(),
                    subscribers: 1,
                    history: distinct(),
                },
            };
            assert_eq!(*after, expected, "{}", store.name());
        }
        let as_peeked = Lease { token: claimed[0].token - 1, until: at(201), ..claimed[0].clone() };
        assert_eq!(peeked, as_peeked, "{}", store.name());
        let all: Vec<(FeedId, i64)> = claimed.iter().map(|lease| (lease.feed, lease.token)).collect();
        store.hand_back(&all, at(1_000_000)).await.unwrap();
    }

    /// What is in a column, asked by its name alone.
    async fn raw(store: &Store, text: String, feed: FeedId) -> Value {
        let found = store.read(statement(text), vec![feed.0.into()]).await.unwrap().pop();
        found.expect("the feed has a schedule").into_values().pop().expect("one column")
    }

    /// A statement with the id of a feed as its parameter.
    fn statement(text: String) -> &'static Sql {
        Box::leak(Box::new(Sql {
            name: "of a test",
            params: &[Kind::Int],
            text: Text::One(text.leak()),
            sqlite: OnceLock::new(),
            postgres: OnceLock::new(),
            arrays: OnceLock::new(),
        }))
    }

    fn plan(facts: FeedFacts) -> Plan {
        Plan {
            at: at(202),
            visit: PastVisit {
                at: at(1),
                status: None,
                result: VisitResult::Fresh,
                error: None,
                took: SignedDuration::ZERO,
                wire_bytes: 0,
                decoded_bytes: 0,
                new_entries: 0,
                changed_entries: 0,
                next_at: None,
                interval: SignedDuration::ZERO,
                reason: String::new(),
                trace: Vec::new(),
                headers_at: None,
                problems: None,
                ewma: None,
            },
            schedule: decided(),
            history: distinct(),
            raw: None,
            headers: None,
            feed: Some(facts),
            state: None,
            moved: None,
            pause: None,
            new: Vec::new(),
            changed: Vec::new(),
            redated: Vec::new(),
            aliases: Vec::new(),
            lineage: Vec::new(),
            refused: Vec::new(),
            events: Vec::new(),
            enrich: model::plan::Enrich::No,
        }
    }
}
