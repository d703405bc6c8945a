//! JSON schemas, as far as answers need them: types, properties, lists, choices, limits. Pure.
//!
//! `fitted` is tolerant where the meaning is certain (a number in quotes, a choice in capitals, unknown properties, a
//! list that is too long) and refuses the rest with a path. Its recursion follows the schema, which is ours, never the
//! answer.

use serde_json::{Map, Value};

/// Keywords that some servers refuse in schemas they enforce. Answers are checked for them here.
const LIMITS: &[&str] = &["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];

/// The schema as it is sent to a server that enforces it: without limits.
pub(crate) fn for_servers(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let sent = fields.iter().filter(|(name, _)| !LIMITS.contains(&name.as_str())).map(|(name, value)| {
        let value = match (name.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, schema)| (name.clone(), for_servers(schema))).collect()
            }
            ("items", schema) => for_servers(schema),
            _ => value.clone(),
        };
        (name.clone(), value)
    });
    Value::Object(sent.collect())
}

/// The value in the shape that the schema asks for, or why it cannot have it.
pub(crate) fn fitted(value: &Value, schema: &Value) -> Result<Value, String> {
    fit(value, schema, "the answer")
}

fn fit(value: &Value, schema: &Value, path: &str) -> Result<Value, String> {
    if let Some(choices) = schema["enum"].as_array() {
        return choice(value, choices).ok_or_else(|| format!("{path} is none of the choices"));
    }
    match schema["type"].as_str() {
        Some("object") => object(value, schema, path),
        Some("array") => array(value, schema, path),
        Some("string") => string(value, schema, path),
        Some("number") => number(value, schema, path),
        Some("integer") => number(value, schema, path).and_then(|value| {
            if value.is_i64() || value.is_u64() { Ok(value) } else { Err(format!("{path} is not a whole number")) }
        }),
        Some("boolean") if !value.is_boolean() => Err(format!("{path} is neither true nor false")),
        _ => Ok(value.clone()),
    }
}

fn choice(value: &Value, choices: &[Value]) -> Option<Value> {
    let same = |choice: &&Value| match (choice.as_str(), value.as_str()) {
        (Some(choice), Some(text)) => choice.eq_ignore_ascii_case(text.trim()),
        _ => *choice == value,
    };
    choices.iter().find(same).cloned()
}

fn object(value: &Value, schema: &Value, path: &str) -> Result<Value, String> {
    let Value::Object(fields) = value else { return Err(format!("{path} is not an object")) };
    let required = |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    let mut fitted = Map::new();
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        let path = path.strip_prefix("the answer.").unwrap_or(&path);
        match fields.get(name).filter(|value| !value.is_null()) {
            Some(value) => {
                fitted.insert(name.clone(), fit(value, schema, path)?);
            }
            None if required(name) => return Err(format!("{path} is missing")),
            None => {}
        }
    }
    Ok(Value::Object(fitted))
}

fn array(value: &Value, schema: &Value, path: &str) -> Result<Value, String> {
    let Value::Array(items) = value else { return Err(format!("{path} is not a list")) };
    let most = limit(schema, "maxItems").unwrap_or(usize::MAX);
    if items.len() < limit(schema, "minItems").unwrap_or(0) {
        return Err(format!("{path} has too few items"));
    }
    let fitted = items.iter().take(most).map(|item| fit(item, &schema["items"], &format!("{path}[]")));
    fitted.collect::<Result<Vec<_>, _>>().map(Value::Array)
}

fn string(value: &Value, schema: &Value, path: &str) -> Result<Value, String> {
    let text = value.as_str().ok_or_else(|| format!("{path} is not text"))?.trim();
    let length = text.chars().count();
    if length < limit(schema, "minLength").unwrap_or(0) {
        return Err(if length == 0 { format!("{path} is empty") } else { format!("{path} is too short") });
    }
    match limit(schema, "maxLength") {
        Some(most) if length > most => Err(format!("{path} is longer than {most} characters")),
        _ => Ok(text.into()),
    }
}

