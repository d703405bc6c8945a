//! What a password and a user name must be. Pure; hashing is `web`'s, storing `store`'s.
//!
//! Length is the only strength that is asked for, as NIST SP 800-63B advises: rules about kinds of characters make
//! passwords worse. No message repeats the password.

use unicode_normalization::UnicodeNormalization;

/// The least number of characters.
pub const SHORTEST_CHARS: usize = 8;
/// A longer password is refused before it is hashed, which would cost the sender nothing and us much.
pub const LONGEST_BYTES: usize = 1_024;
/// The longest user name.
pub const LONGEST_NAME_CHARS: usize = 64;

/// What is wrong with a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    /// Fewer than 8 characters.
    #[error("the password is too short; choose at least {SHORTEST_CHARS} characters")]
    TooShort,
    /// More than 1,024 bytes.
    #[error("the password is too long; choose at most {LONGEST_BYTES} bytes")]
    TooLong,
    /// One character, repeated.
    #[error("the password repeats one character; choose different ones")]
    OneCharacter,
    /// The user's name.
    #[error("the password is the user name; choose another")]
    UserName,
    /// It has a control character, such as a line break.
    #[error("the password has a control character, such as a tab or a line break; leave it out")]
    Control,
}

/// Whether a new password will do for the user of that name.
pub fn password(text: &str, user_name: &str) -> Result<(), WeakPassword> {
    if is_too_long(text) {
        return Err(WeakPassword::TooLong);
    }
    if text.chars().any(char::is_control) {
        return Err(WeakPassword::Control);
    }
    if text.chars().count() < SHORTEST_CHARS {
        return Err(WeakPassword::TooShort);
    }
    let first = text.chars().next();
    if text.chars().all(|c| Some(c) == first) {
        return Err(WeakPassword::OneCharacter);
    }
    if user_name_key(text) == user_name_key(user_name) {
        return Err(WeakPassword::UserName);
    }
    Ok(())
}

/// Whether a password at login is longer than any that was accepted, and need not be hashed.
pub fn is_too_long(password: &str) -> bool {
    password.len() > LONGEST_BYTES
}

/// The password in a file's text: editors and `echo` end the last line, which is no part of it.
pub fn from_file(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

/// A user name as it is stored: as typed, without spaces around it, in Unicode's composed form.
pub fn user_name(text: &str) -> Result<String, String> {
    let name: String = text.trim().nfkc().take(LONGEST_NAME_CHARS + 1).collect();
    if name.is_empty() {
        return Err("the user name is empty; choose 1 to 64 characters".to_owned());
    }
    if name.chars().count() > LONGEST_NAME_CHARS {
        return Err(format!("the user name is too long; choose at most {LONGEST_NAME_CHARS} characters"));
    }
    match name.chars().find(|c| !c.is_alphanumeric() && !".-_@+".contains(*c)) {
        Some(c) => Err(format!("the user name has {c:?}; choose letters, digits and . - _ @ +")),
        None => Ok(name),
    }
}

/// What user names are compared by: two names with the same key are the same user's.
pub fn user_name_key(name: &str) -> String {
    // The end of a Greek word has a letter of its own, which has no capital.
    let lower = name.trim().nfkc().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c });
    lower.nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_long_and_not_obvious() {
        let check = |case: &str, text: &str, expected: Result<(), WeakPassword>| {
            assert_eq!(password(text, "ada.lovelace"), expected, "{case}");
        };
        check("eight", "analytic", Ok(()));
        check("seven", "analyti", Err(WeakPassword::TooShort));
        check("empty", "", Err(WeakPassword::TooShort));
        check("characters, not bytes", "ßßßßßßß", Err(WeakPassword::TooShort));
        check("any script", "correct 馬 battery", Ok(()));
        check("spaces around it are part of it", " engine ", Ok(()));
        check("one character", "aaaaaaaaaaaa", Err(WeakPassword::OneCharacter));
        check("eight spaces", "        ", Err(WeakPassword::OneCharacter));
        check("two characters", "aaaaaaaaaaab", Ok(()));
        check("the user name", "ada.lovelace", Err(WeakPassword::UserName));
        check("in capitals", "Ada.Lovelace", Err(WeakPassword::UserName));
        check("more than the user name", "ada.lovelace1", Ok(()));
        check("a line break", "analytic\nengine", Err(WeakPassword::Control));
        check("a zero byte", "analytic\0engine", Err(WeakPassword::Control));
        check("a C1 control", "analytic\u{85}engine", Err(WeakPassword::Control));
        check("1,024 bytes", &"ab".repeat(512), Ok(()));
        check("1,025 bytes", &format!("{}c", "ab".repeat(512)), Err(WeakPassword::TooLong));
        check("1,026 bytes, 513 characters", &"é".repeat(513), Err(WeakPassword::TooLong));
    }

    #[test]
    fn a_message_says_what_to_do() {
        assert_eq!(WeakPassword::TooShort.to_string(), "the password is too short; choose at least 8 characters");
    }

    #[test]
    fn one_line_break_at_the_end_of_a_file_is_no_part_of_the_password() {
        let check = |text: &str, expected: &str| assert_eq!(from_file(text), expected, "{text:?}");
        check("secret", "secret");
        check("secret\n", "secret");
        check("secret\r\n", "secret");
        check("secret\n\n", "secret\n");
        check(" secret \n", " secret ");
        check("\n", "");
        check("", "");
    }

    #[test]
    fn a_user_name_is_letters_digits_and_a_few_signs() {
        let check = |text: &str, expected: &str| {
            let said = user_name(text).unwrap_or_else(|problem| format!("no: {problem}"));
            assert_eq!(said, expected, "{text:?}");
        };
        check("ada", "ada");
        check(" Ada ", "Ada");
        check("ada.l-o_v+e@example.org", "ada.l-o_v+e@example.org");
        check("zoe\u{308}", "zo\u{eb}");
        check("ＡＤＡ", "ADA");
        check("7", "7");
        check("", "no: the user name is empty; choose 1 to 64 characters");
        check("  ", "no: the user name is empty; choose 1 to 64 characters");
        check("ada lovelace", "no: the user name has ' '; choose letters, digits and . - _ @ +");
        check("ada/../root", "no: the user name has '/'; choose letters, digits and . - _ @ +");
        check("a\u{202e}b", "no: the user name has '\\u{202e}'; choose letters, digits and . - _ @ +");
        check(&"a".repeat(64), &"a".repeat(64));
        check(&"a".repeat(65), "no: the user name is too long; choose at most 64 characters");
    }

    #[test]
    fn names_that_differ_in_case_are_the_same() {
        let check = |one: &str, other: &str, same: bool| {
            assert_eq!(user_name_key(one) == user_name_key(other), same, "{one} {other}");
        };
        check("ada", "ADA", true);
        check("Zo\u{eb}", "zoe\u{308}", true);
        check("ΟΔΥΣΣΕΥΣ", "οδυσσευς", true);
        check("ada", "ada1", false);
        check("zoe", "zoë", false);
    }
}
