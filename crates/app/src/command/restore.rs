//! `courant restore`: brings back what `courant backup` saved, or a bare database file. Never over a database that is
//! there, and all or nothing: the database gets its name last.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::Context;
use super::backup::{BLOBS, Copied, DATABASE, MANIFEST, SECRET, blobs_directory, copy_blobs, copy_secret, plain, sync};
use crate::config::DatabaseUrl;
use crate::lock::ServeLock;
use crate::log::Role;
use crate::output::Output;
use crate::report::NotThisWay;
use crate::wiring;

/// What to bring back.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// What `courant backup` made, or a database file
    #[arg(value_name = "BACKUP")]
    from: PathBuf,
}

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
    for suffix in ["", "-wal"] {
        let there = with_suffix(database, suffix);
        anyhow::ensure!(
            !there.exists(),
            "{} is there: a backup is never restored over a database; move it away, or choose another place with COURANT_DATA",
            there.display()
        );
    }
    let facts = store::inspect_file(&backup.database).context("the backup cannot be used")?;
    let secret = config.general.data.join(SECRET);
    let brings_secret = backup.secret.as_ref().filter(|_| config.auth.secret.is_none());
    let same = |from: &Path| fs::read(from).ok() == fs::read(&secret).ok();
    if let Some(from) = brings_secret.filter(|from| secret.exists() && !same(from)) {
        let (from, there) = (from.display(), secret.display());
        anyhow::bail!("{there} is another key than {from}: move one of them away, then restore again");
    }
    let blobs = backup.blobs.as_ref().map(|_| blobs_directory(&config)).transpose()?;

    wiring::make_directory(&config.general.data)?;
    let place = database.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    wiring::make_directory(place)?;
    // Nobody starts serving half of it.
    let _lock = ServeLock::take(&config.general.data)?;
    let copied = match backup.blobs.as_ref().zip(blobs) {
        Some((from, to)) => copy_blobs(from, &to)?,
        None => Copied::default(),
    };
    if let Some(from) = brings_secret.filter(|_| !secret.exists()) {
        copy_secret(from, &secret)?;
    }
    settle(&backup.database, database, place).with_context(|| format!("cannot write {}", database.display()))?;

    let keys = secret.exists() || config.auth.secret.is_some();
    if context.output == Output::Json {
        return context.output.json(&json!({
            "database": database.display().to_string(), "feeds": facts.feeds, "entries": facts.entries,
            "schema": facts.schema, "blobs": copied.files, "keys": keys,
        }));
    }
    let mut lines = vec![format!("{} restored: {} feeds, {} entries", database.display(), facts.feeds, facts.entries)];
    if copied.files > 0 {
        lines.push(format!("{} raw bodies restored", copied.files));
    }
    if !keys {
        lines.push(format!(
            "the secret key is not in the backup: put the old one to {} before you start, if feeds have credentials",
            secret.display()
        ));
    }
    context.output.print(lines.join("\n"))
}

/// What there is to restore.
struct Backup {
    database: PathBuf,
    blobs: Option<PathBuf>,
    secret: Option<PathBuf>,
}

impl Backup {
    fn at(path: &Path) -> anyhow::Result<Self> {
        let found = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        if found.is_file() {
            return Ok(Self { database: path.to_owned(), blobs: None, secret: None });
        }
        let manifest: Value = fs::read(path.join(MANIFEST))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .filter(|manifest: &Value| manifest["program"] == "courant")
            .with_context(|| format!("{} was not made by `courant backup`", path.display()))?;
        let part = |name: &str| Some(path.join(name)).filter(|part| part.exists());
        let database = part(DATABASE).with_context(|| format!("{} holds no {DATABASE}", path.display()))?;
        let missing = manifest["keys"] == true && part(SECRET).is_none();
        anyhow::ensure!(!missing, "{} should hold {SECRET}, and does not", path.display());
        Ok(Self { database, blobs: part(BLOBS), secret: part(SECRET) })
    }
}

/// Copies the database beside its place, makes sure of it, and gives it its name unless somebody was first.
fn settle(from: &Path, to: &Path, place: &Path) -> anyhow::Result<()> {
    let draft = with_suffix(to, ".restoring");
    let copy = || -> anyhow::Result<()> {
        // By way of the database: a log beside a bare file belongs to it.
        let _ = fs::remove_file(&draft);
        store::copy_file(from, &draft)?;
        store::inspect_file(&draft)?;
        // A link never replaces; some file systems have none.
        match fs::hard_link(&draft, to) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(error)?,
            Err(_) => fs::rename(&draft, to)?,
            Ok(()) => {}
        }
        Ok(sync(place)?)
    };
    let copied = copy();
    let _ = fs::remove_file(&draft);
    copied
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
