//! Who sees what: every read with a viewer is a row of a table, asked of one user's private feed. Another user gets nothing,
//! its owner and the operator get it. A second test reads the sources of the store, so that no read is left out.
//!
//! A new read takes a `Viewer` and gets a row in `READS`, or is a method of `Unscoped`, or is listed in `NO_CONTENT` with
//! the reason.

use crate::search::index;
use crate::support::{Database, HOUR, claim, feed, key, new_entry, on_both, plan, start, version, worker};
use jiff::SignedDuration;
use model::blob::{AtRest, Blob, BlobHash, Coding};
use model::enrichment::{Body, Kind, Made, Scope, Source, Summary};
use model::entry::{KeyKind, RawRef};
use model::icon::Icon;
use model::job::{ENRICH_LOCAL, JobEnd, NewJob, Priority};
use model::plan::{ChangedEntry, Keep};
use model::raw::{KeptHeaders, RawFetch};
use model::reader::Role;
use model::rollup::{FeedSum, HourSums, Rollup};
use model::{EntryId, EventId, FeedId, FetchId, UserId, Viewer, WorkerId};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::pin::Pin;
use store::{
    Conditions, EntryFilter, FeedName, Found as Finds, Hours, Kept, Mark, NewFeed, Page, PageStart, PostFilter,
    PostPage, PostScope, SearchOrder, SearchPage, SearchQuery, Store, StoreError, SupervisedQuery,
};
use store::{EnrichmentEnd, NewEnrichment};

const FIRST: PageStart = PageStart::Offset(0);
use uuid::Uuid;

on_both!(
    a_private_feed_is_seen_by_its_owner_and_the_operator,
    what_may_not_be_seen_is_not_there,
    a_public_feed_is_seen_by_everybody,
    a_page_holds_what_may_be_seen,
    a_private_feed_has_no_other_subscribers,
    an_address_may_be_private_and_public,
);

/// A private feed of Ada's with all that a feed can have, another that she deleted, and nothing else.
struct Scene {
    store: Store,
    ada: UserId,
    bob: UserId,
    feed: FeedId,
    uuid: Uuid,
    deleted: FeedId,
    entry: EntryId,
    raw: FetchId,
}

const URL: &str = "https://secret.example/0.xml";
const DELETED_URL: &str = "https://secret.example/1.xml";
const SITE: &str = "https://secret.example";
/// SHA-256 of its icon, one byte 1.
const ICON: [u8; 32] = [
    0x4b, 0xf5, 0x12, 0x2f, 0x34, 0x45, 0x54, 0xc5, 0x3b, 0xde, 0x2e, 0xbb, 0x8c, 0xd2, 0xb7, 0xe3, 0xd1, 0x60, 0x0a,
    0xd6, 0x31, 0xc3, 0x85, 0xa5, 0xd7, 0xcc, 0xe2, 0x3c, 0x77, 0x85, 0x45, 0x9a,
];

impl Scene {
    /// Bob subscribed while the feed was public; then it became Ada's.
    async fn private(db: &Database) -> Self {
        let scene = Self::public(db).await;
        // A deleted feed changes its owner no more.
        db.meddle(&format!("UPDATE feeds SET owner_id = {} WHERE id = {}", scene.ada, scene.deleted)).await;
        assert!(scene.store.set_owner(scene.feed, Some(scene.ada), start()).await.unwrap());
        scene
    }

    async fn public(db: &Database) -> Self {
        let store = db.store.clone();
        let ada = store.add_user("ada", Role::User, start()).await.unwrap();
        let bob = store.add_user("bob", Role::User, start()).await.unwrap();
        let feed = db.feeds(1, "secret.example").await[0];
        for user in [ada, bob] {
            let category = store.default_category(user).await.unwrap();
            store.subscribe(user, feed, category, Some("Secret"), start()).await.unwrap();
        }
        let raw = raw(feed);
        let lease = claim(&store, "w", start(), 1).await.pop().unwrap();
        let uuid = lease.dossier.uuid;
        let mut first = plan(&lease, start(), &["secret", "secret and read"]);
        first.new[0].version.body.raw = Some(RawRef { fetch: raw.id, offset: 0, length: 6 });
        first.headers = Some(KeptHeaders {
            at: start(),
            url: URL.into(),
            status: 200,
            request: vec![("user-agent".into(), "Courant".into())],
            response: vec![("etag".into(), "\"x\"".into())],
        });
        let raw_id = raw.id;
        first.raw = Some(raw);
        let new = store.commit(&lease, first).await.unwrap().new;
        let entry = new[0];
        for user in [ada, bob] {
            store.mark(user, &new[1..], Mark::Read, start()).await.unwrap();
            db.meddle(&format!(
                "INSERT INTO bookmarks (user_id, key, entry_id, title, content, feed_name, created_at)
                 VALUES ({user}, 'k', {entry}, '', '', '', 0)"
            ))
            .await;
        }
        let lease = claim(&store, "w", start() + HOUR, 1).await.pop().unwrap();
        let mut second = plan(&lease, start() + HOUR, &[]);
        second.changed =
            vec![ChangedEntry { id: entry, version: version("secret again"), keys: vec![], keep: Keep::Revision }];
        store.commit(&lease, second).await.unwrap();
        index(&store).await;
        for user in [ada, bob] {
            store.star(user, entry, start()).await.unwrap();
        }
        let mut sums = Rollup::default();
        let brought = FeedSum { new_entries: 2, errors: 0 };
        sums.insert(start(), HourSums { feeds: BTreeMap::from([(feed, brought)]), ..HourSums::default() });
        store.add_rollup(&WorkerId("w".into()), 1, &sums, start()).await.unwrap();
        store.pause_group("secret.example", start() + HOUR, start()).await.unwrap();
        let icon = Icon { url: format!("{SITE}/i.png"), media_type: "image/png".into(), bytes: vec![1] };
        store.keep_icon(feed, SITE, Some(&icon), start()).await.unwrap();
        enrich(&store, feed, entry).await;
        let gone = store.add_feed(self::feed("secret.example", 1), start()).await.unwrap().id();
        store.delete_feed(gone, start() + HOUR * 720, start()).await.unwrap();
        Self { store, ada, bob, feed, uuid, deleted: gone, entry, raw: raw_id }
    }

