//! Names to addresses by the machine's own configuration, remembered as long as the answers say, within bounds.
//!
//! Only plain lookups; whether an address may be dialled is the guard's question, asked by the connector every time.

use crate::{FetchError, Timeouts};
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;
use tokio::time::Instant;

/// A resolver with a memory of answers.
pub(crate) struct Resolver {
    current: RwLock<Current>,
    patience: Duration,
}

struct Current {
    inner: TokioResolver,
    since: Instant,
}

/// Answers are remembered no longer than this, whatever they say: a moved feed should be found within the hour.
const LONGEST_MEMORY: Duration = Duration::from_hours(1);

/// A name that does not exist may exist soon, and a typo is corrected by hand.
const LONGEST_REGRET: Duration = Duration::from_mins(1);

/// Enough for every host of a large collection between two visits, and a few MiB at most.
const REMEMBERED_ANSWERS: u64 = 8192;

/// The machine's configuration is read again after so long, because networks and host files change under a server
/// that runs for months.
const CONFIGURATION_AGE: Duration = Duration::from_mins(10);

/// The same when names cannot be resolved: a laptop has just joined another network.
const CONFIGURATION_AGE_IN_TROUBLE: Duration = Duration::from_secs(30);

impl Resolver {
    pub(crate) fn new(timeouts: &Timeouts) -> Result<Self, FetchError> {
        // Two attempts must fit into the time that a name is given.
        let patience = timeouts.connect / 2;
        let inner = configured(patience).map_err(|error| FetchError::Resolver(error.to_string()))?;
        Ok(Self { current: RwLock::new(Current { inner, since: Instant::now() }), patience })
    }

    pub(crate) async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // A name with a dot is whole: the search list would try it under every domain of ours, and tell others.
        let whole = if name.contains('.') && !name.ends_with('.') { format!("{name}.") } else { name.to_owned() };
        let missing = |why: &str| Err(io::Error::new(io::ErrorKind::NotFound, why));
        match self.current(CONFIGURATION_AGE).lookup_ip(whole).await {
            Ok(found) => Ok(found.iter().collect()),
            Err(error) if error.is_nx_domain() => missing("no such host"),
            Err(error) if error.is_no_records_found() => missing("the host has no address"),
            Err(error) => {
                self.current(CONFIGURATION_AGE_IN_TROUBLE);
                Err(io::Error::other(error.to_string()))
            }
        }
    }

    /// The resolver, made anew when its configuration is older than `age`; an unreadable one changes nothing.
    fn current(&self, age: Duration) -> TokioResolver {
        let read = self.current.read().unwrap_or_else(PoisonError::into_inner);
        if read.since.elapsed() < age {
            return read.inner.clone();
        }
        drop(read);
        let mut write = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if write.since.elapsed() >= age {
            write.since = Instant::now();
            if let Ok(inner) = configured(self.patience) {
                write.inner = inner;
            }
        }
        write.inner.clone()
    }
}

fn configured(patience: Duration) -> Result<TokioResolver, NetError> {
    // Without a configuration a machine asks itself: resolv.conf(5).
    let mut builder = TokioResolver::builder_tokio().unwrap_or_else(|_| {
        let itself = NameServerConfig::udp_and_tcp(Ipv4Addr::LOCALHOST.into());
        let config = ResolverConfig::from_parts(None, Vec::new(), vec![itself]);
        TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
    });
    let options = builder.options_mut();
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = REMEMBERED_ANSWERS;
    options.positive_max_ttl = Some(LONGEST_MEMORY);
    options.negative_max_ttl = Some(LONGEST_REGRET);
    options.timeout = options.timeout.min(patience);
    builder.build()
}
