//! The time limit, without real time: the clock advances whenever all tasks wait, which needs a network without sockets.

use crate::{now, options, prompt, summary, told};
use fetch::{Dialled, Network, Promise};
use llm::{Llm, Options};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep};

/// A server that thinks for so long before it answers.
struct Thinks(Duration);

impl Network for Thinks {
    fn resolve<'a>(&'a self, _: &'a str) -> Promise<'a, Vec<IpAddr>> {
        Box::pin(async { Ok(vec![[10, 0, 0, 7].into()]) })
    }

    fn dial(&self, peer: SocketAddr) -> Promise<'_, Dialled> {
        let (stream, mut other) = tokio::io::duplex(64 << 10);
        let thinks = self.0;
        tokio::spawn(async move {
            let _ = other.read(&mut [0; 16 << 10]).await;
            sleep(thinks).await;
            let body = json!({"choices": [{"message": {"content": summary().to_string()}}]}).to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = other.write_all(format!("{head}{body}").as_bytes()).await;
        });
        Box::pin(async move { Ok(Dialled { stream: Box::new(stream), peer }) })
    }
}

/// What a call says, and after how many seconds.
async fn called(thinks: u64, limit: u64) -> (String, u64) {
    let options = Options { timeout: Duration::from_secs(limit), ..options("http://gpu.lan:8000/v1") };
    let network = Arc::new(Thinks(Duration::from_secs(thinks)));
    let llm = Llm::with_network(options, fetch::Options::default(), network, now).unwrap();
    let begun = Instant::now();
    let told = told(&llm.complete(&prompt()).await);
    (told, begun.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn a_model_may_think_until_the_limit_and_no_longer() {
    let answered = |seconds| ("\"Rain on Monday.\" by small-model".to_owned(), seconds);
    let timed_out = "temporary: the model cannot be reached: timed out while waiting for the answer";
    assert_eq!(called(29, 30).await, answered(29), "longer than a feed may take");
    assert_eq!(called(31, 30).await, (timed_out.to_owned(), 30));
    assert_eq!(called(110, 120).await, answered(110));
    assert_eq!(called(3, 2).await, (timed_out.to_owned(), 2));
}
