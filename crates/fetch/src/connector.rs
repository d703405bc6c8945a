//! The connector: from a URI to a connection that is safe to speak on.
//!
//! Resolves, asks the guard about every address, dials what was checked and nothing else, looks at who answered, and
//! secures the connection. hyper's pool calls it when it has no connection kept.
//! Invariant: no address is dialled that `guard::may_reach` did not allow in the same call.

use crate::connection::Connection;
use crate::journey::Journey;
use crate::network::{Dialled, Network};
use crate::{Options, Timeouts, guard, tls};
use hyper::Uri;
use ipnet::IpNet;
use model::visit::{Failure, Phase};
use rustls::ClientConfig;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tower_service::Service;
use url::{Host, Url};

/// Opens connections for hyper's client.
#[derive(Clone)]
pub(crate) struct Connector {
    shared: Arc<Shared>,
}

struct Shared {
    network: Arc<dyn Network>,
    allowed: Vec<IpNet>,
    timeouts: Timeouts,
    tls: Arc<ClientConfig>,
}

/// A failure on its way through hyper's error type, to be found again at the other end.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refusal(pub(crate) Failure);

/// More addresses than this are not tried: each gets a share of the time, and shares must be worth something.
const TRIED_ADDRESSES: usize = 4;

impl Connector {
    pub(crate) fn new(options: &Options, network: Arc<dyn Network>, tls: Arc<ClientConfig>) -> Self {
        let allowed = options.allow_private.clone();
        Self { shared: Arc::new(Shared { network, allowed, timeouts: options.timeouts, tls }) }
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
        let shared = Arc::clone(&self.shared);
        // Now, not when it is first polled: the pool may move the future to a task of its own.
        let journey = Journey::current();
        Box::pin(async move { shared.connect(&uri, &journey).await.map_err(Refusal) })
    }
}

impl Shared {
    async fn connect(&self, uri: &Uri, journey: &Journey) -> Result<Connection, Failure> {
        journey.mark(|marks| marks.dialled = true);
        // The pool hands over scheme and authority only, as `Target` wrote them.
        let url = Url::parse(&uri.to_string()).map_err(|error| Failure::Url(error.to_string()))?;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(Failure::Url("it has no host".to_owned()));
        };
        let addresses = match host {
            Host::Domain(name) => self.resolve(name, journey).await?,
            Host::Ipv4(address) => vec![address.into()],
            Host::Ipv6(address) => vec![address.into()],
        };
        // One address that is not global damns the name: who publishes it next to a public one is probing.
        if let Some(address) = addresses.iter().find(|address| !guard::may_reach(**address, &self.allowed)) {
            return Err(Failure::PrivateAddress(*address));
        }
        let dialled = self.dial(&in_turn(addresses), port, journey).await?;
        let peer = dialled.peer;
        let connection = match url.scheme() {
            "https" => self.secure(dialled, &host, journey).await?,
            _ => Connection::plain(dialled.stream, peer),
        };
        Ok(connection)
    }

    async fn resolve(&self, name: &str, journey: &Journey) -> Result<Vec<IpAddr>, Failure> {
        journey.enter(Phase::Dns);
        let begun = Instant::now();
        let found = timeout(self.timeouts.connect, self.network.resolve(name)).await;
        journey.mark(|marks| marks.timings.dns = Some(begun.elapsed()));
        match found {
            Err(_) => Err(Failure::Timeout(Phase::Dns)),
            Ok(Err(error)) => Err(Failure::Dns(error.to_string())),
            Ok(Ok(addresses)) if addresses.is_empty() => Err(Failure::Dns("the host has no address".to_owned())),
            Ok(Ok(addresses)) => Ok(addresses),
        }
    }

    /// Tries the addresses in turn, each with its share of the time that is left.
    async fn dial(&self, addresses: &[IpAddr], port: u16, journey: &Journey) -> Result<Dialled, Failure> {
        journey.enter(Phase::Connect);
        let begun = Instant::now();
        let mut last = Failure::Dns("the host has no address".to_owned());
        for (tried, address) in addresses.iter().enumerate() {
            let left = self.timeouts.connect.saturating_sub(begun.elapsed());
            let share = left / (addresses.len() - tried) as u32;
            let address = SocketAddr::new(*address, port);
            let outcome = timeout(share, self.network.dial(address)).await;
            journey.mark(|marks| marks.timings.connect = Some(begun.elapsed()));
            match outcome {
                Ok(Ok(dialled)) => {
                    self.check_peer(address, dialled.peer)?;
                    journey.mark(|marks| marks.peer = Some(dialled.peer));
                    return Ok(dialled);
                }
                Ok(Err(error)) => last = Failure::Connect(reason(&error)),
                Err(_) => last = Failure::Timeout(Phase::Connect),
            }
        }
        Err(last)
    }

    /// Nothing between us and the network should redirect a connection; if something does, not a byte is sent.
    fn check_peer(&self, dialled: SocketAddr, peer: SocketAddr) -> Result<(), Failure> {
        let same = dialled.ip().to_canonical() == peer.ip().to_canonical() && dialled.port() == peer.port();
        if same {
            Ok(())
        } else if guard::may_reach(peer.ip(), &self.allowed) {
            Err(Failure::Connect("another host than the one dialled answered".to_owned()))
        } else {
            Err(Failure::PrivateAddress(peer.ip()))
        }
    }

    async fn secure(&self, dialled: Dialled, host: &Host<&str>, journey: &Journey) -> Result<Connection, Failure> {
        let name = tls::server_name(host).map_err(Failure::Tls)?;
        journey.enter(Phase::Tls);
        let begun = Instant::now();
        let connector = TlsConnector::from(Arc::clone(&self.tls));
        let secured = timeout(self.timeouts.connect, connector.connect(name, dialled.stream)).await;
        journey.mark(|marks| marks.timings.tls = Some(begun.elapsed()));
        match secured {
            Err(_) => Err(Failure::Timeout(Phase::Tls)),
            Ok(Err(error)) => Err(Failure::Tls(reason(&error))),
            Ok(Ok(stream)) => Ok(Connection::secure(stream, dialled.peer)),
        }
    }
}

/// The families in turn, IPv4 first: where IPv6 is configured but leads nowhere, going first it would eat its share
/// of every visit; where there is no IPv4, dialling it fails at once.
fn in_turn(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
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
    turns
}

/// The system's word without its number, which means nothing to readers, and as the middle of a sentence.
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
            let turns = in_turn(given.split_whitespace().map(|address| address.parse().unwrap()).collect());
            let turns: Vec<String> = turns.iter().map(ToString::to_string).collect();
            assert_eq!(turns.join(" "), expected, "{given}");
        };
        check("", "");
        check("1.1.1.1", "1.1.1.1");
        check("2a00::1 2a00::2 1.1.1.1", "1.1.1.1 2a00::1 2a00::2");
        check("2a00::1 2a00::2 2a00::3 2a00::4 2a00::5 1.1.1.1", "1.1.1.1 2a00::1 2a00::2 2a00::3");
    }
}
