//! Numbers: every number of a rewrite stands in its source, with the same unit, beside the same things.
//!
//! `1,000`, `1.000`, `1 000` and "a thousand" are one number; so are "5 million" and 5,000,000, "twelve" and 12, `%` and
//! "percent". Where a form can be read in two ways (1.000), both count.

use std::collections::HashSet;

use super::reading::{Reading, Word};

/// A number of a text.
#[derive(Debug, Clone)]
pub(super) struct Number {
    /// What it can mean; usually one value.
    values: Vec<f64>,
    unit: Option<Unit>,
    bound: Option<Bound>,
    /// As written, for the reason.
    pub(super) text: String,
    /// The stem of the next word that is none of the number's own: what is counted.
    counted: Option<String>,
    /// "one" is mostly no number.
    weak: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Percent,
    Dollar,
    Euro,
    Pound,
    Yen,
    Franc,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Above,
    Below,
}

/// The first number of the rewrite that the source does not have.
pub(super) fn changed_number(source: &Reading, rewrite: &Reading) -> Option<String> {
    let (there, here) = (numbers(source), numbers(rewrite));
    for number in here.iter().filter(|number| !number.weak) {
        let same: Vec<&Number> = there.iter().filter(|other| is_same(other, number)).collect();
        if same.is_empty() {
            return Some(number.text.clone());
        }
        // The source counts this with another number: two numbers were exchanged.
        if let Some(counted) = &number.counted
            && !same.iter().any(|other| other.counted.as_ref() == Some(counted))
            && there.iter().any(|other| other.counted.as_ref() == Some(counted) && !is_same(other, number))
        {
            return Some(number.text.clone());
        }
    }
    new_figures(source, rewrite)
        .or_else(|| new_quantity(source, rewrite, &there, &here))
        .or_else(|| changed_measure(source, rewrite))
        .or_else(|| changed_time(source, rewrite))
}

/// Words that say what a number measures; within a group one may not stand for another.
const MEASURES: [&str; 4] = [
    "second/seconds/sekunde/sekunden minute/minutes/minuten hour/hours/stunde/stunden day/days/daily/tag/tage/tagen week/weeks/weekly/woche/wochen \
     month/months/monthly/monat/monate/monaten year/years/yearly/annual/year-old/jahr/jahre/jahren/jährige/jähriger decade/decades/jahrzehnt/jahrzehnte \
     century/centuries/jahrhundert/jahrhunderte",
    "inch/inches foot/feet yard/yards mile/miles/mph/meile/meilen metre/metres/meter/meters/metern kilometre/kilometres/kilometer/kilometers/km/kilometern \
     centimetre/centimetres/centimeter/centimeters/cm/zentimeter millimetre/millimetres/mm/millimeter",
    "gram/grams/grammes/gramm kilogram/kilograms/kilo/kilos/kg/kilogramm pound/pounds tonne/tonnes/ton/tons/tonnen",
    "dollar/dollars/usd/$ euro/euros/eur/€ pound/pounds/gbp/£ yen/¥ rupee/rupees/rupien yuan/renminbi rouble/roubles/ruble/rubles/rubel franc/francs/franken \
     krona/kronor/krone/kroner/kronen peso/pesos real/reais won lira/lire",
];

/// "17 months" where the source has 17 years.
fn changed_measure(source: &Reading, rewrite: &Reading) -> Option<String> {
    // "60-day" measures in days.
    let measure = |word: &Word, group: &str| {
        let parts = || word.folded.split('-');
        group
            .split_ascii_whitespace()
            .position(|forms| forms.split('/').any(|form| word.folded == form || parts().any(|part| part == form)))
    };
    for group in MEASURES {
        let of = |reading: &Reading| -> Vec<usize> {
            reading.words.iter().filter_map(|word| measure(word, group)).collect()
        };
        let here = of(rewrite);
        if here.is_empty() {
            continue;
        }
        let there = of(source);
        let lost = there.iter().any(|known| !here.contains(known));
        let new = rewrite.words.iter().find(|word| measure(word, group).is_some_and(|found| !there.contains(&found)));
        if let Some(word) = new.filter(|word| lost && !word.number) {
            return Some(word.raw.clone());
        }
    }
    None
}

