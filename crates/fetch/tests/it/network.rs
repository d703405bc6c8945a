//! A network that does what a test says and takes notes. It dials loopback only.

use fetch::{Dialled, Network, Promise};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;
use tokio::net::TcpStream;

type Names = Box<dyn Fn(&str) -> Vec<IpAddr> + Send + Sync>;

pub(crate) struct Scripted {
    names: Names,
    /// What the stream claims to be connected to; the truth when none.
    pub(crate) claims: Option<SocketAddr>,
    resolved: Mutex<Vec<String>>,
    dialled: Mutex<Vec<SocketAddr>>,
}

impl Scripted {
    pub(crate) fn new(names: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static) -> Self {
        Self { names: Box::new(names), claims: None, resolved: Mutex::default(), dialled: Mutex::default() }
    }

    /// Every name has these addresses, written one after another.
    pub(crate) fn with(addresses: &str) -> Self {
        let addresses: Vec<IpAddr> = addresses.split_whitespace().map(|address| address.parse().unwrap()).collect();
        Self::new(move |_| addresses.clone())
    }

    pub(crate) fn resolved(&self) -> Vec<String> {
        self.resolved.lock().unwrap().clone()
    }

    pub(crate) fn dialled(&self) -> String {
        let dialled = self.dialled.lock().unwrap();
        dialled.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
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

/// A network on which nothing ever happens.
pub(crate) struct Silent {
    /// Names resolve to this, or never.
    pub(crate) address: Option<IpAddr>,
}

impl Network for Silent {
    fn resolve<'a>(&'a self, _: &'a str) -> Promise<'a, Vec<IpAddr>> {
        match self.address {
            Some(address) => Box::pin(async move { Ok(vec![address]) }),
            None => Box::pin(std::future::pending()),
        }
    }

    fn dial(&self, _: SocketAddr) -> Promise<'_, Dialled> {
        Box::pin(std::future::pending())
    }
}
