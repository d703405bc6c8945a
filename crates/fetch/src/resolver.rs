//! Resolves names with the machine's own configuration; caches as long as the TTL says, within bounds.
//!
//! Only plain lookups; whether an address may be dialled is decided by the guard, every time.

use crate::connector::is_exhausted;
use crate::{FetchError, Timeouts};
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::{ResolverBuilder, TokioResolver};
use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;
use tokio::time::Instant;

/// A caching resolver.
pub(crate) struct Resolver {
    current: RwLock<Current>,
    patience: Duration,
}

struct Current {
    inner: TokioResolver,
    since: Instant,
}

/// The maximum time in the cache, whatever the TTL: a moved feed should be found within the hour.
const MAX_TTL: Duration = Duration::from_hours(1);

/// A missing name may exist soon, and typos are corrected by hand.
const MAX_NEGATIVE_TTL: Duration = Duration::from_mins(1);

/// Enough for every host of a large collection between two visits, and a few MiB at most.
const CACHE_SIZE: u64 = 8192;

/// The machine's configuration is read again after this time, because networks and host files change during months of
/// uptime.
const CONFIGURATION_AGE: Duration = Duration::from_mins(10);

/// The same when names cannot be resolved: a laptop may have joined another network.
const CONFIGURATION_AGE_WHEN_FAILING: Duration = Duration::from_secs(30);

impl Resolver {
    pub(crate) fn new(timeouts: &Timeouts) -> Result<Self, FetchError> {
        // Two attempts must fit into the timeout of a name.
        let patience = timeouts.connect / 2;
        let inner = configured(patience).map_err(|error| FetchError::Resolver(error.to_string()))?;
        Ok(Self { current: RwLock::new(Current { inner, since: Instant::now() }), patience })
    }

    pub(crate) async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // A name with a dot is treated as fully qualified: the search list would try it under every domain of ours, and
        // leak it.
        let whole = if name.contains('.') && !name.ends_with('.') { format!("{name}.") } else { name.to_owned() };
        let missing = |why: &str| Err(io::Error::new(io::ErrorKind::NotFound, why));
        match self.current(CONFIGURATION_AGE).lookup_ip(whole).await {
            Ok(found) => Ok(found.iter().collect()),
            Err(error) if error.is_nx_domain() => missing("no such host"),
            Err(error) if error.is_no_records_found() => missing("the host has no address"),
            Err(error) => {
                // Its error does not say why it could not even ask.
                if let Some(lack) = lack_of_files() {
                    return Err(lack);
                }
                self.current(CONFIGURATION_AGE_WHEN_FAILING);
                Err(io::Error::other(error.to_string()))
            }
        }
    }

    /// The resolver, rebuilt when its configuration is older than `age`. If that cannot be read, the old one is used.
    fn current(&self, age: Duration) -> TokioResolver {
        let read = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if read.since.elapsed() < age {
            return read.inner.clone();
        }
        drop(read);
        let mut write = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if write.since.elapsed() >= age {
            write.since = Instant::now();
            // Without file descriptors the configuration looks empty.
            if lack_of_files().is_none()
                && let Ok(inner) = configured(self.patience)
            {
                write.inner = inner;
            }
        }
        write.inner.clone()
    }
}

/// Why no file can be opened, if that is so.
fn lack_of_files() -> Option<io::Error> {
    File::open("/dev/null").err().filter(is_exhausted)
}

/// Uses the machine's own configuration.
fn configured(patience: Duration) -> Result<TokioResolver, NetError> {
    match TokioResolver::builder_tokio() {
        Ok(builder) => bounded(builder, patience),
        // Without a configuration the local machine is asked: resolv.conf(5).
        Err(_) => asking(NameServerConfig::udp_and_tcp(Ipv4Addr::LOCALHOST.into()), patience),
    }
}

fn asking(server: NameServerConfig, patience: Duration) -> Result<TokioResolver, NetError> {
    let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
    bounded(TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()), patience)
}

