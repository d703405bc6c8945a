//! Full text: whether the page of an entry is fetched where its feed has only the beginning.
//!
//! A setting of a subscription. When a page is fetched is decided in `policy/src/full_text.rs`.

use crate::words::words;

/// Whether the pages of a feed's entries are fetched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum FullText {
    /// When an entry with little content is opened.
    #[default]
    Auto,
    /// As soon as an entry arrives, whatever its length.
    Always,
    /// Never.
    Never,
}

impl FullText {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    words! {
        /// The word a user writes.
        as_str, WORDS:
        Self::Auto => "auto",
        Self::Always => "always",
        Self::Never => "never",
    }

    /// The setting of that name.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.as_str() == word)
    }
}
