//! What a text is about: one of sixteen categories, with a confidence.
//!
//! Words and phrases of each category are counted (`data/categories_*.txt`); a frequent word counts more than once, but
//! less each time, so that no single word decides. Languages without a lexicon are not guessed at. `topics` finds the
//! phrases of the text itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Language;
use crate::lexicon::{Lexicon, lines};

/// What a text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Government, parties, elections, laws.
    Politics,
    /// War, diplomacy, disasters abroad.
    World,
    /// Companies, the economy, trade, work.
    Business,
    /// Teams, matches, athletes.
    Sport,
    /// Film, music, books, theatre, art, television.
    Culture,
    /// Computers, the internet, devices.
    Technology,
    /// Medicine, illness, care.
    Health,
    /// Investing, saving, insurance.
    Finance,
    /// Research, space, nature explained.
    Science,
    /// Climate, conservation, weather.
    Environment,
    /// Journeys and destinations.
    Travel,
    /// Food, fashion, home, family.
    Lifestyle,
    /// Video games and board games.
    Games,
    /// What was long ago.
    History,
    /// What somebody thinks about it.
    Opinion,
    /// None of these.
    Other,
}

impl Category {
    /// All of them, in the order of their definition.
    pub const ALL: [Self; 16] = [
        Self::Politics,
        Self::World,
        Self::Business,
        Self::Sport,
        Self::Culture,
        Self::Technology,
        Self::Health,
        Self::Finance,
        Self::Science,
        Self::Environment,
        Self::Travel,
        Self::Lifestyle,
        Self::Games,
        Self::History,
        Self::Opinion,
        Self::Other,
    ];

    /// Its name: one word in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Politics => "politics",
            Self::World => "world",
            Self::Business => "business",
            Self::Sport => "sport",
            Self::Culture => "culture",
            Self::Technology => "technology",
            Self::Health => "health",
            Self::Finance => "finance",
            Self::Science => "science",
            Self::Environment => "environment",
            Self::Travel => "travel",
            Self::Lifestyle => "lifestyle",
            Self::Games => "games",
            Self::History => "history",
            Self::Opinion => "opinion",
            Self::Other => "other",
        }
    }

    /// The category with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }

    /// How much its words count: words of a narrow category stand in many texts that are about something else.
    fn prior(self) -> f64 {
        match self {
            Self::Politics | Self::Business | Self::Sport | Self::Culture | Self::Technology | Self::Games => 1.0,
            Self::Health | Self::Environment => 0.9,
            Self::Science | Self::World | Self::Finance | Self::Travel => 0.8,
            Self::Lifestyle | Self::History => 0.7,
            Self::Opinion => 0.6,
            Self::Other => 0.0,
        }
    }
}

