//! `/admin/api`: what administrators do and see. Unknown fields are refused, in bodies and in queries.

#[allow(
    clippy::option_option,
    reason = "a field that is left out, one that is null and one with a value are three things"
)]
mod ai;
mod feeds;
mod health;
mod hosts;
mod politeness;
mod span;
mod system;
mod users;

use crate::Web;
use utoipa_axum::router::OpenApiRouter;

pub use ai::usage_json;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .merge(ai::routes())
        .merge(feeds::routes())
        .merge(health::routes())
        .merge(hosts::routes())
        .merge(politeness::routes())
        .merge(system::routes())
        .merge(users::routes())
}
