//! The description of the API, made from the handlers: `/openapi.json`, `/openapi.yaml`, and a page for people,
//! `/docs/api`. Nothing here names a route: a handler that is not described is not served.

use crate::{Web, admin, auth, etag, health, me, oidc, reader};
use axum::Router;
use axum::http::header;
use axum::middleware::from_fn;
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::LazyLock;
use utoipa::OpenApi as _;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "Courant",
        description = "The reader's API. Times are RFC 3339 in UTC; under `fetch_state` they are unix seconds.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    security(("bearer" = []), ("session" = []))
)]
struct Description;

static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

/// Every route that is described, and the routes that describe them.
pub(crate) fn routes() -> Router<Web> {
    let (router, _) = described().split_for_parts();
    let router = router.layer(from_fn(etag::not_modified));
    router.route("/openapi.json", get(json_text)).route("/openapi.yaml", get(yaml)).route("/docs/api", get(page))
}

fn described() -> OpenApiRouter<Web> {
    OpenApiRouter::with_openapi(Description::openapi())
        .merge(auth::routes())
        .merge(oidc::routes())
        .merge(me::routes())
        .merge(reader::routes())
        .merge(admin::routes())
        .merge(health::routes())
}

/// The description of the API.
pub fn document() -> Value {
    let (_, mut api) = described().split_for_parts();
    api.info.version = env!("CARGO_PKG_VERSION").into();
    let components = api.components.get_or_insert_default();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("A token or a key"));
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer.build()));
    let cookie = ApiKeyValue::with_description("session", "Writes also need the header X-CSRF-Token");
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    let mut document = serde_json::to_value(&api).expect("a description has a JSON form");
    for operation in document["paths"].as_object_mut().into_iter().flat_map(|paths| paths.values_mut()) {
        operation.as_object_mut().into_iter().flat_map(|methods| methods.values_mut()).for_each(add_usual_errors);
    }
    document
}

/// Adds the errors that extractors and the database give. What a handler says about a status itself stays.
fn add_usual_errors(operation: &mut Value) {
    let takes = |place: &str| {
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.any(|parameter| parameter["in"] == place)
    };
    let has_body = operation.get("requestBody").is_some();
    // `security` is there only where none is needed.
    let (is_open, takes_query, takes_path) = (operation.get("security").is_some(), takes("query"), takes("path"));
    let usual = [
        ("400", has_body, "The body is no JSON"),
        ("401", !is_open, "Nobody is logged in"),
        ("403", !is_open, "The role or the scopes do not allow this, or a page of another site sent it"),
        ("404", takes_path, "There is nothing with this id"),
        ("408", has_body, "The body did not arrive in time"),
        ("413", has_body, "The body is too large"),
        ("422", has_body || takes_query, "A value is not as expected"),
        ("429", true, "Too many requests; `Retry-After` says how long to wait"),
        ("503", true, "The database does not respond"),
    ];
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for (status, _, description) in usual.into_iter().filter(|(_, applies, _)| *applies) {
        responses.entry(status).or_insert_with(|| {
            let body = json!({ "schema": { "$ref": "#/components/schemas/ErrorBody" } });
            json!({ "description": description, "content": { "application/json": body } })
        });
    }
}

async fn json_text() -> impl IntoResponse {
    let text = serde_json::to_string_pretty(&*DOCUMENT).expect("JSON has a text");
    ([(header::CONTENT_TYPE, "application/json")], text)
}

async fn yaml() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/yaml")], to_yaml(&DOCUMENT))
}

async fn page() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], to_html(&DOCUMENT))
}

/// JSON as block YAML. Texts are in double quotes, which YAML reads as JSON does.
fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    write_yaml(value, 0, &mut out);
    out
}

fn write_yaml(value: &Value, depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, value) in fields {
                let _ = write!(out, "{pad}{}:", Value::from(name.as_str()));
                write_nested(value, depth, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let _ = write!(out, "{pad}-");
                write_nested(item, depth, out);
            }
        }
        plain => {
            let _ = writeln!(out, "{pad}{plain}");
        }
    }
}

