//! `courant backup`: one moment of the database as a directory that `courant restore` takes, made beside a running
//! server. Raw bytes and the secret key only on request. PostgreSQL has tools of its own, which are named instead.
//!
//! The directory holds `courant.db`, `backup.json`, and, if asked for, `blobs/` and `keys/secret`. It gets its name only
//! when it is whole and was read again.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use blobs::{BlobError, BlobKey, Blobs, S3Options};
use serde_json::json;
use store::FileFacts;

use super::Context;
use crate::config::{BlobsUrl, Config, DatabaseUrl, SecretUrl, Value as _, keys};
use crate::log::Role;
use crate::output::Output;
use crate::report::NotThisWay;

/// What to save, and where.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A directory that is not there yet
    #[arg(value_name = "DIRECTORY")]
    to: PathBuf,
    /// The raw bytes of visits, too
    #[arg(long)]
    with_blobs: bool,
    /// The secret key, too: whoever has it can read the credentials of private feeds
    #[arg(long)]
    with_keys: bool,
}

pub(super) const DATABASE: &str = "courant.db";
pub(super) const MANIFEST: &str = "backup.json";
pub(super) const BLOBS: &str = "blobs";
pub(super) const SECRET: &str = "keys/secret";

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
    anyhow::ensure!(!args.to.exists(), "{} is there already: name a directory that is not", args.to.display());
    let mut draft = args.to.as_os_str().to_owned();
    draft.push(".partial");
    let draft = Draft::make(draft.into())?;

    store::copy_file(database, &draft.0.join(DATABASE))?;
    let facts = store::inspect_file(&draft.0.join(DATABASE)).context("the copy is not whole")?;
    // After the database: whatever it refers to was put away before it was told.
    let mut copied = blobs.map_or(Ok(Copied::default()), |from| copy_blobs(&from, &draft.0.join(BLOBS)))?;
    let damaged = if args.with_blobs { damaged(&draft.0.join(BLOBS))? } else { Vec::new() };
    for (key, _) in &damaged {
        // It would stand in the way of a restore, and is of no use to anybody.
        copied.forget(&draft.0.join(BLOBS).join(key.to_string())).context("cannot leave out a damaged file")?;
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
        Output::Json => context.output.json(&manifest),
        Output::Text => context.output.print(told(args, &facts, (&copied, &damaged), secret.is_some())),
    }
}

/// The address as others may see it: without a password, wherever it stands.
pub(super) fn plain(url: &SecretUrl) -> String {
    let mut url = url.expose().clone();
    // Fails only where there is no place for one.
    let _ = url.set_password(None);
    let kept: Vec<(String, String)> = url.query_pairs().into_owned().filter(|(name, _)| name != "password").collect();
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    String::from(url).replace('\'', "%27")
}

/// Where the raw bytes are, if they are files.
pub(super) fn blobs_directory(config: &Config) -> anyhow::Result<PathBuf> {
    match &config.blobs.url {
        BlobsUrl::Directory(path) => Ok(path.clone()),
        bucket @ BlobsUrl::S3 { .. } => {
            let what = format!("the raw bytes are in {}: copy them with the bucket's own tools", bucket.show());
            Err(NotThisWay(what).into())
        }
    }
}

fn kept_secret(config: &Config) -> anyhow::Result<PathBuf> {
    let path = config.general.data.join(SECRET);
    let configured = "the secret is configured, not kept in a file: it is saved with the configuration";
    if config.auth.secret.is_some() {
        return Err(NotThisWay(configured.to_owned()).into());
    }
    anyhow::ensure!(path.exists(), "there is no {}: nothing was sealed yet", path.display());
    Ok(path)
}

fn told(args: &Args, facts: &FileFacts, (copied, damaged): (&Copied, &Damaged), keys: bool) -> String {
    let blobs = if args.with_blobs {
        format!("{} files, {} bytes", copied.files, copied.bytes)
    } else {
        "left out (--with-blobs): what was served is lost with them, what was understood is not".to_owned()
    };
    let keys = if keys {
        "saved: keep this where you keep passwords"
    } else {
        "left out (--with-keys): without them the credentials of private feeds cannot be read"
    };
    let mut lines = vec![
        format!("saved to {}, and read again", args.to.display()),
        format!("  database  {} feeds, {} entries, {} bytes", facts.feeds, facts.entries, facts.bytes),
        format!("  blobs     {blobs}"),
        format!("  keys      {keys}"),
    ];
    if let Some((key, why)) = damaged.first() {
        let count = damaged.len();
        lines.push(format!(
            "{count} raw bodies are damaged and were left out, such as {key} ({why}): look after the disk"
        ));
    }
    lines.join("\n")
}

