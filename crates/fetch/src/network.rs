//! The interface between the guard and the network: names to addresses, an address to a stream.
//!
//! A network is not trusted. The connector checks every resolved address, dials only those and verifies the peer; so a
//! test can use a lying network and show that it is not believed.

use crate::resolver::Resolver;
use crate::{FetchError, Options};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// The future of a network operation.
pub type Promise<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Something that resolves names and dials addresses.
pub trait Network: Send + Sync + 'static {
    /// The addresses of a name, which is never an IP address itself.
    fn resolve<'a>(&'a self, name: &'a str) -> Promise<'a, Vec<IpAddr>>;

    /// A connection to exactly this address.
    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled>;
}

/// A connection and its peer.
pub struct Dialled {
    /// The byte stream.
    pub stream: Box<dyn Stream>,
    /// The peer, as the operating system reports it.
    pub peer: SocketAddr,
}

/// Bytes in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The machine's own network.
pub struct System {
    resolver: Resolver,
}

impl System {
    /// Reads the resolver configuration of this machine.
    pub fn new(options: &Options) -> Result<Self, FetchError> {
        Ok(Self { resolver: Resolver::new(&options.timeouts)? })
    }
}

impl Network for System {
    fn resolve<'a>(&'a self, name: &'a str) -> Promise<'a, Vec<IpAddr>> {
        Box::pin(self.resolver.addresses(name))
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let peer = stream.peer_addr()?;
            Ok(Dialled { stream: Box::new(stream), peer })
        })
    }
}
