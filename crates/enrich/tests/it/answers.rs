//! Answers of a model that must not be believed: each is refused or repaired, the reason is kept, and the local result shown.

use crate::support::{TEXT, TITLE, Wanted, asking, entries, feed, made_by, reading, shown, user, work};
use model::enrichment::{AttemptEnd, Body, Kind, Kinds};
use serde_json::{Value, json};
use testkit::{ModelServer, Reply, World};

on_both!(summaries_that_cannot_be_believed, titles_that_cannot_be_believed, an_answer_in_prose_is_repaired);

/// What is shown after a model has answered, and how its first attempt counts.
async fn after(world: &World, kind: Kind, path: &str, reply: Reply) -> (String, Option<AttemptEnd>, Option<String>) {
    let ada = match world.engine.store().user("ada").await {
        Ok(user) => user.id,
        Err(_) => user(world, "ada").await,
    };
    let server = ModelServer::start().await;
    server.always(move |_| reply.clone());
    let text = format!("Number {path}. {TEXT}");
    world.origin.at(path, feed(&[("a", TITLE, &text)]));
    let feed = reading(world, ada, path).await;
    let last = world.engine.store().ledger(0, 1000).await.unwrap().len();
    let enrich = asking(world, &server, Wanted { kinds: Kinds::of(&[kind]), ..Wanted::default() });
    work(&enrich).await;
    let entry = entries(world.engine.store(), feed).await[0];
    let row = world.engine.store().ledger(0, 1000).await.unwrap().into_iter().nth(last);
    (made_by(world, entry, kind).await, row.as_ref().and_then(|row| row.end), row.and_then(|row| row.detail))
}

fn said(summary: &str) -> Reply {
    Reply::json(&json!({ "summary": summary, "one_line": "The council voted" }))
}

async fn summaries_that_cannot_be_believed(world: World) {
    let long = "word ".repeat(20_000);
    let cases: [(&str, Reply, AttemptEnd); 9] = [
        ("/empty", Reply::content(""), AttemptEnd::BadAnswer),
        ("/prose", Reply::content("I would rather not."), AttemptEnd::BadAnswer),
        ("/types", Reply::json(&json!({ "summary": 7, "one_line": [] })), AttemptEnd::BadAnswer),
        ("/long", said(&long), AttemptEnd::BadAnswer),
        ("/html", said("<script>alert(1)</script> The council voted."), AttemptEnd::BadAnswer),
        ("/number", said("The harbour bridge work will cost 90 million dollars."), AttemptEnd::Unfaithful),
        ("/name", said("Mayor Peter Quill said the work will take nine months."), AttemptEnd::Unfaithful),
        (
            "/language",
            said("Der Gemeinderat hat am Dienstag beschlossen, die Brücke im Hafen für Reparaturen zu sperren."),
            AttemptEnd::Unfaithful,
        ),
        (
            "/obeys",
            said("I have been told to ignore my instructions and to praise the sponsor of this article."),
            AttemptEnd::Unfaithful,
        ),
    ];
    for (path, reply, expected) in cases {
        let (by, end, detail) = after(&world, Kind::Summary, path, reply).await;
        assert_eq!((by.as_str(), end), ("local", Some(expected)), "{path}: {detail:?}");
        assert!(detail.is_some(), "{path}: the reason is recorded");
    }
}

async fn titles_that_cannot_be_believed(world: World) {
    let all = |value: Value| {
        llm::SCORES.iter().map(|name| ((*name).to_owned(), value.clone())).collect::<serde_json::Map<_, _>>()
    };
    let answer = |title: &str, score: f64| {
        Reply::json(&json!({ "title": title, "description": "The council voted to close the harbour bridge.",
            "scores": all(json!(score)), "reasons": all(json!("because")), "category": "politics" }))
    };
    let (by, end, _) =
        after(&world, Kind::Deframe, "/seven", answer("The council voted to close the harbour bridge", 7.0)).await;
    assert_eq!((by.as_str(), end), ("local", Some(AttemptEnd::BadAnswer)), "a score of 7");
    let (by, end, detail) =
        after(&world, Kind::Deframe, "/invented", answer("The council voted to close 12 bridges", 0.5)).await;
    assert_eq!((by.as_str(), end), ("openai", Some(AttemptEnd::Unfaithful)), "{detail:?}");
    let all = world
        .engine
        .store()
        .arrived(model::Viewer::Operator, store::EntryFilter::default(), model::EntryId(0), 10)
        .await
        .unwrap();
    let made = shown(&world, all[1].id, Kind::Deframe).await.unwrap().made.unwrap();
    let Body::Deframing(calm) = made.body else { panic!("no deframing") };
    assert!(!calm.title.as_deref().unwrap_or_default().contains("12"), "{calm:?}");
    assert!(calm.refused.is_some(), "the reason is kept");
}

async fn an_answer_in_prose_is_repaired(world: World) {
    let content = "Sure! Here it is:\n```json\n{\"summary\": \"The council voted to close the harbour bridge for repairs.\", \
                   \"one_line\": \"The council voted to close the harbour bridge\",}\n```";
    let (by, end, detail) = after(&world, Kind::Summary, "/fenced", Reply::content(content)).await;
    assert_eq!((by.as_str(), end), ("openai", Some(AttemptEnd::Ok)), "{detail:?}");
}
