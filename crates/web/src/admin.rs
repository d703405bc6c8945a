//! `/admin/api`: what administrators do. Unknown fields are refused.

mod users;

use crate::Web;
use utoipa_axum::router::OpenApiRouter;

pub(crate) fn routes() -> OpenApiRouter<Web> {
    users::routes()
}
