//! `/api/auth`: log in, log out, who am I.
//!
//! A login with a signed token sets no cookie; one with a session gives no token. Unknown fields are ignored here, as the
//! front ends of others send them.

use accounts::{LoginOutcome, OpenedSession, Setup, Via};
use axum::Json;
use axum::extract::State;
use axum::http::header::{HeaderName, SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use jiff::Timestamp;
use model::UserId;
use model::account::Account;
use model::reader::Role;
use policy::permission::role_name;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::body::Body;
use crate::client::Client;
use crate::error::{ApiError, ErrorBody};
use crate::principal::{MaybePrincipal, Principal};
use crate::query::Query;
use crate::reader::{DONE, Done};
use crate::same_origin::{Source, source};
use crate::{Web, cookie};

/// What a browser keeps of a session goes with it.
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");
const NOTHING_STAYS: HeaderValue = HeaderValue::from_static("\"cache\", \"storage\"");

pub(crate) fn routes() -> OpenApiRouter<Web> {
    OpenApiRouter::new()
        .routes(routes!(login))
        .routes(routes!(logout))
        .routes(routes!(me))
        .routes(routes!(open, close))
        .routes(routes!(login_options))
        .routes(routes!(setup_user, set_up))
        .routes(routes!(follow_link))
}

/// What somebody types.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Typed {
    /// May be left out while there is one user.
    pub(crate) username: Option<String>,
    pub(crate) password: String,
}

/// A token that says who somebody is.
#[derive(Serialize, ToSchema)]
struct Token {
    token: String,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// A user in answers.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserBody {
    id: i64,
    name: String,
    /// `user`, `moderator`, `admin` or `super_admin`.
    role: &'static str,
}

impl UserBody {
    pub(crate) fn of(user: UserId, name: &str, role: Role) -> Self {
        Self { id: user.0, name: name.to_owned(), role: role_name(role) }
    }
}

/// Who asks.
#[derive(Serialize, ToSchema)]
struct Me {
    authenticated: bool,
    user: UserBody,
    /// `session`, `token` or `key`.
    via: &'static str,
    /// For the header `X-CSRF-Token` of writes with a session.
    csrf_token: Option<String>,
    #[schema(value_type = Option<String>, format = DateTime)]
    expires_at: Option<Timestamp>,
    /// What a key may do.
    scopes: Option<Vec<&'static str>>,
}

/// A session that has begun; its cookie comes with it.
#[derive(Serialize, ToSchema)]
struct Opened {
    user: UserBody,
    /// For the header `X-CSRF-Token` of writes.
    csrf_token: String,
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
}

