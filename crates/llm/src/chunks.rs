//! A stream of events, from servers that send one although nobody asked: its pieces joined into one answer. Pure.

use serde_json::{Map, Value, json};

/// The answer that the events of a stream add up to, in the form of one that is not streamed; none if it is no stream.
pub(crate) fn joined(text: &str) -> Option<Value> {
    let mut whole = Map::new();
    let (mut content, mut finish) = (String::new(), Value::Null);
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    for event in events.filter_map(|event| serde_json::from_str::<Value>(event.trim()).ok()) {
        for field in ["error", "model", "usage"] {
            if let Some(value) = event.get(field).filter(|value| !value.is_null()) {
                whole.insert(field.to_owned(), value.clone());
            }
        }
        let choice = &event["choices"][0];
        content.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
        if !choice["finish_reason"].is_null() {
            finish = choice["finish_reason"].clone();
        }
        whole.entry("choices").or_insert(Value::Null);
    }
    if whole.is_empty() {
        return None;
    }
    whole.insert("choices".to_owned(), json!([{"message": {"content": content}, "finish_reason": finish}]));
    Some(Value::Object(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams() {
        let check = |text: &str, expected: &str| {
            let told = joined(text).map_or("none".to_owned(), |value| value.to_string());
            assert_eq!(told, expected, "{text:?}");
        };
        check("", "none");
        check("{\"choices\": []}", "none");
        check("data: [DONE]", "none");
        check("data: nonsense\n", "none");
        check(
            "event: x\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\ndata:{\"model\":\"m\"}\n",
            r#"{"choices":[{"finish_reason":null,"message":{"content":"a"}}],"model":"m"}"#,
        );
        check("data: {}\n", r#"{"choices":[{"finish_reason":null,"message":{"content":""}}]}"#);
    }
}
