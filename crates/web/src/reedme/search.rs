//! `/reedme/api/search`: feeds and items by words.

use super::{Data, data};
use crate::Web;
use crate::error::ApiError;
use crate::principal::Principal;
use crate::query::{Query, paging};
use crate::reader::{Within, feeds_found, find_posts};
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use policy::permission::Permission;
use serde::{Deserialize, Serialize};

pub(crate) fn routes() -> Router<Web> {
    Router::new().route("/reedme/api/search", get(search))
}

#[derive(Deserialize)]
struct Asked {
    q: Option<String>,
    limit: Option<i64>,
}

#[derive(Serialize)]
struct Found {
    feeds: Vec<Feed>,
    items: Vec<Item>,
}

#[derive(Serialize)]
struct Feed {
    id: i64,
    name: String,
    link: String,
    site_url: String,
}

#[derive(Serialize)]
struct Item {
    id: i64,
    feed_id: i64,
    title: String,
    pub_date: i64,
}

async fn search(
    State(web): State<Web>,
    principal: Principal,
    Query(asked): Query<Asked>,
) -> Result<Json<Data<Found>>, ApiError> {
    principal.may(Permission::ReadOwn)?;
    let (words, page) = (asked.q.unwrap_or_default(), paging(asked.limit, None, 10, 100)?);
    let (found, _) = find_posts(&web, principal.user, &words, Within::default(), page).await?;
    let feeds = feeds_found(&web.store.feed_labels(principal.user).await?, &words).into_iter().map(|feed| Feed {
        id: feed.id,
        name: feed.title,
        link: feed.url,
        site_url: feed.site_url.unwrap_or_default(),
    });
    let items = found.posts.iter().map(|post| Item {
        id: post.entry.id.0,
        feed_id: post.entry.feed.0,
        title: post.entry.title.clone().unwrap_or_default(),
        pub_date: post.entry.published_at.unwrap_or(post.entry.sort_at).as_second(),
    });
    Ok(data(Found { feeds: feeds.collect(), items: items.collect() }))
}