/// "This year" where the source has "next year".
fn changed_time(source: &Reading, rewrite: &Reading) -> Option<String> {
    let places = |reading: &Reading| -> Vec<(usize, String, String)> {
        let is_pointing = |word: &Word| {
            POINTING.split_ascii_whitespace().any(|forms| forms.split('/').any(|form| form == word.folded))
        };
        let is_time = |word: &Word| TIMES.split_ascii_whitespace().any(|form| form == word.folded);
        let pairs = reading.words.windows(2).enumerate().filter(|(_, pair)| is_pointing(&pair[0]) && is_time(&pair[1]));
        pairs.map(|(at, pair)| (at, pointing(&pair[0]), pair[1].folded.clone())).collect()
    };
    let (there, here) = (places(source), places(rewrite));
    let changed = here.iter().find(|(_, pointing, time)| {
        there.iter().any(|(_, _, other)| other == time)
            && !there.iter().any(|(_, other, same)| same == time && other == pointing)
    });
    changed.map(|(at, _, _)| rewrite.words[*at].raw.clone())
}

fn pointing(word: &Word) -> String {
    let forms = POINTING.split_ascii_whitespace().find(|forms| forms.split('/').any(|form| form == word.folded));
    forms.unwrap_or_default().to_owned()
}

const POINTING: &str = "this/current/diesem/dieses/diese/dieser next/coming/following/nächstes/nächsten/nächste/kommenden/kommendes \
    last/past/previous/letztes/letzten/letzte/vergangenen/vergangenes/voriges/vorigen";

const TIMES: &str = "year month week weekend day summer winter spring autumn fall season quarter decade century monday tuesday wednesday thursday friday \
    saturday sunday jahr monat woche wochenende sommer winter frühling herbst saison quartal";

