//! Recognises the month in the words of a date, in the languages of feeds.
//!
//! Many words are a weekday in one language and a month in another (`mar.` is Tuesday and March), and a few are two
//! months (`lis` is October in Croatian and November in Czech). So a word is not judged alone: a month wins over a
//! weekday, languages that know both words count before those that know one, and what is still ambiguous is not a
//! month. The names themselves are in `languages`.

use std::sync::LazyLock;

use super::languages::LANGUAGES;

/// One spelling of a name, folded.
#[derive(Debug)]
struct Name {
    word: Box<str>,
    /// Its index in `LANGUAGES`.
    language: usize,
    meaning: Meaning,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// From 1 on.
    Month(u32),
    /// From 0 on, Monday first.
    Weekday(u32),
}

impl Name {
    fn month(&self) -> Option<(usize, u32)> {
        match self.meaning {
            Meaning::Month(month) => Some((self.language, month)),
            Meaning::Weekday(_) => None,
        }
    }

    fn weekday(&self) -> Option<(usize, u32)> {
        match self.meaning {
            Meaning::Weekday(day) => Some((self.language, day)),
            Meaning::Month(_) => None,
        }
    }
}

/// All names, sorted by their words.
static NAMES: LazyLock<Vec<Name>> = LazyLock::new(|| {
    let mut names = Vec::new();
    for (language, (_, months, weekdays)) in LANGUAGES.iter().enumerate() {
        let mut add = |name: &str, meaning: Meaning| {
            let word = fold(name);
            let word = bare(&word);
            // `12月` is a number; a weekday of one letter is too ambiguous.
            let long_enough = matches!(meaning, Meaning::Month(_)) || word.chars().count() > 1;
            if long_enough && !word.is_empty() && !word.contains(|c: char| c.is_ascii_digit()) {
                names.push(Name { word: word.into(), language, meaning });
            }
        };
        for (month, spellings) in (1..).zip(months.split(' ')) {
            for spelling in spellings.split('/') {
                // A month of several words may begin with an article; a Chinese one ends with the word for month.
                let name = spelling.rsplit('_').next().unwrap_or(spelling).trim_end_matches('月');
                add(name, Meaning::Month(month));
            }
        }
        for (day, spellings) in (0..).zip(weekdays.split(' ')) {
            for word in spellings.split(['/', '_']) {
                add(word, Meaning::Weekday(day));
            }
        }
    }
    names.sort_by(|a, b| a.word.cmp(&b.word));
    names
});

/// The exact meanings of a word.
fn named(word: &str) -> &'static [Name] {
    let from = NAMES.partition_point(|name| *name.word < *word);
    let length = NAMES[from..].partition_point(|name| *name.word == *word);
    &NAMES[from..from + length]
}

/// The names that begin with a word of three letters or more.
fn names_starting_with(word: &str) -> &'static [Name] {
    if word.chars().count() < 3 {
        return &[];
    }
    let from = NAMES.partition_point(|name| *name.word < *word);
    let length = NAMES[from..].partition_point(|name| name.word.starts_with(word));
    &NAMES[from..from + length]
}

/// The meanings of the longest prefix of a word that is a name, of three letters or more.
fn longest_prefix(word: &str) -> &'static [Name] {
    let ends = word.char_indices().skip(3).map(|(at, _)| at).collect::<Vec<_>>();
    ends.into_iter().rev().map(|end| named(&word[..end])).find(|names| !names.is_empty()).unwrap_or_default()
}

/// Whether a folded word is the name of a month or weekday, or begins like one.
pub(super) fn is_name(word: &str) -> bool {
    let word = bare(word);
    !named(word).is_empty() || !names_starting_with(word).is_empty()
}

