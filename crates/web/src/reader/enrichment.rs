//! What the program says about a post besides its publisher: summary, topics, a calm title and why. Switched off, none of it is
//! said. `POST /api/posts/{id}/summary` asks for it again; nothing is made while a request waits.

use super::posts::{PostBody, found};
use super::shape::moment;
use crate::Web;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use model::enrichment::{Body, Deframing, Enrichment, Kind, Made, Wish};
use model::{EntryId, FeedId, UserId, Viewer};
use policy::enrich::{Known, Shown, Status, shown};
use policy::permission::Permission;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// A queue is counted up to here.
const COUNTED: u32 = 1_000;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(ask))
}

/// What the program says about a post.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub(crate) struct Said {
    /// A summary, with HTML and Markdown escaped.
    summary_pt: Option<String>,
    /// The same as plain text.
    summary: Option<String>,
    summary_language: Option<String>,
    /// `ready`, `pending`, `failed` or `off`.
    summary_status: &'static str,
    /// Why there is none: `off`, `too_short`, `no_title`, `waiting`, `budget`, `provider`, `admin` or `private`.
    summary_reason: Option<&'static str>,
    /// The same in words.
    summary_detail: Option<String>,
    /// `local`, or who was asked.
    summary_provider: Option<String>,
    summary_model: Option<String>,
    /// How long it took to make.
    summary_ms: Option<i64>,
    summary_at: Option<String>,
    /// How many come before it, up to 1,000.
    summary_queue_position: Option<u32>,
    /// What the title does to its reader; null where it was not looked at.
    framing: Option<FramingBody>,
    calm_provider: Option<String>,
    calm_model: Option<String>,
    /// Why a calm title was refused.
    calm_reason: Option<String>,
    /// The sentence of the article that answers a baiting title, as a quotation.
    answer: Option<AnswerBody>,
    topics: Vec<String>,
    /// One of 16 categories.
    ai_category: Option<String>,
    /// How sure that is, 0 to 1.
    ai_confidence: Option<f64>,
    sentiment: Option<SentimentBody>,
}

/// Scores from 0 to 1, each with its reason.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct FramingBody {
    framing: f64,
    clickbait: f64,
    persuasive: f64,
    hyper_stimulus: f64,
    speculative: f64,
    overall: f64,
    /// By the same names.
    reasons: BTreeMap<String, String>,
    provider: String,
    model: String,
}

/// A quotation.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AnswerBody {
    text: String,
    /// 0 to 1.
    confidence: f64,
}

/// How a text feels.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct SentimentBody {
    /// `positive`, `negative`, `neutral` or `mixed`.
    label: String,
    /// From -1 to 1, where it is known.
    score: Option<f64>,
}

/// Fills in what lists show; nothing, where the user or the instance has switched it off.
pub(crate) async fn add_headlines(web: &Web, user: UserId, posts: &mut [PostBody]) -> Result<(), ApiError> {
    if !web.enrich.options().rules.ai.enabled || posts.is_empty() {
        return Ok(());
    }
    let ids: Vec<EntryId> = posts.iter().map(|post| EntryId(post.id)).collect();
    let mut headlines = web.store.headlines(user, &ids).await?;
    for post in posts {
        if let Some(headline) = headlines.remove(&EntryId(post.id)) {
            post.calm_title = headline.calm_title;
            post.framing_score = headline.score;
            post.one_line_summary = headline.one_line;
        }
    }
    Ok(())
}

/// What is said about a post that is opened; what it lacks is asked for.
pub(crate) async fn said(web: &Web, user: UserId, feed: FeedId, post: &mut PostBody) -> Result<Said, ApiError> {
    let entry = EntryId(post.id);
    let off = Said { summary_status: Status::Off.as_str(), ..Said::default() };
    let instance = web.enrich.options().rules.ai.enabled && !web.enrich.is_stopped().await?;
    let (wants, switch) = (web.store.wants_ai(user).await?, web.store.ai_switch(user, feed).await?);
    let known = Known { instance, user: wants, switch, enrichment: None, asked_for: false };
    if shown(&known).status == Status::Off {
        return Ok(off);
    }
    let viewer = Viewer::User(user);
    web.enrich.open_entry(viewer, entry).await?;
    let all = web.store.enrichments(viewer, entry).await?;
    add_headlines(web, user, std::slice::from_mut(post)).await?;
    let of = |kind: Kind| all.iter().find(|found| found.kind == kind);
    let wish = Wish { entry, kind: Kind::Summary }.to_string();
    let ahead = web.store.jobs_ahead(enrich::MODEL, &wish, COUNTED).await?;
    let local = web.store.jobs_ahead(model::job::ENRICH_LOCAL, &format!("entry:{}", entry.0), COUNTED).await?;
    let enrichment = of(Kind::Summary);
    let status = match (enrichment, all.is_empty()) {
        // Other kinds were made, and this one is not wanted here.
        (None, false) => Shown { status: Status::Off, why: None, detail: None },
        _ => shown(&Known { enrichment, asked_for: ahead.is_some() || local.is_some(), ..known }),
    };
    let mut said = summary(status, enrichment);
    said.summary_queue_position = (said.summary_status == "pending").then_some(local.or(ahead)).flatten();
    add_deframing(&mut said, of(Kind::Deframe));
    add_tags(&mut said, of(Kind::Tags));
    Ok(said)
}

