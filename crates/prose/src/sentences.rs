//! Sentences: a text as verbatim slices of itself.
//!
//! A sentence ends at a full stop, question or exclamation mark, together with the quotation marks and brackets that
//! close after it, and at every line break. What looks like an end and is none (abbreviations, initials, ordinals,
//! numbers, web addresses) is decided here, by the language's own list of abbreviations. Thai has no marks: its spaces
//! end phrases, and are taken once a phrase is long enough.

use crate::Language;
use crate::words::is_spaceless;

/// A Thai phrase of fewer bytes than this goes on after a space: about twenty characters.
const THAI_PHRASE_BYTES: usize = 60;

/// The sentences of a text in order, trimmed, without empty ones.
pub fn sentences(text: &str, language: Option<Language>) -> Vec<&str> {
    let code = language.map_or("", |language| language.as_str());
    let mut found = Vec::new();
    let mut start = 0;
    let mut rest = text.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        let after = at + character.len_utf8();
        let mut go_on = after;
        let end = match character {
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(at),
            '。' | '！' | '？' | '｡' | '．' | '؟' | '۔' | '।' | '॥' | '።' | '፧' | '။' | '។' | '։' => {
                Some(end_of_marks(text, after))
            }
            '.' | '!' | '?' | '…' | '‼' | '⁇' | '⁈' | '⁉' => {
                let marks_end = end_of_marks(text, after);
                go_on = marks_end;
                ends_latin(text, start, at, marks_end, code).then_some(marks_end)
            }
            ' ' if code == "th" || code == "lo" => thai_end(text, start, at),
            _ => None,
        };
        if let Some(end) = end {
            push(&mut found, &text[start..end]);
            start = end.max(after);
            go_on = start;
        }
        // Marks are looked at once, as a run: a megabyte of full stops is one step.
        while rest.peek().is_some_and(|(next, _)| *next < go_on) {
            rest.next();
        }
    }
    push(&mut found, &text[start..]);
    found
}

fn push<'t>(found: &mut Vec<&'t str>, sentence: &'t str) {
    let sentence = sentence.trim();
    if !sentence.is_empty() {
        found.push(sentence);
    }
}

/// Where the run of closing marks ends that begins at `at`: more stops, closing quotation marks and brackets.
fn end_of_marks(text: &str, at: usize) -> usize {
    let closes =
        |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '}' | '」' | '』' | '）' | '】' | '〉' | '》');
    let stops = |c: char| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '‼' | '⁇' | '⁈' | '⁉');
    let run = |from: usize| text[from..].find(|c| !stops(c) && !closes(c)).map_or(text.len(), |length| from + length);
    let mut end = run(at);
    // French puts a space before its closing mark.
    let spaced = text[end..].trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    if spaced.len() < text.len() - end && text.len() - end - spaced.len() <= 4 && spaced.starts_with('»') {
        let after = text.len() - spaced.len() + '»'.len_utf8();
        if text[after..].chars().next().is_none_or(char::is_whitespace) {
            end = run(after);
        }
    }
    // Marks that close in German open in English: they close where white space follows.
    if let Some(after) = text[end..].strip_prefix(['“', '‘', '«'])
        && after.chars().next().is_none_or(char::is_whitespace)
    {
        end = run(text.len() - after.len());
    }
    end
}

/// Whether the marks from `at` to `end` end the sentence that began at `start`.
fn ends_latin(text: &str, start: usize, at: usize, end: usize, code: &str) -> bool {
    let marks = &text[at..end];
    let Some(next) = text[end..].chars().next() else { return true };
    if !next.is_whitespace() {
        // `3.5`, `example.org`, `Yahoo!s`; but scripts without spaces put none after a mark.
        return is_spaceless(next) && !marks.starts_with('.');
    }
    let following = text[end..].trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
    let word = following.trim_start_matches(opens);
    let Some(first) = word.chars().next().filter(|_| !following.starts_with('\n')) else { return true };
    if first.is_lowercase() {
        // "Why?" he asked; wait... what. But a name like `iPhone` may begin a sentence.
        return word.chars().nth(1).is_some_and(char::is_uppercase);
    }
    // A quotation mark after the full stop: the stop ends the quotation, and is no abbreviation's.
    let lone_stop = marks == "." || marks == ".)";
    !(lone_stop && is_abbreviated(&text[start..at], following, first, code))
}

