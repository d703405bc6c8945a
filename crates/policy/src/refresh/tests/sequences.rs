//! What is stored after several documents in a row: the cases of `docs/notes/entry-identity.md`, in every preset.
//!
//! A document is written as `id link title hour`, entries separated by `|`; `-` leaves a part out, and `title~words`
//! adds words besides the title. The stored entries are written as titles; `One>Two` is an entry whose content was
//! replaced.

use super::*;

/// `g1 /p One 3`: an entry, published three hours ago.
fn written(text: &str) -> ReadEntry {
    let parts: Vec<&str> = text.split_whitespace().map(|part| if part == "-" { "" } else { part }).collect();
    let [id, link, title, hour] = parts[..] else { panic!("`{text}` has other than four parts") };
    let link = if link.is_empty() { String::new() } else { format!("https://one.example{link}") };
    let id = if id.starts_with('#') { format!("{link}{id}") } else { id.to_owned() };
    let (title, words) = title.split_once('~').unwrap_or((title, ""));
    let mut entry = entry(&id, &link, title);
    entry.summary = (!words.is_empty()).then(|| Text { value: words.to_owned(), ..Text::default() });
    let at = hour.parse().ok().map(ago);
    entry.about.published = at.map(|at| Dated { at: Some(at), text: String::new() });
    entry
}

/// What is stored after these documents, in order of arrival.
fn stored_after(documents: &[&str], rules: &Rules) -> String {
    let read = |text: &&str| text.split('|').filter(|part| !part.trim().is_empty()).map(written).collect();
    let mut titles: Vec<String> = Vec::new();
    for plan in visited(documents.iter().map(read).collect(), rules, false) {
        let title = |version: &EntryVersion| version.title.clone().unwrap_or_else(|| "?".into());
        for changed in &plan.changed {
            let before = &mut titles[changed.id.0 as usize];
            *before = format!("{before}>{}", title(&changed.version));
        }
        titles.extend(plan.new.iter().map(|new| title(&new.version)));
    }
    titles.join(" ")
}

const COURANT: [Preset; 2] = [Preset::Courant, Preset::Fetcher];
/// Here the first entry of a link stays.
const LINKS_RULE: [Preset; 2] = [Preset::Reader, Preset::Deframer];
/// Here ids decide, if there are any.
const IDS_RULE: [Preset; 2] = [Preset::Reedme, Preset::Governance];

#[track_caller]
fn check(what: &str, presets: &[Preset], documents: &[&str], expected: &str) {
    for preset in presets {
        assert_eq!(stored_after(documents, &Rules::preset(*preset)), expected, "{what}, {preset:?}");
    }
}

/// Every preset shows all entries, and replaces none.
#[track_caller]
fn check_all(what: &str, documents: &[&str], expected: &str) {
    check(what, &Preset::ALL, documents, expected);
}

#[test]
fn a_page_that_shows_one_article_after_the_other_keeps_them_all() {
    let status = ["g1 /status One 4", "g2 /status Two 3", "g3 /status Three 2", "g4 /status Four 1"];
    check("other id, title and date", &COURANT, &status, "One Two Three Four");
    check("A-59, A-77", &LINKS_RULE, &status, "One");
    check("the id decides", &IDS_RULE, &status, "One Two Three Four");
    let undated = ["g1 /status One -", "g2 /status Two -"];
    check("without dates", &COURANT, &undated, "One Two");
    let daily = ["g1 /status Status 3", "g2 /status Status 2"];
    check("always the same words", &COURANT, &daily, "Status");
    let weather = ["g1 /status Weather~rain 3", "g2 /status Weather~sun 2"];
    check("the same title over other words", &COURANT, &weather, "Weather Weather");
    let without_ids = ["- /status One 3", "- /status Two 2", "- /status Three 1"];
    check("no ids, other title and date", &COURANT, &without_ids, "One Two Three");
    check("no ids: the link decides", &IDS_RULE, &without_ids, "One>Two>Three");
    let again = ["g1 /status One 4", "g2 /status Two 3", "g1 /status One 4", "g2 /status Two 3 | g1 /status One 4"];
    check("back and forth", &COURANT, &again, "One Two");
    let edited = ["- /status One 3", "- /status Two 2", "- /status Two 1"];
    check("no ids, another date alone", &COURANT, &edited, "One Two");
}

