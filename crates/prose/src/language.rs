//! The language of a text, or none where nothing can be said.
//!
//! The script decides first. Where a script serves several languages, three witnesses are heard: the small words of each
//! language (`data/function_words.txt`), letters and endings that few languages have, and the trigrams of `whatlang`. Small words and
//! letters tell close languages apart, which trigrams mix up (Danish and Norwegian, Spanish and Galician, Czech and Slovak);
//! trigrams know more languages. Everybody who needs a language for a text asks here.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::lexicon::lines;
use crate::words::{Kind, fold, tokens};

/// A language by its ISO 639-1 code. Norwegian is `no`, whichever of its two forms is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(&'static str);

impl Language {
    /// English.
    pub const ENGLISH: Self = Self("en");

    /// The language with this code; a region behind it (`pt-BR`) and upper case are accepted.
    pub fn from_code(code: &str) -> Option<Self> {
        let code = code.split(['-', '_']).next().unwrap_or_default().trim().to_ascii_lowercase();
        let code = match code.as_str() {
            "nb" | "nn" => "no",
            "iw" => "he",
            "in" => "id",
            other => other,
        };
        CODES.split_ascii_whitespace().find(|known| *known == code).map(Self)
    }

    /// The code: two small letters.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.0)
    }
}

const CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz \
    ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv \
    ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nd ne ng nl no nr \
    nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti \
    tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// How much of a text is looked at: enough to be sure, and little enough for texts of a megabyte.
const LOOKED_AT_BYTES: usize = 4_000;

/// The language of a text; none for texts too short or too mixed to tell.
pub fn language(text: &str) -> Option<Language> {
    let text = beginning(text.trim(), LOOKED_AT_BYTES);
    let scripts = Scripts::of(text);
    let code = match scripts.main()? {
        Script::Han if scripts.share(Script::Kana, Script::Han) > 0.04 => "ja",
        Script::Han => "zh",
        Script::Kana => "ja",
        Script::Only(code) => code,
        script @ (Script::Latin | Script::Cyrillic | Script::Arabic | Script::Devanagari) => {
            return closest(text, script);
        }
    };
    Some(Language(code))
}