fn made(enrichment: Option<&Enrichment>) -> Option<&Made> {
    enrichment.and_then(|found| found.made.as_ref())
}

fn summary(status: Shown, enrichment: Option<&Enrichment>) -> Said {
    let mut said = Said {
        summary_status: status.status.as_str(),
        summary_reason: status.why.map(|why| why.as_str()),
        summary_detail: status.detail,
        ..Said::default()
    };
    if let Some(Made { body: Body::Summary(summary), source, at, took, .. }) = made(enrichment) {
        said.summary_pt = Some(escaped(&summary.summary));
        said.summary = Some(summary.summary.clone());
        said.summary_language.clone_from(&summary.language);
        said.summary_provider = Some(source.provider.clone());
        said.summary_model = Some(source.model.clone());
        said.summary_ms = i64::try_from(took.as_millis()).ok();
        said.summary_at = Some(moment(*at));
    }
    said
}

fn add_deframing(said: &mut Said, enrichment: Option<&Enrichment>) {
    let Some(Made { body: Body::Deframing(deframing), source, .. }) = made(enrichment) else { return };
    said.framing = framing(deframing, &source.provider, &source.model);
    said.calm_reason.clone_from(&deframing.refused);
    if deframing.title.is_some() {
        said.calm_provider = Some(source.provider.clone());
        said.calm_model = Some(source.model.clone());
    }
    said.answer =
        deframing.answer.as_ref().map(|answer| AnswerBody { text: answer.text.clone(), confidence: answer.confidence });
    said.ai_category.clone_from(&deframing.category);
}

fn framing(deframing: &Deframing, provider: &str, model: &str) -> Option<FramingBody> {
    let score = |name: &str| deframing.scores.get(name).copied();
    Some(FramingBody {
        framing: score("framing")?,
        clickbait: score("clickbait")?,
        persuasive: score("persuasive")?,
        hyper_stimulus: score("hyper_stimulus")?,
        speculative: score("speculative")?,
        overall: score("overall")?,
        reasons: deframing.reasons.clone(),
        provider: provider.to_owned(),
        model: model.to_owned(),
    })
}

fn add_tags(said: &mut Said, enrichment: Option<&Enrichment>) {
    let Some(Made { body: Body::Tags(tags), .. }) = made(enrichment) else { return };
    said.topics.clone_from(&tags.topics);
    said.ai_category = tags.category.clone().or_else(|| said.ai_category.take());
    said.ai_confidence = tags.confidence;
    said.sentiment =
        tags.sentiment.as_ref().map(|label| SentimentBody { label: label.clone(), score: tags.sentiment_score });
}

/// Plain text for a front end that shows Markdown: nothing in it is markup there.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

/// What was asked for.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct AskedBody {
    /// `pending`, or `off`.
    summary_status: &'static str,
}

/// Asks for the summary, the topics and the calm title of a post, again if they failed. The answer does not wait for them.
#[utoipa::path(post, path = "/api/posts/{id}/summary", tag = "posts", params(("id" = i64, Path)),
    responses((status = 202, body = AskedBody), (status = 404, body = ErrorBody)))]
async fn ask(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
) -> Result<(StatusCode, Json<AskedBody>), ApiError> {
    principal.may(Permission::WriteOwn)?;
    let post = found(&web, principal.user, id).await?;
    let asked = ask_again(&web, principal.user, post.entry.feed, post.entry.id).await?;
    let summary_status = if asked { Status::Pending } else { Status::Off }.as_str();
    Ok((StatusCode::ACCEPTED, Json(AskedBody { summary_status })))
}

/// Asks for everything about an entry; `false` if it is switched off.
pub(crate) async fn ask_again(web: &Web, user: UserId, feed: FeedId, entry: EntryId) -> Result<bool, ApiError> {
    let known = Known {
        instance: web.enrich.options().rules.ai.enabled && !web.enrich.is_stopped().await?,
        user: web.store.wants_ai(user).await?,
        switch: web.store.ai_switch(user, feed).await?,
        enrichment: None,
        asked_for: false,
    };
    if shown(&known).status == Status::Off {
        return Ok(false);
    }
    web.enrich.retry_entry(Viewer::User(user), entry).await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_for_foreign_front_ends_has_no_markup() {
        assert_eq!(escaped("<img src=x> & **bold** [a](b)"), "&lt;img src=x&gt; &amp; \\*\\*bold\\*\\* \\[a\\](b)");
        assert_eq!(escaped("Plain words, 4 % of them."), "Plain words, 4 % of them.");
    }
}
