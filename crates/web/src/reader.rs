//! The reader's API under `/api`: a file for each resource. Bodies that several of them share are `shape`.

mod bookmarks;
mod categories;
mod enrichment;
mod events;
mod feeds;
mod filters;
mod icons;
mod jobs;
mod opml;
mod posts;
mod proxy;
mod saved_searches;
mod search;
mod settings;
pub(crate) mod shape;
mod status;
mod tags;

pub(crate) use categories::{category_or_default, scope as category_scope, valid_name as category_name};
pub(crate) use enrichment::{ask_again, escaped};
pub(crate) use feeds::{
    FeedBody, FeedUpdate, FoundFeed, RefreshBody, bodies as feed_bodies, change as change_feed, feeds_at,
    found as feed_found, refresh_body, state_word, within_limit as within_refresh_limit,
};
pub(crate) use posts::found as post_found;
pub(crate) use search::{Within, feeds_found, find as find_posts};
pub(crate) use shape::{DONE, Done, LooseId, moment, posts_per_week, read_moment, web_address};

use crate::Web;
use utoipa_axum::router::OpenApiRouter;

/// The routes of the reader.
pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .merge(bookmarks::routes())
        .merge(categories::routes())
        .merge(enrichment::routes())
        .merge(events::routes())
        .merge(feeds::routes())
        .merge(filters::routes())
        .merge(icons::routes())
        .merge(jobs::routes())
        .merge(opml::routes())
        .merge(posts::routes())
        .merge(proxy::routes())
        .merge(saved_searches::routes())
        .merge(search::routes())
        .merge(settings::routes())
        .merge(status::routes())
        .merge(tags::routes())
}
