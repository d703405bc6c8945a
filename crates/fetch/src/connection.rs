//! A connection as hyper wants it: plain or secure, with its peer attached.
//!
//! Only passes bytes on. The peer travels in hyper's extensions to every response that comes over the connection, so
//! that an exchange over a kept one still knows whom it spoke to.

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

/// A connection to a host, safe to speak on.
pub(crate) struct Connection {
    stream: TokioIo<Box<dyn Stream>>,
    peer: SocketAddr,
    h2: bool,
    /// Given back when the connection is closed, by whomever.
    _permit: OwnedSemaphorePermit,
}

/// Whom a response came from.
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
