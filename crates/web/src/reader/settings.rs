//! `/api/me/settings`: how a user wants to read. One struct with a default for everything; a field that is not known is
//! refused, and so is a value that is none, by its name.
//!
//! What is stored is what the user has chosen at that time. A field that a later version knows is a default then; one that an
//! older version does not know is left out.

use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use axum::Json;
use axum::extract::State;
use model::UserId;
use policy::permission::Permission;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(get, put, patch))
}

/// What the app may keep.
const MOST_APP_BYTES: usize = 32 << 10;

/// How a user wants to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    pub(crate) theme: Theme,
    pub(crate) density: Density,
    /// Of articles, in pixels, 14 to 26.
    pub(crate) font_size: u32,
    pub(crate) reading_mode: ReadingMode,
    /// How much of the width the list has, in percent, 20 to 80.
    pub(crate) split_ratio: u32,
    /// Posts that were scrolled past are read.
    pub(crate) mark_read_on_scroll: bool,
    pub(crate) open_links: OpenLinks,
    pub(crate) images: Images,
    /// A language tag; null is that of the browser.
    pub(crate) locale: Option<String>,
    /// A language tag; null is that of the article.
    pub(crate) summary_language: Option<String>,
    pub(crate) sort: Sort,
    pub(crate) unread_only: bool,
    /// 1 to 60.
    pub(crate) toast_timeout_seconds: u32,
    /// 10 to 86400: clients ask again after so long.
    pub(crate) idle_refresh_seconds: u32,
    /// 1 to 5.
    pub(crate) suggestion_min_tags: u32,
    /// Whether summaries, topics and calm titles are shown, and made for this user.
    pub(crate) ai: bool,
    /// What the web app keeps for itself: at most 32 kB of JSON. PATCH replaces the keys it names; null removes one.
    #[schema(value_type = Object)]
    pub(crate) app: Map<String, Value>,
}

/// Colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Theme {
    /// As the system has it.
    Auto,
    Light,
    Dark,
    Sepia,
    Black,
    /// High contrast.
    Contrast,
}

/// How much room a post has in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Density {
    Compact,
    Comfortable,
    Cards,
}

/// Where an article is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReadingMode {
    /// Beside the list.
    Split,
    /// Instead of it.
    Fullscreen,
}

/// Where links of an article are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OpenLinks {
    NewTab,
    SameTab,
}

/// When images of an article are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Images {
    /// With the article.
    Show,
    /// When they are clicked.
    Click,
    /// Not at all.
    Never,
}

/// The order of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sort {
    Newest,
    Oldest,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::Auto,
            density: Density::Comfortable,
            font_size: 18,
            reading_mode: ReadingMode::Split,
            split_ratio: 40,
            mark_read_on_scroll: false,
            open_links: OpenLinks::NewTab,
            images: Images::Show,
            locale: None,
            summary_language: None,
            sort: Sort::Newest,
            unread_only: true,
            toast_timeout_seconds: 2,
            idle_refresh_seconds: 180,
            suggestion_min_tags: 2,
            ai: true,
            app: Map::new(),
        }
    }
}

impl Settings {
    /// What is wrong with a value: the field, and what it may be.
    fn problem(&self) -> Option<(&'static str, String)> {
        let numbers: [(&str, u32, RangeInclusive<u32>); 5] = [
            ("font_size", self.font_size, 14..=26),
            ("split_ratio", self.split_ratio, 20..=80),
            ("toast_timeout_seconds", self.toast_timeout_seconds, 1..=60),
            ("idle_refresh_seconds", self.idle_refresh_seconds, 10..=86_400),
            ("suggestion_min_tags", self.suggestion_min_tags, 1..=5),
        ];
        for (name, value, range) in numbers {
            if !range.contains(&value) {
                return Some((name, format!("it is {value}, and may be {} to {}", range.start(), range.end())));
            }
        }
        if Value::Object(self.app.clone()).to_string().len() > MOST_APP_BYTES {
            return Some(("app", format!("it may have at most {MOST_APP_BYTES} bytes")));
        }
        let languages = [("locale", &self.locale), ("summary_language", &self.summary_language)];
        let wrong = languages.into_iter().find(|(_, tag)| tag.as_deref().is_some_and(|tag| !is_language(tag)));
        wrong.map(|(name, _)| (name, "it is no language tag, such as `de` or `pt-BR`".to_owned()))
    }
}

