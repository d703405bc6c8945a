//! `courant opml`: imports and exports lists of feeds, for the owner. One bad row is reported and does not stop the
//! rest.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use engine::{Engine, Exporting, Import, Imported, Importing};
use model::feed::Origin;
use serde_json::{Value, json};
use store::Store;
use syndication::opml::{self, Limits, Options, Report, Skip};

use super::Context;
use super::progress::bar;
use super::table::printable;
use crate::config::{Config, redacted};
use crate::report::complain;
use crate::wiring;

/// What to do with lists of feeds.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Subscribe to the feeds of a list; those that are there already stay as they are
    ///
    /// If the file is truncated, the feeds that could be read are imported, a warning says that some are missing, and the exit
    /// code is 1. Importing the whole list afterwards adds the rest.
    Import {
        /// An OPML file; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Put everything below this category; `A/B` is B in A
        #[arg(long, value_name = "NAME")]
        category: Option<String>,
        /// A folder that holds one feed and nothing else becomes that feed
        #[arg(long)]
        flatten: bool,
        /// Show what would be done, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Write the subscriptions as OPML 2.0
    Export {
        /// Where to; without it, standard output
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Include private feeds: their addresses, never their credentials
        #[arg(long)]
        private: bool,
        /// Include feeds without subscribers, such as those of `feed add --no-subscribe`
        #[arg(long)]
        all: bool,
    },
}

/// How many rows are listed in text mode; `--json` lists all.
const TOLD: usize = 50;

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Import { file, category, flatten, dry_run } => {
            let how = if *dry_run { Importing::DryRun } else { Importing::Write };
            // Before the database is opened: a missing file is reported first.
            let bytes = read(file)?;
            let options = Options { flatten_single_feed_folders: *flatten, ..Options::default() };
            let (list, report) = opml::read(&bytes, &options, &Limits::default())
                .with_context(|| format!("cannot import {}", file.display()))?;
            let work = async |config: Config, store: Store| {
                let blobs = wiring::open_blobs(&config).await?;
                let engine = wiring::engine(&config, store, blobs, &context.clock)?;
                let imported = import(context, &engine, &list, (category.as_deref(), how)).await?;
                tell(context, &imported, &report, how)?;
                let read = count(&list.rows);
                anyhow::ensure!(
                    !report.ended_early,
                    "{} ends early; feeds that were read: {read}; others are missing: \
                     import a whole copy of the list to add them",
                    file.display()
                );
                Ok(())
            };
            if *dry_run { context.with_store_or_empty(work) } else { context.with_new_store(work) }
        }
        Args::Export { file, private, all } => {
            let what = Exporting { private: *private, unsubscribed: *all };
            context.with_store(async |_, store| export(context, &store, file.as_deref(), what).await)
        }
    }
}

/// The file, up to the size limit.
fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let limit = Limits::default().bytes as u64 + 1;
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        let read = fs::File::open(file).and_then(|file| file.take(limit).read_to_end(&mut bytes));
        read.with_context(|| format!("cannot read {}", file.display()))?;
    }
    Ok(bytes)
}

async fn import(
    context: &Context,
    engine: &Engine,
    list: &opml::Opml,
    (under, how): (Option<&str>, Importing),
) -> anyhow::Result<Imported> {
    let user = engine.store().owner().await?.id;
    let bar = bar(context.output, count(&list.rows));
    let imported =
        engine::import(engine, user, list, (under, how, Origin::Operator), |done| bar.set_position(done as u64)).await;
    bar.finish_and_clear();
    Ok(imported?)
}

fn count(rows: &[opml::Row]) -> u64 {
    let mut feeds = 0;
    let mut open: Vec<&opml::Row> = rows.iter().collect();
    while let Some(row) = open.pop() {
        match row {
            opml::Row::Feed(_) => feeds += 1,
            opml::Row::Folder(folder) => open.extend(&folder.rows),
        }
    }
    feeds
}

/// A rejected row: which, why, and where if known.
struct Refused {
    row: String,
    why: String,
    line: Option<u32>,
}

