//! `courant fetch --all`: visits every enabled feed once, now; ends with a summary. For cron, for benchmarks and for
//! use without a service. Spacing, leases and pauses apply as always.

use std::cell::Cell;
use std::time::Instant;

use engine::Tally;
use serde_json::json;
use store::{Indexed, Purpose, Store, StoreError};
use tokio::sync::watch;

use super::Context;
use super::progress::bar;
use crate::config::DatabaseUrl;
use crate::lock::ServeLock;
use crate::log::Role;
use crate::output::Output;
use crate::wiring::{self, Patience};

/// What to fetch.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Every feed, whatever its schedule says; without it, those that are due
    #[arg(long)]
    all: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let config = context.start(Role::Tool)?;
    wiring::make_directory(&config.general.data)?;
    let lock = match &config.database.url {
        DatabaseUrl::Sqlite(_) => Some(ServeLock::take(&config.general.data).map_err(|error| {
            error.context("the server visits feeds already; `courant feed sync --all` makes them due")
        })?),
        DatabaseUrl::Postgres(_) => None,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let store = wiring::open_store(&config, Purpose::Command, Patience::Command, &context.clock).await?;
        wiring::take_back_leases(lock.as_ref(), &store, &context.clock).await?;
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store.clone(), blobs, &context.clock)?;
        if args.all {
            engine::run_all_now(&engine).await?;
        }
        let begun = Instant::now();
        let (stop, stopping) = watch::channel(false);
        let interrupted = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                let _ = stop.send(true);
            }
            // After its sender is dropped a receiver is always ready.
            std::future::pending::<()>().await;
        });
        let bar = bar(context.output, store.unscoped().due_feeds(context.clock.now()).await?.len() as u64);
        let so_far = Cell::new(Tally::default());
        let progress = |left: usize, tally: &Tally| {
            so_far.set(*tally);
            bar.set_position(bar.length().unwrap_or(0).saturating_sub(left as u64));
            bar.set_message(format!("{} new entries, {} failed", tally.new_entries, tally.failed));
        };
        let tally = engine::run_once(engine.clone(), stopping, progress).await;
        bar.finish_and_clear();
        let indexed = index_all(&store).await;
        interrupted.abort();
        store.close(context.clock.now()).await?;
        let tally = match tally {
            Ok(tally) => tally,
            Err(error) => {
                // The work done so far is stored and reported.
                summary(context, &so_far.get(), begun.elapsed().as_secs_f64())?;
                return Err(error.into());
            }
        };
        indexed?;
        summary(context, &tally, begun.elapsed().as_secs_f64())?;
        let answered = tally.fresh + tally.unchanged;
        anyhow::ensure!(answered > 0 || tally.failed == 0, "every visit failed; `courant feed list` shows the errors");
        Ok(())
    })
}

/// Makes new entries searchable at once; if another process is indexing, it does so.
async fn index_all(store: &Store) -> Result<(), StoreError> {
    while matches!(engine::index_some(store).await?, Indexed::Part(_)) {}
    Ok(())
}

fn summary(context: &Context, tally: &Tally, seconds: f64) -> anyhow::Result<()> {
    let Tally { fresh, unchanged, failed, new_entries, changed_entries } = *tally;
    match context.output {
        Output::Json(_) => context.output.json(&json!({
            "fresh": fresh, "unchanged": unchanged, "failed": failed, "new_entries": new_entries,
            "changed_entries": changed_entries, "seconds": seconds,
        })),
        Output::Text => {
            let feeds = match fresh + unchanged + failed {
                1 => "1 feed".to_owned(),
                count => format!("{count} feeds"),
            };
            context.output.print(format_args!(
                "{feeds} in {seconds:.1} s: {fresh} with a new document, {unchanged} unchanged, {failed} failed; \
                 {new_entries} new entries, {changed_entries} changed"
            ))
        }
    }
}