/// Figures inside words: `top-10`, `G20`.
fn new_figures(source: &Reading, rewrite: &Reading) -> Option<String> {
    let figures = |word: &Word| -> Vec<String> {
        word.raw
            .split(|letter: char| !letter.is_ascii_digit())
            .filter(|run| !run.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let known: HashSet<String> = source.words.iter().flat_map(figures).collect();
    let inside = rewrite.words.iter().filter(|word| !word.number);
    inside.into_iter().find(|word| figures(word).iter().any(|run| !known.contains(run))).map(|word| word.raw.clone())
}

fn is_same(there: &Number, here: &Number) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    there.values.iter().any(|a| here.values.iter().any(|b| close(*a, *b)))
        && there.unit == here.unit
        && there.bound == here.bound
}

/// Words that say how much without a figure: a new one is a new number.
fn new_quantity(source: &Reading, rewrite: &Reading, there: &[Number], here: &[Number]) -> Option<String> {
    let has = |value: f64| there.iter().any(|number| number.values.contains(&value));
    for word in &rewrite.words {
        let known = match word.folded.as_str() {
            "half" | "hälfte" | "moitié" | "mitad" | "metade" | "metà" | "helft" => has(50.0) || has(0.5),
            "dozen" | "dutzend" => has(12.0),
            "double" | "doubles" | "doubled" | "twice" | "verdoppelt" | "doppelt" => has(2.0),
            "triple" | "triples" | "tripled" => has(3.0),
            "dozens" | "hundreds" | "thousands" | "millions" | "billions" | "quarter" | "dutzende" | "hunderte"
            | "tausende" | "millionen" | "milliarden" | "quadrupled" | "several" | "many" | "few" | "countless" => {
                false
            }
            _ => continue,
        };
        let same_family = |own: &Word| match word.folded.as_str() {
            "several" | "many" | "few" => {
                ["several", "many", "few", "some", "numerous", "dozens", "hundreds", "thousands"]
                    .contains(&own.folded.as_str())
            }
            "double" | "doubles" | "doubled" | "twice" => {
                ["double", "doubles", "doubled", "doubling", "twice"].contains(&own.folded.as_str())
            }
            "millionen" | "milliarden" | "millions" | "billions" => own.folded == word.folded,
            _ => own.stem == word.stem,
        };
        let part_of_number = here.iter().any(|number| number.text.contains(&word.folded));
        if !known && !part_of_number && !source.words.iter().any(same_family) {
            return Some(word.raw.clone());
        }
    }
    None
}

/// The numbers of a text in order.
pub(super) fn numbers(text: &Reading) -> Vec<Number> {
    let words = &text.words;
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((mut values, mut next)) = read_at(words, at, text.code) else {
            at += 1;
            continue;
        };
        let weak = words[at].folded == "one"
            || words[at].folded == "eins"
            || matches!(words[at].folded.as_str(), "second" | "seconds");
        let mut scaled = false;
        while let Some(scale) =
            words.get(next).filter(|word| word.before.is_empty()).and_then(|word| scale(&word.folded))
        {
            let short = words[next].folded.chars().count() == 1;
            let more: Vec<f64> = values.iter().map(|value| value * scale).collect();
            // "5 m" may be metres.
            if short {
                values.extend(more);
            } else {
                values = more;
            }
            scaled = true;
            next += 1;
        }
        if words[at].before.ends_with(['-', '−']) && (at == 0 || words[at].before.len() == 1) && is_negative(words, at)
        {
            values = values.iter().map(|value| -value).collect();
        }
        let unit = unit(words, at, next, &text.end);
        let after =
            next + usize::from(unit.is_some() && words.get(next).is_some_and(|word| unit_word(&word.folded).is_some()));
        let counted =
            words.get(after).filter(|word| word.before.is_empty() && !word.number && is_content(&word.folded));
        let shown: Vec<&str> = words[at..next].iter().map(|word| word.raw.as_str()).collect();
        found.push(Number {
            values,
            unit,
            bound: bound(words, at, unit),
            text: shown.join(" "),
            counted: counted.map(|word| word.stem.clone()),
            weak: weak && !scaled,
        });
        // Parts of dates are numbers of their own.
        at = next.max(at + 1);
    }
    found
}

/// A minus before a figure, not a hyphen behind a word: `COVID-19`.
fn is_negative(words: &[Word], at: usize) -> bool {
    words[at].number
        && at > 0
        && matches!(words[at - 1].folded.as_str(), "to" | "at" | "of" | "minus" | "auf" | "bei" | "von")
}

/// The values of the number that begins at a word, and the word after it.
fn read_at(words: &[Word], at: usize, code: &str) -> Option<(Vec<f64>, usize)> {
    let word = &words[at];
    if word.number {
        let mut values = figures(&word.raw);
        let mut next = at + 1;
        // 10 000: groups of three after a space.
        if word.raw.len() <= 3 && word.raw.bytes().all(|byte| byte.is_ascii_digit()) {
            let mut joined = word.raw.clone();
            while let Some(group) = words.get(next).filter(|word| {
                word.before.is_empty()
                    && word.number
                    && word.raw.len() == 3
                    && word.raw.bytes().all(|byte| byte.is_ascii_digit())
            }) {
                joined.push_str(&group.raw);
                next += 1;
            }
            if next > at + 1 {
                values.push(joined.parse().unwrap_or(f64::NAN));
            }
        }
        return Some((values, next));
    }
    // Twenty-five, two hundred, "fünfundzwanzig".
    let mut value = spelled(&word.folded, code)?;
    let mut next = at + 1;
    if (20.0..100.0).contains(&value)
        && value % 10.0 == 0.0
        && let Some(ones) =
            words.get(next).filter(|word| word.before.len() <= 1).and_then(|word| spelled(&word.folded, code))
        && ones < 10.0
    {
        value += ones;
        next += 1;
    }
    Some((vec![value], next))
}

