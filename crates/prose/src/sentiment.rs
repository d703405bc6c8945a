//! How what is told feels: positive, negative, neutral or mixed, with a score.
//!
//! Each sentence adds up the values of its words (`data/sentiment_*.txt`). Negation turns a value around, words of degree
//! strengthen or weaken it, and a bad thing that is ended, prevented or survived is not bad news. It is the event that is
//! valued, as a reader feels about it, not the tone of the author: that is `framing`'s business. Languages without a lexicon
//! are not scored.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Language;
use crate::lexicon::{Lexicon, Read, lines};
use crate::sentences::sentences;

/// How a text feels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sentiment {
    /// In a word.
    pub label: Feeling,
    /// -1 (as bad as news gets) to 1.
    pub score: f64,
}

/// How a text feels, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feeling {
    /// Good news.
    Positive,
    /// Bad news.
    Negative,
    /// Neither.
    Neutral,
    /// Both, and much of each.
    Mixed,
}

impl Feeling {
    /// Its name: one word in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Mixed => "mixed",
        }
    }
}

/// How much of a text is looked at.
const LOOKED_AT_BYTES: usize = 20_000;

/// From here on a score is called positive or negative.
const NEUTRAL_UP_TO: f64 = 0.2;

/// Where a sentence's sum is worth 0.7: two strong words.
const STRONG_SUM: f64 = 5.0;

/// How a text feels; none for languages without a lexicon.
pub fn sentiment(text: &str, language: Option<Language>) -> Option<Sentiment> {
    let language = language?;
    let tongue = TONGUES.get(language.as_str())?;
    let (mut good, mut bad, mut sum, mut weights) = (0.0, 0.0, 0.0, 0.0);
    for (place, sentence) in sentences(beginning(text), Some(language)).into_iter().enumerate() {
        let (up, down) = tongue.values(sentence);
        let value = up - down;
        let value = value / (value * value + STRONG_SUM * STRONG_SUM).sqrt();
        // What comes first weighs more, and a sentence that feels like nothing weighs less.
        let weight = (1.0 + 2.0 / (1.0 + place as f64)) * if up + down > 0.0 { 1.0 } else { 0.3 };
        good += up * weight;
        bad += down * weight;
        sum += value * weight;
        weights += weight;
    }
    let score = if weights > 0.0 { (sum / weights).clamp(-1.0, 1.0) } else { 0.0 };
    let total = good + bad;
    let both = total / f64::max(weights, 1.0) >= 2.0 && f64::min(good, bad) >= 0.35 * total;
    let label = match score {
        _ if both && score.abs() < 0.3 => Feeling::Mixed,
        score if score > NEUTRAL_UP_TO => Feeling::Positive,
        score if score < -NEUTRAL_UP_TO => Feeling::Negative,
        _ => Feeling::Neutral,
    };
    Some(Sentiment { label, score })
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What a language needs: values, and the words that change them.
struct Tongue {
    lexicon: Lexicon<f32>,
    changes: HashMap<&'static str, Change>,
    /// Whether a capital inside a sentence marks a name.
    names: bool,
    english: bool,
}

/// What a word does to the values after it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    /// Turns them around: not, never.
    Negate,
    /// Makes good of bad: ends, prevents, survives.
    Overcome,
    /// Makes bad of good: lacks, loses.
    Spoil,
    /// More or less of it.
    Degree(f64),
}

/// How many words a negation reaches; what ends or prevents something reaches one more ("ends decade of civil war").
const REACH: usize = 3;

/// What it is worth that a bad quantity falls.
const FALLEN: f64 = 2.5;

/// Quantities of which less is better, and the words for less.
const QUANTITIES: &str = "unemployment joblessness jobless crime crimes murder murders homicides death deaths inflation poverty debt debts deficit hunger \
    homelessness infection infections pollution emissions casualties accidents violence theft thefts burglary burglaries overdoses suicides \
    bankruptcies layoffs mortality fatalities obesity smoking waste delays absenteeism tensions";
const FALLS: &str = "fall falls fell falling fallen drop drops dropped dropping decline declines declined declining down decrease decreases decreased ease eases \
    eased easing slow slows slowed slowing shrink shrinks shrank plunge plunges plunged tumble tumbles tumbled halve halved lower lowest dip dips dipped";