fn opens(character: char) -> bool {
    matches!(character, '"' | '\'' | '“' | '‘' | '«' | '»' | '„' | '‚' | '(' | '[' | '¿' | '¡' | '-' | '–' | '—' | '•')
}

/// Whether the full stop after `before` belongs to an abbreviation, initial or ordinal.
fn is_abbreviated(before: &str, following: &str, first: char, code: &str) -> bool {
    let word = before.rsplit(|c: char| {
        c.is_whitespace() || matches!(c, '\'' | '’' | '(' | '[' | '"' | '“' | '„' | '«' | '/' | '—' | '–')
    });
    let word = word.into_iter().next().unwrap_or_default();
    if word.is_empty() || word.len() > 24 {
        return false;
    }
    if word.chars().all(|c| c.is_ascii_digit()) {
        // Ordinals: `am 3. Oktober`, `den 4. maj`. In other languages a number may end a sentence.
        let ordinals = ["de", "da", "no", "fi", "cs", "sk", "sl", "hr", "sr", "bs", "hu", "et", "lv", "is", "pl", "tr"];
        return word.len() <= 2 && ordinals.contains(&code) && before.len() > word.len();
    }
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let dotted = word.contains('.');
    if letters == 1 && !dotted {
        // Initials: `J. Smith`, `z. B.`; but "plan B. The" and "I. The" end.
        let capital = word.chars().all(|c| c.is_uppercase());
        let pronoun = code == "en" && word == "I";
        let word_before = before[..before.len() - word.len()].trim_end();
        let follows_small = word_before.chars().next_back().is_some_and(char::is_lowercase)
            && word_before.rsplit(char::is_whitespace).next().is_some_and(|w| w.chars().all(char::is_lowercase));
        return !capital || !(pronoun || (follows_small && is_starter(following)));
    }
    let lower = word.to_lowercase();
    if dotted && lower.split('.').all(|part| part.chars().count() <= 2) {
        // `U.S.`, `a.m.`, `e.g.`, `z.B.`: an end only where a sentence visibly begins.
        let never_ends = ["e.g", "i.e", "z.b", "d.h", "u.a", "p.ex", "p.e", "o.g", "bl.a", "f.eks"];
        return never_ends.contains(&lower.as_str()) || !is_starter(following);
    }
    if always(&lower) || of_language(&lower, code) {
        return true;
    }
    // `No. 5`, `p. 12`, `vol. 3`, `Nr. 7`: before a number only.
    let before_number =
        ["no", "nos", "nr", "pp", "vol", "art", "fig", "figs", "op", "núm", "n°", "št", "str", "kap", "abs", "sec"];
    if first.is_numeric() && before_number.contains(&lower.as_str()) {
        return true;
    }
    // `Inc.`, `Jan.`, `etc.`: an end only where a sentence visibly begins.
    let may_end = [
        "inc", "corp", "ltd", "co", "bros", "etc", "jr", "sr", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep",
        "sept", "oct", "nov", "dec", "usw", "est", "dept", "univ", "assn", "ave", "blvd", "rd", "ariz", "calif",
        "colo", "conn", "fla", "ga", "ill", "ind", "kan", "ky", "la", "mass", "md", "mich", "minn", "miss", "mo",
        "mont", "neb", "nev", "okla", "ore", "pa", "penn", "tenn", "tex", "va", "vt", "wash", "wis", "wyo", "ph.d",
        "osv", "enz", "ecc",
    ];
    may_end.contains(&lower.as_str()) && !is_starter(following)
}

/// Titles that are followed by a name and never end a sentence, in any language.
fn always(lower: &str) -> bool {
    ["mr", "mrs", "ms", "dr", "prof", "st", "vs", "cf"].contains(&lower)
}