    /// Whose subscriptions a viewer asks for.
    fn user(&self, viewer: Viewer) -> UserId {
        match viewer {
            Viewer::User(user) => user,
            Viewer::Operator => self.ada,
        }
    }

    fn posts_of_feed(&self) -> PostFilter {
        PostFilter { scope: PostScope::Feed(self.feed), ..PostFilter::default() }
    }

    fn of_feed(&self) -> EntryFilter {
        EntryFilter { feed: Some(self.feed), ..EntryFilter::default() }
    }
}

/// Says something about an entry.
async fn enrich(store: &Store, feed: FeedId, entry: EntryId) {
    store.enqueue_jobs(&[NewJob::enrich_entry(entry, Priority::High, start())], start()).await.unwrap();
    let lease = store
        .claim_jobs(&worker("w"), (ENRICH_LOCAL, Priority::Low), start(), start() + HOUR, 1)
        .await
        .unwrap()
        .remove(0);
    let source = Source {
        kind: Kind::Summary,
        text: [1; 16],
        language: String::new(),
        provider: "local".into(),
        model: "prose".into(),
        prompt: "1".into(),
        scope: Scope::Feed(feed),
    };
    let body = Body::Summary(Summary { summary: "secret".into(), one_line: Some("secret".into()), language: None });
    let made = Made { key: [2; 16], source, body, at: start(), took: SignedDuration::ZERO };
    let (content_hash, text_hash) = ([1; 16], [1; 16]);
    let new = NewEnrichment {
        entry,
        feed,
        kind: Kind::Summary,
        content_hash,
        text_hash,
        made: Some(made),
        why: None,
        detail: None,
    };
    let end = EnrichmentEnd {
        lease: &lease,
        end: JobEnd::Done,
        enrichments: vec![new],
        failure: None,
        next: vec![],
        settlement: None,
        cached: None,
    };
    store.end_enrichment(end, start()).await.unwrap();
}

fn unread_ones() -> Conditions {
    Conditions { unread: Some(true), ..Conditions::default() }
}

fn today() -> Hours {
    Hours { from: start(), to: start() + HOUR * 24 }
}

fn unread() -> PostFilter {
    PostFilter { only_unread: true, ..PostFilter::default() }
}

fn kept() -> PostFilter {
    let scope = PostScope::Kept { how: Kept::Saved, feed: None, categories: None };
    PostFilter { scope, ..PostFilter::default() }
}

fn raw(feed: FeedId) -> RawFetch {
    RawFetch {
        id: FetchId(Uuid::from_u128(7)),
        feed,
        fetched_at: start(),
        url: URL.into(),
        status: 200,
        request_headers: vec![],
        response_headers: vec![],
        blob: Blob {
            hash: BlobHash([7; 32]),
            coding: Coding::Identity,
            at_rest: AtRest::AsIs,
            wire_bytes: 6,
            stored_bytes: 6,
        },
        content_type: None,
        decoded_bytes: 6,
        understood: true,
        truncated: false,
        problems: vec![],
    }
}

/// How much a read found: what is not there is not found.
trait Found {
    fn count(self) -> usize;
}

impl<T> Found for Vec<T> {
    fn count(self) -> usize {
        self.len()
    }
}

impl<K, V> Found for HashMap<K, V> {
    fn count(self) -> usize {
        self.len()
    }
}

impl<T> Found for HashSet<T> {
    fn count(self) -> usize {
        self.len()
    }
}

impl<T> Found for Option<T> {
    fn count(self) -> usize {
        usize::from(self.is_some())
    }
}

impl Found for Page {
    fn count(self) -> usize {
        self.entries.len() + self.next.map_or(0, |_| 1)
    }
}

