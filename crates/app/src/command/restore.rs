//! `courant store restore`: restores what `courant store backup` saved, or a bare database file. It never replaces an
//! existing database, and is all or nothing: everything is staged and verified first, and the database gets its name
//! last.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use jiff::Timestamp;
use serde_json::{Value, json};
use store::FileFacts;

use super::Context;
use super::saved::{
    BLOBS, Copied, DATABASE, Draft, MANIFEST, SECRET, blobs_directory, copy_blobs, copy_secret, damaged, directory_of,
    plain, sync_tree, with_suffix,
};
use crate::config::{DatabaseUrl, keys};
use crate::lock::ServeLock;
use crate::log::Role;
use crate::output::Output;
use crate::report::NotThisWay;
use crate::wiring;

/// What to bring back.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `courant store backup` made, or a database file
    #[arg(value_name = "BACKUP")]
    from: PathBuf,
}

/// How many damaged files are named.
const NAMED: usize = 5;

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    let config = context.start(Role::Tool)?;
    let database = match &config.database.url {
        DatabaseUrl::Sqlite(path) => path,
        DatabaseUrl::Postgres(url) => {
            let command = format!("pg_restore --dbname='{}' {}", plain(url), args.from.display());
            return Err(NotThisWay(format!("PostgreSQL has its own tool for this: {command}")).into());
        }
    };
    let backup = Backup::at(&args.from)?;
    refuse_to_overwrite(database)?;
    let facts = store::inspect_file(&backup.database).context("the backup cannot be used")?;
    let secret = keys::kept_at(&config);
    let brings_secret = backup.secret.as_deref().filter(|_| config.auth.secret.is_none());
    refuse_another_key(brings_secret, &secret)?;
    let blobs = backup.blobs.as_deref().map(|from| blobs_directory(&config).map(|to| (from, to))).transpose()?;

    wiring::make_directory(&config.general.data)?;
    let place = database.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    wiring::make_directory(place)?;
    // With the lock no server starts on half of it, and no other restore is running whose files could be overwritten.
    let _lock = ServeLock::take(&config.general.data)?;
    let raw = blobs.map(|(from, to)| StagedBlobs::copy(from, to)).transpose()?;
    let staged = StagedDatabase::copy(&backup.database, database, context.clock.now())?;
    let interrupted = staged.interrupted;

    // From here on there are only renames.
    let copied = raw.map_or(Ok(Copied::default()), StagedBlobs::settle)?;
    if let Some(from) = brings_secret.filter(|_| !secret.exists()) {
        copy_secret(from, &secret)?;
    }
    staged.settle(database, place).with_context(|| format!("cannot write {}", database.display()))?;

    let restored = Restored {
        database,
        facts: &facts,
        interrupted,
        copied,
        missing: backup.blob_count.map_or(0, |count| count.saturating_sub(copied.files)),
        lacks_secret: (!secret.exists() && config.auth.secret.is_none()).then_some(secret),
    };
    match context.output {
        Output::Json(_) => context.output.json(&restored.body()),
        Output::Text => context.output.print(restored.text()),
    }
}

/// The result.
struct Restored<'a> {
    database: &'a Path,
    facts: &'a FileFacts,
    /// Feeds that were being visited during the backup.
    interrupted: usize,
    copied: Copied,
    /// Raw bodies that existed at the backup and are missing.
    missing: u64,
    /// Where the secret key should be, if there is none.
    lacks_secret: Option<PathBuf>,
}

impl Restored<'_> {
    fn body(&self) -> Value {
        json!({
            "database": self.database.display().to_string(), "feeds": self.facts.feeds, "entries": self.facts.entries,
            "schema": self.facts.schema, "blobs": self.copied.files, "blobs_missing": self.missing,
            "keys": self.lacks_secret.is_none(), "visits_interrupted": self.interrupted,
        })
    }

    fn text(&self) -> String {
        let Self { database, facts, interrupted, copied, missing, lacks_secret } = self;
        let mut lines =
            vec![format!("{} restored: {} feeds, {} entries", database.display(), facts.feeds, facts.entries)];
        if *interrupted > 0 {
            lines.push(format!("{interrupted} feeds were being visited during the backup: they are due again"));
        }
        if copied.files > 0 {
            lines.push(format!("{} raw bodies restored and verified", copied.files));
        }
        if *missing > 0 {
            lines.push(format!("{missing} raw bodies are missing from the backup, and are lost"));
        }
        if let Some(place) = lacks_secret {
            lines.push(format!(
                "the secret key is not in the backup: if feeds have credentials, copy the old key to {} before you start",
                place.display()
            ));
        }
        lines.join("\n")
    }
}

fn refuse_to_overwrite(database: &Path) -> anyhow::Result<()> {
    for suffix in ["", "-wal"] {
        let there = with_suffix(database, suffix);
        anyhow::ensure!(
            !there.exists(),
            "{} exists: a backup never replaces a database; move it away, or choose another directory with COURANT_DATA",
            there.display()
        );
    }
    Ok(())
}

