//! Changing a feed: the user's own subscription to it or, with the right to, what all subscribers share. Everything is
//! checked before anything is changed.

use super::body::FeedBody;
use super::create::not_added;
use super::{found, found_body, may_change_feed, no_such_feed, own_title};
use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;
use crate::reader::categories::category_or_default;
use crate::reader::posts;
use crate::reader::shape::{LooseId, maybe_null};
use axum::Json;
use axum::extract::State;
use engine::{Access, AccessChange, AccessChanged, Change, Disabled, Enabled, Moved, RuleChanged};
use model::enrichment::Switch;
use model::full_text::FullText;
use model::{FeedId, UserId, Viewer};
use policy::permission::Permission;
use reader::Wanted;
use serde::Deserialize;
use std::collections::BTreeMap;
use store::{FeedName, Followed, SubscriptionChange};
use utoipa::ToSchema;

/// What to change; what is left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct FeedUpdate {
    /// Null: what the feed calls itself.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) title: Option<Option<String>>,
    /// Null: the permanent category.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<i64>)]
    pub(crate) category_id: Option<Option<LooseId>>,
    /// Another address. Who may not change feeds moves only their own subscription.
    pub(crate) url: Option<String>,
    /// Switches the feed off for everybody.
    pub(crate) suspended: Option<bool>,
    /// `http://` or `socks5://`; empty or null takes it away.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) proxy: Option<Option<String>>,
    pub(crate) allow_duplicate_urls: Option<bool>,
    /// Policies of the feed's own, by key; null takes one away. `courant feed rule list` lists them.
    #[schema(value_type = Option<Object>)]
    pub(crate) rules: Option<BTreeMap<String, Option<String>>>,
    pub(crate) in_all: Option<bool>,
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) sort: Option<Option<String>>,
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<String>)]
    pub(crate) full_text: Option<Option<String>>,
    /// Whether the user sees summaries, topics and calm titles of its posts: `off`, `local` (never by a model), `model` (also of a
    /// private feed), or null for what the instance does. `false` is `off`, and `true` is null.
    #[serde(default, deserialize_with = "maybe_null")]
    #[schema(value_type = Option<Object>)]
    pub(crate) ai: Option<Option<serde_json::Value>>,
}

impl FeedUpdate {
    /// Whether it is about what all subscribers share, beside the address.
    pub(crate) fn is_about_the_feed(&self) -> bool {
        self.suspended.is_some() || self.proxy.is_some() || self.allow_duplicate_urls.is_some() || self.rules.is_some()
    }
}

