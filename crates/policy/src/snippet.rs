//! Snippets: the part of a text that shows why a search found it, and where the words are. Pure; `web` shows it.
//!
//! Places are counted in UTF-16 units, as browsers count. The index knows stems; here a word counts as found if it begins as
//! a wanted one does, so that most of what the index finds is shown, and never something else.

/// A part of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The words, with an ellipsis where some are left out.
    pub text: String,
    /// Where wanted words are: from and up to, in UTF-16 units, in order.
    pub highlights: Vec<(u32, u32)>,
}

/// So many characters are shown.
const LENGTH: usize = 240;
/// So many before the first wanted word.
const BEFORE: usize = 60;
/// So much of a text is looked at.
const LOOKED_AT: usize = 200_000;
/// Wanted words.
const MOST_WORDS: usize = 16;
const MOST_HIGHLIGHTS: usize = 50;

/// The words that a person wants to find, in small letters; what they do not want is left out.
pub fn wanted_words(query: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut is_unwanted = false;
    for (number, part) in query.split('"').enumerate() {
        let is_quoted = number % 2 == 1;
        if is_quoted {
            if !is_unwanted {
                words.extend(letters(part));
            }
            is_unwanted = false;
            continue;
        }
        for word in part.split_whitespace() {
            if !word.starts_with('-') && !matches!(word, "OR" | "AND" | "NOT") {
                words.extend(letters(word));
            }
        }
        is_unwanted = part.ends_with('-');
    }
    words.sort();
    words.dedup();
    words.truncate(MOST_WORDS);
    words
}

fn letters(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Whether a letter is of a script that puts no spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{e00}'..='\u{e7f}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Whether a word of the text is one of the wanted: equal, longer, or another form of a longer one.
fn is_wanted(word: &str, wanted: &str) -> bool {
    if word.starts_with(wanted) {
        return true;
    }
    let same = word.chars().zip(wanted.chars()).take_while(|(one, other)| one == other).map(|(c, _)| c.len_utf8());
    let (letters, bytes) = same.fold((0, 0), |(letters, bytes), length| (letters + 1, bytes + length));
    letters >= 4 && ENDINGS.contains(&&word[bytes..]) && ENDINGS.contains(&&wanted[bytes..])
}

/// What forms of an English word differ by.
const ENDINGS: &[&str] = &["", "e", "y", "s", "d", "r", "es", "ed", "er", "ing", "ers", "ies", "ied", "ly"];

/// The places of wanted words in a text, in bytes.
fn places(text: &str, wanted: &[String]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (from, c.is_alphanumeric()) {
            (None, true) => from = Some(at),
            (Some(start), false) => {
                word_places(text, (start, at), wanted, &mut found);
                from = None;
            }
            _ => {}
        }
        if found.len() >= MOST_HIGHLIGHTS {
            break;
        }
    }
    found
}

fn word_places(text: &str, (start, end): (usize, usize), wanted: &[String], found: &mut Vec<(usize, usize)>) {
    let word = &text[start..end];
    if word.chars().any(is_unspaced) {
        // Words are not told apart: the wanted one may be anywhere in it.
        let mut at = 0;
        while at < word.len() {
            let hit = wanted.iter().filter(|wanted| word[at..].starts_with(wanted.as_str())).map(String::len).max();
            if let Some(length) = hit {
                found.push((start + at, start + at + length));
            }
            let step = word[at..].chars().next().map_or(1, char::len_utf8);
            at += hit.unwrap_or(step).max(step);
        }
        return;
    }
    let lower = word.to_lowercase();
    if wanted.iter().any(|wanted| is_wanted(&lower, wanted)) {
        found.push((start, end));
    }
}

/// Where wanted words are in a text that is shown as it is, in UTF-16 units.
pub fn highlights(text: &str, wanted: &[String]) -> Vec<(u32, u32)> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut counted = (0, 0_u32);
    let mut units = |to: usize| {
        counted.1 += text[counted.0..to].encode_utf16().count() as u32;
        counted.0 = to;
        counted.1
    };
    places(text, wanted).into_iter().map(|(from, to)| (units(from), units(to))).collect()
}

/// The part of a text around its first wanted word; none if it has none.
pub fn snippet(text: &str, wanted: &[String]) -> Option<Snippet> {
    let text = &text[..text.floor_char_boundary(LOOKED_AT)];
    let (first, _) = places(text, wanted).into_iter().next()?;
    let begin = text[..first].char_indices().rev().take(BEFORE).last().map_or(first, |(at, _)| at);
    // Not in the middle of a word, where there are spaces.
    let begin = match text[begin..first].find(char::is_whitespace) {
        Some(space) if begin > 0 => begin + space + 1,
        _ => begin,
    };
    let end = text[begin..].char_indices().nth(LENGTH).map_or(text.len(), |(at, _)| begin + at);
    let part = text[begin..end].split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, after) = (if begin > 0 { "… " } else { "" }, if end < text.len() { " …" } else { "" });
    let text = format!("{before}{part}{after}");
    Some(Snippet { highlights: highlights(&text, wanted), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &str) -> Vec<String> {
        wanted_words(query)
    }

    #[test]
    fn what_a_person_wants_to_find() {
        assert_eq!(words("Rust -java \"type system\" OR x"), ["rust", "system", "type", "x"]);
        assert_eq!(words("a -\"not this\" b"), ["a", "b"]);
        assert_eq!(words("  "), Vec::<String>::new());
        assert_eq!(words(&"w1 ".repeat(10_000)).len(), 1);
    }

    #[test]
    fn a_snippet_shows_the_word_and_says_where() {
        let text = format!("{} The Borrow checker is borrowed. {}", "word ".repeat(100), "more ".repeat(100));
        let found = snippet(&text, &words("borrow")).unwrap();
        assert!(found.text.starts_with("… ") && found.text.ends_with(" …"), "{}", found.text);
        let shown: Vec<String> = found
            .highlights
            .iter()
            .map(|(from, to)| {
                let units: Vec<u16> = found.text.encode_utf16().collect();
                String::from_utf16(&units[*from as usize..*to as usize]).unwrap()
            })
            .collect();
        assert_eq!(shown, ["Borrow", "borrowed"]);
        assert_eq!(snippet(&text, &words("lifetime")), None);
        assert_eq!(snippet("short borrow", &words("borrow")).unwrap().text, "short borrow");
    }

    #[test]
    fn places_are_counted_as_browsers_count() {
        let found = snippet("😀😀 naïve test", &words("test")).unwrap();
        assert_eq!(found.highlights, [(11, 15)]);
        assert_eq!(highlights("東京の新聞と新聞社", &words("新聞")), [(3, 5), (6, 8)]);
    }

    #[test]
    fn other_forms_of_a_word_are_found_and_others_are_not() {
        let is = |word: &str, wanted: &str| is_wanted(word, wanted);
        assert!(is("searching", "search") && is("stories", "story") && !is("cities", "city"));
        assert!(!is("car", "cart") && !is("planet", "plant"));
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "\u{0}", "e\u{301}", "🏳️‍🌈", &"a".repeat(300_000), &"新".repeat(100_000)] {
            for query in ["a", "新", "\"", "-", "e"] {
                let _ = snippet(text, &words(query));
            }
        }
    }
}