impl Tongue {
    /// The good and the bad of a sentence.
    fn values(&self, sentence: &str) -> (f64, f64) {
        let words = self.lexicon.read(sentence);
        let (mut good, mut bad) = (0.0, 0.0);
        let mut at = 0;
        let mut fallen = None;
        while at < words.len() {
            let found = self.lexicon.find(&words, at).filter(|(value, _)| *value != 0.0 && fallen != Some(at));
            // "Unemployment falls" is good news, and its verb is no bad one.
            if let Some(fall) = self.fall(&words, at) {
                good += FALLEN;
                fallen = Some(fall);
                at += found.map_or(1, |(_, length)| length).min(fall - at);
                continue;
            }
            let length = found.map_or(1, |(_, length)| length);
            if let Some((value, _)) = found {
                // "Infinity War" is a film. German nouns have capitals anyway.
                let named = if words[at].name && self.names { 0.4 } else { 1.0 };
                let value = named * self.changed(f64::from(value), &words, at);
                if value > 0.0 { good += value } else { bad -= value }
            }
            at += length;
        }
        (good, bad)
    }

    /// Where a bad quantity that stands at a word is said to fall.
    fn fall(&self, words: &[Read], at: usize) -> Option<usize> {
        let is = |at: usize, list: &str| list.split_ascii_whitespace().any(|known| known == words[at].folded);
        if !self.english || !is(at, QUANTITIES) {
            return None;
        }
        (at + 1..(at + 5).min(words.len())).take_while(|near| words[*near].joined).find(|near| is(*near, FALLS))
    }

    fn changed(&self, mut value: f64, words: &[Read], at: usize) -> f64 {
        let mut near = at;
        while near > 0 && at - near <= REACH && words[near].joined {
            near -= 1;
            let distance = at - near;
            match self.change(&words[near].folded) {
                Some(Change::Negate) if distance <= REACH => value *= -0.5,
                Some(Change::Overcome) if value <= -2.0 => value *= -0.4,
                Some(Change::Spoil) if value >= 2.0 => value *= -0.5,
                Some(Change::Degree(factor)) if distance == 1 => value *= factor,
                _ => {}
            }
        }
        value
    }

    fn change(&self, folded: &str) -> Option<Change> {
        match self.changes.get(folded) {
            Some(change) => Some(*change),
            None => folded.ends_with("n't").then_some(Change::Negate),
        }
    }
}

static TONGUES: LazyLock<HashMap<&'static str, Tongue>> = LazyLock::new(|| {
    [
        ("en", include_str!("../data/sentiment_en.txt")),
        ("de", include_str!("../data/sentiment_de.txt")),
        ("fr", include_str!("../data/sentiment_fr.txt")),
        ("es", include_str!("../data/sentiment_es.txt")),
        ("pt", include_str!("../data/sentiment_pt.txt")),
        ("it", include_str!("../data/sentiment_it.txt")),
        ("nl", include_str!("../data/sentiment_nl.txt")),
        ("da", include_str!("../data/sentiment_da.txt")),
    ]
    .into_iter()
    .map(|(code, data)| {
        let language = Language::from_code(code).expect("the codes above are known");
        // A hint says less than its number: one alone leaves a text neutral.
        let scaled = |value: f32| if value.abs() <= 1.0 { value * 0.6 } else { value };
        let entries = lines(data).map(|(head, word)| {
            let value: f32 = head.parse().expect("a line of a sentiment file begins with a number");
            (word, scaled(value))
        });
        // Where two forms share a stem, the first one listed is the stronger.
        (
            code,
            Tongue {
                lexicon: Lexicon::new(language, entries, |first, _| first),
                changes: changes(code),
                names: code != "de",
                english: code == "en",
            },
        )
    })
    .collect()
});