/// The month that the folded words of a date name. `also_digits`: the date has a month in digits, too, if no word is
/// one. `language` is that of the feed. `fits` tests whether a day of this month was that weekday.
pub(super) fn month(
    words: &[&str],
    also_digits: bool,
    language: Option<&str>,
    fits: impl Fn(u32, u32) -> bool,
) -> Option<u32> {
    let words: Vec<&str> = words.iter().map(|word| bare(word)).filter(|word| !word.is_empty()).collect();
    let mut known: Vec<&[Name]> = words.iter().map(|word| named(word)).collect();
    let has_month = |names: &&[Name]| names.iter().any(|name| name.month().is_some());
    if !known.iter().any(has_month) {
        for (names, word) in known.iter_mut().zip(&words).filter(|(names, _)| names.is_empty()) {
            *names = names_starting_with(word);
        }
    }
    if !known.iter().any(has_month) {
        // Misspelt, or an unlisted inflection: only if it is the one word that is not understood.
        let mut strange = known.iter_mut().zip(&words).filter(|(names, word)| names.is_empty() && word.len() > 2);
        if let (Some((names, word)), None) = (strange.next(), strange.next()) {
            *names = longest_prefix(word);
        }
    }
    let is_weekday = |names: &&[Name]| names.iter().any(|name| name.weekday().is_some());
    let mut months: Vec<&[Name]> = known.iter().copied().filter(has_month).collect();
    if months.len() > 1 || also_digits {
        let sure: Vec<&[Name]> = months.iter().copied().filter(|names| !is_weekday(names)).collect();
        match (sure.is_empty(), also_digits) {
            (true, true) => return None,
            // All of them may be weekdays: the weekday comes first.
            (true, false) => months = months.split_off(months.len() - 1),
            (false, _) => months = sure,
        }
    }
    let mut readings: Vec<(usize, u32)> = months.iter().copied().flatten().filter_map(Name::month).collect();
    let weekdays: Vec<(usize, u32)> = known.iter().copied().flatten().filter_map(Name::weekday).collect();
    let mut narrow = |wanted: &dyn Fn(&(usize, u32)) -> bool| {
        if readings.iter().any(wanted) {
            readings.retain(wanted);
        }
        let (_, first) = *readings.first()?;
        readings.iter().all(|(_, month)| *month == first).then_some(first)
    };
    narrow(&|_| true)
        .or_else(|| narrow(&|(spoken, _)| weekdays.iter().any(|(other, _)| other == spoken)))
        .or_else(|| narrow(&|(spoken, _)| language.is_some_and(|language| speaks(language, LANGUAGES[*spoken].0))))
        .or_else(|| narrow(&|(_, month)| weekdays.iter().any(|(_, day)| fits(*month, *day))))
}

/// Whether `language` is this one: `pl-PL` is `pl`.
fn speaks(language: &str, ours: &str) -> bool {
    language.get(..ours.len()).is_some_and(|start| start.eq_ignore_ascii_case(ours))
        && !language[ours.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// A word without the dots and apostrophes of abbreviations, and without an article: `d’abr.` is `abr`.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(['.', '\'', '’', '׳', ';', ':']);
    word.rsplit(['’', '\'']).next().unwrap_or(word)
}

/// Lower case, without accents, with ASCII digits: publishers often leave accents out.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '\u{300}'..='\u{36f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{feff}' => {}
            '\u{660}'..='\u{669}' => out.push(digit(c, '\u{660}')),
            '\u{6f0}'..='\u{6f9}' => out.push(digit(c, '\u{6f0}')),
            '\u{ff10}'..='\u{ff19}' => out.push(digit(c, '\u{ff10}')),
            c if c.is_ascii() => out.push(c),
            c => out.push(base(c)),
        }
    }
    out
}

fn digit(c: char, zero: char) -> char {
    char::from(b'0' + (u32::from(c) - u32::from(zero)) as u8)
}

/// The base letter of an accented one.
fn base(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => 'e',
        'ğ' | 'ģ' => 'g',
        'ì'..='ï' | 'ī' | 'į' | 'ı' => 'i',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' | 'ơ' => 'o',
        'ŕ' | 'ř' => 'r',
        'ś' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' | 'ų' | 'ư' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        'ё' => 'е',
        'й' => 'и',
        'ї' => 'і',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_date() {
        let check = |words: &str, expected: Option<u32>| {
            let folded = fold(words);
            let words: Vec<&str> = folded.split(' ').collect();
            assert_eq!(month(&words, false, None, |_, _| false), expected, "{folded}");
        };
        check("january", Some(1));
        check("července", Some(7));
        check("června", Some(6));
        check("märz", Some(3));
        check("sun", None);
        check("dimanche", None);
        check("mar. déc.", Some(12));
        check("mar", Some(3));
        check("Februrary", Some(2));
        check("jui", None);
        check("lis", None);
        check("pt. lis", Some(11));
        check("pet lis", Some(10));
        check("Máirt Nollaig", None);
    }

    #[test]
    fn a_table_has_all_months_and_days() {
        for (tag, months, weekdays) in LANGUAGES {
            assert_eq!((months.split(' ').count(), weekdays.split(' ').count()), (12, 7), "{tag}");
        }
    }
}
