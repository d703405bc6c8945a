//! One exchange: a request out, a response back, everything in between bounded.
//!
//! Follows no redirects, keeps no cookies, decides nothing: statuses, redirects and partial bodies are returned as they
//! are. hyper's client pools connections per scheme, host and port; `connector` opens them. Each proxy has a client of
//! its own, so that no connection is shared between proxies.

use crate::answer::{Answer, Exchange};
use crate::connection::Peer;
use crate::connector::{Connector, Refusal, reason};
use crate::network::{Network, System};
use crate::progress::Progress;
use crate::request::{self, Request};
use crate::target::{self, Target};
use crate::tls::Tls;
use crate::{FetchError, Options, Proxy, Timeouts, body};
use bytes::Bytes;
use coding::{Coding, Stopped, Unsupported};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::Extensions;
use hyper::{Method, Response};
use hyper_util::client::legacy::connect::{Connected, capture_connection};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use model::visit::{Failure, Phase};
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// One HTTP hop: follows no redirects and decides nothing. Cheap to clone.
#[derive(Clone)]
pub struct Fetch {
    shared: Arc<Shared>,
}

struct Shared {
    connector: Connector,
    direct: Pool,
    /// Most recently used last.
    proxied: Mutex<Vec<(Proxy, Pool)>>,
    user_agent: HeaderValue,
    keeping: body::Keeping,
    options: Options,
}

/// hyper's client with its pool of connections; clones share it.
type Pool = Client<Connector, Full<Bytes>>;

/// A checked request.
struct Prepared<'a> {
    method: Method,
    target: Target,
    headers: HeaderMap,
    body: Bytes,
    pool: Pool,
    patience: Patience,
    large: Option<&'a Notify>,
}

/// The time limits of one exchange.
#[derive(Clone, Copy)]
struct Patience {
    begun: Instant,
    total: Duration,
    first_byte: Duration,
}

impl Patience {
    fn deadline(&self) -> Instant {
        self.begun + self.total
    }
}

/// The minimum that hyper accepts for a response head.
const LEAST_HEADER_BYTES: usize = 8192;

/// At most two are open to one host at a time, so no more need to be kept.
const KEPT_PER_HOST: usize = 2;

/// At most this many proxies keep idle connections; an installation has a handful.
const KEPT_PROXIES: usize = 64;

/// How much an HTTP/2 server may send ahead of our reading: enough for 5 MiB a second at 50 ms, and small enough for
/// every connection.
const STREAM_WINDOW: u32 = 256 << 10;

impl Fetch {
    /// Uses the machine's own network.
    pub fn new(options: Options) -> Result<Self, FetchError> {
        let network = Arc::new(System::new(&options)?);
        Self::with_network(options, network)
    }

