//! Checks of the stored data: the database, the raw bytes, and the state of the feeds.
//!
//! A database is inspected from outside first; it is opened as a store only when it is sound and needs no migration,
//! because a check must not change it.

use std::path::Path;

use blobs::Blobs;
use jiff::{SignedDuration, Timestamp};
use model::Viewer;
use model::feed::FeedState;
use store::{FeedStatus, Purpose, Store, StoreError};

use super::super::Context;
use super::super::feed::list::all;
use super::super::progress::bar;
use super::{Findings, State, machine};
use crate::config::{BlobsUrl, Config, DatabaseUrl};
use crate::wiring::{self, Patience};

/// How many feeds have their newest raw bytes verified.
const SAMPLE: usize = 20;
/// Raw fetches in memory at once.
const PAGE: u32 = 100;
/// How many broken ones are named.
const NAMED: usize = 10;
/// A feed overdue by this much should have been visited.
const OVERDUE: SignedDuration = SignedDuration::from_hours(1);
/// Clocks that follow a time server differ by less.
const APART: SignedDuration = SignedDuration::from_secs(2);
/// Times may be ahead by this much; the store tolerates it, too.
const BEHIND: SignedDuration = SignedDuration::from_mins(1);
/// Half a lease: from here on feeds may be visited twice.
const FAR_APART: SignedDuration = SignedDuration::from_secs(60);

pub(super) async fn examine(context: &Context, config: &Config, running: bool, deep: bool, found: &mut Findings) {
    let to_be_opened = match &config.database.url {
        DatabaseUrl::Sqlite(path) => file(path, running, found).await,
        DatabaseUrl::Postgres(_) => server(context, config, found).await,
    };
    if !to_be_opened {
        return bytes_alone(config, found).await;
    }
    match wiring::open_store(config, Purpose::Command, Patience::Look, &context.clock).await {
        Err(error) => found.problem("database", format!("{error:#}")),
        Ok(store) => {
            let looked = look(context, config, &store, deep, found).await;
            if let Err(error) = looked {
                found.problem("database", format!("{error:#}"));
            }
            // Nothing was written, so nothing can be lost on closing.
            let _ = store.close(context.clock.now()).await;
        }
    }
}

/// Checks a SQLite file; returns whether it may be opened.
async fn file(path: &Path, running: bool, found: &mut Findings) -> bool {
    if !path.exists() {
        found.warning("database", format!("{} does not exist yet: the first start creates it", path.display()));
        return false;
    }
    let file = path.to_owned();
    let facts = tokio::task::spawn_blocking(move || store::inspect_file(&file)).await;
    let facts = match facts.expect("looking at a file does not panic") {
        Err(error) => {
            found.problem("database", error.to_string());
            return false;
        }
        Ok(facts) => facts,
    };
    let size = format!("{}, {} MiB, {} entries", path.display(), facts.bytes >> 20, facts.entries);
    found.ok("database", format!("{size}, intact, schema {}", facts.schema));
    // A running server has not stopped yet.
    if facts.last_stop.as_deref() == Some("unclean") && !running {
        found.warning("last stop", "the last server did not stop cleanly: the next start checks the file first");
    }
    is_sound(facts.schema, facts.newest, facts.troubles, found)
}

/// Checks a database server; returns whether it may be opened.
async fn server(context: &Context, config: &Config, found: &mut Findings) -> bool {
    let inspected = async {
        let (address, options) = wiring::store_options(config, Purpose::Command, Patience::Look, &context.clock)?;
        let facts = store::inspect_server(&address, &options, || context.clock.now()).await?;
        anyhow::Ok((address, facts))
    };
    let (address, facts) = match inspected.await {
        Err(error) => {
            let away = matches!(error.downcast_ref(), Some(StoreError::Unavailable { .. }));
            let remedy = if away { "; start the server, or correct `database.url`" } else { "" };
            found.problem("database", format!("{error:#}{remedy}"));
            return false;
        }
        Ok(facts) => facts,
    };
    let (state, says) = clocks(facts.ahead, facts.give_or_take);
    found.add("clock", state, says);
    if facts.schema == 0 {
        found.warning("database", format!("{address} responds and is empty: the first start creates the tables"));
        return false;
    }
    found.ok("database", format!("{address} responds: PostgreSQL {}, schema {}", facts.version, facts.schema));
    is_sound(facts.schema, facts.newest, facts.troubles, found)
}