fn beginning(text: &str, limit_bytes: usize) -> &str {
    let mut end = text.len().min(limit_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Devanagari,
    Han,
    Kana,
    /// A script that practically only this language is written in.
    Only(&'static str),
}

fn script_of(letter: char) -> Option<Script> {
    Some(match u32::from(letter) {
        0x41..=0x5a | 0x61..=0x7a | 0xaa..=0x24f | 0x1e00..=0x1eff if letter.is_alphabetic() => Script::Latin,
        0x370..=0x3ff | 0x1f00..=0x1fff => Script::Only("el"),
        0x400..=0x52f => Script::Cyrillic,
        0x531..=0x58f => Script::Only("hy"),
        0x5d0..=0x5f2 => Script::Only("he"),
        0x620..=0x6ff | 0x750..=0x77f | 0xfb50..=0xfdff | 0xfe70..=0xfefc => Script::Arabic,
        0x900..=0x97f => Script::Devanagari,
        0x980..=0x9ff => Script::Only("bn"),
        0xa00..=0xa7f => Script::Only("pa"),
        0xa80..=0xaff => Script::Only("gu"),
        0xb00..=0xb7f => Script::Only("or"),
        0xb80..=0xbff => Script::Only("ta"),
        0xc00..=0xc7f => Script::Only("te"),
        0xc80..=0xcff => Script::Only("kn"),
        0xd00..=0xd7f => Script::Only("ml"),
        0xd80..=0xdff => Script::Only("si"),
        0xe01..=0xe5b => Script::Only("th"),
        0xe81..=0xedf => Script::Only("lo"),
        0xf00..=0xfff => Script::Only("bo"),
        0x1000..=0x109f => Script::Only("my"),
        0x10a0..=0x10ff => Script::Only("ka"),
        0x1200..=0x137f => Script::Only("am"),
        0x1780..=0x17ff => Script::Only("km"),
        0x3041..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f => Script::Kana,
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3134f => Script::Han,
        0x1100..=0x11ff | 0xac00..=0xd7af => Script::Only("ko"),
        _ => return None,
    })
}

struct Scripts(Vec<(Script, usize)>);

impl Scripts {
    fn of(text: &str) -> Self {
        let mut counts: Vec<(Script, usize)> = Vec::new();
        for script in text.chars().filter_map(script_of) {
            match counts.iter_mut().find(|(known, _)| *known == script) {
                Some((_, count)) => *count += 1,
                None => counts.push((script, 1)),
            }
        }
        Self(counts)
    }

    fn count(&self, script: Script) -> usize {
        self.0.iter().find(|(known, _)| *known == script).map_or(0, |(_, count)| *count)
    }

    /// How large a part `of` has in both together.
    fn share(&self, of: Script, with: Script) -> f64 {
        let (of, with) = (self.count(of) as f64, self.count(with) as f64);
        of / (of + with).max(1.0)
    }

    /// The script with most letters. A character of a script without an alphabet says as much as two or three letters,
    /// so that names in Latin letters do not make a Chinese text English.
    fn main(&self) -> Option<Script> {
        let weight = |script: Script, count: usize| match script {
            Script::Han | Script::Kana | Script::Only("ko") => count * 3,
            _ => count,
        };
        let mut best: Option<(Script, usize)> = None;
        for (script, count) in &self.0 {
            let weight = weight(*script, *count);
            if best.is_none_or(|(_, most)| weight > most) {
                best = Some((*script, weight));
            }
        }
        best.map(|(script, _)| script)
    }
}

/// Other words say less than small words, because they are borrowed.
const VOCABULARY: f32 = 0.5;

/// The words of the lexicons: headlines have hardly any small words.
const VOCABULARIES: &[(&str, &str)] = &[
    ("en", include_str!("../data/categories_en.txt")),
    ("en", include_str!("../data/sentiment_en.txt")),
    ("de", include_str!("../data/categories_de.txt")),
    ("de", include_str!("../data/sentiment_de.txt")),
    ("fr", include_str!("../data/categories_fr.txt")),
    ("fr", include_str!("../data/sentiment_fr.txt")),
    ("es", include_str!("../data/categories_es.txt")),
    ("es", include_str!("../data/sentiment_es.txt")),
    ("pt", include_str!("../data/categories_pt.txt")),
    ("pt", include_str!("../data/sentiment_pt.txt")),
    ("it", include_str!("../data/categories_it.txt")),
    ("it", include_str!("../data/sentiment_it.txt")),
    ("nl", include_str!("../data/categories_nl.txt")),
    ("nl", include_str!("../data/sentiment_nl.txt")),
    ("da", include_str!("../data/categories_da.txt")),
    ("da", include_str!("../data/sentiment_da.txt")),
];

/// The small words of every language, and for each word how much it says for which language.
static SMALL_WORDS: LazyLock<HashMap<&'static str, Vec<(&'static str, f32)>>> = LazyLock::new(|| {
    let mut words: HashMap<&'static str, Vec<(&'static str, f32)>> = HashMap::new();
    for (code, word) in function_words() {
        let languages = words.entry(word).or_default();
        if !languages.iter().any(|(known, _)| *known == code) {
            languages.push((code, 1.0));
        }
    }
    // Names, loans and international words are listed for several languages, and then say little.
    for (code, data) in VOCABULARIES {
        for (_, word) in lines(data) {
            let word = word.trim_matches(['*', '=']);
            let languages = words.entry(word).or_default();
            if !word.contains('_') && !languages.iter().any(|(known, _)| known == code) {
                languages.push((code, VOCABULARY));
            }
        }
    }
    for languages in words.values_mut() {
        // A word of one language alone says 1, one of eight languages a quarter.
        let weight = 1.0 / (languages.len() as f32).powf(0.67);
        for (_, known) in languages {
            *known *= weight;
        }
    }
    words
});

/// All pairs of a language and one of its small words.
pub(crate) fn function_words() -> impl Iterator<Item = (&'static str, &'static str)> {
    lines(include_str!("../data/function_words.txt"))
}

