//! The behaviours of hostile publishers, one trick each: slow, endless, broken, enormous, or never twice the same.
//!
//! Bytes on a socket, without an HTTP library, which would refuse to send them. `bytes.rs` generates the bytes.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::bytes::{
    MIB, OK, body, bomb, chunked, coded, feed, head, html, laughs, noise, plain, quadratic, rss, stored, text,
    zstd_bomb,
};

/// One hostile behaviour.
#[derive(Clone, Copy)]
pub(super) struct Trick {
    pub(super) name: &'static str,
    /// What it sends first, on its n-th visit.
    pub(super) says: fn(usize) -> Vec<u8>,
    pub(super) then: Then,
}

/// What it does after that.
#[derive(Clone, Copy)]
pub(super) enum Then {
    HangUp,
    /// Resets the connection in the middle.
    Reset,
    /// Keeps the connection open and sends nothing.
    Hold,
    /// Sends it only after a delay.
    Late,
    /// Sends this repeatedly, as fast as it is read.
    Pour(fn() -> Vec<u8>),
    /// Sends this repeatedly, slowly.
    Drip(&'static [u8]),
}
use Then::{Drip, HangUp, Hold, Late, Pour, Reset};

/// The interval between two drips.
const PIECE: Duration = Duration::from_millis(200);
/// The delay of a late response.
const WHILE: Duration = Duration::from_secs(4);
/// This size and interval make a gigabit a second, the fastest realistic publisher.
const GULP: (usize, Duration) = (256 << 10, Duration::from_millis(2));

const fn trick(name: &'static str, says: fn(usize) -> Vec<u8>, then: Then) -> Trick {
    Trick { name, says, then }
}

/// All of them.
pub(super) const TRICKS: &[Trick] = &[
    // Slow, or not at all.
    trick("never answers", |_| Vec::new(), Hold),
    trick("hangs up", |_| Vec::new(), HangUp),
    trick("drips its body", |_| head(4_000), Drip(b"<")),
    trick("drips its headers", |_| text(OK), Drip(b"x-a: b\r\n")),
    trick("drips one header", |_| text(&format!("{OK}x-a: ")), Drip(b"a")),
    trick("answers late", |_| plain(&rss("")), Late),
    trick("never hangs up", |_| [head(rss("").len()), text(&rss(""))].concat(), Hold),
    trick("resets in the middle", |_| [head(1_000_000), text("<rss><channel>")].concat(), Reset),
    trick("a cut body", |_| [head(100_000), text("<rss><channel>")].concat(), HangUp),
    // Without end.
    trick("a header without end", |_| text(OK), Pour(|| text("x-a-a-a-a-a-a-a-"))),
    trick("a value without end", |_| text(&format!("{OK}x-a: ")), Pour(|| text("aaaaaaaa"))),
    trick("headers without end", |_| text(OK), Pour(|| text("x-a: b\r\n"))),
    trick("100 without end", |_| Vec::new(), Pour(|| text("HTTP/1.1 100 Continue\r\n\r\n"))),
    trick(
        "a body without end",
        |_| text(&format!("{OK}\r\n<rss><channel>")),
        Pour(|| text("<item><title>x</title></item>")),
    ),
    trick("noise without end", |_| text(&format!("{OK}\r\n<rss><channel>")), Pour(|| noise(1, MIB))),
    trick(
        "gzip without end",
        |_| coded("gzip", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]),
        Pour(|| stored(&noise(2, 60_000))),
    ),
    trick("chunks without end", |_| chunked(""), Pour(|| text("6\r\n<item>\r\n"))),
    trick("crumbs without end", |_| chunked(""), Pour(|| text("1\r\nA\r\n"))),
    trick("a chunk's extension without end", |_| chunked("1;"), Pour(|| text("aaaaaaaa"))),
    trick("a chunk of a silly size", |_| chunked("ffffffffffffffff\r\n<rss>"), HangUp),
    // Packed.
    trick("a gzip bomb", |_| body("content-encoding: gzip\r\n", &bomb()), HangUp),
    trick("a zstd bomb", |_| body("content-encoding: zstd\r\n", &zstd_bomb()), HangUp),
    trick("a bomb in a bomb", |_| body("content-encoding: gzip, gzip, gzip, gzip, gzip\r\n", &bomb()), HangUp),
    trick("noise called zstd", |visit| body("content-encoding: zstd\r\n", &noise(visit, MIB)), HangUp),
    trick("noise called br", |visit| body("content-encoding: br\r\n", &noise(visit, MIB)), HangUp),
    // Not HTTP, or hardly.
    trick("noise instead of HTTP", |visit| noise(visit, 64 << 10), HangUp),
    trick("a status that is none", |_| text("HTTP/1.1 999 x\r\ncontent-length: 0\r\n\r\n"), HangUp),
    trick("a version that is none", |_| [&b"HTTP/9.9 999 "[..], &[0xff, 0xfe], b"\r\n\r\n"].concat(), HangUp),
    trick("two lengths", |_| text(&format!("{OK}content-length: 5\r\ncontent-length: 50\r\n\r\n<rss></rss>")), HangUp),
    trick(
        "a length and chunks",
        |_| text(&format!("{OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n")),
        HangUp,
    ),
    trick("a negative length", |_| text(&format!("{OK}content-length: -5\r\n\r\n<rss></rss>")), HangUp),
    trick(
        "a length past all",
        |_| text(&format!("{OK}content-length: 9223372036854775807\r\n\r\n<rss></rss>")),
        HangUp,
    ),
    trick(
        "an etag of a megabyte",
        |_| body(&format!("etag: \"{}\"\r\n", "e".repeat(MIB)), b"<rss><channel/></rss>"),
        HangUp,
    ),
    trick(
        "cookies",
        |_| body(&format!("set-cookie: a={}\r\n", "b".repeat(200)).repeat(10_000), b"<rss><channel/></rss>"),
        HangUp,
    ),
    // Elsewhere, or another time.
    trick("redirects to itself", |_| text("HTTP/1.1 302 x\r\nlocation: /feed\r\ncontent-length: 0\r\n\r\n"), HangUp),
    trick(
        "redirects for ever",
        |visit| {
            text(&format!("HTTP/1.1 301 x\r\nconnection: close\r\nlocation: /{visit}\r\ncontent-length: 0\r\n\r\n"))
        },
        HangUp,
    ),
    trick(
        "redirects inwards",
        |_| text("HTTP/1.1 302 x\r\nlocation: http://169.254.169.254/latest/meta-data\r\ncontent-length: 0\r\n\r\n"),
        HangUp,
    ),
    trick(
        "redirects to a file",
        |_| text("HTTP/1.1 302 x\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n"),
        HangUp,
    ),
    trick(
        "moves to a page",
        |visit| {
            if visit % 2 == 1 {
                text("HTTP/1.1 301 x\r\nconnection: close\r\nlocation: /page\r\ncontent-length: 0\r\n\r\n")
            } else {
                plain("<!doctype html><html><p>Buy!")
            }
        },
        HangUp,
    ),
    trick("too many requests", |_| text("HTTP/1.1 429 x\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n"), HangUp),
    trick(
        "away for ten thousand years",
        |_| text("HTTP/1.1 503 x\r\nretry-after: 315360000000\r\ncontent-length: 0\r\n\r\n"),
        HangUp,
    ),
    trick(
        "back before it left",
        |_| text("HTTP/1.1 503 x\r\nretry-after: -1, banana\r\ncontent-length: 0\r\n\r\n"),
        HangUp,
    ),
    trick("fresh for ever", |_| body("cache-control: max-age=999999999999999999999\r\n", rss("").as_bytes()), HangUp),
    trick("unchanged from the first", |_| text("HTTP/1.1 304 x\r\n\r\n"), HangUp),
    trick(
        "fails every other time",
        |visit| if visit % 2 == 1 { text("HTTP/1.1 500 x\r\ncontent-length: 0\r\n\r\n") } else { plain(&rss("")) },
        HangUp,
    ),
    // No feed.
    trick("nothing", |_| plain(""), HangUp),
    trick("noise", |visit| body("", &noise(visit, 4 * MIB)), HangUp),
    trick("a web page", |_| plain(&"<!doctype html><html><body><p>Hello".repeat(9_000)), HangUp),
    trick("half of a character", |_| body("", &[&[0xff, 0xfe][..], &[0x00, 0xd8].repeat(200_000)].concat()), HangUp),
    // Never the same.
    trick(
        "new names every visit",
        |visit| feed(200, |n| format!("<guid>{visit}-{n}</guid><title>{visit} {n}</title>")),
        HangUp,
    ),
    trick(
        "another title every visit",
        |visit| feed(200, |n| format!("<guid>{n}</guid><title>{n} at {visit}</title>")),
        HangUp,
    ),
    trick(
        "from the future",
        |visit| feed(50, |n| format!("<guid>{visit}-{n}</guid><pubDate>Tue, 01 Dec 2099 00:00:00 GMT</pubDate>")),
        HangUp,
    ),
    trick(
        "a date in brackets",
        |_| feed(1, |_| format!("<guid>1</guid><pubDate>Mon, {} 01 Jan 2026</pubDate>", "(".repeat(200_000))),
        HangUp,
    ),
    // Enormous.
    trick(
        "fifty thousand entries",
        |visit| feed(50_000, |n| format!("<guid>{visit}-{n}</guid><title>x</title>")),
        HangUp,
    ),
    trick(
        "fifteen megabytes of entries",
        |visit| {
            feed(30_000, |n| {
                format!(
                    "<guid>{visit}-{n}</guid><title>x</title><description>{}</description>",
                    "words and ".repeat(45)
                )
            })
        },
        HangUp,
    ),
    trick(
        "fifty thousand times the same",
        |_| feed(50_000, |_| "<guid>same</guid><title>x</title>".to_owned()),
        HangUp,
    ),
    trick("a tower of tags", |_| plain(&format!("<rss>{}", "<a>".repeat(300_000))), HangUp),
    trick(
        "a tower of brackets",
        |_| plain(&format!("{{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":{}", "[".repeat(300_000))),
        HangUp,
    ),
    trick("laughs", |_| plain(&laughs()), HangUp),
    trick("laughs in squares", |_| plain(&quadratic()), HangUp),
    trick(
        "eighty thousand attributes",
        |_| {
            plain(&format!(
                "<rss {}><channel/></rss>",
                (0..80_000).fold(String::new(), |all, n| all + &format!("a{n}='1' "))
            ))
        },
        HangUp,
    ),
    trick(
        "eighty thousand namespaces",
        |_| {
            plain(&format!(
                "<rss {}><channel/></rss>",
                (0..80_000).fold(String::new(), |all, n| all + &format!("xmlns:n{n}='u' "))
            ))
        },
        HangUp,
    ),
    trick("a comment without end", |_| plain(&format!("<!--{}", "-".repeat(MIB))), HangUp),
    trick("instructions", |_| plain(&"<?a b?>".repeat(100_000)), HangUp),
    trick(
        "a long title",
        |visit| feed(1, |_| format!("<guid>{visit}</guid><title>{}</title>", "long ".repeat(800_000))),
        HangUp,
    ),
    trick("a long attribute", |_| plain(&format!("<rss a='{}'><channel/></rss>", "x".repeat(4 * MIB))), HangUp),
    trick("markup for megabytes", |visit| html(visit, &"<div><script>x".repeat(100_000)), HangUp),
    trick("a tower of divs", |visit| html(visit, &"<div>".repeat(60_000)), HangUp),
    trick(
        "formats in formats",
        |visit| html(visit, &format!("{}{}", "<b><i><u><font>".repeat(5_000), "<p>".repeat(2_000))),
        HangUp,
    ),
    trick("tables of tables", |visit| html(visit, &"<table><b>".repeat(5_000)), HangUp),
];

impl Trick {
    /// Handles a connection until the visitor disconnects: the server never gives up first.
    pub(super) async fn play(self, mut stream: TcpStream, said: &[u8]) -> io::Result<()> {
        let mut request = [0; 4096];
        if stream.read(&mut request).await? == 0 {
            return Ok(());
        }
        if matches!(self.then, Late) {
            tokio::time::sleep(WHILE).await;
        }
        stream.write_all(said).await?;
        match self.then {
            HangUp | Late => stream.shutdown().await,
            Reset => stream.set_zero_linger(),
            Hold => {
                while stream.read(&mut request).await? > 0 {}
                Ok(())
            }
            Pour(piece) => {
                let piece = piece();
                let gulp = piece.repeat((GULP.0 / piece.len()).max(1));
                loop {
                    stream.write_all(&gulp).await?;
                    tokio::time::sleep(GULP.1).await;
                }
            }
            Drip(piece) => loop {
                stream.write_all(piece).await?;
                tokio::time::sleep(PIECE).await;
            },
        }
    }
}