/// Whether a text has the form of a language tag (BCP 47).
fn is_language(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    let letters = (2..=8).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let rest = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    letters && tag.len() <= 35 && parts.all(rest)
}

/// Settings with some fields changed; an error names the field.
fn changed(before: &Settings, changes: Map<String, Value>) -> Result<Settings, ApiError> {
    let refused = |name: &str, why: &str| ApiError::unprocessable(format!("`{name}`: {why}")).reason(name);
    let mut all = as_map(before);
    for (name, value) in changes {
        // One at a time, so that the name of what is wrong is known.
        match (all.get_mut(&name), value) {
            (Some(Value::Object(kept)), Value::Object(some)) => merge(kept, some),
            (_, value) => {
                all.insert(name.clone(), value);
            }
        }
        let read = serde_json::from_value::<Settings>(Value::Object(all.clone()));
        read.map_err(|error| refused(&name, &error.to_string()))?;
    }
    let settings: Settings = serde_json::from_value(Value::Object(all)).map_err(|error| ApiError::internal(&error))?;
    match settings.problem() {
        Some((name, why)) => Err(refused(name, &why)),
        None => Ok(settings),
    }
}

/// Replaces the keys that are named; null removes one.
fn merge(kept: &mut Map<String, Value>, some: Map<String, Value>) {
    for (key, value) in some {
        if value.is_null() {
            kept.remove(&key);
        } else {
            kept.insert(key, value);
        }
    }
}

fn as_map(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// What is stored, as far as this version understands it.
fn understood(stored: Value) -> Settings {
    let Value::Object(stored) = stored else { return Settings::default() };
    let take =
        |settings: Settings, (name, value)| changed(&settings, Map::from_iter([(name, value)])).unwrap_or(settings);
    stored.into_iter().fold(Settings::default(), take)
}

/// A user's settings.
pub(crate) async fn settings_of(web: &Web, user: UserId) -> Result<Settings, ApiError> {
    Ok(web.store.settings_of(user).await?.map(understood).unwrap_or_default())
}

async fn keep(web: &Web, user: UserId, settings: Settings) -> Result<Json<Settings>, ApiError> {
    web.store.set_settings(user, &Value::Object(as_map(&settings))).await?;
    web.store.set_wants_ai(user, settings.ai).await?;
    Ok(Json(settings))
}

/// How the user wants to read.
#[utoipa::path(get, path = "/api/me/settings", tag = "settings", responses((status = 200, body = Settings)))]
async fn get(State(web): State<Web>, principal: Principal) -> Result<Json<Settings>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    settings_of(&web, principal.user).await.map(Json)
}

/// Sets everything; what is left out becomes the default.
#[utoipa::path(put, path = "/api/me/settings", tag = "settings", request_body = Settings,
    responses((status = 200, body = Settings), (status = 422, body = ErrorBody)))]
async fn put(
    State(web): State<Web>,
    principal: Principal,
    Body(all): Body<Map<String, Value>>,
) -> Result<Json<Settings>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    keep(&web, principal.user, changed(&Settings::default(), all)?).await
}

/// Sets what is given; the rest stays.
#[utoipa::path(patch, path = "/api/me/settings", tag = "settings", request_body = Settings,
    responses((status = 200, body = Settings), (status = 422, body = ErrorBody)))]
