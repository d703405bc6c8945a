//! `/login` and `/setup`: pages without scripts, for a person with any browser. Their forms are posted back to where they came
//! from; that a page of ours sent them is proof enough.

use accounts::Setup;
use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use serde::Deserialize;
use url::form_urlencoded;

use crate::auth::{Typed, begin, open_session, session_cookie};
use crate::client::Client;
use crate::error::ApiError;
use crate::html::escaped;
use crate::principal::MaybePrincipal;
use crate::same_origin::{Source, source};
use crate::{Web, app_files, body};

/// The forms, and the pages they are on unless the web app has screens for them.
pub(crate) fn routes(has_app: bool) -> Router<Web> {
    let forms = Router::new().route("/assets/plain.css", get(style));
    if has_app {
        return forms
            .route("/login", get(app_files::serve).post(log_in))
            .route("/setup", get(app_files::serve).post(set_up));
    }
    forms.route("/login", get(login_page).post(log_in)).route("/setup", get(setup_page).post(set_up))
}

/// A form is short.
const LIMIT_BYTES: usize = 16 << 10;

#[derive(Deserialize)]
struct LoginQuery {
    next: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct SetupQuery {
    token: Option<String>,
}

async fn style() -> Response {
    let cached = [(CONTENT_TYPE, "text/css; charset=utf-8"), (CACHE_CONTROL, "public, max-age=3600")];
    (cached, include_str!("pages/plain.css")).into_response()
}

async fn login_page(
    State(web): State<Web>,
    MaybePrincipal(principal): MaybePrincipal,
    Query(query): Query<LoginQuery>,
) -> Result<Response, ApiError> {
    if let Some(principal) = principal {
        let text = format!(
            "<p>You are logged in as <strong>{}</strong>.</p>\n<p><a class=\"button\" href=\"/\">Go on</a></p>",
            escaped(&principal.name)
        );
        return Ok(page(StatusCode::OK, "Log in", None, &text));
    }
    let problem = match query.error.as_deref() {
        Some("oidc_failed") => Some("The login with your identity provider failed. Try again, or use your password."),
        Some(_) => Some("The login failed. Try again."),
        None => None,
    };
    login_form(&web, StatusCode::OK, problem, "", &local_path(query.next.as_deref())).await
}

async fn log_in(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let form = form(&web, &headers, request).await?;
    let name = form.value("username").map(str::trim).filter(|name| !name.is_empty()).map(ToOwned::to_owned);
    let typed = Typed { username: name.clone(), password: form.value("password").unwrap_or_default().to_owned() };
    let next = local_path(form.value("next"));
    match open_session(&web, &client, &headers, &typed).await {
        Ok((_, session)) => {
            let to = [(LOCATION, next.as_str())];
            Ok((StatusCode::SEE_OTHER, to, [(SET_COOKIE, session_cookie(&web, &client, &session))]).into_response())
        }
        Err(error) if error.status.is_server_error() => Err(error),
        Err(error) => {
            let problem = match error.code {
                "invalid_password" => "The name or the password is wrong.".to_owned(),
                "username_needed" => "Type your name as well.".to_owned(),
                _ => format!("{}.", error.detail),
            };
            let mut response =
                login_form(&web, error.status, Some(&problem), name.as_deref().unwrap_or_default(), &next).await?;
            if let Some(wait) = error.retry_after {
                response.headers_mut().insert(axum::http::header::RETRY_AFTER, wait.seconds().into());
            }
            Ok(response)
        }
    }
}

/// The name is asked for if there is more than one.
async fn login_form(
    web: &Web,
    status: StatusCode,
    problem: Option<&str>,
    name: &str,
    next: &str,
) -> Result<Response, ApiError> {
    let accounts = web.store.accounts().await?;
    let name_field = if accounts.len() > 1 {
        format!(
            "<label>Name <input name=\"username\" value=\"{}\" autocomplete=\"username\" autocapitalize=\"none\" required \
             autofocus></label>\n",
            escaped(name)
        )
    } else {
        String::new()
    };
    let focus = if name_field.is_empty() { " autofocus" } else { "" };
    let none = accounts.iter().all(|account| !account.has_password);
    let hint = if none {
        "<p class=\"hint\">Nobody has chosen a password yet. <code>courant serve</code> prints a link for that when it \
         starts; <code>courant user password owner</code> sets one.</p>\n"
    } else {
        ""
    };
    let elsewhere = if web.oidc.is_some() {
        let next: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
        format!("\n<p><a href=\"/api/auth/oidc/login?next={next}\">Log in with your identity provider</a></p>")
    } else {
        String::new()
    };
    let text = format!(
        "{hint}<form method=\"post\" action=\"/login\">\n<input type=\"hidden\" name=\"next\" value=\"{}\">\n{name_field}\
         <label>Password <input type=\"password\" name=\"password\" autocomplete=\"current-password\" \
         required{focus}></label>\n<button>Log in</button>\n</form>{elsewhere}",
        escaped(next)
    );
    Ok(page(status, "Log in", problem, &text))
}

async fn setup_page(State(web): State<Web>, Query(query): Query<SetupQuery>) -> Result<Response, ApiError> {
    let token = query.token.unwrap_or_default();
    Ok(match web.accounts.setup_user(&token).await? {
        Some(account) => setup_form(StatusCode::OK, None, &account.name, &token),
        None => spent(),
    })
}

async fn set_up(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let form = form(&web, &headers, request).await?;
    let (token, password) = (form.value("token").unwrap_or_default(), form.value("password").unwrap_or_default());
    let Some(account) = web.accounts.setup_user(token).await? else { return Ok(spent()) };
    let again = |problem: &str| setup_form(StatusCode::UNPROCESSABLE_ENTITY, Some(problem), &account.name, token);
    if form.value("again") != Some(password) {
        return Ok(again("The two passwords differ."));
    }
    match web.accounts.set_up(token, password).await? {
        Setup::Spent => Ok(spent()),
        Setup::Weak(weak) => Ok(again(&format!("Choose another: {weak}."))),
        Setup::Done(account) => {
            let (_, session) = begin(&web, &client, &headers, account).await?;
            let cookie = session_cookie(&web, &client, &session);
            Ok((StatusCode::SEE_OTHER, [(LOCATION, "/")], [(SET_COOKIE, cookie)]).into_response())
        }
    }
}

fn setup_form(status: StatusCode, problem: Option<&str>, name: &str, token: &str) -> Response {
    let field = |label: &str, field: &str, more: &str| {
        format!(
            "<label>{label} <input type=\"password\" name=\"{field}\" autocomplete=\"new-password\" minlength=\"8\" \
             required{more}></label>\n"
        )
    };
    let text = format!(
        "<p>Choose a password for <strong>{name}</strong>, with at least 8 characters.</p>\n\
         <form method=\"post\" action=\"/setup\">\n<input type=\"hidden\" name=\"token\" value=\"{}\">\n\
         <input type=\"hidden\" name=\"username\" value=\"{name}\" autocomplete=\"username\">\n{}{}\
         <button>Set the password</button>\n</form>",
        escaped(token),
        field("Password", "password", " autofocus"),
        field("Once more", "again", ""),
        name = escaped(name),
    );
    page(status, "Welcome", problem, &text)
}

fn spent() -> Response {
    let text = "<p>If you have chosen a password, <a href=\"/login\">log in</a>. If nobody has, restart \
                <code>courant serve</code>: it prints a new link.</p>";
    page(StatusCode::GONE, "Welcome", Some("This link was used, or is too old."), text)
}

fn page(status: StatusCode, title: &str, problem: Option<&str>, text: &str) -> Response {
    let problem = problem
        .map(|problem| format!("<p class=\"problem\" role=\"alert\">{}</p>\n", escaped(problem)))
        .unwrap_or_default();
    // The forms need to say which origin they come from.
    let html = format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta name=\"referrer\" content=\"same-origin\">
<title>{title} · Courant</title>
<link rel=\"stylesheet\" href=\"/assets/plain.css\">
</head>
<body>
<main>
<h1>{title}</h1>
{problem}{text}
</main>
</body>
</html>
"
    );
    (status, [(CACHE_CONTROL, "no-store")], Html(html)).into_response()
}

