//! Names: a rewrite has no person, place or organisation that its source has not, and confuses none.
//!
//! A name is a word with a capital where the language gives none for other reasons. In German, and in English title case,
//! a capital says little: there a new word with a capital passes if it is a word of everyday reporting.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::reading::{Reading, Word, is_like};
use crate::Language;
use crate::language::function_words;

/// The first name of the rewrite that the source does not have, or has of somebody else.
pub(super) fn changed_name(source: &Reading, rewrite: &Reading, language: Option<Language>) -> Option<String> {
    let code = language.map_or("", Language::as_str);
    let vague = rewrite.title_case || code == "de";
    for word in rewrite.words.iter().filter(|word| !word.number) {
        let marked = word.capital || word.raw.chars().skip(1).any(char::is_uppercase) || is_date(&word.folded, code);
        if !marked || is_known(source, word, code) {
            continue;
        }
        if (word.first || vague) && !is_date(&word.folded, code) && is_everyday(word, code) {
            continue;
        }
        return Some(word.raw.clone());
    }
    lost_modifier(source, rewrite)
        .or_else(|| mixed_names(source, rewrite, code))
        .or_else(|| exchanged(source, rewrite, code))
        .or_else(|| exchanged_subject(source, rewrite, code))
        .or_else(|| changed_owner(source, rewrite))
}

/// The same word, another form of it, an acronym of words of the source, or the other way round.
pub(super) fn is_known(source: &Reading, word: &Word, code: &str) -> bool {
    let month = word.raw == "May" && !word.first && !source.title_case;
    if source.has(word) || is_small(&word.folded, code) && !month || scale_word(&word.folded) {
        return true;
    }
    let parts: Vec<&str> = word.folded.split('-').collect();
    if parts.len() > 1
        && parts.iter().all(|part| {
            source.words.iter().any(|own| {
                own.folded == *part || own.folded.contains('-') && own.folded.split('-').any(|own| own == *part)
            })
        })
    {
        return true;
    }
    if source.words.iter().any(|own| own.folded.contains('-') && own.folded.split('-').any(|part| part == word.folded))
    {
        return true;
    }
    // An ex-president is a former president, and twelve a number.
    if let Some(of) = word.folded.strip_prefix("ex-") {
        let has = |folded: &str| source.words.iter().any(|own| own.folded == folded);
        return has(of) && has("former");
    }
    if !super::numbers::numbers(&Reading {
        words: vec![word.clone()],
        end: String::new(),
        title_case: false,
        code: source.code,
    })
    .is_empty()
    {
        return true;
    }
    let has_form = |line: &str, own: &str| line.split('/').any(|form| form == own);
    let peoples = || DEMONYMS.split_ascii_whitespace().filter(|line| has_form(line, &word.folded));
    if peoples().any(|line| source.words.iter().any(|own| has_form(line, &own.folded))) {
        return true;
    }
    if source.words.iter().any(|own| own.capital && is_form(&own.folded, &word.folded)) {
        return true;
    }
    if word.raw.chars().filter(|letter| letter.is_uppercase()).count() >= 2
        && initials(source).contains(&word.raw.to_lowercase().replace('.', ""))
    {
        return true;
    }
    // An acronym of the source, written out.
    source.words.iter().any(|own| {
        own.raw.chars().count() >= 2
            && own.raw.chars().all(char::is_uppercase)
            && ACRONYMS.lines().any(|line| {
                let (short, long) = line.split_once(' ').unwrap_or_default();
                short == own.folded && long.split(' ').any(|part| part == word.folded)
            })
    })
}

/// "Mio." is written with a capital.
fn scale_word(word: &str) -> bool {
    ["mio", "mrd", "millionen", "milliarden", "million", "milliarde", "prozent", "euro", "dollar"].contains(&word)
}

