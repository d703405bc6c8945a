//! A call that succeeds: what is sent, and what comes back, also from servers that ignore the schema.

use crate::{KEY, client, options, prompt, summary, told};
use llm::{CallError, Llm, Options, Profile, Usage};
use serde_json::json;
use testkit::{ModelServer, Reply};

#[tokio::test]
async fn a_prompt_is_sent_and_its_answer_returned_with_its_usage() {
    let server = ModelServer::start().await;
    server.then(Reply::json(&summary()));
    let llm = client(&server);
    let answer = llm.complete(&prompt()).await.unwrap();
    assert_eq!((answer.json, answer.model.as_str()), (summary(), "scripted"));
    assert_eq!(answer.usage, Usage { prompt_tokens: 100, completion_tokens: 20, estimated: false });
    assert!(!answer.took.is_zero());

    let requests = server.requests();
    let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert_eq!(request.line, "POST /v1/chat/completions");
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("cookie"), None);
    let body = &request.body;
    assert_eq!(
        (&body["model"], &body["stream"], &body["temperature"]),
        (&json!("small-model"), &json!(false), &json!(0.0))
    );
    assert_eq!(body["max_tokens"], json!(prompt().max_tokens));
    assert_eq!(body["response_format"]["json_schema"]["name"], json!("summary"));
    assert_eq!(body.get("tools"), None);
    assert_eq!(
        (request.message("system"), request.message("user")),
        (prompt().system.as_str(), prompt().user.as_str())
    );
    assert!(!body.to_string().contains(KEY), "{body}");
}

#[tokio::test]
async fn a_server_that_ignores_the_schema_is_understood() {
    let server = ModelServer::start().await;
    let llm = client(&server);
    let written = summary().to_string();
    for content in [
        format!("```json\n{written}\n```"),
        format!("Here is your summary:\n\n{written}\n\nAnything else?"),
        format!("<think>The user wants {{}}…</think>\n{written}"),
        written.replace('}', ",}"),
        written.replace('"', "'"),
        written.replace('}', ", \"note\": [1, 2]}"),
    ] {
        server.then(Reply::content(&content));
        assert_eq!(told(&llm.complete(&prompt()).await), "\"Rain on Monday.\" by scripted", "{content}");
    }
}

#[tokio::test]
async fn a_profile_without_schemas_has_it_in_the_prompt() {
    let server = ModelServer::start().await;
    server.then(Reply::json(&summary()));
    let options = Options { profile: Profile::named("compatible").unwrap(), ..options(&server.url()) };
    let llm = Llm::new(options, fetch::Options::default(), crate::now).unwrap();
    assert_eq!(told(&llm.complete(&prompt()).await), "\"Rain on Monday.\" by scripted");
    let request = &server.requests()[0];
    assert_eq!(request.body["response_format"], json!({"type": "json_object"}));
    assert!(request.message("system").contains("\"one_line\""), "{}", request.message("system"));
}

#[tokio::test]
async fn an_answer_of_no_use_says_why_and_what_it_cost() {
    let server = ModelServer::start().await;
    let llm = client(&server);
    for (content, expected) in [
        ("", "it is empty"),
        ("I cannot do that.", "it is not JSON"),
        (r#"{"summary": 7, "one_line": "x"}"#, "summary is not text"),
        (r#"{"summary": "Rain", "one_"#, "its JSON is cut off"),
        (&format!("{{\"summary\": \"{}\"}}", "x".repeat(100_000)), "it is longer than 65536 bytes"),
    ] {
        server.then(Reply::content(content));
        let Err(CallError::BadAnswer { why, usage }) = llm.complete(&prompt()).await else { panic!("{content:.50}") };
        let reported = Usage { prompt_tokens: 100, completion_tokens: 20, estimated: false };
        assert_eq!((why.as_str(), usage), (expected, reported));
    }
}

#[tokio::test]
async fn a_body_without_end_is_not_read_to_its_end() {
    let server = ModelServer::start().await;
    let llm = client(&server);
    server.then(Reply::content(&"x".repeat(5 << 20)));
    let result = llm.complete(&prompt()).await;
    assert_eq!(told(&result), "bad-answer: the model's answer cannot be used: the body has more than 262144 bytes");
    let Err(CallError::BadAnswer { usage, .. }) = result else { unreachable!() };
    assert_eq!(usage, llm.worst_case(&prompt()), "nobody knows what it cost, so it cost the most");
    // An error page may be long; it is an error all the same.
    server.then(Reply::raw(502, "x".repeat(5 << 20)));
    assert_eq!(told(&llm.complete(&prompt()).await), "temporary: the model cannot be reached: it answered 502");
}

#[tokio::test]
async fn what_is_reserved_covers_the_prompt_and_the_longest_answer() {
    let server = ModelServer::start().await;
    let worst = client(&server).worst_case(&prompt());
    assert_eq!((worst.completion_tokens, worst.estimated), (u64::from(prompt().max_tokens), true));
    assert!(worst.prompt_tokens > llm::estimate_tokens(&prompt().system) + llm::estimate_tokens(&prompt().user));
}
