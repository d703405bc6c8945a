//! The key of a server: sent in one header field, and shown nowhere.
//!
//! Servers quote keys in their error messages, whole or in part; `redacted` removes them before anybody sees the text.

use std::fmt;

/// What stands for a secret.
const HIDDEN: &str = "***";

/// A piece of a key of this many characters is hidden in the words of a server.
const PIECE: usize = 6;

/// A key. It prints as `***`.
#[derive(Clone, Default)]
pub struct Key(String);

impl Key {
    /// Hides a text; white space around it, such as the end of line of a file, is not part of the key.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of the `Authorization` field.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text without the key and without longer pieces of it.
    pub(crate) fn redacted(&self, text: &str) -> String {
        let key: Vec<char> = self.0.chars().collect();
        let text: Vec<char> = text.chars().collect();
        let piece = PIECE.min(key.len());
        if piece == 0 {
            return text.into_iter().collect();
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let same = longest(&text[at..], &key);
            if same >= piece {
                out.push_str(HIDDEN);
                at += same;
            } else {
                out.push(text[at]);
                at += 1;
            }
        }
        out
    }
}

/// How many characters the text begins with that are somewhere in the key, one after the other.
fn longest(text: &[char], key: &[char]) -> usize {
    let same = |from: usize| text.iter().zip(&key[from..]).take_while(|(a, b)| a == b).count();
    (0..key.len()).map(same).max().unwrap_or(0)
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "none" } else { HIDDEN })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hidden() {
        let check = |key: &str, text: &str, expected: &str| {
            assert_eq!(Key::new(key).redacted(text), expected, "{text:?} with {key:?}");
        };
        check("sk-0123456789abcdef", "Incorrect API key: sk-0123456789abcdef.", "Incorrect API key: ***.");
        check("sk-0123456789abcdef", "Bearer sk-0123456789abcdef", "Bearer ***");
        check("sk-0123456789abcdef", "key sk-0123--9abcdef", "key ***--***");
        check("sk-0123456789abcdef", "sk-012 345", "*** 345");
        check("sk-0123456789abcdef", "model sk-01 not found", "model sk-01 not found");
        check("geheim", "Geheimnis geheim geheimer", "Geheimnis *** ***er");
        check("abc", "the abc of keys", "the *** of keys");
        check("", "as it is", "as it is");
        check("ключ-ключ", "ваш ключ-ключ неверен", "ваш *** неверен");
    }

    #[test]
    fn a_key_is_trimmed_and_not_printed() {
        let key = Key::new(" sk-0123456789abcdef\n");
        assert_eq!(key.bearer(), "Bearer sk-0123456789abcdef");
        assert_eq!((format!("{key:?}").as_str(), format!("{:?}", Key::default()).as_str()), ("***", "none"));
    }
}
