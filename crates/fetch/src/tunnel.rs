//! Tunnels: asks a proxy to connect to an address, by HTTP or by SOCKS.
//!
//! Only addresses are passed, never names, and CONNECT is used for plain http, too: a proxy that gets a name (or a
//! whole URL) resolves it again, and then the address that was checked need not be the one that is dialled. The price
//! is that an HTTP proxy must permit CONNECT to port 80 as well.
//!
//! What a proxy sends is bounded as well. Its time limit is set by the connector.

use crate::connector::reason;
use crate::network::Stream;
use crate::proxy::{Login, Protocol, Proxy};
use data_encoding::BASE64;
use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Why there is no tunnel.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoTunnel {
    /// The proxy itself failed: it would for every address.
    Proxy(String),
    /// The proxy could not reach the address.
    Target(String),
}

impl From<io::Error> for NoTunnel {
    fn from(error: io::Error) -> Self {
        Self::Proxy(match error.kind() {
            io::ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
            _ => reason(&error),
        })
    }
}

/// Turns a connection to the proxy into one to the target.
pub(crate) async fn open(stream: &mut dyn Stream, proxy: &Proxy, target: SocketAddr) -> Result<(), NoTunnel> {
    match proxy.protocol {
        Protocol::Http => connect(stream, proxy.login.as_ref(), target).await,
        Protocol::Socks5 => {
            greet(stream, proxy.login.as_ref()).await?;
            socks(stream, target).await
        }
    }
}

/// The maximum size of a proxy's response to CONNECT: real ones have a few hundred bytes.
const MOST_HEAD_BYTES: usize = 16 << 10;

async fn connect(stream: &mut dyn Stream, login: Option<&Login>, target: SocketAddr) -> Result<(), NoTunnel> {
    let credentials = login.map_or_else(String::new, |Login { user, password }| {
        format!("Proxy-Authorization: Basic {}\r\n", BASE64.encode(format!("{user}:{password}").as_bytes()))
    });
    let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{credentials}\r\n");
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut head = Vec::new();
    let end = loop {
        if let Some(end) = head.windows(4).position(|end| end == b"\r\n\r\n") {
            break end + 4;
        }
        if head.len() >= MOST_HEAD_BYTES {
            return Err(NoTunnel::Proxy(format!("its answer has more than {MOST_HEAD_BYTES} bytes")));
        }
        let mut part = [0; 1024];
        let count = stream.read(&mut part).await?;
        if count == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        head.extend_from_slice(&part[..count]);
    };
    match status(&head) {
        // The target waits for our first byte; anything before it does not come from the target.
        Some(200..300) if head.len() > end => Err(NoTunnel::Proxy("it sent data before the target could".to_owned())),
        Some(200..300) => Ok(()),
        Some(407) if login.is_some() => Err(NoTunnel::Proxy("it refuses the login".to_owned())),
        Some(407) => Err(NoTunnel::Proxy("it wants a login".to_owned())),
        Some(status @ 502..=504) => Err(NoTunnel::Target(format!("{status}"))),
        Some(status) => Err(NoTunnel::Proxy(format!("it answered {status}"))),
        None => Err(NoTunnel::Proxy("it does not speak HTTP".to_owned())),
    }
}