/// Inflected forms of a name: `Berlin` and `Berliner`, `Germany` and `German`.
fn is_form(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let ending = long.strip_prefix(short);
    let usual = [
        "s", "n", "y", "er", "ers", "ian", "ians", "an", "ans", "ese", "ish", "en", "e", "es", "i", "is", "ns", "erin",
        "ern",
    ];
    short.chars().count() >= 3 && ending.is_some_and(|ending| usual.contains(&ending))
        || short.chars().count() >= 6
            && is_like(one, other)
            && ["a", "y", "e"].iter().any(|end| one.ends_with(end) || other.ends_with(end))
            && one.chars().next() == other.chars().next()
            && (one.ends_with("ian")
                || other.ends_with("ian")
                || one.ends_with("ese")
                || other.ends_with("ese")
                || one.ends_with("ish")
                || other.ends_with("ish"))
}

/// The initials of runs of words with capitals.
fn initials(source: &Reading) -> Vec<String> {
    let mut found = Vec::new();
    for start in 0..source.words.len().min(400) {
        let mut letters = String::new();
        for word in source.words[start..].iter().take(6) {
            if !word.capital && !["of", "the", "and", "for"].contains(&word.folded.as_str()) {
                break;
            }
            if word.capital {
                letters.extend(word.folded.chars().next());
            }
            if letters.chars().count() >= 2 {
                found.push(letters.clone());
            }
        }
    }
    found
}

/// "Former president" that became "president", "North Korea" that became "Korea".
fn lost_modifier(source: &Reading, rewrite: &Reading) -> Option<String> {
    let pairs = |reading: &Reading| -> Vec<(String, String)> {
        let plain = reading.words.windows(2).map(|pair| (pair[0].folded.clone(), pair[1].stem.clone()));
        let joined = reading.words.iter().filter_map(|word| word.folded.split_once('-'));
        let joined = joined.map(|(modifier, of)| (modifier.to_owned(), of.to_owned()));
        plain
            .chain(joined)
            .filter(|(modifier, _)| MODIFIERS.split_ascii_whitespace().any(|known| known == modifier))
            .collect()
    };
    let (there, here) = (pairs(source), pairs(rewrite));
    let lone = |reading: &Reading, stem: &str, pairs: &[(String, String)]| {
        let all = reading.words.iter().filter(|word| word.stem == stem).count();
        all > pairs.iter().filter(|(_, of)| of == stem).count()
    };
    for (modifier, of) in &there {
        if lone(rewrite, of, &here)
            && !lone(source, of, &there)
            && !here.iter().any(|(other, same)| same == of && other == modifier)
        {
            return Some(of.clone());
        }
    }
    for (modifier, of) in &here {
        if source.words.iter().any(|word| word.stem == *of)
            && !there
                .iter()
                .any(|(other, same)| same == of && (other == modifier || is_similar_modifier(other, modifier)))
        {
            return Some(modifier.clone());
        }
    }
    // "Jr." behind a name makes it another one.
    for suffix in ["jr", "junior", "sr", "ii", "iii"] {
        let has = |reading: &Reading| reading.words.iter().position(|word| word.folded == suffix);
        if let Some(at) = has(source)
            && at > 0
            && has(rewrite).is_none()
            && rewrite.has(&source.words[at - 1])
        {
            return Some(source.words[at - 1].raw.clone());
        }
    }
    None
}

fn is_similar_modifier(one: &str, other: &str) -> bool {
    let former = ["former", "ex", "ehemaliger", "ehemalige", "früherer", "frühere"];
    former.contains(&one) && former.contains(&other)
}

/// "Angela Macron": two names side by side that are not so in the source.
fn mixed_names(source: &Reading, rewrite: &Reading, code: &str) -> Option<String> {
    if rewrite.title_case || source.title_case || code == "de" {
        return None;
    }
    let capitals = |word: &Word| word.raw.chars().all(char::is_uppercase);
    let is_name =
        |word: &Word| word.capital && !word.number && !word.first && !capitals(word) && !is_small(&word.folded, code);
    for pair in
        rewrite.words.windows(2).filter(|pair| is_name(&pair[0]) && is_name(&pair[1]) && pair[1].before.is_empty())
    {
        let (one, two) = (&pair[0], &pair[1]);
        let both = source.words.iter().any(|word| word.folded == one.folded && word.capital)
            && source.words.iter().any(|word| word.folded == two.folded && word.capital);
        let beside = source.words.windows(2).chain(source.words.windows(3)).chain(source.words.windows(4)).any(|run| {
            run[0].folded == one.folded
                && run[run.len() - 1].folded == two.folded
                && run.iter().all(|word| word.capital)
                && run[1..].iter().all(|word| word.before.is_empty() || word.before == ".")
        });
        let owner = one.raw.ends_with("'s") || one.raw.ends_with("’s");
        if both && !beside && !owner {
            return Some(format!("{} {}", one.raw, two.raw));
        }
    }
    None
}

