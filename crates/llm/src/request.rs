//! The body of a request. Pure: the same prompt and options give the same bytes.

use crate::options::Options;
use crate::profile::Format;
use crate::prompt::{JsonSchema, Prompt};
use crate::schema;
use crate::tokens::{PER_MESSAGE, estimate_tokens};
use serde_json::{Map, Value, json};

/// The body of one call.
pub(crate) fn body(options: &Options, prompt: &Prompt) -> Value {
    let profile = &options.profile;
    let mut body = Map::new();
    body.insert("model".into(), options.model.as_str().into());
    body.insert(
        "messages".into(),
        json!([
            {"role": "system", "content": system(profile.format, prompt)},
            {"role": "user", "content": prompt.user},
        ]),
    );
    body.insert(profile.limit_field.into(), max_tokens(options, prompt).into());
    body.insert("stream".into(), false.into());
    if let Some(temperature) = options.temperature.filter(|_| profile.takes_temperature(&options.model)) {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(format) = prompt.schema.as_ref().and_then(|schema| response_format(profile.format, schema)) {
        body.insert("response_format".into(), format);
    }
    Value::Object(body)
}

/// The most tokens of the answer.
pub(crate) fn max_tokens(options: &Options, prompt: &Prompt) -> u32 {
    prompt.max_tokens.clamp(1, options.max_tokens)
}

/// The most tokens that the request is likely to have. Servers count the schema as well.
pub(crate) fn prompt_tokens(format: Format, prompt: &Prompt) -> u64 {
    let enforced = prompt.schema.as_ref().filter(|_| format == Format::JsonSchema);
    let schema = enforced.map_or(0, |schema| estimate_tokens(&schema::for_servers(&schema.schema).to_string()));
    estimate_tokens(&system(format, prompt)) + estimate_tokens(&prompt.user) + schema + 2 * PER_MESSAGE
}

/// Where the server does not enforce the schema, the prompt has to contain it.
fn system(format: Format, prompt: &Prompt) -> String {
    match &prompt.schema {
        Some(schema) if format != Format::JsonSchema => format!(
            "{}\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema:\n{}",
            prompt.system.trim_end(),
            schema.schema
        ),
        _ => prompt.system.clone(),
    }
}

fn response_format(format: Format, schema: &JsonSchema) -> Option<Value> {
    match format {
        Format::JsonSchema => Some(json!({
            "type": "json_schema",
            "json_schema": {"name": schema.name, "strict": true, "schema": schema::for_servers(&schema.schema)},
        })),
        Format::JsonObject => Some(json!({"type": "json_object"})),
        Format::Words => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn prompt() -> Prompt {
        let schema = json!({"type": "object", "properties": {"a": {"type": "number", "maximum": 1}}});
        let schema = JsonSchema { name: "s".into(), schema };
        Prompt { system: "Do it.".into(), user: "With this.".into(), schema: Some(schema), max_tokens: 300 }
    }

    fn sent(profile: &str, model: &str, prompt: &Prompt) -> Value {
        let options = Options::new(Some(profile), Some("http://h/v1"), model, Key::new("sk-secret-secret")).unwrap();
        let body = body(&options, prompt);
        assert!(!body.to_string().contains("secret"), "{body}");
        body
    }

    #[test]
    fn what_every_profile_is_sent() {
        let check = |profile: &str, model: &str, expected: &str| {
            let body = sent(profile, model, &prompt());
            let field = |name: &str| body.get(name).map_or("-".to_owned(), |value| value.to_string());
            let schema_in_words = body["messages"][0]["content"].as_str().unwrap().contains("maximum");
            let told = format!(
                "max_tokens {} max_completion_tokens {} temperature {} format {} in words {schema_in_words}",
                field("max_tokens"),
                field("max_completion_tokens"),
                field("temperature"),
                body["response_format"]["type"].as_str().unwrap_or("-"),
            );
            assert_eq!(told, expected, "{profile} {model}");
        };
        let by_schema = "max_tokens 300 max_completion_tokens - temperature 0.0 format json_schema in words false";
        for local in ["ollama", "lmstudio", "vllm", "llamacpp"] {
            check(local, "m", by_schema);
        }
        let by_object = "max_tokens 300 max_completion_tokens - temperature 0.0 format json_object in words true";
        check("litellm", "m", by_object);
        check("compatible", "m", by_object);
        let hosted = "max_tokens - max_completion_tokens 300 temperature 0.0 format json_schema in words false";
        check("cerebras", "llama-3.3-70b", hosted);
        check("openai", "gpt-4.1-mini", hosted);
        check("openai", "gpt-5-mini", &hosted.replace("0.0", "-"));
    }

    #[test]
    fn the_whole_body() {
        assert_eq!(
            sent("vllm", "m", &prompt()),
            json!({
                "model": "m",
                "messages": [{"role": "system", "content": "Do it."}, {"role": "user", "content": "With this."}],
                "max_tokens": 300,
                "stream": false,
                "temperature": 0.0,
                "response_format": {"type": "json_schema", "json_schema": {
                    "name": "s",
                    "strict": true,
                    "schema": {"type": "object", "properties": {"a": {"type": "number"}}},
                }},
            })
        );
        let text = Prompt { schema: None, max_tokens: 5000, ..prompt() };
        let body = sent("litellm", "m", &text);
        assert_eq!(
            (&body["max_tokens"], body.get("response_format")),
            (&json!(1024), None),
            "the options' limit counts"
        );
        assert_eq!(body["messages"][0]["content"], "Do it.");
    }

    #[test]
    fn a_reservation_covers_what_is_sent() {
        for format in [Format::JsonSchema, Format::JsonObject, Format::Words] {
            let all = format!("{}{}", system(format, &prompt()), prompt().user);
            assert!(prompt_tokens(format, &prompt()) >= estimate_tokens(&all), "{format:?}");
        }
        assert!(
            prompt_tokens(Format::JsonSchema, &prompt())
                > prompt_tokens(Format::JsonSchema, &Prompt { schema: None, ..prompt() })
        );
    }
}
