//! The web app: its files with their encodings, and the shell for every address that is a screen of the app.
//!
//! The files come from `ui/dist`, embedded at build time (`build.rs`) or read from a directory while somebody works on the app
//! (`--ui-dir`). `manifest.json` there lists them; what it means is written down in `ui/build.mjs`.

use crate::Web;
use crate::error::{ApiError, no_such_path};
use crate::server::AppSource;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

include!(concat!(env!("OUT_DIR"), "/app_files.rs"));

/// Where addresses begin that are no screens of the app.
const NOT_SCREENS: &[&str] = &[
    "/api",
    "/admin/api",
    "/reedme",
    "/v1",
    "/rss",
    "/out",
    "/assets",
    "/metrics",
    "/openapi.",
    "/docs",
    "/fever",
    "/websub",
    "/mcp",
    "/health",
    "/ping",
    "/mobile/api",
];
/// The cookie in which the app keeps its theme, so that the first paint has the right colours.
const THEME_COOKIE: &str = "courant_theme";

/// The files of the app.
#[derive(Debug)]
pub(crate) struct AppFiles {
    source: AppSource,
    manifest: Manifest,
    by_path: HashMap<String, usize>,
}

#[derive(Debug, Deserialize)]
struct Manifest {
    shell: String,
    #[serde(default)]
    themes: Vec<String>,
    csp: String,
    files: Vec<File>,
}

#[derive(Debug, Deserialize)]
struct File {
    path: String,
    #[serde(rename = "file")]
    name: String,
    #[serde(rename = "type")]
    media_type: String,
    sha256: String,
    cache: String,
    #[serde(default)]
    encodings: Vec<String>,
}

impl AppFiles {
    /// The files of the app. `None` if it was not built.
    pub(crate) fn load(source: &AppSource) -> Option<Self> {
        let source = source.clone();
        let manifest = read(&source, "manifest.json")?;
        let manifest: Manifest = match serde_json::from_slice(&manifest) {
            Ok(manifest) => manifest,
            Err(error) => {
                tracing::error!(%error, "the list of the web app's files cannot be read; it is not served");
                return None;
            }
        };
        let by_path = manifest.files.iter().enumerate().map(|(at, file)| (file.path.clone(), at)).collect();
        Some(Self { source, manifest, by_path })
    }

    fn file(&self, path: &str, headers: &HeaderMap) -> Option<Response> {
        let file = &self.manifest.files[*self.by_path.get(path)?];
        let tag = format!("\"{}\"", file.sha256);
        let cache = if file.cache == "immutable" { "public, max-age=31536000, immutable" } else { "no-cache" };
        let value = |text: &str| HeaderValue::from_str(text).ok();
        let mut fields = HeaderMap::new();
        fields.insert(ETAG, value(&tag)?);
        fields.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        fields.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
            return Some((StatusCode::NOT_MODIFIED, fields).into_response());
        }
        let encoding = encoding(headers, &file.encodings);
        let name = match encoding {
            Some((ending, _)) => format!("{}.{ending}", file.name),
            None => file.name.clone(),
        };
        fields.insert(CONTENT_TYPE, value(&file.media_type)?);
        if let Some((_, coding)) = encoding {
            fields.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        let bytes = read(&self.source, &name)?;
        Some((fields, body(bytes)).into_response())
    }

    /// The shell, with the theme that the browser has chosen.
    fn shell(&self, headers: &HeaderMap) -> Option<Response> {
        let bytes = read(&self.source, &self.manifest.shell)?;
        let html = String::from_utf8_lossy(&bytes);
        let chosen = crate::cookie::named(headers, THEME_COOKIE).next();
        let theme = chosen.and_then(|chosen| self.manifest.themes.iter().find(|theme| *theme == chosen));
        let html = match theme {
            Some(theme) => html.replacen("data-theme=\"\"", &format!("data-theme=\"{theme}\""), 1),
            None => html.into_owned(),
        };
        let fields = [
            (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (CONTENT_SECURITY_POLICY, HeaderValue::from_str(&self.manifest.csp).ok()?),
        ];
        Some((fields, html).into_response())
    }
}

fn read(source: &AppSource, name: &str) -> Option<Cow<'static, [u8]>> {
    match source {
        AppSource::Embedded => {
            let at = FILES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
            Some(Cow::Borrowed(FILES[at].1))
        }
        // Names come from the manifest, which the operator's own build wrote.
        AppSource::Directory(directory) => std::fs::read(directory.join(name)).ok().map(Cow::Owned),
        AppSource::Nowhere => None,
    }
}

