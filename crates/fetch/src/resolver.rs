//! Names to addresses by the machine's own configuration, remembered as long as the answers say, within bounds.
//!
//! Only plain lookups; whether an address may be dialled is the guard's question, asked by the connector every time.

use crate::{FetchError, Timeouts};
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// A resolver with a memory of answers.
pub(crate) struct Resolver {
    inner: TokioResolver,
}

/// Answers are remembered no longer than this, whatever they say: a moved feed should be found within the hour.
const LONGEST_MEMORY: Duration = Duration::from_secs(3600);

/// A name that does not exist may exist soon, and a typo is corrected by hand.
const LONGEST_REGRET: Duration = Duration::from_secs(60);

/// Enough for every host of a large collection between two visits, and a few MiB at most.
const REMEMBERED_ANSWERS: u64 = 8192;

impl Resolver {
    pub(crate) fn new(timeouts: &Timeouts) -> Result<Self, FetchError> {
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
        // Two attempts must fit into the time that a name is given.
        options.timeout = options.timeout.min(timeouts.connect / 2);
        let inner = builder.build().map_err(|error| FetchError::Resolver(error.to_string()))?;
        Ok(Self { inner })
    }

    pub(crate) async fn addresses(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // A name with a dot is whole: the search list would try it under every domain of ours, and tell others.
        let whole = if name.contains('.') && !name.ends_with('.') { format!("{name}.") } else { name.to_owned() };
        match self.inner.lookup_ip(whole).await {
            Ok(found) => Ok(found.iter().collect()),
            Err(error) if error.is_nx_domain() => Err(io::Error::new(io::ErrorKind::NotFound, "no such host")),
            Err(error) if error.is_no_records_found() => {
                Err(io::Error::new(io::ErrorKind::NotFound, "the host has no address"))
            }
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }
}
