//! The connector: from a URI to a checked connection.
//!
//! Resolves the name, checks every address against the guard and the operator's list, dials only checked addresses (or
//! has a proxy dial them), verifies the peer, and performs the TLS handshake. hyper's pool calls it when it has no idle
//! connection.
//! Invariant: no address is dialled, or named to a proxy, that the guard did not allow in the same call. The only other
//! address that is dialled is the proxy's own, which the operator configured.

use crate::connection::Connection;
use crate::network::{Dialled, Network};
use crate::progress::Progress;
use crate::proxy::Proxy;
use crate::rule::{self, EgressRule, Verdict};
use crate::tls::Tls;
use crate::tunnel::{self, NoTunnel};
use crate::{Options, Timeouts, guard, tls};
use hyper::Uri;
use ipnet::IpNet;
use model::visit::{Failure, Phase};
use rustix::io::Errno;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tower_service::Service;
use url::{Host, Url};

/// Opens connections for hyper's client: directly, or all of them through one proxy.
#[derive(Clone)]
pub(crate) struct Connector {
    shared: Arc<Shared>,
    proxy: Option<Arc<Proxy>>,
}

struct Shared {
    network: Arc<dyn Network>,
    allowed: Vec<IpNet>,
    configured: Option<Url>,
    rules: Option<Vec<EgressRule>>,
    timeouts: Timeouts,
    tls: Tls,
    open: Arc<Semaphore>,
    most_open: usize,
}

/// Carries a failure through hyper's error type.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(pub(crate) Failure);

/// At most this many addresses are tried, so that each gets enough of the time.
const TRIED_ADDRESSES: usize = 4;

impl Connector {
    pub(crate) fn new(options: &Options, network: Arc<dyn Network>, tls: Tls) -> Self {
        let most_open = options.limits.connections.clamp(1, Semaphore::MAX_PERMITS);
        let shared = Shared {
            network,
            allowed: options.allow_private.clone(),
            configured: options.configured.clone(),
            rules: options.egress.clone(),
            timeouts: options.timeouts,
            tls,
            open: Arc::new(Semaphore::new(most_open)),
            most_open,
        };
        Self { shared: Arc::new(shared), proxy: None }
    }

    /// The same, through a proxy; both share the limit of connections.
    pub(crate) fn through(&self, proxy: Proxy) -> Self {
        Self { shared: Arc::clone(&self.shared), proxy: Some(Arc::new(proxy)) }
    }

    /// Whether so many connections are open that none should be kept for reuse.
    pub(crate) fn is_crowded(&self) -> bool {
        self.shared.open.available_permits() * 2 < self.shared.most_open
    }
}

impl Service<Uri> for Connector {
    type Response = Connection;
    type Error = Refusal;
    type Future = Pin<Box<dyn Future<Output = Result<Connection, Refusal>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let (shared, proxy) = (Arc::clone(&self.shared), self.proxy.clone());
        // Called here, not when first polled: the pool may move the future to another task.
        let progress = Progress::current();
        Box::pin(async move { shared.connect(&uri, proxy.as_deref(), &progress).await.map_err(Refusal) })
    }
}

