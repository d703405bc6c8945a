//! Search: what is found, by whom, and what happens to an index that lags, is lost or is damaged.

use crate::support::{Database, HOUR, claim, feed, hash, on_both, plan, quick, start, version};
use model::plan::{ChangedEntry, Keep};
use model::{EntryId, FeedId, UserId, Viewer};
use store::{Address, IndexDocument, Indexed, NewFeed, SearchOrder, SearchQuery, Store};

on_both!(
    words_phrases_beginnings_and_what_must_not_be_there,
    scripts_without_spaces_are_found_by_any_part,
    no_query_is_an_error,
    an_entry_of_endless_words_is_indexed,
    a_changed_entry_is_found_by_what_it_says_now,
    a_purged_entry_is_not_found,
    what_waits_survives_a_restart,
    who_indexes_second_writes_nothing,
    private_feeds_are_found_by_their_owner,
    pages_lead_to_the_end,
    the_best_of_the_newest_come_first,
    a_beginning_of_very_many_words_stands_for_the_common_ones,
    a_part_says_whether_there_is_more,
    an_entry_that_cannot_be_indexed_holds_up_nobody,
    nothing_is_left_out_because_nothing_can_be_written,
    categories_that_cannot_be_read_stop_nothing,
);

/// Indexes all there is, as the engine would: every body of a test is `<p>…</p>`.
pub(crate) async fn index(store: &Store) {
    for _ in 0..20 {
        let backlog = store.unscoped().backlog(100).await.unwrap();
        if backlog.is_empty() {
            return;
        }
        let documents = documents(&backlog);
        store.index(backlog, &documents).await.unwrap();
    }
    panic!("there is no end to it");
}

fn documents(backlog: &store::Backlog) -> Vec<IndexDocument> {
    let document = |entry: &store::Unindexed| IndexDocument {
        entry: entry.entry,
        feed: entry.feed,
        sort_at: entry.sort_at,
        quiet: entry.quiet,
        title: entry.title.clone().unwrap_or_default(),
        text: entry.html.as_deref().unwrap_or_default().replace("<p>", "").replace("</p>", ""),
    };
    backlog.entries.iter().map(document).collect()
}

/// Brings entries: a title and a text each.
async fn bring(db: &Database, hour: i32, entries: &[(&str, &str)]) -> Vec<EntryId> {
    if hour == 0 {
        db.feeds(1, "one.example").await;
    }
    let now = start() + HOUR * hour;
    let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
    let titles: Vec<String> = entries.iter().map(|(title, _)| format!("{hour} {title}")).collect();
    let mut plan = plan(&lease, now, &titles.iter().map(String::as_str).collect::<Vec<_>>());
    for (new, (title, text)) in plan.new.iter_mut().zip(entries) {
        new.version.title = Some((*title).to_owned());
        new.version.body.content = Some(format!("<p>{text}</p>"));
    }
    db.store.commit(&lease, plan).await.unwrap().new
}

fn query(words: &str) -> SearchQuery {
    SearchQuery { words: words.into(), limit: 50, ..SearchQuery::default() }
}

async fn titles(store: &Store, query: SearchQuery) -> String {
    titles_for(store, Viewer::Operator, &query).await
}

async fn titles_for(store: &Store, viewer: Viewer, query: &SearchQuery) -> String {
    let page = store.search(viewer, query).await.unwrap();
    page.entries.into_iter().filter_map(|entry| entry.title).collect::<Vec<_>>().join(", ")
}

