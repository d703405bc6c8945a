//! `/admin/api`: what administrators do. Unknown fields are refused.

mod users;

use axum::Router;

use crate::Web;

pub(crate) fn routes() -> Router<Web> {
    users::routes()
}
