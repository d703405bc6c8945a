//! Real calls to a server that somebody else wrote: LiteLLM's proxy, whose models answer, ramble, fail or have had enough.
//!
//! `make bench ARGS=litellm` installs and starts it; that takes minutes, so it is no test. Each promise is a figure of 1 or 0.

use jiff::Timestamp;
use llm::{Answer, Article, CallError, Key, Kind, Llm, Nonce, Options, Prompt};
use std::time::{Duration, Instant};
use testkit::services::{Litellm, litellm};
use trial::{Bar, figure, remark};

#[tokio::main]
async fn main() {
    let server = litellm();
    let answered = call(&server, "answers", &server.key).await;
    promise("an answer is understood, with what it cost", &answered, |result| {
        let right = |answer: &Answer| answer.json["one_line"] == "Rain on Monday." && answer.usage.prompt_tokens > 0;
        result.as_ref().is_ok_and(right)
    });
    let rambled = call(&server, "rambles", &server.key).await;
    promise("an answer that is no JSON is of no use", &rambled, |result| {
        matches!(result, Err(CallError::BadAnswer { .. }))
    });
    let failed = call(&server, "fails", &server.key).await;
    promise("an error of the model is temporary", &failed, |result| matches!(result, Err(CallError::Temporary { .. })));
    let limited = call(&server, "limited", &server.key).await;
    promise("429 asks for patience", &limited, |result| matches!(result, Err(CallError::RateLimited { .. })));
    let unknown = call(&server, "nobody", &server.key).await;
    promise("a model that is not there is a permanent error", &unknown, |result| {
        matches!(result, Err(CallError::Permanent { .. }))
    });
    let stranger = call(&server, "answers", "sk-wrong-key-0123456789").await;
    promise("a wrong key is a permanent error that does not repeat it", &stranger, |result| {
        let quiet = |error: &CallError| !error.to_string().contains("wrong-key");
        matches!(result, Err(error @ CallError::Permanent { .. }) if quiet(error))
    });
    let begun = Instant::now();
    for _ in 0..20 {
        call(&server, "answers", &server.key).await.expect("it answered before");
    }
    remark("litellm", "ms a call", begun.elapsed().as_secs_f64() * 1000.0 / 20.0, "one after the other");
}

async fn call(server: &Litellm, model: &str, key: &str) -> Result<Answer, CallError> {
    let options = Options::new(Some("litellm"), Some(&server.url), model, Key::new(key)).expect("valid options");
    let options = Options { timeout: Duration::from_mins(1), ..options };
    let llm = Llm::new(options, fetch::Options::default(), Timestamp::now).expect("a client");
    let article = Article { title: "Rain", text: "Rain fell on Monday. It was cold.", most_chars: 1000 };
    llm.complete(&Prompt::for_kind(Kind::Summary, None, Some("en"), &article, &Nonce::new([9; 16]))).await
}

fn promise(what: &str, result: &Result<Answer, CallError>, kept: impl Fn(&Result<Answer, CallError>) -> bool) {
    let note = match result {
        Ok(answer) => format!("answered by {}", answer.model),
        Err(error) => error.to_string(),
    };
    figure("litellm", what, f64::from(u8::from(kept(result))), Bar::AtLeast(1.0), &note);
}