fn changes(code: &str) -> HashMap<&'static str, Change> {
    let [negate, overcome, spoil, more, less] = match code {
        "en" => [
            "not no never none nobody nothing neither nor without hardly barely cannot isnt dont wont",
            "end ends ended ending stop stops stopped halt halts halted prevent prevents prevented avoid avoids avoided averts \
             averted avert survive survives survived surviving escape escapes escaped curb curbs curbed combat combats fight fights \
             fighting beat beats beating cure cures cured reduce reduces reduced reducing ease eases eased overcome overcomes \
             eradicate eradicated foil foils foiled thwart thwarts thwarted defuse defused against anti fewer less lower cut cuts \
             relief protects protect treat treats treating resolve resolves resolved heal heals tackle tackles solve solves ban bans acquits acquitted clears cleared exonerates exonerated frees freed pardons pardoned",
            "lack lacks lacking lose loses losing lost fail fails failed failing without ends end ended refuse refuses denied deny \
             threatens threaten little dims dashed dash dashes fading missing",
            "very extremely really so most highly deeply massive massively huge severe severely totally absolutely utterly \
             incredibly especially big major serious seriously grave worst best greatest deadly record",
            "slightly somewhat fairly partly less little bit minor mild mildly small possible possibly potential potentially \
             alleged almost nearly",
        ],
        "de" => [
            "nicht kein keine keinen keiner keinem keines nie niemals ohne nichts kaum weder",
            "stoppt verhindert verhindern beendet beenden gegen überlebt überleben senkt bekämpft vermeiden weniger",
            "verliert verlieren fehlt mangelnde scheitert",
            "sehr äußerst besonders extrem völlig schwer massiv riesig höchst",
            "etwas leicht wenig kaum möglicherweise",
        ],
        "fr" => [
            "pas ne jamais sans aucun aucune rien ni plus",
            "arrête stoppe évite éviter empêche empêcher contre survit fin réduit combat moins lutte",
            "perd perdre manque échoue",
            "très extrêmement vraiment particulièrement énorme grave fortement",
            "peu légèrement assez presque",
        ],
        "es" => [
            "no nunca jamás sin ningún ninguna nada ni",
            "detiene evita evitar impide contra sobrevive fin reduce combate menos lucha",
            "pierde perder falta fracasa",
            "muy extremadamente realmente especialmente enorme grave sumamente",
            "poco ligeramente algo casi",
        ],
        "pt" => [
            "não nunca jamais sem nenhum nenhuma nada nem",
            "evita evitar impede contra sobrevive fim reduz combate menos luta trava",
            "perde perder falta fracassa",
            "muito extremamente realmente especialmente enorme grave",
            "pouco ligeiramente quase",
        ],
        "it" => [
            "non mai senza nessun nessuna nulla niente né",
            "ferma evita evitare impedisce contro sopravvive fine riduce combatte meno lotta",
            "perde perdere manca fallisce",
            "molto estremamente davvero particolarmente enorme grave",
            "poco leggermente quasi",
        ],
        "nl" => [
            "niet geen nooit zonder niets noch",
            "stopt voorkomt voorkomen tegen overleeft einde vermindert bestrijdt minder",
            "verliest verliezen gebrek mislukt",
            "zeer erg heel extreem bijzonder enorm ernstig",
            "beetje licht bijna enigszins",
        ],
        "da" => [
            "ikke ingen intet aldrig uden hverken",
            "stopper forhindrer forhindre undgår mod overlever slut mindsker bekæmper mindre",
            "mister mangler taber",
            "meget ekstremt særligt enormt yderst",
            "lidt næsten noget",
        ],
        _ => [""; 5],
    };
    let kinds = [Change::Negate, Change::Overcome, Change::Spoil, Change::Degree(1.3), Change::Degree(0.7)];
    let mut changes = HashMap::new();
    for (words, change) in [negate, overcome, spoil, more, less].into_iter().zip(kinds) {
        for word in words.split_ascii_whitespace() {
            changes.entry(word).or_insert(change);
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(code: &str, text: &str, expected: &str) {
        let said = sentiment(text, Language::from_code(code));
        let label = said.map_or("none", |said| said.label.as_str());
        assert_eq!(label, expected, "{text}: {said:?}");
    }

    #[test]
    fn less_of_a_bad_thing_is_good_news() {
        let score = |text: &str| sentiment(text, Some(Language::ENGLISH)).expect("English is scored").score;
        assert!(score("Unemployment falls to lowest level in a decade") > 0.2);
        assert!(score("Crime drops sharply in the capital") > 0.2);
        assert!(score("Crime rises sharply in the capital") < -0.2);
        assert!(score("Peace deal ends decade of civil war") > 0.0);
        assert!(score("Studio announces a film called Infinity War") > score("Studio announces a war"));
    }

    #[test]
    fn english() {
        check("en", "Bomb kills 18 in market", "negative");
        check("en", "Earthquake leaves thousands homeless", "negative");
        check("en", "Shares plunge as bank warns of losses", "negative");
        check("en", "Actor jailed for fraud", "negative");
        check("en", "The storm damaged hundreds of houses and injured twelve people.", "negative");
        check("en", "Girl found alive after four days in the snow", "positive");
        check("en", "Scientists celebrate breakthrough in cancer cure", "positive");
        check("en", "Underdogs win first championship", "positive");
        check("en", "A wonderful evening of music and laughter", "positive");
        check("en", "Couple celebrate wedding on the beach", "positive");
        check("en", "Committee to meet on Thursday", "neutral");
        check("en", "The company names a new chief executive", "neutral");
        check("en", "The report has 300 pages", "neutral");
        check("en", "Triumph and tragedy: the champion's victory and the death of a fan", "mixed");
        check("en", "", "neutral");
    }

    #[test]
    fn what_changes_a_value() {
        let score = |text| sentiment(text, Some(Language::ENGLISH)).map_or(0.0, |said| said.score);
        assert!(score("The play is not good") < score("The play is good"));
        assert!(score("It isn't wonderful") < 0.0);
        assert!(score("The war") < 0.0 && score("A deal ends the war") > score("The war"));
        assert!(score("a very bad storm") < score("a bad storm"));
        assert!(score("a slightly bad storm") > score("a bad storm"));
        assert!(score("not today, good people") > 0.0, "a comma ends the reach of a negation");
        assert!(score("lack of hope") < 0.0);
        assert!(score("The chief executive spoke") > score("The execution").abs() * -0.5);
    }

    #[test]
    fn other_languages() {
        check("de", "Bei dem Anschlag wurden zehn Menschen getötet.", "negative");
        check("de", "Die Mannschaft feiert einen großartigen Sieg.", "positive");
        check("fr", "Un attentat fait dix morts.", "negative");
        check("fr", "Une magnifique victoire pour les champions.", "positive");
        check("es", "El terremoto deja decenas de muertos.", "negative");
        check("es", "El equipo celebra una maravillosa victoria.", "positive");
        check("pt", "O incêndio provocou mortos e feridos.", "negative");
        check("pt", "Uma vitória fantástica para a equipa.", "positive");
        check("it", "L'esplosione ha ucciso dieci persone: una tragedia.", "negative");
        check("it", "Una vittoria straordinaria e felice.", "positive");
        check("nl", "Bij de aanslag vielen doden en gewonden.", "negative");
        check("nl", "Een prachtige overwinning voor de kampioen.", "positive");
        check("da", "Bomben dræbte ti mennesker.", "negative");
        check("da", "Holdet fejrer en fantastisk sejr.", "positive");
        check("sv", "En bomb dödade tio människor.", "none");
    }

    #[test]
    fn hostile_texts_end() {
        for text in ["a".repeat(1 << 20), "kill ".repeat(1 << 18), "not ".repeat(1 << 18), "👍🏽!".repeat(1 << 16)]
        {
            let said = sentiment(&text, Some(Language::ENGLISH)).expect("English has a lexicon");
            assert!((-1.0..=1.0).contains(&said.score));
        }
        assert_eq!(sentiment("anything", None), None);
    }

    proptest! {
        #[test]
        fn a_score_is_bounded_and_repeatable(text in "\\PC{0,120}|((not|kill|love|very|war|peace|ends)[ .,]){0,30}") {
            let said = sentiment(&text, Some(Language::ENGLISH)).unwrap();
            prop_assert!((-1.0..=1.0).contains(&said.score));
            prop_assert_eq!(Some(said), sentiment(&text, Some(Language::ENGLISH)));
        }
    }
}
