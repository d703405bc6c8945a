//! What lists show besides their words: pictures, languages, what can be played; ids of a view; the order of feeds; what was
//! marked lately; why a search found something; what became of the lines of an import.

use crate::support::{Api, ok};
use jiff::SignedDuration;
use serde_json::{Value, json};
use testkit::{Response, World, rss};

on_both!(
    posts_show_pictures_languages_and_what_can_be_played,
    the_ids_of_a_view_are_its_list,
    posts_are_found_by_their_ids,
    feeds_have_an_order,
    a_feed_tells_where_it_was,
    mass_marks_are_remembered_while_they_can_be_undone,
    a_search_shows_why,
    an_import_tells_what_became_of_each_line,
    what_an_edited_post_said_before,
);

const HOUR: SignedDuration = SignedDuration::from_hours(1);

async fn posts_show_pictures_languages_and_what_can_be_played(world: World) {
    let api = Api::new(world).await;
    let document = r#"<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <channel><title>t</title><language>fr</language>
        <item><title>seen</title><guid>1</guid><media:thumbnail url="https://one.example/t.jpg"/><dc:language>de</dc:language>
        <comments>https://one.example/c</comments></item>
        <item><title>heard</title><guid>2</guid><enclosure url="https://one.example/a.mp3" type="audio/mpeg" length="1"/></item>
        <item><title>bare</title><guid>3</guid></item></channel></rss>"#;
    api.world.origin.at("/feed", Response::body("application/rss+xml", document));
    api.follow(&api.ada, "/feed").await;
    let list = api.get(&api.ada, "/api/posts").await.expect(200);
    let post =
        |title: &str| list["posts"].as_array().unwrap().iter().find(|post| post["title"] == title).unwrap().clone();
    let seen = post("seen");
    assert_eq!(
        (&seen["image"], &seen["comments_url"]),
        (&json!("https://one.example/t.jpg"), &json!("https://one.example/c"))
    );
    assert_eq!(seen["language"], "de");
    assert_eq!(post("heard")["enclosure_kind"], "audio");
    assert_eq!((&post("bare")["image"], &post("bare")["enclosure_kind"]), (&Value::Null, &Value::Null));
    let whole = api.get(&api.ada, &format!("/api/posts/{}", seen["id"])).await.expect(200);
    assert_eq!((&whole["image"], &whole["language"]), (&seen["image"], &seen["language"]));
}

/// The ids that a view says.
fn ids(view: &Value) -> Vec<i64> {
    let Some(first) = view["first"].as_i64() else { return Vec::new() };
    let deltas = view["deltas"].as_array().unwrap().iter().map(|delta| delta.as_i64().unwrap());
    let mut all = vec![first];
    for delta in deltas {
        all.push(all[all.len() - 1] + delta);
    }
    all
}

