//! Options whose text is one of a few words: the preset, the format of the log and the like. Pure. The meaning of a
//! word is decided where it is used.

use super::suggest::nearest;
use super::value::Value;

/// Declares a kind whose text is one of a few words.
macro_rules! words {
    ($($(#[$doc:meta])+ $name:ident { $($(#[$word_doc:meta])+ $word:ident = $text:literal,)+ })+) => { $(
        $(#[$doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$word_doc])+ $word,)+ }

        impl $name {
            /// The word a user writes.
            pub fn word(self) -> &'static str {
                match self { $(Self::$word => $text,)+ }
            }
        }

        impl Value for $name {
            fn expected() -> String {
                let words: &[&str] = &[$(concat!("`", $text, "`")),+];
                let (last, others) = words.split_last().expect("a kind has at least one word");
                if others.is_empty() { (*last).into() } else { format!("{} or {last}", others.join(", ")) }
            }

            fn read(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok(Self::$word),)+
                    _ => Err(match nearest(text, [$($text),+]) {
                        Some(near) => format!("{} (did you mean `{near}`?)", Self::expected()),
                        None => Self::expected(),
                    }),
                }
            }

            fn show(&self) -> String {
                self.word().into()
            }
        }
    )+ };
}

words! {
    /// The set of policies that applies by default.
    Preset {
        /// Adaptive visits, tolerant of failures, entries kept for a year.
        Courant = "courant",
        /// A fetch engine for other programs.
        Fetcher = "fetcher",
        /// A personal reader with a fixed rhythm.
        Reader = "reader",
        /// A reader that follows HTTP freshness.
        Reedme = "reedme",
        /// Calm headlines for a few chosen feeds.
        Deframer = "deframer",
        /// Curated and submitted feeds under moderation.
        Governance = "governance",
    }

    /// Who makes summaries, tags and calm headlines.
    AiProvider {
        /// The toolkit in the program.
        Local = "local",
        /// A server with OpenAI's chat interface.
        Openai = "openai",
        /// Dummy data.
        Mock = "mock",
    }

    /// When the database is checked at start.
    StartCheck {
        /// After an unclean stop, or when the last check is a week old.
        Auto = "auto",
        /// At every start.
        Always = "always",
    }

    /// What SQLite has synced to disk when a write is confirmed.
    Synchronous {
        /// Everything: a power failure loses nothing.
        Full = "full",
        /// A power failure may lose the last moments, never the file.
        Normal = "normal",
    }

    /// How log lines look.
    LogFormat {
        /// Text on a terminal, else JSON.
        Auto = "auto",
        /// For people.
        Text = "text",
        /// For programs.
        Json = "json",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_of_the_list() {
        let check = |text, expected: &str| {
            assert_eq!(Preset::read(text).map_or_else(|wish| wish, |preset| preset.show()), expected, "{text}");
        };
        let all = "`courant`, `fetcher`, `reader`, `reedme`, `deframer` or `governance`";
        check("reader", "reader");
        check("Reader", &format!("{all} (did you mean `reader`?)"));
        check("governence", &format!("{all} (did you mean `governance`?)"));
        check("nonsense", all);
    }
}