/// "A beats B" that became "B beats A": the same words between two names that changed places.
fn exchanged(source: &Reading, rewrite: &Reading, code: &str) -> Option<String> {
    let names = |reading: &Reading| -> Vec<usize> {
        let is_name = |at: &usize| reading.words[*at].capital && !is_small(&reading.words[*at].folded, code);
        (0..reading.words.len().min(60)).filter(is_name).collect()
    };
    let (there, here) = (names(source), names(rewrite));
    for pair in here.windows(2) {
        let between: Vec<&str> = rewrite.words[pair[0] + 1..pair[1]].iter().map(|word| word.stem.as_str()).collect();
        if between.is_empty()
            || between.len() > 4
            || between.iter().all(|word| {
                ["and", "und", "or", "with", "mit", "oder", "vs", "et", "y", "e", "en", "og"].contains(word)
            })
        {
            continue;
        }
        let (one, two) = (&rewrite.words[pair[0]], &rewrite.words[pair[1]]);
        let is_at = |at: usize, word: &Word| is_same_name(&source.words[at], word);
        let reversed = there.windows(2).any(|other| {
            let same = source.words[other[0] + 1..other[1]].iter().map(|word| word.stem.as_str());
            is_at(other[0], two) && is_at(other[1], one) && same.eq(between.iter().copied())
        });
        let straight = there.windows(2).any(|other| is_at(other[0], one) && is_at(other[1], two));
        if reversed && !straight && one.stem != two.stem {
            return Some(rewrite.words[pair[0]].raw.clone());
        }
    }
    None
}

/// The same stem, or a country and its people.
fn is_same_name(one: &Word, other: &Word) -> bool {
    let has = |line: &str, word: &Word| line.split('/').any(|form| form == word.folded);
    one.stem == other.stem || DEMONYMS.split_ascii_whitespace().any(|line| has(line, one) && has(line, other))
}

/// "Man charged with murder of neighbour" that became "Neighbour charged with murder of man": before the same word stands
/// what stood behind it, and behind it what stood before. A passive ("by", "von") turns them round with good reason.
fn exchanged_subject(source: &Reading, rewrite: &Reading, code: &str) -> Option<String> {
    let passive = |reading: &Reading| {
        reading
            .words
            .iter()
            .filter(|word| {
                ["by", "von", "vom", "durch", "par", "por", "da", "door", "af"].contains(&word.folded.as_str())
            })
            .count()
    };
    if source.words.len() > 60 || passive(source) != passive(rewrite) {
        return None;
    }
    let telling = |word: &Word| !word.number && !is_small(&word.folded, code) && word.folded.chars().count() > 1;
    // What stands before a word, if it can be its subject: in the same part of the sentence, and not behind a preposition.
    let subject = |reading: &Reading, at: usize| -> Option<usize> {
        let mut place = at;
        while place > 0
            && (reading.words[place].before.is_empty()
                || reading.words[place].number
                || reading.words[place - 1].number
                || reading.words[place].before.chars().all(|sign| matches!(sign, '"' | '“' | '„' | '‘' | '\'')))
        {
            place -= 1;
            if telling(&reading.words[place]) {
                let start = (0..place)
                    .rev()
                    .take_while(|at| telling(&reading.words[*at]) && reading.words[*at + 1].before.is_empty())
                    .last();
                let before = start.unwrap_or(place).checked_sub(1);
                let article = |at: usize| {
                    ["the", "a", "an", "der", "die", "das", "den", "dem", "des"]
                        .contains(&reading.words[at].folded.as_str())
                };
                let before = before.and_then(|at| if article(at) { at.checked_sub(1) } else { Some(at) });
                let behind = before.is_some_and(|at| {
                    PREPOSITIONS.split_ascii_whitespace().any(|known| known == reading.words[at].folded)
                });
                return (!behind).then_some(place);
            }
        }
        None
    };
    let is_name = |word: &Word| word.capital && !word.first && !rewrite.title_case && code != "de";
    for (at, word) in rewrite.words.iter().enumerate().filter(|(_, word)| telling(word) && !is_name(word)) {
        let mut places = source.words.iter().enumerate().filter(|(_, other)| is_same_form(other, word));
        let (Some((there, _)), None) = (places.next(), places.next()) else { continue };
        let (Some(new), Some(old)) = (subject(rewrite, at), subject(source, there)) else { continue };
        let (new, old) = (&rewrite.words[new], &source.words[old]);
        let behind = |words: &[Word], wanted: &Word| words.iter().any(|other| other.stem == wanted.stem);
        if new.stem != old.stem
            && behind(&source.words[there + 1..], new)
            && !behind(&source.words[..there], new)
            && behind(&rewrite.words[at + 1..], old)
            && !behind(&rewrite.words[..at], old)
        {
            return Some(new.raw.clone());
        }
    }
    None
}