fn is_sound(schema: i64, newest: i64, troubles: Vec<String>, found: &mut Findings) -> bool {
    for trouble in troubles {
        found.problem("database", trouble);
    }
    if schema < newest {
        let what = format!("schema {schema}: the next start brings it to {newest}");
        found.warning("database", format!("{what}; make a backup first"));
    }
    schema >= newest
}

/// What the difference between the server's clock and ours means. No data is lost, because tokens fence all writes; but
/// a machine that is ahead takes leases for expired, and visits a feed that another worker holds.
fn clocks(ahead: SignedDuration, give_or_take: SignedDuration) -> (State, String) {
    let difference = ahead.abs();
    let way = if ahead.is_negative() { "behind" } else { "ahead of" };
    let says = format!("the database's clock is {} s {way} ours", difference.as_secs());
    let remedy = "let both machines follow the same time server (NTP)";
    // The duration of the query itself is a tolerance.
    match difference.saturating_sub(give_or_take) {
        apart if apart >= FAR_APART => (State::Problem, format!("{says}, which is half a lease: {remedy}")),
        apart if apart >= APART => (State::Warning, format!("{says}: {remedy}")),
        _ => (State::Ok, "the database's clock agrees with ours".to_owned()),
    }
}

/// Checks the storage of raw bytes without a database that says what should be there.
async fn bytes_alone(config: &Config, found: &mut Findings) {
    match &config.blobs.url {
        // The first start creates it; if that is impossible, the data directory is reported.
        BlobsUrl::Directory(path) if path.starts_with(&config.general.data) => {}
        BlobsUrl::Directory(path) => match machine::can_be_made(path) {
            Ok(()) => found.ok("blobs", format!("{} exists, or can be created", path.display())),
            Err(error) => found.problem("blobs", format!("cannot create {}: {error}", path.display())),
        },
        BlobsUrl::S3 { .. } => match wiring::open_blobs(config).await {
            Ok(blobs) => found.ok("blobs", format!("{blobs} can be written to")),
            Err(error) => found.problem("blobs", format!("{error:#}")),
        },
    }
}

async fn look(
    context: &Context,
    config: &Config,
    store: &Store,
    deep: bool,
    found: &mut Findings,
) -> anyhow::Result<()> {
    let feeds = all(store).await?;
    let now = context.clock.now();
    tell_feeds(&feeds, now, found);
    let visited = feeds.iter().filter_map(|status| status.last_visit_at);
    let latest = store.latest_clock().await?.into_iter().chain(visited).max();
    if let Some(latest) = latest.filter(|latest| latest.duration_since(now) > BEHIND) {
        found.warning("clock", machine::behind(now, latest));
    }
    match wiring::open_blobs(config).await {
        Err(error) => found.problem("blobs", format!("{error:#}")),
        Ok(blobs) if deep => verify_all(context, &feeds, store, &blobs, found).await?,
        Ok(blobs) => sample(&feeds, store, &blobs, found).await?,
    }
    Ok(())
}

fn tell_feeds(feeds: &[FeedStatus], now: Timestamp, found: &mut Findings) {
    let count = |is: &dyn Fn(&FeedStatus) -> bool| feeds.iter().filter(|status| is(status)).count();
    let active = |status: &FeedStatus| status.feed.state == FeedState::Active;
    let failing = count(&|status| active(status) && status.failures > 0);
    let disabled = count(&|status| matches!(status.feed.state, FeedState::Disabled { .. }));
    let never = count(&|status| active(status) && status.last_visit_at.is_none());
    let overdue = count(&|status| {
        let late = |due: Timestamp| now.duration_since(due) > OVERDUE;
        active(status) && status.worker.is_none() && status.due_at.is_some_and(late)
    });
    let says = format!("{} feeds: {failing} failing, {disabled} disabled, {never} never visited", feeds.len());
    if failing + disabled > 0 {
        found.warning("feeds", format!("{says}; courant feed list says why"));
    } else {
        found.ok("feeds", says);
    }
    if overdue > 0 {
        found.warning(
            "visits",
            format!("{overdue} feeds are overdue by more than an hour: check whether a server runs"),
        );
    }
}

