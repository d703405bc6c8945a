//! A connection as hyper wants it: plain or TLS, with its peer address.
//!
//! Only passes bytes on. hyper's extensions carry the peer address to every response on the connection, so that an
//! exchange on a reused connection still knows its peer.

use crate::network::Stream;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection as Describe};
use hyper_util::rt::TokioIo;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::OwnedSemaphorePermit;
use tokio_rustls::client::TlsStream;

/// A checked connection to a host.
pub(crate) struct Connection {
    stream: TokioIo<Box<dyn Stream>>,
    peer: SocketAddr,
    h2: bool,
    /// Released when either side closes the connection.
    _permit: OwnedSemaphorePermit,
}

/// The address that a response came from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Connection {
    pub(crate) fn plain(stream: Box<dyn Stream>, peer: SocketAddr, permit: OwnedSemaphorePermit) -> Self {
        Self { stream: TokioIo::new(stream), peer, h2: false, _permit: permit }
    }

    pub(crate) fn secure(stream: TlsStream<Box<dyn Stream>>, peer: SocketAddr, permit: OwnedSemaphorePermit) -> Self {
        let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Self { stream: TokioIo::new(Box::new(stream)), peer, h2, _permit: permit }
    }
}

impl Describe for Connection {
    fn connected(&self) -> Connected {
        let connected = Connected::new().extra(Peer(self.peer));
        if self.h2 { connected.negotiated_h2() } else { connected }
    }
}

impl Read for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl Write for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }
}
