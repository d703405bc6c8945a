//! What a refresh writes, case by case.

use super::*;
use crate::identity::Keyed;
use crate::rules::{Preset, Rules};
use crate::testing::{ago, dossier, entry, fresh, now, reading, visit};
use crate::version::version;
use model::EntryId;
use model::entry::{EntryKey, KnownEntry, KnownKey, Lineage};
use model::feed::DomainRule;
use model::lease::Quota;
use model::plan::{EntryVersion, Keep};
use model::reading::{About, Dated, ReadEntry, Text};
use model::visit::{Failure, Freshness, Hop, Validators};

const LINK: &str = "https://one.example/1";

fn known(id: i64, entry: &ReadEntry, lineage: Lineage, rules: &Rules) -> Known {
    let document = reading(vec![entry.clone()]);
    let keyed = Keyed::all(&document, DocumentKeys::of(&document, &dossier(), rules));
    let (all, raw_hash) = (keyed[0].keys.all(), keyed[0].keys.raw);
    let version = version(entry, raw_hash, None);
    Known {
        keys: all.map(|key| (key, KnownKey::Entry(EntryId(id)))).collect(),
        entries: vec![KnownEntry {
            id: EntryId(id),
            content_hash: version.content_hash,
            raw_hash: version.raw_hash,
            link: version.link,
            title: version.title,
            published_at: version.published_at,
            lineage,
        }],
    }
}

fn plan(dossier: &Dossier, visit: &Visit, entries: Option<Vec<ReadEntry>>, known: Known, rules: &Rules) -> Plan {
    let seen = Seen { reading: entries.map(reading), known, ..Seen::default() };
    plan_refresh(now(), dossier, visit, seen, rules)
}

/// What the store knows after a first plan is written.
fn stored(plan: &Plan) -> Known {
    let mut known = Known::default();
    store(&mut known, plan);
    known
}

/// What the store knows after a further plan is written.
fn store(known: &mut Known, plan: &Plan) {
    let claim = |known: &mut Known, key: EntryKey, id| {
        // The first entry to claim a key keeps it.
        if known.keys.iter().all(|(known, _)| *known != key) {
            known.keys.push((key, KnownKey::Entry(id)));
        }
    };
    let hashes = |entry: &mut KnownEntry, version: &EntryVersion| {
        (entry.content_hash, entry.raw_hash, entry.link) =
            (version.content_hash, version.raw_hash, version.link.clone());
        (entry.title, entry.published_at) = (version.title.clone(), version.published_at);
    };
    for changed in &plan.changed {
        changed.keys.iter().for_each(|key| claim(known, *key, changed.id));
        let entry = known.entries.iter_mut().find(|entry| entry.id == changed.id).unwrap();
        hashes(entry, &changed.version);
    }
    for redated in &plan.redated {
        known
            .entries
            .iter_mut()
            .filter(|known| known.id == redated.id)
            .for_each(|known| (known.raw_hash, known.published_at) = (redated.raw_hash, redated.published_at));
    }
    for change in &plan.lineage {
        known.entries.iter_mut().filter(|entry| entry.id == change.id).for_each(|entry| entry.lineage = change.lineage);
    }
    for alias in &plan.aliases {
        claim(known, alias.key, alias.id);
    }
    for new in &plan.new {
        let id = EntryId(known.entries.len() as i64);
        new.keys.iter().for_each(|key| claim(known, *key, id));
        let lineage = Lineage::Present { since_reading: plan.history.readings };
        let (hash, link, title, published_at) = ([0; 16], None, None, None);
        let mut entry = KnownEntry { id, content_hash: hash, raw_hash: hash, link, title, published_at, lineage };
        hashes(&mut entry, &new.version);
        known.entries.push(entry);
    }
}