fn tell(context: &Context, imported: &Imported, report: &Report, how: Importing) -> anyhow::Result<()> {
    let (mut added, mut subscribed, mut there, mut refused) = (0, 0, Vec::new(), Vec::new());
    for row in &imported.rows {
        match &row.result {
            Import::Added(_) | Import::WouldAdd => added += 1,
            Import::Subscribed(_) => subscribed += 1,
            Import::AlreadyThere(_) => there.push(row.url.clone()),
            Import::Refused(why) => refused.push(Refused { row: row.url.clone(), why: why.clone(), line: None }),
        }
    }
    there.extend(report.already_there.iter().map(|row| redacted(row)));
    refused.extend(report.skipped.iter().map(|skipped| Refused {
        row: redacted(&skipped.row),
        why: why(&skipped.why),
        line: Some(skipped.line),
    }));
    if context.output.is_json() {
        let refused = refused.iter().map(|one| json!({ "row": one.row, "why": one.why, "line": one.line }));
        return context.output.json(&json!({
            "added": added, "subscribed": subscribed, "already_there": there, "refused": refused.collect::<Vec<Value>>(),
            "categories_made": imported.categories_made, "tags_left_out": imported.tags_left_out,
            "repaired": report.repaired, "cut": report.cut, "ended_early": report.ended_early,
            "dry_run": how == Importing::DryRun,
        }));
    }
    let dry_run = if how == Importing::DryRun { "nothing was changed; an import would say: " } else { "" };
    let mut lines = vec![format!(
        "{dry_run}{added} added, {subscribed} subscribed that were known, {} already there, {} refused",
        there.len(),
        refused.len()
    )];
    if imported.categories_made > 0 {
        lines.push(format!("{} categories made", imported.categories_made));
    }
    if imported.tags_left_out > 0 {
        let count = imported.tags_left_out;
        lines.push(format!("{count} tags were dropped: a feed is in one category"));
    }
    if report.repaired > 0 {
        lines.push(format!("{} errors in the file were repaired", report.repaired));
    }
    if report.cut {
        lines.push("the list exceeds the limits: the rest was not imported".to_owned());
    }
    lines.extend(refused.iter().take(TOLD).map(|one| {
        let line = one.line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("refused: {line}{}: {}", printable(&one.row), one.why)
    }));
    if refused.len() > TOLD {
        lines.push(format!("and {} more: --json names all", refused.len() - TOLD));
    }
    context.output.print(lines.join("\n"))
}

fn why(skip: &Skip) -> String {
    match skip {
        Skip::NotHttp => "only http and https can be visited".to_owned(),
        Skip::Kind(kind) => format!("it is of a kind that cannot be visited: {}", printable(kind)),
        Skip::Include => "it points to another list, which is not fetched: import that one".to_owned(),
        Skip::NoAddress => "it claims to be a feed, but has no URL".to_owned(),
    }
}

async fn export(context: &Context, store: &Store, file: Option<&Path>, what: Exporting) -> anyhow::Result<()> {
    let user = store.owner().await?.id;
    let exported = engine::export(store, user, what).await?;
    let text = opml::write(&exported.list, context.clock.now());
    let left_out = [
        (
            exported.private_left_out,
            "private feeds were not exported: --private includes them, without their credentials",
        ),
        (exported.unsubscribed_left_out, "feeds without subscribers were not exported: --all includes them"),
    ];
    let left_out = left_out.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let Some(file) = file else {
        left_out.for_each(|line| complain(&line));
        return context.output.print(text);
    };
    replace(file, text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))?;
    if context.output.is_json() {
        return context.output.json(&json!({
            "file": file.display().to_string(), "feeds": exported.feeds, "private_left_out": exported.private_left_out,
            "unsubscribed_left_out": exported.unsubscribed_left_out,
        }));
    }
    let said = format!("{} feeds written to {}", exported.feeds, file.display());
    context.output.print([said].into_iter().chain(left_out).collect::<Vec<_>>().join("\n"))
}

/// Writes a file atomically: an existing list is not lost to a full disk.
fn replace(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut draft = file.as_os_str().to_owned();
    draft.push(".new");
    let draft = PathBuf::from(draft);
    let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, file));
    if written.is_err() {
        // The incomplete draft is useless.
        let _ = fs::remove_file(&draft);
    }
    written
}