async fn words_phrases_beginnings_and_what_must_not_be_there(db: Database) {
    let entries = [
        ("Engines", "The analytical engine weaves algebraic patterns"),
        ("Looms", "A loom weaves flowers and leaves"),
        ("Café", "Crème brûlée in Zürich, naïve"),
        ("C++", "don't use foo-bar; see a.b.example"),
    ];
    bring(&db, 0, &entries).await;
    index(&db.store).await;
    let check = async |words: &str, expected: &str| {
        assert_eq!(titles(&db.store, query(words)).await, expected, "{words}");
        let ranked = SearchQuery { order: SearchOrder::Ranked, ..query(words) };
        let mut found: Vec<String> = titles(&db.store, ranked).await.split(", ").map(str::to_owned).collect();
        let mut wanted: Vec<&str> = expected.split(", ").collect();
        found.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{words}, ranked");
    };
    check("weaves", "Looms, Engines").await;
    check("WEAVES patterns", "Engines").await;
    check("patterns weaves", "Engines").await;
    check("\"engine weaves\"", "Engines").await;
    check("\"weaves engine\"", "").await;
    check("weaves -engine", "Looms").await;
    check("weaves -\"loom weaves\"", "Engines").await;
    check("weaves -nobody", "Looms, Engines").await;
    check("pat*", "Engines").await;
    check("\"loom wea\"*", "Looms").await;
    check("weave", "").await;
    check("engines", "Engines").await;
    check("\"engines the\"", "").await;
    check("creme BRULEE zurich", "Café").await;
    check("cafe\u{301}", "Café").await;
    check("c++ foo-bar", "C++").await;
    check("don't", "C++").await;
    check("bar-foo", "").await;
    check("nobody", "").await;
    let elsewhere = SearchQuery { feed: Some(FeedId(99)), ..query("weaves") };
    assert_eq!(titles(&db.store, elsewhere).await, "");
    let here = SearchQuery { feed: Some(FeedId(1)), ..query("weaves") };
    assert_eq!(titles(&db.store, here).await, "Looms, Engines");
}

async fn scripts_without_spaces_are_found_by_any_part(db: Database) {
    let entries = [
        ("zh", "我们喜欢中文搜索引擎"),
        ("ja", "日本語の全文検索をテストする"),
        ("ko", "한국어를 검색합니다"),
        ("mixed", "新しいiPhone手机を買う"),
        ("th", "ภาษาไทยไม่มีช่องว่าง"),
    ];
    bring(&db, 0, &entries).await;
    index(&db.store).await;
    let check = async |words: &str, expected: &str| {
        assert_eq!(titles(&db.store, query(words)).await, expected, "{words}");
    };
    check("中文", "zh").await;
    check("文", "ja, zh").await;
    check("擎", "zh").await;
    check("搜索引擎", "zh").await;
    check("中文 引擎", "zh").await;
    check("中引", "").await;
    check("日本語", "ja").await;
    check("検索", "ja").await;
    check("テスト", "ja").await;
    check("ﾃｽﾄ", "ja").await;
    check("한국어", "ko").await;
    check("검색", "ko").await;
    check("색", "ko").await;
    check("iphone手机", "mixed").await;
    check("iphone 手机", "mixed").await;
    check("ไทย", "th").await;
    check("文 -日本", "zh").await;
}

async fn no_query_is_an_error(db: Database) {
    bring(&db, 0, &[("One", "word and more")]).await;
    index(&db.store).await;
    let hostile = [
        String::new(),
        "\"".into(),
        "'".into(),
        "\\".into(),
        "''':*".into(),
        "a' | 'b".into(),
        "word\" OR \"x".into(),
        "(".into(),
        "((((".into(),
        ")".into(),
        "*".into(),
        "-".into(),
        "- -".into(),
        "AND".into(),
        "NOT".into(),
        "OR OR".into(),
        "NEAR(".into(),
        "title:word".into(),
        "terms : word".into(),
        "{terms}:x".into(),
        "^word".into(),
        "+word".into(),
        "#1".into(),
        "@0".into(),
        "word & !".into(),
        "a <-> b".into(),
        "a:*ABCD".into(),
        "\0".into(),
        "wo\0rd".into(),
        "'; DROP TABLE entries; --".into(),
        "%s ?1 $1 :x".into(),
        "\u{202e}\u{feff}\u{fffd}".into(),
        "x".repeat(1 << 20),
        "x ".repeat(1 << 19),
        "\"a ".repeat(1 << 18),
        "字".repeat(1 << 18),
        "-a ".repeat(1 << 18),
        "a* ".repeat(1 << 18),
        "(".repeat(1 << 20),
    ];
    for words in hostile {
        for order in [SearchOrder::Newest, SearchOrder::Ranked] {
            let query = SearchQuery { order, ..query(&words) };
            let begin: String = words.chars().take(30).collect();
            db.store.search(Viewer::Operator, &query).await.unwrap_or_else(|error| panic!("{begin}: {error:?}"));
        }
    }
    assert_eq!(titles(&db.store, query("\"word and\" \"more")).await, "One");
    assert_eq!(titles(&db.store, query("#1")).await, "", "marks are not words");
    assert_eq!(titles(&db.store, SearchQuery { limit: 0, ..query("word") }).await, "");
}

