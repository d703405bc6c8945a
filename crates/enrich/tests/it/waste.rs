//! Waste: a model is asked once for a text, whoever shows it and however often it is visited.

use crate::support::{
    TEXT, TITLE, Wanted, asked_for, asking, entries, feed, made_by, named, reading, truthful, user, work,
};
use jiff::SignedDuration;
use model::enrichment::{Kind, Kinds};
use testkit::World;

on_both!(
    refreshes_of_unchanged_feeds_make_no_calls,
    a_page_that_changed_only_in_its_advertisements_makes_no_calls,
    the_same_article_in_two_feeds_is_summarised_once_and_deframed_twice,
    three_workers_ask_once,
    a_model_replaces_the_local_result,
    the_pace_holds_for_all_workers_together,
    a_model_that_is_down_delays_no_visit,
    a_private_feed_is_sent_only_with_its_owners_consent,
);

const DAY: SignedDuration = SignedDuration::from_hours(24);
const REFRESHES: usize = 50;

async fn refreshes_of_unchanged_feeds_make_no_calls(world: World) {
    let ada = user(&world, "ada").await;
    let server = truthful().await;
    let enrich = asking(&world, &server, Wanted::default());
    // The same on a server takes minutes, and says the same about a tenth of them.
    let feeds = if world.engine.store().name().contains("postgres") { 20 } else { 200 };
    for n in 0..feeds {
        world.origin.at(&format!("/feed-{n}"), feed(&[("a", TITLE, &format!("Number {n}. {TEXT}"))]));
        world.add(&format!("/feed-{n}")).await;
    }
    let category = world.engine.store().default_category(ada).await.unwrap();
    world.engine.store().subscribe(ada, model::FeedId(1), category, None, world.now()).await.unwrap();
    world.run_until_idle().await;
    work(&enrich).await;
    let first = asked_for(&server);
    assert_eq!(first, [feeds; 3], "each text is asked for once");
    let mut visits = 0;
    for _ in 0..REFRESHES {
        world.advance(DAY);
        visits += world.run_until_idle().await.len();
        assert_eq!(work(&enrich).await, 0);
    }
    assert!(visits >= feeds * REFRESHES, "{visits} visits");
    assert_eq!(asked_for(&server), first, "and never again");
}

async fn a_page_that_changed_only_in_its_advertisements_makes_no_calls(world: World) {
    let ada = user(&world, "ada").await;
    let server = truthful().await;
    let enrich = asking(&world, &server, Wanted::default());
    let with_ad = |ad: &str| {
        format!(
            "&lt;p&gt;{TEXT}&lt;/p&gt;&lt;p&gt;Continues after ad&lt;/p&gt;&lt;img src=\"https://ads.example/{ad}.gif\"&gt;"
        )
    };
    world.origin.at("/feed", feed(&[("a", TITLE, &with_ad("one"))]));
    let id = reading(&world, ada, "/feed").await;
    work(&enrich).await;
    let first = asked_for(&server);
    assert_eq!(first, [1; 3]);
    world.origin.at("/feed", feed(&[("a", TITLE, &with_ad("two"))]));
    world.advance(DAY);
    world.run_until_idle().await;
    work(&enrich).await;
    assert_eq!(asked_for(&server), first);
    // A full text whose page says the same is the same text.
    let entry = entries(world.engine.store(), id).await[0];
    for ad in ["three", "four"] {
        let page = format!("<p>{TEXT}</p><p>Continues after ad</p><img src=\"https://ads.example/{ad}.gif\">");
        let next = [model::job::NewJob::enrich_entry(entry, model::job::Priority::High, world.now())];
        world.engine.store().put_full_text(entry, &page, &next, world.now()).await.unwrap();
        work(&enrich).await;
    }
    assert_eq!(asked_for(&server), first);
}

async fn the_same_article_in_two_feeds_is_summarised_once_and_deframed_twice(world: World) {
    let ada = user(&world, "ada").await;
    let server = truthful().await;
    let enrich = asking(&world, &server, Wanted::default());
    for path in ["/one", "/two"] {
        world.origin.at(path, feed(&[("a", TITLE, TEXT)]));
    }
    let feeds = [reading(&world, ada, "/one").await, reading(&world, ada, "/two").await];
    work(&enrich).await;
    assert_eq!(asked_for(&server), [1, 1, 2], "summary, tags, deframing");
    for feed in feeds {
        let entry = entries(world.engine.store(), feed).await[0];
        for kind in Kind::ALL {
            assert_eq!(made_by(&world, entry, kind).await, "openai", "{kind:?}");
        }
    }
}