impl Shared {
    async fn connect(&self, uri: &Uri, proxy: Option<&Proxy>, progress: &Progress) -> Result<Connection, Failure> {
        progress.mark(|marks| marks.dialled = true);
        // The pool passes only scheme and authority, as `Target` wrote them.
        let url = Url::parse(&uri.to_string()).map_err(|error| Failure::Url(error.to_string()))?;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(Failure::Url("it has no host".to_owned()));
        };
        let targets = self.targets(&host, port, progress).await?;
        progress.enter(Phase::Connect);
        let permit = self.permit().await?;
        let dialled = self.dial(&targets, proxy, progress).await?;
        match url.scheme() {
            "https" => self.secure(dialled, permit, &host, progress).await,
            _ => Ok(Connection::plain(dialled.stream, dialled.peer, permit)),
        }
    }

    /// The addresses of a host, all of them checked, in the order to try them.
    async fn targets(&self, host: &Host<&str>, port: u16, progress: &Progress) -> Result<Vec<SocketAddr>, Failure> {
        let refused = || Failure::NotAllowed(host.to_string());
        let verdict = self.rules.as_ref().map_or(Verdict::Yes, |rules| rule::verdict(rules, host));
        if verdict == Verdict::No {
            return Err(refused());
        }
        let addresses = match host {
            Host::Domain(name) => {
                progress.enter(Phase::Dns);
                let begun = Instant::now();
                let found = self.resolve(name).await;
                progress.mark(|marks| marks.timings.dns = Some(begun.elapsed()));
                found?
            }
            Host::Ipv4(address) => vec![(*address).into()],
            Host::Ipv6(address) => vec![(*address).into()],
        };
        // One non-global address rejects the name: publishing one next to a public address is an attack.
        let configured = self.is_configured(host, port);
        let may_reach =
            |address: IpAddr| guard::may_reach(address, &self.allowed) || (configured && guard::is_local(address));
        if let Some(address) = addresses.iter().find(|address| !may_reach(**address)) {
            return Err(Failure::PrivateAddress(*address));
        }
        if verdict == Verdict::IfAddressesAre && !rule::have_all(self.rules.as_deref().unwrap_or_default(), &addresses)
        {
            return Err(refused());
        }
        Ok(in_turn(addresses, port))
    }

    /// Whether the operator configured this very host and port.
    fn is_configured(&self, host: &Host<&str>, port: u16) -> bool {
        let configured = self.configured.as_ref();
        configured.is_some_and(|url| url.host().as_ref() == Some(host) && url.port_or_known_default() == Some(port))
    }

    async fn resolve(&self, name: &str) -> Result<Vec<IpAddr>, Failure> {
        match timeout(self.timeouts.connect, self.network.resolve(name)).await {
            Err(_) => Err(Failure::Timeout(Phase::Dns)),
            Ok(Err(error)) if is_exhausted(&error) => Err(Failure::Exhausted(reason(&error))),
            Ok(Err(error)) => Err(Failure::Dns(error.to_string())),
            Ok(Ok(addresses)) if addresses.is_empty() => Err(Failure::Dns("the host has no address".to_owned())),
            Ok(Ok(addresses)) => Ok(addresses),
        }
    }

    /// A permit for an open connection, released when the connection is closed.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, Failure> {
        match timeout(self.timeouts.connect, Arc::clone(&self.open).acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Failure::Exhausted(format!("all {} connections are in use", self.most_open))),
        }
    }

    /// Tries the addresses in turn, each with its share of the remaining time.
    async fn dial(
        &self,
        targets: &[SocketAddr],
        proxy: Option<&Proxy>,
        progress: &Progress,
    ) -> Result<Dialled, Failure> {
        let begun = Instant::now();
        let mut last = Failure::Dns("the host has no address".to_owned());
        for (tried, target) in targets.iter().enumerate() {
            let left = self.timeouts.connect.saturating_sub(begun.elapsed());
            let share = left / (targets.len() - tried) as u32;
            let attempt = async {
                match proxy {
                    None => self.direct(*target).await,
                    Some(proxy) => self.proxied(proxy, *target, share).await,
                }
            };
            let outcome = timeout(share, attempt).await.unwrap_or(Err(Failure::Timeout(Phase::Connect)));
            progress.mark(|marks| marks.timings.connect = Some(begun.elapsed()));
            match outcome {
                Ok(dialled) => {
                    progress.mark(|marks| marks.peer = Some(dialled.peer));
                    return Ok(dialled);
                }
                // These would fail for every address.
                Err(failure @ (Failure::PrivateAddress(_) | Failure::Proxy(_) | Failure::Exhausted(_))) => {
                    return Err(failure);
                }
                Err(failure) => last = failure,
            }
        }
        Err(last)
    }

    /// A middlebox may redirect the connection; then not a byte is sent.
    async fn direct(&self, target: SocketAddr) -> Result<Dialled, Failure> {
        let dialled = self.network.dial(target).await.map_err(|error| not_dialled(&error))?;
        if is_same(target, dialled.peer) {
            Ok(dialled)
        } else if guard::may_reach(dialled.peer.ip(), &self.allowed) {
            Err(Failure::Connect("another host than the one dialled answered".to_owned()))
        } else {
            Err(Failure::PrivateAddress(dialled.peer.ip()))
        }
    }

    /// A connection to the target through the proxy. Its peer is the target, as far as the proxy can be trusted.
    async fn proxied(&self, proxy: &Proxy, target: SocketAddr, share: Duration) -> Result<Dialled, Failure> {
        let mut dialled = self.reach(proxy, share).await?;
        match tunnel::open(&mut *dialled.stream, proxy, target).await {
            Ok(()) => Ok(Dialled { stream: dialled.stream, peer: target }),
            Err(NoTunnel::Proxy(why)) => Err(Failure::Proxy(why)),
            Err(NoTunnel::Target(why)) => Err(Failure::Connect(format!("the proxy reports: {why}"))),
        }
    }

    /// A connection to the proxy itself. The guard is not asked: an operator's proxy is often on a private network.
    async fn reach(&self, proxy: &Proxy, share: Duration) -> Result<Dialled, Failure> {
        let addresses = match &proxy.host {
            Host::Domain(name) => self.resolve(name).await.map_err(|failure| match failure {
                Failure::Exhausted(_) => failure,
                failure => Failure::Proxy(failure.to_string()),
            })?,
            Host::Ipv4(address) => vec![(*address).into()],
            Host::Ipv6(address) => vec![(*address).into()],
        };
        let mut last = String::new();
        let addresses = in_turn(addresses, proxy.port);
        // At most half of the time: the rest is for the connection from there.
        let share = share / 2 / addresses.len().max(1) as u32;
        for address in addresses {
            match timeout(share, self.network.dial(address)).await {
                Ok(Ok(dialled)) if is_same(address, dialled.peer) => return Ok(dialled),
                Ok(Ok(_)) => "another host than the one dialled answered".clone_into(&mut last),
                Ok(Err(error)) if is_exhausted(&error) => return Err(Failure::Exhausted(reason(&error))),
                Ok(Err(error)) => last = reason(&error),
                Err(_) => "it does not respond".clone_into(&mut last),
            }
        }
        Err(Failure::Proxy(last))
    }

    async fn secure(
        &self,
        dialled: Dialled,
        permit: OwnedSemaphorePermit,
        host: &Host<&str>,
        progress: &Progress,
    ) -> Result<Connection, Failure> {
        let name = tls::server_name(host).map_err(Failure::Tls)?;
        progress.enter(Phase::Tls);
        let begun = Instant::now();
        let connector = TlsConnector::from(self.tls.config().map_err(Failure::Tls)?);
        let secured = timeout(self.timeouts.connect, connector.connect(name, dialled.stream)).await;
        progress.mark(|marks| marks.timings.tls = Some(begun.elapsed()));
        match secured {
            Err(_) => Err(Failure::Timeout(Phase::Tls)),
            Ok(Err(error)) => Err(Failure::Tls(tls::why(&error))),
            Ok(Ok(stream)) => Ok(Connection::secure(stream, dialled.peer, permit)),
        }
    }
}