fn bounded(mut builder: ResolverBuilder<TokioRuntimeProvider>, patience: Duration) -> Result<TokioResolver, NetError> {
    let options = builder.options_mut();
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = CACHE_SIZE;
    options.positive_max_ttl = Some(MAX_TTL);
    options.negative_max_ttl = Some(MAX_NEGATIVE_TTL);
    options.timeout = options.timeout.min(patience);
    builder.build()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a name server has to listen")]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tokio::net::UdpSocket;

    /// The resolver reported that there were no connections, which was mistaken for a network outage.
    #[tokio::test]
    async fn a_lack_of_files_is_not_a_missing_name() {
        const ALONE: &str = "COURANT_TEST_ALONE";
        if std::env::var_os(ALONE).is_none() {
            // In a process of its own: other tests need files.
            let mut shell = std::process::Command::new("/bin/sh");
            shell.args(["-c", "ulimit -n 256; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
            shell.args(["--exact", "resolver::tests::a_lack_of_files_is_not_a_missing_name"]).env(ALONE, "1");
            let run = shell.output().unwrap();
            assert!(run.status.success() && String::from_utf8_lossy(&run.stdout).contains("1 passed"), "{run:?}");
            return;
        }
        let (resolver, _) = name_server().await;
        let mut held = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            held.push(file);
        }
        let error = resolver.addresses("a.example").await.unwrap_err();
        drop(held);
        assert!(is_exhausted(&error), "{error:?}");
        assert_eq!(resolver.addresses("a.example").await.unwrap().len(), 2, "and the resolver is as before");
    }

    /// A name server on loopback: `short.example` has TTL 0, `long.example` the maximum TTL, `gone.example` does not
    /// exist, any other name has an address of each family for five minutes.
    async fn name_server() -> (Resolver, Arc<Mutex<Vec<String>>>) {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut server = NameServerConfig::udp(Ipv4Addr::LOCALHOST.into());
        server.connections[0].port = socket.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let notes = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut query = [0; 512];
            while let Ok((_, from)) = socket.recv_from(&mut query).await {
                let (name, answer) = answer(&query);
                notes.lock().unwrap().push(name);
                socket.send_to(&answer, from).await.unwrap();
            }
        });
        let patience = Duration::from_secs(5);
        let current = Current { inner: asking(server, patience).unwrap(), since: Instant::now() };
        (Resolver { current: RwLock::new(current), patience }, asked)
    }

    fn answer(query: &[u8]) -> (String, Vec<u8>) {
        let (mut name, mut at) = (String::new(), 12);
        while query[at] > 0 {
            let label = &query[at + 1..=at + usize::from(query[at])];
            name = format!("{name}{}.", String::from_utf8_lossy(label));
            at += label.len() + 1;
        }
        let question = &query[12..at + 5];
        let (code, answers) = if name == "gone.example." { (3, 0) } else { (0, 1) };
        let ttl: u32 = match name.as_str() {
            "short.example." => 0,
            "long.example." => 0x7fff_ffff,
            _ => 300,
        };
        let mut reply = vec![query[0], query[1], 0x81, 0x80 | code, 0, 1, 0, answers, 0, 1 - answers, 0, 0];
        reply.extend_from_slice(question);
        if answers == 0 {
            // The SOA record, with a negative TTL of a day.
            reply.extend_from_slice(&[0xc0, 12, 0, 6, 0, 1, 0, 1, 0x51, 0x80, 0, 22, 0, 0]);
            reply.extend_from_slice(&[0, 1, 0x51, 0x80].repeat(5));
        }
        if answers == 1 {
            let kind = &question[question.len() - 4..];
            let address: &[u8] = if kind[1] == 1 {
                &[93, 184, 216, 34]
            } else {
                &[0x26, 6, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
            };
            reply.extend_from_slice(&[0xc0, 12]);
            reply.extend_from_slice(kind);
            reply.extend_from_slice(&ttl.to_be_bytes());
            reply.extend_from_slice(&[0, address.len() as u8]);
            reply.extend_from_slice(address);
        }
        (name, reply)
    }

    #[tokio::test]
    async fn answers_are_cached_for_their_ttl() {
        let (resolver, asked) = name_server().await;
        for (name, expected) in [("feed.example", 2), ("feed.example", 2), ("short.example", 4), ("short.example", 6)] {
            let mut addresses = resolver.addresses(name).await.unwrap();
            addresses.sort();
            let expected_addresses: [IpAddr; 2] = ["93.184.216.34".parse().unwrap(), "2606:4700::1".parse().unwrap()];
            assert_eq!(addresses, expected_addresses, "{name}");
            assert_eq!(asked.lock().unwrap().len(), expected, "{name}: a query for each family, when not cached");
        }
        let asked = asked.lock().unwrap();
        assert!(asked.iter().all(|name| name == "feed.example." || name == "short.example."), "{asked:?}");
    }

    #[tokio::test]
    async fn a_name_that_does_not_exist_says_so() {
        let (resolver, _) = name_server().await;
        assert_eq!(resolver.addresses("gone.example").await.unwrap_err().to_string(), "no such host");
    }

    #[tokio::test]
    async fn no_answer_is_cached_for_longer_than_an_hour() {
        let (resolver, _) = name_server().await;
        let check = async |name: &str, least: u64, most: u64| {
            let begun = std::time::Instant::now();
            let answer = resolver.current(CONFIGURATION_AGE).lookup_ip(name).await.unwrap();
            let remembered = answer.valid_until().duration_since(begun);
            // The answer takes some time; hence the tolerance.
            assert!((least..=most).contains(&remembered.as_secs()), "{name}: {remembered:?}");
        };
        check("feed.example.", 300, 310).await;
        check("short.example.", 0, 10).await;
        check("long.example.", 3600, 3610).await;
    }

    #[tokio::test]
    async fn a_missing_name_is_cached_too() {
        let (resolver, asked) = name_server().await;
        for _ in 0..3 {
            resolver.addresses("gone.example").await.unwrap_err();
        }
        assert_eq!(asked.lock().unwrap().len(), 2, "a query for each family, once");
    }
}
