//! Which log lines are kept: `info`, or `info,store=debug`. Pure. A bare level applies to our own crates. A library
//! logs only if it is named, because some log untrusted input: an HTML parser warns about every misplaced tag, so one
//! document could fill the disk.

use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::FilterFn;

use crate::config::Value;

/// Our crates, by the target of their log lines. A test compares this with the directories.
pub const OURS: &[&str] = &[
    "courant",
    "accounts",
    "model",
    "http_semantics",
    "meter",
    "syndication",
    "content",
    "prose",
    "policy",
    "trial",
    "fetch",
    "store",
    "blobs",
    "work",
    "bus",
    "llm",
    "engine",
    "reader",
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
    pub fn by_target(&self) -> FilterFn<impl Fn(&Metadata<'_>) -> bool + use<>> {
        let filter = self.clone();
        let most = self.targets.iter().map(|(_, level)| *level).fold(self.level, LevelFilter::max);
        FilterFn::new(move |line: &Metadata<'_>| filter.keeps(line.target(), *line.level())).with_max_level_hint(most)
    }

    /// Whether a line of this target and level is kept.
    fn keeps(&self, target: &str, level: Level) -> bool {
        let named = self.targets.iter().filter(|(name, _)| is_within(target, name));
        // The longest name knows best, and the last word about the same name wins.
        let named = named.max_by_key(|(name, _)| name.len()).map(|(_, level)| *level);
        let ours = || OURS.iter().any(|name| is_within(target, name)).then_some(self.level);
        named.or_else(ours).is_some_and(|most| level <= most)
    }
}

/// Whether a target is this module or one inside it. `web` is not the beginning of `webpki`.
fn is_within(target: &str, module: &str) -> bool {
    target.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
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
    use super::*;

    #[test]
    fn only_our_own_crates_log_unless_a_library_is_named() {
        let check = |filter, target, level, expected| {
            let filter = LogFilter::read(filter).unwrap();
            assert_eq!(filter.keeps(target, level), expected, "{filter:?}: {target} at {level}");
        };
        check("info", "courant::log", Level::INFO, true);
        check("info", "courant", Level::DEBUG, false);
        check("debug", "engine::refresh", Level::DEBUG, true);
        check("debug", "hyper::client", Level::ERROR, false);
        check("trace", "html5ever::tree_builder", Level::ERROR, false);
        check("trace", "webpki::verify", Level::ERROR, false);
        check("trace", "store_of_others", Level::ERROR, false);
        check("trace", "", Level::ERROR, false);
        check("info,store=debug", "store::entries", Level::DEBUG, true);
        check("info,store=debug", "engine", Level::DEBUG, false);
        check("info,store=debug,store::index=error", "store::index", Level::WARN, false);
        check("store=debug", "engine", Level::INFO, true);
        check("info,store=debug,store=error", "store", Level::INFO, false);
        check("info,hyper=trace", "hyper::client", Level::TRACE, true);
        check("info,html5ever=warn", "html5ever::tree_builder", Level::WARN, true);
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
