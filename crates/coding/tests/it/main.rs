//! The promises of every coding, checked on each: round trips in any chunks, prefixes, limits, and no panic on noise.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::Write;

use coding::{Coding, Decoded, Decoder, Limits, Stopped, compress, decode};
use proptest::prelude::*;

const CODINGS: [Coding; 5] = [Coding::Identity, Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];
const LOOSE: Limits = Limits { decoded_bytes: u64::MAX, ratio: u64::MAX };
const MIB: usize = 1 << 20;

/// The bytes as a server would send them.
fn coded(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    match coding {
        Coding::Identity => bytes.to_vec(),
        Coding::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Coding::Deflate => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Coding::Brotli => brotli_with_window(bytes, 22),
        Coding::Zstd => zstd::encode_all(bytes, 3).unwrap(),
    }
}

fn brotli_with_window(bytes: &[u8], lgwin: i32) -> Vec<u8> {
    let mut wire = Vec::new();
    let large_window = lgwin > 24;
    let params = brotli::enc::BrotliEncoderParams { quality: 4, lgwin, large_window, ..Default::default() };
    brotli::BrotliCompress(&mut &*bytes, &mut wire, &params).unwrap();
    wire
}

/// Decodes in chunks of the given sizes, taken in turn.
fn decode_in_chunks(coding: Coding, mut wire: &[u8], sizes: &[usize], limits: Limits) -> Decoded {
    let mut decoder = Decoder::new(coding, limits);
    for size in sizes.iter().cycle() {
        let (chunk, rest) = wire.split_at(wire.len().min(*size));
        let seen = decoder.decoded().len();
        let pushed = decoder.push(chunk);
        assert!(decoder.decoded().len() >= seen);
        wire = rest;
        if wire.is_empty() || pushed.is_err() {
            break;
        }
    }
    decoder.finish()
}

/// Something like a feed: repeated words with noise between them.
fn document() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(b"<item><title>".to_vec()),
        Just(b"</title></item>\n".to_vec()),
        prop::collection::vec(any::<u8>(), 0..40),
        Just(vec![b' '; 3000]),
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

fn any_coding() -> impl Strategy<Value = Coding> {
    prop::sample::select(&CODINGS[..])
}

proptest! {
    #[test]
    fn round_trip_in_any_chunks(
        coding in any_coding(), bytes in document(), sizes in prop::collection::vec(1_usize..5000, 1..8),
    ) {
        let decoded = decode_in_chunks(coding, &coded(coding, &bytes), &sizes, LOOSE);
        prop_assert_eq!(decoded, Decoded { bytes, stopped: None });
    }

    #[test]
    fn chunks_do_not_change_the_outcome(
        coding in any_coding(), noise in prop::collection::vec(any::<u8>(), 0..300), at in any::<prop::sample::Index>(),
        bytes in document(), sizes in prop::collection::vec(1_usize..50, 1..8),
    ) {
        // Damaged somewhere, so that every kind of stop occurs.
        let mut wire = coded(coding, &bytes);
        wire.truncate(at.index(wire.len() + 1));
        wire.extend(noise);
        let limits = Limits { decoded_bytes: 20_000, ratio: 100 };
        let (once, chunked) = (decode(coding, &wire, limits), decode_in_chunks(coding, &wire, &sizes, limits));
        prop_assert_eq!(once.stopped.is_some(), chunked.stopped.is_some());
        // A decoder may report damage before or after it returns the bytes before it, but never returns wrong bytes.
        let common = once.bytes.len().min(chunked.bytes.len());
        prop_assert_eq!(&once.bytes[..common], &chunked.bytes[..common]);
    }

    #[test]
    fn a_prefix_of_the_wire_is_a_prefix_of_the_data(
        coding in any_coding(), bytes in document(), cut in any::<prop::sample::Index>(),
    ) {
        let wire = coded(coding, &bytes);
        let decoded = decode(coding, &wire[..cut.index(wire.len() + 1)], LOOSE);
        prop_assert!(bytes.starts_with(&decoded.bytes));
        prop_assert!(matches!(decoded.stopped, None | Some(Stopped::Truncated)));
    }

    #[test]
    fn noise_does_not_panic(
        coding in any_coding(), noise in prop::collection::vec(any::<u8>(), 0..2000),
        sizes in prop::collection::vec(1_usize..200, 1..8),
    ) {
        let limits = Limits { decoded_bytes: 100_000, ratio: 100 };
        let decoded = decode_in_chunks(coding, &noise, &sizes, limits);
        prop_assert!(decoded.bytes.len() <= 100_000);
    }

    #[test]
    fn damage_does_not_panic(
        coding in any_coding(), bytes in document(), at in any::<prop::sample::Index>(), flip in 1_u8..,
    ) {
        let mut wire = coded(coding, &bytes);
        if !wire.is_empty() {
            let at = at.index(wire.len());
            wire[at] ^= flip;
        }
        let decoded = decode(coding, &wire, Limits { decoded_bytes: 100_000, ratio: 100 });
        prop_assert!(decoded.bytes.len() <= 100_000);
    }

    #[test]
    fn compressed_bytes_round_trip(bytes in document()) {
        prop_assert_eq!(decode(Coding::Zstd, &compress(&bytes), LOOSE).whole(), Ok(bytes));
    }
}

