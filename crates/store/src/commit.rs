//! The commit: a plan becomes one batch, fenced by the lease. Pure up to the last call.
//!
//! A visit that brought nothing is two statements. Entries and events get their ids from the arrival row, inside the
//! transaction and as late as possible, so that id order is commit order.

use crate::db::batch::{Batch, Durable, Refused};
use crate::db::columns::{Part, text, written_columns};
use crate::db::queue::Lane;
use crate::db::sql::{Text, statements};
use crate::db::value::Value;
use crate::leases::HistoryColumns;
use crate::store::Store;
use crate::{StoreError, entries, feed_state, feeds, index, jobs, outbox, rate_groups, raw_fetches, visits};
use jiff::Timestamp;
use model::event::Subject;
use model::feed::GuidTrust;
use model::job::NewJob;
use model::lease::Lease;
use model::plan::{ChangedEntry, Enrich, FeedFacts, Keep, NewEntry, Plan};
use model::{EntryId, FeedId};

written_columns! {
    /// What a visit decides about the next one, in `schedule`.
    DecisionColumns(plan: Plan) {
        due_at: Int = plan.schedule.next.at();
        because: Text = plan.schedule.because.as_str();
        reason: Text = plan.schedule.reason.as_str();
        decided_at: Int = plan.at;
    }
}

statements! {
    /// Ends the lease ($1, $2) and writes when to come again, how the feed behaved, and how many entries it has now ($3 of
    /// the new ones count as unread, $4 in all). The token moves on, so that a replay after a lost answer finds the fence
    /// closed instead of writing twice.
    FENCE(Int, Int, Int, Int; DecisionColumns, HistoryColumns) = Text::Rows(text!(
        "UPDATE schedule SET token = token + 1, worker = NULL, slot_at = NULL, going_at = NULL, going_group = NULL,
             arrivals = arrivals + $3, entries = entries + $4, ",
        Part::Set(5, &[DecisionColumns::NAMES, HistoryColumns::NAMES]),
        " WHERE feed_id = $1 AND token = $2",
    ));
    /// Takes the feed for one transaction, if it is not leased and its token has not moved. Its schedule and history are not
    /// touched.
    FENCE_REWRITE(Int, Int, Int, Int) = Text::One(
        "UPDATE schedule SET token = token + 1, arrivals = arrivals + $3, entries = entries + $4
         WHERE feed_id = $1 AND token = $2 AND worker IS NULL");
    FACTS(Int, Text, Text, Text, Text, Text, Int, Bool, Int) = Text::Rows(
        "UPDATE feeds SET kind = $2, title = $3, site_url = $4, description = $5, language = $6, guid_collisions = $7,
             guid_unreliable = $8, updated_at = $9
         WHERE id = $1");
    /// Takes $1 entry ids and $2 event ids; holds the row until the transaction ends.
    ARRIVE(Int, Int) = Text::One(
        "UPDATE arrival SET entries = entries + $1, events = events + $2 RETURNING entries, events");
}

/// What a commit gave out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// The ids of the plan's new entries, in its order.
    pub new: Vec<EntryId>,
}

impl Store {
    /// Writes a plan in one transaction, if the lease still holds; else nothing.
    pub async fn commit(&self, lease: &Lease, plan: Plan) -> Result<Committed, StoreError> {
        let feed = lease.feed;
        let news = plan.new.len() as i64;
        let batch = batch(feed, lease.token, plan);
        let arrival = batch.arrival;
        let mut answer = self.submit(Lane::Commits, batch).await.map_err(|refused| match refused {
            Refused::Stale => StoreError::LeaseLost { feed },
            Refused::Failed(error) => error,
        })?;
        let last: i64 = match arrival {
            Some(arrival) if news > 0 => {
                answer[arrival.step].records.first_mut().map_or(Ok(0), crate::db::value::Record::next)?
            }
            _ => 0,
        };
        Ok(Committed { new: (last - news + 1..=last).take(news as usize).map(EntryId).collect() })
    }
}

/// Changes of a feed without a visit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// Entries not known before, oldest first.
    pub new: Vec<NewEntry>,
    /// Entries that say something else from now on.
    pub changed: Vec<ChangedEntry>,
    /// Entries that stand elsewhere in lists from now on.
    pub sorted: Vec<(EntryId, Timestamp)>,
    /// What the feed says about itself from now on, if that is something else.
    pub facts: Option<FeedFacts>,
}

impl Store {
    /// Writes the changes of a feed in one transaction, if its token has not moved since it was read; else nothing.
    pub async fn rewrite(&self, peeked: &Lease, rewrite: Rewrite, now: Timestamp) -> Result<(), StoreError> {
        let feed = peeked.feed;
        let mut batch = Batch::default();
        let Rewrite { new, changed, sorted, facts } = rewrite;
        let fence = vec![feed.0.into(), peeked.token.into(), loud(&new).into(), (new.len() as i64).into()];
        batch.fence(&FENCE_REWRITE, fence);
        if let Some(facts) = facts {
            batch.step(&FACTS, vec![facts_row(feed, facts, now)]);
        }
        let events = edits(feed, &changed).collect();
        // The index knows the words and the date of each entry.
        let moved = sorted.iter().map(|(id, _)| *id);
        index::queue(&mut batch, changed.iter().map(|changed| changed.id).chain(moved));
        entries::change(&mut batch, feed, changed, now);
        entries::set_order(&mut batch, &sorted);
        arrive(&mut batch, feed, peeked.dossier.history.readings, new, events, now);
        self.submit(self.lane(), batch).await.map(|_| ()).map_err(|refused| match refused {
            Refused::Stale => StoreError::LeaseLost { feed },
            Refused::Failed(error) => error,
        })
    }
}

