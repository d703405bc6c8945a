//! Bombs and floods cost no more than honest answers.

use crate::origin::{Origin, ok};
use crate::{at_home, told, visit, visit_with};
use coding::Stopped;
use fetch::{Egress, Fetch, Limits, Options, Request};
use std::io::Write;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// Decoded bytes are limited to two MiB here, so that the tests are quick.
fn small() -> Options {
    let body = coding::Limits { decoded_bytes: 2 << 20, ratio: 100 };
    Options { limits: Limits { body, ..Limits::default() }, ..at_home() }
}

fn compressed(coding: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match coding {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(&mut out, flate2::Compression::best());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap();
        }
        "deflate" => {
            let mut encoder = flate2::write::ZlibEncoder::new(&mut out, flate2::Compression::best());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap();
        }
        "br" => {
            let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 5, 22);
            encoder.write_all(bytes).unwrap();
            drop(encoder);
        }
        "zstd" => out = zstd::bulk::compress(bytes, 19).unwrap(),
        _ => out.extend_from_slice(bytes),
    }
    out
}

#[tokio::test]
async fn every_coding_is_undone_and_the_wire_bytes_kept() {
    let feed = "<rss><channel><title>one</title></channel></rss>".repeat(50);
    for coding in ["gzip", "deflate", "br", "zstd", "identity"] {
        let wire = compressed(coding, feed.as_bytes());
        let origin = Origin::saying(ok(&format!("Content-Encoding: {coding}\r\n"), &wire)).await;
        let answer = visit_with(at_home(), &origin.url("/")).await.answer.unwrap();
        assert_eq!(answer.coding.token(), coding);
        assert_eq!((answer.wire.to_vec(), answer.stopped), (wire, None), "{coding}");
        assert_eq!(answer.decoded, feed.as_bytes(), "{coding}");
    }
}

#[tokio::test]
async fn bombs_stop_early() {
    let bomb = vec![b'a'; 32 << 20];
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let origin = Origin::saying(ok(&format!("Content-Encoding: {coding}\r\n"), compressed(coding, &bomb))).await;
        let answer = visit_with(small(), &origin.url("/")).await.answer.unwrap();
        let stopped = answer.stopped.expect("a bomb is stopped").to_string();
        assert!(stopped.contains("100 times") || stopped.contains("2097152 bytes"), "{coding}: {stopped}");
        assert!(answer.decoded.len() <= 512 << 10, "{coding}");
    }
}

#[tokio::test]
async fn a_body_is_cut_at_the_limit() {
    let endless = Origin::playing(|mut caller| async move {
        caller.say(b"HTTP/1.1 200 OK\r\n\r\n").await;
        caller.repeat(&vec![b'a'; 65536]).await;
    });
    let answer = visit_with(small(), &endless.await.url("/")).await.answer.unwrap();
    assert_eq!(answer.stopped, Some(Stopped::TooLarge { limit_bytes: 2 << 20 }));
    assert_eq!((answer.wire.len(), answer.wire_bytes), (1 << 20, 2 << 20), "its beginning is kept");
    assert_eq!(answer.decoded, answer.wire);
}

/// Three megabytes that do not compress to nothing.
fn large_feed() -> String {
    let entry = |n: u64| format!("<item><guid>{:016x}</guid></item>\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (0..75_000).map(entry).collect()
}

#[tokio::test]
async fn large_bodies_come_whole_whatever_their_coding() {
    let feed = large_feed();
    for coding in ["gzip", "deflate", "br", "zstd", "identity"] {
        let wire = compressed(coding, feed.as_bytes());
        let origin = Origin::saying(ok(&format!("Content-Encoding: {coding}\r\n"), &wire)).await;
        let answer = visit_with(at_home(), &origin.url("/")).await.answer.unwrap();
        assert_eq!((answer.wire_bytes, answer.stopped), (wire.len() as u64, None), "{coding}");
        assert!(answer.wire == wire && answer.decoded == feed, "{coding}");
    }
}

/// There is memory for one of them. The other is complete, and waits on disk until the first answer is dropped.
#[tokio::test]
async fn large_bodies_take_turns() {
    let feed = large_feed();
    let origin = Origin::saying(ok("Content-Encoding: gzip\r\n", compressed("gzip", feed.as_bytes()))).await;
    let limits = Limits { memory_bytes: 1 << 20, ..Limits::default() };
    let fetch = Fetch::new(Options { limits, ..at_home() }).unwrap();
    let url = origin.url("/");
    let first = visit(&fetch, &url).await.answer.unwrap();
    assert!(first.decoded == feed);

    let is_complete = Notify::new();
    let mut second = pin!(fetch.exchange(Request { large: Some(&is_complete), ..Request::new(&url, Egress::Feed) }));
    tokio::select! {
        biased;
        _ = &mut second => panic!("the second body did not wait"),
        () = is_complete.notified() => {}
    }
    // Paused time passes only when nothing else can happen, on any thread: then the second body does wait.
    tokio::time::pause();
    let waited = timeout(Duration::from_millis(1), &mut second).await;
    assert!(waited.is_err(), "the second body got memory that the first one holds");
    tokio::time::resume();
    drop(first);
    assert!(second.await.answer.unwrap().decoded == feed);
}

/// A body that finds no memory while it arrives goes to the disk, whatever its size, and what it decodes to may be small
/// or large.
#[tokio::test]
async fn bodies_come_whole_where_there_is_no_memory_while_they_arrive() {
    let limits = Limits { memory_bytes: 64 << 10, ..Limits::default() };
    let fetch = Fetch::new(Options { limits, ..at_home() }).unwrap();
    for feed in [large_feed(), large_feed()[..100_000].to_owned()] {
        for coding in ["gzip", "zstd", "identity"] {
            let wire = compressed(coding, feed.as_bytes());
            let origin = Origin::saying(ok(&format!("Content-Encoding: {coding}\r\n"), &wire)).await;
            let answer = visit(&fetch, &origin.url("/")).await.answer.unwrap();
            assert!(answer.wire == wire && answer.decoded == feed && answer.stopped.is_none(), "{coding}");
        }
    }
}

/// A document that was read is not gone: what is made of it is as large, and waits to be written.
#[tokio::test]
async fn room_is_kept_for_the_work_on_a_document() {
    let feed = large_feed();
    let origin = Origin::saying(ok("Content-Encoding: gzip\r\n", compressed("gzip", feed.as_bytes()))).await;
    let fetch = Fetch::new(at_home()).unwrap();
    let answer = visit(&fetch, &origin.url("/")).await.answer.unwrap();
    let size = feed.len() as u64;
    assert!((2 * size..4 * size).contains(&answer.room.bytes()), "{:?} for {size}", answer.room);
    drop((answer.wire, answer.decoded));
    assert!(answer.room.bytes() > 2 * size, "though the bytes are gone");
    answer.room.shrink(1000);
    assert_eq!(answer.room.bytes(), 1024);
}

#[tokio::test]
async fn chunks_of_a_byte_each_are_not_put_up_with() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").await;
        caller.repeat(&b"1\r\na\r\n".repeat(1000)).await;
    })
    .await;
    let told = told(&visit_with(at_home(), &origin.url("/")).await);
    assert_eq!(told, "200 identity 65536/65536 the body is corrupt: its chunks are too small");
}