/// Verifies the newest bytes of some feeds.
async fn sample(feeds: &[FeedStatus], store: &Store, blobs: &Blobs, found: &mut Findings) -> Result<(), StoreError> {
    let (mut whole, mut broken) = (0, Vec::new());
    // Spread over all feeds, old and new.
    let step = (feeds.len() / SAMPLE).max(1);
    for status in feeds.iter().step_by(step).take(SAMPLE) {
        for raw in store.raw_fetches(Viewer::Operator, status.feed.id, 1).await? {
            match blobs.wire(&raw.blob).await {
                Ok(_) => whole += 1,
                Err(error) => broken.push(format!("{error:#}")),
            }
        }
    }
    match broken.first() {
        None => found.ok("blobs", format!("{blobs} can be written to; {whole} samples are intact")),
        Some(first) => found.problem(
            "blobs",
            format!(
                "{} of {} samples cannot be read, such as: {first}; restore them from a backup",
                broken.len(),
                broken.len() + whole
            ),
        ),
    }
    Ok(())
}

/// Verifies all raw bytes, one document after the other.
async fn verify_all(
    context: &Context,
    feeds: &[FeedStatus],
    store: &Store,
    blobs: &Blobs,
    found: &mut Findings,
) -> Result<(), StoreError> {
    let bar = bar(context.output, feeds.len() as u64);
    let (mut documents, mut bytes, mut broken, mut named) = (0u64, 0u64, 0u64, Vec::new());
    for status in feeds {
        let mut before = None;
        loop {
            let page = store.raw_fetches_before(Viewer::Operator, status.feed.id, before, PAGE).await?;
            let Some(last) = page.last() else { break };
            before = Some((last.fetched_at, last.id));
            for raw in &page {
                match blobs.wire(&raw.blob).await {
                    Ok(wire) => bytes += wire.len() as u64,
                    // A running server may have deleted it since.
                    Err(_) if store.kept_documents(Viewer::Operator, &[raw.id]).await?.is_empty() => continue,
                    Err(error) => {
                        broken += 1;
                        if named.len() < NAMED {
                            named.push(format!("feed {}: {error:#}", status.feed.id));
                        }
                    }
                }
                documents += 1;
            }
            bar.set_message(format!("{documents} documents, {broken} broken"));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let read = format!("{documents} raw documents ({} MiB) were read", bytes >> 20);
    if broken == 0 {
        found.ok("blobs", format!("{blobs} can be written to; {read}, all intact"));
    } else {
        let remedy = "restore them from a backup, or let `courant cleanup` delete them";
        found.problem("blobs", format!("{read}, {broken} of them damaged: {}; {remedy}", named.join("; ")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_differ_are_told() {
        let check = |ahead_ms: i64, give_or_take_ms: i64, expected: &str| {
            let (state, says) =
                clocks(SignedDuration::from_millis(ahead_ms), SignedDuration::from_millis(give_or_take_ms));
            let said = format!("{}: {says}", state.word());
            assert!(said.starts_with(expected), "{ahead_ms} {give_or_take_ms}: {said}");
        };
        check(300, 1, "ok: the database's clock agrees with ours");
        check(-1900, 1, "ok: ");
        check(2600, 1, "warning: the database's clock is 2 s ahead of ours: let both");
        check(2600, 1000, "ok: ");
        check(-59_000, 1, "warning: the database's clock is 59 s behind ours");
        check(-61_000, 1, "problem: the database's clock is 61 s behind ours, which is half a lease: let both");
        check(i64::MAX, 1, "problem: ");
    }
}
