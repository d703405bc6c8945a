//! Bodies are stored and returned: exactly, once, verified, decoded within limits.

use std::io::Write;

use blobs::{AtRest, BlobError, Coding, Limits, Stopped};
use bytes::Bytes;

use crate::fixture::{Fixture, now};

on_both!(
    every_coding_comes_back_exactly,
    identity_is_compressed_if_that_saves_space,
    identical_puts_store_once,
    the_same_bytes_in_another_coding_are_another_blob,
    a_flipped_byte_is_detected,
    bytes_are_verified_by_their_name_alone,
    a_longer_or_shorter_body_is_detected,
    a_truncated_blob_is_replaced_by_the_next_put,
    what_was_never_put_is_not_found,
    decoding_keeps_its_limits,
    a_truncated_body_is_kept_as_it_came,
);

fn document() -> Vec<u8> {
    (0..500).flat_map(|n| format!("<item><title>Entry {n}</title></item>\n").into_bytes()).collect()
}

fn coded(coding: Coding, bytes: &[u8]) -> Bytes {
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
        Coding::Brotli => {
            let mut wire = Vec::new();
            brotli::BrotliCompress(&mut &*bytes, &mut wire, &brotli::enc::BrotliEncoderParams::default()).unwrap();
            wire
        }
        Coding::Zstd => zstd::encode_all(bytes, 3).unwrap(),
    }
    .into()
}

/// Deterministic bytes that do not compress.
fn noise(size: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut step = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(&mut step).take(size).collect()
}

async fn every_coding_comes_back_exactly(fixture: Fixture) {
    for (coding, suffix) in [
        (Coding::Identity, ".id.zst"),
        (Coding::Gzip, ".gz"),
        (Coding::Deflate, ".deflate"),
        (Coding::Brotli, ".br"),
        (Coding::Zstd, ".zst"),
    ] {
        let wire = coded(coding, &document());
        let blob = fixture.blobs.put(now(), coding, wire.clone()).await.unwrap();
        assert!(blob.key().to_string().ends_with(suffix), "{}", blob.key());
        assert_eq!(blob.wire_bytes, wire.len() as u64);
        assert_eq!(blob.stored_bytes, fixture.peek(&blob.key().to_string()).await.len() as u64);
        assert_eq!(fixture.blobs.wire(&blob).await.unwrap(), wire, "{coding}");
        let decoded = fixture.blobs.decoded(&blob, Limits::default()).await.unwrap();
        assert_eq!(decoded.whole(), Ok(document()), "{coding}");
    }
    assert_eq!(fixture.times().await.len(), 5);
}

async fn identity_is_compressed_if_that_saves_space(fixture: Fixture) {
    for (case, wire, at_rest) in [
        ("a feed", document(), AtRest::Zstd),
        ("small", b"<rss/>".repeat(20), AtRest::AsIs),
        ("incompressible", noise(5000), AtRest::AsIs),
        ("a large feed", document().repeat(1 + (2 << 20) / document().len()), AtRest::Zstd),
        ("incompressible for megabytes", noise(2 << 20), AtRest::AsIs),
        ("empty", vec![], AtRest::AsIs),
        ("compressible beyond any ratio", vec![0; 4 << 20], AtRest::Zstd),
    ] {
        let blob = fixture.blobs.put(now(), Coding::Identity, wire.clone().into()).await.unwrap();
        assert_eq!(blob.at_rest, at_rest, "{case}");
        assert_eq!(fixture.blobs.wire(&blob).await.unwrap(), wire, "{case}");
    }
}

async fn identical_puts_store_once(fixture: Fixture) {
    let puts: Vec<_> = (0..20)
        .map(|_| {
            let blobs = fixture.blobs.clone();
            tokio::spawn(async move { blobs.put(now(), Coding::Identity, document().into()).await.unwrap() })
        })
        .collect();
    let mut names = Vec::new();
    for put in puts {
        names.push(put.await.unwrap());
    }
    names.dedup();
    assert_eq!(names.len(), 1);
    assert_eq!(fixture.times().await.len(), 1);
    assert_eq!(fixture.blobs.wire(&names[0]).await.unwrap(), document());
}

async fn the_same_bytes_in_another_coding_are_another_blob(fixture: Fixture) {
    let wire = coded(Coding::Gzip, &document());
    let labelled = fixture.blobs.put(now(), Coding::Gzip, wire.clone()).await.unwrap();
    let unlabelled = fixture.blobs.put(now(), Coding::Identity, wire.clone()).await.unwrap();
    assert_eq!(labelled.hash, unlabelled.hash);
    assert_ne!(labelled.key(), unlabelled.key());
    assert_eq!(fixture.blobs.decoded(&unlabelled, Limits::default()).await.unwrap().bytes, wire);
    assert_eq!(fixture.blobs.decoded(&labelled, Limits::default()).await.unwrap().bytes, document());
}

