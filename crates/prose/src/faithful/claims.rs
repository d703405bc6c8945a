//! What is denied, what is uncertain, and who says so: a rewrite keeps all three.
//!
//! Words are grouped in `data/faithful.txt`; this file says which group may stand for which. Bait phrases of the source do
//! not count: "you won't believe" denies nothing.

use std::sync::LazyLock;

use super::exchanged::exchanged_word;
use super::opposites::opposites;
use super::reading::{Reading, Word};
use super::{Unfaithful, WHOLE_WORDS};
use crate::Language;
use crate::bait::BAIT;
use crate::word_lists::{Lexicon, Lexicons};

static GROUPS: LazyLock<Lexicons> = LazyLock::new(|| Lexicons::read(include_str!("../../data/faithful.txt")));

/// What a text claims, as far as the lists know.
struct Claims<'a> {
    reading: &'a Reading,
    /// Group and place of everything found, in order.
    found: Vec<(&'static str, usize)>,
}

impl<'a> Claims<'a> {
    fn of(reading: &'a Reading, lexicon: &'static Lexicon, bait: Option<&Lexicon>) -> Self {
        let words = reading.folded();
        let mut is_bait = vec![false; words.len()];
        for find in bait.map(|bait| bait.find(&words)).unwrap_or_default() {
            if find.count > 1 {
                is_bait[find.at..find.at + find.count].fill(true);
            }
        }
        // "Facts that will change how you see the sea" promises the reader something, and claims nothing.
        let is = |at: usize, list: &str| words.get(at).is_some_and(|word| list.split(' ').any(|known| known == *word));
        let promise = (2..words.len()).find(|at| {
            is(*at, "that which")
                && is(at + 1, "will can could might may are")
                && (at + 2..at + 7).any(|at| is(at, "you your"))
        });
        if let Some(at) = promise.filter(|_| reading.code == "en") {
            is_bait[at..].fill(true);
        }
        let mut found = Vec::new();
        for at in (0..words.len()).filter(|at| !is_bait[*at] && !is_name(reading, *at)) {
            let finds = lexicon.every(&words, at);
            // "said to be" is hearsay, "said" alone a source: the longest entry speaks for the word.
            let longest = finds.iter().map(|find| find.count).max().unwrap_or(0);
            found.extend(
                finds.iter().filter(|find| find.count == longest).map(|find| (lexicon.group(find.group).name, at)),
            );
            if finds.is_empty() && words[at].ends_with("n't") {
                found.push(("not", at));
            }
        }
        // "Neither … nor" denies once.
        if words.contains(&"neither") {
            found.retain(|(_, at)| words[*at] != "nor");
        }
        Self { reading, found }
    }

    fn has(&self, group: &str) -> bool {
        self.found.iter().any(|(name, _)| *name == group)
    }

    fn has_any(&self, groups: &[&str]) -> bool {
        groups.iter().any(|group| self.has(group))
    }

    fn count(&self, group: &str) -> usize {
        self.found.iter().filter(|(name, _)| *name == group).count()
    }

    fn word(&self, group: &str) -> String {
        let at = self.found.iter().find(|(name, _)| *name == group).map_or(0, |(_, at)| *at);
        self.reading.words.get(at).map(|word| word.folded.clone()).unwrap_or_default()
    }

    /// Words that name a source: `(place, group)`.
    fn sources(&self) -> Vec<(usize, &'static str)> {
        let named = ["says", "claims", "reveals", "finds", "denies"];
        self.found.iter().filter(|(name, _)| named.contains(name)).map(|(name, at)| (*at, *name)).collect()
    }

    /// The stems within a few words of the words of this group.
    fn scope(&self, group: &str, back: usize, on: usize) -> Vec<&str> {
        let words = &self.reading.words;
        let places = self.found.iter().filter(|(name, _)| *name == group).map(|(_, at)| *at);
        let near =
            places.flat_map(|at| (at.saturating_sub(back)..(at + on + 1).min(words.len())).filter(move |n| *n != at));
        near.map(|at| &words[at]).filter(|word| is_content(word)).map(|word| word.stem.as_str()).collect()
    }
}

/// "May" beside a figure is a month, and "Will" inside a sentence a man.
fn is_name(reading: &Reading, at: usize) -> bool {
    let word = &reading.words[at];
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| reading.words.get(at));
    let dated = word.raw == "May" && beside.into_iter().any(|word| word.number);
    let named =
        !word.first && !reading.title_case && ["Will", "May", "Mark", "State", "States"].contains(&word.raw.as_str());
    dated || named
}