impl Found for PostPage {
    fn count(self) -> usize {
        self.posts.len() + self.total as usize
    }
}

impl Found for Finds {
    fn count(self) -> usize {
        self.posts.len() + self.total as usize
    }
}

impl Found for SearchPage {
    fn count(self) -> usize {
        self.entries.len() + self.next.map_or(0, |_| 1)
    }
}

fn found<T: Found>(answer: Result<T, StoreError>) -> usize {
    answer.unwrap().count()
}

fn one<T>(answer: Result<T, StoreError>) -> usize {
    match answer {
        Ok(_) => 1,
        Err(StoreError::NotFound { .. }) => 0,
        Err(error) => panic!("{error}"),
    }
}

type Answer<'a> = Pin<Box<dyn Future<Output = usize> + Send + 'a>>;

/// One read, asked in one way.
struct Read {
    /// The method of `Store`.
    name: &'static str,
    how: &'static str,
    ask: for<'a> fn(&'a Scene, Viewer) -> Answer<'a>,
}

macro_rules! reads {
    ($($name:ident $how:literal: |$scene:ident, $viewer:ident| $ask:expr;)*) => {
        &[$(Read { name: stringify!($name), how: $how, ask: |$scene, $viewer| Box::pin(async move { $ask }) }),*]
    };
}

fn words(order: SearchOrder, feed: Option<FeedId>) -> SearchQuery {
    SearchQuery { words: "secret".into(), order, feed, limit: 9, ..SearchQuery::default() }
}

