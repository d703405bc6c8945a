//! The model stage: one thing about one entry. Cache, admission, slot, reservation, call, check, and one transaction at the end.
//!
//! Nothing is repeated within a job. A job that may not call yet waits without counting an attempt; one that failed is tried
//! again as `policy::enrich::after_failure` says. Whatever happens, the entry goes on showing its local result.

use crate::answer::{self, Taken};
use crate::enrich::Enrich;
use crate::key::key;
use crate::material::Prepared;
use crate::options::ModelOptions;
use jiff::{SignedDuration, Timestamp};
use llm::{Article, CallError, Prompt};
use model::enrichment::{
    AttemptEnd, Body, Ceilings, Enrichment, Kind, Made, Reservation, Scope, Source, Tags, Why, Wish,
};
use model::job::{JobEnd, JobLease};
use model::money::Money;
use model::{EntryId, Viewer};
use policy::enrich::{
    Admission, Candidate, Next, Outcome as Called, Period, Price, Transition, Wanted, admit, after_call, after_failure,
    cost, period, wanted,
};
use store::{Attempt, EnrichmentEnd, NewEnrichment, Settlement, StoreError};
use work::Outcome;

/// How often a slot is looked for while others take it.
const TRIES: usize = 5;
/// A job that could not reserve is looked at again after this at the latest: a ceiling may have been raised.
const NO_MONEY: SignedDuration = SignedDuration::from_hours(1);
/// A reservation outlives its call by this, for writing its end.
const SLACK: SignedDuration = SignedDuration::from_secs(60);

