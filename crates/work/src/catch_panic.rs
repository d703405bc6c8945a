//! A panic ends only the work in which it happens: it becomes an error with its message.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Does the work; a panic in it becomes its message. The work is dropped after a panic, so the state it was left in does not
/// matter; what it shares with others is consistent after each single call.
pub async fn catch_panic<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Err(panic) => Poll::Ready(Err(message(&*panic))),
    })
    .await
}

fn message(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(ToString::to_string);
    literal.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it did not say why".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_becomes_its_message() {
        let check = async |work: fn() -> u8, expected: Result<u8, &str>| {
            let work = async {
                tokio::task::yield_now().await;
                work()
            };
            assert_eq!(catch_panic(work).await, expected.map_err(str::to_owned));
        };
        check(|| 7, Ok(7)).await;
        check(|| panic!("a slip"), Err("a slip")).await;
        check(|| panic!("slip {}", 2), Err("slip 2")).await;
        check(|| std::panic::panic_any(3), Err("it did not say why")).await;
    }
}
