//! Whether a rewritten title or summary says what its source says: the gate before anything rewritten is served.
//!
//! Every number, date, name and quotation of the rewrite occurs in the source; what is denied, uncertain or attributed stays
//! so; the language is the source's, the length within bounds, and there is no markup and no address. The check knows no
//! meaning: it compares what can be compared, and refuses when in doubt, because the original can always be served.
//! `calm_title` asks for its own titles, `enrich` for those of a model.

mod claims;
mod exchanged;
mod names;
mod numbers;
mod opposites;
mod reading;

pub(crate) use names::{is_common, is_small};
use reading::Reading;

use crate::stop_words::StopWords;
use crate::{Language, language, sentences};

/// Why a rewrite is refused. The text in it is the word that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfaithful {
    /// There is nothing to read.
    Empty,
    /// Much shorter or longer than it may be.
    Length,
    /// Tags, Markdown or control characters.
    Markup,
    /// A web address or an e-mail address.
    Address,
    /// Another language than the source's.
    Language,
    /// A number or amount that the source does not have there.
    Number(String),
    /// A name that the source does not have, or has of somebody else.
    Name(String),
    /// A quotation that is not in the source, or lost its marks.
    Quotation(String),
    /// Something is denied that was not, or no longer.
    Negation(String),
    /// A word became its opposite.
    Opposite(String),
    /// More or less certain, wanted or required than in the source.
    Modality(String),
    /// Nobody, or somebody else, says it.
    Attribution(String),
    /// A word stands where the source has one that means something else.
    Exchanged(String),
    /// It has too little in common with the source.
    OtherContent,
}

impl std::fmt::Display for Unfaithful {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => out.write_str("no words"),
            Self::Length => out.write_str("too short or too long"),
            Self::Markup => out.write_str("has markup"),
            Self::Address => out.write_str("has an address"),
            Self::Language => out.write_str("is in another language"),
            Self::Number(word) => write!(out, "the number “{word}” is not in the source"),
            Self::Name(word) => write!(out, "the name “{word}” is not in the source"),
            Self::Quotation(word) => write!(out, "the quotation “{word}” is not in the source"),
            Self::Negation(word) => write!(out, "the negation “{word}” was added or lost"),
            Self::Opposite(word) => write!(out, "“{word}” reverses the source"),
            Self::Modality(word) => write!(out, "“{word}” was added or lost: not as certain as in the source"),
            Self::Attribution(word) => write!(out, "“{word}”: another source of the claim"),
            Self::Exchanged(word) => write!(out, "“{word}” stands for another word of the source"),
            Self::OtherContent => out.write_str("says something else"),
        }
    }
}

impl std::error::Error for Unfaithful {}

/// Longer rewrites are refused unread.
const LONGEST_REWRITE_BYTES: usize = 5_000;

/// Longer sources are cut.
const LONGEST_SOURCE_BYTES: usize = 400_000;

/// A source of at most so many words is compared as a whole; of longer ones the sentence that is nearest.
const WHOLE_WORDS: usize = 45;

/// Whether a rewrite is faithful to its source, both in this language; without a language, to the one that is found.
pub fn faithful(source: &str, rewrite: &str, language: Option<Language>) -> Result<(), Unfaithful> {
    if rewrite.len() > LONGEST_REWRITE_BYTES {
        return Err(Unfaithful::Length);
    }
    form(source, rewrite)?;
    let source = &source[..source.floor_char_boundary(LONGEST_SOURCE_BYTES)];
    let language = language.or_else(|| crate::language(source));
    let (there, here) = (Reading::of(source, language), Reading::of(rewrite, language));
    if here.words.is_empty() {
        return Err(Unfaithful::Empty);
    }
    length(source, rewrite, &there, &here)?;
    content(source, rewrite, &there, &here, language)?;
    if let Some(number) = numbers::changed_number(&there, &here) {
        return Err(Unfaithful::Number(number));
    }
    quotation(source, rewrite, &there, &here)?;
    if let Some(name) = names::changed_name(&there, &here, language) {
        return Err(Unfaithful::Name(name));
    }
    let Some(language) = language else { return Ok(()) };
    if there.words.len() <= WHOLE_WORDS {
        return claims::changed_claim(&there, &here, language);
    }
    let parts: Vec<Reading> =
        sentences(source, Some(language)).iter().map(|part| Reading::of(part, Some(language))).collect();
    let small = StopWords::new(Some(language));
    for sentence in sentences(rewrite, Some(language)) {
        let sentence = Reading::of(sentence, Some(language));
        let Some(part) =
            parts.iter().max_by_key(|part| (shared(part, &sentence, small), usize::MAX - part.words.len()))
        else {
            continue;
        };
        claims::changed_claim(part, &sentence, language)?;
    }
    Ok(())
}

