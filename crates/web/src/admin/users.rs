//! `/admin/api/users`: list, add, change and delete users. Who may manage whom is `policy::permission`.

use accounts::{AddedUser, NewPassword};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, patch};
use axum::{Json, Router};
use engine::KEPT_AFTER_DELETION;
use model::UserId;
use model::account::Account;
use model::reader::Role;
use policy::permission::{Permission, may_change_role, may_manage, role_name, role_named};
use serde::Deserialize;
use serde_json::{Value, json};
use store::Changed;

use crate::Web;
use crate::body::Body;
use crate::error::ApiError;
use crate::principal::Principal;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/admin/api/users", get(list).post(add))
        .route("/admin/api/users/{id}", patch(change).delete(remove))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewUser {
    name: String,
    role: Option<String>,
    password: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    role: Option<String>,
    disabled: Option<bool>,
    password: Option<String>,
}

fn body(account: &Account) -> Value {
    json!({
        "id": account.user.0, "name": account.name, "role": role_name(account.role), "created_at": account.created_at,
        "has_password": account.has_password, "disabled": account.disabled_at.is_some(),
        "disabled_at": account.disabled_at, "last_login_at": account.last_login_at,
    })
}

fn role(word: &str) -> Result<Role, ApiError> {
    let unknown = || {
        let detail = format!("there is no role `{word}`; choose from user, moderator, admin, super_admin");
        ApiError::unprocessable(detail).reason("role")
    };
    role_named(word).ok_or_else(unknown)
}

async fn list(State(web): State<Web>, principal: Principal) -> Result<Json<Vec<Value>>, ApiError> {
    principal.may(Permission::ManageUsers)?;
    Ok(Json(web.store.accounts().await?.iter().map(body).collect()))
}

async fn add(
    State(web): State<Web>,
    principal: Principal,
    Body(new): Body<NewUser>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
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

async fn change(
    State(web): State<Web>,
    principal: Principal,
    Path(id): Path<i64>,
    Body(wanted): Body<Change>,
) -> Result<Json<Value>, ApiError> {
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