/// What figures can mean.
fn figures(raw: &str) -> Vec<f64> {
    let parse = |text: &str| text.parse::<f64>().ok();
    if raw.contains([':', '/']) {
        // A time or a date: its parts, and the whole as a number of its own.
        let parts: Vec<&str> = raw.split([':', '/']).collect();
        let whole = parts.iter().filter_map(|part| parse(part)).fold(0.0, |sum, part| sum * 10_000.0 + part);
        return vec![whole + 0.123];
    }
    let groups: Vec<&str> = raw.split(['.', ',', '\'', '’', '\u{a0}', '\u{202f}']).collect();
    if groups.len() == 1 {
        return parse(raw).into_iter().collect();
    }
    let whole = parse(&groups.concat());
    let threes = groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3);
    let last = groups[groups.len() - 1];
    let decimal = parse(&format!("{}.{last}", groups[..groups.len() - 1].concat()));
    let separators: Vec<char> = raw.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let mixed = separators.len() > 1 && separators.first() != separators.last();
    match (threes, separators.len()) {
        // 1.000 or 1,000: thousands, or three decimals.
        (true, 1) => whole.into_iter().chain(decimal).collect(),
        (true, _) if !mixed => whole.into_iter().collect(),
        _ if separators.len() == 1 || mixed => decimal.into_iter().collect(),
        // 12.05.2024
        _ => vec![whole.unwrap_or(0.0) + 0.321],
    }
}

fn scale(word: &str) -> Option<f64> {
    Some(match word {
        "hundred" | "hundert" => 1e2,
        "thousand" | "k" | "tausend" | "mille" | "mil" | "duizend" | "tusind" | "tsd" => 1e3,
        "million" | "millions" | "m" | "mn" | "mln" | "millionen" | "mio" | "millón" | "millones" | "milhão"
        | "milhões" | "milione" | "milioni" | "miljoen" | "millioner" => 1e6,
        "billion" | "billions" | "bn" | "b" | "milliarde" | "milliarden" | "mrd" | "milliard" | "milliards"
        | "miliardo" | "miliardi" | "miljard" | "milliarder" | "bilhão" | "bilhões" => 1e9,
        "trillion" | "trillions" | "tn" => 1e12,
        _ => return None,
    })
}

/// Number words; endings like "-fold" and plural forms are not numbers here.
fn spelled(word: &str, code: &str) -> Option<f64> {
    if let Some((tens, ones)) = word.split_once('-') {
        let (tens, ones) = (spelled(tens, code)?, spelled(ones, code)?);
        return (tens >= 20.0 && ones < 10.0).then_some(tens + ones);
    }
    for (language, step, list) in SPELLED {
        if language == code
            && let Some(at) = list.split(' ').position(|known| known == word)
        {
            return Some(at as f64 * step);
        }
    }
    match (word, code) {
        ("hundred", "en") | ("hundert", "de") => Some(100.0),
        ("thousand", "en") | ("tausend", "de") => Some(1000.0),
        (_, "de") => {
            // fünfundzwanzig
            let (ones, tens) = word.split_once("und")?;
            let ones = if ones == "ein" { 1.0 } else { spelled(ones, code)? };
            let tens = spelled(tens, code)?;
            (ones < 10.0 && tens >= 20.0).then_some(tens + ones)
        }
        _ => None,
    }
}

