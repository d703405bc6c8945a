//! The call: sends a prompt to the configured provider and returns what its answer means.
//!
//! One attempt each; what it costs is in the result, and who may ask when is decided elsewhere. Requests go through a
//! `Fetch` of their own, so that nothing that others chose can reach the model's server.

use crate::answer::{self, Answer, Asked, Usage};
use crate::error::{CallError, SetupError};
use crate::key::Key;
use crate::mock::{self, Mock, Step};
use crate::options::Options;
use crate::profile::Format;
use crate::prompt::Prompt;
use crate::request;
use bytes::Bytes;
use coding::Stopped;
use fetch::{Egress, Fetch, Header, Network, Request};
use jiff::Timestamp;
use model::visit::{Failure, Phase};
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// A language model, real or not. Cheap to clone.
#[derive(Clone)]
pub struct Llm {
    shared: Arc<Shared>,
}

struct Shared {
    provider: Provider,
    now: Box<dyn Fn() -> Timestamp + Send + Sync>,
}

enum Provider {
    OpenAi(Box<Remote>),
    Mock { latency: Duration, script: Mutex<VecDeque<Step>> },
}

struct Remote {
    options: Options,
    endpoint: Url,
    headers: Vec<Header>,
    fetch: Fetch,
}

/// The name of the mock's model.
const MOCK_MODEL: &str = "mock";

/// What the mock takes for the most tokens of an answer.
const MOCK_MAX_TOKENS: u32 = 4096;

/// The timeout of connecting, unless a call has even less.
const CONNECT: Duration = Duration::from_secs(10);

/// The memory of all answers that are being read.
const MEMORY_BYTES: u64 = 8 << 20;

impl Llm {
    /// A server with OpenAI's interface. Of `fetch`, timeouts, limits and private networks are replaced; `now` is for
    /// `Retry-After`.
    pub fn new(
        options: Options,
        fetch: fetch::Options,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, SetupError> {
        Self::remote(options, fetch, Fetch::new, Box::new(now))
    }

    /// The same on a network of the caller's.
    pub fn with_network(
        options: Options,
        fetch: fetch::Options,
        network: Arc<dyn Network>,
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, SetupError> {
        Self::remote(options, fetch, |options| Fetch::with_network(options, network), Box::new(now))
    }

    /// Dummy data and scripted failures, for development.
    pub fn mock(mock: Mock, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        let provider = Provider::Mock { latency: mock.latency, script: Mutex::new(mock.script) };
        Self { shared: Arc::new(Shared { provider, now: Box::new(now) }) }
    }

    fn remote(
        options: Options,
        fetch: fetch::Options,
        make: impl FnOnce(fetch::Options) -> Result<Fetch, fetch::FetchError>,
        now: Box<dyn Fn() -> Timestamp + Send + Sync>,
    ) -> Result<Self, SetupError> {
        options.check()?;
        let endpoint = options.endpoint()?;
        let mut headers = vec![Header::new("content-type", "application/json")];
        if !options.key.is_empty() {
            headers.push(Header::secret("authorization", options.key.bearer()));
        }
        let fetch = make(fetch_options(fetch, &options, &endpoint))?;
        let provider = Provider::OpenAi(Box::new(Remote { options, endpoint, headers, fetch }));
        Ok(Self { shared: Arc::new(Shared { provider, now }) })
    }

    /// The provider's name: `openai` or `mock`.
    pub fn provider(&self) -> &'static str {
        match self.shared.provider {
            Provider::OpenAi(_) => "openai",
            Provider::Mock { .. } => "mock",
        }
    }

    /// The model that is asked for.
    pub fn model(&self) -> &str {
        match &self.shared.provider {
            Provider::OpenAi(remote) => &remote.options.model,
            Provider::Mock { .. } => MOCK_MODEL,
        }
    }

    /// What a call costs at most, as far as can be estimated: for reserving money before it.
    pub fn worst_case(&self, prompt: &Prompt) -> Usage {
        let (format, max_tokens) = match &self.shared.provider {
            Provider::OpenAi(remote) => (remote.options.profile.format, request::max_tokens(&remote.options, prompt)),
            Provider::Mock { .. } => (Format::JsonSchema, prompt.max_tokens.min(MOCK_MAX_TOKENS)),
        };
        let prompt_tokens = request::prompt_tokens(format, prompt);
        Usage { prompt_tokens, completion_tokens: max_tokens.into(), estimated: true }
    }

    /// Asks once.
    pub async fn complete(&self, prompt: &Prompt) -> Result<Answer, CallError> {
        match &self.shared.provider {
            Provider::OpenAi(remote) => self.ask(remote, prompt).await,
            Provider::Mock { latency, script } => {
                tokio::time::sleep(*latency).await;
                let step = script.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                self.play(step.unwrap_or(Step::Answer), *latency, prompt)
            }
        }
    }

    async fn ask(&self, remote: &Remote, prompt: &Prompt) -> Result<Answer, CallError> {
        let body = Bytes::from(request::body(&remote.options, prompt).to_string());
        let request = Request { headers: &remote.headers, ..Request::new(remote.endpoint.as_str(), Egress::Model) };
        let exchange = remote.fetch.post(request, body).await;
        let (key, model) = (&remote.options.key, remote.options.model.as_str());
        let asked = self.asked(prompt, key, model, exchange.timings.total);
        let response = exchange.answer.map_err(|failure| not_exchanged(&failure, &asked))?;
        match &response.stopped {
            // An error is an error, however long its page.
            Some(stopped) if (200..300).contains(&response.status) => Err(not_whole(stopped, &asked)),
            _ => answer::read(response.status, &response.headers, &response.decoded, &asked),
        }
    }

    /// One step of the mock's script.
    fn play(&self, step: Step, latency: Duration, prompt: &Prompt) -> Result<Answer, CallError> {
        let key = Key::default();
        let asked = self.asked(prompt, &key, MOCK_MODEL, latency);
        let (status, retry_after, body) = match step {
            Step::Answer => (200, None, mock::completion(prompt, None).to_string()),
            Step::Text(text) => (200, None, mock::completion(prompt, Some(&text)).to_string()),
            Step::Status(status, retry_after) => (status, retry_after, String::new()),
            Step::Timeout => return Err(asked.unanswered("timed out, by script".to_owned())),
            Step::Refused => {
                return Err(CallError::Temporary { why: "no connection, by script".to_owned(), usage: None });
            }
        };
        let headers: Vec<_> = retry_after.map(|value| ("retry-after".to_owned(), value)).into_iter().collect();
        answer::read(status, &headers, body.as_bytes(), &asked)
    }

    fn asked<'a>(&self, prompt: &'a Prompt, key: &'a Key, model: &'a str, took: Duration) -> Asked<'a> {
        let worst = self.worst_case(prompt);
        let max_tokens = u32::try_from(worst.completion_tokens).unwrap_or(u32::MAX);
        let schema = prompt.schema.as_ref().map(|schema| &schema.schema);
        Asked { schema, prompt_tokens: worst.prompt_tokens, max_tokens, model, key, now: (self.shared.now)(), took }
    }
}

