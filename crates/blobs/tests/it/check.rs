//! Tests of `check`: whether a store is usable; if not, the error says why and what to do.

use std::io::{Read, Write};
use std::net::TcpListener;

use blobs::{BlobError, Blobs, Coding, S3Options};

use crate::fixture::{Fixture, now, s3_options};

on_both!(a_usable_store_passes_and_stays_empty);

async fn a_usable_store_passes_and_stays_empty(fixture: Fixture) {
    fixture.blobs.check().await.unwrap();
    fixture.blobs.check().await.unwrap();
    assert_eq!(fixture.blobs.list(None, 10).await.unwrap(), []);
}

async fn complaint(blobs: &Blobs) -> (BlobError, String) {
    let error = blobs.check().await.unwrap_err();
    let text = error.to_string();
    (error, text)
}

#[tokio::test]
async fn a_missing_directory_is_made() {
    let fixture = Fixture::directory();
    let path = fixture.scratch.path().join("not/yet");
    let blobs = Blobs::open(&format!("file:{}", path.display()), &S3Options::default()).unwrap();
    blobs.check().await.unwrap();
    assert_eq!(std::fs::read_dir(path).unwrap().count(), 1, "the lock and nothing else");
}

#[tokio::test]
async fn a_file_in_the_way() {
    let fixture = Fixture::directory();
    fixture.overwrite("file", b"in the way".to_vec()).await;
    for tail in ["file", "file/blobs"] {
        let address = format!("file:{}/{tail}", fixture.scratch.path().display());
        let blobs = Blobs::open(&address, &S3Options::default()).unwrap();
        let (error, text) = complaint(&blobs).await;
        assert!(matches!(error, BlobError::Invalid { .. }), "{text}");
        assert!(
            text.ends_with("a file is in the way of the directory; remove it, or choose another directory"),
            "{text}"
        );
        let put = blobs.put(now(), Coding::Gzip, "x".into()).await;
        assert!(matches!(put, Err(BlobError::Invalid { .. })), "{put:?}");
    }
}

/// Nobody can create anything below `/sys`, not even root, who ignores file modes.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_directory_that_is_not_ours() {
    let blobs = Blobs::open("file:/sys/courant", &S3Options::default()).unwrap();
    let (error, text) = complaint(&blobs).await;
    assert!(matches!(error, BlobError::Denied { .. }), "{text}");
    assert_eq!(
        text,
        "not allowed to create the directory in file:/sys/courant: give this user the right to read and write there, \
         or choose another directory"
    );
}

#[tokio::test]
async fn no_such_bucket() {
    let blobs = Blobs::open("s3://courant-nowhere/x", &s3_options()).unwrap();
    let (error, text) = complaint(&blobs).await;
    assert!(matches!(error, BlobError::Invalid { .. }), "{text}");
    assert_eq!(
        text,
        "\"s3://courant-nowhere/x\" cannot hold blobs: there is no such bucket; create it, or correct the address"
    );
    // A missing bucket is not mistaken for a missing blob.
    let put = blobs.put(now(), Coding::Gzip, "x".into()).await;
    assert!(matches!(put, Err(BlobError::Invalid { .. })), "{put:?}");
    let elsewhere = Fixture::directory().blobs.put(now(), Coding::Gzip, "x".into()).await.unwrap();
    let wire = blobs.wire(&elsewhere).await;
    assert!(matches!(wire, Err(BlobError::Invalid { .. })), "{wire:?}");
}

#[tokio::test]
async fn wrong_credentials() {
    let refusing = server("403 Forbidden", "<Error><Code>SignatureDoesNotMatch</Code></Error>");
    let options = S3Options { endpoint: Some(refusing), secret_access_key: Some("hush".into()), ..s3_options() };
    let blobs = Blobs::open("s3://courant-test/x", &options).unwrap();
    let (error, text) = complaint(&blobs).await;
    assert!(matches!(error, BlobError::Denied { .. }), "{text}");
    assert_eq!(
        text,
        "not allowed to write in s3://courant-test/x: check the access key, its secret, and that it may list, get, put \
         and delete objects there"
    );
    assert!(!format!("{error:?}").contains("hush"));
}

#[tokio::test]
async fn no_server_responds() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let blobs = Blobs::open("s3://courant-test/x", &S3Options { endpoint: Some(endpoint), ..s3_options() }).unwrap();
    let (error, text) = complaint(&blobs).await;
    assert!(matches!(error, BlobError::Unavailable { .. }), "{text}");
    assert!(text.starts_with("cannot write in s3://courant-test/x: "), "{text}");
}

/// A server that always sends the same response, for as long as the test runs.
fn server(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 8192]);
            let length = body.len();
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    endpoint
}