/// The same verb, in the same voice.
fn is_same_form(one: &Word, other: &Word) -> bool {
    let done = |word: &Word| word.folded.ends_with("ed") || word.folded.ends_with("en");
    one.stem == other.stem && done(one) == done(other)
}

const PREPOSITIONS: &str = "in on at of for from with to by after before over under near off into about against during between \
    am im in an auf aus bei beim nach mit von vom zu zum zur für gegen über unter vor ab seit durch um wegen trotz";

/// "Brazil's Lula" that became "Argentina's Lula".
fn changed_owner(source: &Reading, rewrite: &Reading) -> Option<String> {
    let pairs = |reading: &Reading| -> Vec<(Word, Word)> {
        let owned = reading
            .words
            .windows(2)
            .filter(|pair| (pair[0].raw.ends_with("'s") || pair[0].raw.ends_with("’s")) && pair[1].before.is_empty());
        owned.map(|pair| (pair[0].clone(), pair[1].clone())).collect()
    };
    let there = pairs(source);
    let changed = pairs(rewrite).into_iter().find(|(owner, owned)| {
        source.has(owner)
            && there.iter().any(|(_, other)| other.stem == owned.stem)
            && !there.iter().any(|(other, same)| same.stem == owned.stem && is_same_name(other, owner))
    });
    changed.map(|(owner, _)| owner.raw)
}

/// Whether a word, in lower case, is one of everyday reporting or a small one; names are neither.
pub(crate) fn is_common(word: &str, code: &str) -> bool {
    let list = match code {
        "en" => EVERYDAY_EN,
        "de" => EVERYDAY_DE,
        _ => "",
    };
    is_small(word, code) || list.split_ascii_whitespace().any(|known| known == word)
}

/// Small words, which have a capital only by their place.
pub(crate) fn is_small(word: &str, code: &str) -> bool {
    static SMALL: LazyLock<HashSet<(&str, &str)>> = LazyLock::new(|| function_words().collect());
    SMALL.contains(&(code, word)) && !is_date(word, code)
        || ["i", "i'm", "i've", "i'll", "mr", "mrs", "ms", "dr"].contains(&word)
}

/// Months, days of the week, and days seen from today. "May" is left to its capital.
fn is_date(word: &str, code: &str) -> bool {
    let list = match code {
        "en" => {
            "january february march april june july august september october november december monday tuesday wednesday thursday \
             friday saturday sunday today yesterday tomorrow tonight"
        }
        "de" => {
            "januar februar märz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag \
             freitag samstag sonnabend sonntag heute gestern"
        }
        "fr" => {
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche hier demain aujourd'hui"
        }
        "es" => {
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo ayer hoy"
        }
        "pt" => {
            "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo ontem hoje amanhã"
        }
        "it" => {
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica ieri oggi domani"
        }
        "nl" => {
            "januari februari maart april mei juni juli augustus september oktober november december maandag dinsdag woensdag donderdag vrijdag zaterdag zondag gisteren vandaag"
        }
        "da" => {
            "januar februar marts april maj juni juli august september oktober november december mandag tirsdag onsdag torsdag fredag lørdag søndag"
        }
        _ => "",
    };
    list.split_ascii_whitespace().any(|known| known == word)
}