impl fmt::Debug for Llm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Llm");
        match &self.shared.provider {
            Provider::OpenAi(remote) => {
                shown.field("endpoint", &remote.endpoint.as_str()).field("options", &remote.options).finish()
            }
            Provider::Mock { latency, .. } => shown.field("mock", latency).finish(),
        }
    }
}

/// The limits of calls. A model thinks before the first byte, so that one may take all of the time.
fn fetch_options(given: fetch::Options, options: &Options, endpoint: &Url) -> fetch::Options {
    let timeouts = fetch::Timeouts {
        connect: CONNECT.min(options.timeout),
        first_byte: options.timeout,
        total: options.timeout,
        stall: options.timeout,
        ..given.timeouts
    };
    let body = coding::Limits { decoded_bytes: answer::MOST_BODY_BYTES, ..given.limits.body };
    let limits = fetch::Limits { body, memory_bytes: MEMORY_BYTES, ..given.limits };
    let configured = options.may_be_private().then(|| endpoint.clone());
    // The networks in which feeds may be are not where a model is.
    fetch::Options { timeouts, limits, configured, allow_private: Vec::new(), ..given }
}

/// No response.
fn not_exchanged(failure: &Failure, asked: &Asked<'_>) -> CallError {
    let why = asked.key.redacted(&failure.to_string());
    match failure {
        Failure::Url(_) | Failure::Request(_) | Failure::PrivateAddress(_) | Failure::NotAllowed(_) => {
            CallError::Permanent { why }
        }
        Failure::Timeout(Phase::FirstByte | Phase::Body) | Failure::Protocol(_) => asked.unanswered(why),
        _ => CallError::Temporary { why, usage: None },
    }
}

/// Half a response.
fn not_whole(stopped: &Stopped, asked: &Asked<'_>) -> CallError {
    match stopped {
        Stopped::Truncated => asked.unanswered(stopped.to_string()),
        _ => asked.bad(stopped.to_string()),
    }
}