fn is_content(word: &Word) -> bool {
    word.folded.chars().count() > 3 || word.number
}

/// What the rewrite claims otherwise than its source; languages without lists are not judged.
pub(super) fn changed_claim(source: &Reading, rewrite: &Reading, language: Language) -> Result<(), Unfaithful> {
    let Some(lexicon) = GROUPS.of(language.as_str()) else { return Ok(()) };
    let there = Claims::of(source, lexicon, BAIT.of(language.as_str()));
    let here = Claims::of(rewrite, lexicon, BAIT.of(language.as_str()));
    negation(&there, &here, language)?;
    opposites(source, rewrite, language)?;
    modality(&there, &here)?;
    attribution(&there, &here)?;
    if source.words.len() > WHOLE_WORDS || rewrite.words.len() > WHOLE_WORDS {
        return Ok(());
    }
    exchanged_word(source, rewrite, |word| !lexicon.every(&[word.folded.as_str()], 0).is_empty())
}

fn negation(there: &Claims<'_>, here: &Claims<'_>, language: Language) -> Result<(), Unfaithful> {
    let (before, after) = (there.count("not"), here.count("not"));
    let may_differ = there.count("denies") != here.count("denies");
    if before > 0 && after == 0 && !may_differ {
        return Err(Unfaithful::Negation(there.word("not")));
    }
    if before == 0 && after > 0 && !may_differ {
        return Err(Unfaithful::Negation(here.word("not")));
    }
    if before != after && !may_differ {
        return Err(Unfaithful::Negation(there.word("not")));
    }
    // German and French deny behind the verb, too.
    let back = if language == Language::ENGLISH { 0 } else { 4 };
    let wide =
        |claims: &Claims<'_>| claims.scope("not", back.max(2), 8).into_iter().map(str::to_owned).collect::<Vec<_>>();
    for (one, other) in [(there, here), (here, there)] {
        let denied = one.scope("not", back, 3);
        let known: Vec<&&str> =
            denied.iter().filter(|stem| other.reading.words.iter().any(|word| word.stem == **stem)).collect();
        let scope = wide(other);
        if !may_differ && !known.is_empty() && !known.iter().any(|stem| scope.iter().any(|near| near == **stem)) {
            return Err(Unfaithful::Negation(one.word("not")));
        }
    }
    Ok(())
}

