//! The content hash: equal for texts that a reader would consider the same.

use model::entry::Hash;
use sha2::{Digest as _, Sha256};

use crate::lines::one_line;

/// Up to this length the whole text counts, beyond it only its two ends.
const WHOLE: usize = 200_000;
const END: usize = 100_000;

/// Hashes a text of lines: white space collapsed, boilerplate lines left out, case kept.
pub fn content_hash(text: &str) -> Hash {
    let lines: Vec<String> = text.lines().map(one_line).filter(|line| !line.is_empty()).collect();
    hash_of_lines(&lines.join("\n"))
}

/// The same for lines with collapsed white space.
pub(crate) fn hash_of_lines(text: &str) -> Hash {
    // Usually there is nothing to leave out.
    if !text.lines().any(is_boilerplate) {
        return hash(text.as_bytes());
    }
    let said: Vec<&str> = text.lines().filter(|line| !is_boilerplate(line)).collect();
    // A text of boilerplate only is hashed as it is, or all such texts would be equal.
    if said.is_empty() { hash(text.as_bytes()) } else { hash(said.join("\n").as_bytes()) }
}

fn hash(text: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    if text.len() <= WHOLE {
        hasher.update(text);
    } else {
        hasher.update(&text[..END]);
        hasher.update(&text[text.len() - END..]);
    }
    let digest: [u8; 32] = hasher.finalize().into();
    let mut short = [0; 16];
    short.copy_from_slice(&digest[..16]);
    short
}

/// A boilerplate line: a lone date, an invitation to read on.
fn is_boilerplate(line: &str) -> bool {
    is_date(line) || is_invitation(line)
}

/// Begins with `2024-05-01` and contains no more than a time, a zone and a name: a longer line is a sentence.
fn is_date(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.len() <= 64
        && bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

fn is_invitation(line: &str) -> bool {
    const INVITATIONS: [&str; 4] = ["read more", "continue reading", "continues after ad", "continues after the ad"];
    // Longer than all of them with an arrow or dots around.
    if line.len() > 40 {
        return false;
    }
    let words = line.trim_matches(|c: char| !c.is_alphanumeric());
    INVITATIONS.iter().any(|known| words.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(case: &str, one: &str, other: &str, same: bool) {
        assert_eq!(content_hash(one) == content_hash(other), same, "{case}");
    }

    #[test]
    fn the_same_to_a_reader_is_the_same() {
        check("white space", "a  b\n\n c", "a b\nc", true);
        check("a date", "2024-05-01 12:00\na", "a", true);
        check("read more", "a\nRead more…", "a", true);
        check("an arrow", "a\n[Read More »]", "a", true);
        check("an ad", "a\nContinues after ad\nb", "a\nb", true);
        check("a word", "a b", "a c", false);
        check("case", "a", "A", false);
        check("a long line with a date", &format!("2024-05-01 {}", "word ".repeat(20)), "", false);
        check("nothing but dates", "2024-05-01", "2024-05-02", false);
        check("read more of what", "Read more about cats", "", false);
    }

    #[test]
    fn a_long_text_is_known_by_its_ends() {
        let with = |at: usize| {
            let mut text = "x".repeat(250_000);
            text.replace_range(at..=at, "y");
            text
        };
        check("the middle", &with(125_000), &with(125_001), true);
        check("the start", &with(5), &with(6), false);
        check("the end", &with(249_990), &with(249_991), false);
        let short = |at: usize| with(at)[..200_000].to_owned();
        check("200 KB are not long", &short(125_000), &short(125_001), false);
    }

    #[test]
    fn it_is_half_of_sha_256() {
        assert_eq!(content_hash("abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
    }
}