/// Whether a word with an uninformative capital is one of everyday reporting: listed, or with the ending of such a word.
fn is_everyday(word: &Word, code: &str) -> bool {
    let listed = |list: &str| list.split_ascii_whitespace().any(|known| known == word.folded || known == word.stem);
    match code {
        "en" => {
            let endings = [
                "ing", "tion", "tions", "ment", "ments", "ness", "ists", "ists", "ity", "ities", "ous", "ful", "ally",
                "ised", "ized", "ises", "izes", "ates", "ated", "ents",
            ];
            let ending = word.folded.chars().count() >= 8 && endings.iter().any(|ending| word.folded.ends_with(ending));
            listed(EVERYDAY_EN) || ending
        }
        "de" => {
            let endings = [
                "ung", "ungen", "heit", "keit", "keiten", "schaft", "tion", "tionen", "ismus", "tät", "nis", "lichen",
                "licher", "liche", "ierung",
            ];
            let ending = word.folded.chars().count() >= 7 && endings.iter().any(|ending| word.folded.ends_with(ending));
            listed(EVERYDAY_DE) || ending
        }
        // No list: a first word passes, as most first words are no names.
        _ => word.first,
    }
}

const MODIFIERS: &str = "former ex vice deputy acting interim north south east west northern southern eastern western anti pro non half \
    ehemaliger ehemalige früherer frühere vize stellvertretender stellvertretende nord süd ost west";

const DEMONYMS: &str = "germany/german/germans france/french/frenchman britain/british/uk/briton/britons england/english spain/spanish/spaniard \
    netherlands/dutch denmark/danish/dane switzerland/swiss greece/greek/greeks poland/polish/pole/poles sweden/swedish/swede \
    finland/finnish/finn turkey/turkish/turk/turks ireland/irish portugal/portuguese wales/welsh china/chinese usa/us/america/american/americans/states \
    ukraine/ukrainian/ukrainians norway/norwegian belgium/belgian iraq/iraqi israel/israeli/israelis pakistan/pakistani \
    eu/europe/european un/nations scotland/scottish iceland/icelandic cyprus/cypriot czechia/czech hungary/hungarian italy/italian/italians \
    deutschland/deutsche/deutscher/deutschen/deutsches frankreich/französische/französischer/franzosen großbritannien/britische/britischer/briten \
    usa/amerika/amerikanische/amerikanischer/us russland/russische/russischer/russen china/chinesische/chinesischer/chinesen \
    mexico/mexican/mexicans canada/canadian/canadians argentina/argentine/argentinian peru/peruvian chile/chilean lebanon/lebanese taiwan/taiwanese \
    afghanistan/afghan/afghans kazakhstan/kazakh slovakia/slovak croatia/croat/croatian serbia/serb/serbs/serbian morocco/moroccan congo/congolese \
    myanmar/burmese philippines/filipino/philippine thailand/thai paris/parisian/parisians texas/texan/texans california/californian \
    scotland/scottish/scots/scot norway/norwegian/norwegians spain/spanish/spaniards sweden/swedish/swedes denmark/danish/danes \
    österreich/österreichische/österreicher/österreichischer schweiz/schweizer/schweizerische spanien/spanische/spanischer/spanier \
    italien/italienische/italienischer/italiener polen/polnische/polnischer türkei/türkische/türkischer indien/indische/indischer \
    january/jan february/feb september/sept december/dec october/oct november/nov";

