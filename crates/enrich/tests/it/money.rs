//! Money: never more than a ceiling, whatever happens; and every attempt is in the ledger once.

use crate::support::{
    TEXT, TITLE, Wanted, asked_for, asking, entries, feed, made_by, named, reading, truthful, user, work,
};
use jiff::{SignedDuration, Timestamp};
use model::enrichment::{AttemptEnd, Breaker, Ceilings, Kind, Kinds};
use model::money::Money;
use testkit::{ModelServer, Reply, World};

on_both!(
    a_budget_is_never_exceeded,
    nothing_is_asked_without_a_price,
    a_new_month_begins_with_an_empty_ledger,
    failures_are_in_the_ledger_and_rest,
    the_breaker_opens_and_survives_a_restart,
    a_rate_limit_is_waited_for_by_all,
    an_operator_stops_everything_at_once,
    opened_posts_come_first_when_money_is_short,
);

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

fn only(kind: Kind) -> Kinds {
    Kinds::of(&[kind])
}

/// A feed with so many different articles.
async fn articles(world: &World, count: usize) -> model::FeedId {
    let ada = user(world, "ada").await;
    let texts: Vec<(String, String)> = (0..count).map(|n| (format!("e{n}"), format!("Number {n}. {TEXT}"))).collect();
    let items: Vec<(&str, &str, &str)> =
        texts.iter().map(|(guid, text)| (guid.as_str(), TITLE, text.as_str())).collect();
    world.origin.at("/feed", feed(&items));
    reading(world, ada, "/feed").await
}

async fn month(world: &World) -> store::Month {
    let period = policy::enrich::period(world.now());
    world.engine.store().ai_month(&period.month, &period.day).await.unwrap()
}

async fn a_budget_is_never_exceeded(world: World) {
    articles(&world, 20).await;
    let server = truthful().await;
    let wanted = || Wanted { kinds: only(Kind::Summary), ..Wanted::default() };
    let workers = ["one", "two", "three"].map(|name| named(&world, &server, wanted(), name));
    workers[0].local_jobs().run_due().await;
    // What one call reserves, and what it costs; then there is money for four more.
    workers[0].model_jobs().unwrap().run_next().await.unwrap();
    let first = world.engine.store().ledger(0, 1).await.unwrap().remove(0);
    assert!(Money::ZERO < first.spent && first.spent < first.reserved, "{first:?}");
    let ceiling = Money(first.spent.0 * 4) + first.reserved;
    let change = enrich::BudgetChange { month: Some(Some(ceiling)), ..enrich::BudgetChange::default() };
    workers[0].change_budget(change).await.unwrap();
    let period = policy::enrich::period(world.now());
    workers[0].change_month_budget(&period.month, change).await.unwrap();
    for _ in 0..5 {
        let [a, b, c] = workers.each_ref().map(|enrich| enrich.model_jobs().unwrap());
        tokio::join!(a.run_due(), b.run_due(), c.run_due());
        world.advance(SignedDuration::from_hours(1));
    }
    let spent = month(&world).await.spent;
    assert!(spent.month <= ceiling, "{spent:?}");
    let calls = asked_for(&server)[0];
    assert!((1..20).contains(&calls), "{calls} calls");
    let rows = world.engine.store().ledger(0, 1000).await.unwrap();
    assert_eq!(rows.len(), calls, "one row for each attempt");
    assert_eq!(rows.iter().map(|row| row.spent.0).sum::<i64>(), spent.month.0, "the month is the sum of its rows");
    assert_eq!(spent.summary, spent.month);
}

async fn nothing_is_asked_without_a_price(world: World) {
    let feed = articles(&world, 1).await;
    let server = truthful().await;
    let enrich = asking(&world, &server, Wanted { price: None, ..Wanted::default() });
    work(&enrich).await;
    assert_eq!(server.count(), 0);
    let entry = entries(world.engine.store(), feed).await[0];
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "local");
}

async fn a_new_month_begins_with_an_empty_ledger(world: World) {
    articles(&world, 3).await;
    let server = truthful().await;
    let ceilings = Ceilings { month: Some(Money(1)), ..Ceilings::default() };
    let enrich = asking(&world, &server, Wanted { kinds: only(Kind::Summary), ceilings, ..Wanted::default() });
    let before: Timestamp = "2026-01-31T23:59:59Z".parse().unwrap();
    world.advance(before.duration_since(world.now()));
    work(&enrich).await;
    assert_eq!(server.count(), 0, "one billionth of a dollar is not enough");
    let more = enrich::BudgetChange { month: Some(Some(Money(1_000_000_000))), ..enrich::BudgetChange::default() };
    enrich.change_month_budget("2026-02", more).await.unwrap();
    world.advance(SignedDuration::from_hours(2));
    work(&enrich).await;
    assert_eq!(server.count(), 3, "a new month has its own ceiling");
    let months = enrich.past_months(12).await.unwrap();
    let spent: Vec<(&str, bool)> = months.iter().map(|past| (past.month.as_str(), past.spent > Money::ZERO)).collect();
    assert_eq!(spent[0], ("2026-02", true));
    assert!(spent.iter().all(|(month, some)| *month == "2026-02" || !some), "{spent:?}");
}

