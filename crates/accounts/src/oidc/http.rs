//! How the identity provider is asked: through `fetch`, with its guard of addresses, and only on the issuer's host.

use bytes::Bytes;
use fetch::{Egress, Fetch, Header, Request};
use openidconnect::http::{Method, Response};
use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse};
use std::pin::Pin;
use url::Url;

/// Asks one provider.
pub(super) struct Client {
    fetch: Fetch,
    issuer: Url,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NoAnswer(String);

impl Client {
    pub(super) fn new(fetch: Fetch, issuer: &Url) -> Result<Self, String> {
        if issuer.host_str().is_none() {
            return Err(format!("{issuer} names no host"));
        }
        Ok(Self { fetch, issuer: issuer.clone() })
    }

    /// Refuses addresses on other hosts, or without encryption where the issuer has it.
    pub(super) fn is_on_issuer(&self, url: &Url) -> Result<(), String> {
        if super::same_host(url, &self.issuer) && url.scheme() == self.issuer.scheme() {
            return Ok(());
        }
        Err(format!("{} is not on the host of the issuer {}", url.origin().ascii_serialization(), self.issuer))
    }

    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, NoAnswer> {
        let url = request.uri().to_string();
        let parsed = Url::parse(&url).map_err(|error| NoAnswer(error.to_string()))?;
        self.is_on_issuer(&parsed).map_err(NoAnswer)?;
        let headers =
            request.headers().iter().filter_map(|(name, value)| Some(Header::new(name.as_str(), value.to_str().ok()?)));
        let headers: Vec<Header> = headers.collect();
        let ask = Request { headers: &headers, ..Request::new(&url, Egress::Oidc) };
        let exchange = match *request.method() {
            Method::GET => self.fetch.exchange(ask).await,
            Method::POST => self.fetch.post(ask, Bytes::from(request.into_body())).await,
            _ => return Err(NoAnswer("only GET and POST are used".into())),
        };
        let answer = exchange.answer.map_err(|failure| NoAnswer(failure.to_string()))?;
        if answer.stopped.is_some() {
            return Err(NoAnswer("the answer is not complete".into()));
        }
        let mut response = Response::builder().status(answer.status);
        for (name, value) in &answer.headers {
            // The body is decoded already.
            if !matches!(name.as_str(), "content-encoding" | "content-length" | "transfer-encoding") {
                response = response.header(name, value);
            }
        }
        response.body(answer.decoded.to_vec()).map_err(|error| NoAnswer(error.to_string()))
    }
}

impl<'c> AsyncHttpClient<'c> for Client {
    type Error = NoAnswer;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, NoAnswer>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.ask(request))
    }
}

/// An error with its causes. What the library says holds neither codes nor secrets.
pub(super) fn in_words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
