//! The local toolkit: everything that arrives is looked at, nothing is sent, and off is off.

use crate::support::{TEXT, TITLE, entries, feed, local, made_by, reading, shown, user, with_rules, work};
use jiff::SignedDuration;
use model::enrichment::{Body, Kind, Switch, Why};
use model::{JobId, Viewer};
use policy::Rules;
use testkit::World;

on_both!(
    what_arrives_is_summarised_scored_and_tagged,
    a_summary_is_sentences_of_the_text,
    a_short_text_is_its_own_summary,
    an_edit_is_looked_at_again,
    a_full_text_replaces_the_beginning,
    off_leaves_no_row,
    nobody_who_wants_it_is_off,
    a_user_who_switched_it_off_sees_nothing,
);

async fn what_arrives_is_summarised_scored_and_tagged(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let feed = reading(&world, ada, "/feed").await;
    let enrich = local(&world);
    work(&enrich).await;
    let entry = entries(world.engine.store(), feed).await[0];
    for kind in Kind::ALL {
        assert_eq!(made_by(&world, entry, kind).await, "local", "{kind:?}");
    }
    let Some(Body::Deframing(calm)) = shown(&world, entry, Kind::Deframe).await.unwrap().made.map(|made| made.body)
    else {
        panic!("no deframing")
    };
    assert!(calm.overall().unwrap() > 0.5, "{calm:?}");
    assert!(calm.title.is_some_and(|title| !title.contains("!!!")));
    let headlines = world.engine.store().headlines(ada, &[entry]).await.unwrap();
    assert!(headlines[&entry].calm_title.is_some() && headlines[&entry].one_line.is_some(), "{headlines:?}");
    assert_eq!(work(&enrich).await, 0, "nothing is left to do");
}

async fn a_summary_is_sentences_of_the_text(world: World) {
    let ada = user(&world, "ada").await;
    let long = TEXT.repeat(3);
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT), ("b", "One", &long)]));
    let feed = reading(&world, ada, "/feed").await;
    work(&local(&world)).await;
    for entry in entries(world.engine.store(), feed).await {
        let Some(Body::Summary(said)) = shown(&world, entry, Kind::Summary).await.unwrap().made.map(|made| made.body)
        else {
            panic!("no summary")
        };
        for sentence in prose::sentences(&said.summary, None) {
            assert!(long.contains(sentence.trim()), "{sentence}");
        }
    }
}

async fn a_short_text_is_its_own_summary(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/feed", feed(&[("a", "Council closes bridge", "The bridge is closed.")]));
    let feed = reading(&world, ada, "/feed").await;
    work(&local(&world)).await;
    let entry = entries(world.engine.store(), feed).await[0];
    let summary = shown(&world, entry, Kind::Summary).await.unwrap();
    assert_eq!((summary.made, summary.why), (None, Some(Why::TooShort)));
    assert_eq!(made_by(&world, entry, Kind::Deframe).await, "local");
}

async fn an_edit_is_looked_at_again(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let feed_id = reading(&world, ada, "/feed").await;
    let enrich = local(&world);
    work(&enrich).await;
    let entry = entries(world.engine.store(), feed_id).await[0];
    let before = shown(&world, entry, Kind::Summary).await.unwrap().made.unwrap();
    let other = TEXT.replace("nine months", "two years");
    world.origin.at("/feed", feed(&[("a", TITLE, &other)]));
    world.advance(SignedDuration::from_hours(24));
    world.run_until_idle().await;
    assert!(work(&enrich).await > 0);
    let after = shown(&world, entry, Kind::Summary).await.unwrap().made.unwrap();
    assert_ne!(before.key, after.key);
}

async fn a_full_text_replaces_the_beginning(world: World) {
    let ada = user(&world, "ada").await;
    world.origin.at("/feed", feed(&[("a", TITLE, "The council voted.")]));
    let feed = reading(&world, ada, "/feed").await;
    let (enrich, store) = (local(&world), world.engine.store());
    work(&enrich).await;
    let entry = entries(store, feed).await[0];
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "nobody");
    let next = [model::job::NewJob::enrich_entry(entry, model::job::Priority::High, world.now())];
    store.put_full_text(entry, &format!("<p>{TEXT}</p>"), &next, world.now()).await.unwrap();
    work(&enrich).await;
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "local");
}

async fn off_leaves_no_row(mut off: World) {
    let ada = user(&off, "ada").await;
    off.configure(|options| options.rules.ai.enabled = false);
    off.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let feed = reading(&off, ada, "/feed").await;
    let store = off.engine.store();
    let jobs = store.jobs(JobId(0), 100).await.unwrap();
    assert!(!jobs.iter().any(|job| job.kind.starts_with("enrich.")), "{jobs:?}");
    let mut rules = Rules::default();
    rules.ai.enabled = false;
    let enrich = with_rules(&off, rules, None, "off");
    let entry = entries(store, feed).await[0];
    assert_eq!(enrich.open_entry(Viewer::User(ada), entry).await.unwrap(), enrich::Opened::Nothing);
    assert_eq!(work(&enrich).await, 0);
    assert!(store.enrichments(Viewer::Operator, entry).await.unwrap().is_empty());
}

async fn nobody_who_wants_it_is_off(world: World) {
    let ada = user(&world, "ada").await;
    let store = world.engine.store();
    store.set_wants_ai(ada, false).await.unwrap();
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let feed = reading(&world, ada, "/feed").await;
    work(&local(&world)).await;
    let entry = entries(store, feed).await[0];
    assert!(store.enrichments(Viewer::Operator, entry).await.unwrap().is_empty());
}

async fn a_user_who_switched_it_off_sees_nothing(world: World) {
    let (ada, eve) = (user(&world, "ada").await, user(&world, "eve").await);
    world.origin.at("/feed", feed(&[("a", TITLE, TEXT)]));
    let feed = reading(&world, ada, "/feed").await;
    let store = world.engine.store();
    let category = store.default_category(eve).await.unwrap();
    store.subscribe(eve, feed, category, None, world.now()).await.unwrap();
    store.set_ai_switch(eve, feed, Some(Switch::Off)).await.unwrap();
    work(&local(&world)).await;
    let entry = entries(store, feed).await[0];
    assert!(store.headlines(ada, &[entry]).await.unwrap().contains_key(&entry));
    assert!(store.headlines(eve, &[entry]).await.unwrap().is_empty());
    store.set_wants_ai(ada, false).await.unwrap();
    assert!(store.headlines(ada, &[entry]).await.unwrap().is_empty());
}