impl std::fmt::Display for Category {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A category and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Categorised {
    /// What the text is about.
    pub category: Category,
    /// 0 to 1: how much evidence there is, and how little for the next category.
    pub confidence: f64,
}

/// How much of a text is looked at.
const LOOKED_AT_BYTES: usize = 20_000;

/// With less evidence than this a text is about none of them: a strong word, or two or three hints.
const LEAST_EVIDENCE: f64 = 1.2;

/// The category of a text; none for languages without a lexicon. Words of the title count double.
pub fn category(text: &str, title: Option<&str>, language: Option<Language>) -> Option<Categorised> {
    let lexicon = LEXICONS.get(language?.as_str())?;
    let mut counts: HashMap<(Category, String), (f64, f64)> = HashMap::new();
    for (part, times) in [(title.unwrap_or_default(), 2.0), (beginning(text), 1.0)] {
        let words = lexicon.read(part);
        let mut at = 0;
        while at < words.len() {
            let Some((senses, length)) = lexicon.find(&words, at) else {
                at += 1;
                continue;
            };
            for (category, weight) in senses.iter().flatten() {
                let known = counts.entry((*category, words[at].stem.clone())).or_default();
                known.0 += times;
                known.1 = known.1.max(*weight);
            }
            at += length;
        }
    }
    let mut scores = [0.0; 16];
    let mut counted: Vec<_> = counts.into_iter().collect();
    // Sums depend on their order in the last digit, and the map has none.
    counted.sort_by(|a, b| a.0.cmp(&b.0));
    for ((category, _), (count, weight)) in counted {
        scores[category as usize] += weight * (1.0 + count.ln()) * category.prior();
    }
    Some(decided(&scores))
}

fn decided(scores: &[f64; 16]) -> Categorised {
    let mut order: Vec<usize> = (0..16).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let (most, next) = (scores[order[0]], scores[order[1]]);
    if most < LEAST_EVIDENCE {
        return Categorised { category: Category::Other, confidence: (0.5 - most / 8.0).clamp(0.0, 1.0) };
    }
    let enough = 1.0 - (-most / 8.0).exp();
    let ahead = 1.0 - next / most;
    Categorised { category: Category::ALL[order[0]], confidence: (enough * (0.4 + 0.6 * ahead)).clamp(0.0, 1.0) }
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The categories of a word: four at most.
type Senses = [Option<(Category, f64)>; 4];

static LEXICONS: LazyLock<HashMap<&'static str, Lexicon<Senses>>> = LazyLock::new(|| {
    [
        ("en", include_str!("../data/categories_en.txt")),
        ("de", include_str!("../data/categories_de.txt")),
        ("fr", include_str!("../data/categories_fr.txt")),
        ("es", include_str!("../data/categories_es.txt")),
        ("pt", include_str!("../data/categories_pt.txt")),
        ("it", include_str!("../data/categories_it.txt")),
        ("nl", include_str!("../data/categories_nl.txt")),
        ("da", include_str!("../data/categories_da.txt")),
    ]
    .into_iter()
    .map(|(code, data)| {
        let language = Language::from_code(code).expect("the codes above are known");
        let entries = lines(data).map(|(head, word)| {
            let sense = sense(head).expect("a line of a category file begins with a category and a weight");
            (word, [Some(sense), None, None, None])
        });
        (code, Lexicon::new(language, entries, merged))
    })
    .collect()
});

fn sense(head: &str) -> Option<(Category, f64)> {
    let (name, weight) = head.split_once(' ')?;
    let weight = match weight {
        "3" => 3.0,
        "2" => 1.3,
        "1" => 0.4,
        "0" => 0.0,
        _ => return None,
    };
    Some((Category::from_name(name)?, weight))
}

