//! How servers with OpenAI's interface differ, as data.
//!
//! A profile is chosen by its name or guessed from the base URL; its fields may be changed afterwards. Pure.

use url::Url;

/// How a server is asked for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With `response_format: json_schema`: the server sees to it that the answer fits.
    JsonSchema,
    /// With `response_format: json_object`: the answer is JSON; the schema is part of the prompt.
    JsonObject,
    /// With words alone: the schema is part of the prompt.
    Words,
}

/// What is particular to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its name in the configuration.
    pub name: &'static str,
    /// Where it is, unless the operator says so; empty if nobody can know.
    pub base_url: &'static str,
    /// How it is asked for JSON.
    pub format: Format,
    /// The field that limits the answer: `max_tokens`, or `max_completion_tokens`.
    pub limit_field: &'static str,
    /// Whether it answers nobody without a key.
    pub needs_key: bool,
    /// Whether it runs on the operator's machine, so that the default URL may be a private address.
    pub local: bool,
    /// Models, by the beginning of their names, that refuse any `temperature` but their own.
    pub fixed_temperature: &'static [&'static str],
}

/// A server that nobody knows more of.
const COMPATIBLE: Profile = Profile {
    name: "compatible",
    base_url: "",
    format: Format::JsonObject,
    limit_field: "max_tokens",
    needs_key: false,
    local: false,
    fixed_temperature: &[],
};

const fn local(name: &'static str, base_url: &'static str) -> Profile {
    Profile { name, base_url, format: Format::JsonSchema, local: true, ..COMPATIBLE }
}

const fn hosted(name: &'static str, base_url: &'static str, fixed_temperature: &'static [&'static str]) -> Profile {
    let format = Format::JsonSchema;
    let limit_field = "max_completion_tokens";
    Profile { name, base_url, format, limit_field, needs_key: true, local: false, fixed_temperature }
}

/// All profiles. The last one is for servers that are none of the others.
pub static PROFILES: &[Profile] = &[
    hosted("cerebras", "https://api.cerebras.ai/v1", &[]),
    hosted("openai", "https://api.openai.com/v1", &["gpt-5", "o1", "o3", "o4"]),
    local("ollama", "http://localhost:11434/v1"),
    // It refuses `json_object`.
    local("lmstudio", "http://localhost:1234/v1"),
    local("vllm", "http://localhost:8000/v1"),
    local("llamacpp", "http://localhost:8080/v1"),
    // What it forwards to is unknown; models without schemas understand words.
    Profile { format: Format::JsonObject, ..local("litellm", "http://localhost:4000/v1") },
    COMPATIBLE,
];

impl Profile {
    /// The profile of this name; spaces, dots, hyphens and case do not count (`LM Studio`, `llama.cpp`).
    pub fn named(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        PROFILES.iter().find(|profile| profile.name == plain).cloned()
    }

    /// The profile of a server by its host, or else by its port if that is the usual one of a local server.
    pub fn guessed(base_url: &Url) -> Self {
        let host = base_url.host_str();
        let same_host = |known: &Url| known.host_str() == host;
        let same_port = |known: &Url| known.port().is_some() && known.port() == base_url.port();
        let matches = |profile: &&Profile| {
            let known = Url::parse(profile.base_url).ok();
            known.is_some_and(|known| if profile.local { same_port(&known) } else { same_host(&known) })
        };
        PROFILES.iter().find(matches).unwrap_or(&COMPATIBLE).clone()
    }

    /// Whether the model takes a `temperature`.
    pub(crate) fn takes_temperature(&self, model: &str) -> bool {
        !self.fixed_temperature.iter().any(|beginning| model.starts_with(beginning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |name: &str, expected: &str| {
            assert_eq!(Profile::named(name).map_or("none", |profile| profile.name), expected, "{name:?}");
        };
        check("Cerebras", "cerebras");
        check("OpenAI", "openai");
        check("LM Studio", "lmstudio");
        check("llama.cpp", "llamacpp");
        check("vLLM", "vllm");
        check("LiteLLM", "litellm");
        check("compatible", "compatible");
        check("", "none");
        check("hal", "none");
    }

    #[test]
    fn guesses() {
        let check = |url: &str, expected: &str| {
            assert_eq!(Profile::guessed(&Url::parse(url).unwrap()).name, expected, "{url}");
        };
        check("https://api.cerebras.ai/v1", "cerebras");
        check("https://api.openai.com", "openai");
        check("https://api.openai.com.evil.example/v1", "compatible");
        check("http://gpu.lan:11434/v1", "ollama");
        check("http://127.0.0.1:1234", "lmstudio");
        check("http://10.0.0.5:8000/v1", "vllm");
        check("http://10.0.0.5:8080/v1", "llamacpp");
        check("http://proxy:4000", "litellm");
        check("https://models.example/v1", "compatible");
    }

    #[test]
    fn every_default_can_be_used() {
        for profile in PROFILES {
            assert_eq!(Profile::named(profile.name).as_ref(), Some(profile));
            if let Ok(url) = Url::parse(profile.base_url) {
                assert_eq!(&Profile::guessed(&url), profile, "{url}");
                assert_eq!(url.scheme() == "http", profile.local, "{url}: a key is not sent in the clear by default");
            }
        }
    }
}