/// What one entry can hold must not stop the index for all others.
async fn an_entry_of_endless_words_is_indexed(db: Database) {
    let words = |count: u32| (0..count).map(|i| format!("{i:0>64}")).collect::<Vec<_>>().join(" ");
    let (title, endless) = (words(400), words(20_000));
    bring(&db, 0, &[(&title, &endless), ("Other", "word")]).await;
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("word")).await, "Other");
    assert_eq!(titles(&db.store, query(&format!("{:0>64}", 5_000))).await, title);
}

async fn a_changed_entry_is_found_by_what_it_says_now(db: Database) {
    let id = bring(&db, 0, &[("Before", "old words")]).await[0];
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("old")).await, "Before");
    change(&db, 1, id, "After", "new words").await;
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("old")).await, "");
    assert_eq!(titles(&db.store, query("before")).await, "");
    assert_eq!(titles(&db.store, query("new words")).await, "After");
}

async fn a_purged_entry_is_not_found(db: Database) {
    let ids = bring(&db, 0, &[("One", "same"), ("Two", "same")]).await;
    index(&db.store).await;
    crate::retention::forget(&db.store, FeedId(1), ids[0]).await;
    assert_eq!(titles(&db.store, query("same")).await, "Two", "even before the index knows");
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("same")).await, "Two");
    assert!(db.store.unscoped().backlog(10).await.unwrap().is_empty());
}

async fn what_waits_survives_a_restart(db: Database) {
    let ids = bring(&db, 0, &[("One", "same"), ("Two", "same")]).await;
    index(&db.store).await;
    bring(&db, 1, &[("Three", "same")]).await;
    crate::retention::forget(&db.store, FeedId(1), ids[0]).await;
    db.store.close(start()).await.unwrap();
    let again = db.another().await;
    let waiting = again.unscoped().backlog(10).await.unwrap();
    assert_eq!(waiting.entries.len(), 1, "the new one; the purged one is only a row");
    index(&again).await;
    assert_eq!(titles(&again, query("same")).await, "Three, Two");
}

async fn who_indexes_second_writes_nothing(db: Database) {
    bring(&db, 0, &[("One", "same"), ("Two", "same")]).await;
    let other = db.another().await;
    let (first, second) = (db.store.unscoped().backlog(10).await.unwrap(), other.unscoped().backlog(10).await.unwrap());
    let (a, b) = (documents(&first), documents(&second));
    assert_eq!(db.store.index(first, &a).await.unwrap(), Indexed::Done(2));
    assert_eq!(other.index(second, &b).await.unwrap(), Indexed::Overtaken);
    assert!(other.unscoped().backlog(10).await.unwrap().is_empty());
}

async fn private_feeds_are_found_by_their_owner(db: Database) {
    let ada = db.store.owner().await.unwrap().id;
    let mine = NewFeed { owner: Some(ada), ..feed("private.example", 7) };
    db.store.add_feed(mine, start()).await.unwrap();
    let lease = claim(&db.store, "w", start(), 1).await.pop().unwrap();
    let many: Vec<String> = (0..60).map(|i| format!("secret {i}")).collect();
    let secret = plan(&lease, start(), &many.iter().map(String::as_str).collect::<Vec<_>>());
    db.store.add_feed(feed("public.example", 8), start()).await.unwrap();
    let public = claim(&db.store, "w", start(), 1).await.pop().unwrap();
    db.store.commit(&public, plan(&public, start(), &["no secret"])).await.unwrap();
    db.store.commit(&lease, secret).await.unwrap();
    index(&db.store).await;
    for order in [SearchOrder::Newest, SearchOrder::Ranked] {
        let secret = SearchQuery { order, limit: 5, ..query("secret") };
        let (ada, bob) = (Viewer::User(ada), Viewer::User(UserId(ada.0 + 1)));
        let found = async |viewer, query: &SearchQuery| titles_for(&db.store, viewer, query).await;
        assert_eq!(found(bob, &secret).await, "no secret", "{order:?}: behind sixty that are nobody's business");
        assert_eq!(found(ada, &secret).await.split(", ").count(), 5, "{order:?}");
        let of_feed = SearchQuery { feed: Some(lease.feed), ..secret };
        assert_eq!(found(bob, &of_feed).await, "", "{order:?}: not by naming it either");
    }
}