const READS: &[Read] = reads! {
    feed "by id": |s, v| one(s.store.feed(v, &FeedName::Id(s.feed)).await);
    feed "by UUID": |s, v| one(s.store.feed(v, &FeedName::Uuid(s.uuid)).await);
    feed "by URL": |s, v| one(s.store.feed(v, &FeedName::Url(URL.into())).await);
    deleted_feed "by id": |s, v| found(s.store.deleted_feed(v, &FeedName::Id(s.deleted)).await);
    deleted_feed "by URL": |s, v| found(s.store.deleted_feed(v, &FeedName::Url(DELETED_URL.into())).await);
    deleted_feeds "": |s, v| found(s.store.deleted_feeds(v, None, 9).await);
    feed_at "of its owner": |s, v| found(s.store.feed_at(v, URL, Some(s.ada)).await);
    feeds "": |s, v| found(s.store.feeds(v, None, 9).await);
    feed_pages "": |s, v| found(s.store.feed_pages(v).next().await);
    root_domains "": |s, v| found(s.store.root_domains(v).await);
    entry "": |s, v| one(s.store.entry(v, s.entry).await);
    entries_named "": |s, v| found(s.store.entries_named(v, "uid:secret").await);
    entries_whole "": |s, v| found(s.store.entries_whole(v, &[s.entry]).await);
    entries_whole "among others": |s, v| found(s.store.entries_whole(v, &[s.entry, EntryId(99)]).await);
    entry_body "": |s, v| one(s.store.entry_body(v, s.entry).await);
    revisions "": |s, v| found(s.store.revisions(v, s.entry).await);
    entries "of all feeds": |s, v| found(s.store.entries(v, EntryFilter::default(), None, 9).await);
    entries "of the feed": |s, v| found(s.store.entries(v, s.of_feed(), None, 9).await);
    arrived "of all feeds": |s, v| found(s.store.arrived(v, EntryFilter::default(), EntryId(0), 9).await);
    arrived "of the feed": |s, v| found(s.store.arrived(v, s.of_feed(), EntryId(0), 9).await);
    count_present "": |s, v| s.store.count_present(v, s.feed).await.unwrap() as usize;
    search "newest": |s, v| found(s.store.search(v, &words(SearchOrder::Newest, None)).await);
    search "ranked": |s, v| found(s.store.search(v, &words(SearchOrder::Ranked, None)).await);
    search "of the feed": |s, v| found(s.store.search(v, &words(SearchOrder::Newest, Some(s.feed))).await);
    icon "": |s, v| found(s.store.icon(v, s.feed, SITE).await);
    icon_by_hash "": |s, v| found(s.store.icon_by_hash(v, ICON).await);
    icon_hashes "": |s, v| found(s.store.icon_hashes(v, &[s.feed]).await);
    full_text "": |s, v| one(s.store.full_text(v, s.entry).await);
    enrichments "": |s, v| found(s.store.enrichments(v, s.entry).await);
    enrichments_of_text "": |s, v| found(s.store.enrichments_of_text(v, s.entry).await);
    headlines "": |s, v| found(s.store.headlines(s.user(v), &[s.entry]).await);
    starred_counts "": |s, v| found(s.store.starred_counts(s.user(v)).await);
    visits "": |s, v| found(s.store.visits(v, s.feed, 9).await);
    visit_headers "": |s, v| found(s.store.visit_headers(v, s.feed).await);
    raw_fetch "": |s, v| one(s.store.raw_fetch(v, s.raw).await);
    raw_fetches "": |s, v| found(s.store.raw_fetches(v, s.feed, 9).await);
    raw_fetches_before "": |s, v| found(s.store.raw_fetches_before(v, s.feed, None, 9).await);
    kept_documents "": |s, v| found(s.store.kept_documents(v, &[s.raw]).await);
    kept_documents "among others": |s, v| found(s.store.kept_documents(v, &[s.raw, FetchId(Uuid::nil())]).await);
    events "": |s, v| found(s.store.events(v, EventId(0), 99).await);
    subscriptions "": |s, v| found(s.store.subscriptions(s.user(v)).await);
    subscription "": |s, v| found(s.store.subscription(s.user(v), s.feed).await);
    links_with_key "": |s, v| found(s.store.links_with_key(s.user(v), key(KeyKind::Url, "secret")).await);
    followed "": |s, v| found(s.store.followed(s.user(v)).await);
    feed_labels "": |s, v| found(s.store.feed_labels(s.user(v)).await);
    followed_feed "": |s, v| found(s.store.followed_feed(s.user(v), s.feed).await);
    followed_entries "": |s, v| found(s.store.followed_entries(s.user(v), &[s.entry]).await);
    unread_counts "": |s, v| found(s.store.unread_counts(s.user(v)).await);
    posts "of all feeds": |s, v| found(s.store.posts(s.user(v), &PostFilter::default(), FIRST, 9).await);
    posts "unread": |s, v| found(s.store.posts(s.user(v), &unread(), FIRST, 9).await);
    posts "of the feed": |s, v| found(s.store.posts(s.user(v), &s.posts_of_feed(), FIRST, 9).await);
    posts "that are kept": |s, v| found(s.store.posts(s.user(v), &kept(), FIRST, 9).await);
    find_posts "by words": |s, v| found(s.store.find_posts(s.user(v), "secret", &Conditions::default(), 0, 9).await);
    find_posts "by words that are unread": |s, v| found(s.store.find_posts(s.user(v), "secret", &unread_ones(), 0, 9).await);
    find_posts "unread": |s, v| found(s.store.find_posts(s.user(v), "", &unread_ones(), 0, 9).await);
    find_posts "by conditions": |s, v| found(s.store.find_posts(s.user(v), "", &Conditions::default(), 0, 9).await);
    posts_named "": |s, v| found(s.store.posts_named(s.user(v), &[s.entry]).await);
    post "": |s, v| found(s.store.post(s.user(v), s.entry).await);
    post_ids "": |s, v| found(s.store.post_ids(s.user(v), EntryId(0), false, 9).await);
    view_ids "of all feeds": |s, v| found(s.store.view_ids(s.user(v), &PostFilter::default(), 9).await);
    view_ids "unread": |s, v| found(s.store.view_ids(s.user(v), &unread(), 9).await);
    view_ids "of the feed": |s, v| found(s.store.view_ids(s.user(v), &s.posts_of_feed(), 9).await);
    view_ids "that are kept": |s, v| found(s.store.view_ids(s.user(v), &kept(), 9).await);
    find_facets "by words": |s, v| found(s.store.find_facets(s.user(v), "secret", &Conditions::default()).await);
    find_facets "by conditions": |s, v| found(s.store.find_facets(s.user(v), "", &Conditions::default()).await);
    entry_texts "": |s, v| found(s.store.entry_texts(v, &[s.entry]).await);
    supervised_feeds "": |s, v| found(s.store.supervised_feeds(v, &SupervisedQuery::default(), 0, 9).await.map(|(feeds, _)| feeds));
    supervised_feed "": |s, v| found(s.store.supervised_feed(v, s.feed).await);
    arrivals "": |s, v| found(s.store.arrivals(v, s.feed, start(), 9).await);
    busiest_feeds "": |s, v| found(s.store.busiest_feeds(v, today(), 9).await);
    paused_publishers "": |s, v| found(s.store.paused_publishers(v, start(), 9).await);
    reading_history "": |s, v| found(s.store.reading_history(s.user(v), None, 9).await);
    arrangement "": |s, v| found(s.store.arrangement(s.user(v)).await.map(|(_, subscriptions)| subscriptions));
};