/// Letters that few languages have, with the languages that have them and how much one occurrence says.
const LETTERS: &[(&str, &str, f32)] = &[
    ("ß", "de", 1.5),
    ("äöü", "de fi sv et hu tr sk", 0.15),
    ("ñ", "es gl eu tl", 0.8),
    ("¿¡", "es gl", 1.0),
    ("ãõ", "pt", 0.9),
    ("ç", "pt fr ca tr sq", 0.2),
    ("ê", "pt fr vi af cy", 0.2),
    ("œ", "fr", 1.0),
    ("èù", "fr it", 0.15),
    ("ìò", "it", 0.4),
    ("åæø", "da no", 0.5),
    ("å", "sv", 0.5),
    ("ä", "sv fi", 0.2),
    ("æ", "da no is", 0.3),
    ("ðþ", "is", 0.6),
    ("łąęśźżń", "pl", 0.6),
    ("ěřů", "cs", 0.8),
    ("ľĺŕôä", "sk", 0.5),
    ("čšž", "cs sk sl hr lt lv et", 0.15),
    ("đ", "hr vi", 0.4),
    ("ć", "hr pl", 0.4),
    ("țșăţş", "ro", 0.5),
    ("őű", "hu", 1.0),
    ("ğışİ", "tr az", 0.6),
    ("ə", "az", 1.0),
    ("ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", "vi", 0.6),
    ("āēīūģķļņ", "lv", 0.5),
    ("ėįųū", "lt", 0.5),
    ("õ", "et", 0.3),
    ("ë", "sq nl af", 0.2),
    ("ŵŷ", "cy", 1.0),
    ("ĉĝĥĵŝŭ", "eo", 1.0),
    ("ыэё", "ru be", 0.25),
    ("іїєґ", "uk", 0.4),
    ("іў", "be", 0.4),
    ("ъ", "bg", 0.25),
    ("ђћљњџј", "sr", 0.4),
    ("ѓќѕљњџј", "mk", 0.4),
    ("ٹڈڑںےہھ", "ur", 0.3),
    ("پچژگکی", "fa ur", 0.1),
    ("ةىيكإأ", "ar", 0.15),
    ("ળ", "mr", 0.5),
    ("ळ", "mr", 0.5),
];

/// Endings that tell close languages apart.
const ENDINGS: &[(&str, &str, f32)] = &[
    ("sjon", "no", 0.6),
    ("sjonen", "no", 0.6),
    ("sjoner", "no", 0.6),
    ("het", "no sv", 0.3),
    ("heten", "no sv", 0.3),
    ("heter", "no sv", 0.3),
    ("hed", "da", 0.6),
    ("heden", "da", 0.3),
    ("heder", "da", 0.6),
    ("eret", "da", 0.2),
    ("erede", "da", 0.5),
    ("erte", "no de", 0.3),
    ("ede", "da", 0.3),
    ("eb", "da", 0.15),
    ("ig", "de da", 0.1),
    ("ción", "es", 0.6),
    ("ciones", "es", 0.6),
    ("ción", "gl", 0.4),
    ("dad", "es", 0.4),
    ("ció", "ca", 0.6),
    ("cions", "ca", 0.6),
    ("tat", "ca ro", 0.3),
    ("ção", "pt", 0.8),
    ("ções", "pt", 0.8),
    ("dade", "pt gl", 0.5),
    ("agem", "pt", 0.4),
    ("zione", "it", 0.6),
    ("zioni", "it", 0.6),
    ("mente", "es pt it", 0.1),
    ("ment", "fr ca en", 0.1),
    ("aux", "fr", 0.3),
    ("eux", "fr", 0.3),
    ("tion", "fr en da sv de", 0.1),
    ("ung", "de", 0.3),
    ("ungen", "de", 0.4),
    ("lich", "de", 0.4),
    ("keit", "de", 0.4),
    ("ing", "en nl da no sv", 0.06),
    ("ly", "en", 0.2),
    ("lijk", "nl", 0.4),
    ("lijke", "nl", 0.4),
    ("ijk", "nl", 0.3),
    ("heid", "nl af", 0.3),
    ("tie", "nl", 0.2),
    ("sie", "af", 0.2),
    ("ých", "cs sk", 0.1),
    ("ého", "cs sk", 0.1),
    ("ovat", "cs", 0.4),
    ("ovať", "sk", 0.4),
    ("ť", "sk", 0.25),
    ("ou", "cs", 0.15),
    ("ou", "sk", 0.08),
    ("iach", "sk pl", 0.2),
    ("ssa", "fi", 0.4),
    ("ssä", "fi", 0.4),
    ("sta", "fi", 0.15),
    ("stä", "fi", 0.4),
    ("lla", "fi", 0.2),
    ("llä", "fi", 0.4),
    ("nen", "fi", 0.1),
    ("ista", "fi", 0.15),
    ("vat", "fi", 0.2),
    ("ться", "ru", 0.5),
    ("тся", "ru", 0.5),
    ("ого", "ru uk", 0.15),
    ("ого", "ru", 0.1),
    ("ий", "ru uk", 0.1),
    ("ый", "ru", 0.3),
    ("ых", "ru", 0.3),
    ("ость", "ru", 0.3),
    ("ия", "ru bg", 0.1),
    ("ние", "ru bg", 0.1),
    ("ите", "bg", 0.35),
    ("ата", "bg mk", 0.3),
    ("ият", "bg", 0.5),
    ("ето", "bg mk", 0.2),
    ("та", "bg mk", 0.1),
    ("ття", "uk", 0.4),
    ("ння", "uk", 0.4),
    ("ість", "uk", 0.4),
    ("lar", "tr", 0.15),
    ("ler", "tr", 0.1),
    ("ları", "tr", 0.4),
    ("leri", "tr", 0.3),
    ("nın", "tr", 0.4),
    ("nin", "tr", 0.2),
    ("dan", "tr", 0.1),
    ("kan", "id", 0.2),
    ("nya", "id", 0.4),
    ("ość", "pl", 0.4),
    ("ego", "pl", 0.3),
    ("ych", "pl", 0.3),
    ("ului", "ro", 0.5),
    ("ilor", "ro", 0.4),
    ("elor", "ro", 0.4),
    ("ție", "ro", 0.4),
    ("ban", "hu", 0.2),
    ("ben", "hu", 0.2),
    ("nak", "hu", 0.3),
    ("nek", "hu", 0.3),
];