/// A word that is listed under several categories counts for each; under one twice, with its larger weight.
fn merged(mut known: Senses, new: Senses) -> Senses {
    for (category, weight) in new.into_iter().flatten() {
        if let Some((_, stronger)) = known.iter_mut().flatten().find(|(listed, _)| *listed == category) {
            *stronger = stronger.max(weight);
        } else if let Some(free) = known.iter_mut().find(|sense| sense.is_none()) {
            *free = Some((category, weight));
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(code: &str, text: &str, expected: &str) {
        let said = category(text, None, Language::from_code(code));
        let said = said.map_or("none", |said| said.category.as_str());
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn english() {
        check("en", "The prime minister will call a general election after MPs voted down the bill.", "politics");
        check("en", "Senators from both parties debated the president's nominee for the Supreme Court.", "politics");
        check("en", "Militants shelled a refugee camp hours before the ceasefire, the United Nations said.", "world");
        check("en", "Pre-tax profits at the retailer fell as shareholders backed the takeover.", "business");
        check("en", "The economy grew faster than economists forecast while inflation slowed.", "business");
        check(
            "en",
            "The striker scored twice in the second half as Arsenal beat Everton in the Premier League.",
            "sport",
        );
        check("en", "The tennis champion lost in the quarter-finals of the tournament after an ankle injury.", "sport");
        check("en", "The film won best picture, and its lead actor thanked the director at the Oscars.", "culture");
        check("en", "Her debut album topped the charts a week before the band's concert tour.", "culture");
        check("en", "Hackers used a flaw in the web browser to install spyware on computers.", "technology");
        check("en", "The new smartphone has a faster chip and software that blocks spam.", "technology");
        check("en", "Doctors gave the vaccine to patients with diabetes and heart disease.", "health");
        check("en", "Savers moved into index funds and bitcoin as dividends shrank in their portfolios.", "finance");
        check("en", "Astronomers pointed the telescope at a planet beyond our galaxy's edge.", "science");
        check(
            "en",
            "Global warming melts glaciers and raises sea levels, threatening endangered species.",
            "environment",
        );
        check("en", "Tourists fill the beaches and hotels of the island; book a cruise early.", "travel");
        check("en", "Fold the butter into the flour, then bake the cake as in my mother's recipe.", "lifestyle");
        check("en", "Gamers waited years for the role-playing game on PlayStation and Xbox.", "games");
        check("en", "Archaeologists opened a tomb of the Bronze Age during an excavation.", "history");
        check("en", "It was a thing that happened.", "other");
        check("en", "", "other");
    }

    #[test]
    fn other_languages() {
        check("de", "Der Bundestag stimmte dem Gesetzentwurf der Koalition zu.", "politics");
        check("de", "Der Konzern steigerte den Umsatz im dritten Quartal.", "business");
        check("de", "Der Stürmer schoss das Tor in der Bundesliga kurz vor der Halbzeit.", "sport");
        check("de", "Hacker griffen über eine Lücke im Browser Computer an.", "technology");
        check("fr", "Le Premier ministre a présenté son gouvernement devant l'Assemblée nationale.", "politics");
        check("fr", "L'attaquant du PSG a marqué deux buts en Ligue 1.", "sport");
        check("fr", "L'entreprise a publié un chiffre d'affaires en hausse.", "business");
        check("es", "El gobierno aprobó la reforma electoral en el Congreso de los Diputados.", "politics");
        check("es", "El delantero marcó dos goles para el Real Madrid en la Liga.", "sport");
        check("pt", "O treinador do Benfica elogiou os jogadores depois do golo.", "sport");
        check("pt", "O lucro da empresa subiu com as exportações.", "business");
        check("it", "Il film del regista ha vinto il premio al festival del cinema.", "culture");
        check("it", "La Juventus ha vinto la partita di Serie A con un gol su rigore.", "sport");
        check("nl", "De Tweede Kamer debatteert met de minister over het wetsvoorstel.", "politics");
        check("nl", "Patiënten wachten langer op een behandeling in het ziekenhuis.", "health");
        check("da", "Statsministeren udskrev valg til Folketinget.", "politics");
        check("da", "Virksomheden øgede sin omsætning og sit overskud.", "business");
        check("sv", "Riksdagen röstade.", "none");
    }

    #[test]
    fn the_title_counts_and_hostile_texts_end() {
        let english = Some(Language::ENGLISH);
        let said = category("They met on Tuesday.", Some("Parliament votes on the budget"), english);
        assert_eq!(said.map(|said| said.category), Some(Category::Politics));
        assert_eq!(category("Parliament", None, None), None);
        for text in ["a".repeat(1 << 20), "vote ".repeat(1 << 18), "!".repeat(1 << 20), "👍🏽".repeat(1 << 16)] {
            let said = category(&text, None, english).expect("English has a lexicon");
            assert!((0.0..=1.0).contains(&said.confidence), "{said:?}");
        }
    }

    #[test]
    fn one_word_repeated_does_not_outvote_many() {
        let text = format!("{} goal", "The minister told parliament that voters and MPs oppose the bill. ".repeat(2));
        let text = format!("{text} {}", "film ".repeat(12));
        check("en", &text, "politics");
    }

    proptest! {
        #[test]
        fn confidence_is_a_share(text in "\\PC{0,120}|((minister|goal|film|profit|software|the) ){0,30}") {
            let said = category(&text, None, Some(Language::ENGLISH)).unwrap();
            prop_assert!((0.0..=1.0).contains(&said.confidence));
            prop_assert_eq!(Some(said), category(&text, None, Some(Language::ENGLISH)));
        }
    }
}
