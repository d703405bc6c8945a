//! The parts of a backup, shared by `backup.rs` and `restore.rs`: their names, and how they are copied and verified.
//! Works on files only.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use blobs::{BlobError, BlobKey, Blobs, S3Options};

use crate::config::{BlobsUrl, Config, SecretUrl, Value as _, keys};
use crate::report::NotThisWay;

pub(super) const DATABASE: &str = "courant.db";
pub(super) const MANIFEST: &str = "backup.json";
pub(super) const BLOBS: &str = "blobs";
pub(super) const SECRET: &str = "keys/secret";

/// The URL without passwords, for display.
pub(super) fn plain(url: &SecretUrl) -> String {
    let mut url = url.expose().clone();
    // Fails only for URLs that cannot have one.
    let _ = url.set_password(None);
    let kept: Vec<(String, String)> = url.query_pairs().into_owned().filter(|(name, _)| name != "password").collect();
    url.set_query(None);
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    String::from(url).replace('\'', "%27")
}

/// The directory of raw bytes, if they are files.
pub(super) fn blobs_directory(config: &Config) -> anyhow::Result<PathBuf> {
    match &config.blobs.url {
        BlobsUrl::Directory(path) => Ok(path.clone()),
        bucket @ BlobsUrl::S3 { .. } => {
            let what = format!("the raw bytes are in {}: copy them with the bucket's own tools", bucket.show());
            Err(NotThisWay(what).into())
        }
    }
}

/// An unfinished directory; removed when dropped.
pub(super) struct Draft(pub(super) PathBuf);

impl Draft {
    pub(super) fn make(path: PathBuf) -> anyhow::Result<Self> {
        if path.exists() {
            anyhow::bail!(
                "a backup is in progress there, or was interrupted: if none is running, remove {}",
                path.display()
            );
        }
        keys::private_directory(&path).with_context(|| format!("cannot make the directory {}", path.display()))?;
        Ok(Self(path))
    }

    /// Gives it its name, once all its content is on disk.
    pub(super) fn settle(self, to: &Path) -> anyhow::Result<()> {
        sync_tree(&self.0).with_context(|| format!("cannot write {}", self.0.display()))?;
        let named = fs::rename(&self.0, to).and_then(|()| keys::sync_directory(directory_of(to)));
        named.with_context(|| format!("cannot make {}", to.display()))
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
    pub(super) fn forget(&mut self, file: &Path) -> std::io::Result<()> {
        let bytes = fs::metadata(file)?.len();
        fs::remove_file(file)?;
        *self = Self { files: self.files - 1, bytes: self.bytes - bytes };
        Ok(())
    }
}

/// Blobs whose bytes do not match their names, and why.
pub(super) type Damaged = Vec<(BlobKey, String)>;

/// Verifies all blobs of a directory, and returns the damaged ones.
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

/// Copies blobs that do not exist yet: files with the same name and size have the same bytes. Durable only after
/// [`sync_tree`]: syncing each of thousands of small files takes longer than all the rest.
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
                // Other files are not ours.
                let name = format!("{}/{}", shard.file_name().display(), blob.file_name().display());
                if !blob.file_type()?.is_file() || name.parse::<BlobKey>().is_err() {
                    continue;
                }
                match copy_file(&blob.path(), &target.join(blob.file_name())) {
                    Ok(bytes) => copied = Copied { files: copied.files + 1, bytes: copied.bytes + bytes },
                    // Swept meanwhile: it is no longer referenced.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(copied)
}

fn copy_file(from: &Path, to: &Path) -> std::io::Result<u64> {
    let bytes = fs::metadata(from)?.len();
    if fs::metadata(to).is_ok_and(|there| there.len() == bytes) {
        return Ok(bytes);
    }
    fs::copy(from, to)
}

/// Waits until everything in a directory is on disk: the whole file system at once where possible.
pub(super) fn sync_tree(directory: &Path) -> std::io::Result<()> {
    #[cfg(target_os = "linux")]
    if rustix::fs::syncfs(fs::File::open(directory)?).is_ok() {
        return Ok(());
    }
    for file in fs::read_dir(directory)? {
        let file = file?;
        if file.file_type()?.is_dir() {
            sync_tree(&file.path())?;
        } else {
            fs::File::open(file.path())?.sync_all()?;
        }
    }
    keys::sync_directory(directory)
}

/// The parent directory of a path.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Copies the secret atomically, and never readable by others.
pub(super) fn copy_secret(from: &Path, to: &Path) -> anyhow::Result<()> {
    let draft = to.with_extension("new");
    let copy = || -> std::io::Result<()> {
        if let Some(directory) = to.parent() {
            keys::private_directory(directory)?;
        }
        // Leftover of an interrupted run.
        let _ = fs::remove_file(&draft);
        let mut file = keys::private_file(&draft)?;
        file.write_all(&fs::read(from)?)?;
        file.sync_all()?;
        fs::rename(&draft, to)
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// The path with a suffix added to its name, with or without a final slash.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let path: PathBuf = path.components().collect();
    let mut name = path.into_os_string();
    name.push(suffix);
    name.into()
}