const ACRONYMS: &str = "eu european union\nun united nations\nus united states america\nusa united states america\nuk united kingdom\nnhs national health service\nfbi federal bureau\nimf international monetary fund\nwho world health organization organisation\nnyc new york city\nla los angeles\ngop republican republicans party\nmp member parliament\nceo chief executive";

const EVERYDAY_EN: &str = "police officials official authorities government minister ministers president council court judge jury parliament \
    senate congress company companies firm firms bank banks report reports study studies survey poll polls research researchers scientists experts expert \
    doctors doctor man men woman women people person child children boy girl family families student students teacher teachers worker workers driver drivers \
    passenger passengers resident residents voters voter citizens customers users fans fan critics critic supporters opponents protesters \
    school schools hospital hospitals city cities town country state states region village home house homes car cars train trains bus plane \
    flight airport road fire flood storm weather rain snow heat water air food health care money tax taxes price prices cost costs market markets stocks \
    stock share shares rate rates inflation economy trade oil gas energy power climate war peace talks talk deal deals agreement plan plans law laws bill bills rule rules \
    vote votes election elections campaign party parties leader leaders chief head mayor governor senator lawmakers lawmaker politician politicians \
    army troops soldiers attack attacks bomb blast crash accident death deaths dead injured injuries victim victims suspect suspects arrest arrests arrested trial case cases \
    charges charge murder killing shooting robbery fraud crime prison jail drug drugs vaccine vaccines virus disease cancer patients patient \
    team teams club clubs player players coach game games match season league cup final win wins loss title record records goal goals \
    film movie show series album song music book books star stars actor actress singer band artist festival award awards \
    dog dogs cat cats animal animals bird birds fish bear tree trees plant plants new old more many several some two three first last \
    how why what when where who which after before during over under about against near between here there this these those today yesterday tomorrow \
    can could may might will would should must is are was were has have had do does did be been not no \
    says say said tells told finds find found shows show warns warn wins loses lost leaves left makes made takes took gets got gives gave goes went comes came \
    calls called asks asked plans raises raised cuts cut rises rose falls fell drops dropped grows grew opens opened closes closed starts started ends ended \
    kills killed dies died hurt wounded rescued missing charged jailed sentenced accused criticises criticizes criticised criticized condemns condemned \
    announces announced reports reported describes described reveals revealed explains explained discusses discussed responds responded reacts reacted \
    rejects rejected approves approved backs backed supports supported opposes opposed denies denied admits confirms confirmed claims claimed \
    launches launched buys bought sells sold pays paid faces faced meets met visits visited wants wanted seeks sought \
    video photo photos picture pictures image images list guide look review interview opinion analysis ways way things thing reasons reason facts fact tips tip \
    one day days week weeks month months year years time times night morning life world work job jobs part number numbers half lot \
    dispute row debate protest protests strike strikes decision decisions issue issues problem problems question questions concern concerns change changes \
    growth decline increase decrease rise fall drop budget spending debt profit profits sales revenue results result quarter services service system \
    community public private national local federal foreign international global former current senior young older large small high low major good bad best worst \
    accuses adds agrees aims allows appears applies approaches argues arrives avoids bans becomes begins believes blames blocks breaks brings builds carries \
    causes celebrates changes chooses claims comments compares complains concerns considers continues controls covers creates deals decides declares declines \
    delays delivers demands describes destroys details develops differs discovers discusses drives drops earns eats ends enjoys enters examines expands expects \
    expresses feels fights fills focuses follows forces forms gains happens helps hits holds hopes hosts identifies improves includes increases injures \
    investigates invites involves issues joins keeps knows lacks lasts lead leads learns lets links lists lives looks loves manages marks means mentions moves \
    names needs notes offers orders organises organizes owns passes performs picks places plays points praises predicts prefers prepares presents prevents \
    produces promises proposes protects provides pulls purchases pushes puts questions quits reads receives recalls recommends recovers reduces refers refuses \
    releases remains removes replaces requests requires rescues resigns retires returns reviews runs saves scores searches seems sees sends separates serves sets \
    shares signs sings sits sleeps speaks spends spreads stands stays steals stops struggles studies succeeds suffers suggests survives suspends swims teaches \
    tests thanks thinks threatens travels treats tries turns understands unveils updates urges uses views votes waits walks warns watches wears welcomes works writes \
    account activist activists adult adults advice age agency agencies agent aid air animal area areas association athlete athletes audience author baby band boat \
    body border boss brother building business camera candidate candidates celebrity centre center chance charity choice christmas church class clothes coffee college \
    comment comments competition complaint conference conflict contract couple crew crisis culture dance date daughter deadline degree design detail diet director \
    discovery discussion drink drivers earnings education effect effects employee employees engine engineer environment event events evidence example experience face factory \
    farm farmer farmers fashion father fee figure figures fine firefighters floor footage friend friends fund funding future gift glass gold ground group groups gun guns hair hand \
    history holiday horse hotel hour hours husband idea income industry information injury island item items kids lake language laptop lawyer lawyers lead lesson lessons letter \
    line location machine magazine manager map meal meeting member members memory message method minute minutes model mother mountain museum name names nation network \
    nurse nurses ocean office officer officers officials operation option order organisation organization origin owner owners page park parent parents passport path pay penalty pet \
    phone pilot place places planet plastic point position post president pressure product products professor program programme project property proposal range reaction reactions \
    reader readers recipe recipes relationship rescue response restaurant retailer return reviewer river role room salary sale sample scene science scientist sea section security \
    seller sign signs sister site size skin sleep snake society son space spokesman spokeswoman staff stage statement station statue step steps store stores story stories style sugar summer \
    support surgery tale tea tests theory ticket tickets tourist tourists trailer train training travel traveller trick tricks trip truck type union user value vehicle \
    version visitors visitor voice walk wall watch wedding weight wife wind window winter woman workers youth technology phone phones app apps internet website software data online media news television radio newspaper journalist journalists editor reporter";