async fn a_private_feed_is_seen_by_its_owner_and_the_operator(db: Database) {
    let scene = Scene::private(&db).await;
    let mut wrong = Vec::new();
    for Read { name, how, ask } in READS {
        let owner = ask(&scene, Viewer::User(scene.ada)).await;
        let operator = ask(&scene, Viewer::Operator).await;
        let other = ask(&scene, Viewer::User(scene.bob)).await;
        if owner == 0 || owner != operator || other != 0 {
            wrong.push(format!("{name} {how}: its owner finds {owner}, the operator {operator}, another user {other}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

async fn what_may_not_be_seen_is_not_there(db: Database) {
    let scene = Scene::private(&db).await;
    let (store, bob) = (&scene.store, Viewer::User(scene.bob));
    let same = |hidden: StoreError, missing: StoreError, (name, other): (String, String)| {
        assert_eq!(hidden.to_string().replace(&name, &other), missing.to_string());
    };
    let feed = async |name| store.feed(bob, &name).await.unwrap_err();
    let ids = (scene.feed.to_string(), "99".to_owned());
    same(feed(FeedName::Id(scene.feed)).await, feed(FeedName::Id(FeedId(99))).await, ids);
    let urls = (URL.to_owned(), "https://none.example/".to_owned());
    same(feed(FeedName::Url(urls.0.clone())).await, feed(FeedName::Url(urls.1.clone())).await, urls);
    let ids = || (scene.entry.to_string(), "99".to_owned());
    let entry = async |id| store.entry(bob, id).await.unwrap_err();
    same(entry(scene.entry).await, entry(EntryId(99)).await, ids());
    let body = async |id| store.entry_body(bob, id).await.unwrap_err();
    same(body(scene.entry).await, body(EntryId(99)).await, ids());
    let raw = async |id| store.raw_fetch(bob, id).await.unwrap_err();
    let names = (scene.raw.to_string(), Uuid::nil().to_string());
    same(raw(scene.raw).await, raw(FetchId(Uuid::nil())).await, names);
}

async fn a_public_feed_is_seen_by_everybody(db: Database) {
    let scene = Scene::public(&db).await;
    for Read { name, how, ask } in READS.iter().filter(|read| read.name != "feed_at") {
        let operator = ask(&scene, Viewer::Operator).await;
        assert!(operator > 0, "{name} {how}");
        for user in [scene.ada, scene.bob] {
            assert_eq!(ask(&scene, Viewer::User(user)).await, operator, "{name} {how}: user {user}");
        }
    }
    let at = async |viewer| scene.store.feed_at(viewer, URL, None).await.unwrap();
    assert_eq!(at(Viewer::User(scene.bob)).await, Some(scene.feed));
}

/// Ten private entries among ten public ones: pages are full, and cursors lead to the end.
async fn a_page_holds_what_may_be_seen(db: Database) {
    let store = &db.store;
    let ada = store.add_user("ada", Role::User, start()).await.unwrap();
    let bob = Viewer::User(store.add_user("bob", Role::User, start()).await.unwrap());
    store.add_feed(feed("public.example", 0), start()).await.unwrap();
    store.add_feed(NewFeed { owner: Some(ada), ..feed("private.example", 1) }, start()).await.unwrap();
    for lease in claim(store, "w", start(), 2).await {
        let mut plan = plan(&lease, start(), &[]);
        let title = |n: i32| format!("{} {n}", lease.dossier.rate_group);
        plan.new = (0..10).map(|n| new_entry(&title(n), start() + HOUR * n)).collect();
        store.commit(&lease, plan).await.unwrap();
    }
    for (viewer, expected) in [(bob, 10), (Viewer::User(ada), 20), (Viewer::Operator, 20)] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = store.entries(viewer, EntryFilter::default(), after, 3).await.unwrap();
            after = page.next;
            assert!(after.is_none() || page.entries.len() == 3, "a page before the last is full");
            seen.extend(page.entries.into_iter().map(|entry| entry.id));
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), expected, "{viewer:?}");
        let (mut arrived, mut after) = (0, EntryId(0));
        while let [.., last] = store.arrived(viewer, EntryFilter::default(), after, 3).await.unwrap().as_slice() {
            after = last.id;
            arrived += 1;
        }
        assert_eq!(arrived, if expected == 10 { 4 } else { 7 }, "{viewer:?}: pages of three");
    }
    let [public, private] = ["public.example/0.xml", "private.example/1.xml"].map(|url| format!("https://{url}"));
    let mut feeds = store.feeds(bob, None, 1).await.unwrap();
    assert_eq!(feeds.remove(0).feed.url, public);
    let last = store.feeds(Viewer::Operator, Some(FeedId(1)), 1).await.unwrap();
    assert_eq!(last[0].feed.url, private);
    assert_eq!(store.feeds(bob, Some(FeedId(1)), 1).await.unwrap(), []);
}

async fn a_private_feed_has_no_other_subscribers(db: Database) {
    let scene = Scene::private(&db).await;
    let (store, feed) = (&scene.store, scene.feed);
    let carol = store.add_user("carol", Role::User, start()).await.unwrap();
    let category = store.default_category(carol).await.unwrap();
    let hidden = store.subscribe(carol, feed, category, None, start()).await.unwrap_err();
    let missing = store.subscribe(carol, FeedId(99), category, None, start()).await.unwrap_err();
    assert_eq!(hidden.to_string(), format!("no feed {feed}"));
    assert_eq!(missing.to_string(), "no feed 99");
    store.subscribe_many(carol, &[(feed, category, None)], start()).await.unwrap();
    assert_eq!(db.number(&format!("SELECT count(*) FROM subscriptions WHERE user_id = {carol}")).await, 0);
    assert_eq!(store.subscriptions(scene.ada).await.unwrap().len(), 1);
}

/// Two users and everybody have one address each for themselves: nobody gets another's feed.
async fn an_address_may_be_private_and_public(db: Database) {
    let scene = Scene::private(&db).await;
    let (store, bob) = (&scene.store, scene.bob);
    let add = async |uuid: u128, owner| {
        let new = NewFeed { uuid: Uuid::from_u128(uuid), url: URL.into(), owner, ..feed("secret.example", 0) };
        store.add_feed(new, start()).await.unwrap()
    };
    let public = add(100, None).await;
    assert!(matches!(public, store::Added::New(_)), "{public:?}");
    let bobs = add(101, Some(bob)).await;
    assert!(matches!(bobs, store::Added::New(_)), "{bobs:?}");
    assert_eq!(add(102, Some(scene.ada)).await, store::Added::Existing(scene.feed));
    let seen = async |viewer| {
        let feeds = store.feeds(viewer, None, 9).await.unwrap();
        feeds.into_iter().map(|status| status.feed.id).collect::<Vec<_>>()
    };
    assert_eq!(seen(Viewer::User(bob)).await, [public.id(), bobs.id()]);
    assert_eq!(seen(Viewer::User(scene.ada)).await, [scene.feed, public.id()]);
    let deleted = NewFeed { uuid: Uuid::from_u128(103), url: DELETED_URL.into(), ..feed("secret.example", 1) };
    let added = store.add_feed(deleted, start()).await.unwrap();
    assert!(matches!(added, store::Added::New(_)), "a deleted feed of another user's is not brought back: {added:?}");
}

/// Methods of `Store` that take no viewer, return something, and yet show nothing of a feed; with the reason.
const NO_CONTENT: &[(&str, &str)] = &[
    ("add_bookmark", "a bookmark is its user's own snapshot"),
    ("add_category", "a category is its user's"),
    ("add_feed", "finds the feed at the address of the owner who is named, or a public one"),
    ("add_feeds", "as add_feed"),
    ("add_filter", "a filter is its user's: its id"),
    ("add_rollup", "a worker's sums"),
    ("add_saved_search", "a search is its user's"),
    ("arrange_feeds", "a user's own subscriptions: whether they are there"),
    ("busy_answers", "a sum over all feeds"),
    ("create_login_link", "a link is its user's"),
    ("first_rollup", "a time"),
    ("forget_rollups", "upkeep: nothing"),
    ("held_work", "names of processes and of kinds of work"),
    ("import_lines", "an import is its user's"),
    ("index_lag", "a sum and a time"),
    ("keep_import_lines", "an import is its user's"),
    ("kind", "which database it is"),
    ("recent_sweeps", "how many changed, of feeds that the user follows"),
    ("schema", "numbers of migrations"),
    ("use_login_link", "whose link it was"),
    ("visit_buckets", "sums over all feeds"),
    ("visit_errors", "sums over all feeds"),
    ("visit_latencies", "sums over all feeds"),
    ("visited_hosts", "sums; hosts of private feeds are not among them (engine/src/rollups.rs)"),
    ("add_user", "a user, not a feed"),
    ("adopt_body_range", "upkeep: numbers of entries"),
    ("appoint", "a worker's moments, for feeds it holds"),
    ("appoint_hop", "a worker's moment, for a feed it holds"),
    ("begin_purge", "upkeep: whether it was begun"),
    ("behind", "sums over all feeds"),
    ("body_ranges", "upkeep: numbers of entries"),
    ("bookmark", "a bookmark is its user's own snapshot; it names its feed only while they may see it"),
    ("bookmark_of", "as bookmark"),
    ("bookmarked", "which of the ids that the user names they have bookmarked themselves"),
    ("bookmarks", "as bookmark"),
    ("categories", "a category is its user's"),
    ("change_category", "a category is its user's"),
    ("change_subscription", "a user's own subscription: whether it is there"),
    ("count_subscribers", "a sum"),
    ("delete_empty_categories", "categories are their user's: how many went"),
    ("delete_category", "a category is its user's"),
    ("forget_hidden_subscriptions", "a sum"),
    ("mark", "how many changed, of feeds that the user follows"),
    ("new_category", "a category is its user's"),
    ("place_categories", "a category is its user's"),
    ("recount", "a user's own figures"),
    ("sweep", "how many changed, of feeds that the user follows"),
    ("undo_sweep", "how many changed, of feeds that the user follows"),
    ("unsubscribe", "a user's own subscription: whether it was there"),
    ("wants_full_text", "a wish of somebody"),
    ("ai_days", "sums over all feeds"),
    ("ai_month", "sums over all feeds"),
    ("ai_months", "sums over all feeds"),
    ("ai_provider", "a server, not a feed"),
    ("ai_switch", "a user's own choice"),
    ("attempt_ends", "sums over all feeds"),
    ("change_ai_provider", "whether it was changed"),
    ("end_enrichment", "under the token of a job: whether it holds"),
    ("enrichment_counts", "sums over all feeds"),
    ("forget_enrichment_failures", "numbers of entries, for asking again"),
    ("forget_ledger", "a sum"),
    ("forget_unused_results", "a sum"),
    ("jobs_ahead", "a number"),
    ("ledger", "amounts, for the operator"),
    ("oldest_job", "a number and a time"),
    ("release_expired", "a sum"),
    ("reserve_money", "an amount"),
    ("reserved", "a sum"),
    ("set_ai_switch", "a user's own subscription: whether it is there"),
    ("set_ceilings", "amounts"),
    ("set_wants_ai", "a user's own choice"),
    ("settle", "whether it was open"),
    ("wants_ai", "a user's own choice"),
    ("check_clock", "times"),
    ("claim_jobs", "a worker's work; what it is about is read with the viewer of that work"),
    ("change_bookmark", "a user's own bookmark: whether it is there"),
    ("change_feed_rules", "a change: whether it was made"),
    ("change_feed_state", "a change: whether it was made"),
    ("change_filter", "a user's own filter: whether it is there"),
    ("change_saved_search", "a user's own search: whether it has the name"),
    ("cleanups", "sums over all feeds"),
    ("commit", "a worker's own plan: the ids it got"),
    ("compact", "the file"),
    ("count_entries", "a sum over all feeds"),
    ("count_feeds", "a sum over all feeds"),
    ("counted", "upkeep: numbers of entries"),
    ("create_import", "an import is its user's: its id"),
    ("default_category", "a category is its user's"),
    ("delete_bookmark", "a user's own bookmark: whether it was there"),
    ("delete_feed", "a change: whether it was made"),
    ("delete_filter", "a user's own filter: whether it was there"),
    ("delete_job", "the operator's: whether it was there"),
    ("delete_saved_search", "a user's own search: whether it was there"),
    ("delete_tag", "a user's own tag: whether it was there"),
    ("delete_unread_feed", "a change: whether it was made"),
    ("enable_feed", "a change: whether it was made"),
    ("entry_tags", "a user's own tags on the entries that they name"),
    ("file_subscription", "a user's own subscription: whether it is there"),
    ("filtered_upto", "the last id that went through a user's filters"),
    ("filters", "a filter is its user's"),
    ("finish_filter_run", "whether it was written"),
    ("finish_import", "whether it is there"),
    ("forget_cleanups", "a sum"),
    ("forget_imports", "a sum"),
    ("forgive", "a sum"),
    ("gather_bodies", "upkeep: numbers of entries"),
    ("import", "an import is its user's; it names feeds that the user subscribed to"),
    ("imports", "as import"),
    ("in_background", "the store itself"),
    ("index", "a sum"),
    ("job_counts", "sums over all jobs"),
    ("jobs", "the operator's list; subjects are ids"),
    ("last_entry", "the last id given out"),
    ("last_event", "the last id given out"),
    ("latest_clock", "a time"),
    ("like", "a time; an entry that the user may not see is not found"),
    ("liked", "a user's own likes among the ids that they name"),
    ("lock_holder", "a worker"),
    ("make_all_due", "a sum"),
    ("make_body_range", "upkeep: numbers of entries"),
    ("make_tag", "a tag is its user's"),
    ("mark_import_undone", "a user's own import: whether it is there"),
    ("name", "the database"),
    ("next_due", "a time"),
    ("next_job_due", "a time"),
    ("note_full_text_failure", "whether the entry is there"),
    ("note_import_progress", "whether it is there"),
    ("open", "the store itself"),
    ("over_link", "the store itself"),
    ("owner", "a user, not a feed"),
    ("paused_until", "a time, of a group that the caller names"),
    ("preferences", "a user's own"),
    ("purge_step", "upkeep: whether there is more"),
    ("put_full_text", "whether the entry is there"),
    ("reclaim", "a sum"),
    ("reclaim_jobs", "a sum"),
    ("record_event", "the id that it got"),
    ("rename_subscription", "a user's own subscription: whether it is there"),
    ("rename_tag", "a user's own tag: whether it has the name"),
    ("renew", "a worker's own leases"),
    ("renew_jobs", "a worker's own leases"),
    ("reserve", "a moment of a group that the caller names"),
    ("retry_job", "the operator's: whether it was there"),
    ("saved_searches", "a search is its user's"),
    ("set_owner", "a change by the operator: whether the address was free"),
    ("set_purge_at", "upkeep: whether it is deleted"),
    ("set_url", "a change by the operator: whether the address was free"),
    ("setting", "settings of the installation"),
    ("settings", "settings of the installation"),
    ("settings_of", "how a user wants to read: nothing of a feed"),
    ("simulated", "the store itself"),
    ("size_bytes", "the file"),
    ("star", "an entry that the user may not see is not found; the bookmark is their own snapshot"),
    ("subscribe", "the user's own subscription; a feed that they may not see is not found"),
    ("sweep_bodies", "upkeep: ids whose bodies are gone"),
    ("tag_named", "a tag is its user's"),
    ("tags", "a tag is its user's"),
    ("take_lock", "a lock"),
    ("unfinished_import", "a worker's work: the list that the user gave"),
    ("unlike", "a user's own like: whether it was there"),
    ("unscoped", "the reads without a viewer, which are all in one file"),
    ("unstar", "a user's own bookmark: whether it was there"),
    ("user", "a user, not a feed"),
    ("users_behind_filters", "users, not feeds"),
    ("waiter", "that something happened, not what"),
    ("wake", "a worker's own feeds"),
    ("with_deadline", "the store itself"),
    ("account", "an account, not a feed"),
    ("accounts", "accounts, not feeds"),
    ("login", "an account, not a feed"),
    ("login_of", "an account, not a feed"),
    ("add_account", "a user, not a feed"),
    ("set_role", "a change: whether it was made"),
    ("set_password", "a change: whether it was made"),
    ("disable_user", "a change: whether it was made"),
    ("enable_user", "a change: whether it was made"),
    ("delete_user", "a change: whether it was made"),
    ("create_session", "the id that it got"),
    ("session", "a session and its user"),
    ("sessions", "a user's own sessions"),
    ("end_session", "a user's own session: whether it was there"),
    ("end_other_sessions", "a sum"),
    ("create_key", "the id that it got"),
    ("api_key", "a key and its user"),
    ("api_keys", "keys of users, not feeds"),
    ("revoke_key", "whether it was there"),
    ("token_holder", "an account, not a feed"),
    ("identity", "an account, not a feed"),
    ("link_identity", "a change: whether it was made"),
    ("add_identified_user", "a user, not a feed"),
    ("take_oidc_login", "a login under way"),
    ("setup_link", "whose link it is"),
    ("use_setup_link", "a change: whether it was made"),
    ("login_failures", "times"),
    ("is_known_address", "of a user's own address"),
    ("forget_expired_logins", "a sum"),
];

/// Scoped by the user that they name instead of a viewer.
const OF_A_USER: &[&str] = &[
    "subscriptions",
    "arrangement",
    "subscription",
    "followed",
    "feed_labels",
    "followed_feed",
    "followed_entries",
    "links_with_key",
    "unread_counts",
    "posts",
    "find_posts",
    "posts_named",
    "post",
    "post_ids",
    "view_ids",
    "find_facets",
    "reading_history",
    "starred_counts",
    "headlines",
];

#[test]
fn every_read_has_a_row_or_a_reason() {
    let methods = methods_of_store();
    assert!(methods.len() > 80, "the sources are read: {}", methods.len());
    let rows: BTreeSet<&str> = READS.iter().map(|read| read.name).collect();
    let reasons: BTreeMap<&str, &str> = NO_CONTENT.iter().copied().collect();
    assert_eq!(reasons.len(), NO_CONTENT.len(), "each is listed once");
    let mut wrong = Vec::new();
    for (name, signature) in &methods {
        let name = name.as_str();
        let has_viewer = signature.contains("viewer: Viewer") || OF_A_USER.contains(&name);
        let returns_nothing = !signature.contains("->") || signature.ends_with("-> Result<(), StoreError>");
        match (has_viewer, rows.contains(name), returns_nothing || reasons.contains_key(name)) {
            (true, true, _) | (false, false, true) => {}
            (true, false, _) => wrong.push(format!("{name} takes a viewer and has no row in READS")),
            (false, true, _) => wrong.push(format!("{name} has a row in READS and takes no viewer")),
            (false, false, false) => wrong.push(format!(
                "{name} returns something without a viewer: let it take one, make it a method of Unscoped, or list it in \
                 NO_CONTENT with the reason"
            )),
        }
    }
    let stale = rows.iter().chain(reasons.keys()).filter(|name| !methods.contains_key(**name));
    wrong.extend(stale.map(|name| format!("{name} is listed and is no public method of Store")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The public methods of `Store` with their signatures.
fn methods_of_store() -> BTreeMap<String, String> {
    let mut methods = BTreeMap::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // rustfmt begins a block in the first column, and ends it there.
        for block in text.split("\nimpl ").skip(1) {
            let (head, block) = block.split_once("{\n").unwrap_or_default();
            if !matches!(head.trim(), "Store" | "crate::Store" | "crate::store::Store") {
                continue;
            }
            let block = block.split("\n}").next().unwrap_or_default();
            for public in ["\n    pub async fn ", "\n    pub fn "] {
                for method in format!("\n{block}").split(public).skip(1) {
                    let signature = method.split(" {\n").next().unwrap_or_default();
                    let signature = signature.split_whitespace().collect::<Vec<_>>().join(" ");
                    let name = signature.split(['(', '<']).next().unwrap_or_default().to_owned();
                    methods.insert(name, signature);
                }
            }
        }
    }
    methods
}
