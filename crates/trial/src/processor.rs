//! Processor time: what work costs on a machine that does other things as well.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The result of `work`, and the processor time that this thread spent on it.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let before = on_processor();
    let started = Instant::now();
    let done = black_box(work());
    let took = match (before, on_processor()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => started.elapsed(),
    };
    (done, took)
}

/// The processor seconds of one run of `work`. It is repeated for at least `at_least`, and run at least once: the
/// kernel may count in ticks of a few milliseconds.
pub fn seconds<T>(at_least: Duration, mut work: impl FnMut() -> T) -> f64 {
    let started = Instant::now();
    let mut times = 0.0;
    let ((), took) = timed(|| {
        loop {
            black_box(work());
            times += 1.0;
            if started.elapsed() >= at_least {
                break;
            }
        }
    });
    took.as_secs_f64() / times
}

/// How long the scheduler has run this thread; only Linux reports it in a file.
fn on_processor() -> Option<Duration> {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    said.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_repeated_for_at_least_the_given_time() {
        let count = |at_least| {
            let mut times = 0;
            let seconds = seconds(at_least, || times += 1);
            assert!(seconds >= 0.0);
            times
        };
        assert_eq!(count(Duration::ZERO), 1);
        assert!(count(Duration::from_millis(5)) > 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn waiting_does_not_count_as_processor_time() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let other = std::thread::spawn(move || {
            let until = Instant::now() + Duration::from_millis(100);
            while Instant::now() < until {}
            sender.send(()).unwrap();
        });
        let (answer, took) = timed(|| receiver.recv());
        assert!(answer.is_ok() && took < Duration::from_millis(50), "{took:?}");
        other.join().unwrap();
        let (_, took) = timed(|| (0..20_000_000_u64).fold(0, |sum, n| black_box(sum ^ n)));
        assert!(took > Duration::from_millis(1), "{took:?}");
    }
}
