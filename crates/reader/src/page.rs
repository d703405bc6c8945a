//! A web page, fetched and read: its title and its article. Says in words why there is none.
//!
//! Callers decide whether to fetch, and keep what was read.

use engine::{Chosen, Engine, VisitRequest, visit};
use fetch::Egress;
use model::visit::Outcome;
use store::StoreError;
use work::Cpu;

/// A page that needs more bytes is no article.
const MOST_BYTES: usize = 5 << 20;

/// What a page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// Where it is, after redirects.
    pub(crate) url: String,
    /// What it calls itself.
    pub(crate) title: Option<String>,
    /// Its article, cleaned; or why there is none.
    pub(crate) article: Result<String, String>,
}

/// Fetches and reads a page. `Err` inside says in words why it could not be fetched.
pub(crate) async fn load(
    engine: &Engine,
    cpu: &Cpu,
    url: &str,
    chosen: Chosen,
) -> Result<Result<Page, String>, StoreError> {
    let request = VisitRequest { chosen, ..VisitRequest::to(url, Egress::Article) };
    let seen = visit(engine, &request).await?;
    let Outcome::Fresh(body) = &seen.outcome else { return Ok(Err(seen.outcome.to_string())) };
    if body.decoded.len() > MOST_BYTES {
        return Ok(Err(format!("the page is larger than {} MiB", MOST_BYTES >> 20)));
    }
    let media_type = body.content_type.as_deref().unwrap_or("text/html").to_ascii_lowercase();
    if !(media_type.contains("html") || media_type.starts_with("text/plain")) {
        return Ok(Err(format!("it is no web page but {media_type}")));
    }
    let read = || {
        let html = syndication::utf8_form(&body.decoded, body.content_type.as_deref(), Some(&seen.url));
        read(&html, &seen.url)
    };
    Ok(Ok(cpu.run(body.decoded.len(), read).await))
}

fn read(html: &str, url: &str) -> Page {
    let page = syndication::page(html, Some(url));
    match content::article(html, url) {
        Some(article) => Page { url: url.to_owned(), title: article.title.or(page.title), article: Ok(article.html) },
        None if page.asks_password => told(url, page.title, "the page asks for a password"),
        None => told(url, page.title, "no article was found on the page"),
    }
}

fn told(url: &str, title: Option<String>, why: &str) -> Page {
    Page { url: url.to_owned(), title, article: Err(why.to_owned()) }
}
