//! The name of a user whom an identity provider sends: what it calls them, made valid and unique. Pure.

use policy::password::{LONGEST_NAME_CHARS, user_name};

/// A valid user name that resembles the text.
pub(super) fn valid(text: &str) -> String {
    let kept = |c: char| if c.is_alphanumeric() || ".-_@+".contains(c) { c } else { '-' };
    let plain: String = text.trim().chars().map(kept).take(LONGEST_NAME_CHARS).collect();
    user_name(&plain).unwrap_or_else(|_| "user".to_owned())
}

/// The first has the name itself; later ones get a number.
pub(super) fn numbered(name: &str, number: u32) -> String {
    if number == 1 {
        return name.to_owned();
    }
    let end = format!("-{number}");
    let kept: String = name.chars().take(LONGEST_NAME_CHARS - end.len()).collect();
    kept + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_valid_and_told_apart() {
        let check = |text: &str, expected: &str| assert_eq!(valid(text), expected, "{text:?}");
        check("ada", "ada");
        check("Ada Lovelace", "Ada-Lovelace");
        check("ada@example.org", "ada@example.org");
        check("auth0|507f191e", "auth0-507f191e");
        check("<script>", "-script-");
        check("", "user");
        check(&"a".repeat(100), &"a".repeat(64));
        assert_eq!(numbered("ada", 1), "ada");
        assert_eq!(numbered("ada", 2), "ada-2");
        assert_eq!(numbered(&"a".repeat(64), 10), format!("{}-10", "a".repeat(61)));
    }
}