async fn failures_are_in_the_ledger_and_rest(world: World) {
    let feed = articles(&world, 1).await;
    let server = ModelServer::start().await;
    server.always(|_| Reply::content("not JSON at all"));
    let enrich = asking(&world, &server, Wanted { kinds: only(Kind::Summary), ..Wanted::default() });
    for _ in 0..20 {
        work(&enrich).await;
        world.advance(SignedDuration::from_mins(10));
    }
    assert_eq!(server.count(), 5, "five attempts, then it has failed for good");
    let rows = world.engine.store().ledger(0, 100).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.end).collect::<Vec<_>>(), [Some(AttemptEnd::BadAnswer); 5]);
    assert!(rows.iter().all(|row| row.spent > Money::ZERO), "an answer of no use costs all the same");
    let entry = entries(world.engine.store(), feed).await[0];
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "local");
    let detail = crate::support::shown(&world, entry, Kind::Summary).await.unwrap().detail;
    assert!(detail.is_some_and(|why| why.contains("cannot be used")), "the reason is kept");
}

async fn the_breaker_opens_and_survives_a_restart(world: World) {
    articles(&world, 12).await;
    let server = ModelServer::start().await;
    server.always(|_| Reply::error(500, "broken"));
    let wanted = || Wanted { kinds: only(Kind::Summary), ..Wanted::default() };
    let enrich = asking(&world, &server, wanted());
    work(&enrich).await;
    assert_eq!(server.count(), 5, "five failures open it");
    let restarted = named(&world, &server, wanted(), "another process");
    assert_eq!(restarted.breaker().await.unwrap(), Breaker::Open);
    work(&restarted).await;
    assert_eq!(server.count(), 5, "nobody asks while it is open");
    world.advance(SignedDuration::from_secs(300));
    work(&restarted).await;
    assert_eq!(server.count(), 6, "one call is tried, and fails");
    assert_eq!(restarted.breaker().await.unwrap(), Breaker::Open);
    server.always(|asked| Reply::json(&crate::support::truth(asked)));
    world.advance(SignedDuration::from_secs(300));
    work(&restarted).await;
    assert_eq!(restarted.breaker().await.unwrap(), Breaker::Closed, "three good answers close it");
    world.advance(SignedDuration::from_hours(25));
    work(&restarted).await;
    assert_eq!(world.engine.store().oldest_job(enrich::MODEL).await.unwrap().0, 0, "all were made in the end");
}

async fn a_rate_limit_is_waited_for_by_all(world: World) {
    articles(&world, 3).await;
    let server = ModelServer::start_at(world.engine.clock().reader()).await;
    server.then(Reply::error(429, "slow down").with("retry-after", "120"));
    server.always(|asked| Reply::json(&crate::support::truth(asked)));
    let wanted = || Wanted { kinds: only(Kind::Summary), ..Wanted::default() };
    let (one, two) = (asking(&world, &server, wanted()), named(&world, &server, wanted(), "two"));
    work(&one).await;
    work(&two).await;
    assert_eq!(server.count(), 1, "nobody asks again");
    assert_eq!(one.breaker().await.unwrap(), Breaker::Closed, "a 429 does not open the breaker");
    world.advance(MINUTE);
    work(&two).await;
    assert_eq!(server.count(), 1);
    world.advance(MINUTE);
    work(&two).await;
    assert_eq!(server.count(), 4);
}

async fn an_operator_stops_everything_at_once(world: World) {
    articles(&world, 2).await;
    let server = truthful().await;
    let enrich = asking(&world, &server, Wanted::default());
    enrich.local_jobs().run_due().await;
    enrich.set_stopped(true).await.unwrap();
    work(&enrich).await;
    assert_eq!(server.count(), 0);
    enrich.set_stopped(false).await.unwrap();
    world.advance(MINUTE);
    work(&enrich).await;
    assert_eq!(asked_for(&server), [2; 3]);
}

async fn opened_posts_come_first_when_money_is_short(world: World) {
    let feed = articles(&world, 4).await;
    let server = truthful().await;
    let ceilings = Ceilings { month: Some(Money(1_000_000_000)), ..Ceilings::default() };
    let enrich = asking(&world, &server, Wanted { kinds: only(Kind::Summary), ceilings, ..Wanted::default() });
    let store = world.engine.store();
    enrich.local_jobs().run_due().await;
    // Ninety-five of a hundred cents are gone.
    let period = policy::enrich::period(world.now());
    let attempt = store::Attempt {
        month: &period.month,
        day: &period.day,
        kind: Kind::Tags,
        provider: "openai",
        model: "m",
        entry: model::EntryId(1),
        amount: Money(950_000_000),
        expires_at: world.now() + SignedDuration::from_hours(10),
    };
    store.reserve_money(&attempt, &ceilings, world.now()).await.unwrap().unwrap();
    work(&enrich).await;
    assert_eq!(server.count(), 0, "what nobody has opened waits");
    let entry = entries(store, feed).await[2];
    enrich.open_entry(model::Viewer::Operator, entry).await.unwrap();
    work(&enrich).await;
    assert_eq!(server.count(), 1);
    assert_eq!(made_by(&world, entry, Kind::Summary).await, "openai");
}