async fn a_flipped_byte_is_detected(fixture: Fixture) {
    for coding in [Coding::Identity, Coding::Gzip] {
        let blob = fixture.blobs.put(now(), coding, coded(coding, &document())).await.unwrap();
        let mut bytes = fixture.peek(&blob.key().to_string()).await;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fixture.overwrite(&blob.key().to_string(), bytes).await;
        let error = fixture.blobs.wire(&blob).await.unwrap_err();
        assert!(matches!(error, BlobError::Corrupt { key, .. } if key == blob.key()), "{error}");
        assert!(error.to_string().contains(&blob.key().to_string()), "{error}");
        assert!(fixture.blobs.decoded(&blob, Limits::default()).await.is_err());
    }
}

async fn bytes_are_verified_by_their_name_alone(fixture: Fixture) {
    let bodies = [(Coding::Identity, document()), (Coding::Identity, b"short".to_vec()), (Coding::Gzip, noise(900))];
    for (coding, body) in bodies {
        fixture.blobs.put(now(), coding, body.into()).await.unwrap();
    }
    let listed = fixture.blobs.list(None, usize::MAX).await.unwrap();
    assert_eq!(listed.len(), 3);
    for found in &listed {
        fixture.blobs.verify(found).await.unwrap();
        let name = found.key.to_string();
        let mut bytes = fixture.peek(&name).await;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        fixture.overwrite(&name, bytes).await;
        let said = fixture.blobs.verify(found).await.unwrap_err();
        assert!(matches!(&said, BlobError::Corrupt { key, .. } if *key == found.key), "{said}");
    }
}

async fn a_longer_or_shorter_body_is_detected(fixture: Fixture) {
    let blob = fixture.blobs.put(now(), Coding::Gzip, coded(Coding::Gzip, &document())).await.unwrap();
    let bytes = fixture.peek(&blob.key().to_string()).await;
    for other in [bytes[..bytes.len() - 1].to_vec(), [bytes.clone(), vec![0; 100_000]].concat(), vec![]] {
        fixture.overwrite(&blob.key().to_string(), other).await;
        let error = fixture.blobs.wire(&blob).await.unwrap_err();
        assert!(matches!(error, BlobError::Corrupt { .. }), "{error}");
    }
}

async fn a_truncated_blob_is_replaced_by_the_next_put(fixture: Fixture) {
    let blob = fixture.blobs.put(now(), Coding::Identity, document().into()).await.unwrap();
    fixture.overwrite(&blob.key().to_string(), b"cut".to_vec()).await;
    assert_eq!(fixture.blobs.put(now(), Coding::Identity, document().into()).await.unwrap(), blob);
    assert_eq!(fixture.blobs.wire(&blob).await.unwrap(), document());
}

async fn what_was_never_put_is_not_found(fixture: Fixture) {
    let elsewhere = Fixture::directory();
    let blob = elsewhere.blobs.put(now(), Coding::Identity, document().into()).await.unwrap();
    let error = fixture.blobs.wire(&blob).await.unwrap_err();
    assert!(matches!(error, BlobError::NotFound { key, .. } if key == blob.key()), "{error}");
}

async fn decoding_keeps_its_limits(fixture: Fixture) {
    let zeros = vec![0; 4 << 20];
    let blob = fixture.blobs.put(now(), Coding::Gzip, coded(Coding::Gzip, &zeros)).await.unwrap();
    let decoded = |limits| fixture.blobs.decoded(&blob, limits);
    let cut = decoded(Limits { decoded_bytes: 1000, ..Limits::default() }).await.unwrap();
    assert_eq!(cut.stopped, Some(Stopped::TooLarge { limit_bytes: 1000 }));
    assert_eq!(cut.bytes, &zeros[..1000]);
    let bomb = decoded(Limits::default()).await.unwrap();
    assert_eq!(bomb.stopped, Some(Stopped::RatioExceeded { ratio: 100 }));
    let trusted = decoded(Limits { ratio: u64::MAX, ..Limits::default() }).await.unwrap();
    assert_eq!(trusted.whole(), Ok(zeros));
}

async fn a_truncated_body_is_kept_as_it_came(fixture: Fixture) {
    let wire = coded(Coding::Gzip, &document());
    let half = wire.slice(..wire.len() / 2);
    let blob = fixture.blobs.put(now(), Coding::Gzip, half.clone()).await.unwrap();
    assert_eq!(fixture.blobs.wire(&blob).await.unwrap(), half);
    let decoded = fixture.blobs.decoded(&blob, Limits::default()).await.unwrap();
    assert_eq!(decoded.stopped, Some(Stopped::Truncated));
    assert!(!decoded.bytes.is_empty() && document().starts_with(&decoded.bytes));
}