fn of_language(lower: &str, code: &str) -> bool {
    let list: &[&str] = match code {
        "en" | "" => &[
            "mx", "mt", "rev", "hon", "gen", "lt", "col", "sgt", "capt", "cmdr", "maj", "gov", "sen", "rep", "pres",
            "supt", "insp", "messrs", "v", "ca", "approx", "viz", "al",
        ],
        "de" => &[
            "bzw", "ca", "evtl", "ggf", "hr", "fr", "frl", "dipl", "ing", "inkl", "exkl", "mio", "mrd", "nr", "bspw",
            "sog", "str", "tel", "vgl", "z.b", "zzgl", "vors", "geb", "gest", "jh", "jhd", "abs", "art", "kap", "mag",
            "max", "min", "hl", "u", "od", "ev", "kath", "allg", "bes", "dgl", "ehem", "engl", "franz", "gegr", "insb",
            "jr", "königl", "lat",
        ],
        "fr" => &[
            "m", "mm", "mme", "mlle", "me", "mgr", "pr", "ex", "env", "av", "bd", "ste", "éd", "chap", "art", "p", "cf",
        ],
        "es" => &[
            "sr", "sra", "srta", "d", "dña", "ud", "uds", "vd", "lic", "ing", "arq", "ej", "pág", "págs", "gral",
            "cía", "av", "avda", "núm", "tel", "aprox",
        ],
        "pt" => &[
            "sr", "sra", "srta", "d", "exmo", "eng", "av", "ex", "pág", "núm", "tel", "aprox", "ltda", "profa", "dra",
            "cap",
        ],
        "it" => &[
            "sig", "sigg", "dott", "ing", "avv", "on", "arch", "geom", "es", "pag", "ca", "tel", "ecc", "cfr", "gen",
            "art",
        ],
        "nl" => &[
            "dhr", "mevr", "mw", "drs", "mr", "ir", "ing", "bijv", "blz", "ca", "dw", "evt", "incl", "jl", "nl", "nr",
            "resp", "zgn", "vgl", "enz", "mln", "mld", "jhr",
        ],
        "da" | "no" | "nb" | "nn" => &[
            "hr", "fr", "bl", "ca", "dvs", "eks", "evt", "f", "fx", "inkl", "jf", "kl", "kr", "mio", "mia", "mrd",
            "nr", "pct", "sml", "tlf", "vedr", "mv", "bl.a", "o.l", "sst", "skt", "st",
        ],
        "sv" => &[
            "bl", "ca", "dvs", "ex", "fr", "hr", "jfr", "kl", "kr", "nr", "resp", "t", "tel", "tex", "inkl", "milj",
            "st", "s.k",
        ],
        "pl" => &[
            "np", "tj", "tzw", "ul", "al", "św", "ks", "im", "ok", "mln", "mld", "tys", "zob", "por", "ur", "zm", "nr",
            "m.in", "godz", "pl",
        ],
        "cs" | "sk" => &[
            "např", "tzv", "tj", "mj", "resp", "mil", "mld", "tis", "č", "str", "ing", "mgr", "bc", "mudr", "judr",
            "sv", "ul", "nám", "cca", "př",
        ],
        "ru" | "uk" | "bg" => &[
            "г", "гг", "им", "ул", "д", "стр", "руб", "тыс", "млн", "млрд", "т", "св", "вул", "м", "см", "проф",
            "акад", "ок",
        ],
        "fi" => &["esim", "ns", "mm", "ym", "klo", "n", "os", "prof", "tri", "t", "v"],
        "tr" => &["doç", "prof", "av", "sn", "cad", "sok", "vb", "bkz", "örn"],
        "ro" => &["nr", "str", "dl", "dna", "bd", "mil", "mld", "art", "pag"],
        "hu" => &["pl", "kb", "ún", "ill", "stb", "dr", "özv", "id", "ifj", "u"],
        _ => &[],
    };
    list.contains(&lower)
}

