//! A defect that one document brings out must cost its own visit only: a panic becomes a word about what happened.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

/// Does the work; says what broke it off, if anything did. Nothing of the work is looked at afterwards, so that it does not
/// matter in which state it was left; what it shared with others is sound after each single call.
pub(crate) async fn unbroken<T>(work: impl Future<Output = T>) -> Result<T, String> {
    let mut work = pin!(work);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Err(panic) => Poll::Ready(Err(said(&*panic))),
    })
    .await
}

fn said(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(ToString::to_string);
    literal.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it did not say why".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_breaks_off_says_why() {
        let check = async |work: fn() -> u8, expected: Result<u8, &str>| {
            let work = async {
                tokio::task::yield_now().await;
                work()
            };
            assert_eq!(unbroken(work).await, expected.map_err(str::to_owned));
        };
        check(|| 7, Ok(7)).await;
        check(|| panic!("a slip"), Err("a slip")).await;
        check(|| panic!("slip {}", 2), Err("slip 2")).await;
        check(|| std::panic::panic_any(3), Err("it did not say why")).await;
    }
}
