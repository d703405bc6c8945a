//! Splits Rust source into code, strings and comments, as far as the rules need it.
//!
//! Not a parser: it only finds the ends of strings and comments, so that a word in a comment does not count as code,
//! nor code as SQL. Line numbers are preserved.

/// One source file in two views: each has blanks where the other has text, and the same lines.
pub(super) struct RustText {
    /// Everything except comments and the contents of strings.
    pub(super) code: String,
    /// The contents of strings.
    pub(super) strings: String,
}

impl RustText {
    pub(super) fn new(source: &str) -> Self {
        let chars: Vec<char> = source.chars().collect();
        let mut text = Self { code: String::new(), strings: String::new() };
        let mut at = 0;
        while at < chars.len() {
            at = text.take(&chars, at);
        }
        text
    }

    /// The lines of code with their numbers, without the tests at the end of the file, to which the rules do not apply.
    pub(super) fn before_tests(&self) -> Vec<(usize, &str)> {
        let lines: Vec<&str> = self.code.lines().collect();
        let is_foot = |at: &usize| {
            let mut after = lines[at + 1..].iter().map(|line| line.trim()).filter(|line| !line.starts_with("#["));
            lines[*at].trim() == "#[cfg(test)]"
                && after.next().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{'))
        };
        let foot = (0..lines.len()).find(is_foot).unwrap_or(lines.len());
        (1..).zip(lines).take(foot).collect()
    }

    /// Adds the token at `at` to its view; returns where the next begins.
    fn take(&mut self, chars: &[char], at: usize) -> usize {
        let rest = &chars[at..];
        let in_identifier = at > 0 && is_identifier(chars[at - 1]);
        if rest.starts_with(&['/', '/']) {
            let end = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
            self.push(&rest[..end], Part::Comment);
            at + end
        } else if rest.starts_with(&['/', '*']) {
            let end = block_comment(rest);
            self.push(&rest[..end], Part::Comment);
            at + end
        } else if let Some((opening, closing)) = raw_string(rest).filter(|_| !in_identifier) {
            self.push(&rest[..opening], Part::Code);
            self.push(&rest[opening..closing], Part::String);
            at + closing
        } else if rest[0] == '"' {
            let end = quoted(rest, '"');
            self.push(&rest[..1], Part::Code);
            self.push(&rest[1..end], Part::String);
            at + end
        } else if rest[0] == '\'' && (rest.get(1) == Some(&'\\') || rest.get(2) == Some(&'\'')) {
            let end = quoted(rest, '\'');
            self.push(&rest[..end], Part::Comment);
            at + end
        } else {
            self.push(&rest[..1], Part::Code);
            at + 1
        }
    }

    fn push(&mut self, chars: &[char], part: Part) {
        for &c in chars {
            let blank = if c == '\n' { '\n' } else { ' ' };
            self.code.push(if part == Part::Code { c } else { blank });
            self.strings.push(if part == Part::String { c } else { blank });
        }
    }
}

#[derive(PartialEq, Clone, Copy)]
enum Part {
    Code,
    String,
    /// Also character literals: they are neither SQL nor a name.
    Comment,
}

/// Whether `word` occurs in a line of code, not as a part of a longer name.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let ends_in_name = word.ends_with(is_identifier);
        let goes_on = ends_in_name && after.is_some_and(is_identifier);
        !goes_on && !before.is_some_and(is_identifier)
    })
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of a string or character literal, both quotes included.
fn quoted(chars: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            c if c == quote => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// Block comments nest.
fn block_comment(chars: &[char]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < chars.len() {
        if chars[at..].starts_with(&['/', '*']) {
            (at, depth) = (at + 2, depth + 1);
        } else if chars[at..].starts_with(&['*', '/']) {
            (at, depth) = (at + 2, depth - 1);
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    chars.len()
}

/// Where the text of a raw string begins and the literal ends, if one begins here: `r"…"`, `br#"…"#`.
fn raw_string(chars: &[char]) -> Option<(usize, usize)> {
    let prefix = usize::from(matches!(chars[0], 'b' | 'c'));
    if chars.get(prefix) != Some(&'r') {
        return None;
    }
    let hashes = chars[prefix + 1..].iter().take_while(|c| **c == '#').count();
    let opening = prefix + 1 + hashes + 1;
    if chars.get(opening - 1) != Some(&'"') {
        return None;
    }
    let closes =
        |at: &usize| chars[*at] == '"' && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes;
    let closing = (opening..chars.len()).find(closes).map_or(chars.len(), |at| at + 1 + hashes);
    Some((opening, closing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, code: &str, strings: &str) {
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = RustText::new(source);
        assert_eq!(squeeze(&text.code), code, "the code of {source}");
        assert_eq!(squeeze(&text.strings.replace(['"', '#'], " ")), strings, "the strings of {source}");
        assert_eq!(text.code.lines().count(), source.lines().count(), "the lines of {source}");
    }

    #[test]
    fn code_strings_and_comments_are_told_apart() {
        check("let a = 1; // why", "let a = 1;", "");
        check("a /* b /* c */ d */ e", "a e", "");
        check(r#"f("x // y", b)"#, r#"f(" , b)"#, "x // y");
        check(r#"f("say \"hi\"", b)"#, r#"f(" , b)"#, r"say \ hi\");
        check("f(r#\"a \"b\" c\"#, d)", "f(r#\" , d)", "a b c");
        check("f(br\"a\\\", d)", "f(br\" , d)", "a\\");
        check("let r#type = 'x'; let s: &'static str = \"t\";", "let r#type = ; let s: &'static str = \" ;", "t");
        check("match c { '\"' => 1, '\\'' => 2 }", "match c { => 1, => 2 }", "");
        check("\"one\n two\"\nthree", "\" three", "one two");
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("let x = fs::read(p)", "fs::"));
        assert!(!has_word("let x = vfs::read(p)", "fs::"));
        assert!(has_word("SystemTime::now()", "SystemTime"));
        assert!(!has_word("SystemTimes", "SystemTime"));
    }
}