/// Small words that are written with a capital only at the beginning of a sentence.
const STARTERS: &[&str] = &[
    "The",
    "A",
    "An",
    "This",
    "That",
    "These",
    "Those",
    "He",
    "She",
    "It",
    "They",
    "We",
    "You",
    "I",
    "In",
    "On",
    "At",
    "But",
    "And",
    "However",
    "If",
    "When",
    "While",
    "As",
    "For",
    "His",
    "Her",
    "Its",
    "Their",
    "Our",
    "There",
    "What",
    "Why",
    "How",
    "Who",
    "After",
    "Before",
    "Since",
    "With",
    "Yet",
    "So",
    "Not",
    "No",
    "Now",
    "Then",
    "Some",
    "Many",
    "Most",
    "Both",
    "Mr",
    "Mrs",
    "Ms",
    "Although",
    "Meanwhile",
    "According",
    "Last",
    "Der",
    "Die",
    "Das",
    "Ein",
    "Eine",
    "Er",
    "Sie",
    "Es",
    "Wir",
    "Ich",
    "Im",
    "Am",
    "Aber",
    "Und",
    "Doch",
    "Auch",
    "Nach",
    "Bei",
    "Mit",
    "Für",
    "Le",
    "La",
    "Les",
    "Un",
    "Une",
    "Il",
    "Elle",
    "Ils",
    "Elles",
    "Ce",
    "Cette",
    "Mais",
    "Et",
    "Dans",
    "En",
    "El",
    "Los",
    "Las",
    "Una",
    "Pero",
    "Por",
    "Para",
    "Su",
    "O",
    "Os",
    "As",
    "Um",
    "Uma",
    "Mas",
    "Ele",
    "Ela",
    "Lo",
    "Gli",
    "I",
    "Uno",
    "Ma",
    "Nel",
    "Nella",
    "De",
    "Het",
    "Een",
    "Hij",
    "Zij",
    "Maar",
    "Den",
    "Det",
    "En",
    "Et",
    "Han",
    "Hun",
    "Men",
    "Og",
    "Da",
];

/// Whether what follows begins as sentences do: with one of `STARTERS`.
fn is_starter(following: &str) -> bool {
    let word = following.trim_start_matches(opens);
    let word = word.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    STARTERS.contains(&word)
}