/// Language, step, and the words for 0, 1, 2, ... steps; a dash stands for words that are no numbers everywhere.
const SPELLED: [(&str, f64, &str); 15] = [
    (
        "en",
        1.0,
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
         eighteen nineteen",
    ),
    ("en", 1.0, "‐ first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"),
    ("en", 10.0, "‐ ‐ twenty thirty forty fifty sixty seventy eighty ninety"),
    (
        "de",
        1.0,
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn \
         achtzehn neunzehn",
    ),
    ("de", 1.0, "‐ erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte"),
    ("de", 10.0, "‐ ‐ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"),
    ("fr", 1.0, "zéro ‐ deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"),
    ("fr", 10.0, "‐ ‐ vingt trente quarante cinquante soixante"),
    ("es", 1.0, "cero ‐ dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince"),
    ("es", 10.0, "‐ ‐ veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa"),
    ("pt", 1.0, "zero ‐ dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze"),
    ("pt", 1.0, "‐ ‐ duas"),
    ("it", 1.0, "zero ‐ due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici"),
    ("nl", 1.0, "nul ‐ twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien"),
    ("da", 1.0, "nul ‐ to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten"),
];

fn unit(words: &[Word], at: usize, next: usize, end: &str) -> Option<Unit> {
    let sign = |signs: &str, last: bool| {
        let mut found = signs.chars().filter_map(|letter| match letter {
            '$' => Some(Unit::Dollar),
            '€' => Some(Unit::Euro),
            '£' => Some(Unit::Pound),
            '¥' => Some(Unit::Yen),
            '%' if !last => Some(Unit::Percent),
            _ => None,
        });
        found.next()
    };
    let behind = words.get(next).map_or(end, |word| word.before.as_str());
    let behind = behind.chars().next().map(String::from).unwrap_or_default();
    let before = words[at].before.chars().next_back().map(String::from).unwrap_or_default();
    sign(&before, true)
        .or_else(|| {
            sign(&behind, false)
                .filter(|unit| *unit == Unit::Percent || !words.get(next).is_some_and(|word| word.number))
        })
        .or_else(|| {
            words
                .get(next)
                .filter(|word| ["", "."].contains(&word.before.as_str()))
                .and_then(|word| unit_word(&word.folded))
        })
        .or_else(|| {
            let (per, cent) = (words.get(next)?, words.get(next + 1)?);
            let two = ["per", "pour", "por", "per"].contains(&per.folded.as_str());
            (two && ["cent", "ciento", "cento"].contains(&cent.folded.as_str())).then_some(Unit::Percent)
        })
}

fn unit_word(word: &str) -> Option<Unit> {
    Some(match word {
        "percent" | "pct" | "prozent" | "procent" | "percentage" => Unit::Percent,
        "dollar" | "dollars" | "usd" | "dólares" | "dollari" => Unit::Dollar,
        "euro" | "euros" | "eur" => Unit::Euro,
        "pound" | "pounds" | "gbp" | "pfund" => Unit::Pound,
        "yen" => Unit::Yen,
        "franc" | "francs" | "franken" | "chf" => Unit::Franc,
        _ => return None,
    })
}

fn bound(words: &[Word], at: usize, unit: Option<Unit>) -> Option<Bound> {
    let back = |steps: usize| at.checked_sub(steps).map_or("", |at| words[at].folded.as_str());
    match (back(2), back(1)) {
        // "A row over $5 million" is about it.
        (_, "over" | "über") if unit.is_some_and(|unit| unit != Unit::Percent) => None,
        ("more" | "greater" | "higher" | "mehr", "than" | "als")
        | ("at", "least")
        | (_, "over" | "above" | "exceeding" | "über" | "mindestens" | "exceeds" | "exceed" | "topped" | "tops") => {
            Some(Bound::Above)
        }
        ("less" | "fewer" | "lower" | "weniger", "than" | "als")
        | ("up", "to")
        | ("at", "most")
        | (_, "under" | "below" | "unter" | "höchstens" | "bis") => Some(Bound::Below),
        _ => None,
    }
}

fn is_content(word: &str) -> bool {
    word.chars().count() > 2
        && ![
            "the", "and", "for", "after", "from", "with", "are", "were", "was", "who", "und", "nach", "bei", "von",
            "year-old", "per",
        ]
        .contains(&word)
}