fn refuse_another_key(from: Option<&Path>, there: &Path) -> anyhow::Result<()> {
    let same = |from: &Path| fs::read(from).ok() == fs::read(there).ok();
    if let Some(from) = from.filter(|from| there.exists() && !same(from)) {
        let (from, there) = (from.display(), there.display());
        anyhow::bail!("{there} is another key than {from}: move one of them away, then restore again");
    }
    Ok(())
}

/// The parts of a backup.
struct Backup {
    database: PathBuf,
    blobs: Option<PathBuf>,
    /// How many raw bodies there were when it was made.
    blob_count: Option<u64>,
    secret: Option<PathBuf>,
}

impl Backup {
    fn at(path: &Path) -> anyhow::Result<Self> {
        let found = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        if found.is_file() {
            return Ok(Self { database: path.to_owned(), blobs: None, blob_count: None, secret: None });
        }
        let manifest: Value = fs::read(path.join(MANIFEST))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .filter(|manifest: &Value| manifest["program"] == "courant")
            .with_context(|| format!("{} was not made by `courant store backup`", path.display()))?;
        let part = |name: &str| Some(path.join(name)).filter(|part| part.exists());
        let database = part(DATABASE).with_context(|| format!("{} contains no {DATABASE}", path.display()))?;
        let missing = manifest["keys"] == true && part(SECRET).is_none();
        anyhow::ensure!(!missing, "{} should contain {SECRET}", path.display());
        Ok(Self { database, blobs: part(BLOBS), blob_count: manifest["blobs"].as_u64(), secret: part(SECRET) })
    }
}

/// Staged raw bodies, each verified by its hash.
struct StagedBlobs {
    draft: Draft,
    to: PathBuf,
    copied: Copied,
}

impl StagedBlobs {
    fn copy(from: &Path, to: PathBuf) -> anyhow::Result<Self> {
        let draft = Draft(with_suffix(&to, ".restoring"));
        // Leftovers of an interrupted restore.
        let _ = fs::remove_dir_all(&draft.0);
        let copied = copy_blobs(from, &draft.0)?;
        let damaged = damaged(&draft.0)?;
        if !damaged.is_empty() {
            let named = damaged.iter().take(NAMED).map(|(key, why)| format!("{}/{key} ({why})", from.display()));
            let named = named.collect::<Vec<_>>().join(", ");
            let more = damaged.len().saturating_sub(NAMED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            anyhow::bail!(
                "the backup is damaged, and nothing was restored: {named}{more}; use another backup, or move these files away to continue without them"
            );
        }
        sync_tree(&draft.0).with_context(|| format!("cannot write {}", draft.0.display()))?;
        Ok(Self { draft, to, copied })
    }

    fn settle(self) -> anyhow::Result<Copied> {
        let settle = || -> io::Result<()> {
            if let Some(parent) = self.to.parent() {
                fs::create_dir_all(parent)?;
            }
            if !self.to.exists() {
                fs::rename(&self.draft.0, &self.to)?;
                return keys::sync_directory(directory_of(&self.to));
            }
            // An existing file under a blob's name has the same bytes, or is damaged.
            for shard in fs::read_dir(&self.draft.0)? {
                let shard = shard?;
                let target = self.to.join(shard.file_name());
                fs::create_dir_all(&target)?;
                for blob in fs::read_dir(shard.path())? {
                    let blob = blob?;
                    fs::rename(blob.path(), target.join(blob.file_name()))?;
                }
                keys::sync_directory(&target)?;
            }
            keys::sync_directory(&self.to)
        };
        settle().with_context(|| format!("cannot write {}", self.to.display()))?;
        Ok(self.copied)
    }
}

/// A staged database, complete, and without leases of workers elsewhere; removed when dropped.
struct StagedDatabase {
    draft: PathBuf,
    interrupted: usize,
}

impl StagedDatabase {
    fn copy(from: &Path, to: &Path, now: Timestamp) -> anyhow::Result<Self> {
        let mut staged = Self { draft: with_suffix(to, ".restoring"), interrupted: 0 };
        let _ = fs::remove_file(&staged.draft);
        let mut copy = || -> anyhow::Result<()> {
            // Through SQLite: a log file beside a bare database belongs to it.
            store::copy_file(from, &staged.draft)?;
            store::inspect_file(&staged.draft)?;
            staged.interrupted = store::adopt_file(&staged.draft, now)?;
            Ok(fs::File::open(&staged.draft)?.sync_all()?)
        };
        copy().with_context(|| format!("cannot write {}", to.display()))?;
        Ok(staged)
    }

    /// Gives it its name, unless that exists.
    fn settle(self, to: &Path, place: &Path) -> anyhow::Result<()> {
        // A link never replaces a file; some file systems have no links.
        match fs::hard_link(&self.draft, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error)?,
            Err(_) => fs::rename(&self.draft, to)?,
            Ok(()) => {}
        }
        Ok(keys::sync_directory(place)?)
    }
}

impl Drop for StagedDatabase {
    fn drop(&mut self) {
        // After `settle` it has another name as well, or only another one.
        let _ = fs::remove_file(&self.draft);
    }
}
