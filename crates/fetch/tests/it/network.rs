//! Scripted networks that record what they are asked. One dials loopback only, one nothing at all.

use crate::origin::Caller;
use fetch::{Dialled, Network, Promise};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use tokio::io::DuplexStream;
use tokio::net::TcpStream;

type Names = Box<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

pub(crate) struct Scripted {
    names: Names,
    /// What the stream claims to be connected to; the truth if `None`.
    pub(crate) claims: Option<SocketAddr>,
    resolved: Mutex<Vec<String>>,
    dialled: Mutex<Vec<SocketAddr>>,
}

impl Scripted {
    pub(crate) fn new(names: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static) -> Self {
        Self { names: Box::new(names), claims: None, resolved: Mutex::default(), dialled: Mutex::default() }
    }

    /// Every name has these addresses, separated by spaces.
    pub(crate) fn with(addresses: &str) -> Self {
        let addresses: Vec<IpAddr> = addresses.split_whitespace().map(|address| address.parse().unwrap()).collect();
        Self::new(move |_| addresses.clone())
    }

    pub(crate) fn resolved(&self) -> Vec<String> {
        self.resolved.lock().unwrap().clone()
    }

    pub(crate) fn dialled(&self) -> String {
        written(&self.dialled.lock().unwrap())
    }
}

impl Network for Scripted {
    fn resolve<'a>(&'a self, name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        self.resolved.lock().unwrap().push(name.to_owned());
        let addresses = (self.names)(name);
        Box::pin(async move { Ok(addresses) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        self.dialled.lock().unwrap().push(address);
        Box::pin(async move {
            if !address.ip().is_loopback() {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            let stream = TcpStream::connect(address).await?;
            let peer = self.claims.unwrap_or(stream.peer_addr()?);
            Ok(Dialled { stream: Box::new(stream), peer })
        })
    }
}

/// A network inside the test: the other end of every connection is a script. No socket is involved, so the clock may be
/// paused (`start_paused`): every wait ends at once and at its exact time.
pub(crate) struct Stage<F> {
    script: F,
    addresses: Vec<IpAddr>,
    dialled: Mutex<Vec<SocketAddr>>,
    heads: Arc<Mutex<Vec<String>>>,
}

/// The default address of all names of a stage.
pub(crate) const STAGE: &str = "93.184.216.34";

impl<F, T> Stage<F>
where
    F: Fn(Caller<DuplexStream>) -> T + Send + Sync + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    pub(crate) fn playing(script: F) -> Self {
        Self::at(STAGE, script)
    }

    /// Every name has these addresses.
    pub(crate) fn at(addresses: &str, script: F) -> Self {
        let addresses = addresses.split_whitespace().map(|address| address.parse().unwrap()).collect();
        Self { script, addresses, dialled: Mutex::default(), heads: Arc::default() }
    }

    pub(crate) fn dialled(&self) -> String {
        written(&self.dialled.lock().unwrap())
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

impl<F, T> Network for Stage<F>
where
    F: Fn(Caller<DuplexStream>) -> T + Send + Sync + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    fn resolve<'a>(&'a self, _: &'a str) -> Promise<'a, Vec<IpAddr>> {
        Box::pin(async { Ok(self.addresses.clone()) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        self.dialled.lock().unwrap().push(address);
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn((self.script)(Caller { stream: theirs, heads: Arc::clone(&self.heads) }));
        Box::pin(async move { Ok(Dialled { stream: Box::new(ours), peer: address }) })
    }
}

/// A network on which nothing ever happens.
pub(crate) struct Silent {
    /// The addresses of all names; `None` if they never resolve.
    pub(crate) addresses: Option<Vec<IpAddr>>,
}

impl Network for Silent {
    fn resolve<'a>(&'a self, _: &'a str) -> Promise<'a, Vec<IpAddr>> {
        match &self.addresses {
            Some(addresses) => Box::pin(async move { Ok(addresses.clone()) }),
            None => Box::pin(std::future::pending()),
        }
    }

    fn dial(&self, _: SocketAddr) -> Promise<'_, Dialled> {
        Box::pin(std::future::pending())
    }
}

fn written(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
