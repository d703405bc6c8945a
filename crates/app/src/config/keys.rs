//! The root secret of sessions and stored credentials: configured, or generated at the first start and stored in
//! `keys/secret` in the data directory. The secret is never printed; what is derived from it is not known here. Also:
//! creating private and durable files and directories.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use data_encoding::HEXLOWER;

use super::check::root_secret_is_long;
use super::{Config, Problems, Secret};

const DIRECTORY: &str = "keys";
const NAME: &str = "secret";

/// The root secret; generates one if that is allowed and there is none.
pub fn root_secret(config: &Config) -> anyhow::Result<Secret> {
    let problems = config.check_for_serve();
    if !problems.is_empty() {
        return Err(Problems(problems).into());
    }
    match &config.auth.secret {
        Some(secret) => Ok(secret.clone()),
        None => kept_secret(&config.general.data.join(DIRECTORY)),
    }
}

/// The path of the generated secret.
pub(crate) fn kept_at(config: &Config) -> PathBuf {
    config.general.data.join(DIRECTORY).join(NAME)
}

fn kept_secret(directory: &Path) -> anyhow::Result<Secret> {
    let path = directory.join(NAME);
    if !path.try_exists().with_context(|| format!("cannot look for {}", path.display()))? {
        make(directory, &path).with_context(|| format!("cannot make {}", path.display()))?;
    }
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let secret = Secret::new(text.strip_suffix('\n').unwrap_or(&text));
    // Never replaced silently: a new secret ends every session and loses every stored credential.
    if let Err(expected) = root_secret_is_long(Some(&secret)) {
        anyhow::bail!(
            "{} is damaged, expected {expected}: restore it, or remove it to start with a new one",
            path.display()
        );
    }
    if readable_by_others(&path) {
        tracing::warn!(path = %path.display(), "the secret key can be read by other users: set its mode to 600");
    }
    Ok(secret)
}

/// Writes a new secret so that a crash leaves none rather than half of one, and so that two processes that start
/// together use the same one.
fn make(directory: &Path, path: &Path) -> io::Result<()> {
    private_directory(directory)?;
    let draft = directory.join(format!("secret.{}.new", &random_hex()?[..16]));
    let mut file = private_file(&draft)?;
    let made = writeln!(file, "{}", random_hex()?).and_then(|()| file.sync_all()).and_then(|()| settle(&draft, path));
    fs::remove_file(&draft)
        .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
    made?;
    sync_directory(directory)
}

/// A rename is durable only when its directory is synced; where directories cannot be opened, the system does it.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Gives the draft its name unless another process was first. A link never replaces, a rename would.
fn settle(draft: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        // Some file systems have no links; there the operator must avoid two simultaneous first starts.
        Err(_) => fs::rename(draft, path),
        Ok(()) => Ok(()),
    }
}

fn random_hex() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(HEXLOWER.encode(&bytes))
}

#[cfg(unix)]
pub(crate) fn private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(unix)]
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(unix)]
pub(crate) fn readable_by_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub(crate) fn private_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(not(unix))]
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(not(unix))]
pub(crate) fn readable_by_others(_: &Path) -> bool {
    false
}