fn modality(there: &Claims<'_>, here: &Claims<'_>) -> Result<(), Unfaithful> {
    let asks = is_yes_no_question(there.reading);
    let asks_after = is_yes_no_question(here.reading) || here.reading.is_question();
    let asks_whether = match here.reading.code {
        "en" => "whether",
        "de" => "ob",
        "fr" | "es" => "si",
        "pt" | "it" => "se",
        "nl" => "of",
        _ => "om",
    };
    let whether = here.reading.words.iter().any(|word| word.folded == asks_whether || word.folded == "if");
    let whether = whether && asks;
    if asks && !asks_after && !whether && !here.has("possible") {
        return Err(Unfaithful::Modality("?".to_owned()));
    }
    if !there.reading.is_question() && here.reading.is_question() && !has_question_word(there.reading) {
        return Err(Unfaithful::Modality("?".to_owned()));
    }
    // What the source has, and what may stand for it.
    let kept: [(&str, &[&str]); 11] = [
        ("possible", &["possible"]),
        ("probable", &["probable"]),
        ("unlikely", &["unlikely"]),
        ("must", &["must"]),
        ("should", &["should"]),
        ("intends", &["intends"]),
        ("will", &["will", "intends", "probable"]),
        ("if", &["if"]),
        ("only", &["only"]),
        ("almost", &["almost"]),
        ("partly", &["partly"]),
    ];
    let to = |claims: &Claims<'_>| claims.reading.words.iter().any(|word| word.folded == "to");
    for (group, stand_ins) in kept {
        let future = group == "will" && to(here);
        let asked = group == "possible" && (asks_after && !there.reading.is_question() || whether);
        // "Won't" is both "will" and "not".
        let same = there
            .found
            .iter()
            .filter(|(name, _)| *name == group)
            .all(|(_, at)| here.reading.has(&there.reading.words[*at]));
        // "Reasons you should visit" are reasons to visit.
        let advice = ["should", "must", "possible"].contains(&group) && to(here) && addressed(there, group);
        let excused = advice || same || future || asked || group == "if" && whether;
        let kept: usize = stand_ins.iter().map(|group| here.count(group)).sum();
        if !excused && kept < there.count(group) {
            return Err(Unfaithful::Modality(there.word(group)));
        }
    }
    // Hearsay stays hearsay, or gets a source of its own ("reportedly" to "according to reports").
    let is_hearsay = |(name, at): &&(&str, usize)| *name == "alleged" && !there.found.contains(&("claims", *at));
    let hearsay = there.found.iter().filter(is_hearsay).count();
    let told = voices(&here.sources()).saturating_sub(voices(&there.sources()));
    if here.count("alleged") + told < hearsay {
        return Err(Unfaithful::Modality(there.word("alleged")));
    }
    // What the rewrite has, and what in the source allows it.
    let allowed: [(&str, &[&str]); 13] = [
        ("possible", &["possible"]),
        ("probable", &["probable", "will"]),
        ("unlikely", &["unlikely"]),
        ("alleged", &["alleged", "claims"]),
        ("must", &["must"]),
        ("should", &["should"]),
        ("intends", &["intends", "will"]),
        ("will", &["will", "intends"]),
        ("certain", &["certain"]),
        ("if", &["if"]),
        ("only", &["only"]),
        ("all", &["all"]),
        ("most", &["most", "all"]),
    ];
    for (group, grounds) in allowed {
        let asked = asks && ["possible", "if"].contains(&group);
        let future = group == "will" && to(there);
        let had: usize = grounds.iter().map(|group| there.count(group)).sum();
        if here.count(group) > had && !asked && !future {
            return Err(Unfaithful::Modality(here.word(group)));
        }
    }
    for group in ["almost", "partly"] {
        if here.has(group) && !there.has(group) {
            return Err(Unfaithful::Modality(here.word(group)));
        }
    }
    // What only awaits somebody, and what was given up, both ways.
    for group in ["pending", "undone"] {
        for (one, other) in [(there, here), (here, there)] {
            if one.has(group) && !other.has(group) && !other.has("not") {
                return Err(Unfaithful::Modality(one.word(group)));
            }
        }
    }
    new_future(there.reading, here.reading).map_or(Ok(()), |verb| Err(Unfaithful::Modality(verb)))
}

/// "To meet" where the source has "meets": what happened is made a plan.
fn new_future(source: &Reading, rewrite: &Reading) -> Option<String> {
    if source.code != "en" {
        return None;
    }
    let soft = "to will would should can could must may might you cannot can't won't";
    let has = |list: &str, word: &Word| list.split(' ').any(|known| known == word.folded);
    for run in
        rewrite.words.windows(3).filter(|run| run[1].folded == "to" && run[0].capital && run[2].before.is_empty())
    {
        let verb = &run[2];
        let finite = |at: usize| {
            let word = &source.words[at];
            word.stem == verb.stem
                && word.folded != verb.folded
                && at > 0
                && word.folded.ends_with('s')
                && !(at.saturating_sub(2)..at).any(|at| has(soft, &source.words[at]))
        };
        if (0..source.words.len()).any(finite) && !source.words.iter().any(|word| word.folded == verb.folded) {
            return Some(verb.folded.clone());
        }
    }
    None
}

/// Whether words of this group are said to the reader: "you should".
fn addressed(claims: &Claims<'_>, group: &str) -> bool {
    let mut places = claims.found.iter().filter(|(name, _)| *name == group).map(|(_, at)| *at);
    places.all(|at| at > 0 && claims.reading.words[at - 1].folded == "you")
}