/// The number in `HTTP/1.1 200 Connected`.
fn status(head: &[u8]) -> Option<u16> {
    let rest = head.strip_prefix(b"HTTP/1.")?.get(1..)?;
    let digits = rest.strip_prefix(b" ")?.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

const VERSION: u8 = 5;
const WITHOUT_LOGIN: u8 = 0;
const WITH_LOGIN: u8 = 2;

/// Negotiates the login method, and logs in (RFC 1929).
async fn greet(stream: &mut dyn Stream, login: Option<&Login>) -> Result<(), NoTunnel> {
    let methods: &[u8] = if login.is_some() { &[WITHOUT_LOGIN, WITH_LOGIN] } else { &[WITHOUT_LOGIN] };
    let greeting = [&[VERSION, methods.len() as u8], methods].concat();
    match (ask(stream, &greeting).await?, login) {
        ([VERSION, WITHOUT_LOGIN], _) => Ok(()),
        ([VERSION, WITH_LOGIN], Some(Login { user, password })) => {
            let words = [user, password].map(|word| [&[word.len() as u8], word.as_bytes()].concat());
            match ask(stream, &[&[1], words.concat().as_slice()].concat()).await? {
                [_, 0] => Ok(()),
                _ => Err(NoTunnel::Proxy("it refuses the login".to_owned())),
            }
        }
        ([VERSION, _], Some(_)) => Err(NoTunnel::Proxy("it takes no user name and password".to_owned())),
        ([VERSION, _], None) => Err(NoTunnel::Proxy("it wants a login".to_owned())),
        _ => Err(NoTunnel::Proxy("it does not speak SOCKS 5".to_owned())),
    }
}

/// Requests the connection.
async fn socks(stream: &mut dyn Stream, target: SocketAddr) -> Result<(), NoTunnel> {
    let mut request = vec![VERSION, 1, 0];
    match target.ip() {
        IpAddr::V4(address) => {
            request.push(1);
            request.extend(address.octets());
        }
        IpAddr::V6(address) => {
            request.push(4);
            request.extend(address.octets());
        }
    }
    request.extend(target.port().to_be_bytes());
    let [version, reply, _, kind] = ask(stream, &request).await?;
    if version != VERSION {
        return Err(NoTunnel::Proxy("it does not speak SOCKS 5".to_owned()));
    }
    match reply {
        0 => {}
        2 => return Err(NoTunnel::Proxy("its rules forbid it".to_owned())),
        7 => return Err(NoTunnel::Proxy("it does not support connections".to_owned())),
        other => return Err(NoTunnel::Target(reply_text(other).to_owned())),
    }
    // The address it connects from: unused, but it has to be read.
    let length = match kind {
        1 => 4,
        4 => 16,
        3 => usize::from(stream.read_u8().await?),
        _ => return Err(NoTunnel::Proxy("it does not speak SOCKS 5".to_owned())),
    };
    let mut skipped = [0; 255 + 2];
    stream.read_exact(&mut skipped[..length + 2]).await?;
    Ok(())
}

fn reply_text(reply: u8) -> &'static str {
    match reply {
        3 => "network unreachable",
        4 => "host unreachable",
        5 => "connection refused",
        6 => "too many hops",
        8 => "address type not supported",
        _ => "it failed",
    }
}