async fn patch(
    State(web): State<Web>,
    principal: Principal,
    Body(some): Body<Map<String, Value>>,
) -> Result<Json<Settings>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let before = settings_of(&web, principal.user).await?;
    keep(&web, principal.user, changed(&before, some)?).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn change(before: &Settings, changes: Value) -> Result<Settings, String> {
        let Value::Object(changes) = changes else { panic!("an object") };
        changed(before, changes).map_err(|error| {
            format!("{} {}: {}", error.status.as_u16(), error.reason.unwrap_or_default(), error.detail)
        })
    }

    #[test]
    fn the_defaults_are_allowed() {
        assert_eq!(Settings::default().problem(), None);
        assert_eq!(change(&Settings::default(), json!({})).unwrap(), Settings::default());
    }

    #[test]
    fn a_wrong_value_is_refused_by_name() {
        let check = |changes: Value, expected: &str| {
            let said = change(&Settings::default(), changes.clone()).expect_err(&changes.to_string());
            assert!(said.starts_with(expected), "{changes}: {said}");
        };
        check(json!({ "theme": "pink" }), "422 theme: `theme`: unknown variant `pink`, expected one of `auto`");
        check(json!({ "theme": "dark", "sort": "best" }), "422 sort: `sort`: unknown variant `best`");
        check(json!({ "colour": "red" }), "422 colour: `colour`: unknown field `colour`");
        check(json!({ "split_ratio": 19 }), "422 split_ratio: `split_ratio`: it is 19, and may be 20 to 80");
        check(json!({ "split_ratio": 81 }), "422 split_ratio");
        check(json!({ "split_ratio": "40" }), "422 split_ratio: `split_ratio`: invalid type");
        check(json!({ "split_ratio": -1 }), "422 split_ratio: `split_ratio`: invalid value");
        check(json!({ "idle_refresh_seconds": 0 }), "422 idle_refresh_seconds: `idle_refresh_seconds`: it is 0");
        check(json!({ "idle_refresh_seconds": 9 }), "422 idle_refresh_seconds");
        check(json!({ "suggestion_min_tags": 0 }), "422 suggestion_min_tags");
        check(json!({ "suggestion_min_tags": 6 }), "422 suggestion_min_tags");
        check(json!({ "font_size": 13 }), "422 font_size");
        check(json!({ "toast_timeout_seconds": 0 }), "422 toast_timeout_seconds");
        check(json!({ "locale": "de_DE" }), "422 locale: `locale`: it is no language tag");
        check(json!({ "summary_language": "" }), "422 summary_language");
        check(json!({ "theme": null }), "422 theme");
    }

    #[test]
    fn a_change_leaves_the_rest() {
        let dark = change(&Settings::default(), json!({ "theme": "dark", "locale": "pt-BR" })).unwrap();
        let both = change(&dark, json!({ "idle_refresh_seconds": 10, "locale": null })).unwrap();
        assert_eq!(both, Settings { theme: Theme::Dark, idle_refresh_seconds: 10, ..Settings::default() });
    }

    #[test]
    fn the_app_keeps_what_it_likes_within_bounds() {
        let one = change(&Settings::default(), json!({ "app": { "a": 1, "b": { "c": [2] } } })).unwrap();
        let two = change(&one, json!({ "app": { "a": null, "d": 3 } })).unwrap();
        assert_eq!(Value::Object(two.app), json!({ "b": { "c": [2] }, "d": 3 }));
        let large = json!({ "app": { "a": "x".repeat(MOST_APP_BYTES) } });
        assert!(change(&Settings::default(), large).unwrap_err().starts_with("422 app"));
        assert!(change(&Settings::default(), json!({ "app": [] })).unwrap_err().starts_with("422 app"));
    }

    #[test]
    fn what_another_version_stored_is_read_as_far_as_possible() {
        let stored = json!({ "theme": "dark", "hologram": true, "split_ratio": 99, "density": "airy" });
        assert_eq!(understood(stored), Settings { theme: Theme::Dark, ..Settings::default() });
        assert_eq!(understood(json!([1])), Settings::default());
    }
}
