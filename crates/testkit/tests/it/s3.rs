//! S3: the bucket exists, and objects can be read back.
//!
//! Over plain HTTP, by hand: the server checks no signature, so no client library is needed here.

use std::io::{Read, Write};
use std::net::TcpStream;

use testkit::services::{S3, s3};

#[test]
fn the_bucket_keeps_what_is_put() {
    let s3 = s3();
    let object = format!("/{}/{}/greeting", s3.bucket, s3.prefix);
    assert_eq!(ask(&s3, "GET", &object, "").0, 404);
    assert_eq!(ask(&s3, "PUT", &object, "good morning").0, 200);
    assert_eq!(ask(&s3, "GET", &object, ""), (200, "good morning".to_owned()));
}

#[test]
fn each_caller_has_a_prefix() {
    assert_ne!(s3().prefix, s3().prefix);
}

/// One request, by hand: status and body of the response.
fn ask(s3: &S3, method: &str, path: &str, body: &str) -> (u16, String) {
    let address = s3.endpoint.strip_prefix("http://").expect("an http:// URL");
    let mut stream = TcpStream::connect(address).expect("the server accepts");
    let length = body.len();
    // moto refuses anonymous requests, but does not check the signature.
    let who = format!("AWS4-HMAC-SHA256 Credential={}/20260101/{}/s3/aws4_request", s3.access_key, s3.region);
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {who}, SignedHeaders=host, Signature=none\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .expect("the request can be sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the answer can be read");
    let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
}
