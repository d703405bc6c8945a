//! A new password: from a file, typed twice at a terminal without being shown, or made up where nobody can type.

use std::io::{BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use data_encoding::BASE32_NOPAD;
use policy::password::from_file;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// A password, and whether its user has to be told.
pub(super) enum NewPassword {
    /// They know it.
    Known(String),
    /// It was made up; shown once.
    Generated(String),
}

impl NewPassword {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Known(text) | Self::Generated(text) => text,
        }
    }
}

/// The longest file that is read.
const LONGEST: u64 = 64 << 10;

/// Gets a new password for a user.
pub(super) fn new_password(file: Option<&Path>, user: &str) -> anyhow::Result<NewPassword> {
    match file {
        Some(file) => read(file).map(NewPassword::Known),
        None if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() => {
            let first = ask(&format!("Password for {user}: "))?;
            anyhow::ensure!(first == ask("Once more: ")?, "the two passwords differ; nothing was changed");
            Ok(NewPassword::Known(first))
        }
        None => {
            let mut bytes = [0; 15];
            getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
            Ok(NewPassword::Generated(BASE32_NOPAD.encode(&bytes).to_lowercase()))
        }
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().lock().take(LONGEST).read_to_string(&mut text).context("cannot read standard input")?;
    } else {
        let opened = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
        opened.take(LONGEST).read_to_string(&mut text).with_context(|| format!("cannot read {}", file.display()))?;
    }
    Ok(from_file(&text).to_owned())
}

/// Asks at the terminal, which does not show what is typed.
fn ask(question: &str) -> anyhow::Result<String> {
    eprint!("{question}");
    std::io::stderr().flush()?;
    let stdin = std::io::stdin();
    let before = tcgetattr(&stdin)?;
    let mut quiet = before.clone();
    quiet.local_modes -= LocalModes::ECHO;
    quiet.local_modes |= LocalModes::ECHONL;
    tcsetattr(&stdin, OptionalActions::Now, &quiet)?;
    let mut line = String::new();
    let typed = stdin.lock().read_line(&mut line);
    tcsetattr(&stdin, OptionalActions::Now, &before)?;
    typed.context("cannot read from the terminal")?;
    Ok(from_file(&line).to_owned())
}
