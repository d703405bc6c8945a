//! Prompts of an operator's own, by name and kind. A file `NAME.summary.md` of the directory `ai.prompts` is used for feeds with
//! the rule `ai.prompt = NAME`; `default.summary.md` for all others.

use model::enrichment::Kind;
use std::collections::BTreeMap;

/// The name of the prompts that are used where a feed names none.
const DEFAULT: &str = "default";
/// A longer prompt is a mistake: every call pays for it.
const LONGEST_BYTES: usize = 32 << 10;

/// Prompts by name and kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompts(BTreeMap<(String, Kind), String>);

impl Prompts {
    /// From the names and texts of files; what is wrong with them otherwise.
    pub fn read(files: impl IntoIterator<Item = (String, String)>) -> Result<Self, String> {
        let mut prompts = BTreeMap::new();
        for (file, text) in files {
            let parts: Vec<&str> = file.split('.').collect();
            let [name, kind, "md"] = parts[..] else {
                return Err(format!("{file}: expected a name such as default.summary.md"));
            };
            let Some(kind) = Kind::named(kind) else {
                return Err(format!("{file}: `{kind}` is none of {}", Kind::WORDS.join(", ")));
            };
            if text.trim().is_empty() || text.len() > LONGEST_BYTES {
                return Err(format!("{file}: expected a text of at most {} KiB", LONGEST_BYTES >> 10));
            }
            prompts.insert((name.to_owned(), kind), text);
        }
        Ok(Self(prompts))
    }

    /// The prompt for a feed with a name in its rules; `None` is the built-in one.
    pub fn of(&self, name: Option<&str>, kind: Kind) -> Option<&str> {
        let named = |name: &str| self.0.get(&(name.to_owned(), kind)).map(String::as_str);
        name.and_then(named).or_else(|| named(DEFAULT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feed_uses_the_prompt_that_it_names_else_the_default_else_ours() {
        let files = [("default.summary.md", "All."), ("sport.summary.md", "Sport."), ("sport.tags.md", "Teams.")];
        let prompts = Prompts::read(files.map(|(name, text)| (name.to_owned(), text.to_owned()))).unwrap();
        let check = |name, kind, expected| assert_eq!(prompts.of(name, kind), expected, "{name:?} {kind:?}");
        check(Some("sport"), Kind::Summary, Some("Sport."));
        check(Some("sport"), Kind::Tags, Some("Teams."));
        check(Some("other"), Kind::Summary, Some("All."));
        check(None, Kind::Summary, Some("All."));
        check(None, Kind::Tags, None);
    }

    #[test]
    fn files_that_are_no_prompts_are_refused() {
        for (name, text) in [("summary.md", "x"), ("a.poem.md", "x"), ("a.tags.txt", "x"), ("a.tags.md", " ")] {
            assert!(Prompts::read([(name.to_owned(), text.to_owned())]).is_err(), "{name}");
        }
    }
}