/// A plan as a transaction.
pub(crate) fn batch(feed: FeedId, token: i64, plan: Plan) -> Batch {
    let mut batch = Batch::lasting(durability(&plan));
    batch.fence(&FENCE, fence_row(feed, token, &plan));
    visits::remember(&mut batch, feed, plan.history.visits - 1, &plan.visit);
    if let Some(facts) = plan.feed {
        batch.step(&FACTS, vec![facts_row(feed, facts, plan.at)]);
    }
    if let Some(url) = &plan.moved {
        feeds::move_to(&mut batch, feed, url, plan.at);
    }
    if let Some(state) = &plan.state {
        feed_state::set_after_visit(&mut batch, feed, state, plan.at);
    }
    if let Some(pause) = &plan.pause {
        rate_groups::pause(&mut batch, &pause.group, pause.until, pause.why, plan.at);
    }
    if let Some(raw) = plan.raw {
        raw_fetches::insert(&mut batch, raw);
    }
    if let Some(headers) = plan.headers {
        visits::keep_headers(&mut batch, feed, plan.history.visits - 1, headers);
    }
    let mut events: Vec<outbox::Draft> = plan
        .events
        .into_iter()
        .map(|event| outbox::Draft::about(event.kind, Subject::Feed(feed), event.payload))
        .collect();
    events.extend(edits(feed, &plan.changed));
    index::queue(&mut batch, plan.changed.iter().map(|changed| changed.id));
    entries::change(&mut batch, feed, plan.changed, plan.at);
    entries::redate(&mut batch, &plan.redated);
    entries::add_keys(&mut batch, feed, &plan.aliases);
    entries::set_lineage(&mut batch, &plan.lineage);
    if plan.enrich == Enrich::Wanted {
        jobs::enqueue(&mut batch, &[NewJob::enrich_feed(feed, plan.at)], plan.at);
    }
    arrive(&mut batch, feed, plan.history.readings, plan.new, events, plan.at);
    batch
}

/// Whether a plan must be on the disk before its commit is answered. A loss of power may take back only what the next visit
/// writes again.
fn durability(plan: &Plan) -> Durable {
    // Without `..`: a new field must be considered here to compile.
    let Plan {
        // The visit is merely repeated, and its header fields come again with it.
        at: _,
        visit: _,
        schedule: _,
        history: _,
        headers: _,
        // Only logged.
        refused: _,
        raw,
        feed,
        state,
        moved,
        pause,
        new,
        changed,
        redated,
        aliases,
        lineage,
        events,
        // Asked for by what is new or changed.
        enrich: _,
    } = plan;
    let brings_nothing = raw.is_none()
        && feed.is_none()
        && state.is_none()
        && moved.is_none()
        && pause.is_none()
        && new.is_empty()
        && changed.is_empty()
        && redated.is_empty()
        && aliases.is_empty()
        && lineage.is_empty()
        && events.is_empty();
    if brings_nothing { Durable::Soon } else { Durable::Now }
}

/// What there is to tell about entries that say something else.
fn edits(feed: FeedId, changed: &[ChangedEntry]) -> impl Iterator<Item = outbox::Draft> {
    let told = changed.iter().filter(|changed| changed.keep == Keep::Revision);
    told.map(move |changed| outbox::Draft::changed(feed, changed))
}

/// Adds the steps that hold the arrival row, where there is anything to give an id to.
fn arrive(
    batch: &mut Batch,
    feed: FeedId,
    reading: i64,
    new: Vec<NewEntry>,
    mut events: Vec<outbox::Draft>,
    now: Timestamp,
) {
    let news = new.len();
    let loud = new.iter().enumerate().filter(|(_, entry)| !entry.quiet);
    events.extend(loud.map(|(i, _)| outbox::Draft::new_entry(feed, news - 1 - i)));
    if news > 0 || !events.is_empty() {
        batch.arrive(&ARRIVE, news, events.len());
        entries::insert(batch, feed, reading, new);
        outbox::insert(batch, now, events);
    }
}

/// How many of new entries count as unread.
fn loud(new: &[NewEntry]) -> i64 {
    new.iter().filter(|entry| !entry.quiet).count() as i64
}

fn fence_row(feed: FeedId, token: i64, plan: &Plan) -> Vec<Value> {
    let mut row = Vec::with_capacity(4 + DecisionColumns::COUNT + HistoryColumns::COUNT);
    row.extend([feed.0.into(), token.into(), loud(&plan.new).into(), (plan.new.len() as i64).into()]);
    DecisionColumns::bind(plan, &mut row);
    HistoryColumns::bind(&plan.history, &mut row);
    row
}