/// How many words with content a sentence shares with a part of the source.
fn shared(part: &Reading, sentence: &Reading, small: StopWords) -> usize {
    sentence.words.iter().filter(|word| !small.contains(&word.folded) && part.has(word)).count()
}

/// No markup, no address.
fn form(source: &str, rewrite: &str) -> Result<(), Unfaithful> {
    let lower = rewrite.to_lowercase();
    let tag = rewrite.char_indices().any(|(at, letter)| {
        letter == '<' && rewrite[at + 1..].starts_with(|next: char| next.is_alphabetic() || next == '/' || next == '!')
    });
    let entity = ["&amp;", "&lt;", "&gt;", "&quot;", "&#", "&nbsp;"]
        .iter()
        .any(|entity| lower.contains(entity) && !source.contains(entity));
    let markdown = ["**", "__", "](", "```", "`"].iter().any(|mark| rewrite.contains(mark))
        || rewrite.lines().any(|line| {
            line.starts_with("# ")
                || line.starts_with("## ")
                || line.starts_with("> ")
                || line.starts_with("* ")
                || line.starts_with("- ")
        });
    if tag || entity || markdown || rewrite.chars().any(|letter| letter.is_control() && letter != '\n') {
        return Err(Unfaithful::Markup);
    }
    let ends = [".com", ".org", ".net", ".de", ".co.uk", ".io", ".info", ".eu", ".fr", ".ru", ".xyz"];
    let address = |word: &str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '/');
        word.contains("://")
            || word.starts_with("www.")
            || ends.iter().any(|end| word.ends_with(end) || word.contains(&format!("{end}/")))
            || word.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
    };
    if lower.split_whitespace().any(address) || lower.contains("javascript:") {
        return Err(Unfaithful::Address);
    }
    Ok(())
}

fn length(source: &str, rewrite: &str, there: &Reading, here: &Reading) -> Result<(), Unfaithful> {
    let (from, to) = (source.chars().count(), rewrite.chars().count());
    let too_long = to > from + from / 3 + 25;
    // Of a title a good part must stay; of an article one sentence is enough.
    let too_short = there.words.len() <= WHOLE_WORDS
        && (here.words.len() * 6 < there.words.len() || here.words.len() < 2 && there.words.len() > 3);
    if too_long || too_short { Err(Unfaithful::Length) } else { Ok(()) }
}

/// Enough of its words are the source's, and so is its language.
fn content(
    source: &str,
    rewrite: &str,
    there: &Reading,
    here: &Reading,
    known: Option<Language>,
) -> Result<(), Unfaithful> {
    let small = StopWords::new(known);
    let content: Vec<_> =
        here.words.iter().filter(|word| !small.contains(&word.folded) && word.folded.chars().count() > 2).collect();
    let found = content.iter().filter(|word| there.has_like(word)).count();
    let share = if content.is_empty() { 1.0 } else { found as f64 / content.len() as f64 };
    if share < 0.75
        && let (Some(expected), Some(is)) = (known.or_else(|| language(source)), language(rewrite))
        && expected != is
    {
        return Err(Unfaithful::Language);
    }
    if share < 0.34 { Err(Unfaithful::OtherContent) } else { Ok(()) }
}

