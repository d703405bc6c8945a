//! Hears the wake-ups of other processes: one connection beside the pool, opened when the first task waits.
//!
//! What was sent while nobody listened is lost, so every waiter is woken whenever listening begins (again). A connection
//! that ends is opened again after a pause that grows; meanwhile waiters poll.

use super::open::Dialler;
use crate::StoreError;
use crate::db::wake::{Topic, Topics, Waiters};
use futures_util::StreamExt as _;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::AsyncMessage;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Listens until it is aborted.
pub(super) async fn listen(dialler: Dialler, waiters: Arc<Waiters>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let mut listening = false;
        let why = match listen_once(&dialler, &waiters, &mut listening).await {
            Ok(()) => "the server closed the connection".to_owned(),
            Err(error) => error.to_string(),
        };
        if listening {
            pause = FIRST_PAUSE;
        }
        // Waiters poll, so that nothing stands still; a server that is away is reported where it is asked.
        tracing::debug!(database = dialler.name(), %why, retry_ms = pause.as_millis() as u64, "not listening for wake-ups");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Listens until the connection ends; `listening` says whether it came to that.
async fn listen_once(dialler: &Dialler, waiters: &Waiters, listening: &mut bool) -> Result<(), StoreError> {
    let (client, mut connection) = dialler.connect().await?;
    let mut messages = futures_util::stream::poll_fn(move |context| connection.poll_message(context));
    let fail = |error| super::run::explain(dialler.name(), "listen for wake-ups", error);
    let begin = async {
        let channels = Topic::ALL.map(|topic| format!("LISTEN {}", topic.channel()));
        client.batch_execute(&channels.join("; ")).await.map_err(fail)?;
        *listening = true;
        waiters.wake(topics(|_| true));
        // Without its client the connection ends.
        std::future::pending::<Result<(), StoreError>>().await
    };
    let hear = async {
        while let Some(message) = messages.next().await {
            if let AsyncMessage::Notification(heard) = message.map_err(fail)? {
                waiters.wake(topics(|topic| topic.channel() == heard.channel()));
            }
        }
        Ok(())
    };
    tokio::select! {
        ended = begin => ended,
        ended = hear => ended,
    }
}

fn topics(which: impl Fn(Topic) -> bool) -> Topics {
    let mut topics = Topics::default();
    for topic in Topic::ALL.into_iter().filter(|topic| which(*topic)) {
        topics.add(topic);
    }
    topics
}
