//! `courant store backup`: a consistent snapshot of the database as a directory for `courant store restore`, made
//! beside a running server. Raw bytes and the secret key only on request. For PostgreSQL it names the server's own
//! tools instead.
//!
//! The directory holds `courant.db`, `backup.json`, and, if requested, `blobs/` and `keys/secret`. It gets its name
//! only when it is complete and verified.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use serde_json::json;
use store::FileFacts;

use super::saved::{
    BLOBS, Copied, DATABASE, Damaged, Draft, MANIFEST, SECRET, blobs_directory, copy_blobs, copy_secret, damaged,
    plain, with_suffix,
};
use super::{Context, table};
use crate::config::{Config, DatabaseUrl, keys};
use crate::log::Role;
use crate::output::Output;
use crate::report::NotThisWay;

/// What to save, and where.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A directory that does not exist yet
    #[arg(value_name = "DIRECTORY")]
    to: PathBuf,
    /// The raw bytes of visits, too
    #[arg(long)]
    with_blobs: bool,
    /// The secret key, too: it can decrypt the credentials of private feeds
    #[arg(long)]
    with_keys: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let config = context.start(Role::Tool)?;
    let database = match &config.database.url {
        DatabaseUrl::Sqlite(path) => path,
        DatabaseUrl::Postgres(url) => {
            let command = format!("pg_dump --format=custom --file={} --dbname='{}'", args.to.display(), plain(url));
            let what = "PostgreSQL has its own tool for this, which works beside a running server";
            return Err(NotThisWay(format!("{what}: {command}")).into());
        }
    };
    anyhow::ensure!(database.exists(), "there is no database at {}: nothing to save", database.display());
    let blobs = args.with_blobs.then(|| blobs_directory(&config)).transpose()?;
    let secret = args.with_keys.then(|| kept_secret(&config)).transpose()?;
    anyhow::ensure!(!args.to.exists(), "{} exists already: name a directory that does not", args.to.display());
    let draft = Draft::make(with_suffix(&args.to, ".partial"))?;

    store::copy_file(database, &draft.0.join(DATABASE))?;
    let facts = store::inspect_file(&draft.0.join(DATABASE)).context("the copy is damaged")?;
    // After the database: everything it refers to was stored before.
    let mut copied = blobs.map_or(Ok(Copied::default()), |from| copy_blobs(&from, &draft.0.join(BLOBS)))?;
    let damaged = if args.with_blobs { damaged(&draft.0.join(BLOBS))? } else { Vec::new() };
    for (key, _) in &damaged {
        // It would prevent a restore, and is useless.
        copied
            .forget(&draft.0.join(BLOBS).join(key.to_string()))
            .context("cannot remove a damaged file from the backup")?;
    }
    if let Some(secret) = &secret {
        copy_secret(secret, &draft.0.join(SECRET))?;
    }
    let manifest = json!({
        "program": "courant", "version": env!("CARGO_PKG_VERSION"), "made_at": context.clock.now().to_string(),
        "schema": facts.schema, "database_bytes": facts.bytes, "feeds": facts.feeds, "entries": facts.entries,
        "blobs": args.with_blobs.then_some(copied.files), "blob_bytes": copied.bytes, "keys": secret.is_some(),
        "blobs_damaged": damaged.iter().map(|(key, _)| key.to_string()).collect::<Vec<_>>(),
    });
    let written = fs::write(draft.0.join(MANIFEST), format!("{manifest:#}\n"));
    written.with_context(|| format!("cannot write {MANIFEST}"))?;
    draft.settle(&args.to)?;
    match context.output {
        Output::Json(_) => context.output.json(&manifest),
        Output::Text => context.output.print(told(args, &facts, (&copied, &damaged), secret.is_some())),
    }
}

fn kept_secret(config: &Config) -> anyhow::Result<PathBuf> {
    let path = keys::kept_at(config);
    let configured = "the secret is configured, not stored in a file: back it up with the configuration";
    if config.auth.secret.is_some() {
        return Err(NotThisWay(configured.to_owned()).into());
    }
    anyhow::ensure!(path.exists(), "there is no {}: nothing was encrypted yet", path.display());
    Ok(path)
}

fn told(args: &Args, facts: &FileFacts, (copied, damaged): (&Copied, &Damaged), keys: bool) -> String {
    let blobs = if args.with_blobs {
        format!("{} files, {} bytes", copied.files, copied.bytes)
    } else {
        "not saved (--with-blobs saves them): without them raw documents are lost, entries are not".to_owned()
    };
    let keys = if keys {
        "saved: store this backup as safely as passwords"
    } else {
        "not saved (--with-keys saves them): without them the credentials of private feeds cannot be decrypted"
    };
    let mut lines = vec![
        format!("saved to {}, and verified", args.to.display()),
        format!("  database  {} feeds, {} entries, {} bytes", facts.feeds, facts.entries, facts.bytes),
        format!("  blobs     {blobs}"),
        format!("  keys      {keys}"),
    ];
    if let Some((key, why)) = damaged.first() {
        let count = damaged.len();
        lines.push(format!("{count} raw bodies are damaged and were not saved, such as {key} ({why}): check the disk"));
    }
    lines.iter().map(|line| table::paragraph(line, 12)).collect::<Vec<_>>().join("\n")
}