/// Sends a message and reads a response of a fixed length.
async fn ask<const N: usize>(stream: &mut dyn Stream, bytes: &[u8]) -> io::Result<[u8; N]> {
    stream.write_all(bytes).await?;
    stream.flush().await?;
    let mut answer = [0; N];
    stream.read_exact(&mut answer).await?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a proxy receives, and the result when it sends `says` and closes the connection.
    #[track_caller]
    fn check(proxy: &str, says: &[u8], told: &[u8], expected: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (mut ours, mut theirs) = tokio::io::duplex(1 << 16);
        let (opened, heard) = runtime.block_on(async {
            theirs.write_all(says).await.unwrap();
            theirs.shutdown().await.unwrap();
            let target = "93.184.216.34:80".parse().unwrap();
            let opened = open(&mut ours, &Proxy::read(proxy).unwrap(), target).await;
            drop(ours);
            let mut heard = Vec::new();
            theirs.read_to_end(&mut heard).await.unwrap();
            (opened, heard)
        });
        let opened = match opened {
            Ok(()) => "open".to_owned(),
            Err(NoTunnel::Proxy(why)) => format!("proxy: {why}"),
            Err(NoTunnel::Target(why)) => format!("target: {why}"),
        };
        assert_eq!(opened, expected, "{proxy}: {:?}", String::from_utf8_lossy(says));
        if !told.is_empty() {
            assert_eq!(String::from_utf8_lossy(&heard), String::from_utf8_lossy(told), "{proxy}");
        }
    }

    #[test]
    fn by_connect() {
        let plain = b"CONNECT 93.184.216.34:80 HTTP/1.1\r\nHost: 93.184.216.34:80\r\n\r\n";
        let (http, login) = ("http://127.0.0.1", "http://ada:s3cret@127.0.0.1");
        check(http, b"HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n", plain, "open");
        let with_login = b"CONNECT 93.184.216.34:80 HTTP/1.1\r\nHost: 93.184.216.34:80\r\n\
                           Proxy-Authorization: Basic YWRhOnMzY3JldA==\r\n\r\n";
        check(login, b"HTTP/1.0 204 \r\n\r\n", with_login, "open");
        check(http, b"HTTP/1.1 407 Who\r\n\r\n", b"", "proxy: it wants a login");
        check(login, b"HTTP/1.1 407 Who\r\n\r\n", b"", "proxy: it refuses the login");
        check(http, b"HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", b"", "proxy: it answered 403");
        check(http, b"HTTP/1.1 301 Go\r\nLocation: http://127.0.0.1/\r\n\r\n", b"", "proxy: it answered 301");
        check(http, b"HTTP/1.1 502 Bad\r\n\r\n", b"", "target: 502");
        check(http, b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200", b"", "proxy: it sent data before the target could");
        check(http, b"HTTP/1.1 20\r\n\r\n", b"", "proxy: it does not speak HTTP");
        check(http, b"SSH-2.0-x\r\n\r\n", b"", "proxy: it does not speak HTTP");
        check(http, b"HTTP/1.1 200 OK\r\n", b"", "proxy: it closed the connection");
        check(http, b"", b"", "proxy: it closed the connection");
        let endless = b"HTTP/1.1 200 ".iter().copied().chain(std::iter::repeat_n(b'a', 40_000)).collect::<Vec<_>>();
        check(http, &endless, b"", "proxy: its answer has more than 16384 bytes");
    }

    #[test]
    fn by_socks() {
        let (socks, login) = ("socks5://127.0.0.1", "socks5h://ada:s3cret@127.0.0.1");
        let request = b"\x05\x01\x00\x01\x5d\xb8\xd8\x22\x00\x50";
        let plain = [b"\x05\x01\x00", request.as_slice()].concat();
        let reply = b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00";
        check(socks, &[b"\x05\x00", reply.as_slice()].concat(), &plain, "open");
        check(socks, b"\x05\x00\x05\x00\x00\x04aaaabbbbccccddddpp", &plain, "open");
        check(socks, b"\x05\x00\x05\x00\x00\x03\x02hipp", &plain, "open");
        let with_login = [b"\x05\x02\x00\x02\x01\x03ada\x06s3cret", request.as_slice()].concat();
        check(login, &[b"\x05\x02\x01\x00", reply.as_slice()].concat(), &with_login, "open");
        check(login, b"\x05\x02\x01\x01", b"", "proxy: it refuses the login");
        check(login, b"\x05\xff", b"", "proxy: it takes no user name and password");
        check(socks, b"\x05\x02", b"", "proxy: it wants a login");
        check(socks, b"\x05\xff", b"", "proxy: it wants a login");
        check(socks, b"\x04\x00", b"", "proxy: it does not speak SOCKS 5");
        check(socks, b"HTTP/1.1 400 Bad\r\n\r\n", b"", "proxy: it does not speak SOCKS 5");
        check(socks, b"\x05\x00\x05\x02\x00\x01", b"", "proxy: its rules forbid it");
        check(socks, b"\x05\x00\x05\x05\x00\x01", b"", "target: connection refused");
        check(socks, b"\x05\x00\x05\x08\x00\x01", b"", "target: address type not supported");
        check(socks, b"\x05\x00\x05\x99\x00\x01", b"", "target: it failed");
        check(socks, b"\x05\x00\x05\x00\x00\x07", b"", "proxy: it does not speak SOCKS 5");
        check(socks, b"\x05\x00\x05\x00\x00\x03\xffshort", b"", "proxy: it closed the connection");
        check(socks, b"\x05", b"", "proxy: it closed the connection");
    }
}
