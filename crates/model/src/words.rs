//! Enums as words, for columns, logs and metrics: one list gives the word of each value and the list of all words.

/// Inside of an `impl`: a method from a value to its word, and a constant with all words.
macro_rules! words {
    ($(#[$doc:meta])* $method:ident, $all:ident: $($pattern:pat => $word:literal,)+) => {
        /// All the words, in the order of the variants.
        pub const $all: &'static [&'static str] = &[$($word),+];

        $(#[$doc])*
        pub fn $method(&self) -> &'static str {
            match self {
                $($pattern => $word,)+
            }
        }
    };
}

pub(crate) use words;
