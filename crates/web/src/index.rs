//! `GET /`: a start page for browsers. One page without style or script, so that it needs no exception from the content
//! security policy.

use crate::Web;
use crate::health::{Health, check};
use crate::html::escaped;
use crate::server::Routes;
use axum::extract::State;
use axum::response::Html;

pub(crate) async fn index(State(web): State<Web>) -> Html<String> {
    Html(page(&check(&web).await, web.routes))
}

fn page(health: &Health, routes: Routes) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let health = match health {
        Health::Well { warning: None } => "Everything is well.".to_owned(),
        Health::Well { warning: Some(warning) } => format!("It works, but: {}.", escaped(warning)),
        Health::NoDatabase => "The database does not respond.".to_owned(),
    };
    let metrics = match routes {
        Routes::All => {
            "\n<li><a href=\"/metrics\">/metrics</a>: metrics for Prometheus, for the addresses that may read them</li>"
        }
        Routes::WithoutMetrics | Routes::OnlyMetrics => "",
    };
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Courant</title>
</head>
<body>
<h1>Courant {version}</h1>
<p>A feed engine: it visits feeds politely, stores their entries, and serves them to people and programs.</p>
<p>{health}</p>
<ul>
<li><a href=\"/api/health\">/api/health</a>: whether it works, for load balancers</li>{metrics}
</ul>
<p>This program was built without its web app: <code>make ui</code> builds the app, and the next <code>cargo build</code>
adds it. Until then there are <a href=\"/login\">/login</a>, the <a href=\"/docs/api\">API</a>,
<code>courant feed add URL</code> and <code>courant entry list</code>.</p>
</body>
</html>
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_says_what_this_is_and_how_it_is() {
        let warning = Some("1 < 2 & more".to_owned());
        let check = |health: &Health, routes, expected: &[&str], absent: &str| {
            let page = page(health, routes);
            for text in expected {
                assert!(page.contains(text), "{text}: {page}");
            }
            assert!(!page.contains(absent), "{absent}: {page}");
            // The content security policy forbids them.
            assert!(!page.contains("style=") && !page.contains("<style") && !page.contains("<script"), "{page}");
        };
        let version = concat!("Courant ", env!("CARGO_PKG_VERSION"));
        check(&Health::Well { warning: None }, Routes::All, &[version, "is well", "\"/metrics\""], "but:");
        check(&Health::Well { warning }, Routes::WithoutMetrics, &["but: 1 &lt; 2 &amp; more."], "/metrics");
        check(&Health::NoDatabase, Routes::All, &["does not respond"], "is well");
    }
}
