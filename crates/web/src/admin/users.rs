//! `/admin/api/users`: list, add, change and delete users. Who may manage whom is `policy::permission`.

use accounts::{AddedUser, NewPassword};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use engine::KEPT_AFTER_DELETION;
use jiff::Timestamp;
use model::UserId;
use model::account::Account;
use model::reader::Role;
use policy::permission::{Permission, may_change_role, may_manage, role_name, role_named};
use serde::{Deserialize, Serialize};
use store::Changed;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Web;
use crate::body::Body;
use crate::error::{ApiError, ErrorBody};
use crate::principal::Principal;
use crate::query::Path;

pub(super) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new().routes(routes!(list, add)).routes(routes!(change, remove))
}

/// A user to be added.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "name": "ada", "password": "correct horse" }))]
struct NewUser {
    name: String,
    /// `user`, `moderator`, `admin` or `super_admin`; else `user`.
    role: Option<String>,
    /// Without one the user cannot log in with a password.
    password: Option<String>,
}

/// What to change; what is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UserChange {
    role: Option<String>,
    disabled: Option<bool>,
    password: Option<String>,
}

/// A user, as administrators see them.
#[derive(Serialize, ToSchema)]
struct AccountBody {
    id: i64,
    name: String,
    role: &'static str,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    has_password: bool,
    disabled: bool,
    #[schema(value_type = Option<String>, format = DateTime)]
    disabled_at: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    last_login_at: Option<Timestamp>,
}

fn body(account: &Account) -> AccountBody {
    AccountBody {
        id: account.user.0,
        name: account.name.clone(),
        role: role_name(account.role),
        created_at: account.created_at,
        has_password: account.has_password,
        disabled: account.disabled_at.is_some(),
        disabled_at: account.disabled_at,
        last_login_at: account.last_login_at,
    }
}

fn role(word: &str) -> Result<Role, ApiError> {
    let unknown = || {
        let detail = format!("there is no role `{word}`; choose from user, moderator, admin, super_admin");
        ApiError::unprocessable(detail).reason("role")
    };
    role_named(word).ok_or_else(unknown)
}

/// All users.
#[utoipa::path(get, path = "/admin/api/users", tag = "admin",
    responses((status = 200, body = Vec<AccountBody>), (status = 403, body = ErrorBody)))]
async fn list(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<AccountBody>>, ApiError> {
    principal.may(Permission::ManageUsers)?;
    Ok(Json(web.store.accounts().await?.iter().map(body).collect()))
}

/// Adds a user.
#[utoipa::path(post, path = "/admin/api/users", tag = "admin", request_body = NewUser,
    responses((status = 201, body = AccountBody), (status = 403, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn add(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewUser>,
) -> Result<(StatusCode, Json<AccountBody>), ApiError> {
    principal.may(Permission::ManageUsers)?;
    let role = new.role.as_deref().map_or(Ok(Role::User), role)?;
    may_manage(principal.role, role)?;
    match web.accounts.add_user(&new.name, role, new.password.as_deref()).await? {
        AddedUser::Added(user) => Ok((StatusCode::CREATED, Json(body(&found(&web, user.0).await?)))),
        AddedUser::Taken => Err(ApiError::conflict("There is a user with this name").code("name_taken")),
        AddedUser::BadName(problem) => Err(ApiError::unprocessable(problem).reason("name")),
        AddedUser::Weak(weak) => Err(ApiError::unprocessable(weak.to_string()).reason("password")),
    }
}

/// Changes the role, the password or the right to log in of a user.
#[utoipa::path(patch, path = "/admin/api/users/{id}", tag = "admin", params(("id" = i64, Path)),
    request_body = UserChange,
    responses((status = 200, body = AccountBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn change(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(wanted): Body<UserChange>,
) -> Result<Json<AccountBody>, ApiError> {
    principal.may(Permission::ManageUsers)?;
    let account = found(&web, id).await?;
    may_manage(principal.role, account.role)?;
    let role = wanted.role.as_deref().map(role).transpose()?;
    if let Some(role) = role {
        may_change_role(principal.role, account.role, role)?;
    }
    // The password first: it is the only one that can be refused for what it is.
    if let Some(password) = &wanted.password {
        match web.accounts.set_password(account.user, password).await? {
            NewPassword::Set => {}
            NewPassword::Weak(weak) => return Err(ApiError::unprocessable(weak.to_string()).reason("password")),
            NewPassword::NoUser => return Err(missing(id)),
        }
    }
    if let Some(role) = role {
        done(web.store.set_role(account.user, role).await?, id)?;
    }
    match wanted.disabled {
        Some(true) => done(web.store.disable_user(account.user, web.accounts.clock().now()).await?, id)?,
        Some(false) => done(web.store.enable_user(account.user).await?, id)?,
        None => {}
    }
    Ok(Json(body(&found(&web, id).await?)))
}

/// Deletes a user and everything that is theirs.
#[utoipa::path(delete, path = "/admin/api/users/{id}", tag = "admin", params(("id" = i64, Path)),
    responses((status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody)))]
async fn remove(State(web): State<Web>, principal: Principal, Path(id): Path<i64>) -> Result<StatusCode, ApiError> {
    principal.may(Permission::ManageUsers)?;
    let account = found(&web, id).await?;
    may_manage(principal.role, account.role)?;
    let now = web.accounts.clock().now();
    done(web.store.delete_user(account.user, now + KEPT_AFTER_DELETION, now).await?, id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn found(web: &Web, id: i64) -> Result<Account, ApiError> {
    web.store.account(UserId(id)).await?.ok_or_else(|| missing(id))
}

fn missing(id: i64) -> ApiError {
    ApiError::not_found("There is no such user").id(id)
}

fn done(changed: Changed, id: i64) -> Result<(), ApiError> {
    match changed {
        Changed::Done | Changed::Already => Ok(()),
        Changed::NoUser => Err(missing(id)),
        Changed::LastSuperAdmin => {
            let detail = "This is the last super_admin who can log in; make another one first";
            Err(ApiError::conflict(detail).code("last_super_admin").id(id))
        }
    }
}
