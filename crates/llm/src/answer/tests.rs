//! Tables of responses, friendly and hostile, and what they mean.

use super::*;
use proptest::prelude::*;
use serde_json::json;

const KEY: &str = "sk-0123456789abcdef";

fn schema() -> Value {
    let score = json!({"type": "number", "minimum": 0, "maximum": 1});
    json!({
        "type": "object",
        "properties": {"title": {"type": "string", "minLength": 1, "maxLength": 100}, "score": score},
        "required": ["title"],
    })
}

fn read_with(status: u16, headers: &[(&str, &str)], body: &[u8], schema: Option<&Value>) -> Result<Answer, CallError> {
    let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let (key, now) = (Key::new(KEY), "2026-11-18T09:00:00Z".parse().unwrap());
    let took = Duration::from_millis(5);
    let asked = Asked { schema, prompt_tokens: 70, max_tokens: 300, model: "asked", key: &key, now, took };
    read(status, &headers, body, &asked)
}

/// An answer or an error in one line.
fn told(result: &Result<Answer, CallError>) -> String {
    let shown = |usage: &Usage| {
        let estimated = if usage.estimated { " estimated" } else { "" };
        format!("{}+{}{estimated}", usage.prompt_tokens, usage.completion_tokens)
    };
    match result {
        Ok(answer) => format!("{} by {}, {}", answer.json, answer.model, shown(&answer.usage)),
        Err(CallError::BadAnswer { why, usage }) => format!("bad: {why}, {}", shown(usage)),
        Err(CallError::RateLimited { why, retry_at }) => {
            format!("wait: {why}, until {}", retry_at.map_or("-".into(), |at| format!("{at:.0}")))
        }
        Err(CallError::Temporary { why, .. }) => format!("temporary: {why}"),
        Err(CallError::Permanent { why }) => format!("permanent: {why}"),
    }
}

#[track_caller]
fn check(status: u16, headers: &[(&str, &str)], body: &str, expected: &str) {
    let result = read_with(status, headers, body.as_bytes(), Some(&schema()));
    assert_eq!(told(&result), expected, "{status} {body:.300}");
    let all = format!("{result:?} {}", result.as_ref().err().map(ToString::to_string).unwrap_or_default());
    assert!(!all.contains(KEY) && !all.contains("0123456789"), "{all}");
}

fn completion(content: &Value, finish: &str) -> String {
    let usage = json!({"prompt_tokens": 50, "completion_tokens": 9, "total_tokens": 59});
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish});
    json!({"id": "1", "object": "chat.completion", "model": "m-1", "choices": [choice], "usage": usage}).to_string()
}