/// The fields of a form.
struct Form(Vec<(String, String)>);

impl Form {
    fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// Reads a form that a page of ours sent.
async fn form(web: &Web, headers: &HeaderMap, request: Request) -> Result<Form, ApiError> {
    if source(headers, &web.options.cors_origins) != Source::Ours {
        return Err(ApiError::forbidden("This was not sent by a page of this server").code("cross_origin"));
    }
    let bytes = body::read(request, LIMIT_BYTES).await?;
    Ok(Form(form_urlencoded::parse(&bytes).into_owned().collect()))
}

/// A path on this server; anything else is the start page.
pub(crate) fn local_path(next: Option<&str>) -> String {
    let is_local = |path: &&str| {
        let mut chars = path.chars();
        chars.next() == Some('/')
            && !matches!(chars.next(), Some('/' | '\\'))
            && path.len() <= 1_000
            && path.chars().all(|c| c.is_ascii_graphic() && c != '\\')
    };
    next.filter(is_local).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_leads_to_a_page_of_ours() {
        let check = |next: &str, expected: &str| assert_eq!(local_path(Some(next)), expected, "{next:?}");
        check("/", "/");
        check("/read?feed=1#top", "/read?feed=1#top");
        for foreign in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "read",
            "/a\r\nx: y",
            "/\t/evil.example",
            "/ü",
        ] {
            check(foreign, "/");
        }
        assert_eq!(local_path(None), "/");
    }
}