fn body(bytes: Cow<'static, [u8]>) -> Body {
    match bytes {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    }
}

/// The best encoding that the client takes and that is there: its ending, and its name in HTTP.
fn encoding(headers: &HeaderMap, there: &[String]) -> Option<(&'static str, &'static str)> {
    let accepted = |name: &str| {
        headers
            .get_all(ACCEPT_ENCODING)
            .iter()
            .filter_map(|field| field.to_str().ok())
            .flat_map(|field| field.split(','))
            .any(|part| {
                let mut parts = part.trim().split(';');
                let named = parts.next().is_some_and(|coding| coding.trim().eq_ignore_ascii_case(name));
                let refused = parts.any(|weight| matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
                named && !refused
            })
    };
    [("br", "br"), ("gz", "gzip")]
        .into_iter()
        .find(|(ending, coding)| there.iter().any(|known| known == ending) && accepted(coding))
}

/// Answers for addresses that no route has: a file of the app, or its shell.
pub(crate) async fn serve(State(web): State<Web>, request: Request) -> Result<Response, ApiError> {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    // While somebody works on the app, its files change.
    let changing = matches!(web.options.app, AppSource::Directory(_));
    let fresh = changing.then(|| AppFiles::load(&web.options.app)).flatten();
    let app = fresh.as_ref().or(web.app.as_deref());
    let Some(app) = app.filter(|_| reads) else { return Err(no_such_path().await) };
    let path = request.uri().path();
    if let Some(file) = app.file(path, request.headers()) {
        return Ok(file);
    }
    let is_screen = !NOT_SCREENS.iter().any(|prefix| path.starts_with(prefix)) && !path.contains("..");
    match is_screen.then(|| app.shell(request.headers())).flatten() {
        Some(shell) => Ok(shell),
        None => Err(no_such_path().await),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;

    fn app() -> (tempfile::TempDir, AppFiles) {
        let directory = tempfile::tempdir().unwrap();
        let manifest = serde_json::json!({
            "shell": "index.html", "themes": ["dark"], "csp": "default-src 'none'",
            "files": [{ "path": "/assets/a-1.js", "file": "assets/a-1.js", "type": "text/javascript", "sha256": "ab",
                        "cache": "immutable", "encodings": ["br"] }],
        });
        std::fs::create_dir(directory.path().join("assets")).unwrap();
        for (name, text) in [
            ("manifest.json", manifest.to_string().as_str()),
            ("index.html", "<html data-theme=\"\">"),
            ("assets/a-1.js", "plain"),
            ("assets/a-1.js.br", "brotli"),
        ] {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        let app = AppFiles::load(&AppSource::Directory(directory.path().to_owned())).unwrap();
        (directory, app)
    }

    fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
        fields.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
    }

    async fn text(response: Response) -> String {
        String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn files_come_in_the_encoding_that_is_taken() {
        let (_directory, app) = app();
        let asked =
            |accept: &'static str| app.file("/assets/a-1.js", &headers(&[("accept-encoding", accept)])).unwrap();
        let br = asked("gzip, br");
        assert_eq!(br.headers()[CONTENT_ENCODING], "br");
        assert_eq!(br.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable");
        assert_eq!(text(br).await, "brotli");
        for plain in ["gzip", "identity", "br;q=0", "brotli"] {
            assert_eq!(text(asked(plain)).await, "plain", "{plain}");
        }
        let known = app.file("/assets/a-1.js", &headers(&[("if-none-match", "\"ab\"")])).unwrap();
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        assert!(app.file("/assets/b.js", &HeaderMap::new()).is_none());
        assert!(app.file("/manifest.json", &HeaderMap::new()).is_none(), "only what is listed");
    }

    #[tokio::test]
    async fn the_shell_has_the_theme_of_the_cookie_if_there_is_such_a_theme() {
        let (_directory, app) = app();
        let shell = async |cookie: &'static str| text(app.shell(&headers(&[("cookie", cookie)])).unwrap()).await;
        assert_eq!(shell("courant_theme=dark").await, "<html data-theme=\"dark\">");
        assert_eq!(shell("courant_theme=\"><script>").await, "<html data-theme=\"\">");
        assert_eq!(shell("other=dark").await, "<html data-theme=\"\">");
    }
}