/// Quotations of the rewrite are in the source; what the source only quotes is not said without marks or a source.
fn quotation(source: &str, rewrite: &str, there: &Reading, here: &Reading) -> Result<(), Unfaithful> {
    let plain = |text: &str| {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '\'' | '’'));
        words
            .map(|word| word.trim_matches(['\'', '’']))
            .filter(|word| !word.is_empty())
            .map(|word| word.replace('’', "'").to_lowercase())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (all, new) = (format!(" {} ", plain(source)), format!(" {} ", plain(rewrite)));
    let kept = quotations(rewrite);
    for quoted in &kept {
        if !all.contains(&format!(" {} ", plain(quoted))) {
            return Err(Unfaithful::Quotation((*quoted).to_owned()));
        }
    }
    for quoted in quotations(source) {
        let words = plain(quoted);
        let lost = !words.is_empty()
            && new.contains(&format!(" {words} "))
            && !kept.iter().any(|kept| plain(kept).contains(&words));
        let attributed = here
            .words
            .iter()
            .any(|word| word.before.contains(':') || SPEAKS.split_ascii_whitespace().any(|verb| verb == word.folded));
        if lost && !attributed && there.words.len() <= WHOLE_WORDS {
            return Err(Unfaithful::Quotation(quoted.to_owned()));
        }
    }
    Ok(())
}

const SPEAKS: &str = "say says said according claim claims claimed told tells calls called alleged allegedly sagt sagte laut nennt nannte \
    dit selon dice según diz segundo secondo zegt volgens siger ifølge";