#[test]
fn a_link_that_several_ids_share_identifies_no_entry() {
    let documents = ["g1 /p One 4 | g2 /p Two 3 | g3 /p Three 2", "g4 /p Four 1"];
    check("four ids", &COURANT, &documents, "One Two Three Four");
    let same_title = ["g1 /p One 4 | g2 /p Two 3", "g3 /p One -"];
    check("the same words under a third id", &COURANT, &same_title, "One Two");
    let undated = ["g1 /p One - | g2 /p Two -", "g3 /p Three -"];
    check("without dates", &COURANT, &undated, "One Two Three");
    let one_by_one = ["g1 /p One 4", "g2 /p Two 3", "g3 /p One 2"];
    check("one by one", &COURANT, &one_by_one, "One Two");
    let without_ids = ["- /p One 4 | - /p Two 3", "- /p Three 2", "- /p Three 1"];
    check("no ids", &COURANT, &without_ids, "One Two Three");
}

#[test]
fn another_id_at_the_same_link_is_the_same_entry_if_more_agrees() {
    check("the same words", &COURANT, &["a /1 One 3", "b /1 One 2"], "One");
    check("the same moment", &COURANT, &["a /1 One 3", "b /1 Won 3"], "One>Won");
    check("a counter of versions", &COURANT, &["#0 /1 One 3", "#1 /1 Won -", "#2 /1 Won 1"], "One>Won");
    check("a counter, but nothing agrees", &COURANT, &["#0 /1 One 3", "#1 /1 Two 2"], "One Two");
    let changing = ["a /1 A 9 | b /2 B 8 | c /3 C 7 | d /4 D -", "e /1 A 9 | f /2 B 8 | g /3 C 7 | h /4 Dee -"];
    check("ids that change while entries stay decide nothing", &COURANT, &changing, "A B C D>Dee");
    check("no id before, one now", &COURANT, &["- /1 One 3", "a /1 One 3"], "One");
    check("an edited title without ids", &COURANT, &["- /1 One 3", "- /1 Won 3"], "One>Won");
}

#[test]
fn one_id_for_several_links_loses_no_article() {
    let documents = ["same /g1 One 9", "same /g2 Two 8", "same /g3 Three 7", "same /g4 Four 6"];
    let last = "same /g5 Five 5 | same /g4 Four 6 | same /g3 Three 7 | same /g2 Two 8";
    check_all("four visits", &documents, "One Two Three Four");
    check_all("and a document of them all", &[&documents[..], &[last]].concat(), "One Two Three Four Five");
    let undated = ["same /g1 One -", "same /g2 Two -", "same /g3 Three -", "same /g2 Two - | same /g1 One -"];
    check_all("without dates", &undated, "One Two Three");
    let comic = ["same /g1 Comic~one 3", "same /g2 Comic~two 2"];
    check_all("the same title over other words, another date", &comic, "Comic Comic");
}

#[test]
fn a_page_that_moves_stays_one_entry() {
    check("the same words", &COURANT, &["a /1 One 3", "a /2 One 3"], "One>One");
    check("the same moment", &COURANT, &["a /1 One 3", "a /2 Won 3"], "One>Won");
    check("the first version stays", &[Preset::Reader], &["a /1 One 3", "a /2 One 2"], "One");
    let moved_thrice = ["a /1 A 9 | b /2 B 8 | c /3 C 7", "a /4 A 9 | b /5 B 8 | c /6 C 7", "a /4 A 9"];
    check("A-69 three moves: ids are mistrusted, links are known", &[Preset::Reader], &moved_thrice, "A B C");
    check("its old page shows another", &COURANT, &["a /1 One 3", "a /2 One 3 | b /1 Two 2"], "One>One Two");
    check("without an id", &COURANT, &["a /1 One 3", "a /2 One 3 | - /1 Two 2"], "One>One Two");
}

#[test]
fn a_young_entry_is_not_the_one_that_was_purged_under_its_link() {
    let rules = Rules::default();
    let purged = || {
        let mut known = known(1, &written("a /1 One 9"), Lineage::Present { since_reading: 1 }, &rules);
        known.entries.clear();
        known.keys.iter_mut().for_each(|(_, known)| *known = KnownKey::Tombstone);
        known
    };
    let check = |what: &str, document: &str, expected: &str| {
        let plan = plan(&dossier(), &fresh(), Some(vec![written(document)]), purged(), &rules);
        assert_eq!(told(&plan), expected, "{what}");
    };
    check("its own id", "a /1 One 1", "");
    check("another id, an old date", "b /1 Two 2000", "");
    check("another id, no date", "b /1 Two -", "");
    check("another id, published since", "b /1 Two 1", "new Two");
    check("no id, published since", "- /1 Two 1", "new Two");
}
