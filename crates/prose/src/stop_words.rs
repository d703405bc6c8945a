//! Words that say nothing about what a text is about: the small words of a language, and words of reporting.
//!
//! `summary` and `topics` leave them out of their counts. The small words are those of `data/function_words.txt`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::Language;
use crate::language::function_words;

/// Common words that are no function words, but are in every news text.
const REPORTING: &[(&str, &str)] = &[
    (
        "en",
        "say says said saying told tell tells added adding according year years month months week weeks day days today \
         yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january february march april may june july \
         august september october november december mr mrs ms people thing things way ways lot bit good great big old long high \
         one two three four five six seven eight nine ten first second third last next million billion percent cent \
         number part took take takes taken taking come came comes coming go goes went gone want wanted wants know knows known \
         think thinks thought look looks looked find found give gave given gives use used using need needs needed seem seems \
         seemed become became put set left right end ended began begin start started keep kept really actually something anything \
         everything nothing someone anyone everyone whose whom himself herself itself themselves myself yourself let less least \
         often sometimes later earlier ago soon recently currently including include includes included able across along \
         based called case despite due early enough far following further hand having help held hold home however important \
         instead large late likely little local longer man men many means members moment move national near one's others outside \
         particular past place point possible put quite read real recent result run same several show showed shown since small \
         statement support there's top try trying turn turned under used usually various want went whole women work worked working \
         world would've yes",
    ),
    (
        "de",
        "sagte sagt sagen sagten erklärte heute gestern morgen montag dienstag mittwoch donnerstag freitag samstag sonntag januar \
         februar märz april mai juni juli august september oktober november dezember jahre jahren tag tage tagen woche wochen monat \
         monate monaten uhr prozent millionen milliarden euro menschen mann frau zeit teil ende gut groß großen große neuer neues erste \
         zweite letzten ganz gar eben etwa rund laut zudem jedoch allerdings deshalb bisher bislang zunächst weiter weitere weiteren \
         ging kam kommt kommen geht gehen machen macht gemacht stehen steht stand lassen lässt",
    ),
    (
        "fr",
        "dit déclaré selon aujourd'hui hier demain lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril mai \
         juin juillet août septembre octobre novembre décembre année années jour jours semaine mois heures euros millions milliards \
         personnes homme femme monde temps partie fin grand grande grands nouveau nouvelle premier première dernier dernière deux trois \
         faire mettre prendre pris mis aller vient venir voir donner bien plusieurs certains certaines notamment ailleurs également",
    ),
    (
        "es",
        "dijo señaló afirmó según hoy ayer mañana lunes martes miércoles jueves viernes sábado domingo enero febrero marzo abril mayo \
         junio julio agosto septiembre octubre noviembre diciembre año años día días semana mes meses horas euros millones personas hombre \
         mujer mundo tiempo parte fin gran grande grandes nuevo nueva primero primera último última dos tres hacer poner tomar ir viene \
         venir ver dar bien varios varias además asimismo embargo",
    ),
    (
        "pt",
        "disse afirmou segundo hoje ontem amanhã segunda terça quarta quinta sexta sábado domingo feira janeiro fevereiro março abril \
         maio junho julho agosto setembro outubro novembro dezembro ano anos dia dias semana mês meses horas euros reais milhões pessoas \
         homem mulher mundo tempo parte fim grande grandes novo nova primeiro primeira último última dois duas três fazer colocar ir vem \
         ver dar bem vários várias além também ainda",
    ),
    (
        "it",
        "detto dichiarato secondo oggi ieri domani lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio marzo \
         aprile maggio giugno luglio agosto settembre ottobre novembre dicembre anno anni giorno giorni settimana mese mesi ore euro \
         milioni persone uomo donna mondo tempo parte fine grande grandi nuovo nuova primo prima ultimo ultima due tre fare mettere \
         prendere andare viene venire vedere dare bene diversi alcune",
    ),
    (
        "nl",
        "zei zegt volgens vandaag gisteren morgen maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari maart \
         april mei juni juli augustus september oktober november december jaar jaren dag dagen week weken maand maanden uur euro miljoen \
         miljard mensen man vrouw wereld tijd deel einde groot grote nieuwe nieuw eerste laatste twee drie maken gaan komt komen zien geven \
         goed verschillende",
    ),
    (
        "da",
        "siger sagde ifølge dag går morgen mandag tirsdag onsdag torsdag fredag lørdag søndag januar februar marts april maj juni juli \
         august september oktober november december år dage uge uger måned måneder timer kroner millioner milliarder mennesker mand kvinde \
         verden tid del slut stor store nye ny første sidste to tre lave gå kommer komme se give god flere",
    ),
];

static WORDS: LazyLock<HashMap<&'static str, HashSet<&'static str>>> = LazyLock::new(|| {
    let mut words: HashMap<&'static str, HashSet<&'static str>> = HashMap::new();
    for (code, word) in function_words() {
        words.entry(code).or_default().insert(word);
    }
    for (code, list) in REPORTING {
        words.entry(code).or_default().extend(list.split_ascii_whitespace());
    }
    words
});

/// The stop words of a language; none are known for languages without a list.
#[derive(Clone, Copy)]
pub(crate) struct StopWords(Option<&'static HashSet<&'static str>>);

impl StopWords {
    pub(crate) fn new(language: Option<Language>) -> Self {
        Self(WORDS.get(language.map_or("", |language| language.as_str())))
    }

    /// Whether the language has a list.
    pub(crate) fn knows(language: Option<Language>) -> bool {
        Self::new(language).0.is_some()
    }

    /// Whether a folded word says nothing by itself.
    pub(crate) fn contains(self, folded: &str) -> bool {
        self.0.is_some_and(|words| words.contains(folded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_words_and_words_of_reporting() {
        let is_stop = |code, word| StopWords::new(Language::from_code(code)).contains(word);
        assert!(is_stop("en", "the") && is_stop("en", "said") && is_stop("de", "sagte") && is_stop("sv", "och"));
        assert!(!is_stop("en", "minister") && !is_stop("de", "the") && !is_stop("xx", "the"));
    }
}