/// A directory that is not finished; gone when dropped.
pub(super) struct Draft(pub(super) PathBuf);

impl Draft {
    fn make(path: PathBuf) -> anyhow::Result<Self> {
        if path.exists() {
            anyhow::bail!(
                "a backup is being made there, or was interrupted: see to it, then remove {}",
                path.display()
            );
        }
        keys::private_directory(&path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        Ok(Self(path))
    }

    fn settle(self, to: &Path) -> anyhow::Result<()> {
        sync(&self.0).with_context(|| format!("cannot write {}", self.0.display()))?;
        fs::rename(&self.0, to).with_context(|| format!("cannot make {}", to.display()))?;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After `settle` there is nothing under that name.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How much was copied.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Copied {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl Copied {
    fn forget(&mut self, file: &Path) -> std::io::Result<()> {
        let bytes = fs::metadata(file)?.len();
        fs::remove_file(file)?;
        *self = Self { files: self.files - 1, bytes: self.bytes - bytes };
        Ok(())
    }
}

/// Blobs whose bytes are not what their names say, and why.
pub(super) type Damaged = Vec<(BlobKey, String)>;

/// Reads all blobs of a directory, and names those that are damaged.
pub(super) fn damaged(directory: &Path) -> anyhow::Result<Damaged> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let blobs = Blobs::open(&format!("file:{}", directory.display()), &S3Options::default())?;
        let mut damaged = Vec::new();
        let mut after = None;
        loop {
            let page = blobs.list(after, 1000).await?;
            let Some(last) = page.last() else { return Ok(damaged) };
            after = Some(last.key);
            for listed in &page {
                match blobs.verify(listed).await {
                    Err(BlobError::Corrupt { key, why, .. }) => damaged.push((key, why)),
                    verified => verified?,
                }
            }
        }
    })
}

/// Copies blobs that are not there yet: files of a name and a size are the same bytes.
pub(super) fn copy_blobs(from: &Path, to: &Path) -> anyhow::Result<Copied> {
    let mut copied = Copied::default();
    if !from.exists() {
        return Ok(copied);
    }
    let mut copy = || -> std::io::Result<()> {
        fs::create_dir_all(to)?;
        for shard in fs::read_dir(from)? {
            let shard = shard?;
            if !shard.file_type()?.is_dir() || shard.file_name().len() != 2 {
                continue;
            }
            let target = to.join(shard.file_name());
            fs::create_dir_all(&target)?;
            for blob in fs::read_dir(shard.path())? {
                let blob = blob?;
                // What else lies there is not ours.
                let name = format!("{}/{}", shard.file_name().display(), blob.file_name().display());
                if !blob.file_type()?.is_file() || name.parse::<BlobKey>().is_err() {
                    continue;
                }
                match copy_file(&blob.path(), &target.join(blob.file_name())) {
                    Ok(bytes) => copied = Copied { files: copied.files + 1, bytes: copied.bytes + bytes },
                    // Swept meanwhile: nobody refers to it.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            sync(&target)?;
        }
        sync(to)
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(copied)
}

fn copy_file(from: &Path, to: &Path) -> std::io::Result<u64> {
    let bytes = fs::metadata(from)?.len();
    if fs::metadata(to).is_ok_and(|there| there.len() == bytes) {
        return Ok(bytes);
    }
    let bytes = fs::copy(from, to)?;
    fs::File::open(to)?.sync_all()?;
    Ok(bytes)
}

/// Copies the secret so that nobody else can read it, at no moment, and that there is all of it or none.
pub(super) fn copy_secret(from: &Path, to: &Path) -> anyhow::Result<()> {
    let draft = to.with_extension("new");
    let copy = || -> std::io::Result<()> {
        if let Some(directory) = to.parent() {
            keys::private_directory(directory)?;
        }
        // What somebody who was interrupted has left.
        let _ = fs::remove_file(&draft);
        let mut file = keys::private_file(&draft)?;
        file.write_all(&fs::read(from)?)?;
        file.sync_all()?;
        fs::rename(&draft, to)
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// A name is safe on disk only when its directory is; where directories cannot be opened, the system sees to it.
pub(super) fn sync(directory: &Path) -> std::io::Result<()> {
    if cfg!(unix) { fs::File::open(directory)?.sync_all() } else { Ok(()) }
}