/// Does one job.
pub(crate) async fn run(enrich: &Enrich, lease: &JobLease) -> Outcome {
    let Some(wish) = Wish::read(&lease.subject) else { return Outcome::Done(vec![]) };
    let Some(model) = enrich.model_for(wish.kind) else { return Outcome::Done(vec![]) };
    match (Job { enrich, lease, wish, model }).run().await {
        Ok(end) => Outcome::Ended(end),
        Err(StoreError::JobLost { .. }) => Outcome::LeaseLost,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

struct Job<'a> {
    enrich: &'a Enrich,
    lease: &'a JobLease,
    wish: Wish,
    model: &'a ModelOptions,
}

/// What is asked, and under which key the answer is kept.
struct Question {
    prepared: Prepared,
    source: Source,
    prompt: Prompt,
}

impl Job<'_> {
    async fn run(&self) -> Result<JobEnd, StoreError> {
        let Some(question) = self.question().await? else { return self.end(JobEnd::Done, None, None, None).await };
        if let Some(made) = self.enrich.store().unscoped().results(&[key(&question.source)]).await?.into_values().next()
        {
            self.enrich.figures().was_cached();
            let found = self.shown(&question, made).await?;
            return self.end(JobEnd::Done, Some(found), None, Some(question.source)).await;
        }
        let (period, ceilings) = match self.admitted().await? {
            Admitted::Go { period, ceilings } => (period, ceilings),
            Admitted::Later(until) => return self.end(JobEnd::Later(until), None, None, None).await,
            Admitted::Never => return self.end(JobEnd::Done, None, None, None).await,
        };
        let price = self.model.price.unwrap_or(Price { input: Money::MOST, output: Money::MOST });
        let Some(reservation) = self.reserve(&question, price, &period, &ceilings).await? else {
            let soon = self.enrich.now().saturating_add(NO_MONEY).unwrap_or(period.next_day);
            return self.end(JobEnd::Later(soon.min(period.next_day)), None, None, None).await;
        };
        self.call(question, price, reservation).await
    }

    /// Nothing, if the entry is gone or nobody wants this any more.
    async fn question(&self) -> Result<Option<Question>, StoreError> {
        let (store, Wish { entry, kind }) = (self.enrich.store(), self.wish);
        let Some(material) = store.unscoped().material(entry, Timestamp::MAX).await? else { return Ok(None) };
        let global = self.enrich.rules().clone();
        let prepared = tokio::task::spawn_blocking(move || Prepared::of(material, &global)).await;
        let Ok(prepared) = prepared else {
            tracing::error!(entry.id = entry.0, "the text of an entry could not be read, which is a defect to report");
            return Ok(None);
        };
        let kinds = prepared.rules.ai.wanted();
        if wanted(kind, kinds, prepared.extent(), prepared.audience()) != (Wanted::Yes { model: true }) {
            return Ok(None);
        }
        let own = self.model.prompts.of(prepared.rules.ai.prompt.as_deref(), kind);
        let language = prepared.rules.ai.language.as_deref();
        let article = Article { title: &prepared.title, text: &prepared.text, most_chars: self.model.most_chars };
        let asked = llm_kind(kind);
        let prompt = Prompt::for_kind(asked, own, language, &article, &self.enrich.nonce());
        let one_feed = prepared.material.private || kind == Kind::Deframe;
        let source = Source {
            kind,
            text: prepared.hash_for(kind),
            language: language.unwrap_or_default().to_owned(),
            provider: self.model.llm.provider().to_owned(),
            model: self.model.llm.model().to_owned(),
            prompt: asked.version(own),
            scope: if one_feed { Scope::Feed(prepared.material.feed) } else { Scope::Everybody },
        };
        Ok(Some(Question { prepared, source, prompt }))
    }

    /// Looks, decides, and takes the slot; again, if somebody else was faster.
    async fn admitted(&self) -> Result<Admitted, StoreError> {
        let (enrich, provider) = (self.enrich, self.model.llm.provider());
        for _ in 0..TRIES {
            let now = enrich.now();
            let period = period(now);
            let (month, ceilings) = enrich.budget(&period).await?;
            let state = enrich.store().ai_provider(provider).await?;
            let candidate = Candidate {
                kind: self.wish.kind,
                priority: self.lease.priority,
                stopped: enrich.is_stopped().await?,
                priced: self.model.price.is_some(),
                spent: &month.spent,
                ceilings: &ceilings,
                thresholds: self.model.thresholds,
                provider: &state,
                pace: self.model.pace,
                period: &period,
            };
            match admit(&candidate, now) {
                Admission::Go(next) => {
                    if enrich.store().change_ai_provider(provider, &next).await? {
                        return Ok(Admitted::Go { period, ceilings });
                    }
                }
                Admission::Wait { until, .. } => return Ok(Admitted::Later(until)),
                Admission::Refuse { .. } => return Ok(Admitted::Never),
            }
        }
        Ok(Admitted::Later(enrich.now().saturating_add(self.model.pace.interval()).unwrap_or(Timestamp::MAX)))
    }

    async fn reserve(
        &self,
        question: &Question,
        price: Price,
        period: &Period,
        ceilings: &Ceilings,
    ) -> Result<Option<Reservation>, StoreError> {
        let worst = self.model.llm.worst_case(&question.prompt);
        let now = self.enrich.now();
        let attempt = Attempt {
            month: &period.month,
            day: &period.day,
            kind: self.wish.kind,
            provider: &question.source.provider,
            model: &question.source.model,
            entry: self.wish.entry,
            amount: cost(price, worst.prompt_tokens, worst.completion_tokens),
            expires_at: now.saturating_add(self.model.timeout + SLACK).unwrap_or(Timestamp::MAX),
        };
        self.enrich.store().reserve_money(&attempt, ceilings, now).await
    }

    async fn call(&self, question: Question, price: Price, reservation: Reservation) -> Result<JobEnd, StoreError> {
        let (enrich, kind) = (self.enrich, self.wish.kind);
        let begun = enrich.now();
        let called = self.model.llm.complete(&question.prompt).await;
        let took = enrich.now().duration_since(begun).max(SignedDuration::ZERO);
        enrich.figures().called(kind, took.unsigned_abs());
        self.tell_provider(&called).await?;
        let usage = match &called {
            Ok(answer) => Some(answer.usage),
            Err(CallError::BadAnswer { usage, .. }) => Some(*usage),
            Err(CallError::Temporary { usage, .. }) => *usage,
            Err(CallError::RateLimited { .. } | CallError::Permanent { .. }) => None,
        };
        let language = question.prepared.rules.ai.language.as_deref();
        let judged = match called {
            Ok(answer) => answer::believed(kind, &answer.json, &question.prepared, language)
                .map_err(|refused| (refused.end, refused.why)),
            Err(error) => Err((attempt_end(&error), error.to_string())),
        };
        let (end, detail) = match &judged {
            Ok(Taken { end, remark, .. }) => (*end, remark.clone()),
            Err((end, why)) => (*end, Some(why.clone())),
        };
        let (tokens_in, tokens_out) = usage.map_or((0, 0), |usage| (usage.prompt_tokens, usage.completion_tokens));
        let spent = cost(price, tokens_in, tokens_out);
        let settlement = Settlement { reservation, spent, tokens_in, tokens_out, end, detail };
        enrich.figures().ended(end, spent.0, tokens_in, tokens_out);
        let made = |body: Body| Made {
            key: key(&question.source),
            source: question.source.clone(),
            body,
            at: enrich.now(),
            took,
        };
        let (job_end, shown) = match judged {
            Ok(Taken { body, .. }) => (JobEnd::Done, Some(self.shown(&question, made(body)).await?)),
            Err((end, why)) => {
                tracing::info!(
                    entry.id = self.wish.entry.0,
                    kind = kind.as_str(),
                    end = end.as_str(),
                    why,
                    "a model made nothing"
                );
                match after_failure(kind, end, self.lease.attempts, enrich.now()) {
                    Next::Retry(at) => (JobEnd::Retry { at, error: why }, None),
                    Next::Rest(at) => (JobEnd::Again(at), None),
                    Next::GiveUp => (JobEnd::Done, Some(self.shown(&question, made(Body::Failed(why))).await?)),
                    Next::Empty => {
                        (JobEnd::Done, Some(self.shown(&question, made(Body::Tags(Tags::default()))).await?))
                    }
                }
            }
        };
        self.end(job_end, shown, Some(settlement), None).await
    }

    /// What the entry shows from now on: a result, or what it showed before if that failed. The failure is kept, so that nobody
    /// tries again.
    async fn shown(&self, question: &Question, made: Made) -> Result<Shown, StoreError> {
        let Wish { entry, kind } = self.wish;
        let material = &question.prepared.material;
        let new = |made: Option<Made>, why: Option<Why>, detail: Option<String>| NewEnrichment {
            entry,
            feed: material.feed,
            kind,
            content_hash: material.content_hash,
            text_hash: question.prepared.hash_for(kind),
            made,
            why,
            detail,
        };
        let before = self.before(entry, kind).await?;
        Ok(match made.body.clone() {
            Body::Failed(why) => {
                let enrichment = new(before.and_then(|before| before.made), Some(Why::Provider), Some(why));
                Shown { enrichment, failure: Some(made) }
            }
            Body::Deframing(mut deframing) => {
                // The local toolkit finds answers to baiting titles, and may have a calm title where the model's was refused.
                if let Some(Body::Deframing(local)) = before.and_then(|before| before.made).map(|made| made.body) {
                    deframing.answer = deframing.answer.or(local.answer);
                    if deframing.refused.is_some() {
                        deframing.title = deframing.title.or(local.title);
                    }
                }
                Shown {
                    enrichment: new(Some(Made { body: Body::Deframing(deframing), ..made }), None, None),
                    failure: None,
                }
            }
            Body::Summary(_) | Body::Tags(_) => Shown { enrichment: new(Some(made), None, None), failure: None },
        })
    }

    async fn before(&self, entry: EntryId, kind: Kind) -> Result<Option<Enrichment>, StoreError> {
        let known = self.enrich.store().enrichments(Viewer::Operator, entry).await?;
        Ok(known.into_iter().find(|found| found.kind == kind))
    }

    /// What the provider's answer means for all who ask it.
    async fn tell_provider(&self, called: &Result<llm::Answer, CallError>) -> Result<(), StoreError> {
        let outcome = match called {
            Ok(_) | Err(CallError::BadAnswer { .. }) => Called::Answered,
            Err(CallError::RateLimited { retry_at, .. }) => Called::RateLimited(*retry_at),
            Err(CallError::Temporary { .. } | CallError::Permanent { .. }) => Called::Failed,
        };
        let (provider, now) = (self.model.llm.provider(), self.enrich.now());
        let before = self.enrich.change_provider(provider, |state| after_call(state, outcome, now).0).await?;
        match after_call(&before, outcome, now).1 {
            Some(Transition::Opened) => {
                self.enrich.figures().breaker_opened();
                tracing::warn!(provider, "the breaker opened: the model is not asked for 300 s after several failures");
            }
            Some(Transition::Closed) => tracing::info!(provider, "the breaker closed: the model answers again"),
            None => {}
        }
        Ok(())
    }

    /// Ends the job. What an attempt has cost is booked even if the job was lost meanwhile.
    async fn end(
        &self,
        end: JobEnd,
        shown: Option<Shown>,
        settlement: Option<Settlement>,
        cached: Option<Source>,
    ) -> Result<JobEnd, StoreError> {
        let (store, now) = (self.enrich.store(), self.enrich.now());
        let (enrichment, failure) = shown.map_or((None, None), |shown| (Some(shown.enrichment), shown.failure));
        let ended = EnrichmentEnd {
            lease: self.lease,
            end: end.clone(),
            enrichments: enrichment.into_iter().collect(),
            failure,
            next: Vec::new(),
            settlement: settlement.clone(),
            cached,
        };
        let written = store.end_enrichment(ended, now).await;
        if let (Err(StoreError::JobLost { .. }), Some(settlement)) = (&written, settlement) {
            store.settle(&settlement, now).await?;
        }
        written.map(|()| end)
    }
}

/// What an entry shows from now on, and the failure that is kept besides.
struct Shown {
    enrichment: NewEnrichment,
    failure: Option<Made>,
}

enum Admitted {
    Go { period: Period, ceilings: Ceilings },
    Later(Timestamp),
    Never,
}

fn attempt_end(error: &CallError) -> AttemptEnd {
    match error {
        CallError::Temporary { .. } => AttemptEnd::Temporary,
        CallError::RateLimited { .. } => AttemptEnd::RateLimited,
        CallError::Permanent { .. } => AttemptEnd::Permanent,
        CallError::BadAnswer { .. } => AttemptEnd::BadAnswer,
    }
}

fn llm_kind(kind: Kind) -> llm::Kind {
    match kind {
        Kind::Summary => llm::Kind::Summary,
        Kind::Tags => llm::Kind::Tags,
        Kind::Deframe => llm::Kind::Deframe,
    }
}