fn number(value: &Value, schema: &Value, path: &str) -> Result<Value, String> {
    let read = || serde_json::from_str::<Value>(value.as_str()?.trim()).ok().filter(Value::is_number);
    let number = if value.is_number() { Some(value.clone()) } else { read() };
    let number = number.ok_or_else(|| format!("{path} is not a number"))?;
    let size = number.as_f64().ok_or_else(|| format!("{path} is not a number"))?;
    let below = schema["minimum"].as_f64().is_some_and(|least| size < least);
    let above = schema["maximum"].as_f64().is_some_and(|most| size > most);
    if below || above { Err(format!("{path} is out of range")) } else { Ok(number) }
}

fn limit(schema: &Value, name: &str) -> Option<usize> {
    schema[name].as_u64().and_then(|limit| usize::try_from(limit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "title": {"type": "string", "minLength": 1, "maxLength": 12},
                "mood": {"enum": ["good", "bad"]},
                "score": {"type": "number", "minimum": 0, "maximum": 1},
                "count": {"type": "integer"},
                "sure": {"type": "boolean"},
                "topics": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string"}},
                "inner": {"type": "object", "properties": {"maximum": {"type": "number", "maximum": 3}}, "required": ["maximum"]},
            },
            "required": ["title"],
        })
    }

    #[test]
    fn answers() {
        let check = |answer: Value, expected: &str| {
            let told = fitted(&answer, &schema()).map_or_else(|why| why, |value| value.to_string());
            assert_eq!(told, expected, "{answer}");
        };
        check(json!({"title": "  A  "}), r#"{"title":"A"}"#);
        check(json!({"title": "A", "extra": [[[]]], "mood": null}), r#"{"title":"A"}"#);
        check(json!({"title": "A", "mood": " GOOD"}), r#"{"mood":"good","title":"A"}"#);
        check(json!({"title": "A", "score": "0.5", "count": 3}), r#"{"count":3,"score":0.5,"title":"A"}"#);
        check(json!({"title": "A", "topics": ["a", "b", "c"]}), r#"{"title":"A","topics":["a","b"]}"#);
        check(json!({"title": "日本語のとても長い題名"}), r#"{"title":"日本語のとても長い題名"}"#);
        check(json!({}), "title is missing");
        check(json!({"title": null}), "title is missing");
        check(json!({"title": " "}), "title is empty");
        check(json!({"title": 7}), "title is not text");
        check(json!({"title": "too long for it"}), "title is longer than 12 characters");
        check(json!({"title": "A", "mood": "fine"}), "mood is none of the choices");
        check(json!({"title": "A", "mood": ["good"]}), "mood is none of the choices");
        check(json!({"title": "A", "score": 7}), "score is out of range");
        check(json!({"title": "A", "score": -0.1}), "score is out of range");
        check(json!({"title": "A", "score": "high"}), "score is not a number");
        check(json!({"title": "A", "score": "NaN"}), "score is not a number");
        check(json!({"title": "A", "score": [1]}), "score is not a number");
        check(json!({"title": "A", "count": 1.5}), "count is not a whole number");
        check(json!({"title": "A", "sure": "yes"}), "sure is neither true nor false");
        check(json!({"title": "A", "topics": "a"}), "topics is not a list");
        check(json!({"title": "A", "topics": []}), "topics has too few items");
        check(json!({"title": "A", "topics": [1]}), "topics[] is not text");
        check(json!({"title": "A", "inner": {}}), "inner.maximum is missing");
        check(json!({"title": "A", "inner": {"maximum": 4}}), "inner.maximum is out of range");
        check(json!([]), "the answer is not an object");
        check(json!("text"), "the answer is not an object");
    }

    #[test]
    fn servers_get_no_limits_and_every_property() {
        let sent = for_servers(&schema());
        assert_eq!(sent["properties"]["title"], json!({"type": "string"}));
        assert_eq!(sent["properties"]["topics"], json!({"type": "array", "items": {"type": "string"}}));
        assert_eq!(sent["properties"]["inner"]["properties"], json!({"maximum": {"type": "number"}}));
        assert_eq!(sent["required"], json!(["title"]));
    }
}
