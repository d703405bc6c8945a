//! Enrichments in a world: users, feeds with articles, a model that answers.

use enrich::{Enrich, ModelOptions, Options, Parts, Prompts};
use jiff::SignedDuration;
use llm::{Key, Llm};
use model::enrichment::{Ceilings, Enrichment, Kind, Kinds};
use model::money::Money;
use model::reader::Role;
use model::{EntryId, FeedId, UserId, Viewer, WorkerId};
use policy::Rules;
use policy::enrich::{Pace, Price, Thresholds};
use serde_json::{Value, json};
use store::{EntryFilter, Store};
use testkit::{Asked, ModelServer, Reply, Response, World};

/// An article that the answers below are true to.
pub(crate) const TEXT: &str = "The council voted on Tuesday to close the harbour bridge for repairs. Mayor Jane Miller said the \
    work will take nine months and cost 4 million dollars. Ferries will run every ten minutes instead. Shop owners fear that \
    fewer customers will come. The bridge may reopen in August, the council said. Residents can read the plans in the town \
    hall from Monday.";
pub(crate) const TITLE: &str = "You won't BELIEVE what the council did to the bridge!!!";

pub(crate) async fn user(world: &World, name: &str) -> UserId {
    world.engine.store().add_user(name, Role::User, world.now()).await.unwrap()
}

/// Subscribes a user to the feed at a path, which is visited.
pub(crate) async fn reading(world: &World, user: UserId, path: &str) -> FeedId {
    let feed = world.add(path).await;
    let store = world.engine.store();
    let category = store.default_category(user).await.unwrap();
    store.subscribe(user, feed, category, None, world.now()).await.unwrap();
    world.run_until_idle().await;
    feed
}

/// An RSS feed with entries: guid, title, text.
pub(crate) fn feed(entries: &[(&str, &str, &str)]) -> Response {
    let item = |(guid, title, text): &(&str, &str, &str)| {
        format!(
            "<item><guid isPermaLink=\"false\">{guid}</guid><title>{title}</title><link>https://site.example/{guid}</link>\
             <description>{text}</description></item>"
        )
    };
    let items: Vec<String> = entries.iter().map(item).collect();
    let text = format!("<rss version=\"2.0\"><channel><title>One</title>{}</channel></rss>", items.concat());
    Response::body("application/rss+xml", text)
}

/// The entries of a feed, oldest first.
pub(crate) async fn entries(store: &Store, feed: FeedId) -> Vec<EntryId> {
    let all = store.arrived(Viewer::Operator, EntryFilter::default(), EntryId(0), 10_000).await.unwrap();
    all.into_iter().filter(|entry| entry.feed == feed).map(|entry| entry.id).collect()
}

/// What is wanted of the model, besides what the world has.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) kinds: Kinds,
    pub(crate) rpm: Option<u32>,
    pub(crate) ceilings: Ceilings,
    pub(crate) price: Option<Price>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            kinds: Kinds::ALL,
            rpm: None,
            ceilings: Ceilings { month: Some(Money(5_000_000_000)), ..Ceilings::default() },
            price: Some(Price { input: Money(1_000_000_000), output: Money(1_000_000_000) }),
        }
    }
}

/// The local toolkit alone.
pub(crate) fn local(world: &World) -> Enrich {
    with_rules(world, Rules::default(), None, "toolkit")
}

/// The local toolkit, and a model.
pub(crate) fn asking(world: &World, server: &ModelServer, wanted: Wanted) -> Enrich {
    named(world, server, wanted, "one")
}

/// The same in a process of its own.
pub(crate) fn named(world: &World, server: &ModelServer, wanted: Wanted, worker: &str) -> Enrich {
    let options =
        llm::Options::new(None, Some(&server.url()), "test-model", Key::new("sk-test-key-of-nobody")).unwrap();
    let llm = Llm::new(options, fetch::Options::default(), world.engine.clock().reader()).unwrap();
    let model = ModelOptions {
        llm,
        kinds: wanted.kinds,
        price: wanted.price,
        pace: Pace { rpm: wanted.rpm },
        at_once: 2,
        timeout: SignedDuration::from_secs(30),
        most_chars: 12_000,
        prompts: Prompts::default(),
        ceilings: wanted.ceilings,
        thresholds: Thresholds::default(),
    };
    with_rules(world, Rules::default(), Some(model), worker)
}

pub(crate) fn with_rules(world: &World, rules: Rules, model: Option<ModelOptions>, worker: &str) -> Enrich {
    Enrich::new(Parts {
        store: world.engine.store().clone(),
        clock: world.engine.clock().clone(),
        worker: WorkerId(worker.to_owned()),
        options: Options { rules, model, ..Options::default() },
        random: || [7; 16],
    })
}

/// Does what is due: first the toolkit, then the model.
pub(crate) async fn work(enrich: &Enrich) -> usize {
    let local = enrich.local_jobs().run_due().await.len();
    match enrich.model_jobs() {
        Some(jobs) => local + jobs.run_due().await.len(),
        None => local,
    }
}

/// What a request asks for.
pub(crate) fn kind_of(asked: &Asked) -> Kind {
    let task = asked.message("system");
    if task.contains("`one_line`") {
        Kind::Summary
    } else if task.contains("`topics`") {
        Kind::Tags
    } else {
        Kind::Deframe
    }
}

/// A true answer to a request about the article.
pub(crate) fn truth(asked: &Asked) -> Value {
    let all = |value: Value| {
        llm::SCORES.iter().map(|name| ((*name).to_owned(), value.clone())).collect::<serde_json::Map<_, _>>()
    };
    match kind_of(asked) {
        Kind::Summary => json!({
            "summary": "The council voted to close the harbour bridge for repairs. Ferries will run every ten minutes instead.",
            "one_line": "The council voted to close the harbour bridge",
        }),
        Kind::Tags => {
            json!({ "topics": ["harbour bridge", "ferries"], "category": "politics", "sentiment": "neutral", "confidence": 0.9 })
        }
        Kind::Deframe => json!({
            "title": "The council voted to close the harbour bridge for repairs",
            "description": "Ferries will run every ten minutes instead.",
            "scores": all(json!(0.8)), "reasons": all(json!("it withholds what happened")), "category": "politics",
        }),
    }
}

/// A model that tells the truth.
pub(crate) async fn truthful() -> ModelServer {
    let server = ModelServer::start().await;
    server.always(|asked| Reply::json(&truth(asked)));
    server
}

/// How often each kind was asked for.
pub(crate) fn asked_for(server: &ModelServer) -> [usize; 3] {
    let requests = server.requests();
    Kind::ALL.map(|kind| requests.iter().filter(|asked| kind_of(asked) == kind).count())
}

pub(crate) async fn shown(world: &World, entry: EntryId, kind: Kind) -> Option<Enrichment> {
    let all = world.engine.store().enrichments(Viewer::Operator, entry).await.unwrap();
    all.into_iter().find(|found| found.kind == kind)
}

/// Who made what an entry shows.
pub(crate) async fn made_by(world: &World, entry: EntryId, kind: Kind) -> String {
    shown(world, entry, kind).await.and_then(|found| found.made).map_or("nobody".into(), |made| made.source.provider)
}