const EVERYDAY_DE: &str = "polizei behörden behörde regierung minister ministerin präsident präsidentin kanzler kanzlerin rat gericht richter parlament bundestag bundesrat \
    unternehmen firma firmen konzern bank banken bericht berichte studie studien umfrage forscher forscherin forschung wissenschaftler experten experte ärzte arzt \
    mann männer frau frauen menschen person personen kind kinder junge mädchen familie familien schüler studenten lehrer arbeiter fahrer fahrerin \
    bewohner wähler bürger kunden nutzer fans kritiker kritik anhänger gegner demonstranten schule schulen krankenhaus klinik stadt städte land länder dorf haus auto autos zug züge bus \
    flugzeug flughafen straße feuer brand hochwasser sturm wetter regen schnee hitze wasser luft essen gesundheit geld steuer steuern preis preise kosten markt aktie aktien \
    zins zinsen inflation wirtschaft handel öl gas energie strom klima krieg frieden gespräche gespräch abkommen plan pläne gesetz gesetze regel regeln wahl wahlen \
    partei parteien chef chefin leiter bürgermeister politiker politikerin armee soldaten angriff angriffe anschlag unfall unglück tod tote toten tote verletzte verletzten opfer verdächtige \
    verdächtiger täter festnahme prozess fall fälle vorwurf vorwürfe mord betrug verbrechen gefängnis drogen impfung impfstoff virus krankheit krebs patienten \
    mannschaft verein vereine spieler trainer spiel spiele saison liga finale sieg niederlage titel rekord tor tore film serie album lied musik buch bücher star schauspieler sänger \
    hund hunde katze tier tiere vogel baum pflanze tag tage woche wochen monat monate jahr jahre zeit nacht morgen leben welt arbeit teil zahl zahlen hälfte \
    streit debatte protest proteste streik entscheidung frage fragen problem probleme sorge sorgen änderung wachstum anstieg rückgang haushalt ausgaben schulden gewinn umsatz \
    ergebnis ergebnisse angaben technik handy internet daten medien nachrichten zeitung journalist angebot artikel autor grund gründe folge folgen thema themen art weise \
    neue neuer neues mehr viele einige zwei drei erste letzte wie warum was wann wo wer welche nach vor während über unter gegen bei zwischen hier dies diese heute gestern";