/// A Thai or Lao phrase ends at a space, if it is long enough and no number or foreign word stands around the space.
fn thai_end(text: &str, start: usize, at: usize) -> Option<usize> {
    if text[at + 1..].starts_with(' ') {
        return None;
    }
    let thai = |c: Option<char>| c.is_some_and(is_spaceless);
    let phrase = text[start..at].trim_start();
    let repeated = phrase.ends_with('ๆ');
    let between = thai(phrase.chars().next_back()) && thai(text[at..].trim_start().chars().next());
    (phrase.len() >= THAI_PHRASE_BYTES && between && !repeated).then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The sentences of `text` are the parts of `expected` between bars.
    #[track_caller]
    fn check(code: &str, expected: &str) {
        let text = expected.replace(" | ", " ").replace('|', "");
        let found = sentences(&text, Language::from_code(code));
        let expected: Vec<&str> = expected.split('|').map(str::trim).filter(|part| !part.is_empty()).collect();
        assert_eq!(found, expected, "{code}: {text}");
    }

    #[test]
    fn english() {
        check("en", "");
        check("en", "One. | Two! | Three?");
        check("en", "Mr. Smith met Dr. Jones. | They talked.");
        check("en", "The U.S. Senate voted. | It passed.");
        check("en", "He lives in the U.S. | The weather is fine.");
        check("en", "It rose 3.5 per cent to $1.2bn. | Sales fell.");
        check("en", "See example.org for more. | Thanks.");
        check("en", "J. R. R. Tolkien wrote it. | It sold well.");
        check("en", "\"I am here.\" | \"So am I,\" she said. | He left.");
        check("en", "“It ended.” | Then he went (he said.) | And so on.");
        check("en", "\"Why?\" he asked. | \"Because!\" she said.");
        check("en", "Wait... what? | Really?!");
        check("en", "It was over… | The end.");
        check("en", "At 5 p.m. Monday it began. | At 6 p.m. | The rest left.");
        check("en", "Apple Inc. rose. | Apple Inc. | The shares fell.");
        check("en", "Use fruit, e.g. Apples or pears. | Fine.");
        check("en", "It was No. 5 on the list. | The answer was no. | No.");
        check("en", "Smith et al. Found it. | On Jan. 5 it snowed.");
        check("en", "We chose plan B. | The rest is history. | So do I. | You do.");
        check("en", "It ended in 1999. | Nobody knew.");
        check("en", "Yahoo! | iPhone sales rose. | It said so.");
        check("en", "St. Louis beat Mt. Vernon. | Gov. Brown cheered.");
    }

    #[test]
    fn other_languages() {
        check("de", "Das gilt z. B. Für Kinder. | Am 3. Oktober war es so weit. | Ende.");
        check("de", "Das kostet ca. 5 Mio. Euro. | Hr. Müller zahlt bzw. Frau Maier.");
        check("de", "„Das ist gut.“ | Er ging. | Nr. 7 blieb.");
        check("fr", "M. Dupont est parti. | Mme. Durand aussi. | Par ex. Paris, p. ex. Lyon. | Voilà !");
        check("fr", "« C'est fini. » | Il a dit : « Non ! » | Puis il partit.");
        check("es", "El Sr. García llegó. | ¿Por qué? | ¡Porque sí! | Nada más.");
        check("pt", "O Sr. Silva chegou. | A Dra. Costa saiu.");
        check("it", "Il sig. Rossi e l'on. Bianchi. | È finita.");
        check("nl", "Dhr. Jansen kwam. | Hij ging. | Dat is bijv. Amsterdam.");
        check("da", "Hr. Hansen kom d. 4. maj. | Det koster 5 mio. Kroner.");
        check("ru", "Он родился в 1990 г. Москва его помнит. | Да!");
    }

    #[test]
    fn other_scripts() {
        check("zh", "我来了。|你呢？|“好的。”|他说。");
        check("ja", "今日は雨です。|「はい。」|そうですか？|終わり");
        check("zh", "真的!|是的。");
        check("ar", "هل انت هنا؟ | نعم. | انتهى.");
        check("he", "הוא בא. | היא הלכה.");
        check("hi", "यह घर है। | वह गया।");
        check("ko", "그는 갔다. | 끝.");
        let thai = "กระทรวงสาธารณสุขรายงานผู้ป่วยใหม่ | ประชาชนควรสวมหน้ากากอนามัยทุกครั้ง | จบ";
        check("th", thai);
        check("th", "ราคา 500 บาท");
    }

    #[test]
    fn line_breaks_end_sentences() {
        let found = sentences("A heading\n\nA sentence that\r\nwas broken. Next\u{2028}line", None);
        assert_eq!(found, ["A heading", "A sentence that", "was broken.", "Next", "line"]);
    }

    #[test]
    fn hostile_texts() {
        for (case, text, at_least) in [
            ("one long word", "a".repeat(1 << 20), 1),
            ("full stops", ".".repeat(1 << 20), 1),
            ("full stops and spaces", ". ".repeat(1 << 19), 1),
            ("abbreviations", "Mr. ".repeat(1 << 18), 1),
            ("quotation marks", ".\"".repeat(1 << 19), 1),
            ("initials", "A. ".repeat(1 << 18), 1),
            ("open brackets", ". (".repeat(1 << 18), 1),
            ("emoji", "👍🏽 ".repeat(1 << 16), 1),
            ("blank", " \n".repeat(1 << 19), 0),
        ] {
            assert!(sentences(&text, Language::from_code("en")).len() >= at_least, "{case}");
        }
    }

    proptest! {
        #[test]
        fn sentences_are_slices_in_order_and_lose_nothing(
            text in "\\PC{0,60}|[A-Za-z .!?\"”(\n'0-9。]{0,120}",
            code in "en|de|th|zh|xx",
        ) {
            let mut at = 0;
            for sentence in sentences(&text, Language::from_code(&code)) {
                prop_assert_eq!(sentence, sentence.trim());
                let found = sentence.as_ptr() as usize - text.as_ptr() as usize;
                prop_assert!(text[at..found].trim().is_empty(), "lost {:?}", &text[at..found]);
                at = found + sentence.len();
            }
            prop_assert!(text[at..].trim().is_empty());
        }
    }
}
