//! From texts to `Config`: defaults < preset < file < environment < flags. The layers are collected as text with their
//! origin, then every option is read once, and all problems are reported together. `value.rs` knows what a single text
//! means; the file and the environment are parsed in `file.rs` and `environment.rs`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::declare::{Declaration, find};
use super::options::{Config, fill};
use super::value::Value;
use super::{Problems, Sources, environment, file};

/// A configuration and its origins.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What the program uses.
    pub config: Config,
    /// What `courant config show` prints, in the order of the reference page.
    pub settings: Vec<Setting>,
    /// The file that was used, if any.
    pub file: Option<PathBuf>,
}

/// One option's value, safe to print.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The option.
    pub option: &'static Declaration,
    /// Empty for none, `***` for a secret.
    pub value: String,
    /// Where it was set.
    pub origin: Origin,
}

/// Where a value was set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere.
    Default,
    /// The preset, which has its own default for it.
    Preset(String),
    /// The configuration file.
    File {
        /// As it was found or named.
        path: PathBuf,
        /// Counted from one.
        line: usize,
    },
    /// An environment variable.
    Env(String),
    /// A flag of the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Preset(name) => write!(f, "preset {name}"),
            Self::File { path, line } => write!(f, "{} line {line}", path.display()),
            Self::Env(name) => f.write_str(name),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

/// What one layer says about one option. Not `Debug`: the text may be a secret.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) text: Text,
    pub(super) origin: Origin,
}

/// A value, or the file that holds it (secrets only).
#[derive(Clone)]
pub(super) enum Text {
    Here(String),
    InFile(PathBuf),
}

/// What one layer says, by key.
pub(super) type Layer = BTreeMap<&'static str, Given>;

/// Loads the configuration, or returns all its problems.
pub fn load(sources: &Sources) -> Result<Loaded, Problems> {
    let mut problems = Vec::new();
    let env = environment::layer(&sources.env, &mut problems);
    let flags = flag_layer(sources);
    let data = [&flags, &env].into_iter().find_map(|layer| layer.get("data")).and_then(|given| given.here());
    let found = file::find(sources, data, &mut problems);
    problems.extend(flags.iter().filter_map(|(key, given)| exposed(key, given)));
    let mut given = found.as_ref().map(|path| file::layer(path, sources, &mut problems)).unwrap_or_default();
    given.extend(env);
    given.extend(flags);

    let mut reader = Reader { given, problems, settings: Vec::new(), directory: sources.directory.clone() };
    let config = fill(&mut reader);
    let Reader { mut problems, settings, .. } = reader;
    if let Some(config) = &config {
        problems.extend(config.contradictions());
    }
    match config {
        Some(config) if problems.is_empty() => Ok(Loaded { config, settings, file: found }),
        _ => Err(Problems(problems)),
    }
}

/// The problem with a URL on the command line that contains a password: every user of the machine can read it there.
fn exposed(key: &str, given: &Given) -> Option<String> {
    let url = url::Url::parse(given.here()?).ok()?;
    let holds_one = url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password");
    let env = find(key)?.env;
    let apart = match key {
        "database.url" => "leave it out and set COURANT_DATABASE_PASSWORD or COURANT_DATABASE_PASSWORD_FILE, or ",
        _ => "",
    };
    holds_one.then(|| {
        format!(
            "`{key}` from {} holds a password, which every user of this machine can read with `ps`: {apart}set the whole \
             address as {env} in the environment",
            given.origin
        )
    })
}

fn flag_layer(sources: &Sources) -> Layer {
    let named = sources.flags.iter().filter_map(|(key, text)| Some((find(key)?, text)));
    named
        .filter_map(|(option, text)| {
            let origin = Origin::Flag(option.flag?.name);
            Some((option.key, Given { text: Text::Here(text.clone()), origin }))
        })
        .collect()
}

impl Given {
    fn here(&self) -> Option<&str> {
        match &self.text {
            Text::Here(text) => Some(text),
            Text::InFile(_) => None,
        }
    }
}

/// Passes each option its text and records problems. Created by `load`, used by the code that `options!` generates.
pub(super) struct Reader {
    given: Layer,
    problems: Vec<String>,
    settings: Vec<Setting>,
    directory: PathBuf,
}

impl Reader {
    /// The value of an option, or `None` after recording the problem.
    pub(super) fn read<T: Value>(&mut self, key: &'static str) -> Option<T> {
        let option = find(key).expect("the macro asks only for what it declared");
        let (text, origin) = self.text(option)?;
        let value = (option.check)(&text).and_then(|()| T::read(&text));
        match value {
            Ok(value) => {
                self.settings.push(Setting { option, value: value.show(), origin });
                Some(value)
            }
            Err(expected) => {
                self.problems.push(format!("`{key}` from {origin} is {}, expected {expected}", T::quote(&text)));
                None
            }
        }
    }

    fn text(&mut self, option: &Declaration) -> Option<(String, Origin)> {
        let Some(given) = self.given.get(option.key) else {
            return Some(self.default(option));
        };
        match &given.text {
            Text::Here(text) => Some((text.clone(), given.origin.clone())),
            Text::InFile(path) => match secret_in(&self.directory.join(path)) {
                Ok(text) => Some((text, given.origin.clone())),
                Err(error) => {
                    let (key, origin) = (option.key, &given.origin);
                    self.problems.push(format!("`{key}` from {origin}: cannot read {}: {error}", path.display()));
                    None
                }
            },
        }
    }

    fn default(&self, option: &Declaration) -> (String, Origin) {
        let set = |key, otherwise| self.given.get(key).and_then(Given::here).unwrap_or(otherwise);
        let preset = set("preset", "courant");
        let data = set("data", find("data").map_or("", |option| option.default)).trim_end_matches('/');
        let within = |text: &str| text.replace("{data}", data);
        if let Some((_, text)) = option.in_presets.iter().find(|(name, _)| *name == preset) {
            return (within(text), Origin::Preset(preset.to_owned()));
        }
        (within(option.default), Origin::Default)
    }
}

/// The content of a secret's file without the newline that an editor or `echo` adds; only one, because a secret may end
/// in one itself.
fn secret_in(path: &Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    let text = text.strip_suffix('\n').map_or(text.as_str(), |text| text.strip_suffix('\r').unwrap_or(text));
    if text.is_empty() { Err("it is empty".to_owned()) } else { Ok(text.to_owned()) }
}