/// What stands in quotation marks; apostrophes do not open.
fn quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some((at, open)) = rest.char_indices().find(|(at, letter)| {
        let previous = rest[..*at].chars().next_back().unwrap_or(before);
        matches!(letter, '"' | '“' | '„' | '«' | '»') || (matches!(letter, '\'' | '‘') && !previous.is_alphanumeric())
    }) {
        let inside = &rest[at + open.len_utf8()..];
        let closes = |letter: char| match open {
            '"' => matches!(letter, '"' | '”'),
            '“' => matches!(letter, '”' | '"'),
            '„' => matches!(letter, '“' | '”' | '"'),
            '«' => letter == '»',
            '»' => letter == '«',
            _ => matches!(letter, '\'' | '’'),
        };
        let end = inside.char_indices().find(|(at, letter)| {
            let next = inside[at + letter.len_utf8()..].chars().next();
            closes(*letter) && (!matches!(letter, '\'' | '’') || next.is_none_or(|next| !next.is_alphanumeric()))
        });
        before = open;
        match end {
            Some((end, letter)) => {
                found.push(&inside[..end]);
                rest = &inside[end + letter.len_utf8()..];
            }
            None => rest = inside,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks an English pair; an empty reason means faithful.
    #[track_caller]
    fn check(source: &str, rewrite: &str, expected: &str) {
        let why = faithful(source, rewrite, Some(Language::ENGLISH)).err().map(|why| why.to_string());
        assert!(why.as_deref().unwrap_or_default().contains(expected), "{rewrite}: {why:?}");
        assert_eq!(why.is_none(), expected.is_empty(), "{rewrite}: {why:?}");
    }

    #[test]
    fn numbers_may_be_written_otherwise() {
        check("City spends 1,000 euros on trees", "City spends 1.000 euros on trees", "");
        check("City spends 1,000 euros on trees", "City spends €1 000 on trees", "");
        check("City spends 1,000 euros on trees", "City spends a thousand euros on trees", "");
        check("City plants 5 million trees", "City plants 5,000,000 trees", "");
        check("City plants twelve trees", "City plants 12 trees", "");
        check("City plants 25 trees", "City plants twenty-five trees", "");
        check("Rain falls on 30% of days", "Rain falls on 30 percent of days", "");
        check("City plants half of the trees", "City plants 50 percent of the trees", "number");
        check("City plants 5 million trees", "City plants 5 billion trees", "number");
        check("City plants 10 trees", "City plants 100 trees", "“100”");
        check("Shop opens at 12:30", "Shop opens at 13:30", "number");
        check("Shop opens on 12/05/2024", "Shop opens on 12/06/2024", "number");
        check("Rate falls to 2.5 percent", "Rate falls to 25 percent", "number");
        check("G20 leaders meet in Rome", "G7 leaders meet in Rome", "G7");
    }

    #[test]
    fn markup_and_addresses_are_refused() {
        let source = "Council approves plan for new library in Leeds";
        check(source, "Council approves plan for <b>new</b> library", "markup");
        check(source, "Council approves plan for **new** library", "markup");
        check(source, "Council approves [plan](x) for new library", "markup");
        check(source, "Council approves plan for new library\u{7}", "markup");
        check(source, "Council approves plan for new library &lt;3", "markup");
        check(source, "Council approves plan, see https://x.example", "address");
        check(source, "Council approves plan, see www.x.example", "address");
        check(source, "Council approves plan, see library.com", "address");
        check(source, "Council approves plan, ask a@b.example", "address");
    }

    #[test]
    fn length_and_language_are_bounded() {
        let source = "Council approves plan for new library in Leeds after long debate";
        check(source, "", "no words");
        check(source, "!!!", "no words");
        check(source, "Council", "short");
        check(source, &"Council approves plan ".repeat(10), "long");
        check(source, &"a".repeat(1 << 20), "long");
        check(source, "Der Stadtrat stimmt dem Plan für eine neue Bücherei zu", "language");
        check(source, "Farmers sell grain directly to bakeries", "something else");
        check(source, source, "");
    }

    #[test]
    fn advice_to_the_reader_may_become_a_plain_verb() {
        check("10 reasons you should visit Norway in winter", "Ten reasons to visit Norway in winter", "");
        check("Why the mayor should visit Norway in winter", "Why the mayor visits Norway in winter", "certain");
        check("10 Reasons You Should Visit Norway", "Retailer Lists Reasons to Visit Norway", "");
        check("10 Reasons You Should Visit Norway", "Reasons to Visit Sweden", "Sweden");
    }

    #[test]
    fn quotations_are_verbatim() {
        check("Mayor says \"we are broke\" after vote", "Mayor says “we are broke” after vote", "");
        check("Mayor says \"we are broke\" after vote", "Mayor says \"we are rich\" after vote", "quotation");
        check("Mayor 'lied' about bridge", "Mayor lied about bridge", "quotation");
        check("Mayor 'lied' about bridge", "Mayor 'lied' about the bridge", "");
        check("The dogs' owner said it's fine", "The dogs' owner said it's fine", "");
    }

    #[test]
    fn what_cannot_be_judged_is_compared_by_form() {
        let language = Language::from_code("ja");
        assert_eq!(faithful("東京で地震、3人けが", "東京で地震、3人けが", language), Ok(()));
        assert!(matches!(faithful("東京で地震、3人けが", "東京で地震、8人けが", language), Err(Unfaithful::Number(_))));
        assert_eq!(faithful("", "", None), Err(Unfaithful::Empty));
    }

    #[test]
    fn a_megabyte_of_source_ends() {
        for source in
            ["The mayor said no. ".repeat(50_000), "Berlin ".repeat(150_000), "1".repeat(1 << 20), "\"".repeat(1 << 20)]
        {
            let _ = faithful(&source, "The mayor of Berlin said no to 1 plan", Some(Language::ENGLISH));
        }
    }

    proptest! {
        #[test]
        fn any_pair_is_judged(source in "\\PC{0,120}", rewrite in "\\PC{0,120}") {
            for code in ["en", "de", "fr"] {
                let _ = faithful(&source, &rewrite, Language::from_code(code));
            }
            let _ = faithful(&source, &rewrite, None);
        }

        #[test]
        fn plain_words_are_faithful_to_themselves(text in "[a-z]{3,9}( [a-z]{3,9}){3,8}") {
            prop_assert_eq!(faithful(&text, &text, Some(Language::ENGLISH)), Ok(()));
        }
    }
}
