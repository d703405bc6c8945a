//! Which log lines are kept: `info`, or `info,store=debug`. Pure. A bare level is for our own crates; what we depend on
//! logs warnings and errors unless it is named, because `debug` should show Courant's work and not its TLS handshakes.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;

use crate::config::Value;

/// Our crates, by the name their log lines carry. A test compares this with the directories.
pub const OURS: &[&str] = &[
    "courant",
    "model",
    "meter",
    "syndication",
    "content",
    "prose",
    "policy",
    "trial",
    "fetch",
    "store",
    "blobs",
    "bus",
    "llm",
    "engine",
    "enrich",
    "publish",
    "web",
    "rpc",
    "coding",
    "testkit",
    "xtask",
];

/// A checked filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter {
    text: String,
    level: LevelFilter,
    targets: Vec<(String, LevelFilter)>,
}

impl LogFilter {
    /// The filter as the subscriber wants it.
    pub fn targets(&self) -> Targets {
        let ours = OURS.iter().map(|name| ((*name).to_owned(), self.level));
        // The store says itself that it waits for a database; its pool would say it once per connection.
        let pool = [("deadpool".to_owned(), self.level.min(LevelFilter::ERROR))];
        let named = self.targets.iter().cloned();
        // Named targets come last: the last word about a target wins.
        Targets::new()
            .with_default(self.level.min(LevelFilter::WARN))
            .with_targets(ours)
            .with_targets(pool)
            .with_targets(named)
    }
}

impl Value for LogFilter {
    fn expected() -> String {
        "a level (`off`, `error`, `warn`, `info`, `debug` or `trace`), optionally followed by parts such as `store=debug`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let mut filter = Self { text: text.to_owned(), level: LevelFilter::INFO, targets: Vec::new() };
        for part in text.split(',').map(str::trim) {
            let word = part.split_once('=').map_or(part, |(_, word)| word);
            let level = level(word).ok_or_else(Self::expected)?;
            match part.split_once('=') {
                None => filter.level = level,
                Some((target, _)) if is_target(target) => filter.targets.push((target.to_owned(), level)),
                Some(_) => return Err(Self::expected()),
            }
        }
        Ok(filter)
    }

    fn show(&self) -> String {
        self.text.clone()
    }
}

fn level(word: &str) -> Option<LevelFilter> {
    // `LevelFilter` would also take numbers and the empty word, which nobody means.
    let named = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic());
    if named { word.parse().ok() } else { None }
}

fn is_target(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_:".contains(c))
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn dependencies_are_quieter_than_we_are() {
        let check = |filter, target, level, expected| {
            let targets = LogFilter::read(filter).unwrap().targets();
            assert_eq!(targets.would_enable(target, &level), expected, "{filter}: {target} at {level}");
        };
        check("info", "courant::log", Level::INFO, true);
        check("info", "courant", Level::DEBUG, false);
        check("debug", "engine::refresh", Level::DEBUG, true);
        check("debug", "hyper::client", Level::INFO, false);
        check("debug", "hyper::client", Level::WARN, true);
        check("error", "hyper::client", Level::WARN, false);
        check("info,store=debug", "store::entries", Level::DEBUG, true);
        check("info,store=debug", "engine", Level::DEBUG, false);
        check("store=debug", "engine", Level::INFO, true);
        check("info,hyper=trace", "hyper::client", Level::TRACE, true);
        check("off", "courant", Level::ERROR, false);
    }

    #[test]
    fn a_mistyped_level_is_refused() {
        for text in ["", "inof", "info,", "3", "store=loud", "=debug", "info;store=debug", "store[x]=debug"] {
            assert!(LogFilter::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn every_crate_of_the_workspace_is_ours() {
        for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).unwrap() {
            let entry = entry.unwrap();
            if !entry.path().join("Cargo.toml").exists() {
                continue;
            }
            let directory = entry.file_name().into_string().unwrap().replace('-', "_");
            let name = if directory == "app" { "courant" } else { &directory };
            assert!(OURS.contains(&name), "add `{name}` to OURS in log/filter.rs");
        }
    }
}