/// Changes a subscription or, with the right to, its feed.
#[utoipa::path(put, path = "/api/feeds/{id}", tag = "feeds", params(("id" = i64, Path)), request_body = FeedUpdate,
    responses((status = 200, body = FeedBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
pub(super) async fn update(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(update): Body<FeedUpdate>,
) -> Result<Json<FeedBody>, ApiError> {
    principal.may(Permission::WriteOwn)?;
    let feed = change(&web, &principal, id, update).await?;
    found_body(&web, principal.user, feed.0).await.map(Json)
}

/// Changes a feed as far as the principal may; returns the feed that the subscription is to afterwards.
pub(crate) async fn change(web: &Web, principal: &Principal, id: i64, update: FeedUpdate) -> Result<FeedId, ApiError> {
    let user = principal.user;
    let before = found(web, user, id).await?;
    let may_change = may_change_feed(principal, &before);
    if update.is_about_the_feed() {
        may_change.clone()?;
    }
    // Everything is checked before anything is changed.
    let mut change = SubscriptionChange { in_all: update.in_all, ..SubscriptionChange::default() };
    if let Some(category) = update.category_id {
        change.category = Some(category_or_default(web, user, category.map(|id| id.0)).await?);
    }
    if let Some(title) = &update.title {
        let title = own_title(title.as_deref())?;
        // Clients send the title that they were shown along with what they change.
        change.title = Some(title.filter(|title| Some(title) != before.feed_title.as_ref()));
    }
    if let Some(sort) = &update.sort {
        change.sort = Some(sort.as_deref().map(|word| posts::order(Some(word))).transpose()?);
    }
    if let Some(switch) = &update.full_text {
        let named = |word: &str| {
            let detail = "`full_text` may be auto, always or never";
            FullText::named(word).ok_or_else(|| ApiError::unprocessable(detail))
        };
        change.full_text = Some(switch.as_deref().map(named).transpose()?);
    }
    let switch = update.ai.as_ref().map(|wanted| ai_switch(wanted.as_ref())).transpose()?;
    check_settings(web, before.feed, &update).await?;
    let url = update.url.as_deref().map(str::trim).filter(|url| !url.is_empty() && *url != before.url);
    let mut feed = before.feed;
    if let Some(url) = url {
        feed = if may_change.is_ok() {
            move_feed(web, feed, url).await?
        } else {
            move_own(web, user, &before, url).await?
        };
    }
    if !web.store.change_subscription(user, feed, change).await? {
        return Err(no_such_feed());
    }
    if let Some(switch) = switch {
        web.store.set_ai_switch(user, feed, switch).await?;
    }
    change_settings(web, user, feed, update).await?;
    Ok(feed)
}

fn ai_switch(wanted: Option<&serde_json::Value>) -> Result<Option<Switch>, ApiError> {
    let refused = || ApiError::unprocessable("`ai` may be off, local, model, true, false or null").reason("ai");
    match wanted {
        None | Some(serde_json::Value::Null | serde_json::Value::Bool(true)) => Ok(None),
        Some(serde_json::Value::Bool(false)) => Ok(Some(Switch::Off)),
        Some(serde_json::Value::String(word)) => Switch::named(word).map(Some).ok_or_else(refused),
        Some(_) => Err(refused()),
    }
}

async fn move_feed(web: &Web, feed: FeedId, url: &str) -> Result<FeedId, ApiError> {
    match engine::move_feed(&web.store, Viewer::Operator, feed, url, web.now()).await? {
        Moved::Done | Moved::Already => Ok(feed),
        Moved::Taken { by, .. } => {
            let taken = ApiError::conflict("Feed with this URL already exists");
            Err(ApiError { id: by.map(|feed| feed.0), ..taken })
        }
        Moved::NotAnAddress(why) => Err(ApiError::unprocessable(why).code("bad_address")),
        Moved::Deleted => Err(no_such_feed()),
    }
}

/// Moves the subscription of one user to the feed at another address.
async fn move_own(web: &Web, user: UserId, before: &Followed, url: &str) -> Result<FeedId, ApiError> {
    let wanted = Wanted { category: Some(before.category), title: before.own_title.clone(), ..Wanted::at(url) };
    let subscribed = reader::subscribe(&web.engine, user, &wanted).await?;
    if let Some(error) = not_added(&subscribed) {
        return Err(error);
    }
    let feed = subscribed.feed().ok_or_else(no_such_feed)?;
    if feed != before.feed {
        reader::unsubscribe(&web.engine, user, before.feed).await?;
    }
    Ok(feed)
}

/// Refuses what could not be set, before anything is.
async fn check_settings(web: &Web, feed: FeedId, update: &FeedUpdate) -> Result<(), ApiError> {
    if let Some(rules) = &update.rules {
        let global = &web.engine.options().rules;
        let mut own = web.store.feed(Viewer::Operator, &FeedName::Id(feed)).await?.rules;
        for (key, value) in rules {
            let changed = match value {
                Some(value) => policy::rules::with_own(global, &own, key, value),
                None => policy::rules::without_own(global, &own, key),
            };
            own = changed.map_err(|why| ApiError::unprocessable(format!("`rules.{key}`: {why}")).reason("rules"))?.own;
        }
    }
    let proxy = update.proxy.clone().flatten().filter(|proxy| !proxy.trim().is_empty());
    match (Access { proxy, ..Access::default() }).problem() {
        Some(why) => Err(ApiError::unprocessable(format!("`proxy`: {why}")).reason("proxy")),
        None => Ok(()),
    }
}

/// What all subscribers share.
async fn change_settings(web: &Web, user: UserId, feed: FeedId, update: FeedUpdate) -> Result<(), ApiError> {
    let (viewer, now) = (Viewer::Operator, web.now());
    for (key, value) in update.rules.unwrap_or_default() {
        let global = &web.engine.options().rules;
        let changed = match value {
            Some(value) => engine::set_rule(&web.store, viewer, global, feed, &key, &value, now).await?,
            None => engine::unset_rule(&web.store, viewer, global, feed, &key, now).await?,
        };
        if let RuleChanged::Refused(why) = changed {
            return Err(ApiError::unprocessable(format!("`rules.{key}`: {why}")));
        }
    }
    if let Some(proxy) = update.proxy {
        let proxy = proxy.filter(|proxy| !proxy.trim().is_empty());
        let access = AccessChange { proxy: proxy.map_or(Change::Remove, Change::Set), ..AccessChange::default() };
        match engine::change_access(&web.engine, viewer, feed, user, access).await? {
            AccessChanged::Done => {}
            AccessChanged::BadProxy(why) => return Err(ApiError::unprocessable(format!("`proxy`: {why}"))),
            AccessChanged::Sealed(_) => {
                return Err(ApiError::conflict(
                    "What is stored was sealed with another secret; set it by the command line",
                ));
            }
            AccessChanged::AddressTaken => return Err(ApiError::conflict("Feed with this URL already exists")),
        }
    }
    if let Some(allow) = update.allow_duplicate_urls {
        web.store.set_duplicate_urls(feed, allow, now).await?;
    }
    match update.suspended {
        Some(true) => match engine::disable_feed(&web.store, viewer, feed, now).await? {
            Disabled::Done | Disabled::Already | Disabled::NotVisited(_) => Ok(()),
        },
        Some(false) => match engine::enable_feed(&web.store, viewer, feed, now).await? {
            Enabled::Done | Enabled::Already => Ok(()),
            Enabled::Refused(why) => Err(ApiError::conflict(format!("The feed cannot be switched on: {why}"))),
        },
        None => Ok(()),
    }
}