    /// Uses a network of the caller's, which is trusted as little as the real one.
    pub fn with_network(options: Options, network: Arc<dyn Network>) -> Result<Self, FetchError> {
        let user_agent = HeaderValue::from_str(&options.user_agent)
            .map_err(|error| FetchError::Option { option: "user_agent", why: error.to_string() })?;
        if options.limits.header_bytes < LEAST_HEADER_BYTES {
            let why = format!("less than {LEAST_HEADER_BYTES}");
            return Err(FetchError::Option { option: "header_bytes", why });
        }
        if options.limits.connections == 0 {
            return Err(FetchError::Option { option: "connections", why: "less than 1".to_owned() });
        }
        let connector = Connector::new(&options, network, Tls::new(&options)?);
        let direct = pool(&options, connector.clone());
        let keeping = body::Keeping::new(&options);
        let shared = Shared { connector, direct, proxied: Mutex::default(), user_agent, keeping, options };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Sends GET. Whatever the server does is in the result.
    pub async fn exchange(&self, request: Request<'_>) -> Exchange {
        self.send(Method::GET, request, Bytes::new()).await
    }

    /// Sends a body with POST, for hubs, webhooks, identity providers and models; its type goes into the headers.
    pub async fn post(&self, request: Request<'_>, body: Bytes) -> Exchange {
        self.send(Method::POST, request, body).await
    }

    /// Sends HEAD, to test whether a server responds. There is never a body.
    pub async fn head(&self, request: Request<'_>) -> Exchange {
        self.send(Method::HEAD, request, Bytes::new()).await
    }

    async fn send(&self, method: Method, request: Request<'_>, body: Bytes) -> Exchange {
        let begun = Instant::now();
        let mut exchange = Exchange::begun();
        let mut waited = Duration::ZERO;
        let prepared = Target::read(request.url, request.class)
            .map_err(Failure::Url)
            .and_then(|target| Ok((request::headers(&request, &self.shared.user_agent)?, target)));
        match prepared {
            Err(failure) => {
                exchange.url = target::shown(request.url);
                exchange.answer = Err(failure);
            }
            Ok((headers, target)) => {
                exchange.url = target.url.as_str().to_owned();
                exchange.request_headers = request::recorded(&target, &headers);
                let (pool, patience) = (self.shared.pool(request.proxy), self.shared.patience(begun, request.timeout));
                let prepared = Prepared { method, target, headers, body, pool, patience, large: request.large };
                let progress = Progress::new();
                exchange.answer = self.shared.ask(prepared, &progress).await;
                let marks = progress.marks();
                exchange.timings = marks.timings;
                exchange.address = marks.peer;
                waited = marks.waited;
            }
        }
        exchange.timings.total = begun.elapsed().saturating_sub(waited);
        exchange
    }
}

fn pool(options: &Options, connector: Connector) -> Pool {
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .timer(TokioTimer::new())
        .pool_idle_timeout(options.timeouts.idle)
        .pool_max_idle_per_host(KEPT_PER_HOST)
        // hyper's default of a hundred fields: for any other number it allocates two tables per response, which cost
        // more than parsing it. Real responses have some dozens.
        .http1_max_buf_size(options.limits.header_bytes)
        // curl and browsers tolerate this, and feeds are served with it.
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_initial_connection_window_size(2 * STREAM_WINDOW)
        // Twice, because hyper counts 32 bytes per field and refuses with an unclear message; what passes is measured
        // by us.
        .http2_max_header_list_size(u32::try_from(options.limits.header_bytes.saturating_mul(2)).unwrap_or(u32::MAX))
        .build(connector)
}

impl Shared {
    /// The pool for this proxy, or for direct connections.
    fn pool(&self, proxy: Option<&Proxy>) -> Pool {
        let Some(proxy) = proxy else { return self.direct.clone() };
        let mut pools = self.proxied.lock().unwrap_or_else(PoisonError::into_inner);
        let found = pools.iter().position(|(known, _)| known == proxy);
        let (proxy, pool) = found.map_or_else(
            || (proxy.clone(), pool(&self.options, self.connector.through(proxy.clone()))),
            |at| pools.remove(at),
        );
        if pools.len() == KEPT_PROXIES {
            // Its idle connections are closed; exchanges in progress continue.
            pools.remove(0);
        }
        pools.push((proxy, pool.clone()));
        pool
    }

    fn patience(&self, begun: Instant, asked: Option<Duration>) -> Patience {
        let Timeouts { total, first_byte, .. } = self.options.timeouts;
        match asked {
            Some(asked) if asked > total => Patience { begun, total: asked, first_byte: asked },
            _ => Patience { begun, total: asked.unwrap_or(total), first_byte },
        }
    }

    async fn ask(&self, prepared: Prepared<'_>, progress: &Arc<Progress>) -> Result<Answer, Failure> {
        let Prepared { method, target, headers, body, pool, patience, large } = prepared;
        let repeatable = method.is_safe();
        let mut request = hyper::Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = target.uri;
        *request.headers_mut() = headers;
        let mut head = self.head(&pool, request.clone(), progress, patience).await;
        for _ in 0..KEPT_PER_HOST {
            // A reused connection may have been closed just as we sent: that says nothing about the server.
            let stale = matches!(head, Err(Failure::Protocol(_) | Failure::Connect(_))) && !progress.marks().dialled;
            if !stale || !repeatable {
                break;
            }
            head = self.head(&pool, request.clone(), progress, patience).await;
        }
        let response = head?;
        progress.mark(|marks| marks.timings.first_byte = Some(marks.ready_at.unwrap_or(patience.begun).elapsed()));
        let (answer, waited) = self.answer(response, patience.deadline(), large).await?;
        progress.mark(|marks| marks.waited = waited);
        Ok(answer)
    }

