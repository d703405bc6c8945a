//! What makes two entries the same, case by case.

use super::*;
use crate::identity::{DocumentKeys, LinkOwner};
use crate::rules::Preset;
use crate::testing::{dossier, entry, now, reading};
use crate::version::version;
use model::entry::Lineage;
use model::reading::ReadEntry;

const LINK: &str = "https://one.example/1";
const OTHER: &str = "https://one.example/2";

fn rules(preset: Preset) -> Rules {
    Rules::preset(preset)
}

/// What the store knows after these entries, numbered from 1.
fn known(entries: &[ReadEntry], rules: &Rules) -> Known {
    let reading = reading(entries.to_vec());
    let mut known = Known::default();
    for (n, entry) in Keyed::all(&reading, DocumentKeys::of(&reading, &dossier(), rules)).iter().enumerate() {
        let id = EntryId(n as i64 + 1);
        for key in entry.keys.all() {
            if known.keys.iter().all(|(known, _)| *known != key) {
                known.keys.push((key, KnownKey::Entry(id)));
            }
        }
        let version = version(entry.entry, entry.keys.raw, None);
        known.entries.push(KnownEntry {
            id,
            content_hash: version.content_hash,
            raw_hash: version.raw_hash,
            link: version.link,
            title: version.title,
            published_at: version.published_at,
            lineage: Lineage::Present { since_reading: 1 },
        });
    }
    known
}

/// What the entries of a document are, given another one before: `1 new again`, and the number of collisions.
fn told(preset: Preset, before: &[ReadEntry], after: &[ReadEntry]) -> String {
    let rules = rules(preset);
    let known = known(before, &rules);
    let reading = reading(after.to_vec());
    let mut keyed = Keyed::all(&reading, DocumentKeys::of(&reading, &dossier(), &rules));
    let (found, trust) = recognise(now(), &mut keyed, &known, GuidTrust::default(), before.is_empty(), &rules);
    let words: Vec<String> = found
        .iter()
        .map(|found| match found {
            Found::New => "new".into(),
            Found::Known(id) => id.to_string(),
            Found::Buried => "buried".into(),
            Found::Again => "again".into(),
        })
        .collect();
    let unreliable = if trust.unreliable { ", unreliable" } else { "" };
    format!("{} ({}{unreliable})", words.join(" "), trust.collisions)
}

#[test]
fn what_makes_two_entries_the_same() {
    let e = entry;
    let one = || vec![e("a", LINK, "T")];
    let check = |what: &str, preset, before: &[ReadEntry], after: &[ReadEntry], expected: &str| {
        assert_eq!(told(preset, before, after), expected, "{what}");
    };
    let (courant, reader, reedme, deframer, governance) =
        (Preset::Courant, Preset::Reader, Preset::Reedme, Preset::Deframer, Preset::Governance);
    check("the same id", courant, &one(), &[e("a", LINK, "U")], "1 (0)");
    check("the same id, its page moved", courant, &one(), &[e("a", OTHER, "T")], "1 (0)");
    check("A-69 the same id, another page and words", courant, &one(), &[e("a", OTHER, "U")], "new (1)");
    check("A-69 any other page", reader, &one(), &[e("a", OTHER, "T")], "1 (1)");
    check("F-111 another id, the same page and words", courant, &one(), &[e("b", LINK, "T")], "1 (1)");
    check("another id, its own page, other words", courant, &one(), &[e("b", LINK, "U")], "new (0)");
    check(
        "a page whose entry has moved on is free for another",
        courant,
        &one(),
        &[e("a", OTHER, "T"), e("b", LINK, "U")],
        "1 new (0)",
    );
    check(
        "F-111 another id, trackers in its link",
        courant,
        &one(),
        &[e("b", "https://one.example/1?utm_x=1", "T")],
        "1 (1)",
    );
    check("R: the id decides", reedme, &one(), &[e("b", LINK, "T")], "new (0)");
    check("R: without one the link does", reedme, &[e("", LINK, "T")], &[e("", LINK, "U")], "1 (0)");
    check("G: the id decides", governance, &one(), &[e("b", LINK, "T")], "new (0)");
    check("D-37 the link decides", deframer, &one(), &[e("b", LINK, "U")], "1 (0)");
    check("D-37 even if the id is known", deframer, &one(), &[e("a", OTHER, "T")], "new (0)");
    check("no id, no link, same words", courant, &[e("", "", "T")], &[e("", "", "T")], "1 (0)");
    check("no id, no link, other words", courant, &[e("", "", "T")], &[e("", "", "U")], "new (0)");
    check("no link, another id, same words", courant, &[e("a", "", "T")], &[e("b", "", "T")], "1 (1)");
    check("twice in one document", courant, &[], &[e("a", LINK, "T"), e("a", LINK, "T")], "new again (0)");
    check("twice, and known", courant, &one(), &[e("a", LINK, "T"), e("a", LINK, "U")], "1 again (0)");

    let shared = || vec![e("a", LINK, "T"), e("b", LINK, "U")];
    check("one link for all", courant, &[], &shared(), "new new (0)");
    check(
        "one link for all, one more",
        courant,
        &shared(),
        &[e("c", LINK, "V"), e("a", LINK, "T"), e("b", LINK, "U")],
        "new 1 2 (0)",
    );
    check("one link for all, no ids", courant, &[], &[e("", LINK, "T"), e("", LINK, "U")], "new new (0)");
    check(
        "the front page is nobody's",
        courant,
        &[e("a", "https://one.example/", "T")],
        &[e("b", "https://one.example/", "U")],
        "new (0)",
    );
    check("A-77 one link for all", reader, &[], &shared(), "new again (0)");
    check("A-77 one link, another id", reader, &one(), &[e("b", LINK, "U")], "1 (0)");

    let colliding: Vec<ReadEntry> =
        (0..5).map(|n| e("same", &format!("https://one.example/{n}"), &n.to_string())).collect();
    check("A-70 one id for all", courant, &[], &colliding, "new new new new new (4, unreliable)");
    check("one id for two", courant, &[], &colliding[..2], "new new (1)");
    let ids = |prefix: &str| -> Vec<ReadEntry> {
        (0..4).map(|n| e(&format!("{prefix}{n}"), &format!("https://one.example/{n}"), "T")).collect()
    };
    check("F-111 all ids changed", courant, &ids("x"), &ids("y"), "1 2 3 4 (4, unreliable)");
    check(
        "A-71 long numbers",
        reader,
        &[],
        &[e("12345678901", LINK, "T"), e("12345678902", OTHER, "T")],
        "new new (1)",
    );
    check("A-72 moments", reader, &[], &[e("1763294400", LINK, "T")], "new (1)");
    check("short numbers are fine", reader, &[], &[e("2763294400", LINK, "T")], "new (0)");
}

