//! The key reaches the configured server, and nothing else: no error, no debug output, no other host.

use crate::{KEY, client, now, options, prompt, told};
use llm::{Key, Llm, Options};
use std::fmt::Write as _;
use testkit::{ModelServer, Reply};

#[tokio::test]
async fn no_error_and_no_debug_output_contains_the_key() {
    let server = ModelServer::start().await;
    let llm = client(&server);
    let quoted = format!("Incorrect API key provided: {KEY}. Bearer {KEY} sk-01234***abcdef");
    let mut shown = format!("{llm:?} {:?} {:?}", options(&server.url()), Key::new(KEY));
    for reply in [
        Reply::error(400, &quoted),
        Reply::error(401, &quoted),
        Reply::error(429, &quoted),
        Reply::error(500, &quoted),
        Reply::raw(200, format!("{{\"error\": \"{quoted}\"}}")),
        Reply::raw(200, format!("{{\"choices\": [{{\"message\": {{\"refusal\": \"{quoted}\"}}}}]}}")),
        Reply::raw(307, "").with("location", &format!("https://other.example/{KEY}?key={KEY}")),
    ] {
        server.then(reply);
        let error = llm.complete(&prompt()).await.unwrap_err();
        write!(shown, "\n{error} {error:?}").unwrap();
    }
    assert_eq!(server.count(), 7);
    for piece in [KEY, "0123456789", "01234", "abcdef"] {
        assert!(!shown.contains(piece), "{piece} in {shown}");
    }
    assert!(shown.contains("***"), "{shown}");
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_is_not_shown_either() {
    let server = ModelServer::start().await;
    let options = Options { key: Key::new("sk-first-line\r\nsecond: line"), ..options(&server.url()) };
    let llm = Llm::new(options, fetch::Options::default(), now).unwrap();
    let error = llm.complete(&prompt()).await.unwrap_err();
    assert!(error.kind() == "permanent" && !format!("{error:?}").contains("line"), "{error:?}");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (server, other) = (ModelServer::start().await, ModelServer::start().await);
    let llm = client(&server);
    for status in [301, 302, 303, 307, 308] {
        server.then(Reply::raw(status, "").with("location", &other.url()));
        let expected = format!(
            "permanent: the model's server refuses the request: it answered {status}, a redirect to http://127.0.0.1:{}, \
             which is not followed; configure the final URL",
            other.port()
        );
        assert_eq!(told(&llm.complete(&prompt()).await), expected);
    }
    assert_eq!((server.count(), other.count()), (5, 0));
}