async fn pages_lead_to_the_end(db: Database) {
    let many: Vec<String> = (0..25).map(|i| format!("t{i}")).collect();
    bring(&db, 0, &many.iter().map(|title| (title.as_str(), "the same words")).collect::<Vec<_>>()).await;
    index(&db.store).await;
    for words in ["same", "same words", "\"same words\"", "sam*", "\"same wor\"*", "same -other"] {
        let (mut seen, mut before, mut pages) = (Vec::new(), None, 0);
        loop {
            let page =
                db.store.search(Viewer::Operator, &SearchQuery { before, limit: 10, ..query(words) }).await.unwrap();
            seen.extend(page.entries.iter().map(|entry| entry.id.0));
            pages += 1;
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(seen, (1..=25).rev().collect::<Vec<_>>(), "{words}");
        assert_eq!(pages, 3, "{words}");
    }
}

async fn the_best_of_the_newest_come_first(db: Database) {
    let entries = [
        ("Ferris the crab", "nothing else"),
        ("Sea", "crab here, crab there, crab everywhere"),
        ("Old mention", "a crab"),
        ("New mention", "a crab"),
    ];
    bring(&db, 0, &entries).await;
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("crab")).await, "New mention, Old mention, Sea, Ferris the crab");
    let ranked = SearchQuery { order: SearchOrder::Ranked, ..query("crab") };
    assert_eq!(titles(&db.store, ranked).await, "Ferris the crab, Sea, New mention, Old mention");
    let begin = SearchQuery { order: SearchOrder::Ranked, limit: 2, ..query("cra*") };
    assert_eq!(titles(&db.store, begin).await, "Ferris the crab, Sea");
}

/// Every 128th entry is counted; one that says two hundred such words makes the beginning one of very many.
async fn a_beginning_of_very_many_words_stands_for_the_common_ones(db: Database) {
    let many: Vec<String> = (0..200).map(|i| format!("pre{i:03} few{:03}", i / 10)).collect();
    let (counted, rare) = (format!("pre199 {}", many.join(" ")), "pre150 few015");
    let common = "the pre005 and few002";
    let mut entries = vec![("Common", common), ("Rare", rare), ("Title pre006", ""), ("Other", "few")];
    let fillers: Vec<String> = (entries.len()..127).map(|i| format!("Filler {i}")).collect();
    entries.extend(fillers.iter().map(|title| (title.as_str(), "nothing")));
    entries.push(("Counted", &counted));
    bring(&db, 0, &entries).await;
    index(&db.store).await;
    let check = async |words: &str, newest: &str, ranked: &str| {
        assert_eq!(titles(&db.store, query(words)).await, newest, "{words}");
        let query = SearchQuery { order: SearchOrder::Ranked, ..query(words) };
        assert_eq!(titles(&db.store, query).await, ranked, "{words}");
    };
    check("pre*", "Counted, Title pre006, Common", "Title pre006, Counted, Common").await;
    check("pre* few002", "Counted, Common", "Counted, Common").await;
    check("\"the pre\"*", "Common", "Common").await;
    check("pre15*", "Counted, Rare", "Counted, Rare").await;
    check("few*", "Counted, Other, Rare, Common", "Counted, Other, Rare, Common").await;
    check("the -pre*", "", "").await;
    check("few -pre15*", "Other", "Other").await;
}