fn facts_row(feed: FeedId, facts: FeedFacts, now: Timestamp) -> Vec<Value> {
    let GuidTrust { collisions, unreliable } = facts.guids;
    vec![
        feed.0.into(),
        facts.kind.into(),
        facts.title.into(),
        facts.site_url.into(),
        facts.description.into(),
        facts.language.into(),
        collisions.into(),
        unreliable.into(),
        now.into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use model::FetchId;
    use model::blob::{AtRest, Blob, BlobHash, Coding};
    use model::entry::{EntryKey, KeyKind, Lineage};
    use model::event::{EventKind, Payload};
    use model::feed::FeedState;
    use model::lease::History;
    use model::plan::{Alias, EntryVersion, FeedEvent, LineageChange, Pause, PauseReason, Redated};
    use model::raw::{KeptHeaders, RawFetch};
    use model::schedule::{Because, Next, Schedule};
    use model::visit::{PastVisit, VisitResult};

    #[test]
    fn only_a_visit_that_brought_nothing_may_come_to_the_disk_later() {
        let (at, took) = (Timestamp::UNIX_EPOCH, SignedDuration::ZERO);
        let nothing = Plan {
            at,
            visit: PastVisit {
                at,
                status: Some(304),
                result: VisitResult::Unchanged,
                error: None,
                took,
                wire_bytes: 0,
                decoded_bytes: 0,
                new_entries: 0,
                changed_entries: 0,
                next_at: None,
                interval: took,
                reason: String::new(),
                trace: Vec::new(),
                headers_at: None,
                problems: None,
                ewma: None,
            },
            schedule: Schedule {
                next: Next::At(at),
                interval: took,
                because: Because::NotModified,
                reason: String::new(),
                trace: Vec::new(),
            },
            history: History::default(),
            raw: None,
            headers: None,
            feed: None,
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
            enrich: Enrich::No,
        };
        let check = |case: &str, plan: Plan, expected: Durable| {
            assert_eq!(batch(FeedId(1), 1, plan).durable, expected, "{case}");
        };
        check("nothing", nothing.clone(), Durable::Soon);
        let (url, request, response) = (String::new(), Vec::new(), Vec::new());
        let headers = Some(KeptHeaders { at, url, status: 304, request, response });
        check("other header fields", Plan { headers, ..nothing.clone() }, Durable::Soon);
        check("refused entries", Plan { refused: vec!["too long".into()], ..nothing.clone() }, Durable::Soon);
        let raw = RawFetch {
            id: FetchId(uuid::Uuid::nil()),
            feed: FeedId(1),
            fetched_at: at,
            url: String::new(),
            status: 200,
            request_headers: Vec::new(),
            response_headers: Vec::new(),
            blob: Blob {
                hash: BlobHash([0; 32]),
                coding: Coding::Identity,
                at_rest: AtRest::AsIs,
                wire_bytes: 0,
                stored_bytes: 0,
            },
            content_type: None,
            decoded_bytes: 0,
            understood: true,
            truncated: false,
            problems: Vec::new(),
        };
        check("a body", Plan { raw: Some(raw), ..nothing.clone() }, Durable::Now);
        check("another title", Plan { feed: Some(FeedFacts::default()), ..nothing.clone() }, Durable::Now);
        check("another state", Plan { state: Some(FeedState::Active), ..nothing.clone() }, Durable::Now);
        check("a move", Plan { moved: Some("https://two.example/".into()), ..nothing.clone() }, Durable::Now);
        let pause = Some(Pause { group: "one.example".into(), until: at, why: PauseReason::Asked });
        check("a pause", Plan { pause, ..nothing.clone() }, Durable::Now);
        let (id, version, hash) = (EntryId(1), EntryVersion::default(), [0; 16]);
        let new = vec![NewEntry {
            uid: String::new(),
            keys: Vec::new(),
            version: version.clone(),
            first_seen_at: at,
            sort_at: at,
            quiet: true,
        }];
        check("a new entry", Plan { new, ..nothing.clone() }, Durable::Now);
        let changed = vec![ChangedEntry { id, version, keys: Vec::new(), keep: Keep::Nothing }];
        check("a changed entry", Plan { changed, ..nothing.clone() }, Durable::Now);
        let redated = vec![Redated { id, published_at: None, updated_at: None, raw_hash: hash, raw: None }];
        check("other dates", Plan { redated, ..nothing.clone() }, Durable::Now);
        let aliases = vec![Alias { id, key: EntryKey { kind: KeyKind::Url, hash } }];
        check("another key", Plan { aliases, ..nothing.clone() }, Durable::Now);
        let lineage = vec![LineageChange { id, lineage: Lineage::Present { since_reading: 1 } }];
        check("an entry that came back", Plan { lineage, ..nothing.clone() }, Durable::Now);
        let events = vec![FeedEvent { kind: EventKind::FeedHealth, payload: Payload::none() }];
        check("an event", Plan { events, ..nothing }, Durable::Now);
    }
}
