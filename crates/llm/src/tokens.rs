//! How many tokens a text has at most, for reserving money before a call.
//!
//! An estimate from the letters alone, on the high side for the tokenizers of current models; the exact number depends
//! on the model, and its server reports it afterwards. Random letters (base64, hashes) can exceed it.

/// What a chat needs around each message: its role and its separators.
pub(crate) const PER_MESSAGE: u64 = 8;

/// At least as many tokens as the text is likely to have.
pub fn estimate_tokens(text: &str) -> u64 {
    text.chars().map(thirds).sum::<u64>().div_ceil(3)
}

/// The weight of a character in thirds of a token.
fn thirds(c: char) -> u64 {
    match c {
        'a'..='z' | ' ' => 1,
        // Abbreviations and random letters are split more often than words. Accents, Greek, Cyrillic, Hebrew and Arabic
        // have two bytes each.
        'A'..='Z' | '\u{80}'..='\u{7ff}' => 2,
        // Many tokenizers take each digit and each sign alone; and each letter of the scripts with three bytes: Chinese,
        // Japanese, Korean, Thai, those of India.
        '\0'..='\x7f' | '\u{800}'..='\u{ffff}' => 3,
        // Emoji and rare characters: up to a token for each byte.
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates() {
        let check = |text: &str, expected| assert_eq!(estimate_tokens(text), expected, "{text:?}");
        check("", 0);
        check("a", 1);
        check("the cat sat", 4);
        check("12.5", 4);
        check("東京で地震", 5);
        check("Привет", 4);
        check("👋", 3);
        check(&"lorem ipsum ".repeat(1000), 4000);
    }
}