async fn a_part_says_whether_there_is_more(db: Database) {
    let part = async |limit| {
        let backlog = db.store.unscoped().backlog(limit).await.unwrap();
        let documents = documents(&backlog);
        db.store.index(backlog, &documents).await.unwrap()
    };
    bring(&db, 0, &[("One", "a"), ("Two", "b"), ("Three", "c")]).await;
    assert_eq!(part(2).await, Indexed::Part(2));
    assert_eq!(part(2).await, Indexed::Done(1));
    let large = "word ".repeat(1 << 20);
    let ids = bring(&db, 1, &[("Large", &large), ("Larger", &large), ("Small", "d")]).await;
    assert_eq!(part(10).await, Indexed::Part(1), "5 MiB, and 5 more would be more than 8");
    assert_eq!(part(10).await, Indexed::Done(2));
    for id in &ids[..2] {
        change(&db, 2 + i32::try_from(id.0).unwrap(), *id, "Changed", &large).await;
    }
    assert_eq!(part(10).await, Indexed::Part(1), "changes are as large");
    assert_eq!(part(10).await, Indexed::Done(1));
    assert!(db.store.unscoped().backlog(10).await.unwrap().is_empty());
    assert_eq!(titles(&db.store, query("changed")).await, "Changed, Changed");
}

async fn an_entry_that_cannot_be_indexed_holds_up_nobody(db: Database) {
    let entries = ["One", "Two", "Three", "Four", "Five"].map(|title| (title, "same"));
    index(&db.store).await;
    refuse(&db, "IN (2, 5)").await;
    let ids = bring(&db, 0, &entries).await;
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("same")).await, "Four, Three, One");
    refuse(&db, "= 3").await;
    change(&db, 1, ids[2], "Third", "other").await;
    bring(&db, 2, &[("Six", "same")]).await;
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("same")).await, "Six, Four, One", "nor is it found by what it said before");
    refuse(&db, "= 7").await;
    bring(&db, 3, &[("Seven", "same")]).await;
    index(&db.store).await;
    assert!(db.store.unscoped().backlog(10).await.unwrap().is_empty(), "one alone is no exception");
}

async fn nothing_is_left_out_because_nothing_can_be_written(db: Database) {
    index(&db.store).await;
    bring(&db, 0, &[("One", "same"), ("Two", "same")]).await;
    refuse(&db, "> 0").await;
    let backlog = db.store.unscoped().backlog(10).await.unwrap();
    let documents = documents(&backlog);
    assert!(db.store.index(backlog, &documents).await.is_err());
    refuse(&db, "< 0").await;
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("same")).await, "Two, One");
}

async fn categories_that_cannot_be_read_stop_nothing(db: Database) {
    let ids = bring(&db, 0, &[("One", "same"), ("Two", "same")]).await;
    db.meddle(&format!("UPDATE entry_bodies SET categories = '\"no list\"' WHERE entry_id = {}", ids[0].0)).await;
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("same")).await, "Two, One");
}

/// Changes what an entry says.
async fn change(db: &Database, hour: i32, id: EntryId, title: &str, text: &str) {
    let now = start() + HOUR * hour;
    let lease = claim(&db.store, "w", now, 1).await.pop().unwrap();
    let mut changing = plan(&lease, now, &[]);
    let mut after = version(title);
    after.body.content = Some(format!("<p>{text}</p>"));
    changing.changed = vec![ChangedEntry { id, version: after, keys: vec![], keep: Keep::Revision }];
    db.store.commit(&lease, changing).await.unwrap();
}

/// Makes the database refuse to index some entries.
async fn refuse(db: &Database, which: &str) {
    match &db.address {
        Address::Sqlite(_) => {
            // FTS5 writes how long a document is to a table that can have triggers.
            let sql = format!(
                "DROP TRIGGER IF EXISTS refuse; CREATE TRIGGER refuse BEFORE INSERT ON entry_search_docsize
                 WHEN new.id {which} BEGIN SELECT raise(ABORT, 'not this one'); END"
            );
            rusqlite::Connection::open(search_file(db)).unwrap().execute_batch(&sql).unwrap();
        }
        Address::Postgres(_) => {
            db.meddle(&format!(
                "ALTER TABLE entry_search DROP CONSTRAINT IF EXISTS refuse;
                 ALTER TABLE entry_search ADD CONSTRAINT refuse CHECK (NOT (entry_id {which})) NOT VALID"
            ))
            .await;
        }
    }
}