async fn three_workers_ask_once(world: World) {
    let ada = user(&world, "ada").await;
    let server = truthful().await;
    let texts: Vec<String> = (0..12).map(|n| format!("Number {n}. {TEXT}")).collect();
    let items: Vec<(String, &str)> =
        texts.iter().enumerate().map(|(n, text)| (format!("e{n}"), text.as_str())).collect();
    let items: Vec<(&str, &str, &str)> = items.iter().map(|(guid, text)| (guid.as_str(), TITLE, *text)).collect();
    world.origin.at("/feed", feed(&items));
    reading(&world, ada, "/feed").await;
    let workers = ["one", "two", "three"].map(|name| named(&world, &server, Wanted::default(), name));
    workers[0].local_jobs().run_due().await;
    let [a, b, c] = workers.each_ref().map(|enrich| enrich.model_jobs().unwrap());
    tokio::join!(a.run_due(), b.run_due(), c.run_due());
    assert_eq!(asked_for(&server), [12; 3]);
    let rows = world.engine.store().ledger(0, 1000).await.unwrap();
    assert_eq!(rows.len(), 36, "every attempt has one row");
    assert!(rows.iter().all(|row| row.state == "settled"), "{rows:?}");
}

async fn a_model_replaces_the_local_result(world: World) {
    let ada = user(&world, "ada").await;
    let server = truthful().await;
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let feed = reading(&world, ada, "/feed").await;
    let enrich = asking(&world, &server, Wanted { kinds: Kinds::of(&[Kind::Summary]), ..Wanted::default() });
    enrich.local_jobs().run_due().await;
    let entry = entries(world.engine.store(), feed).await[0];
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "local", "something to show at once");
    work(&enrich).await;
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "openai");
    assert_eq!(made_by(&world, entry, Kind::Tags).await, "local", "not asked for");
    assert_eq!(asked_for(&server), [1, 0, 0]);
    let asked = server.requests().remove(0);
    assert!(asked.message("user").contains("harbour bridge") && !asked.message("system").contains("harbour bridge"));
}

async fn the_pace_holds_for_all_workers_together(world: World) {
    let ada = user(&world, "ada").await;
    let server = testkit::ModelServer::start_at(world.engine.clock().reader()).await;
    server.always(|asked| testkit::Reply::json(&crate::support::truth(asked)));
    let texts: Vec<(String, String)> = (0..30).map(|n| (format!("e{n}"), format!("Number {n}. {TEXT}"))).collect();
    let items: Vec<(&str, &str, &str)> =
        texts.iter().map(|(guid, text)| (guid.as_str(), TITLE, text.as_str())).collect();
    world.origin.at("/feed", feed(&items));
    reading(&world, ada, "/feed").await;
    let wanted = || Wanted { rpm: Some(20), ..Wanted::default() };
    let workers = ["one", "two", "three"].map(|name| named(&world, &server, wanted(), name));
    workers[0].local_jobs().run_due().await;
    for _ in 0..600 {
        let [a, b, c] = workers.each_ref().map(|enrich| enrich.model_jobs().unwrap());
        tokio::join!(a.run_due(), b.run_due(), c.run_due());
        world.advance(SignedDuration::from_millis(700));
    }
    let times: Vec<_> = server.requests().iter().map(|asked| asked.at).collect();
    assert_eq!(times.len(), 90, "all were made in the end");
    for first in &times {
        let minute = times.iter().filter(|at| *at >= first && at.duration_since(*first) < SignedDuration::from_mins(1));
        assert!(minute.count() <= 20, "more than 20 in a minute from {first}");
    }
}

async fn a_model_that_is_down_delays_no_visit(world: World) {
    let ada = user(&world, "ada").await;
    let server = testkit::ModelServer::start().await;
    server.always(|_| testkit::Reply::error(503, "down"));
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let id = reading(&world, ada, "/feed").await;
    let enrich = asking(&world, &server, Wanted::default());
    let (worked, visited) = tokio::join!(work(&enrich), async {
        let before = world.origin.requests().len();
        world.origin.at("/feed", feed(&[("a", TITLE, TEXT), ("b", "Another", "More text.")]));
        world.advance(DAY);
        world.run_until_idle().await;
        world.origin.requests().len() - before
    });
    assert!(worked > 0 && visited > 0);
    let entry = entries(world.engine.store(), id).await[0];
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "local", "there is something to show all the same");
}

async fn a_private_feed_is_sent_only_with_its_owners_consent(world: World) {
    let ada = user(&world, "ada").await;
    let server = truthful().await;
    let enrich = asking(&world, &server, Wanted::default());
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let id = reading(&world, ada, "/feed").await;
    let store = world.engine.store();
    world.give(id, ada).await;
    work(&enrich).await;
    assert_eq!(server.count(), 0, "not without being asked");
    let entry = entries(store, id).await[0];
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "local");
    store.set_ai_switch(ada, id, Some(model::enrichment::Switch::Model)).await.unwrap();
    enrich.retry_entry(model::Viewer::User(ada), entry).await.unwrap();
    work(&enrich).await;
    assert_eq!(asked_for(&server), [1; 3]);
    let made = crate::support::shown(&world, entry, Kind::Summary).await.unwrap().made.unwrap();
    assert_eq!(made.source.scope, model::enrichment::Scope::Feed(id), "and shared with nobody");
}