/// A summary of a plan.
fn told(plan: &Plan) -> String {
    let quiet = |quiet| if quiet { " quietly" } else { "" };
    let title = |version: &EntryVersion| version.title.clone().unwrap_or_else(|| "?".into());
    let new = plan.new.iter().map(|entry| format!("new {}{}", title(&entry.version), quiet(entry.quiet)));
    let changed = plan.changed.iter().map(|change| format!("changed {} {:?}", change.id, change.keep));
    let alias = plan.aliases.iter().map(|alias| format!("alias {}", alias.id));
    let lineage = plan.lineage.iter().map(|change| match change.lineage {
        Lineage::Present { since_reading } => format!("{} back in {since_reading}", change.id),
        Lineage::Left { last_seen_at, seen_count } => {
            let hours = now().duration_since(last_seen_at).as_hours();
            format!("{} left after {seen_count}, seen {hours} h ago", change.id)
        }
    });
    let refused = plan.refused.iter().map(|why| format!("refused: {why}"));
    new.chain(changed).chain(alias).chain(lineage).chain(refused).collect::<Vec<_>>().join("; ")
}

fn events(plan: &Plan) -> String {
    let said =
        |event: &FeedEvent| event.kind.field().and_then(|field| event.payload.text(field)).unwrap_or("-").to_owned();
    let told = |event: &FeedEvent| format!("{}: {}", event.kind.as_str(), said(event));
    plan.events.iter().map(told).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_happens_to_an_entry() {
    let present = Lineage::Present { since_reading: 5 };
    let left = Lineage::Left { last_seen_at: ago(9), seen_count: 3 };
    let a = || entry("a", LINK, "A");
    let check = |what: &str, preset, lineage: Option<Lineage>, entries: Vec<ReadEntry>, expected: &str| {
        let rules = Rules::preset(preset);
        let known = lineage.map_or_else(Known::default, |lineage| known(1, &a(), lineage, &rules));
        let plan = plan(&dossier(), &fresh(), Some(entries), known, &rules);
        assert_eq!(told(&plan), expected, "{what}");
    };
    let (courant, reader) = (Preset::Courant, Preset::Reader);
    check("never seen", courant, None, vec![a()], "new A");
    check("as before: no write", courant, Some(present), vec![a()], "");
    check("says something else", courant, Some(present), vec![entry("a", LINK, "B")], "changed 1 Revision");
    check("wrapped differently", courant, Some(present), vec![entry("a", LINK, "<i>A</i>")], "changed 1 Nothing");
    check("C-13 the first version stays", reader, Some(present), vec![entry("a", LINK, "B")], "");
    check(
        "a page that moved is known by its new link",
        reader,
        Some(present),
        vec![entry("a", "https://one.example/2", "A")],
        "alias 1",
    );
    check("left", courant, Some(present), vec![], "1 left after 3, seen 1 h ago");
    check("F-92 came back, with its count", courant, Some(left), vec![a()], "1 back in 5");
    check(
        "A-63 userinfo",
        courant,
        None,
        vec![entry("u", "https://me@one.example/", "U")],
        "refused: \"U\": its link carries a user name or password",
    );
    check(
        "says nothing",
        courant,
        None,
        vec![entry("x", "", ""), a()],
        "new A; refused: \"x\": a bad entry: it says nothing",
    );
}

#[test]
fn links_that_never_stay_bring_no_keys() {
    let rules = Rules::default();
    let known = || known(1, &entry("a", LINK, "A"), Lineage::Present { since_reading: 1 }, &rules);
    let keys = |title: &str| {
        let document = vec![entry("a", "https://one.example/1?session=77", title)];
        plan(&dossier(), &fresh(), Some(document), known(), &rules).changed[0].keys.len()
    };
    assert_eq!(keys("A"), 0, "the same words");
}

#[test]
fn links_to_elsewhere_are_taken_unless_the_feed_says_otherwise() {
    let entries = || {
        vec![
            entry("a", "https://one.example/1", "A"),
            entry("b", "https://www.one.example/2", "B"),
            entry("c", "https://two.example/3", "C"),
            entry("d", "", "D"),
        ]
    };
    let check = |rule: DomainRule, expected: &str| {
        let dossier = Dossier { domain_rule: rule, ..dossier() };
        let plan = plan(&dossier, &fresh(), Some(entries()), Known::default(), &Rules::default());
        let titles: Vec<_> = plan.new.iter().filter_map(|entry| entry.version.title.clone()).collect();
        assert_eq!(titles.join(""), expected, "{rule:?}");
    };
    check(DomainRule::default(), "ABCD");
    check(DomainRule::Registrable, "ABD");
    check(DomainRule::Exact, "AD");
}

#[test]
fn an_empty_document_deletes_nothing_and_html_is_a_failure() {
    let rules = Rules::default();
    let known = || known(1, &entry("a", LINK, "A"), Lineage::Present { since_reading: 1 }, &rules);
    let empty = plan(&dossier(), &fresh(), Some(vec![]), known(), &rules);
    assert_eq!((empty.history.failures, told(&empty).as_str()), (0, "1 left after 7, seen 1 h ago"), "A-148");
    let html = visit(200, Outcome::Failed(Failure::NotAFeed("a web page".into())));
    let html = plan(&dossier(), &html, None, known(), &rules);
    assert_eq!((html.history.failures, told(&html).as_str(), html.visit.result), (1, "", VisitResult::Failed));
}

#[test]
fn bad_entries_fail_the_visit_only_where_they_should() {
    let check = |what: &str, preset, entries: Vec<ReadEntry>, expected: &str| {
        let plan = plan(&dossier(), &fresh(), Some(entries), Known::default(), &Rules::preset(preset));
        let said = plan.history.last_error.clone().unwrap_or_else(|| "fine".into());
        assert_eq!(format!("{said}, {} new", plan.new.len()), expected, "{what}");
    };
    let (good, untitled, nothing) =
        (|| entry("a", LINK, "A"), || entry("b", "https://one.example/2", ""), || entry("c", "", ""));
    check("one bad entry", Preset::Courant, vec![good(), nothing()], "fine, 1 new");
    check("all bad", Preset::Courant, vec![nothing()], "no entry says anything, 0 new");
    check("none at all", Preset::Courant, vec![], "fine, 0 new");
    check("no title", Preset::Courant, vec![good(), untitled()], "fine, 2 new");
    check("G-40", Preset::Governance, vec![good(), untitled()], "1 of 2 entries have no title or no link, 1 new");
}

#[test]
fn entries_beyond_the_quota_are_stored_quietly() {
    let flood: Vec<ReadEntry> =
        (0..700).map(|n| entry(&n.to_string(), &format!("https://one.example/{n}"), "T")).collect();
    let check = |what: &str, history: History, expected: (usize, u32)| {
        let dossier = Dossier { history, ..dossier() };
        let plan = plan(&dossier, &fresh(), Some(flood.clone()), Known::default(), &Rules::default());
        assert_eq!(plan.new.len(), 700);
        let loud = plan.new.iter().filter(|entry| !entry.quiet).count();
        assert_eq!((loud, plan.history.quota.used), expected, "{what}");
    };
    let today = (now().as_second() / 86400) as i32;
    let used = |readings, day, used| History { readings, quota: Quota { day, used, edits: 0 }, ..History::default() };
    check("the first visit", used(0, 0, 0), (700, 0));
    check("later", used(1, 0, 0), (500, 700));
    check("some of today's are used", used(1, today, 450), (50, 1150));
    check("all of them", used(1, today, 900), (0, 1600));
    check("yesterday's do not count", used(1, today - 1, 900), (500, 700));
}

#[test]
fn edits_beyond_the_quota_are_stored_quietly() {
    let rules = Rules::default().with("entries.edits_per_day", "30").unwrap();
    let document = |words: &str| -> Vec<ReadEntry> {
        (0..20).map(|n| entry(&n.to_string(), &format!("https://one.example/{n}"), &format!("{words} {n}"))).collect()
    };
    let mut dossier = dossier();
    let mut known = stored(&plan(&dossier, &fresh(), Some(document("at first")), Known::default(), &rules));
    let mut check = |what: &str, hours: i64, words: &str, expected: (usize, usize, u32), said: &str, trace: &str| {
        let seen = Seen { reading: Some(reading(document(words))), known: known.clone(), ..Seen::default() };
        let plan = plan_refresh(ago(-hours), &dossier, &fresh(), seen, &rules);
        let revisions = plan.changed.iter().filter(|changed| changed.keep == Keep::Revision);
        let keys: usize =
            plan.changed.iter().filter(|changed| changed.keep == Keep::Nothing).map(|c| c.keys.len()).sum();
        assert_eq!((plan.changed.len(), revisions.count(), plan.history.quota.edits), expected, "{what}");
        assert_eq!((events(&plan).as_str(), keys), (said, 0), "{what}");
        let beyond = plan.schedule.trace.iter().filter_map(|said| said.split_once(": beyond 30").map(|(said, _)| said));
        assert_eq!(beyond.collect::<String>(), trace, "{what}");
        store(&mut known, &plan);
        dossier.history = plan.history;
    };
    check("some edits", 0, "later", (20, 20, 20), "", "");
    let told = "feed.health: more than 30 edits of its entries today: further ones are stored, but neither announced nor \
                kept as revisions";
    check("beyond the quota", 1, "later still", (20, 10, 40), told, "40 edits today");
    check("said once a day", 2, "and later", (20, 0, 60), "", "60 edits today");
    check("nothing to say", 3, "and later", (0, 0, 60), "", "60 edits today");
    check("the next day", 24, "tomorrow", (20, 20, 20), "", "");
}

#[test]
fn a_new_date_alone_writes_no_body_and_no_event() {
    let dated = |words: &str, hour: i64| {
        let mut entry = entry("a", LINK, words);
        entry.about.updated = Some(Dated { at: Some(ago(hour)), text: String::new() });
        entry
    };
    let check = |what: &str, preset, raw: Option<Hash>, document: ReadEntry, expected: &str| {
        let rules = Rules::preset(preset);
        let mut known = known(1, &dated("A", 5), Lineage::Present { since_reading: 1 }, &rules);
        known.entries[0].raw_hash = raw.unwrap_or(known.entries[0].raw_hash);
        let plan = plan(&dossier(), &fresh(), Some(vec![document]), known, &rules);
        let redated = plan.redated.iter().map(|entry| format!("redated {:?}", entry.updated_at.map(|at| at == ago(2))));
        assert_eq!(redated.chain(Some(told(&plan))).collect::<Vec<_>>().join(" ").trim(), expected, "{what}");
        assert_eq!(events(&plan), "", "{what}");
    };
    let courant = Preset::Courant;
    check("as before", courant, None, dated("A", 5), "");
    check("F-92 a corrected date", courant, None, dated("A", 2), "redated Some(true)");
    check(
        "another id",
        courant,
        None,
        ReadEntry { about: About { id: Some("b".into()), ..dated("A", 5).about }, ..dated("A", 5) },
        "redated Some(false)",
    );
    check("with other words", courant, None, dated("B", 2), "changed 1 Revision");
    check("the first version stays", Preset::Reader, None, dated("A", 2), "");
    // What an older version of this program hashed is rewritten once, and nothing else happens.
    check("another recipe of the hash", courant, Some([9; 16]), dated("A", 5), "changed 1 Nothing");
}

#[test]
fn ids_that_change_at_every_visit_make_nothing_new() {
    let rules = Rules::default();
    let mut dossier = dossier();
    let document = |visit: u32| -> Vec<ReadEntry> {
        (0..5).map(|n| entry(&format!("{visit}-{n}"), &format!("https://one.example/{n}"), &format!("T{n}"))).collect()
    };
    let first = plan(&dossier, &fresh(), Some(document(0)), Known::default(), &rules);
    let known = stored(&first);
    for visit in 1..5 {
        let plan = plan(&dossier, &fresh(), Some(document(visit)), known.clone(), &rules);
        assert_eq!(told(&plan), "", "visit {visit}");
        if let Some(facts) = plan.feed {
            assert!(facts.guids.unreliable, "visit {visit}");
            dossier.guids = facts.guids;
        }
    }
    assert!(dossier.guids.unreliable);
}

#[test]
fn names_and_order() {
    let dated = |id: &str, hours: i64| {
        let mut entry = entry(id, &format!("https://one.example/{id}"), id);
        entry.about.published = Some(Dated { at: Some(ago(hours)), text: String::new() });
        entry
    };
    let told = |preset| {
        let entries = vec![dated("now", 0), dated("old", 9), dated("later", -9), dated("soon", 0)];
        let plan = plan(&dossier(), &fresh(), Some(entries), Known::default(), &Rules::preset(preset));
        let told =
            |entry: &model::plan::NewEntry| format!("{} {}", entry.uid, now().duration_since(entry.sort_at).as_hours());
        plan.new.iter().map(told).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(told(Preset::Courant), "old 9, now 0, later 0, soon 0", "C-33 clamped");
    assert_eq!(told(Preset::Reader), "old 9, now 0, soon 0, later -9", "A-220 kept");
}

#[test]
fn a_failure_keeps_what_a_success_left() {
    let mut dossier = dossier();
    dossier.history.validators.etag = Some("\"v1\"".into());
    dossier.history.freshness.cache_control = Some("max-age=60".into());
    dossier.history.rhythm = Some(vec![1, 2, 3]);
    let rules = Rules::default();
    let mut failed = visit(500, Outcome::Failed(Failure::Status(500)));
    failed.freshness.cache_control = Some("max-age=9999".into());
    let history = plan(&dossier, &failed, None, Known::default(), &rules).history;
    assert_eq!((history.failures, history.last_error.as_deref()), (1, Some("the server answered 500")));
    assert_eq!(history.validators.etag.as_deref(), Some("\"v1\""));
    assert_eq!(history.freshness.cache_control.as_deref(), Some("max-age=60"), "R-76");
    assert_eq!((history.last_success_at, history.rhythm), (Some(ago(1)), Some(vec![1, 2, 3])));

    let silent = visit(304, Outcome::Unchanged);
    let history = plan(&dossier, &silent, None, Known::default(), &rules).history;
    assert_eq!(history.validators.etag.as_deref(), Some("\"v1\""), "R-82");
    assert_eq!(history.freshness.cache_control.as_deref(), Some("max-age=60"), "R-82");
    assert_eq!(history.failures, 0, "R-77");

    dossier.history.validators.last_modified = Some("long ago".into());
    dossier.history.freshness.expires_at = Some(ago(2));
    let mut half = visit(304, Outcome::Unchanged);
    half.validators.etag = Some("\"v3\"".into());
    half.freshness.cache_control = Some("max-age=61".into());
    let history = plan(&dossier, &half, None, Known::default(), &rules).history;
    let validators = Validators { etag: Some("\"v3\"".into()), last_modified: Some("long ago".into()) };
    assert_eq!(history.validators, validators, "R-82 field by field");
    let (said, expires) = (history.freshness.cache_control, history.freshness.expires_at);
    assert_eq!((said.as_deref(), expires), (Some("max-age=61"), Some(ago(2))), "R-82 field by field");

    let new = Visit { validators: Validators { etag: Some("\"v2\"".into()), last_modified: None }, ..fresh() };
    let history = plan(&dossier, &new, Some(vec![]), Known::default(), &rules).history;
    assert_eq!((history.validators.etag.as_deref(), history.freshness.cache_control), (Some("\"v2\""), None), "R-80");
    let same_bytes = Visit { outcome: Outcome::Unchanged, ..new };
    let history = plan(&dossier, &same_bytes, None, Known::default(), &rules).history;
    assert_eq!((history.validators, history.freshness), (same_bytes.validators, Freshness::default()), "R-80");
}

#[test]
fn a_success_forgets_the_failures_and_when_they_were() {
    let mut dossier = dossier();
    (dossier.history.failures, dossier.history.busy) = (3, 2);
    (dossier.history.last_error, dossier.history.last_error_at) = (Some("no".into()), Some(ago(1)));
    let check = |what: &str, visit: &Visit, expected: (u32, u32, Option<&str>, Option<Timestamp>)| {
        let History { failures, busy, last_error, last_error_at, .. } =
            plan(&dossier, visit, None, Known::default(), &Rules::default()).history;
        assert_eq!((failures, busy, last_error.as_deref(), last_error_at), expected, "{what}");
    };
    check("A-142 nothing had changed", &visit(304, Outcome::Unchanged), (0, 0, None, None));
    let failed = visit(500, Outcome::Failed(Failure::Status(500)));
    check("A-141 once more", &failed, (4, 0, Some("the server answered 500"), Some(now())));
    check("nobody was asked", &deferred(0), (3, 2, Some("no"), Some(ago(1))));
}

/// A visit that was deferred after this many hops.
fn deferred(hops: usize) -> Visit {
    let outcome = Outcome::Deferred { until: now() + jiff::SignedDuration::from_hours(1) };
    Visit { outcome, hops: vec![Hop::default(); hops], ..Visit::none(now()) }
}

#[test]
fn a_deferred_visit_keeps_the_history() {
    let mut dossier = dossier();
    dossier.history.freshness.retry_after = Some(ago(-5));
    (dossier.history.last_visit_at, dossier.history.last_status) = (Some(ago(3)), Some(429));
    let check = |what: &str, hops, expected: Timestamp| {
        let history = plan(&dossier, &deferred(hops), None, Known::default(), &Rules::default()).history;
        assert_eq!((history.freshness.retry_after, history.last_status), (Some(ago(-5)), Some(429)), "{what}");
        assert_eq!((history.last_visit_at, history.visits), (Some(expected), 10), "{what}");
    };
    check("nobody was asked", 0, ago(3));
    check("who redirects was asked", 1, now());
}

#[test]
fn every_byte_that_came_in_is_counted() {
    let hop = |wire_bytes, decoded_bytes| Hop { wire_bytes, decoded_bytes, ..Hop::default() };
    let check = |what: &str, visit: Visit, hops: &[Hop], expected: (u64, u64)| {
        let visit = Visit { hops: hops.to_vec(), ..visit };
        let past = plan(&dossier(), &visit, None, Known::default(), &Rules::default()).visit;
        assert_eq!((past.wire_bytes, past.decoded_bytes), expected, "{what}");
    };
    check("F-69 the same bytes once more", visit(200, Outcome::Unchanged), &[hop(10, 40)], (10, 40));
    let too_large = visit(200, Outcome::Failed(Failure::TooLarge { limit_bytes: 99 }));
    check("F-69 too large", too_large, &[hop(20, 99)], (20, 99));
    let failed = visit(500, Outcome::Failed(Failure::Status(500)));
    check("F-69 an error page after a redirect", failed, &[hop(3, 3), hop(7, 70)], (10, 73));
    check("F-69 nothing", visit(304, Outcome::Unchanged), &[hop(0, 0)], (0, 0));
}

#[test]
fn what_a_feed_says_about_itself_is_noticed() {
    let mut dossier = dossier();
    (dossier.title, dossier.description, dossier.language) =
        (Some("T".into()), Some("About".into()), Some("en".into()));
    let check = |what: &str, title: &str, subtitle: &str, language: &str, expected| {
        let text = |value: &str| Some(Text { value: value.into(), ..Text::default() });
        let mut reading = reading(vec![]);
        (reading.feed.about.title, reading.feed.subtitle) = (text(title), text(subtitle));
        reading.feed.about.language = Some(language.into());
        let seen = Seen { reading: Some(reading), ..Seen::default() };
        let plan = plan_refresh(now(), &dossier, &fresh(), seen, &Rules::default());
        assert_eq!(plan.feed.is_some(), expected, "{what}");
    };
    check("as before", "T", "About", "en", false);
    check("another title", "U", "About", "en", true);
    check("another description", "T", "About it", "en", true);
    check("another language", "T", "About", "de", true);
}

#[test]
fn events_of_a_feed() {
    let check = |what: &str, failures: u32, state: FeedState, visit: &Visit, expected: &str| {
        let mut dossier = Dossier { state, ..dossier() };
        dossier.history.failures = failures;
        let plan = plan(&dossier, visit, None, Known::default(), &Rules::default());
        assert_eq!(events(&plan), expected, "{what}");
    };
    let failed = visit(500, Outcome::Failed(Failure::Status(500)));
    let fine = visit(304, Outcome::Unchanged);
    let disabled = FeedState::Disabled { reason: "long ago".into() };
    check("nothing", 0, FeedState::Active, &fine, "");
    check("a streak begins", 0, FeedState::Active, &failed, "feed.health: failing: the server answered 500");
    check("and goes on", 1, FeedState::Active, &failed, "");
    check("and ends", 3, FeedState::Active, &fine, "feed.health: recovered after 3 failures");
    let why = "feed.health: disabled: Consecutive failures: the server answered 500";
    check("too many", 9, FeedState::Active, &failed, why);
    check("still", 10, disabled.clone(), &failed, "");
    check("back", 10, disabled, &fine, "feed.health: active again");
}

#[test]
fn a_feed_that_moved_is_visited_there() {
    let rules = Rules::default();
    let a = entry("a", LINK, "A");
    let known = || known(1, &a, Lineage::Present { since_reading: 1 }, &rules);
    let mut dossier = dossier();
    dossier.history.pending_move =
        Some(model::lease::PendingMove { to: "https://new.example/feed".into(), answers: 2, since: ago(24) });
    let to =
        Visit { url: "https://new.example/feed".into(), moved_to: Some("https://new.example/feed".into()), ..fresh() };
    let plan = |entries| plan(&dossier, &to, entries, known(), &rules);
    let moved = plan(Some(vec![a.clone()]));
    assert_eq!(moved.moved.as_deref(), Some("https://new.example/feed"));
    assert_eq!(events(&moved), "feed.moved: https://new.example/feed");
    assert_eq!((moved.history.final_url, moved.history.pending_move), (None, None));
    assert_eq!(moved.history.validators, to.validators);
    let seen = || Seen { reading: Some(reading(vec![a.clone()])), known: known(), ..Seen::default() };
    let seen = Seen { neighbour: Some(FeedId(12)), ..seen() };
    let taken = plan_refresh(now(), &dossier, &to, seen, &rules);
    let told = "moved to https://new.example/feed, which is already feed 12";
    let advice = "it stays where it was, and one of the two can be deleted";
    assert_eq!((taken.moved.as_deref(), events(&taken)), (None, format!("feed.health: {told}: {advice}")));
    assert!(taken.schedule.reason.ends_with(&format!("; it {told}")), "{}", taken.schedule.reason);
    assert_eq!(taken.history.final_url.as_deref(), Some("https://new.example/feed"), "whose validators these are");
    let hijacked = plan(Some(vec![entry("x", "https://evil.example/1", "Buy")]));
    let counted = hijacked.history.pending_move.map(|pending| pending.answers);
    assert_eq!((hijacked.moved, counted), (None, Some(0)), "other entries, and nothing it says later counts");
}

/// What the store answers to the minimal query.
fn answered(known: &Known, document: &[ReadEntry], dossier: &Dossier, rules: &Rules) -> Known {
    let reading = reading(document.to_vec());
    let asked = DocumentKeys::of(&reading, dossier, rules).of_others(&reading, &known.entries, rules);
    let keys: Vec<_> = known.keys.iter().filter(|(key, _)| asked.contains(key)).copied().collect();
    let named = |entry: &&KnownEntry| {
        matches!(entry.lineage, Lineage::Present { .. })
            || keys.iter().any(|(_, known)| *known == KnownKey::Entry(entry.id))
    };
    Known { entries: known.entries.iter().filter(named).cloned().collect(), keys }
}

/// Visits a feed that shows these documents one after the other; each visit knows what the earlier ones stored.
fn visited(documents: Vec<Vec<ReadEntry>>, rules: &Rules, repeats: bool) -> Vec<Plan> {
    let mut dossier = Dossier { allow_duplicate_urls: repeats, ..dossier() };
    dossier.history.readings = 0;
    let (mut known, mut plans) = (Known::default(), Vec::new());
    for document in documents {
        let asked = answered(&known, &document, &dossier, rules);
        let all = plan(&dossier, &fresh(), Some(document.clone()), known.clone(), rules);
        let plan = plan(&dossier, &fresh(), Some(document), asked, rules);
        assert_eq!(told(&plan), told(&all), "looking up fewer keys gives the same decision");
        assert_eq!(plan.feed, all.feed);
        if let Some(facts) = &plan.feed {
            dossier.guids = facts.guids;
        }
        dossier.history = plan.history.clone();
        store(&mut known, &plan);
        plans.push(plan);
    }
    plans
}

mod sequences;

mod properties {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Few ids, few links and few words, so that they collide; some ids are too long to be uids.
    fn documents() -> impl Strategy<Value = Vec<ReadEntry>> {
        let one = (0..8_u8, 0..5_u8, 0..4_u8, 0..4_i64).prop_map(|(id, link, title, hour)| {
            let text = |n: u8, prefix: &str| if n == 0 { String::new() } else { format!("{prefix}{n}") };
            let link = if link == 1 { "https://one.example/".into() } else { text(link, "https://one.example/") };
            let id = if id > 4 { format!("{}{id}", "x".repeat(600)) } else { text(id, "id ") };
            let mut entry = entry(&id, &link, &text(title, "T"));
            entry.about.published = (hour > 0).then(|| Dated { at: Some(ago(hour)), text: String::new() });
            entry
        });
        proptest::collection::vec(one, 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn the_same_document_brings_nothing_new(
            document in documents(), preset in 0..6_usize, repeats in any::<bool>(), order in 0..3_u8,
        ) {
            let mut again = document.clone();
            let mut ids = HashSet::new();
            match order {
                0 => {}
                1 => again.reverse(),
                // An id used for two entries is trusted again when it is unique: which entry it identifies then is
                // arbitrary.
                _ if !document.iter().filter_map(|entry| entry.about.id.as_ref()).all(|id| ids.insert(id)) => {}
                _ => drop(again.pop()),
            }
            let plans = visited(vec![document, again], &Rules::preset(Preset::ALL[preset]), repeats);
            // Ids that are mistrusted from now on have distinguished or merged entries until now.
            let mistrusted = plans[0].feed.as_ref().is_some_and(|facts| facts.guids.unreliable);
            prop_assert!(mistrusted || plans[1].new.is_empty(), "{:?}", plans[1].new);
        }

        /// Otherwise the database would refuse this visit, and the next one too.
        #[test]
        fn names_are_unique_whatever_comes_next(
            one in documents(), two in documents(), three in documents(), preset in 0..6_usize, repeats in any::<bool>(),
            link_hash in any::<bool>(),
        ) {
            let preset = Rules::preset(Preset::ALL[preset]);
            let rules = if link_hash { preset.with("dedup.uid", "link_hash").unwrap() } else { preset };
            let plans = visited(vec![one, two, three], &rules, repeats);
            let new: Vec<_> = plans.iter().flat_map(|plan| &plan.new).collect();
            let names: HashSet<&str> = new.iter().map(|entry| entry.uid.as_str()).collect();
            prop_assert_eq!(names.len(), new.len());
            prop_assert!(plans[0].new.iter().all(|entry| !entry.keys.is_empty()));
        }
    }
}
