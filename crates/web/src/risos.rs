//! What the front end Risos asks of `/api` beyond the reader's API. What has no counterpart here answers harmlessly.
//!
//! Its preferences are our settings under other names where there is one; the rest is kept as it was sent.

use crate::Web;
use crate::body::{Body, OptionalBody};
use crate::error::ApiError;
use crate::principal::Principal;
use crate::query::Path;
use crate::reader::{ask_again, escaped, post_found};
use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use model::Viewer;
use model::enrichment::Made;
use policy::permission::Permission;
use serde_json::{Map, Value, json};

pub(crate) fn routes() -> Router<Web> {
    Router::new()
        .route("/api/admin/locales", get(locales))
        .route("/api/admin/languages", get(languages))
        .route("/api/admin/config", get(config))
        .route("/api/admin/models", get(models))
        .route("/api/preferences", get(preferences).put(set_preferences))
        .route("/api/posts/{id}/regenerate-summary", post(regenerate_summary))
        .route("/api/suggestions/admin/process-suggestions", post(process_suggestions))
        .route("/health", get(crate::health::health))
}

/// Seconds without input after which it asks for the feeds again. 0 would make it ask without pause.
const IDLE_REFRESH_SECONDS: u32 = 180;
const TOAST_SECONDS: u32 = 2;

/// The keys of its preferences, with what a value must be.
const PREFERENCES: &[(&str, Kind)] = &[
    ("locale", Kind::Text),
    ("theme", Kind::Text),
    ("summary_language", Kind::Text),
    ("cerebras_model", Kind::Text),
    ("feed_update_interval", Kind::Number(1, 10_080)),
    ("max_posts_per_feed", Kind::Number(0, 1_000_000)),
    ("max_post_age_days", Kind::Number(0, 36_500)),
    ("max_unread_days", Kind::Number(0, 36_500)),
    ("toast_timeout_seconds", Kind::Number(1, 600)),
    ("idle_refresh_seconds", Kind::Number(10, 86_400)),
    ("reading_mode", Kind::OneOf(&["fullscreen", "split"])),
    ("split_ratio", Kind::Number(20, 80)),
    ("suggestion_min_tags", Kind::Number(1, 5)),
];

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number(i64, i64),
    OneOf(&'static [&'static str]),
}

impl Kind {
    fn check(self, name: &str, value: &Value) -> Result<(), String> {
        match self {
            Self::Text if value.as_str().is_some_and(|text| text.len() <= 200) => Ok(()),
            Self::Text => Err(format!("`{name}` must be a text of at most 200 letters")),
            Self::Number(least, most) if value.as_i64().is_some_and(|n| (least..=most).contains(&n)) => Ok(()),
            Self::Number(least, most) => Err(format!("`{name}` must be a number from {least} to {most}")),
            Self::OneOf(words) if value.as_str().is_some_and(|word| words.contains(&word)) => Ok(()),
            Self::OneOf(words) => Err(format!("`{name}` may be {}", words.join(" or "))),
        }
    }
}

async fn locales() -> Json<Value> {
    Json(json!([{ "code": "en-US", "name": "English" }]))
}

async fn languages() -> Json<Value> {
    Json(json!([{ "code": "en", "name": "English" }]))
}

async fn config() -> Json<Value> {
    Json(json!({ "toast_timeout_seconds": TOAST_SECONDS, "idle_refresh_seconds": IDLE_REFRESH_SECONDS }))
}

/// No model is configured.
async fn models(principal: Principal) -> Result<Json<Value>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    Ok(Json(json!([])))
}

/// All keys, null where nothing was chosen.
fn whole(kept: &Map<String, Value>) -> Value {
    let value = |name: &str| (name.to_owned(), kept.get(name).cloned().unwrap_or(Value::Null));
    Value::Object(PREFERENCES.iter().map(|(name, _)| value(name)).collect())
}

async fn kept(web: &Web, principal: &Principal) -> Result<Map<String, Value>, ApiError> {
    let text = web.store.preferences(principal.user).await?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

async fn preferences(State(web): State<Web>, principal: Principal) -> Result<Json<Value>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    kept(&web, &principal).await.map(|kept| Json(whole(&kept)))
}

async fn set_preferences(
    State(web): State<Web>,
    principal: Principal,
    Body(sent): Body<Map<String, Value>>,
) -> Result<Json<Value>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let mut kept = kept(&web, &principal).await?;
    for (name, kind) in PREFERENCES {
        if let Some(value) = sent.get(*name).filter(|value| !value.is_null()) {
            kind.check(name, value).map_err(ApiError::unprocessable)?;
            kept.insert((*name).to_owned(), value.clone());
        }
    }
    web.store.set_preferences(principal.user, &Value::Object(kept.clone()).to_string()).await?;
    Ok(Json(whole(&kept)))
}

/// Asks for the summary again, and answers with the one that there is.
async fn regenerate_summary(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    OptionalBody(_): OptionalBody<Value>,
) -> Result<Json<Value>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let post = post_found(&web, principal.user, id).await?;
    let asked = ask_again(&web, principal.user, post.entry.feed, post.entry.id).await?;
    let (mut summary, mut line) = (None, None);
    if asked {
        let known = web.store.enrichments(Viewer::User(principal.user), post.entry.id).await?;
        for made in known.into_iter().filter_map(|found| found.made) {
            if let Made { body: model::enrichment::Body::Summary(said), .. } = made {
                (summary, line) = (Some(escaped(&said.summary)), said.one_line);
            }
        }
    }
    Ok(Json(json!({ "summary_pt": summary, "one_line_summary": line, "translated_title": null })))
}

async fn process_suggestions(
    principal: Principal,
    OptionalBody(_): OptionalBody<Value>,
) -> Result<Json<Value>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    Ok(Json(json!({ "success": true, "message": "Nothing is suggested here" })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_what_the_front_end_can_use() {
        let check = |name: &str, value: Value, expected: Result<(), &str>| {
            let (name, kind) = PREFERENCES.iter().find(|(known, _)| *known == name).unwrap();
            assert_eq!(kind.check(name, &value), expected.map_err(str::to_owned), "{name} {value}");
        };
        check("split_ratio", json!(50), Ok(()));
        check("split_ratio", json!(81), Err("`split_ratio` must be a number from 20 to 80"));
        check("idle_refresh_seconds", json!(0), Err("`idle_refresh_seconds` must be a number from 10 to 86400"));
        check("reading_mode", json!("split"), Ok(()));
        check("reading_mode", json!("half"), Err("`reading_mode` may be fullscreen or split"));
        check("locale", json!(7), Err("`locale` must be a text of at most 200 letters"));
    }
}