fn attribution<'a>(there: &Claims<'a>, here: &Claims<'a>) -> Result<(), Unfaithful> {
    let (before, after) = (there.sources(), here.sources());
    let hearsay = here.count("alleged") > there.count("alleged");
    let colon =
        |claims: &Claims<'_>| claims.reading.words.iter().take(9).skip(1).any(|word| word.before.starts_with(':'));
    let quotes = |claims: &Claims<'_>| {
        let signs = claims.reading.words.iter().map(|word| word.before.as_str()).chain([claims.reading.end.as_str()]);
        signs.into_iter().any(|signs| signs.contains(['"', '“', '„', '«', '‘', '\'']))
    };
    // "Sheriff: no sign of foul play": the colon says who says it.
    let speaks = |word: &Word| {
        let last = word.folded.rsplit('-').next().unwrap_or_default();
        SPEAKERS.split_ascii_whitespace().any(|known| known == word.folded || known == last || known == word.stem)
    };
    let told_by = |claims: &Claims<'a>| -> Vec<&'a Word> {
        let reading: &'a Reading = claims.reading;
        let end =
            reading.words.iter().take(9).skip(1).position(|word| word.before.contains(':')).map_or(0, |at| at + 1);
        let count = reading.words.len();
        let tail = (count.saturating_sub(3).max(end)..count).find(|at| reading.words[*at].before.contains(':'));
        let tail = tail.map_or(count, |at| at);
        reading.words[..end].iter().chain(&reading.words[tail..]).filter(|word| speaks(word)).collect()
    };
    if let Some((at, _)) = before.first()
        && voices(&after) + tells(here.reading) < voices(&before) + tells(there.reading)
        && !hearsay
        && (colon(there) && told_by(here).is_empty() || !colon(here))
        && !(here.has("not") && there.has("denies"))
    {
        return Err(Unfaithful::Attribution(there.reading.words[*at].folded.clone()));
    }
    if let Some((at, _)) = after.first()
        && before.is_empty()
        && !there.has("alleged")
        && !colon(there)
        && !quotes(there)
    {
        return Err(Unfaithful::Attribution(here.reading.words[*at].folded.clone()));
    }
    // A "shock-study" is a study.
    let last = |word: &Word| word.folded.rsplit('-').next().unwrap_or_default().to_owned();
    let names = |reading: &Reading, word: &Word| {
        reading.has(word) || reading.words.iter().any(|other| last(other) == last(word))
    };
    let (colon_there, colon_here) = (told_by(there), told_by(here));
    if let Some(speaker) = colon_there.first()
        && (after.is_empty() && colon_here.is_empty() && !hearsay
            || !colon_there.iter().any(|word| names(here.reading, word)))
    {
        return Err(Unfaithful::Attribution(speaker.folded.clone()));
    }
    if let Some(speaker) = colon_here.iter().find(|word| !names(there.reading, word)) {
        return Err(Unfaithful::Attribution(speaker.folded.clone()));
    }
    // "…, health ministries report".
    let reported = |reading: &Reading| {
        let count = reading.words.len();
        count > 4
            && ["report", "reports", "reported", "show", "shows", "suggests"]
                .contains(&reading.words[count - 1].folded.as_str())
            && reading.words[count.saturating_sub(4)..].iter().any(|word| word.before.contains(','))
    };
    let reports = there.reading.words.last().is_some_and(|verb| here.reading.has(verb));
    if reported(there.reading) && after.is_empty() && colon_here.is_empty() && !reports && !hearsay {
        return Err(Unfaithful::Attribution(there.reading.words[there.reading.words.len() - 1].folded.clone()));
    }
    let is_study =
        |word: &Word| STUDIES.split_ascii_whitespace().any(|study| word.folded.rsplit('-').next() == Some(study));
    let study_of = |reading: &Reading| reading.words.iter().position(is_study);
    if let Some(at) = study_of(there.reading)
        && study_of(here.reading).is_none()
        && after.is_empty()
    {
        return Err(Unfaithful::Attribution(there.reading.words[at].folded.clone()));
    }
    // Calmer is fine ("claims" to "says"); stronger is not ("says" to "admits").
    let study = study_of(there.reading).is_some();
    let had = |group: &str| before.iter().any(|(_, name)| *name == group) || group == "finds" && study;
    for (at, group) in &after {
        let stronger = match *group {
            "reveals" | "finds" => !had("reveals") && !had("finds"),
            "claims" => !had("claims") && !there.has("alleged"),
            "denies" => !had("denies") && !there.has("not"),
            _ => false,
        };
        let also_calm = after.iter().any(|(other, name)| other == at && (*name == "says" || had(name)));
        if stronger && !also_calm {
            return Err(Unfaithful::Attribution(here.reading.words[*at].folded.clone()));
        }
    }
    if had("denies") && !here.has_any(&["denies", "not"]) {
        return Err(Unfaithful::Negation(there.word("denies")));
    }
    let (said_by, says) = (holders(there, &before), holders(here, &after));
    for holder in &says {
        let known = there.reading.words.iter().any(|word| word.stem == holder.stem || last(word) == last(holder));
        if !known {
            return Err(Unfaithful::Attribution(holder.folded.clone()));
        }
    }
    let same = says.iter().any(|holder| said_by.iter().any(|other| other.stem == holder.stem));
    if !says.is_empty() && !said_by.is_empty() && !same {
        return Err(Unfaithful::Attribution(says[0].folded.clone()));
    }
    Ok(())
}

