//! `courant feed sync`: visits on demand, of some feeds or of all. Refusals say what to do.

use engine::{Insistence, RunNow, run_all_now, run_now};
use model::Viewer;
use serde_json::json;

use super::super::{Context, table};
use super::each;
use crate::output::Output;
use crate::wiring;

/// Which feeds, and whether to force the visit.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Ids, UUIDs or URLs; `-` reads them from standard input, one a line
    #[arg(value_name = "FEED", required_unless_present = "all")]
    names: Vec<String>,
    /// All feeds that are visited at all
    #[arg(long, conflicts_with = "names")]
    all: bool,
    /// Even if the server asked for a pause
    #[arg(long, conflicts_with = "all")]
    force: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    context.with_store(async |config, store| {
        let blobs = wiring::open_blobs(&config).await?;
        let engine = wiring::engine(&config, store, blobs, &context.clock)?;
        if args.all {
            let due = run_all_now(&engine).await?;
            return match context.output {
                Output::Json(_) => context.output.json(&json!({ "due": due })),
                Output::Text => context.output.print(format_args!("{due} feeds are due now")),
            };
        }
        let insistence = if args.force { Insistence::Forced } else { Insistence::Polite };
        each(context, engine.store(), &args.names, async |status| {
            match run_now(&engine, Viewer::Operator, status, insistence).await? {
                RunNow::Due => Ok("due now".to_owned()),
                RunNow::AskedToWait(until) => anyhow::bail!(
                    "the server asked for a pause until {}; --force visits it anyway",
                    table::moment(until)
                ),
                RunNow::NotVisited(why) => anyhow::bail!("feed {} is not visited: {why}", status.feed.id),
            }
        })
        .await
    })
}