/// Languages that are rarely written about news need clear evidence: their close relative is likelier.
fn prior(code: &str) -> f32 {
    match code {
        "af" | "gl" | "la" | "eo" | "jv" | "tk" | "ak" | "zu" | "sn" | "uz" | "cy" | "ga" | "sq" | "tl" | "mk"
        | "be" => 0.75,
        "ca" | "sl" | "is" | "et" | "eu" | "az" | "ne" => 0.9,
        _ => 1.0,
    }
}

/// What is written in each script that serves several languages.
fn languages_of(script: Script) -> &'static [&'static str] {
    match script {
        Script::Cyrillic => &["ru", "uk", "bg", "sr", "mk", "be"],
        Script::Arabic => &["ar", "fa", "ur"],
        Script::Devanagari => &["hi", "mr", "ne"],
        _ => &[
            "en", "de", "fr", "es", "pt", "it", "nl", "da", "no", "sv", "fi", "pl", "cs", "sk", "sl", "hr", "ro", "hu",
            "tr", "vi", "id", "sw", "ca", "gl", "eu", "et", "lv", "lt", "is", "sq", "cy", "ga", "af", "tl", "eo", "la",
            "az", "uz", "jv", "tk", "ak", "zu", "sn",
        ],
    }
}

/// Hears the three witnesses.
fn closest(text: &str, script: Script) -> Option<Language> {
    let candidates = languages_of(script);
    let mut scores = vec![0.0_f32; candidates.len()];
    let mut add = |code: &str, weight: f32| {
        if let Some(at) = candidates.iter().position(|known| *known == code) {
            scores[at] += weight;
        }
    };
    let mut words = 0_usize;
    for token in tokens(text).iter().filter(|token| token.kind == Kind::Word) {
        words += 1;
        let word = fold(token.text(text));
        for (code, weight) in SMALL_WORDS.get(word.as_ref()).into_iter().flatten() {
            add(code, *weight);
        }
        for (ending, codes, weight) in ENDINGS {
            if word.len() > ending.len() + 1 && word.ends_with(ending) {
                for code in codes.split(' ') {
                    add(code, *weight);
                }
            }
        }
        // `l'année`, `dell'arte`: the part before the apostrophe is the small word.
        if let Some((article, _)) = word.split_once('\'') {
            for code in elided(article) {
                add(code, 0.35);
            }
        }
    }
    if words == 0 {
        return None;
    }
    let mut letters = 0_usize;
    for letter in text.chars().filter(|letter| letter.is_alphabetic() || matches!(letter, '¿' | '¡')) {
        letters += 1;
        if letter.is_ascii() {
            continue;
        }
        for small in letter.to_lowercase() {
            for (_, codes, weight) in LETTERS.iter().filter(|(set, _, _)| set.contains(small)) {
                codes.split(' ').for_each(|code| add(code, *weight));
            }
        }
    }
    // Where nothing tells them apart, the language with most writers is likelier.
    add(candidates[0], if script == Script::Latin { 0.1 } else { 0.3 });
    // Trigrams weigh as much as a few small words: enough to decide where there are none.
    let trigrams = whatlang::detect(beginning(text, 1_500));
    if let Some(code) = trigrams.as_ref().and_then(|info| two_letters(info.lang())) {
        let sure = trigrams.map_or(0.0, |info| info.confidence()) as f32;
        add(code, (0.4 + sure) * (0.6 + words as f32 * 0.06));
    }

    let (mut first, mut second) = ((0, f32::MIN), f32::MIN);
    for (at, score) in scores.iter_mut().enumerate() {
        *score *= prior(candidates[at]);
        if *score > first.1 {
            second = first.1;
            first = (at, *score);
        } else if *score > second {
            second = *score;
        }
    }
    // Some evidence, and a lead over the next language that a single stray word cannot make.
    let needed = if script == Script::Latin { 0.6 } else { 0.3 };
    let sure = first.1 >= needed && first.1 - second >= 0.05 && letters >= 8;
    // Much text and hardly a small word: a list of names, or a language we do not know.
    let thin = script == Script::Latin && words >= 12 && first.1 / (words as f32) < 0.09;
    (sure && !thin).then(|| Language(candidates[first.0]))
}

