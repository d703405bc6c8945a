//! `courant enrich`: how summaries, tags and calm titles stand, and making them now.

use clap::Subcommand;
use enrich::Enrich;
use model::enrichment::Kind;
use model::job::JobEnd;
use model::{EntryId, FeedId, Viewer};
use serde_json::{Value, json};
use store::{EnrichmentCount, FeedName, Store};
use work::Finished;

use super::{Context, progress, table};
use crate::output::Output;
use crate::wiring;

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Show what was made, what waits, and whether a model may be asked
    Status,
    /// Make now what waits, and end
    Run {
        /// First ask for the newest entries of these feeds
        #[arg(long = "feed", value_name = "FEED")]
        feeds: Vec<String>,
        /// First ask for the newest entries of all feeds
        #[arg(long, conflicts_with = "feeds")]
        all: bool,
        /// At most this many jobs
        #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000)]
        limit: usize,
    },
    /// Ask again for what failed
    Retry {
        /// Only these entries
        #[arg(value_name = "ENTRY")]
        entries: Vec<i64>,
        /// Only `summary`, `tags` or `deframe`
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// Ask the model again, although it failed several times
    ResetBreaker,
}

/// Failed enrichments that are asked for again at once.
const MOST: u32 = 100_000;
/// Feeds read at a time.
const PAGE: u32 = 1_000;

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |config, store| {
        let enrich = wiring::enrich(&config, store.clone(), wiring::worker(), &context.clock)?;
        match args {
            Args::Status => status(context, &store, &enrich).await,
            Args::Run { feeds, all, limit } => {
                anyhow::ensure!(config.ai.enabled, "it is switched off (ai.enabled, COURANT_AI)");
                let feeds = wanted(&store, feeds, *all).await?;
                enrich.ask_for_feeds(&feeds).await?;
                work(context, &store, &enrich, *limit).await
            }
            Args::Retry { entries, kind } => {
                let kind = kind.as_deref().map(read_kind).transpose()?;
                retry(context, &enrich, entries, kind).await
            }
            Args::ResetBreaker => {
                let done = enrich.reset_breaker().await?;
                anyhow::ensure!(done, "no model is configured (ai.provider, COURANT_AI_PROVIDER)");
                told(context, &json!({ "breaker": "closed" }), "the breaker is closed: the model is asked again")
            }
        }
    })
}

fn told(context: &Context, json: &Value, words: &str) -> anyhow::Result<()> {
    match context.output {
        Output::Json(_) => context.output.json(json),
        Output::Text => context.output.print(words),
    }
}

fn read_kind(word: &str) -> anyhow::Result<Kind> {
    Kind::named(word).ok_or_else(|| anyhow::anyhow!("`{word}` is none of {}", Kind::WORDS.join(", ")))
}

async fn wanted(store: &Store, names: &[String], all: bool) -> anyhow::Result<Vec<FeedId>> {
    let mut feeds = Vec::new();
    for name in names {
        feeds.push(store.feed(Viewer::Operator, &FeedName::parse(name)).await?.feed.id);
    }
    let mut after = all.then_some(FeedId(0));
    while let Some(last) = after {
        let page = store.unscoped().feeds_with_rules(last, PAGE).await?;
        feeds.extend(page.iter().map(|feed| feed.id));
        after = page.last().map(|feed| feed.id);
    }
    Ok(feeds)
}

/// Does jobs until none is due.
async fn work(context: &Context, store: &Store, enrich: &Enrich, limit: usize) -> anyhow::Result<()> {
    let runners = [Some(enrich.local_jobs()), enrich.model_jobs()];
    let waiting = |usage: &enrich::Usage| usage.waiting + usage.waiting_local;
    let total = waiting(&enrich.usage().await?);
    let progress = progress::bar_of(context.output, total, "jobs");
    let (mut done, mut failed) = (0, 0);
    for runner in runners.into_iter().flatten() {
        while done < limit {
            let Some((_, finished)) = runner.run_next().await else { break };
            done += 1;
            let is_failure = |end: &JobEnd| matches!(end, JobEnd::Retry { .. } | JobEnd::GiveUp { .. });
            failed += usize::from(matches!(&finished, Finished::Ended(end) if is_failure(end)));
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    let left = waiting(&enrich.usage().await?);
    let counts = store.enrichment_counts().await?;
    let json = json!({ "jobs": done, "failed": failed, "waiting": left, "enrichments": counts.iter().map(count_json).collect::<Vec<_>>() });
    let words = format!(
        "{}, {failed} failed; {} waiting",
        table::count(done, "job"),
        if left == 0 { "none".to_owned() } else { left.to_string() }
    );
    told(context, &json, &words)
}

async fn retry(context: &Context, enrich: &Enrich, entries: &[i64], kind: Option<Kind>) -> anyhow::Result<()> {
    let mut asked = 0;
    for entry in entries {
        enrich.retry_entry(Viewer::Operator, EntryId(*entry)).await?;
        asked += 1;
    }
    if entries.is_empty() {
        for kind in Kind::ALL.into_iter().filter(|known| kind.is_none_or(|kind| kind == *known)) {
            asked += enrich.retry_failed(kind, MOST).await?;
        }
    }
    let words = format!(
        "{} asked for again; `courant enrich run` or a running server makes them",
        table::count(asked, "enrichment")
    );
    told(context, &json!({ "asked": asked }), &words)
}

fn count_json(count: &EnrichmentCount) -> Value {
    json!({ "kind": count.kind.as_str(), "provider": count.provider, "count": count.count, "failed": count.failed })
}

async fn status(context: &Context, store: &Store, enrich: &Enrich) -> anyhow::Result<()> {
    let usage = enrich.usage().await?;
    let counts = store.enrichment_counts().await?;
    match context.output {
        Output::Json(_) => {
            let mut shown = super::ai::as_json(&usage);
            shown["enrichments"] = counts.iter().map(count_json).collect::<Vec<_>>().into();
            context.output.json(&shown)
        }
        Output::Text => {
            let now = context.clock.now();
            let state = &usage.provider_state;
            let model = match &usage.model {
                Some(model) => format!("{} ({model})", usage.provider),
                None => "none; the local toolkit makes everything".to_owned(),
            };
            let mut lines = vec![
                format!(
                    "switch      {}",
                    if usage.stopped {
                        "stopped by an operator (`courant ai start`)"
                    } else if usage.enabled {
                        "on"
                    } else {
                        "off"
                    }
                ),
                format!("model       {model}"),
                format!("waiting     {} for the toolkit, {} for the model", usage.waiting_local, usage.waiting),
            ];
            if usage.model.is_some() {
                lines.push(format!(
                    "breaker     {} after {}",
                    state.breaker.as_str(),
                    table::count(state.failures as usize, "failure")
                ));
                lines.push(format!("budget      {} ({} spent this month)", usage.state.as_str(), usage.spent.month));
                if let Some(until) = state.rate_limited_until.filter(|until| *until > now) {
                    lines.push(format!("asked again {}", table::moment(until)));
                }
            }
            if !counts.is_empty() {
                let rows = counts.iter().map(|count| {
                    let by = if count.provider.is_empty() { "-" } else { &count.provider };
                    vec![
                        count.kind.as_str().to_owned(),
                        by.to_owned(),
                        count.count.to_string(),
                        count.failed.to_string(),
                    ]
                });
                lines.push(String::new());
                lines.push(table::render(&["kind", "made by", "entries", "without"], rows));
            }
            context.output.print(lines.join("\n"))
        }
    }
}
