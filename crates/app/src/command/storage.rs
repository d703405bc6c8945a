//! `courant store`: backup, restore and check of the stored data.

use std::path::Path;

use clap::Subcommand;
use serde_json::json;
use store::{Purpose, inspect_file, inspect_server};

use super::saved::{Damaged, blobs_directory, damaged};
use super::{Context, backup, restore};
use crate::config::{Config, DatabaseUrl};
use crate::log::Role;
use crate::output::Output;
use crate::report::Told;
use crate::wiring::{self, Patience};

/// What to do with the store.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Save the database, beside a running server
    Backup(backup::Args),
    /// Restore a backup, if there is no database
    Restore(restore::Args),
    /// Check the whole database for damage
    Check {
        /// Also verify the raw bytes of all visits against their hashes
        #[arg(long)]
        raw: bool,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Backup(args) => backup::run(context, args),
        Args::Restore(args) => restore::run(context, args),
        Args::Check { raw } => check(context, *raw),
    }
}

/// The result.
struct Checked {
    database: String,
    schema: i64,
    /// One sentence each.
    problems: Vec<String>,
}

fn check(context: &Context, raw: bool) -> anyhow::Result<()> {
    let config = context.start(Role::Tool)?;
    super::must_be_there(&config)?;
    let mut checked = match &config.database.url {
        DatabaseUrl::Sqlite(path) => file(path),
        DatabaseUrl::Postgres(_) => server(context, &config)?,
    };
    let damaged: Option<Damaged> = if raw { Some(damaged(&blobs_directory(&config)?)?) } else { None };
    let lost = damaged.iter().flatten().map(|(key, why)| format!("raw body {key} is damaged: {why}"));
    checked.problems.extend(lost);
    match context.output {
        Output::Json(_) => context.output.json(&json!({
            "database": checked.database, "schema": checked.schema, "raw_checked": raw, "problems": checked.problems,
        }))?,
        Output::Text if checked.problems.is_empty() => {
            let also = if raw { ", and so are the raw bytes" } else { "" };
            context.output.print(format_args!("{} is intact{also} (schema {})", checked.database, checked.schema))?;
        }
        Output::Text => {
            let lines = checked.problems.iter().map(|problem| format!("problem  {problem}"));
            context.output.print(lines.collect::<Vec<_>>().join("\n"))?;
        }
    }
    if checked.problems.is_empty() { Ok(()) } else { Err(Told.into()) }
}

fn file(path: &Path) -> Checked {
    let database = path.display().to_string();
    match inspect_file(path) {
        Ok(facts) => Checked { database, schema: facts.schema, problems: facts.troubles },
        Err(error) => Checked { database, schema: 0, problems: vec![error.to_string()] },
    }
}

fn server(context: &Context, config: &Config) -> anyhow::Result<Checked> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (address, options) = wiring::store_options(config, Purpose::Command, Patience::Command, &context.clock)?;
        let facts = inspect_server(&address, &options, || context.clock.now()).await?;
        Ok(Checked { database: address.to_string(), schema: facts.schema, problems: facts.troubles })
    })
}
