//! Opposites: a rewrite does not say "falls" where its source says "rises".
//!
//! Pairs for English and German, compared by stems; and words that gained or lost a prefix such as "un-".

use std::collections::HashSet;
use std::sync::LazyLock;

use super::Unfaithful;
use super::reading::Reading;
use crate::{Language, Stemmer};

/// Words of opposite meaning, and words with "un-" before them.
pub(super) fn opposites(source: &Reading, rewrite: &Reading, language: Language) -> Result<(), Unfaithful> {
    let has = |reading: &Reading, side: &HashSet<String>| reading.words.iter().any(|word| side.contains(&word.stem));
    for (one, other) in
        OPPOSITES.iter().filter(|(code, _, _)| *code == language.as_str()).map(|(_, one, other)| (one, other))
    {
        for (new, old) in [(one, other), (other, one)] {
            if has(rewrite, new) && !has(source, new) && has(source, old) && !has(rewrite, old) {
                let word = rewrite.words.iter().find(|word| new.contains(&word.stem));
                return Err(Unfaithful::Opposite(word.map(|word| word.folded.clone()).unwrap_or_default()));
            }
        }
    }
    let prefixes = ["un", "in", "il", "im", "ir", "dis", "non-", "anti-", "mis"];
    for (from, to) in [(source, rewrite), (rewrite, source)] {
        for word in from.words.iter().filter(|word| word.folded.len() > 5 && !to.has(word)) {
            let plain = prefixes.iter().filter_map(|prefix| word.folded.strip_prefix(prefix)).find(|plain| {
                plain.len() > 3
                    && to.words.iter().any(|other| other.folded == *plain)
                    && !from.words.iter().any(|own| own.folded == *plain)
            });
            if plain.is_some() {
                return Err(Unfaithful::Opposite(word.folded.clone()));
            }
        }
    }
    Ok(())
}

/// The stems of one side of a pair.
type Side = HashSet<String>;

/// Pairs of opposite sides.
static OPPOSITES: LazyLock<Vec<(&str, Side, Side)>> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    for (code, list) in [("en", OPPOSITES_EN), ("de", OPPOSITES_DE)] {
        let stemmer = Stemmer::new(Language::from_code(code));
        let side = |forms: &str| forms.split('/').map(|form| stemmer.stem(form).into_owned()).collect();
        pairs.extend(
            list.lines().filter_map(|line| line.split_once(" - ")).map(|(one, other)| (code, side(one), side(other))),
        );
    }
    pairs
});

const OPPOSITES_EN: &str = "\
rise/rises/rose/rising/risen/increase/increases/increased/grow/grows/grew/climb/climbs/climbed/jump/jumps/jumped/soar/soars/soared/surge/surges/surged/up - fall/falls/fell/falling/fallen/decrease/decreases/decreased/shrink/shrinks/shrank/drop/drops/dropped/plunge/plunges/plunged/decline/declines/declined/down/slump/slumps/slumped
win/wins/won/winning/beat/beats/beaten/defeat/defeats/defeated - lose/loses/lost/losing
approve/approves/approved/accept/accepts/accepted/back/backs/backed/pass/passes/passed - reject/rejects/rejected/veto/vetoes/vetoed/block/blocks/blocked
support/supports/supported/favour/favours/favor/favors - oppose/opposes/opposed
allow/allows/allowed/permit/permits/permitted/legalise/legalises/legalize/legalizes/legalized - ban/bans/banned/prohibit/prohibits/prohibited/forbid/forbids/outlaw/outlaws/outlawed
open/opens/opened/reopen/reopens/reopened - close/closes/closed/shut/shuts
start/starts/started/begin/begins/began/launch/launches/launched - end/ends/ended/stop/stops/stopped/halt/halts/halted
buy/buys/bought/acquire/acquires - sell/sells/sold
hire/hires/hired - fire/fires/fired/sack/sacks/sacked
arrest/arrested/jail/jailed/detain/detained/held/caught/captured - release/releases/released/freed
guilty/convicted - innocent/acquitted/cleared
higher/more/most/larger/bigger/longer/faster/better/best/highest/largest - lower/less/least/fewer/smaller/shorter/slower/worse/worst/lowest/smallest
before - after
above - below
alive/survive/survives/survived - dead/die/dies/died
safe - dangerous/unsafe
true - false
male/man/men/boy - female/woman/women/girl
young/younger/youngest - old/older/oldest
first - last
early/earlier - late/later
north/northern - south/southern
east/eastern - west/western
confirm/confirms/confirmed/admit/admits/admitted - deny/denies/denied
agree/agrees/agreed - disagree/disagrees/disagreed
success/succeed/succeeds/succeeded/successful - failure/fail/fails/failed
cause/causes/caused - prevent/prevents/prevented
improve/improves/improved - worsen/worsens/worsened
join/joins/joined/enter/enters/entered - leave/leaves/left/quit/quits
raise/raises/raised/hike/hikes - cut/cuts/lower/lowers/lowered/slash/slashes
with - without
victim/victims - suspect/suspects/attacker/attackers
import/imports - export/exports
yesterday - today
today - tomorrow
yesterday - tomorrow
minority - majority";

const OPPOSITES_DE: &str = "\
steigt/steigen/stieg/stiegen/gestiegen/wächst/wachsen/erhöht/erhöhen/zunehmen/nimmt zu - sinkt/sinken/sank/sanken/gesunken/fällt/fallen/fiel/schrumpft/schrumpfen/senkt/senken/abnehmen
gewinnt/gewinnen/gewann/gewonnen/siegt - verliert/verlieren/verlor/verloren
billigt/billigte/beschließt/beschloss/beschlossen/genehmigt/genehmigte/zustimmt/annimmt - ablehnt/abgelehnt/lehnt/lehnte/verwirft/blockiert/stoppt
unterstützt/unterstützen/befürwortet/befürworten - bekämpft/kritisiert/ablehnen
erlaubt/erlauben/erlaubte - verbietet/verbieten/verbot/verboten
öffnet/öffnen/geöffnet/öffnete - schließt/schließen/geschlossen/schloss
beginnt/beginnen/begann/startet/starten - endet/enden/endete/beendet
kauft/kaufen/kaufte - verkauft/verkaufen/verkaufte
festgenommen/verhaftet - freigelassen/entlassen
schuldig/verurteilt - unschuldig/freigesprochen
mehr/höher/größer/besser/höchste/größte/beste - weniger/niedriger/kleiner/schlechter/niedrigste/kleinste/schlechteste
vor - nach
tot/stirbt/starb/gestorben - überlebt/überlebte/lebt
wahr - falsch
mann/männer - frau/frauen
junge/jünger/jüngste - alte/älter/älteste
erste/ersten - letzte/letzten
nord/norden - süd/süden
ost/osten - west/westen
bestätigt/bestätigte - bestreitet/bestritt/dementiert
erfolg - scheitern/misserfolg
mit - ohne
gestern - heute
heute - morgen
gestern - morgen";