#[test]
fn ids_that_are_not_trusted_decide_nothing_and_are_not_stored() {
    let rules = rules(Preset::Courant);
    let unreliable = GuidTrust { collisions: 3, unreliable: true };
    let dossier = model::lease::Dossier { guids: unreliable, ..dossier() };
    let known = known(&[entry("a", LINK, "T")], &rules);
    let document = reading(vec![entry("a", OTHER, "U"), entry("b", LINK, "V")]);
    let mut keyed = Keyed::all(&document, DocumentKeys::of(&document, &dossier, &rules));
    let (found, trust) = recognise(now(), &mut keyed, &known, unreliable, false, &rules);
    assert_eq!(found, [Found::New, Found::Known(EntryId(1))], "A-74");
    assert_eq!(trust, unreliable);
    assert!(keyed[0].keys.all().all(|key| key.kind != KeyKind::Guid));
    assert_ne!(keyed[0].uid(7, LinkOwner::None, &rules), "a");
}

#[test]
fn links_that_may_repeat_decide_nothing() {
    let rules = rules(Preset::Reader);
    let dossier = model::lease::Dossier { allow_duplicate_urls: true, ..dossier() };
    let document = reading(vec![entry("", LINK, "T"), entry("", LINK, "U"), entry("", LINK, "T")]);
    let mut keyed = Keyed::all(&document, DocumentKeys::of(&document, &dossier, &rules));
    let (found, _) = recognise(now(), &mut keyed, &Known::default(), GuidTrust::default(), true, &rules);
    assert_eq!(found, [Found::New, Found::New, Found::Again], "A-75: the words decide");
    let uids: HashSet<String> = keyed[..2].iter().map(|entry| entry.uid(7, LinkOwner::None, &rules)).collect();
    assert_eq!(uids.len(), 2, "and they have names of their own");
}

#[test]
fn links_that_may_repeat_from_now_on_make_nothing_new() {
    let rules = rules(Preset::Reader);
    let known = known(&[entry("", LINK, "T")], &rules);
    let dossier = model::lease::Dossier { allow_duplicate_urls: true, ..dossier() };
    let document = reading(vec![entry("", LINK, "T"), entry("", LINK, "U")]);
    let mut keyed = Keyed::all(&document, DocumentKeys::of(&document, &dossier, &rules));
    let (found, _) = recognise(now(), &mut keyed, &known, GuidTrust::default(), false, &rules);
    assert_eq!(found, [Found::Known(EntryId(1)), Found::New]);
}

#[test]
fn what_was_purged_does_not_come_back() {
    let check = |what: &str, preset, kind: KeyKind, expected: Found| {
        let rules = rules(preset);
        let mut known = known(&[entry("a", LINK, "T")], &rules);
        known.entries.clear();
        known.keys.retain(|(key, _)| key.kind == kind);
        known.keys.iter_mut().for_each(|(_, known)| *known = KnownKey::Tombstone);
        let document = reading(vec![entry("a", LINK, "T")]);
        let mut keyed = Keyed::all(&document, DocumentKeys::of(&document, &dossier(), &rules));
        let (found, _) = recognise(now(), &mut keyed, &known, GuidTrust::default(), false, &rules);
        assert_eq!(found, [expected], "{what}");
    };
    check("by its id", Preset::Courant, KeyKind::Guid, Found::Buried);
    check("by its link", Preset::Courant, KeyKind::Url, Found::Buried);
    check("by its link, where only ids count", Preset::Reedme, KeyKind::Url, Found::New);
}

#[test]
fn fifty_thousand_entries_are_fast() {
    let entries: Vec<ReadEntry> = (0..50_000).map(|n| entry(&n.to_string(), LINK, "T")).collect();
    let document = reading(entries);
    let rules = rules(Preset::Courant);
    let mut keyed = Keyed::all(&document, DocumentKeys::of(&document, &dossier(), &rules));
    let (found, _) = recognise(now(), &mut keyed, &Known::default(), GuidTrust::default(), true, &rules);
    assert!(found.iter().all(|found| *found == Found::New));
}