#[tokio::test]
async fn an_endless_chunk_extension_is_corrupt() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;").await;
        caller.repeat(&[b'a'; 4096]).await;
    })
    .await;
    let told = told(&visit_with(at_home(), &origin.url("/")).await);
    assert!(told.starts_with("200 identity 0/0 the body is corrupt"), "{told}");
}

#[tokio::test]
async fn a_length_is_a_claim_and_reserves_nothing() {
    let origin = Origin::saying("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nshort").await;
    let exchange = visit_with(at_home(), &origin.url("/")).await;
    assert_eq!(told(&exchange), "200 identity 5/5 the body ends early");
}

#[tokio::test]
async fn padding_after_the_end_of_a_coding_is_limited_too() {
    let origin = Origin::playing(|mut caller| async move {
        caller.say(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n").await;
        caller.say(&compressed("gzip", b"<rss/>")).await;
        caller.repeat(&vec![0; 65536]).await;
    })
    .await;
    let exchange = visit_with(small(), &origin.url("/")).await;
    assert_eq!(told(&exchange), "200 gzip 2162688/6 the body has more than 2162688 bytes");
}

#[tokio::test]
async fn endless_heads_are_refused() {
    let check = |case: &'static str, start: &'static [u8], again: Vec<u8>| async move {
        let origin = Origin::playing(move |mut caller| {
            let again = again.clone();
            async move {
                caller.say(start).await;
                caller.repeat(&again).await;
            }
        })
        .await;
        let exchange = visit_with(at_home(), &origin.url("/")).await;
        assert_eq!(told(&exchange), "the head of the answer is larger than 65536 bytes", "{case}");
    };
    check("many fields", b"HTTP/1.1 200 OK\r\n", b"X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".to_vec()).await;
    check("one field", b"HTTP/1.1 200 OK\r\nX-A: ", vec![b'a'; 4096]).await;
    check("one status line", b"HTTP/1.1 200 ", vec![b'a'; 4096]).await;
}

#[tokio::test]
async fn stacked_codings_are_not_opened() {
    let twice = compressed("gzip", &compressed("gzip", b"<rss/>"));
    for fields in ["Content-Encoding: gzip, gzip\r\n", "Content-Encoding: gzip\r\nContent-Encoding: br\r\n"] {
        let origin = Origin::saying(ok(fields, &twice)).await;
        let told = told(&visit_with(at_home(), &origin.url("/")).await);
        assert!(told.starts_with("200 identity 0/0 the body is corrupt: more than one content coding"), "{told}");
    }
}

#[tokio::test]
async fn a_coding_nobody_knows_is_none() {
    for coding in ["utf-8", "none", "binary"] {
        let origin = Origin::saying(ok(&format!("Content-Encoding: {coding}\r\n"), "<rss/>")).await;
        assert_eq!(told(&visit_with(at_home(), &origin.url("/")).await), "200 identity 6/6", "{coding}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_what_its_coding_says_is_corrupt() {
    for coding in ["gzip", "br", "zstd", "deflate"] {
        let origin = Origin::saying(ok(&format!("Content-Encoding: {coding}\r\n"), "<rss version='2.0'/>")).await;
        let told = told(&visit_with(at_home(), &origin.url("/")).await);
        assert!(told.starts_with(&format!("200 {coding} 20/0 the body is corrupt")), "{told}");
    }
}