#[test]
fn every_prefix_of_a_small_document() {
    let bytes = b"<rss><channel><title>One</title></channel></rss>".repeat(20);
    for coding in CODINGS {
        let wire = coded(coding, &bytes);
        for cut in 1..wire.len() {
            let decoded = decode_in_chunks(coding, &wire[..cut], &[7], Limits::default());
            assert!(bytes.starts_with(&decoded.bytes), "{coding} cut at {cut}");
            let whole = coding == Coding::Identity;
            assert_eq!(decoded.stopped.is_none(), whole, "{coding} cut at {cut}: {:?}", decoded.stopped);
        }
    }
}

#[test]
fn an_empty_body_is_whole_and_an_empty_document_too() {
    for coding in CODINGS {
        assert_eq!(decode(coding, b"", Limits::default()).whole(), Ok(vec![]), "{coding}, no bytes");
        assert_eq!(decode(coding, &coded(coding, b""), Limits::default()).whole(), Ok(vec![]), "{coding}, no data");
    }
}

#[test]
fn exactly_the_limit_is_allowed_and_one_more_is_not() {
    let bytes: Vec<u8> = (0..70_000_u32).flat_map(u32::to_le_bytes).collect();
    let size = bytes.len() as u64;
    for coding in CODINGS {
        let wire = coded(coding, &bytes);
        let limits = |decoded_bytes| Limits { decoded_bytes, ..Limits::default() };
        assert_eq!(decode(coding, &wire, limits(size)).whole().as_ref(), Ok(&bytes), "{coding}");
        for sizes in [&[100][..], &[wire.len()]] {
            let cut = decode_in_chunks(coding, &wire, sizes, limits(size - 1));
            assert_eq!(cut.stopped, Some(Stopped::TooLarge { limit_bytes: size - 1 }), "{coding}");
            assert_eq!(cut.bytes, bytes[..bytes.len() - 1], "{coding}: what fits is kept");
            assert!(cut.bytes.capacity() < bytes.len(), "{coding}: no memory beyond the limit");
        }
    }
}

#[test]
fn bombs_are_stopped_by_their_ratio_soon_after_the_first_mib() {
    let zeros = vec![0; 64 * MIB];
    for coding in &CODINGS[1..] {
        let decoded = decode(*coding, &coded(*coding, &zeros), Limits::default());
        assert_eq!(decoded.stopped, Some(Stopped::RatioExceeded { ratio: 100 }), "{coding}");
        // Deflate cannot exceed 1032:1, so it gets a little further before the ratio shows.
        assert!(decoded.bytes.len() < 2 * MIB, "{coding}: {}", decoded.bytes.len());
    }
}

#[test]
fn a_ratio_is_not_judged_on_small_bodies() {
    let zeros = vec![0; MIB];
    for coding in CODINGS {
        assert_eq!(decode(coding, &coded(coding, &zeros), Limits::default()).whole().as_ref(), Ok(&zeros), "{coding}");
    }
}

#[test]
fn once_stopped_always_stopped() {
    let mut decoder = Decoder::new(Coding::Gzip, Limits::default());
    let first = decoder.push(b"<rss/>");
    assert_eq!(first, Err(Stopped::Corrupt("no gzip header".into())));
    assert_eq!(decoder.push(&coded(Coding::Gzip, b"late")), first);
    assert_eq!(decoder.finish().bytes, b"");
}

#[test]
fn windows_that_would_cost_too_much_are_refused() {
    let bytes = vec![b'x'; 10];
    assert_eq!(decode(Coding::Brotli, &brotli_with_window(&bytes, 24), LOOSE).whole().as_ref(), Ok(&bytes));
    let large = decode(Coding::Brotli, &brotli_with_window(&bytes, 30), LOOSE);
    assert!(matches!(large.stopped, Some(Stopped::Corrupt(_))), "{:?}", large.stopped);

    for (window_log, allowed) in [(23, true), (24, false), (27, false)] {
        let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.write_all(&bytes).unwrap();
        let decoded = decode(Coding::Zstd, &encoder.finish().unwrap(), LOOSE);
        assert_eq!(decoded.stopped.is_none(), allowed, "2^{window_log}: {:?}", decoded.stopped);
    }
}

#[test]
fn frames_of_zstd_follow_each_other() {
    let wire = [coded(Coding::Zstd, b"one"), coded(Coding::Zstd, b"two")].concat();
    for size in [1, 5, 1000] {
        let decoded = decode_in_chunks(Coding::Zstd, &wire, &[size], Limits::default());
        assert_eq!(decoded.whole(), Ok(b"onetwo".to_vec()), "chunks of {size}");
    }
}

#[test]
fn a_decoder_may_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    for coding in CODINGS {
        is_send(&Decoder::new(coding, Limits::default()));
    }
}
