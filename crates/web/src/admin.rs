//! `/admin/api`: what administrators do. Unknown fields are refused.

mod ai;
mod users;

use crate::Web;
use utoipa_axum::router::OpenApiRouter;

pub use ai::usage_json;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    users::routes().merge(ai::routes())
}