async fn the_ids_of_a_view_are_its_list(world: World) {
    let api = Api::new(world).await;
    let titles: Vec<String> = (0..30).map(|n| format!("post {n}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let feed = api.feed_of_ada(&titles).await;
    api.world.origin.at("/other", rss(&["a", "b", "c"]));
    api.follow(&api.ada, "/other").await;
    let marked = api.entry("a").await;
    api.patch(&api.ada, &format!("/api/posts/{marked}/read"), json!({})).await.expect(200);
    api.patch(&api.ada, &format!("/api/posts/{}/star", api.entry("b").await), json!({})).await.expect(200);
    for filter in [
        "",
        "&unread_only=true",
        "&order=oldest",
        "&starred_only=true",
        &format!("&feed_id={feed}"),
        &format!("&feed_id={feed}&unread_only=true&order=oldest"),
        "&category_id=DEFAULT",
        "&since=2026-01-01T00:00:00Z",
        "&before=2020-01-01T00:00:00Z",
    ] {
        let category = api.world.engine.store().default_category(api.ada.user).await.unwrap();
        let filter = filter.replace("DEFAULT", &category.to_string());
        let list = api.get(&api.ada, &format!("/api/posts?limit=200{filter}")).await.expect(200);
        let listed: Vec<i64> =
            list["posts"].as_array().unwrap().iter().map(|post| post["id"].as_i64().unwrap()).collect();
        let view = api.get(&api.ada, &format!("/api/posts/ids?view=true{filter}")).await.expect(200);
        assert_eq!(ids(&view), listed, "{filter}");
        assert_eq!((&view["total"], &view["complete"]), (&list["total"], &json!(true)), "{filter}");
    }
    let part = api.get(&api.ada, "/api/posts/ids?view=true&limit=5").await.expect(200);
    assert_eq!((&part["count"], &part["total"], &part["complete"]), (&json!(5), &json!(33), &json!(false)));
    assert_eq!(api.get(&api.ada, "/api/posts/ids?view=true&limit=100001").await.status, 422);
    assert_eq!(api.get(&api.bob, "/api/posts/ids?view=true").await.expect(200)["first"], Value::Null);
    let arrived = api.get(&api.ada, "/api/posts/ids").await.expect(200);
    assert_eq!(arrived["ids"].as_array().unwrap().len(), 33, "without `view` as before");
}

async fn posts_are_found_by_their_ids(world: World) {
    let api = Api::new(world).await;
    api.feed_of_ada(&["one", "two", "three"]).await;
    let (one, three) = (api.entry("one").await, api.entry("three").await);
    let path = format!("/api/posts?ids={three},999999,{one}");
    let found = api.get(&api.ada, &path).await.expect(200);
    let titles: Vec<&Value> = found["posts"].as_array().unwrap().iter().map(|post| &post["title"]).collect();
    assert_eq!(titles, ["three", "one"]);
    assert_eq!(api.get(&api.bob, &path).await.expect(200)["posts"], json!([]), "others' posts are not there");
    assert_eq!(api.get(&api.ada, "/api/posts?ids=one").await.status, 422);
    let many = vec!["1"; 201].join(",");
    assert_eq!(api.get(&api.ada, &format!("/api/posts?ids={many}")).await.status, 422);
}

async fn feeds_have_an_order(world: World) {
    let api = Api::new(world).await;
    let mut feeds = Vec::new();
    for name in ["a", "b", "c", "d"] {
        api.world.origin.at(&format!("/{name}"), rss(&[name]));
        feeds.push(api.follow(&api.ada, &format!("/{name}")).await.0);
    }
    let category = api.world.engine.store().default_category(api.ada.user).await.unwrap().0;
    let other = api.post(&api.ada, "/api/categories", json!({ "name": "other" })).await.expect(201)["id"].clone();
    let listed = async || {
        let list = api.get(&api.ada, "/api/feeds").await.expect(200);
        let list = list.as_array().cloned().unwrap_or_else(|| list["feeds"].as_array().unwrap().clone());
        list.iter()
            .map(|feed| (feed["id"].as_i64().unwrap(), feed["category_id"].as_i64().unwrap()))
            .collect::<Vec<_>>()
    };
    let order = async |category: &Value, ids: &[i64]| {
        api.patch(&api.ada, "/api/feeds/reorder", json!({ "category_id": category, "ids": ids })).await
    };
    assert_eq!(order(&json!(category), &[feeds[2], feeds[0]]).await.expect(200), ok());
    let expected: Vec<i64> = [2, 0, 1, 3].map(|place| feeds[place]).to_vec();
    assert_eq!(listed().await.iter().map(|(id, _)| *id).collect::<Vec<_>>(), expected, "those not named follow");
    order(&other, &[feeds[3]]).await.expect(200);
    assert!(listed().await.contains(&(feeds[3], other.as_i64().unwrap())), "moved into it");
    assert_eq!(order(&json!(category), &[feeds[0], feeds[0]]).await.status, 422);
    assert_eq!(order(&json!(category), &[feeds[0], 99_999]).await.detail(404), "Feed not found");
    assert_eq!(order(&json!(99_999), &[feeds[0]]).await.status, 404);
    assert_eq!(listed().await.len(), 4, "what was refused changed nothing");
}

async fn a_feed_tells_where_it_was(world: World) {
    let api = Api::new(world).await;
    let feed = api.feed_of_ada(&["one", "two"]).await;
    let before = api.world.origin.url("/feed");
    let path = format!("/api/feeds/{feed}");
    let told = api.get(&api.ada, &path).await.expect(200);
    assert_eq!(told["redirected_from"], Value::Null);
    api.world.origin.at("/new", rss(&["one", "two"]));
    api.world.origin.at("/feed", Response::moved_to(&api.world.origin.url("/new")));
    for _ in 0..12 {
        api.world.advance(HOUR * 24);
        api.world.run_until_idle().await;
    }
    let ada = api.refreshed(&api.ada).await;
    let told = api.get(&ada, &path).await.expect(200);
    assert_eq!((&told["redirected_from"], &told["url"]), (&json!(before), &json!(api.world.origin.url("/new"))));
    assert!(told["posts_per_week"].is_null() || told["posts_per_week"].as_f64().unwrap() > 0.0);
}

async fn mass_marks_are_remembered_while_they_can_be_undone(world: World) {
    let api = Api::new(world).await;
    let feed = api.feed_of_ada(&["one", "two"]).await;
    let recent = async || {
        let marks = api.get(&api.ada, "/api/posts/mark-read/recent").await.expect(200);
        let row = |mark: &Value| {
            (mark["undo"].clone(), mark["marked"].clone(), mark["can_restore"].clone(), mark["scope"].clone())
        };
        marks["marks"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(recent().await, []);
    let mark = async |what: Value| api.post(&api.ada, "/api/posts/mark-read", what).await.expect(200)["undo"].clone();
    let first = mark(json!({ "feed_id": feed.0 })).await;
    assert_eq!(recent().await, [(first.clone(), json!(2), json!(2), json!("feed"))]);
    let second = mark(json!({ "all": true })).await;
    let expected =
        [(second.clone(), json!(0), json!(0), json!("all")), (first.clone(), json!(2), json!(0), json!("feed"))];
    assert_eq!(recent().await, expected, "a later one holds the feed");
    api.post(&api.ada, "/api/posts/mark-read/undo", json!({ "undo": second })).await.expect(200);
    assert_eq!(recent().await, [(first.clone(), json!(2), json!(2), json!("feed"))]);
    assert_eq!(api.get(&api.bob, "/api/posts/mark-read/recent").await.expect(200), json!({ "marks": [] }));
    api.world.advance(SignedDuration::from_hours(8 * 24));
    let ada = api.refreshed(&api.ada).await;
    assert_eq!(api.get(&ada, "/api/posts/mark-read/recent").await.expect(200), json!({ "marks": [] }));
}

async fn a_search_shows_why(world: World) {
    let api = Api::new(world).await;
    let document = r#"<rss version="2.0"><channel><title>t</title>
        <item><title>Harbour news</title><guid>1</guid><pubDate>Mon, 01 Dec 2025 10:00:00 GMT</pubDate>
        <description>&lt;p&gt;The 😀 lighthouse is &lt;b&gt;painted&lt;/b&gt; white.&lt;/p&gt;</description></item>
        <item><title>Lighthouse closed</title><guid>2</guid><pubDate>Wed, 31 Dec 2025 10:00:00 GMT</pubDate>
        <description>Until spring.</description></item></channel></rss>"#;
    api.world.origin.at("/feed", Response::body("application/rss+xml", document));
    let feed = api.follow(&api.ada, "/feed").await;
    let store = api.world.engine.store();
    while !matches!(engine::index_some(store).await.unwrap(), store::Indexed::Done(_)) {}
    let found = api.get(&api.ada, "/api/search?q=lighthouse&facets=true").await.expect(200);
    let posts = found["posts"].as_array().unwrap();
    assert_eq!(posts.len(), 2);
    assert_eq!((&posts[0]["title_highlights"], &posts[0]["snippet"]), (&json!([[0, 10]]), &Value::Null));
    assert_eq!(posts[1]["snippet"], "The 😀 lighthouse is painted white.");
    assert_eq!(posts[1]["highlights"], json!([[7, 17]]), "counted as browsers count");
    let facets = &found["facets"];
    assert_eq!((&facets["feeds"][0]["id"], &facets["feeds"][0]["count"]), (&json!(feed.0), &json!(2)));
    assert_eq!((&facets["categories"][0]["name"], &facets["categories"][0]["count"]), (&json!("Default"), &json!(2)));
    assert_eq!(facets["months"], json!([{ "month": "2025-12", "count": 2 }]));
    let plain = api.get(&api.ada, "/api/search?q=lighthouse").await.expect(200);
    assert!(plain.get("facets").is_none(), "only if asked for");
}

async fn an_import_tells_what_became_of_each_line(world: World) {
    let api = Api::new(world).await;
    api.world.origin.at("/new", rss(&["x"]));
    let feed = api.feed_of_ada(&["one"]).await;
    // What she followed before.
    api.world.advance(HOUR);
    let (known, new) = (api.world.origin.url("/feed"), api.world.origin.url("/new"));
    let list = format!(
        r#"<opml version="2.0"><body><outline text="Known" xmlUrl="{known}"/><outline text="New" xmlUrl="{new}"/>
        <outline text="Odd" type="rss" xmlUrl="ftp://one.example/"/></body></opml>"#
    );
    let asked = reader::ask_import(&api.world.engine, api.ada.user, list.as_bytes()).await.unwrap();
    let reader::Import::Asked(id) = asked else { panic!("{asked:?}") };
    let path = format!("/api/jobs/{id}");
    assert_eq!(api.get(&api.ada, &path).await.expect(200)["rows"], json!([]), "not before it is done");
    reader::run_import(&api.world.engine, id).await.unwrap();
    let rows = api.get(&api.ada, &path).await.expect(200)["rows"].clone();
    let row =
        |title: &str| rows.as_array().unwrap().iter().find(|row| row["title"] == title).unwrap_or(&Value::Null).clone();
    assert_eq!((&row("Known")["state"], &row("Known")["feed_id"]), (&json!("skipped"), &json!(feed.0)));
    assert_eq!((&row("New")["state"], &row("New")["url"]), (&json!("imported"), &json!(new)));
    let failed = rows.as_array().unwrap().iter().find(|row| row["state"] == "failed").unwrap();
    assert!(failed["reason"].as_str().unwrap().contains("http"), "{failed}");
    assert_eq!(api.get(&api.bob, &path).await.status, 404);
}

async fn what_an_edited_post_said_before(world: World) {
    let api = Api::new(world).await;
    let document = |title: &str, words: &str| {
        let text = format!(
            "<rss version=\"2.0\"><channel><title>t</title><item><title>{title}</title><guid>1</guid>\
             <description>{words}</description></item></channel></rss>"
        );
        Response::body("application/rss+xml", text)
    };
    api.world.origin.at("/feed", document("Bridge closed", "For a day, says the council of the town."));
    api.follow(&api.ada, "/feed").await;
    let path = format!("/api/posts/{}/revisions", api.entry("Bridge closed").await);
    assert_eq!(api.get(&api.ada, &path).await.expect(200), json!([]));
    api.world.origin.at("/feed", document("Bridge open", "It was never closed, says the council of the town."));
    api.world.advance(HOUR * 12);
    api.world.run_until_idle().await;
    let ada = api.refreshed(&api.ada).await;
    let told = api.get(&ada, &path).await.expect(200);
    assert_eq!((told.as_array().unwrap().len(), &told[0]["title"]), (1, &json!("Bridge closed")));
    assert_eq!(told[0]["content"], "For a day, says the council of the town.");
    assert_eq!(api.get(&api.refreshed(&api.bob).await, &path).await.status, 404);
}
