//! The number of connections stays within the options, and none is kept idle while requests wait.

use crate::network::Stage;
use crate::origin::{Caller, ok};
use crate::{told, visit};
use fetch::{Dialled, Egress, Fetch, Limits, Network, Options, Promise, Proxy, Request};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::time::sleep;

fn at_most(connections: usize, network: impl Network) -> Fetch {
    let limits = Limits { connections, ..Limits::default() };
    Fetch::with_network(Options { limits, ..Options::default() }, Arc::new(network)).unwrap()
}

/// Counts the clients that are connected.
#[derive(Default)]
struct Count {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// A host that responds after a second to every request, and counts its clients.
fn counting(count: &Arc<Count>) -> impl Network {
    let count = Arc::clone(count);
    Stage::playing(move |mut guest: Caller<DuplexStream>| {
        let count = Arc::clone(&count);
        async move {
            let now = count.now.fetch_add(1, Ordering::SeqCst) + 1;
            count.most.fetch_max(now, Ordering::SeqCst);
            while guest.listen().await {
                sleep(Duration::from_secs(1)).await;
                guest.say(&ok("", "hi")).await;
            }
            count.now.fetch_sub(1, Ordering::SeqCst);
        }
    })
}

#[tokio::test(start_paused = true)]
async fn more_visits_than_connections_take_turns() {
    let count = Arc::default();
    let fetch = at_most(4, counting(&count));
    let visits: Vec<_> = (0..20)
        .map(|host| {
            let fetch = fetch.clone();
            tokio::spawn(async move { visit(&fetch, &format!("http://{host}.example/")).await })
        })
        .collect();
    let mut slowest = Duration::ZERO;
    for visit in visits {
        let exchange = visit.await.unwrap();
        assert_eq!(told(&exchange), "200 identity 2/2");
        slowest = slowest.max(exchange.timings.total);
    }
    assert_eq!(count.most.load(Ordering::SeqCst), 4);
    assert_eq!(slowest.as_secs(), 5, "idle connections would have delayed the others");
}

#[tokio::test(start_paused = true)]
async fn waiting_too_long_for_a_connection_says_why() {
    let fetch = at_most(1, Stage::playing(|mut guest: Caller<DuplexStream>| async move { guest.wait().await }));
    let (first, second) = tokio::join!(visit(&fetch, "http://a.example/"), visit(&fetch, "http://b.example/"));
    assert_eq!(told(&first), "timed out while waiting for the answer");
    assert_eq!(told(&second), "cannot open another connection: all 1 connections are in use");
    assert_eq!(second.timings.total.as_secs(), 10);
}

/// A machine that has run out of files, or of memory for sockets.
struct Exhausted {
    errno: i32,
    resolves: bool,
}

impl Network for Exhausted {
    fn resolve<'a>(&'a self, _: &'a str) -> Promise<'a, Vec<IpAddr>> {
        let found = if self.resolves { Ok(vec![[93, 184, 216, 34].into()]) } else { Err(self.error()) };
        Box::pin(async { found })
    }

    fn dial(&self, _: SocketAddr) -> Promise<'_, Dialled> {
        let error = self.error();
        Box::pin(async { Err(error) })
    }
}

impl Exhausted {
    fn error(&self) -> io::Error {
        io::Error::from_raw_os_error(self.errno)
    }
}

/// It looked like a host that is down, and many of them like a network that is.
#[tokio::test]
async fn a_lack_of_files_is_not_mistaken_for_a_host_that_is_down() {
    use rustix::io::Errno;
    let check = async |errno: Errno, expected: [&str; 2]| {
        for (resolves, expected) in [true, false].into_iter().zip(expected) {
            let network = Exhausted { errno: errno.raw_os_error(), resolves };
            let fetch = at_most(4, network);
            assert!(told(&visit(&fetch, "http://a.example/").await).starts_with(expected), "{errno:?} {resolves}");
            let proxy = Proxy::read("socks5://proxy.example:1080").unwrap();
            let request = Request { proxy: Some(&proxy), ..Request::new("http://b.example/", Egress::Feed) };
            let said = told(&fetch.exchange(request).await);
            assert_eq!(said.starts_with("cannot open"), expected.starts_with("cannot open"), "{said}");
        }
    };
    let ours = ["cannot open another connection: "; 2];
    check(Errno::MFILE, ours).await;
    check(Errno::NFILE, ours).await;
    check(Errno::NOBUFS, ours).await;
    check(Errno::CONNREFUSED, ["no connection: ", "the host name cannot be resolved: "]).await;
    check(Errno::ADDRNOTAVAIL, ["no connection: ", "the host name cannot be resolved: "]).await;
}

#[tokio::test(start_paused = true)]
async fn with_room_to_spare_connections_are_kept_and_given_back_in_the_end() {
    let count = Arc::default();
    let fetch = at_most(4, counting(&count));
    for host in ["a", "b", "a", "b"] {
        assert_eq!(told(&visit(&fetch, &format!("http://{host}.example/")).await), "200 identity 2/2");
    }
    assert_eq!(count.most.load(Ordering::SeqCst), 2, "one for each");
    sleep(Duration::from_secs(11)).await;
    assert_eq!(count.now.load(Ordering::SeqCst), 0, "idle ones are closed");
}

#[test]
fn a_limit_of_zero_connections_is_refused() {
    let limits = Limits { connections: 0, ..Limits::default() };
    let refused = Fetch::new(Options { limits, ..Options::default() }).err().unwrap();
    assert_eq!(refused.to_string(), "the option connections cannot be used: less than 1");
}
