//! LiteLLM's proxy, which only the benchmark `litellm` has: `cargo xtask bench -- litellm`.

use super::environment;

/// Where it is, and the key that it asks for. Its models are in `tests/litellm.yaml`.
#[derive(Debug, Clone)]
pub struct Litellm {
    /// `http://127.0.0.1:…/v1`
    pub url: String,
    /// Its master key.
    pub key: String,
}

/// The proxy of this run.
pub fn litellm() -> Litellm {
    Litellm { url: environment("COURANT_TEST_LITELLM"), key: environment("COURANT_TEST_LITELLM_KEY") }
}
