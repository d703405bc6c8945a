//! `courant import`: what people have in other programs. ReedMe and Fusion as a whole, starred items of Miniflux and FreshRSS.
//!
//! Our own database is copied aside first, where it is a file; a server's is the operator's to save.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;
use store::{ReedmeFile, Store};

use super::Context;
use super::saved::plain;
use super::table::printable;
use crate::config::{Config, DatabaseUrl};
use crate::log::Role;
use crate::report::NotThisWay;
use crate::wiring;

/// A list of starred items is no larger.
const MOST_BYTES: u64 = 200 << 20;

/// What to import.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Take over a database of ReedMe or Fusion: groups, feeds, items, what was read, bookmarks
    Reedme {
        /// The database file; it is only read
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// For whom; without it, the owner
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// On PostgreSQL: the database was saved, or need not be
        #[arg(long)]
        yes: bool,
    },
    /// Make bookmarks of starred items that Miniflux or FreshRSS exported as JSON
    Stars {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// For whom; without it, the owner
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Reedme { file, user, yes } => {
            // Before the database is opened: a file that is none is reported first.
            let old = ReedmeFile::open(file)?;
            save_first(context, *yes)?;
            context.with_new_store(async |config, store| reedme(context, &config, store, &old, user.as_deref()).await)
        }
        Args::Stars { file, user } => {
            let json = read(file)?;
            context.with_new_store(async |_, store| stars(context, &store, &json, user.as_deref()).await)
        }
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let size = std::fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.len();
    anyhow::ensure!(size <= MOST_BYTES, "{} is larger than {} MiB", file.display(), MOST_BYTES >> 20);
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

/// Copies our own file aside.
fn save_first(context: &Context, yes: bool) -> anyhow::Result<()> {
    let config = context.start(Role::Tool)?;
    match &config.database.url {
        DatabaseUrl::Sqlite(path) if path.exists() => {
            let stamp = context.clock.now().strftime("%Y%m%d-%H%M%S").to_string();
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{stamp}.bak"));
            let copy = PathBuf::from(name);
            store::copy_file(path, &copy)?;
            if !context.output.is_json() {
                context.output.print(format!("the database was copied to {}", copy.display()))?;
            }
            Ok(())
        }
        DatabaseUrl::Postgres(url) if !yes => {
            let command = format!("pg_dump --format=custom --file=courant.dump --dbname='{}'", plain(url));
            Err(NotThisWay(format!("save the database first: {command}; then import with --yes")).into())
        }
        DatabaseUrl::Sqlite(_) | DatabaseUrl::Postgres(_) => Ok(()),
    }
}

async fn whose(store: &Store, name: Option<&str>) -> anyhow::Result<model::UserId> {
    Ok(match name {
        Some(name) => store.user(name).await?.id,
        None => store.owner().await?.id,
    })
}

async fn reedme(
    context: &Context,
    config: &Config,
    store: Store,
    old: &ReedmeFile,
    user: Option<&str>,
) -> anyhow::Result<()> {
    let user = whose(&store, user).await?;
    let blobs = wiring::open_blobs(config).await?;
    let engine = wiring::engine(config, store, blobs, &context.clock)?;
    let told = reader::import_reedme(&engine, user, old).await?;
    let value = json!({
        "feeds": told.feeds, "feeds_known": told.feeds_known, "categories": told.categories, "entries": told.entries,
        "unread": told.unread, "bookmarks": told.bookmarks, "refused": told.refused,
    });
    if context.output.is_json() {
        return context.output.json(&value);
    }
    let mut lines = vec![format!(
        "feeds: {} new, {} known; categories: {}; entries: {}, of these unread: {}; bookmarks: {}",
        told.feeds, told.feeds_known, told.categories, told.entries, told.unread, told.bookmarks
    )];
    lines.extend(told.refused.iter().map(|refused| format!("not imported: {}", printable(refused))));
    context.output.print(lines.join("\n"))
}

async fn stars(context: &Context, store: &Store, json: &[u8], user: Option<&str>) -> anyhow::Result<()> {
    let user = whose(store, user).await?;
    let told = reader::import_stars(store, user, json, context.clock.now()).await??;
    let value = json!({ "bookmarks": told.bookmarks, "known": told.known, "left_out": told.left_out });
    if context.output.is_json() {
        return context.output.json(&value);
    }
    context.output.print(format!(
        "bookmarks: {} new, {} known; without an address: {}",
        told.bookmarks, told.known, told.left_out
    ))
}