/// Gives a signed token for a password; good for a day. Sets no cookie.
#[utoipa::path(post, path = "/api/auth/login", tag = "auth", security(()), request_body = Typed,
    responses((status = 200, body = Token), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
        (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn login(State(web): State<Web>, client: Client, Body(typed): Body<Typed>) -> Result<Json<Token>, ApiError> {
    let account = check(&web, &client, &typed).await?;
    let signed = web.accounts.issue_token(&account);
    Ok(Json(Token { token: signed.token, expires_at: signed.expires_at }))
}

/// Ends the session, or gives the token back.
///
/// Always 200 while the database works: a client that is told 401 here may log out again and again.
#[utoipa::path(post, path = "/api/auth/logout", tag = "auth", security(()), responses((status = 200, body = Done)))]
async fn logout(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    MaybePrincipal(principal): MaybePrincipal,
) -> Result<Response, ApiError> {
    let mut response = Json(DONE).into_response();
    if let Some(principal) = principal {
        let is_session = matches!(principal.via, Via::Session { .. });
        if !is_session || source(&headers, &web.options.cors_origins) == Source::Ours {
            web.accounts.logout(&principal).await?;
            if is_session {
                response.headers_mut().append(SET_COOKIE, cookie::clear(client.https));
                response.headers_mut().insert(CLEAR_SITE_DATA, NOTHING_STAYS);
            }
        }
    }
    Ok(response)
}

/// Who asks, and the CSRF token of their session.
#[utoipa::path(get, path = "/api/auth/me", tag = "auth", responses((status = 200, body = Me)))]
async fn me(principal: Principal) -> Json<Me> {
    let (via, csrf_token, expires_at) = match &principal.via {
        Via::Session { csrf_token, expires_at, .. } => ("session", Some(csrf_token.clone()), Some(*expires_at)),
        Via::Token { expires_at, .. } => ("token", None, Some(*expires_at)),
        Via::Key(_) => ("key", None, None),
    };
    let scopes = principal.scopes.as_ref().map(|all| all.iter().map(|scope| scope.as_str()).collect());
    let user = UserBody::of(principal.user, &principal.name, principal.role);
    Json(Me { authenticated: true, user, via, csrf_token, expires_at, scopes })
}

/// Begins a session for a password, and sets its cookie.
#[utoipa::path(post, path = "/api/auth/session", tag = "auth", security(()), request_body = Typed,
    responses((status = 200, body = Opened), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
        (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn open(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    Body(typed): Body<Typed>,
) -> Result<Response, ApiError> {
    let (account, session) = open_session(&web, &client, &headers, &typed).await?;
    Ok(opened(&web, &client, &account, session))
}

fn opened(web: &Web, client: &Client, account: &Account, session: OpenedSession) -> Response {
    let cookie = session_cookie(web, client, &session);
    let user = UserBody::of(account.user, &account.name, account.role);
    let body = Opened { user, csrf_token: session.csrf_token, expires_at: session.expires_at };
    ([(SET_COOKIE, cookie)], Json(body)).into_response()
}

/// Ends the session.
#[utoipa::path(delete, path = "/api/auth/session", tag = "auth", responses((status = 200, body = Done)))]
async fn close(State(web): State<Web>, client: Client, principal: Principal) -> Result<Response, ApiError> {
    web.accounts.logout(&principal).await?;
    let clear = [(SET_COOKIE, cookie::clear(client.https)), (CLEAR_SITE_DATA, NOTHING_STAYS)];
    Ok((clear, Json(DONE)).into_response())
}

/// Checks a password.
async fn check(web: &Web, client: &Client, typed: &Typed) -> Result<Account, ApiError> {
    match web.accounts.login(typed.username.as_deref(), &typed.password, &client.counted()).await? {
        LoginOutcome::Welcome(account) => Ok(account),
        refused => Err(refused.into()),
    }
}

/// Begins a session for whoever knows a password. Another site may not log people in, not even as themselves.
pub(crate) async fn open_session(
    web: &Web,
    client: &Client,
    headers: &HeaderMap,
    typed: &Typed,
) -> Result<(Account, OpenedSession), ApiError> {
    if source(headers, &web.options.cors_origins) == Source::Foreign {
        return Err(ApiError::forbidden("This was sent by a page of another site").code("cross_origin"));
    }
    let account = check(web, client, typed).await?;
    begin(web, client, headers, account).await
}

/// Begins a session for somebody who has just proved who they are.
pub(crate) async fn begin(
    web: &Web,
    client: &Client,
    headers: &HeaderMap,
    account: Account,
) -> Result<(Account, OpenedSession), ApiError> {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    let address = client.address.to_string();
    let session = web.accounts.open_session(&account, Some(&address), agent).await?;
    let session = session.ok_or_else(|| ApiError::from(LoginOutcome::WrongPassword))?;
    Ok((account, session))
}

pub(crate) fn session_cookie(web: &Web, client: &Client, session: &OpenedSession) -> HeaderValue {
    cookie::set(&session.token, web.accounts.options().session, client.https)
}

/// What a login needs.
#[derive(Serialize, ToSchema)]
struct LoginOptions {
    /// Whether a name has to be typed: there are several users.
    username_needed: bool,
    /// Whether one can log in through an identity provider, at `/api/auth/oidc/login`.
    oidc: bool,
    /// Whether nobody has a password yet: the server prints a link that sets the first one.
    setup_needed: bool,
}

/// What a login needs. Needs no login.
#[utoipa::path(get, path = "/api/auth/options", tag = "auth", security(()), responses((status = 200, body = LoginOptions)))]
async fn login_options(State(web): State<Web>) -> Result<Json<LoginOptions>, ApiError> {
    let accounts = web.store.accounts().await?;
    Ok(Json(LoginOptions {
        username_needed: accounts.len() > 1,
        oidc: web.oidc.is_some(),
        setup_needed: accounts.iter().all(|account| !account.has_password),
    }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SetupLink {
    /// Of the link that was printed.
    token: String,
}

/// Whose password a link sets.
#[derive(Serialize, ToSchema)]
struct SetupUser {
    name: String,
}

/// Whose password the link sets that the server printed.
#[utoipa::path(get, path = "/api/auth/setup", tag = "auth", security(()), params(SetupLink),
    responses((status = 200, body = SetupUser), (status = 410, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn setup_user(State(web): State<Web>, Query(link): Query<SetupLink>) -> Result<Json<SetupUser>, ApiError> {
    let account = web.accounts.setup_user(&link.token).await?.ok_or_else(spent)?;
    Ok(Json(SetupUser { name: account.name }))
}

/// A first password.
#[derive(Deserialize, ToSchema)]
struct FirstPassword {
    /// Of the link that was printed.
    token: String,
    password: String,
}

/// Sets the first password with the link that the server printed, and begins a session.
#[utoipa::path(post, path = "/api/auth/setup", tag = "auth", security(()), request_body = FirstPassword,
    responses((status = 200, body = Opened), (status = 403, body = ErrorBody), (status = 410, body = ErrorBody),
        (status = 422, body = ErrorBody)))]
async fn set_up(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    Body(first): Body<FirstPassword>,
) -> Result<Response, ApiError> {
    if source(&headers, &web.options.cors_origins) == Source::Foreign {
        return Err(ApiError::forbidden("This was sent by a page of another site").code("cross_origin"));
    }
    match web.accounts.set_up(&first.token, &first.password).await? {
        Setup::Done(account) => {
            let (account, session) = begin(&web, &client, &headers, account).await?;
            Ok(opened(&web, &client, &account, session))
        }
        Setup::Weak(weak) => Err(ApiError::unprocessable(weak.to_string()).reason("password")),
        Setup::Spent => Err(spent()),
    }
}

/// A link that logs in.
#[derive(Deserialize, ToSchema)]
struct LoginLink {
    /// Of the link that was printed.
    token: String,
}

/// Begins a session with a link that is good for one use, such as the one that `courant demo` prints.
#[utoipa::path(post, path = "/api/auth/link", tag = "auth", security(()), request_body = LoginLink,
    responses((status = 200, body = Opened), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn follow_link(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    Body(link): Body<LoginLink>,
) -> Result<Response, ApiError> {
    if source(&headers, &web.options.cors_origins) == Source::Foreign {
        return Err(ApiError::forbidden("This was sent by a page of another site").code("cross_origin"));
    }
    let used = || ApiError::unauthorized("This link was used, or is older than a day").code("link_used");
    let account = web.accounts.use_login_token(&link.token).await?.ok_or_else(used)?;
    let (account, session) = begin(&web, &client, &headers, account).await?;
    Ok(opened(&web, &client, &account, session))
}

fn spent() -> ApiError {
    ApiError::gone("This link was used, or is older than a day; the next start of the server prints another one")
}
