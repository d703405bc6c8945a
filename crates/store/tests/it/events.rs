//! Events of every service: written to one log, read in commit order, also by a program that does not know their kinds.

use crate::support::{Database, claim, feed, on_both, plan, start};
use model::event::{Event, EventKind, NewEvent, Payload, Subject};
use model::{EventId, FeedId, UserId, Viewer};
use serde_json::json;
use store::StoreError;

on_both!(
    events_of_users_and_sites_stand_among_those_of_feeds,
    kinds_and_versions_that_are_not_known_are_read,
    an_earlier_version_still_writes_events,
    a_user_sees_what_is_about_them_and_their_feeds,
    what_is_too_large_is_refused,
);

fn event(kind: &str, subject: Subject, json: serde_json::Value) -> NewEvent {
    NewEvent { kind: EventKind::named(kind), subject, payload: Payload { version: 1, json } }
}

async fn events_of_users_and_sites_stand_among_those_of_feeds(db: Database) {
    let store = &db.store;
    let id = store.add_feed(feed("one.example", 1), start()).await.unwrap().id();
    let user = event("user.added", Subject::User(UserId(7)), json!({ "name": "Ada\u{0}", "tags": [1, null] }));
    let user_at = store.record_event(user, start()).await.unwrap();
    let lease = claim(store, "w", start(), 1).await.pop().unwrap();
    let entry = store.commit(&lease, plan(&lease, start(), &["one"])).await.unwrap().new[0];
    let site = event("site.blocked", Subject::Site("spam.example".into()), json!({ "why": "spam" }));
    let site_at = store.record_event(site, start()).await.unwrap();
    let none_at = store.record_event(event("enrichment.paused", Subject::None, json!(null)), start()).await.unwrap();

    let read = store.events(Viewer::Operator, EventId(0), 10).await.unwrap();
    let said: Vec<_> = read.iter().map(|event| (event.kind.as_str(), event.subject.clone())).collect();
    let expected = [
        ("feed.added", Subject::Feed(id)),
        ("user.added", Subject::User(UserId(7))),
        ("entry.new", Subject::Entry(id, entry)),
        ("site.blocked", Subject::Site("spam.example".into())),
        ("enrichment.paused", Subject::None),
    ];
    assert_eq!(said, expected);
    assert_eq!([read[1].id, read[3].id, read[4].id], [user_at, site_at, none_at]);
    assert!(read.is_sorted_by(|one, other| one.id < other.id));
    assert_eq!(read[1].payload.json, json!({ "name": "Ada", "tags": [1, null] }), "U+0000 is dropped");
    assert_eq!((read[4].payload.clone(), store.last_event().await.unwrap()), (Payload::none(), none_at));
}

async fn kinds_and_versions_that_are_not_known_are_read(db: Database) {
    db.meddle(
        "UPDATE arrival SET events = events + 1;
         INSERT INTO outbox (id, at, kind, user_id, site, version, payload)
         SELECT events, 1, 'later.kind', 3, 'a.example', 9, '[1, {\"a\": \"b\"}]' FROM arrival",
    )
    .await;
    let read = db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap();
    let expected = Event {
        id: EventId(1),
        at: jiff::Timestamp::from_microsecond(1).unwrap(),
        kind: EventKind::Other("later.kind".into()),
        subject: Subject::User(UserId(3)),
        payload: Payload { version: 9, json: json!([1, { "a": "b" }]) },
    };
    assert_eq!(read, [expected]);
}

/// While a cluster is brought up to date, processes of the earlier version write what they know.
async fn an_earlier_version_still_writes_events(db: Database) {
    db.meddle(
        "UPDATE arrival SET events = events + 2;
         INSERT INTO outbox (id, at, kind, feed_id, entry_id, detail)
         VALUES (1, 1, 'feed.moved', 5, NULL, 'https://two.example/'), (2, 1, 'entry.new', 5, 6, NULL)",
    )
    .await;
    let read = db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap();
    assert_eq!((&read[0].subject, read[0].said()), (&Subject::Feed(FeedId(5)), Some("https://two.example/")));
    assert_eq!((&read[1].subject, &read[1].payload), (&Subject::Entry(FeedId(5), model::EntryId(6)), &Payload::none()));
}

async fn a_user_sees_what_is_about_them_and_their_feeds(db: Database) {
    let store = &db.store;
    let feed = store.add_feed(feed("one.example", 1), start()).await.unwrap().id();
    let subjects =
        [Subject::User(UserId(7)), Subject::User(UserId(8)), Subject::Site("a.example".into()), Subject::None];
    for subject in subjects.clone() {
        store.record_event(event("a.b", subject, json!(null)), start()).await.unwrap();
    }
    let sees = async |viewer| {
        let read = store.events(viewer, EventId(0), 10).await.unwrap();
        read.into_iter().map(|event| event.subject).collect::<Vec<_>>()
    };
    let feed = Subject::Feed(feed);
    assert_eq!(sees(Viewer::User(UserId(7))).await, [feed.clone(), subjects[0].clone()]);
    assert_eq!(sees(Viewer::User(UserId(9))).await, std::slice::from_ref(&feed));
    let [user, other, site, none] = subjects;
    assert_eq!(sees(Viewer::Operator).await, [feed, user, other, site, none]);
}

async fn what_is_too_large_is_refused(db: Database) {
    let long = |bytes: usize| json!({ "text": "x".repeat(bytes) });
    let check = async |case: &str, new: NewEvent| {
        let refused = db.store.record_event(new, start()).await.unwrap_err();
        assert!(matches!(refused, StoreError::Unfit { .. }), "{case}: {refused:?}");
    };
    check("payload", event("a.b", Subject::None, long(Payload::LONGEST_BYTES))).await;
    check("no object", event("a.b", Subject::None, json!("text"))).await;
    check("site", event("a.b", Subject::Site("x".repeat(256)), json!(null))).await;
    check("no kind", event("", Subject::None, json!(null))).await;
    check("odd kind", event("A b", Subject::None, json!(null))).await;
    check("long kind", event(&"a".repeat(65), Subject::None, json!(null))).await;
    assert_eq!(db.store.events(Viewer::Operator, EventId(0), 10).await.unwrap(), []);
    let fits = event(&"a".repeat(64), Subject::Site("x".repeat(255)), long(Payload::LONGEST_BYTES - 20));
    db.store.record_event(fits, start()).await.unwrap();
}
