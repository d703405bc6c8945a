//! The local stage: the toolkit looks at entries that nobody has looked at. It costs nothing and sends nothing.
//!
//! Its job is for a feed (what a visit brought) or for one entry (opened, or its full text has arrived). Jobs for the model
//! stage are asked for in the transaction that saves the local results.

use crate::ask::{self, Subject};
use crate::enrich::Enrich;
use crate::key::key;
use crate::material::Prepared;
use jiff::{SignedDuration, Timestamp};
use model::enrichment::{Answer, Body, Deframing, Enrichment, Kind, Made, Scope, Source, Summary, Tags, Why, Wish};
use model::entry::Hash;
use model::job::{JobEnd, JobLease, NewJob, Priority};
use model::{EntryId, FeedId, Viewer};
use policy::Rules;
use policy::enrich::{Wanted, traffic, wanted};
use prose::{Analysis, Score};
use std::collections::BTreeMap;
use store::{EnrichmentEnd, NewEnrichment, StoreError};
use work::Outcome;

/// Who made a local result.
pub const LOCAL_PROVIDER: &str = "local";
/// The model that is named for it.
pub const LOCAL_MODEL: &str = "prose";
/// Moves when the toolkit says something else about the same text.
const LOCAL_VERSION: &str = "1";
/// Entries of one job; the rest follows.
const AT_ONCE: u32 = 20;
/// How long an entry that was opened counts for the traffic of its feed.
const OPENED_FOR: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Does one job.
pub(crate) async fn run(enrich: &Enrich, lease: &JobLease) -> Outcome {
    match look(enrich, lease).await {
        Ok(end) => Outcome::Ended(end),
        Err(StoreError::JobLost { .. }) => Outcome::LeaseLost,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

async fn look(enrich: &Enrich, lease: &JobLease) -> Result<JobEnd, StoreError> {
    let (entries, end) = match Subject::read(&lease.subject) {
        Some(Subject::Entry(entry)) => (vec![entry], JobEnd::Done),
        Some(Subject::Feed(feed)) => {
            let entries = unseen(enrich, feed).await?;
            let more = entries.len() == AT_ONCE as usize;
            (entries, if more { JobEnd::Again(enrich.now()) } else { JobEnd::Done })
        }
        None => (Vec::new(), JobEnd::Done),
    };
    let (mut enrichments, mut next) = (Vec::new(), Vec::new());
    for entry in entries {
        let looked = look_at(enrich, entry, lease.priority).await?;
        enrichments.extend(looked.enrichments);
        next.extend(looked.next);
    }
    let made = enrichments.iter().filter(|new: &&NewEnrichment| new.made.is_some()).count();
    let ended =
        EnrichmentEnd { lease, end: end.clone(), enrichments, failure: None, next, settlement: None, cached: None };
    enrich.store().end_enrichment(ended, enrich.now()).await?;
    enrich.figures().made_locally(made);
    Ok(end)
}

/// Entries of a feed that are to be looked at, unless nobody wants that.
async fn unseen(enrich: &Enrich, feed: FeedId) -> Result<Vec<EntryId>, StoreError> {
    let Some((own, takers)) = enrich.store().unscoped().enriched_feed(feed).await? else { return Ok(Vec::new()) };
    let (rules, _) = Rules::resolve(enrich.rules(), &own);
    if takers == 0 || rules.ai.wanted().is_empty() || enrich.is_stopped().await? {
        return Ok(Vec::new());
    }
    enrich.store().unscoped().unenriched(feed, enrich.options().newest, AT_ONCE).await
}

/// What is to be written about one entry.
#[derive(Default)]
struct Looked {
    enrichments: Vec<NewEnrichment>,
    next: Vec<NewJob>,
}

async fn look_at(enrich: &Enrich, entry: EntryId, priority: Priority) -> Result<Looked, StoreError> {
    let (store, now) = (enrich.store(), enrich.now());
    let since = now.saturating_add(-OPENED_FOR).unwrap_or(Timestamp::MIN);
    let Some(material) = store.unscoped().material(entry, since).await? else { return Ok(Looked::default()) };
    if enrich.is_stopped().await? {
        return Ok(Looked::default());
    }
    let known = store.enrichments_of_text(Viewer::Operator, entry).await?;
    let rules = enrich.rules().clone();
    // Seconds for a hostile text: not on a thread that serves others.
    let looked = tokio::task::spawn_blocking(move || {
        let prepared = Prepared::of(material, &rules);
        let results = results(&prepared, now);
        (prepared, results)
    });
    let Ok((prepared, results)) = looked.await else {
        tracing::error!(entry.id = entry.0, "the local toolkit panicked on an entry, which is a defect to report");
        return Ok(Looked::default());
    };
    Ok(decided(enrich, entry, &prepared, results, &known, priority, now))
}

/// What the toolkit says, kind by kind.
type Results = BTreeMap<Kind, Option<Made>>;

fn decided(
    enrich: &Enrich,
    entry: EntryId,
    prepared: &Prepared,
    mut results: Results,
    known: &[(Enrichment, Hash)],
    priority: Priority,
    now: Timestamp,
) -> Looked {
    let kinds = prepared.rules.ai.wanted();
    let mut looked = Looked::default();
    for kind in kinds.iter() {
        let text_hash = prepared.hash_for(kind);
        let new = |made, why| NewEnrichment {
            entry,
            feed: prepared.material.feed,
            kind,
            content_hash: prepared.material.content_hash,
            text_hash,
            made,
            why,
            detail: None,
        };
        let model = match wanted(kind, kinds, prepared.extent(), prepared.audience()) {
            Wanted::No(why) => {
                looked.enrichments.push(new(None, Some(why)));
                continue;
            }
            Wanted::Yes { model } => model && enrich.model_for(kind).is_some(),
        };
        // A result of a model for this very text is better than what is made here, and stays.
        let better = known.iter().find_map(|(enrichment, hash)| {
            let made = enrichment.made.as_ref()?;
            let same = enrichment.kind == kind && *hash == text_hash && made.source.provider != LOCAL_PROVIDER;
            (same && !matches!(made.body, Body::Failed(_))).then(|| made.clone())
        });
        let made = better.clone().or_else(|| results.remove(&kind).flatten());
        let why = if made.is_none() { Some(Why::TooShort) } else { None };
        looked.enrichments.push(new(made, why));
        if model && better.is_none() {
            // That a feed was visited says nothing about how urgent its entries are; that one was opened does.
            let urgency = match priority {
                Priority::High => Priority::High,
                Priority::Normal | Priority::Low => traffic(prepared.material.subscribers, prepared.material.opens),
            };
            looked.next.push(ask::model_job(Wish { entry, kind }, urgency, now));
        }
    }
    looked
}

/// What the toolkit makes of a text. Pure, and slow for long texts.
fn results(prepared: &Prepared, now: Timestamp) -> Results {
    let said = prose::analyse(&prepared.title, &prepared.text, prepared.language);
    let made = |kind: Kind, body: Body| {
        let source = source(prepared, kind);
        Made { key: key(&source), source, body, at: now, took: SignedDuration::ZERO }
    };
    let summary = summary(&said).map(|summary| made(Kind::Summary, Body::Summary(summary)));
    let tags = made(Kind::Tags, Body::Tags(tags(&said)));
    let deframing = made(Kind::Deframe, Body::Deframing(deframing(&prepared.title, &said)));
    Results::from([(Kind::Summary, summary), (Kind::Tags, Some(tags)), (Kind::Deframe, Some(deframing))])
}

fn source(prepared: &Prepared, kind: Kind) -> Source {
    let private = prepared.material.private || kind == Kind::Deframe;
    Source {
        kind,
        text: prepared.hash_for(kind),
        language: String::new(),
        provider: LOCAL_PROVIDER.to_owned(),
        model: LOCAL_MODEL.to_owned(),
        prompt: LOCAL_VERSION.to_owned(),
        scope: if private { Scope::Feed(prepared.material.feed) } else { Scope::Everybody },
    }
}

/// Three decimals are more than these figures are worth.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn summary(said: &Analysis<'_>) -> Option<Summary> {
    let summary = said.summary.join(" ");
    let language = said.language.map(|language| language.as_str().to_owned());
    (!summary.trim().is_empty()).then(|| Summary { summary, one_line: said.one_line.clone(), language })
}

fn tags(said: &Analysis<'_>) -> Tags {
    Tags {
        topics: said.topics.clone(),
        category: said.category.map(|found| found.category.as_str().to_owned()),
        confidence: said.category.map(|found| rounded(found.confidence)),
        sentiment: said.sentiment.as_ref().map(|felt| felt.label.as_str().to_owned()),
        sentiment_score: said.sentiment.as_ref().map(|felt| rounded(felt.score)),
    }
}

fn deframing(title: &str, said: &Analysis<'_>) -> Deframing {
    let (mut scores, mut reasons) = (BTreeMap::new(), BTreeMap::new());
    if let Some(found) = &said.scores {
        let parts: [(&str, &Score); 6] = [
            ("framing", &found.framing),
            ("clickbait", &found.clickbait),
            ("persuasive", &found.persuasive),
            ("hyper_stimulus", &found.hyper_stimulus),
            ("speculative", &found.speculative),
            ("overall", &found.overall),
        ];
        for (name, score) in parts {
            scores.insert(name.to_owned(), rounded(score.value));
            reasons.insert(name.to_owned(), score.reason.clone());
        }
    }
    Deframing {
        title: (said.calm_title != title).then(|| said.calm_title.clone()),
        description: None,
        refused: None,
        scores,
        reasons,
        category: said.category.map(|found| found.category.as_str().to_owned()),
        answer: said
            .answer
            .as_ref()
            .map(|answer| Answer { text: answer.text.to_owned(), confidence: rounded(answer.confidence) }),
    }
}