/// The file beside the database.
fn search_file(db: &Database) -> std::path::PathBuf {
    let path = db.url.strip_prefix("sqlite:").unwrap();
    std::path::Path::new(path).with_file_name("search.db")
}

#[tokio::test]
async fn a_lost_index_is_built_again() {
    let db = Database::sqlite().await;
    bring(&db, 0, &[("One", "same")]).await;
    index(&db.store).await;
    let file = search_file(&db);
    for lost in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{lost}", file.display()));
    }
    assert_eq!(titles(&db.store, query("same")).await, "", "under a running server");
    index(&db.store).await;
    assert_eq!(titles(&db.store, query("same")).await, "One");
    db.store.close(start()).await.unwrap();
    std::fs::remove_file(&file).unwrap();
    let again = db.another().await;
    index(&again).await;
    assert_eq!(titles(&again, query("same")).await, "One");
}

#[tokio::test]
async fn a_damaged_index_is_built_again_and_nothing_else_fails() {
    let check = async |case: &str, damage: fn(&mut Vec<u8>)| {
        let db = Database::sqlite().await;
        let many: Vec<String> = (0..300).map(|i| format!("word{i} same {}", hash(&i.to_string())[0])).collect();
        bring(&db, 0, &many.iter().map(|text| (text.as_str(), text.as_str())).collect::<Vec<_>>()).await;
        index(&db.store).await;
        db.store.close(start()).await.unwrap();
        let file = search_file(&db);
        let mut bytes = std::fs::read(&file).unwrap();
        damage(&mut bytes);
        std::fs::write(&file, bytes).unwrap();
        let again = Store::open(&db.address, &quick()).await.unwrap();
        assert_eq!(again.count_entries().await.unwrap(), 300, "{case}");
        again.search(Viewer::Operator, &query("same")).await.unwrap();
        index(&again).await;
        assert_eq!(again.search(Viewer::Operator, &query("same")).await.unwrap().entries.len(), 50, "{case}");
    };
    check("no database at all", |bytes| bytes.fill(b'x')).await;
    check("cut", |bytes| bytes.truncate(bytes.len() / 2)).await;
    check("empty", Vec::clear).await;
    check("of another make", |bytes| bytes[60..64].copy_from_slice(&[0, 0, 0, 99])).await;
    check("all but the first page", |bytes| bytes[8192..].fill(0xa5)).await;
}

#[tokio::test]
async fn an_index_that_cannot_be_opened_stops_nothing_else() {
    let db = Database::sqlite().await;
    std::fs::create_dir(search_file(&db)).unwrap();
    bring(&db, 0, &[("One", "same")]).await;
    assert!(db.store.search(Viewer::Operator, &query("same")).await.is_err());
    assert_eq!(db.store.count_entries().await.unwrap(), 1);
}

/// As after a backup was restored beside a newer index: ids stand for other entries.
#[tokio::test]
async fn an_index_of_a_later_state_is_built_again() {
    let mut db = Database::sqlite().await;
    bring(&db, 0, &[("One", "first")]).await;
    index(&db.store).await;
    db.store.close(start()).await.unwrap();
    let file = search_file(&db).with_file_name("courant.db");
    let backup = std::fs::read(&file).unwrap();
    db.store = db.another().await;
    bring(&db, 1, &[("Two", "ghost"), ("Three", "ghost")]).await;
    index(&db.store).await;
    for meanwhile in [1, 2, 3] {
        db.store.close(start()).await.unwrap();
        std::fs::write(&file, &backup).unwrap();
        db.store = db.another().await;
        let many = [("Second", "true"), ("Third", "true"), ("Fourth", "true")];
        bring(&db, 1 + meanwhile, &many[..meanwhile as usize]).await;
        index(&db.store).await;
        assert_eq!(titles(&db.store, query("ghost")).await, "", "{meanwhile}");
        assert_eq!(titles(&db.store, query("first")).await, "One", "{meanwhile}");
        let found = db.store.search(Viewer::Operator, &query("true")).await.unwrap().entries.len();
        assert_eq!(found, meanwhile as usize, "{meanwhile}");
    }
}