fn elided(article: &str) -> &'static [&'static str] {
    match article {
        "c" | "j" | "qu" | "n" | "jusqu" | "lorsqu" | "puisqu" => &["fr"],
        "l" | "d" => &["fr", "it", "ca"],
        "s" | "m" | "t" => &["fr", "ca"],
        "dell" | "all" | "nell" | "un" | "sull" | "quell" | "dall" => &["it"],
        _ => &[],
    }
}

fn two_letters(lang: whatlang::Lang) -> Option<&'static str> {
    use whatlang::Lang;
    Some(match lang {
        Lang::Epo => "eo",
        Lang::Eng => "en",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Por => "pt",
        Lang::Ita => "it",
        Lang::Fra => "fr",
        Lang::Deu => "de",
        Lang::Ukr => "uk",
        Lang::Ara => "ar",
        Lang::Hin => "hi",
        Lang::Pol => "pl",
        Lang::Jav => "jv",
        Lang::Nob => "no",
        Lang::Dan => "da",
        Lang::Swe => "sv",
        Lang::Fin => "fi",
        Lang::Tur => "tr",
        Lang::Nld => "nl",
        Lang::Hun => "hu",
        Lang::Ces => "cs",
        Lang::Bul => "bg",
        Lang::Bel => "be",
        Lang::Mar => "mr",
        Lang::Ron => "ro",
        Lang::Slv => "sl",
        Lang::Hrv => "hr",
        Lang::Srp => "sr",
        Lang::Mkd => "mk",
        Lang::Lit => "lt",
        Lang::Lav => "lv",
        Lang::Est => "et",
        Lang::Vie => "vi",
        Lang::Urd => "ur",
        Lang::Uzb => "uz",
        Lang::Aze => "az",
        Lang::Ind => "id",
        Lang::Pes => "fa",
        Lang::Nep => "ne",
        Lang::Tuk => "tk",
        Lang::Aka => "ak",
        Lang::Zul => "zu",
        Lang::Sna => "sn",
        Lang::Afr => "af",
        Lang::Lat => "la",
        Lang::Slk => "sk",
        Lang::Cat => "ca",
        Lang::Tgl => "tl",
        Lang::Cym => "cy",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(expected: &str, text: &str) {
        let said = language(text).map_or("none", Language::as_str);
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn paragraphs() {
        check("en", "The council voted on Tuesday to close the old bridge, which has not been repaired for ten years.");
        check("de", "Der Gemeinderat hat am Dienstag beschlossen, die alte Brücke zu schließen.");
        check("fr", "Le conseil municipal a décidé mardi de fermer le vieux pont, qui n'est plus entretenu.");
        check("es", "El ayuntamiento decidió el martes cerrar el viejo puente, que no se repara desde hace años.");
        check("pt", "A câmara municipal decidiu na terça-feira fechar a velha ponte, que não é reparada há anos.");
        check("it", "Il consiglio comunale ha deciso martedì di chiudere il vecchio ponte, che non è più sicuro.");
        check("nl", "De gemeenteraad heeft dinsdag besloten om de oude brug te sluiten, die niet meer veilig is.");
        check("da", "Byrådet besluttede tirsdag at lukke den gamle bro, som ikke er blevet repareret af kommunen.");
        check("no", "Bystyret vedtok tirsdag å stenge den gamle brua, som ikke har blitt reparert av kommunen.");
        check("sv", "Kommunfullmäktige beslutade på tisdagen att stänga den gamla bron, som inte är säker.");
        check("fi", "Kaupunginvaltuusto päätti tiistaina sulkea vanhan sillan, koska se ei ole enää turvallinen.");
        check("pl", "Rada miasta zdecydowała we wtorek, że stary most zostanie zamknięty, bo nie jest bezpieczny.");
        check("cs", "Zastupitelstvo v úterý rozhodlo, že starý most bude uzavřen, protože už není bezpečný.");
        check("sk", "Zastupiteľstvo v utorok rozhodlo, že starý most bude zatvorený, pretože už nie je bezpečný.");
        check("ro", "Consiliul local a decis marți să închidă podul vechi, care nu mai este sigur pentru oameni.");
        check("hu", "A városi tanács kedden úgy döntött, hogy lezárja a régi hidat, mert az már nem biztonságos.");
        check("tr", "Belediye meclisi salı günü artık güvenli olmayan eski köprünün kapatılmasına karar verdi.");
        check("vi", "Hội đồng thành phố đã quyết định đóng cửa cây cầu cũ vì nó không còn an toàn.");
        check("id", "Dewan kota memutuskan pada hari Selasa untuk menutup jembatan tua yang tidak lagi aman.");
        check("sw", "Baraza la mji liliamua siku ya Jumanne kufunga daraja la zamani kwa sababu si salama tena.");
        check("ca", "L'ajuntament va decidir dimarts tancar el vell pont, que ja no és segur per als vianants.");
        check("ru", "Городской совет во вторник решил закрыть старый мост, который уже давно не ремонтировали.");
        check("uk", "Міська рада у вівторок вирішила закрити старий міст, який уже давно не ремонтували.");
        check("bg", "Общинският съвет реши във вторник да затвори стария мост, който вече не е безопасен.");
        check("el", "Το δημοτικό συμβούλιο αποφάσισε την Τρίτη να κλείσει την παλιά γέφυρα.");
        check("ar", "قرر مجلس المدينة يوم الثلاثاء إغلاق الجسر القديم الذي لم يعد آمنا للمشاة.");
        check("fa", "شورای شهر روز سه‌شنبه تصمیم گرفت پل قدیمی را که دیگر امن نیست ببندد.");
        check("ur", "سٹی کونسل نے منگل کو پرانے پل کو بند کرنے کا فیصلہ کیا جو اب محفوظ نہیں ہے۔");
        check("he", "מועצת העיר החליטה ביום שלישי לסגור את הגשר הישן.");
        check("hi", "नगर परिषद ने मंगलवार को पुराने पुल को बंद करने का फैसला किया क्योंकि यह सुरक्षित नहीं है।");
        check("th", "สภาเมืองตัดสินใจปิดสะพานเก่าเมื่อวันอังคาร");
        check("zh", "市议会周二决定关闭这座旧桥，因为它已经不安全了。");
        check("ja", "市議会は火曜日、古い橋を閉鎖することを決めた。");
        check("ko", "시의회는 화요일에 오래된 다리를 폐쇄하기로 결정했다.");
    }

    #[test]
    fn what_cannot_be_told_is_not_said() {
        check("none", "");
        check("none", "   \n");
        check("none", "OK");
        check("none", "12345 67 89");
        check("none", "!!! ??? ...");
        check("none", "👍🏽🎉");
        check("none", "Xerox");
        check("none", "\u{301}\u{301}");
        check("none", &"a".repeat(1 << 20));
        check("none", &"qx".repeat(1 << 19));
        check("zh", "苹果公司（Apple Inc.）发布了新的 iPhone 手机和 MacBook 电脑。");
    }

    #[test]
    fn codes() {
        let code = |text| Language::from_code(text).map_or("none", Language::as_str);
        assert_eq!(
            ["en", "pt-BR", "zh_TW", "NB", "iw", "xx", "", "eng", "é"].map(code),
            ["en", "pt", "zh", "no", "he", "none", "none", "none", "none"]
        );
        for (code, word) in function_words() {
            assert!(Language::from_code(code).is_some(), "{code}");
            assert_eq!(fold(word), word, "{code}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_at_most_one_language(text in "\\PC{0,200}") {
            prop_assert_eq!(language(&text), language(&text));
        }
    }
}