    /// Sends the request and waits for the head of the response.
    async fn head(
        &self,
        pool: &Pool,
        mut request: hyper::Request<Full<Bytes>>,
        progress: &Arc<Progress>,
        patience: Patience,
    ) -> Result<Response<Incoming>, Failure> {
        let mut captured = capture_connection(&mut request);
        let silence = async {
            if let Some(connected) = captured.wait_for_connection_metadata().await.as_ref() {
                note_connection(progress, connected);
                if self.connector.is_crowded() {
                    // "Poisoned" is hyper's word for a connection that is closed after use.
                    connected.poison();
                }
            }
            tokio::time::sleep(patience.first_byte).await;
        };
        let answer = timeout_at(patience.deadline(), progress.run(pool.request(request)));
        tokio::select! {
            // First, so that the connection is recorded before its response is processed.
            biased;
            () = silence => Err(Failure::Timeout(Phase::FirstByte)),
            answer = answer => match answer {
                Ok(Ok(response)) => Ok(response),
                Ok(Err(error)) => Err(failure(&error, self.options.limits.header_bytes)),
                Err(_) => Err(Failure::Timeout(progress.marks().phase)),
            },
        }
    }

    /// Reads the response; also returns how long its body waited for memory.
    async fn answer(
        &self,
        response: Response<Incoming>,
        deadline: Instant,
        large: Option<&Notify>,
    ) -> Result<(Answer, Duration), Failure> {
        let (head, incoming) = response.into_parts();
        let headers = request::plain(&head.headers);
        let limit = self.options.limits.header_bytes;
        if headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>() > limit {
            return Err(Failure::HeadersTooLarge { limit_bytes: limit as u64 });
        }
        let status = head.status.as_u16();
        let (coding, body) = match content_coding(&head.headers) {
            Ok(coding) => (coding, body::read(incoming, coding, &self.keeping, &self.options, deadline, large).await?),
            // Stacked codings can hide a decompression bomb; not a byte of it is read.
            Err(stopped) => (Coding::Identity, body::Body { stopped: Some(stopped), ..body::Body::default() }),
        };
        let body::Body { wire, wire_bytes, decoded, stopped, room, waited } = body;
        Ok((Answer { status, headers, wire, wire_bytes, coding, decoded, stopped, room }, waited))
    }
}

/// From here on the request is on its way to a known peer.
fn note_connection(progress: &Progress, connected: &Connected) {
    let mut extensions = Extensions::new();
    connected.get_extras(&mut extensions);
    progress.mark(|marks| {
        marks.phase = Phase::FirstByte;
        marks.ready_at = Some(Instant::now());
        marks.peer = extensions.get::<Peer>().map(|peer| peer.0).or(marks.peer);
    });
}

fn content_coding(headers: &HeaderMap) -> Result<Coding, Stopped> {
    let values = headers.get_all(header::CONTENT_ENCODING).iter();
    let values: Vec<_> = values.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    match coding::from_header(&values.join(",")) {
        Ok(coding) => Ok(coding),
        // Servers send `utf-8` and `none` here without meaning it; browsers ignore it, and so do we.
        Err(Unsupported::Unknown(_)) => Ok(Coding::Identity),
        Err(several @ Unsupported::Several(_)) => Err(Stopped::Corrupt(several.to_string())),
    }
}

/// The failure behind hyper's error, found in its chain of sources.
fn failure(error: &ClientError, header_limit: usize) -> Failure {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    let mut text = error.to_string();
    while let Some(this) = cause {
        if let Some(Refusal(failure)) = this.downcast_ref() {
            return failure.clone();
        }
        if let Some(error) = this.downcast_ref::<hyper::Error>() {
            // hyper does not expose this for clients, so its message has to do.
            if error.is_parse() && error.to_string().contains("too large") {
                return Failure::HeadersTooLarge { limit_bytes: header_limit as u64 };
            }
            if error.is_incomplete_message() {
                return Failure::Protocol("the connection was closed before an answer".to_owned());
            }
        }
        text = this.to_string();
        if let Some(error) = this.downcast_ref::<std::io::Error>() {
            return Failure::Connect(reason(error));
        }
        cause = this.source();
    }
    Failure::Protocol(text)
}
