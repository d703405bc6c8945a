//! Enrichments: results that were made of texts, and which of them an entry shows. What they cost is `ai_ledger.rs`.
//!
//! Invariant: a result is written in the transaction that ends the job that made it, under the job's token, so that a late
//! worker saves nothing. Results are shared by entries with the same text; what nothing shows any more is forgotten later.

use crate::StoreError;
use crate::ai_ledger::{self, Settlement};
use crate::codes;
use crate::db::batch::{Batch, Refused};
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, Value};
use crate::jobs;
use crate::outbox::{self, Draft};
use crate::store::Store;
use crate::viewer::sees_living_feed;
use jiff::Timestamp;
use model::enrichment::{Body, Enrichment, Headline, Kind, Made, Scope, Source, Switch, Why};
use model::entry::Hash;
use model::event::{EventKind, Payload, Subject};
use model::job::{JobEnd, JobLease, NewJob};
use model::{EntryId, FeedId, UserId, Viewer};
use std::collections::{BTreeMap, HashMap};

macro_rules! result_columns {
    () => {
        "x.key, x.kind, x.text_hash, x.language, x.provider, x.model, x.prompt, x.scope, x.body, x.failed, x.took_us,
         x.created_at"
    };
}

statements! {
    /// Entries among the newest $2 of feed $1 whose text, as it is now, was not looked at.
    UNENRICHED(Int, Int, Int) = Text::One(
        "SELECT id FROM (SELECT e.id, e.content_hash FROM entries e WHERE e.feed_id = $1 ORDER BY e.id DESC LIMIT $2) AS newest
         WHERE NOT EXISTS (SELECT 1 FROM enrichments n WHERE n.entry_id = newest.id AND n.content_hash = newest.content_hash)
         ORDER BY id DESC LIMIT $3");
    /// What an entry says, and for whom. Of a feed that nobody subscribes to, its operator is the reader.
    SOURCE(Int, Int) = Text::One(
        "SELECT e.feed_id, e.title, e.content_hash, b.content, b.summary, b.full_text, b.language, f.language, f.rules,
                f.owner_id IS NOT NULL,
                (SELECT count(*) FROM subscriptions s JOIN users u ON u.id = s.user_id
                 WHERE s.feed_id = f.id AND s.hidden_at IS NULL AND u.ai AND (s.ai IS NULL OR s.ai <> 'off')),
                (SELECT count(*) FROM subscriptions s WHERE s.feed_id = f.id AND s.hidden_at IS NULL),
                (SELECT s.ai FROM subscriptions s WHERE s.feed_id = f.id AND s.user_id = f.owner_id),
                (SELECT count(*) FROM (
                     SELECT 1 FROM subscriptions s JOIN marks m ON m.user_id = s.user_id AND m.feed_id = s.feed_id
                     WHERE s.feed_id = f.id AND m.read AND m.at >= $2 LIMIT 50) AS opened)
         FROM entries e JOIN entry_bodies b ON b.entry_id = e.id JOIN feeds f ON f.id = e.feed_id
         WHERE e.id = $1 AND f.state <> 'deleted'");
    OF_FEED(Int) = Text::One(
        "SELECT f.rules,
                (SELECT count(*) FROM subscriptions s JOIN users u ON u.id = s.user_id
                 WHERE s.feed_id = f.id AND s.hidden_at IS NULL AND u.ai AND (s.ai IS NULL OR s.ai <> 'off')),
                (SELECT count(*) FROM subscriptions s WHERE s.feed_id = f.id AND s.hidden_at IS NULL)
         FROM feeds f WHERE f.id = $1 AND f.state <> 'deleted'");
    CACHED(Bytes) = Text::Rows(concat!("SELECT ", result_columns!(), " FROM enrichment_results x WHERE x.key = $1"));
    PUT_RESULT(Bytes, Text, Bytes, Text, Text, Text, Text, Int, Text, Int, Json, Text, Int, Int) = Text::Rows(
        "INSERT INTO enrichment_results (key, kind, text_hash, language, provider, model, prompt, scope, line, score, body,
                                         failed, took_us, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         ON CONFLICT (key) DO UPDATE SET line = excluded.line, score = excluded.score, body = excluded.body,
             failed = excluded.failed, took_us = excluded.took_us, created_at = excluded.created_at");
    /// Nothing for an entry that was deleted meanwhile.
    PUT(Int, Text, Bytes, Bytes, Bytes, Text, Text, Int) = Text::Rows(
        "INSERT INTO enrichments (entry_id, kind, content_hash, text_hash, result, why, detail, updated_at)
         SELECT e.id, $2, $3, $4, $5, $6, $7, $8 FROM entries e WHERE e.id = $1
         ON CONFLICT (entry_id, kind) DO UPDATE SET content_hash = excluded.content_hash, text_hash = excluded.text_hash,
             result = excluded.result, why = excluded.why, detail = excluded.detail, updated_at = excluded.updated_at");
    SHOWN(Int, Int) = Text::One(concat!(
        "SELECT n.kind, n.why, n.detail, n.updated_at, n.text_hash, ", result_columns!(), "
         FROM enrichments n LEFT JOIN enrichment_results x ON x.key = n.result
         WHERE n.entry_id = $1 AND EXISTS (SELECT 1 FROM entries e WHERE e.id = n.entry_id AND ",
        sees_living_feed!("e.feed_id", "$2"), ") ORDER BY n.kind"));
    /// What lists show of entry $1 to user $2, unless they switched it off.
    HEADLINE(Int, Int) = Text::Rows(concat!(
        "SELECT n.entry_id, n.kind, x.line, x.score FROM enrichments n, enrichment_results x, entries e, users u
         WHERE n.entry_id = $1 AND x.key = n.result AND e.id = $1 AND u.id = $2 AND u.ai AND x.failed IS NULL
             AND n.kind IN ('deframe', 'summary') AND ", sees_living_feed!("e.feed_id", "$2"), "
             AND NOT EXISTS (SELECT 1 FROM subscriptions s
                             WHERE s.user_id = $2 AND s.feed_id = e.feed_id AND s.hidden_at IS NULL AND s.ai = 'off')"));
    FORGET(Int) = Text::Rows("DELETE FROM enrichments WHERE entry_id = $1");
    /// Results made before $1 that no entry shows.
    UNUSED(Int, Int) = Text::One(
        "SELECT x.key FROM enrichment_results x
         WHERE x.created_at < $1 AND NOT EXISTS (SELECT 1 FROM enrichments n WHERE n.result = x.key)
         ORDER BY x.created_at LIMIT $2");
    FORGET_RESULT(Bytes) = Text::Rows(
        "DELETE FROM enrichment_results WHERE key = $1
             AND NOT EXISTS (SELECT 1 FROM enrichments n WHERE n.result = $1)");
    /// Entries with a content, and the result of a kind that they show.
    WITH_CONTENT(Bytes, Int) = Text::One("SELECT DISTINCT entry_id FROM enrichments WHERE content_hash = $1 LIMIT $2");
    /// Failures for good of a content, of which $1 is the hash of the entry or of the text.
    FORGET_FAILURES(Bytes) = Text::One(
        "DELETE FROM enrichment_results WHERE failed IS NOT NULL AND text_hash IN (
             SELECT $1 UNION SELECT n.text_hash FROM enrichments n WHERE n.content_hash = $1)");
    /// The failures of a kind, and the entries that show them.
    FAILED(Text, Int) = Text::One(
        "SELECT n.entry_id FROM enrichments n LEFT JOIN enrichment_results x ON x.key = n.result
         WHERE n.kind = $1 AND (x.failed IS NOT NULL OR n.why IN ('provider', 'budget')) ORDER BY n.entry_id DESC LIMIT $2");
    COUNTS() = Text::One(
        "SELECT n.kind, coalesce(x.provider, ''), count(*), count(CASE WHEN x.key IS NULL OR x.failed IS NOT NULL THEN 1 END)
         FROM enrichments n LEFT JOIN enrichment_results x ON x.key = n.result
         GROUP BY n.kind, coalesce(x.provider, '') ORDER BY 1, 2");
    WANTS(Int) = Text::One("SELECT ai FROM users WHERE id = $1");
    SET_WANTS(Int, Bool) = Text::One("UPDATE users SET ai = $2 WHERE id = $1");
    SWITCH(Int, Int) = Text::One("SELECT ai FROM subscriptions WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL AND ai IS NOT NULL");
    SET_SWITCH(Int, Int, Text) = Text::One(
        "UPDATE subscriptions SET ai = $3 WHERE user_id = $1 AND feed_id = $2 AND hidden_at IS NULL");
}

/// A reason in words may be no longer than this.
const LONGEST_DETAIL: usize = 500;
/// Unused results looked for, and forgotten, at once.
const STEP: u32 = 500;

/// What an entry says, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Material {
    /// Its feed.
    pub feed: FeedId,
    /// Its title, as plain text.
    pub title: Option<String>,
    /// The hash of its content.
    pub content_hash: Hash,
    /// What the feed says, as safe HTML.
    pub content: Option<String>,
    /// What its page says, as safe HTML, if that was fetched.
    pub full_text: Option<String>,
    /// The language that the entry, or else its feed, claims to be in.
    pub language: Option<String>,
    /// The rules of the feed's own.
    pub rules: BTreeMap<String, String>,
    /// The feed has an owner.
    pub private: bool,
    /// Subscribers who have not switched AI off; one, if there are no subscribers at all.
    pub takers: u32,
    /// All subscribers.
    pub subscribers: u32,
    /// What the owner of a private feed chose.
    pub owner: Option<Switch>,
    /// Entries of the feed that were opened of late; no more than 50 are counted.
    pub opens: u32,
}

/// What is to be said about an entry from now on.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEnrichment {
    /// The entry.
    pub entry: EntryId,
    /// Its feed.
    pub feed: FeedId,
    /// Of which kind.
    pub kind: Kind,
    /// The hash of the entry's content.
    pub content_hash: Hash,
    /// The hash of the text that was looked at.
    pub text_hash: Hash,
    /// What was made of it, or found.
    pub made: Option<Made>,
    /// Why there is nothing, or nothing better.
    pub why: Option<Why>,
    /// The same in words.
    pub detail: Option<String>,
}

/// The end of a job of enrichments: everything that is written with it.
#[derive(Debug)]
pub struct EnrichmentEnd<'a> {
    /// The job.
    pub lease: &'a JobLease,
    /// How it ends.
    pub end: JobEnd,
    /// What is said about entries from now on.
    pub enrichments: Vec<NewEnrichment>,
    /// A failure for good, which is kept although no entry shows it: nobody should try again.
    pub failure: Option<Made>,
    /// Jobs that follow.
    pub next: Vec<NewJob>,
    /// What the attempt has cost.
    pub settlement: Option<Settlement>,
    /// A result was found, and no call was made: of this provider and model.
    pub cached: Option<Source>,
}

/// How many enrichments there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnrichmentCount {
    /// Of a kind.
    pub kind: Kind,
    /// Made by; empty where nothing was made.
    pub provider: String,
    /// In all.
    pub count: u64,
    /// Without a result.
    pub failed: u64,
}

fn scope(feed: i64) -> Scope {
    if feed == 0 { Scope::Everybody } else { Scope::Feed(FeedId(feed)) }
}

fn made(row: &mut Record) -> Result<Option<Made>, StoreError> {
    let key: Option<Hash> = row.next()?;
    let kind: Option<Kind> = row.next()?;
    let text: Option<Hash> = row.next()?;
    let (language, provider, model, prompt): (Option<String>, Option<String>, Option<String>, Option<String>) =
        (row.next()?, row.next()?, row.next()?, row.next()?);
    let of: Option<i64> = row.next()?;
    let (json, failed): (Option<String>, Option<String>) = (row.next()?, row.next()?);
    let (took, at) = (row.next::<Option<i64>>()?, row.next::<Option<Timestamp>>()?);
    let (Some(key), Some(kind), Some(text), Some(at)) = (key, kind, text, at) else { return Ok(None) };
    let source = Source {
        kind,
        text,
        language: language.unwrap_or_default(),
        provider: provider.unwrap_or_default(),
        model: model.unwrap_or_default(),
        prompt: prompt.unwrap_or_default(),
        scope: scope(of.unwrap_or(0)),
    };
    let body = match (json, failed) {
        (_, Some(why)) => Body::Failed(why),
        (Some(json), None) => read_body(kind, &json)?,
        (None, None) => return Err(StoreError::row("a result has neither a body nor a failure")),
    };
    Ok(Some(Made { key, source, body, at, took: jiff::SignedDuration::from_micros(took.unwrap_or(0)) }))
}

fn read_body(kind: Kind, json: &str) -> Result<Body, StoreError> {
    Ok(match kind {
        Kind::Summary => Body::Summary(serde_json::from_str(json).map_err(StoreError::row)?),
        Kind::Tags => Body::Tags(serde_json::from_str(json).map_err(StoreError::row)?),
        Kind::Deframe => Body::Deframing(serde_json::from_str(json).map_err(StoreError::row)?),
    })
}

/// The body as JSON, and why there is none.
fn written_body(body: &Body) -> (Value, Value) {
    let json = |value: serde_json::Result<String>| Value::from(value.expect("plain data is JSON"));
    match body {
        Body::Summary(summary) => (json(serde_json::to_string(summary)), Value::Null),
        Body::Tags(tags) => (json(serde_json::to_string(tags)), Value::Null),
        Body::Deframing(deframing) => (json(serde_json::to_string(deframing)), Value::Null),
        Body::Failed(why) => (Value::Null, shortened(why).into()),
    }
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_DETAIL)]
}

fn result_row(made: &Made) -> Vec<Value> {
    let Made { key, source, body, at, took } = made;
    let (json, failed) = written_body(body);
    let of = match source.scope {
        Scope::Everybody => 0,
        Scope::Feed(feed) => feed.0,
    };
    vec![
        (*key).into(),
        source.kind.into(),
        source.text.into(),
        source.language.as_str().into(),
        source.provider.as_str().into(),
        source.model.as_str().into(),
        source.prompt.as_str().into(),
        of.into(),
        body.line().into(),
        body.score().into(),
        json,
        failed,
        (*took).into(),
        (*at).into(),
    ]
}

fn enrichment_row(new: &NewEnrichment, now: Timestamp) -> Vec<Value> {
    vec![
        new.entry.0.into(),
        new.kind.into(),
        new.content_hash.into(),
        new.text_hash.into(),
        new.made.as_ref().map(|made| made.key).into(),
        new.why.into(),
        new.detail.as_deref().map(shortened).into(),
        now.into(),
    ]
}

/// Adds the step that forgets what was said about entries that are deleted.
pub(crate) fn forget(batch: &mut Batch, entries: impl Iterator<Item = EntryId>) {
    batch.step(&FORGET, entries.map(|entry| vec![entry.0.into()]).collect());
}

impl Store {
    /// Entries among the newest of a feed whose text was not looked at, newest first.
    pub(crate) async fn unenriched(&self, feed: FeedId, among: u32, limit: u32) -> Result<Vec<EntryId>, StoreError> {
        let row = vec![feed.0.into(), among.into(), limit.into()];
        self.read_all(&UNENRICHED, row, |row| row.next().map(EntryId)).await
    }

    /// What there is to work with; `None` if the entry or its feed is gone. Entries opened since a moment count.
    pub(crate) async fn material(&self, entry: EntryId, since: Timestamp) -> Result<Option<Material>, StoreError> {
        self.read_first(&SOURCE, vec![entry.0.into(), since.into()], |row| {
            let (feed, title, content_hash) = (FeedId(row.next()?), row.next()?, row.next()?);
            let (content, summary): (Option<String>, Option<String>) = (row.next()?, row.next()?);
            let full_text = row.next()?;
            let (of_entry, of_feed): (Option<String>, Option<String>) = (row.next()?, row.next()?);
            let rules = codes::rules(row.next()?)?;
            let private = row.next()?;
            let (takers, subscribers): (u32, u32) = (row.next()?, row.next()?);
            Ok(Material {
                feed,
                title,
                content_hash,
                content: content.or(summary),
                full_text,
                language: of_entry.or(of_feed),
                rules,
                private,
                takers: if subscribers == 0 { 1 } else { takers },
                subscribers,
                owner: row.next()?,
                opens: row.next()?,
            })
        })
        .await
    }

    /// The rules of a feed's own, and how many want its entries enriched; `None` if it is gone.
    pub(crate) async fn enriched_feed(
        &self,
        feed: FeedId,
    ) -> Result<Option<(BTreeMap<String, String>, u32)>, StoreError> {
        self.read_first(&OF_FEED, vec![feed.0.into()], |row| {
            let rules = codes::rules(row.next()?)?;
            let (takers, subscribers): (u32, u32) = (row.next()?, row.next()?);
            Ok((rules, if subscribers == 0 { 1 } else { takers }))
        })
        .await
    }

    /// Results that are there already, by their keys.
    pub(crate) async fn results(&self, keys: &[Hash]) -> Result<HashMap<Hash, Made>, StoreError> {
        let rows = keys.iter().map(|key| vec![(*key).into()]).collect();
        let found = self.read_each(&CACHED, rows, made).await?;
        Ok(found.into_iter().flatten().map(|made| (made.key, made)).collect())
    }

    /// Ends a job of enrichments with all that follows from it, in one transaction; if the lease was lost, nothing is
    /// written.
    pub async fn end_enrichment(&self, end: EnrichmentEnd<'_>, now: Timestamp) -> Result<(), StoreError> {
        let EnrichmentEnd { lease, end, enrichments, failure, next, settlement, cached } = end;
        let mut batch = Batch::default();
        jobs::end(&mut batch, lease, &end, now);
        if let Some(settlement) = &settlement {
            ai_ledger::settle(&mut batch, settlement, now);
        }
        if let Some(source) = &cached {
            ai_ledger::count_cached(&mut batch, source, now);
        }
        // One statement writes a row once: entries with one text share its result.
        let mut seen = std::collections::HashSet::new();
        let all = enrichments.iter().filter_map(|new| new.made.as_ref()).chain(&failure);
        let results = all.filter(|made| seen.insert(made.key));
        batch.step(&PUT_RESULT, results.map(result_row).collect());
        batch.step(&PUT, enrichments.iter().map(|new| enrichment_row(new, now)).collect());
        if !next.is_empty() {
            jobs::enqueue(&mut batch, &next, now);
        }
        outbox::record(&mut batch, now, news(&enrichments));
        self.submit(self.lane(), batch).await.map(|_| ()).map_err(|refused| match refused {
            Refused::Stale => StoreError::JobLost { kind: lease.kind.clone(), subject: lease.subject.clone() },
            Refused::Failed(error) => error,
        })
    }

    /// What is said about an entry.
    pub async fn enrichments(&self, viewer: Viewer, entry: EntryId) -> Result<Vec<Enrichment>, StoreError> {
        let found = self.enrichments_of_text(viewer, entry).await?;
        Ok(found.into_iter().map(|(enrichment, _)| enrichment).collect())
    }

    /// The same, each with the hash of the text that it is about.
    pub async fn enrichments_of_text(
        &self,
        viewer: Viewer,
        entry: EntryId,
    ) -> Result<Vec<(Enrichment, Hash)>, StoreError> {
        self.read_all(&SHOWN, vec![entry.0.into(), viewer.into()], |row| {
            let (kind, why, detail, at, text) = (row.next()?, row.next()?, row.next()?, row.next()?, row.next()?);
            Ok((Enrichment { kind, why, detail, at, made: made(row)? }, text))
        })
        .await
    }

    /// What lists show a user of entries; nothing of those for which they switched it off.
    pub async fn headlines(&self, user: UserId, entries: &[EntryId]) -> Result<HashMap<EntryId, Headline>, StoreError> {
        let rows = entries.iter().map(|entry| vec![entry.0.into(), user.0.into()]).collect();
        let parts = self.read_each(&HEADLINE, rows, |row| {
            Ok((EntryId(row.next()?), row.next::<Kind>()?, row.next::<Option<String>>()?, row.next::<Option<i64>>()?))
        });
        let mut headlines: HashMap<EntryId, Headline> = HashMap::new();
        for (entry, kind, line, score) in parts.await? {
            let headline = headlines.entry(entry).or_default();
            match kind {
                Kind::Summary => headline.one_line = line,
                Kind::Deframe => {
                    (headline.calm_title, headline.score) = (line, score.map(|score| score as f64 / 1000.0));
                }
                Kind::Tags => {}
            }
        }
        Ok(headlines)
    }

    /// Forgets the failures for good of a content, and returns the entries that have it: for trying again.
    pub async fn forget_enrichment_failures(&self, content: Hash, limit: u32) -> Result<Vec<EntryId>, StoreError> {
        let entries =
            self.read_all(&WITH_CONTENT, vec![content.into(), limit.into()], |row| row.next().map(EntryId)).await?;
        self.write_one(&FORGET_FAILURES, vec![content.into()]).await?;
        Ok(entries)
    }

    /// Entries whose enrichment of a kind failed, newest first.
    pub(crate) async fn failed_enrichments(&self, kind: Kind, limit: u32) -> Result<Vec<EntryId>, StoreError> {
        self.read_all(&FAILED, vec![kind.into(), limit.into()], |row| row.next().map(EntryId)).await
    }

    /// How many enrichments there are.
    pub async fn enrichment_counts(&self) -> Result<Vec<EnrichmentCount>, StoreError> {
        self.read_all(&COUNTS, vec![], |row| {
            Ok(EnrichmentCount { kind: row.next()?, provider: row.next()?, count: row.next()?, failed: row.next()? })
        })
        .await
    }

    /// Forgets results made before a moment that no entry shows; returns how many. Call it again while there are any.
    pub async fn forget_unused_results(&self, before: Timestamp) -> Result<u64, StoreError> {
        let keys: Vec<Hash> = self.read_all(&UNUSED, vec![before.into(), STEP.into()], |row| row.next()).await?;
        let mut batch = Batch::default();
        batch.step(&FORGET_RESULT, keys.iter().map(|key| vec![(*key).into()]).collect());
        if !keys.is_empty() {
            self.write(batch).await?;
        }
        Ok(keys.len() as u64)
    }

    /// Whether a user wants to see any of it.
    pub async fn wants_ai(&self, user: UserId) -> Result<bool, StoreError> {
        Ok(self.read_first(&WANTS, vec![user.0.into()], |row| row.next()).await?.unwrap_or(false))
    }

    /// Sets it.
    pub async fn set_wants_ai(&self, user: UserId, wants: bool) -> Result<(), StoreError> {
        self.write_one(&SET_WANTS, vec![user.0.into(), wants.into()]).await.map(|_| ())
    }

    /// What a user chose for a feed that they follow.
    pub async fn ai_switch(&self, user: UserId, feed: FeedId) -> Result<Option<Switch>, StoreError> {
        self.read_first(&SWITCH, vec![user.0.into(), feed.0.into()], |row| row.next()).await
    }

    /// Sets it; `false` if they do not follow it.
    pub async fn set_ai_switch(&self, user: UserId, feed: FeedId, switch: Option<Switch>) -> Result<bool, StoreError> {
        Ok(self.write_counted(&SET_SWITCH, vec![user.0.into(), feed.0.into(), switch.into()]).await? > 0)
    }
}

/// What there is to tell about entries that have something new to show.
fn news(enrichments: &[NewEnrichment]) -> Vec<Draft> {
    let mut kinds: BTreeMap<(EntryId, FeedId), Vec<&str>> = BTreeMap::new();
    for new in
        enrichments.iter().filter(|new| new.made.as_ref().is_some_and(|made| !matches!(made.body, Body::Failed(_))))
    {
        kinds.entry((new.entry, new.feed)).or_default().push(new.kind.as_str());
    }
    let draft = |((entry, feed), kinds): ((EntryId, FeedId), Vec<&str>)| {
        let payload = Payload { version: 1, json: serde_json::json!({ "kinds": kinds }) };
        Draft::about(EventKind::EntryEnriched, Subject::Entry(feed, entry), payload)
    };
    kinds.into_iter().map(draft).collect()
}