/// Alternates between the families, IPv4 first: where IPv6 is configured but broken, it would use up its share of every
/// visit; where there is no IPv4, dialling it fails at once.
fn in_turn(addresses: Vec<IpAddr>, port: u16) -> Vec<SocketAddr> {
    let (v4, v6): (Vec<IpAddr>, Vec<IpAddr>) = addresses.into_iter().partition(IpAddr::is_ipv4);
    let (mut v4, mut v6) = (v4.into_iter(), v6.into_iter());
    let mut turns = Vec::new();
    while turns.len() < TRIED_ADDRESSES {
        let before = turns.len();
        turns.extend(v4.next());
        turns.extend(v6.next());
        if turns.len() == before {
            break;
        }
    }
    turns.into_iter().map(|address| SocketAddr::new(address, port)).collect()
}

fn is_same(dialled: SocketAddr, peer: SocketAddr) -> bool {
    dialled.ip().to_canonical() == peer.ip().to_canonical() && dialled.port() == peer.port()
}

/// Whether this machine, not the network, ran out of something: files, or memory for sockets.
pub(crate) fn is_exhausted(error: &io::Error) -> bool {
    let lacks = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|errno| lacks.contains(&errno))
}

fn not_dialled(error: &io::Error) -> Failure {
    if is_exhausted(error) { Failure::Exhausted(reason(error)) } else { Failure::Connect(reason(error)) }
}

/// The system's message without its number, as the middle of a sentence.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let check = |given: &str, expected: &str| {
            let turns = in_turn(given.split_whitespace().map(|address| address.parse().unwrap()).collect(), 80);
            let turns: Vec<String> = turns.iter().map(|address| address.ip().to_string()).collect();
            assert_eq!(turns.join(" "), expected, "{given}");
        };
        check("", "");
        check("1.1.1.1", "1.1.1.1");
        check("2a00::1 2a00::2 1.1.1.1", "1.1.1.1 2a00::1 2a00::2");
        check("2a00::1 2a00::2 2a00::3 2a00::4 2a00::5 1.1.1.1", "1.1.1.1 2a00::1 2a00::2 2a00::3");
    }
}