/// Verbs that tell without judging: they may stand for "reveals".
fn tells(reading: &Reading) -> usize {
    let verbs = "show shows showed describes described explains explained discusses shares talks speaks details outlines zeigt erklärt beschreibt";
    reading.words.iter().filter(|word| verbs.split(' ').any(|verb| verb == word.folded)).count()
}

/// How many places of a text name a source.
fn voices(sources: &[(usize, &str)]) -> usize {
    let mut places: Vec<usize> = sources.iter().map(|(at, _)| *at).collect();
    places.dedup();
    places.len()
}

/// Who speaks before a colon; other words there are a subject ("Heat wave: …").
const SPEAKERS: &str = "sheriff police officer officers official officials lawyer lawyers attorney judge court minister ministry mayor governor president \
    senator spokesman spokeswoman spokesperson agency report study survey poll research researchers scientists experts expert doctors doctor union \
    family mother father parents witness witnesses company ceo chief boss coach manager union critics analysts analyst economists regulator watchdog \
    prosecutor prosecutors government pope army military charity activists opposition neighbour neighbor neighbours neighbors \
    polizei behörde behörden minister ministerin ministerium anwalt richter gericht studie umfrage bericht forscher experten experte ärzte arzt \
    gewerkschaft familie zeugen zeuge chef chefin trainer sprecher sprecherin regierung verband armee kritiker staatsanwaltschaft gutachter bauern";

const STUDIES: &str = "study survey poll research researchers studie umfrage untersuchung étude sondage estudio \
    encuesta estudo pesquisa studio sondaggio onderzoek enquête undersøgelse";

/// The words that name who says it: before the verb, or behind "according to".
fn holders<'a>(claims: &Claims<'a>, sources: &[(usize, &str)]) -> Vec<&'a Word> {
    let words = &claims.reading.words;
    let mut found = Vec::new();
    for (at, _) in sources {
        let ahead = ["according", "laut", "selon", "según", "segundo", "secondo", "volgens", "ifølge", "d'après"];
        if ahead.contains(&words[*at].folded.as_str()) {
            let behind = words.iter().skip(at + 1).take(5);
            let near = behind.take_while(|word| word.before.is_empty()).filter(|word| is_holder(word));
            found.extend(near.take(3));
            continue;
        }
        let mut end = *at;
        for place in (at.saturating_sub(3)..*at).rev() {
            if !words[place + 1].before.is_empty() {
                break;
            }
            end = place;
        }
        found.extend(words[end..*at].iter().filter(|word| is_holder(word)));
    }
    found
}

fn is_holder(word: &Word) -> bool {
    let small = [
        "that", "have", "been", "were", "they", "also", "with", "from", "this", "will", "would", "could", "might",
        "should", "never", "just", "does", "but",
    ];
    word.folded.chars().count() > 2
        && !small.contains(&word.folded.as_str())
        && ![
            "the", "who", "has", "had", "did", "not", "she", "and", "was", "may", "can", "its", "her", "his", "der",
            "die", "das", "hat", "les", "une", "den", "dem",
        ]
        .contains(&word.folded.as_str())
}

fn is_yes_no_question(reading: &Reading) -> bool {
    reading.is_question() && !has_question_word(reading)
}

fn has_question_word(reading: &Reading) -> bool {
    let asks = "who what why how when where which whose wer was warum wie wann wo welche welcher welches weshalb wieso qui que quoi \
        pourquoi comment quand où quel quelle quién qué cómo cuándo dónde cuál quem como quando onde qual chi cosa perché come dove \
        quale wie wat waarom hoe wanneer waar welke hvem hvad hvorfor hvordan hvornår hvor hvilken";
    reading.words.iter().any(|word| asks.split_ascii_whitespace().any(|ask| ask == word.folded))
}