#[test]
fn answers() {
    let good = r#"{"title":"A"} by m-1, 50+9"#;
    check(200, &[], &completion(&json!(r#"{"title": "A"}"#), "stop"), good);
    check(200, &[], &completion(&json!("```json\n{\"title\": \"A\",}\n```"), "stop"), good);
    check(200, &[], &completion(&json!([{"type": "text", "text": "{\"title\":"}, {"text": "\"A\"}"}]), "stop"), good);
    // The object was complete before the limit was reached.
    check(200, &[], &completion(&json!("{\"title\": \"A\"}\n\n\n"), "length"), good);
    check(200, &[], &completion(&json!(r#"{"title": "<b>A</b>"}"#), "stop"), r#"{"title":"<b>A</b>"} by m-1, 50+9"#);
    let bare = json!({"choices": [{"message": {"content": "{\"title\": \"A\"}"}}]}).to_string();
    check(200, &[], &bare, r#"{"title":"A"} by asked, 70+11 estimated"#);
    let usage = |usage: Value| {
        json!({"choices": [{"message": {"content": "{\"title\": \"A\"}"}}], "usage": usage, "model": ""}).to_string()
    };
    let estimated = r#"{"title":"A"} by asked, 70+11 estimated"#;
    check(200, &[], &usage(json!({"prompt_tokens": 0, "completion_tokens": 0})), estimated);
    check(200, &[], &usage(json!({"prompt_tokens": -5, "completion_tokens": "many"})), estimated);
    check(200, &[], &usage(json!({"prompt_tokens": u64::MAX, "completion_tokens": 1})), estimated);
    check(200, &[], &usage(json!(["x"])), estimated);
}

#[test]
fn text_without_a_schema() {
    let result = read_with(200, &[], completion(&json!("Just text."), "stop").as_bytes(), None);
    assert_eq!(told(&result), r#""Just text." by m-1, 50+9"#);
    let result = read_with(200, &[], completion(&json!(" "), "length").as_bytes(), None);
    assert_eq!(told(&result), "bad: it is empty; it ended at the limit of 300 tokens, 50+9");
}

#[test]
fn answers_that_cannot_be_used() {
    let content = |content: &str, finish: &str| completion(&json!(content), finish);
    check(200, &[], "", "bad: it is empty, 70+300 estimated");
    check(200, &[], "<html>Welcome</html>", "bad: it is a web page, not JSON, 70+300 estimated");
    check(200, &[], "OK", "bad: it is not JSON, 70+300 estimated");
    check(200, &[], "null", "bad: it contains no choice, 70+300 estimated");
    check(200, &[], "[1, 2]", "bad: it contains no choice, 70+300 estimated");
    check(200, &[], r#"{"choices": []}"#, "bad: it contains no choice, 70+300 estimated");
    check(200, &[], r#"{"choices": {"0": 1}}"#, "bad: it contains no choice, 70+300 estimated");
    check(200, &[], r#"{"choices": ["text"]}"#, "bad: it is empty, 70+300 estimated");
    check(200, &[], &completion(&Value::Null, "tool_calls"), "bad: it is empty, 50+9");
    check(200, &[], &content("", "stop"), "bad: it is empty, 50+9");
    check(200, &[], &content("I'd rather not.", "stop"), "bad: it is not JSON, 50+9");
    check(200, &[], &content(r#"{"titel": "A"}"#, "stop"), "bad: title is missing, 50+9");
    check(200, &[], &content(r#"{"title": 5}"#, "stop"), "bad: title is not text, 50+9");
    check(200, &[], &content(r#"{"title": "A", "score": 7}"#, "stop"), "bad: score is out of range, 50+9");
    check(
        200,
        &[],
        &content(r#"{"title": "A tit"#, "length"),
        "bad: its JSON is cut off; it ended at the limit of 300 tokens, 50+9",
    );
    check(200, &[], &content("", "content_filter"), "bad: a filter of the server removed it, 50+9");
    check(200, &[], &content(&"x".repeat(100_000), "stop"), "bad: it is longer than 65536 bytes, 50+9");
    let long = format!("{{\"title\": \"{}\"}}", "x".repeat(60_000));
    check(200, &[], &content(&long, "stop"), "bad: title is longer than 100 characters, 50+9");
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    check(200, &[], &deep, "bad: it is not JSON, 70+300 estimated");
    check(
        200,
        &[],
        &content(&format!("{{\"title\": {}}}", &deep[..]), "stop"),
        "bad: it is longer than 65536 bytes, 50+9",
    );
    check(
        200,
        &[],
        &json!({"choices": [{"message": {"content": null, "refusal": "No.\n\tNot that."}}]}).to_string(),
        "bad: the model refused: No. Not that., 70+300 estimated",
    );
    let invalid = read_with(200, &[], b"{\"choices\": [{\"message\": {\"content\": \"\xff\"}}]}", Some(&schema()));
    assert_eq!(told(&invalid), "bad: it is not UTF-8, 70+300 estimated");
}

#[test]
fn errors_in_a_success() {
    let error = |error: Value| json!({ "error": error }).to_string();
    check(200, &[], &error(json!("model is loading")), "bad: it is an error: model is loading, 70+300 estimated");
    check(200, &[], &error(json!({"message": "bad"})), "bad: it is an error: bad, 70+300 estimated");
    check(200, &[], &error(json!({"code": 503, "message": "later"})), "temporary: it answered 503: later");
    check(200, &[], &error(json!({"code": "400", "message": "no"})), "permanent: it answered 400: no");
    check(200, &[], &error(json!({"type": "rate_limit_exceeded"})), "wait: it answered 429, until -");
    check(
        200,
        &[("retry-after", "5")],
        &error(json!({"code": 429})),
        "wait: it answered 429, until 2026-11-18T09:00:05Z",
    );
    check(200, &[], &error(json!({"code": 200})), "bad: it is an error, 70+300 estimated");
}

#[test]
fn statuses() {
    let error = |message: &str| json!({"error": {"message": message, "type": "x"}}).to_string();
    check(
        429,
        &[("retry-after", "120")],
        &error("slow down"),
        "wait: it answered 429: slow down, until 2026-11-18T09:02:00Z",
    );
    let date = "Wed, 18 Nov 2026 10:00:00 GMT";
    check(429, &[("retry-after", date)], "", "wait: it answered 429, until 2026-11-18T10:00:00Z");
    check(429, &[("retry-after", "soon")], "<html>", "wait: it answered 429, until -");
    check(429, &[], "", "wait: it answered 429, until -");
    for status in [500, 502, 503, 504, 529, 408, 409, 425] {
        check(status, &[], "oops", &format!("temporary: it answered {status}"));
    }
    check(500, &[], &error("out of memory"), "temporary: it answered 500: out of memory");
    check(400, &[], &error("unknown field"), "permanent: it answered 400: unknown field");
    check(400, &[], r#"{"error": "must be 'json_schema'"}"#, "permanent: it answered 400: must be 'json_schema'");
    check(404, &[], r#"{"detail": "Not Found"}"#, "permanent: it answered 404: Not Found");
    check(413, &[], r#"{"message": 7}"#, "permanent: it answered 413");
    let key = "the key is missing, wrong or not allowed";
    check(401, &[], &error("Incorrect key: sk-01***cdef"), &format!("permanent: it answered 401: {key}"));
    check(403, &[], "", &format!("permanent: it answered 403: {key}"));
    check(
        400,
        &[],
        &error(&format!("bad header Bearer {KEY}\u{7}")),
        "permanent: it answered 400: bad header Bearer ***",
    );
    check(400, &[], &error(&"long ".repeat(9000)), &format!("permanent: it answered 400: {}…", "long ".repeat(40)));
    let redirect = "which is not followed; configure the final URL";
    check(
        308,
        &[("location", "https://ada:pass@other.example/v1?key=1")],
        "",
        &format!("permanent: it answered 308, a redirect to https://other.example, {redirect}"),
    );
    check(302, &[], "", &format!("permanent: it answered 302, a redirect, {redirect}"));
}

#[test]
fn a_stream_that_nobody_asked_for() {
    let chunk =
        |text: &str| format!("data: {}\n\n", json!({"model": "m-1", "choices": [{"delta": {"content": text}}]}));
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 50, "completion_tokens": 9}});
    let stream = format!("{}: a comment\n\n{}data: {end}\n\ndata: [DONE]\n\n", chunk("{\"title\":"), chunk(" \"A\"}"));
    check(200, &[], &stream, r#"{"title":"A"} by m-1, 50+9"#);
    check(200, &[], &chunk("{\"title\": "), "bad: its JSON is cut off, 70+7 estimated");
    check(200, &[], "data: [DONE]\n\n", "bad: it is not JSON, 70+300 estimated");
    check(200, &[], "data: {\"error\": {\"message\": \"no\"}}\n\n", "bad: it is an error: no, 70+300 estimated");
}

proptest! {
    #[test]
    fn any_bytes_are_understood_or_refused(status in 100_u16..=999, body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read_with(status, &[("retry-after", "x"), ("location", "y")], &body, Some(&schema()));
    }

    /// JSON of any shape in every place that is looked at.
    #[test]
    fn any_shape_is_understood_or_refused(
        place in prop::sample::select(vec!["choices", "error", "usage", "model"]),
        shape in prop::sample::select(vec![json!(null), json!(1), json!("x"), json!([[]]), json!({"message": {}}), json!([{"message": []}])]),
    ) {
        let mut body: Value = serde_json::from_str(&completion(&json!("{\"title\": \"A\"}"), "stop")).unwrap();
        body[place] = shape;
        let _ = read_with(200, &[], body.to_string().as_bytes(), Some(&schema()));
    }
}