fn write_nested(value: &Value, depth: usize, out: &mut String) {
    let is_nested = match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if is_nested {
        out.push('\n');
        write_yaml(value, depth + 1, out);
    } else {
        let _ = writeln!(out, " {value}");
    }
}

/// A page without scripts: every operation with what it takes and answers.
fn to_html(document: &Value) -> String {
    let text = |value: &Value| crate::html::escaped(value.as_str().unwrap_or_default());
    let mut out = String::new();
    let empty = serde_json::Map::new();
    for (path, operations) in document["paths"].as_object().unwrap_or(&empty) {
        for (method, operation) in operations.as_object().unwrap_or(&empty) {
            let _ = write!(
                out,
                "<section><h2><code>{} {}</code></h2><p>{}</p><ul>",
                method.to_uppercase(),
                crate::html::escaped(path),
                text(&operation["summary"])
            );
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let _ = write!(
                    out,
                    "<li><code>{}</code> ({}) {}</li>",
                    text(&parameter["name"]),
                    text(&parameter["in"]),
                    text(&parameter["description"])
                );
            }
            if let Some(body) = operation["requestBody"]["content"].as_object().and_then(|types| types.values().next())
            {
                let _ = write!(out, "<li>body: {}</li>", schema(&body["schema"]));
            }
            for (status, answer) in operation["responses"].as_object().unwrap_or(&empty) {
                let of = answer["content"].as_object().and_then(|types| types.values().next());
                let of = of.map(|of| schema(&of["schema"])).unwrap_or_default();
                let _ = write!(out, "<li>{status}: {of} {}</li>", text(&answer["description"]));
            }
            out.push_str("</ul></section>");
        }
    }
    for (name, shape) in document["components"]["schemas"].as_object().unwrap_or(&empty) {
        let _ = write!(
            out,
            "<section id=\"{0}\"><h2>{0}</h2><p>{1}</p><ul>",
            crate::html::escaped(name),
            text(&shape["description"])
        );
        for (field, of) in shape["properties"].as_object().unwrap_or(&empty) {
            let field = crate::html::escaped(field);
            let _ = write!(out, "<li><code>{field}</code>: {} {}</li>", schema(of), text(&of["description"]));
        }
        out.push_str("</ul></section>");
    }
    let intro = "<p>The same for programs: <a href=\"/openapi.json\">openapi.json</a>, <a href=\"/openapi.yaml\">openapi.yaml</a>.</p>";
    crate::html::page("The API of Courant", &format!("<h1>The API of Courant</h1>{intro}{out}"))
}

/// What a schema is, in a few words, with a link to its section.
fn schema(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        let name = crate::html::escaped(name);
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if schema["type"] == "array" {
        return format!("list of {}", self::schema(&schema["items"]));
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => {
            return schema["oneOf"].as_array().into_iter().flatten().map(self::schema).collect::<Vec<_>>().join(" or ");
        }
    };
    crate::html::escaped(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_says_what_json_says() {
        let value = json!({ "a": { "b": [1, "x: y", { "c": null }], "d": {} }, "e": "two\nlines" });
        let expected = "\"a\":\n  \"b\":\n    - 1\n    - \"x: y\"\n    -\n      \"c\": null\n  \"d\": {}\n\"e\": \"two\\nlines\"\n";
        assert_eq!(to_yaml(&value), expected);
    }

    #[test]
    fn every_operation_is_on_the_page() {
        let page = to_html(&document());
        let document = document();
        let paths = document["paths"].as_object().unwrap();
        assert!(paths.len() > 20, "{}", paths.len());
        for path in paths.keys() {
            assert!(page.contains(&format!(" {}</code>", crate::html::escaped(path))), "{path}");
        }
        assert!(!page.contains("<script"));
    }
}
