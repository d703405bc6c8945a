//! The options of a model's server, checked once.
//!
//! Plain data. The URL never has a login or a query: a key in a URL would reach logs and error messages of others.

use crate::error::SetupError;
use crate::key::Key;
use crate::profile::Profile;
use std::time::Duration;
use url::Url;

/// The options of a model's server. Its `Debug` hides the key.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is particular to the server.
    pub profile: Profile,
    /// Where it is, if the operator said so; its addresses may then be private. Otherwise the profile's URL.
    pub base_url: Option<Url>,
    /// The model to ask for.
    pub model: String,
    /// The key, if there is one.
    pub key: Key,
    /// How long a call may take, everything included.
    pub timeout: Duration,
    /// The most tokens of an answer, whatever a prompt asks for.
    pub max_tokens: u32,
    /// How much chance there is in an answer; `None` sends nothing.
    pub temperature: Option<f64>,
}

impl Options {
    /// Options from a profile's name, a URL, or both, with the usual limits.
    pub fn new(profile: Option<&str>, base_url: Option<&str>, model: &str, key: Key) -> Result<Self, SetupError> {
        let base_url = base_url.map(read_url).transpose()?;
        let profile = match (profile, &base_url) {
            (Some(name), _) => {
                Profile::named(name).ok_or_else(|| wrong("profile", format!("there is none of the name {name:?}")))?
            }
            (None, Some(url)) => Profile::guessed(url),
            (None, None) => return Err(wrong("url", "neither a URL nor a profile is given")),
        };
        let timeout = Duration::from_secs(30);
        let options = Self {
            profile,
            base_url,
            model: model.trim().to_owned(),
            key,
            timeout,
            max_tokens: 1024,
            temperature: Some(0.0),
        };
        options.check()?;
        Ok(options)
    }

    /// What is wrong with them, if anything.
    pub(crate) fn check(&self) -> Result<(), SetupError> {
        self.endpoint()?;
        if self.model.is_empty() {
            return Err(wrong("model", "it is empty"));
        }
        if self.key.is_empty() && self.profile.needs_key {
            return Err(wrong("key", format!("{} answers nobody without one", self.profile.name)));
        }
        if self.timeout.is_zero() {
            return Err(wrong("timeout", "it is zero"));
        }
        if self.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return Err(wrong("temperature", "it is not between 0 and 2"));
        }
        if self.max_tokens == 0 {
            return Err(wrong("max_tokens", "it is zero"));
        }
        Ok(())
    }

    /// The URL of calls. A base URL without a path gets `/v1`, which people leave out.
    pub(crate) fn endpoint(&self) -> Result<Url, SetupError> {
        let mut url = match &self.base_url {
            Some(url) => checked(url.clone())?,
            None => read_url(self.profile.base_url)?,
        };
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix("/chat/completions").unwrap_or(path);
        let path = if path.is_empty() { "/v1" } else { path };
        let path = format!("{path}/chat/completions");
        url.set_path(&path);
        Ok(url)
    }

    /// Whether the server may be at a private address: the operator chose it.
    pub(crate) fn may_be_private(&self) -> bool {
        self.base_url.is_some() || self.profile.local
    }
}

fn read_url(text: &str) -> Result<Url, SetupError> {
    if text.trim().is_empty() {
        return Err(wrong("url", "it is empty, and the profile has none"));
    }
    checked(Url::parse(text.trim()).map_err(|error| wrong("url", error.to_string()))?)
}

/// The messages do not repeat the URL: it may contain the key that is refused.
fn checked(mut url: Url) -> Result<Url, SetupError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("url", "its scheme is neither http nor https"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("url", "it contains a login; the key is an option of its own"));
    }
    if url.query().is_some() {
        return Err(wrong("url", "it contains a query; the key is an option of its own"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn wrong(option: &'static str, why: impl Into<String>) -> SetupError {
    SetupError::Option { option, why: why.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_and_refusals() {
        let check = |profile: &str, url: &str, expected: &str| {
            let (profile, url) = (Some(profile).filter(|p| !p.is_empty()), Some(url).filter(|u| !u.is_empty()));
            let options = Options::new(profile, url, "m", Key::new("sk-secret-secret"));
            let told = options.map_or_else(
                |error| error.to_string(),
                |options| {
                    let private = if options.may_be_private() { ", may be private" } else { "" };
                    format!("{} {}{private}", options.profile.name, options.endpoint().unwrap())
                },
            );
            assert!(!told.contains("secret"), "{told}");
            assert_eq!(told.strip_prefix("the option ").unwrap_or(&told), expected, "{profile:?} {url:?}");
        };
        check("openai", "", "openai https://api.openai.com/v1/chat/completions");
        check("ollama", "", "ollama http://localhost:11434/v1/chat/completions, may be private");
        check("", "http://gpu.lan:8000", "vllm http://gpu.lan:8000/v1/chat/completions, may be private");
        check("", "http://gpu.lan/v1/", "compatible http://gpu.lan/v1/chat/completions, may be private");
        check("", "http://gpu.lan/openai/v1#x", "compatible http://gpu.lan/openai/v1/chat/completions, may be private");
        check(
            "LM Studio",
            "https://api.openai.com/v1/chat/completions",
            "lmstudio https://api.openai.com/v1/chat/completions, may be private",
        );
        let url = |why: &str| format!("url for the model cannot be used: {why}");
        check("", "", &url("neither a URL nor a profile is given"));
        check("compatible", "", &url("it is empty, and the profile has none"));
        check("", "ftp://gpu.lan/", &url("its scheme is neither http nor https"));
        check("", "gpu.lan", &url("relative URL without a base"));
        check("", "http://me:sk-secret@gpu.lan/", &url("it contains a login; the key is an option of its own"));
        check("", "http://gpu.lan/?key=sk-secret", &url("it contains a query; the key is an option of its own"));
        check("hal", "", "profile for the model cannot be used: there is none of the name \"hal\"");
    }

    #[test]
    fn what_is_missing_is_told() {
        let check = |options: Result<Options, SetupError>, expected: &str| {
            let told = options.map_or_else(|error| error.to_string(), |options| format!("{:?}", options.check()));
            assert!(told.contains(expected), "{told}");
        };
        check(Options::new(Some("openai"), None, "m", Key::default()), "openai answers nobody without one");
        check(
            Options::new(Some("ollama"), None, " ", Key::default()),
            "model for the model cannot be used: it is empty",
        );
        let options = Options::new(Some("ollama"), None, "m", Key::default()).unwrap();
        check(Ok(Options { timeout: Duration::ZERO, ..options.clone() }), "timeout");
        check(Ok(Options { temperature: Some(f64::NAN), ..options.clone() }), "temperature");
        check(Ok(Options { temperature: Some(2.1), ..options.clone() }), "temperature");
        check(Ok(Options { max_tokens: 0, ..options }), "max_tokens");
    }
}
