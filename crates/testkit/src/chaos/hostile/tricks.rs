//! What hostile publishers do, one trick each: slow, endless, broken, enormous, or never twice the same.
//!
//! Bytes on a socket, without an HTTP library, which would not let us.

use std::fmt::Write as _;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use trial::Dice;

/// One way to be hostile.
#[derive(Clone, Copy)]
pub(super) struct Trick {
    pub(super) name: &'static str,
    /// Answers a connection; the number is that of the visit.
    pub(super) play: fn(TcpStream, usize) -> Playing,
}

type Playing = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

macro_rules! tricks {
    ($($name:literal: |$stream:ident, $visit:pat_param| $play:expr;)*) => {
        /// All of them.
        pub(super) const TRICKS: &[Trick] = &[$(Trick {
            name: $name,
            play: |mut $stream, $visit| Box::pin(async move {
                let mut request = [0; 4096];
                if $stream.read(&mut request).await? > 0 {
                    $play
                }
                Ok(())
            }),
        }),*];
    };
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\n";
const PIECE: Duration = Duration::from_millis(200);

tricks! {
    "never answers": |stream, _| wait(&mut stream).await?;
    "hangs up": |stream, _| stream.shutdown().await?;
    "drips its body": |stream, _| { head(&mut stream, 4_000).await?; drip(&mut stream, b"<").await?; };
    "drips its headers": |stream, _| { stream.write_all(OK.as_bytes()).await?; drip(&mut stream, b"x-a: b\r\n").await?; };
    "a header without end": |stream, _| { stream.write_all(OK.as_bytes()).await?; pour(&mut stream, b"x-a-a-a-a-a-a-a-").await?; };
    "headers without end": |stream, _| { stream.write_all(OK.as_bytes()).await?; pour(&mut stream, b"x-a: b\r\n").await?; };
    "100 without end": |stream, _| pour(&mut stream, b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    "a body without end": |stream, _| { stream.write_all(format!("{OK}\r\n<rss>").as_bytes()).await?; pour(&mut stream, b"<item><title>x</title></item>").await?; };
    "chunks without end": |stream, _| {
        stream.write_all(format!("{OK}transfer-encoding: chunked\r\n\r\n").as_bytes()).await?;
        pour(&mut stream, b"6\r\n<item>\r\n").await?;
    };
    "a chunk of a silly size": |stream, _| stream.write_all(format!("{OK}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n<rss>").as_bytes()).await?;
    "a gzip bomb": |stream, _| body(&mut stream, "content-encoding: gzip\r\n", &bomb()).await?;
    "a bomb in a bomb": |stream, _| body(&mut stream, "content-encoding: gzip, gzip, gzip, gzip, gzip\r\n", &bomb()).await?;
    "noise called zstd": |stream, visit| body(&mut stream, "content-encoding: zstd\r\n", &noise(visit, 1 << 20)).await?;
    "noise called br": |stream, visit| body(&mut stream, "content-encoding: br\r\n", &noise(visit, 1 << 20)).await?;
    "noise": |stream, visit| body(&mut stream, "", &noise(visit, 4 << 20)).await?;
    "noise instead of HTTP": |stream, visit| stream.write_all(&noise(visit, 64 << 10)).await?;
    "redirects to itself": |stream, _| stream.write_all(b"HTTP/1.1 302 x\r\nlocation: /feed\r\ncontent-length: 0\r\n\r\n").await?;
    "redirects for ever": |stream, visit| stream.write_all(format!("HTTP/1.1 301 x\r\nconnection: close\r\nlocation: /{visit}\r\ncontent-length: 0\r\n\r\n").as_bytes()).await?;
    "redirects inwards": |stream, _| stream.write_all(b"HTTP/1.1 302 x\r\nlocation: http://169.254.169.254/latest/meta-data\r\ncontent-length: 0\r\n\r\n").await?;
    "too many requests": |stream, _| stream.write_all(b"HTTP/1.1 429 x\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n").await?;
    "away for ten thousand years": |stream, _| stream.write_all(b"HTTP/1.1 503 x\r\nretry-after: 315360000000\r\ncontent-length: 0\r\n\r\n").await?;
    "a status that is none": |stream, _| stream.write_all(b"HTTP/1.1 999 x\r\ncontent-length: 0\r\n\r\n").await?;
    "a cut body": |stream, _| { head(&mut stream, 100_000).await?; stream.write_all(b"<rss><channel>").await?; };
    "two lengths": |stream, _| stream.write_all(format!("{OK}content-length: 5\r\ncontent-length: 50\r\n\r\n<rss></rss>").as_bytes()).await?;
    "a negative length": |stream, _| stream.write_all(format!("{OK}content-length: -5\r\n\r\n<rss></rss>").as_bytes()).await?;
    "nothing": |stream, _| body(&mut stream, "", b"").await?;
    "a web page": |stream, _| body(&mut stream, "", "<!doctype html><html><body><p>Hello".repeat(9_000).as_bytes()).await?;
    "new names every visit": |stream, visit| body(&mut stream, "", feed(200, |n| format!("<guid>{visit}-{n}</guid><title>{visit} {n}</title>")).as_bytes()).await?;
    "another title every visit": |stream, visit| body(&mut stream, "", feed(200, |n| format!("<guid>{n}</guid><title>{n} at {visit}</title>")).as_bytes()).await?;
    "fifty thousand entries": |stream, visit| body(&mut stream, "", feed(50_000, |n| format!("<guid>{visit}-{n}</guid><title>x</title>")).as_bytes()).await?;
    "from the future": |stream, visit| body(&mut stream, "", feed(50, |n| format!("<guid>{visit}-{n}</guid><pubDate>Tue, 01 Dec 2099 00:00:00 GMT</pubDate>")).as_bytes()).await?;
    "a tower of tags": |stream, _| body(&mut stream, "", format!("<rss>{}", "<a>".repeat(300_000)).as_bytes()).await?;
    "a tower of brackets": |stream, _| body(&mut stream, "", format!("{{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":{}", "[".repeat(300_000)).as_bytes()).await?;
    "laughs": |stream, _| body(&mut stream, "", laughs().as_bytes()).await?;
    "a long title": |stream, visit| body(&mut stream, "", feed(1, |_| format!("<guid>{visit}</guid><title>{}</title>", "long ".repeat(800_000))).as_bytes()).await?;
    "a long attribute": |stream, _| body(&mut stream, "", format!("<rss a='{}'><channel/></rss>", "x".repeat(4 << 20)).as_bytes()).await?;
    "markup for megabytes": |stream, visit| body(&mut stream, "", feed(1, |_| format!("<guid>{visit}</guid><description>{}</description>", "&lt;div&gt;&lt;script&gt;x".repeat(100_000))).as_bytes()).await?;
    "half of a character": |stream, _| body(&mut stream, "", &[&[0xff, 0xfe][..], &[0x00, 0xd8].repeat(200_000)].concat()).await?;
    "an etag of a megabyte": |stream, _| body(&mut stream, &format!("etag: \"{}\"\r\n", "e".repeat(1 << 20)), b"<rss><channel/></rss>").await?;
    "cookies": |stream, _| body(&mut stream, &"set-cookie: a=b\r\n".repeat(5_000), b"<rss><channel/></rss>").await?;
}

async fn head(stream: &mut TcpStream, length: usize) -> io::Result<()> {
    stream.write_all(format!("{OK}content-length: {length}\r\n\r\n").as_bytes()).await
}

async fn body(stream: &mut TcpStream, fields: &str, body: &[u8]) -> io::Result<()> {
    let head = format!("{OK}connection: close\r\n{fields}content-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await
}

/// As fast as it is taken, until the visitor hangs up.
async fn pour(stream: &mut TcpStream, piece: &[u8]) -> io::Result<()> {
    let pieces = piece.repeat(512);
    loop {
        stream.write_all(&pieces).await?;
    }
}

async fn drip(stream: &mut TcpStream, piece: &[u8]) -> io::Result<()> {
    loop {
        stream.write_all(piece).await?;
        tokio::time::sleep(PIECE).await;
    }
}

/// Until the visitor goes.
async fn wait(stream: &mut TcpStream) -> io::Result<()> {
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}

fn noise(seed: usize, bytes: usize) -> Vec<u8> {
    let mut dice = Dice::new(seed as u64);
    (0..bytes).map(|_| dice.roll(256) as u8).collect()
}

fn feed(entries: usize, entry: impl Fn(usize) -> String) -> String {
    let mut text = String::from("<rss version='2.0'><channel><title>hostile</title>");
    for n in 0..entries {
        let _ = write!(text, "<item>{}</item>", entry(n));
    }
    text.push_str("</channel></rss>");
    text
}

/// Entities that stand for ten of the one before.
fn laughs() -> String {
    let mut text = String::from("<!DOCTYPE rss [<!ENTITY e0 'ha'>");
    for n in 1..20 {
        let _ = write!(text, "<!ENTITY e{n} '{}'>", format!("&e{};", n - 1).repeat(10));
    }
    text.push_str("]><rss version='2.0'><channel><title>&e19;</title></channel></rss>");
    text
}

/// A megabyte of deflate that stands for 160 of nothing: one zero, then "258 times what was one before", for ever.
fn bomb() -> Vec<u8> {
    // Header of gzip; then bits, lowest first: last block, fixed codes.
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let (mut held, mut count) = (0u32, 0);
    let mut put = |bits: &[u8]| {
        for bit in bits {
            held |= u32::from(*bit) << count;
            count += 1;
            if count == 8 {
                bytes.push(held as u8);
                (held, count) = (0, 0);
            }
        }
    };
    put(&[1, 1, 0]);
    put(&[0, 0, 1, 1, 0, 0, 0, 0]);
    for _ in 0..650_000 {
        put(&[1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
    }
    bytes
}
