//! HTTPS: HTTP/1.1 and HTTP/2, and the certificates that are not good enough.

use crate::network::Scripted;
use crate::origin::{Origin, ok};
use crate::{at_home, failure, told, visit};
use bytes::Bytes;
use fetch::{Fetch, Options};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use model::visit::Failure;
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

struct Secure {
    port: u16,
    certificate: CertificateDer<'static>,
}

/// An origin for `feed.example` that speaks `protocol` and answers with the version it was spoken to in.
async fn secure(protocol: &'static str) -> Secure {
    let identity = rcgen::generate_simple_self_signed(vec!["feed.example".to_owned()]).unwrap();
    let certificate = identity.cert.der().clone();
    let key = PrivateKeyDer::try_from(identity.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let stream = TokioIo::new(stream);
                if protocol == "h2" {
                    let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    let _ = server.serve_connection(stream, service_fn(version)).await;
                } else {
                    let server = hyper::server::conn::http1::Builder::new();
                    let _ = server.serve_connection(stream, service_fn(version)).await;
                }
            });
        }
    });
    Secure { port, certificate }
}

async fn version(request: Request<hyper::body::Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    if request.uri().path() == "/large-head" {
        let mut response = Response::new(Full::default());
        for _ in 0..20 {
            response.headers_mut().append("x-a", "a".repeat(4000).parse().unwrap());
        }
        return Ok(response);
    }
    let told = format!("{:?} for {}", request.version(), request.uri().authority().map_or("", |a| a.host()));
    Ok(Response::new(Full::new(Bytes::from(told))))
}

fn trusting(origin: &Secure) -> Fetch {
    let options = Options { authorities: vec![origin.certificate.clone()], ..at_home() };
    Fetch::with_network(options, Arc::new(Scripted::with("127.0.0.1"))).unwrap()
}

#[tokio::test]
async fn both_versions_by_what_the_server_offers() {
    for (protocol, expected) in [("h2", "HTTP/2.0 for feed.example"), ("http/1.1", "HTTP/1.1 for ")] {
        let origin = secure(protocol).await;
        let fetch = trusting(&origin);
        for host in ["feed.example", "feed.example."] {
            let exchange = visit(&fetch, &format!("https://{host}:{}/", origin.port)).await;
            assert!(exchange.timings.tls.is_some() && exchange.timings.dns.is_some());
            let decoded = exchange.answer.unwrap().decoded;
            assert!(String::from_utf8(decoded).unwrap().starts_with(expected), "{protocol} {host}");
        }
    }
}

#[tokio::test]
async fn a_large_head_is_refused_in_http2_too() {
    let origin = secure("h2").await;
    let answer = visit(&trusting(&origin), &format!("https://feed.example:{}/large-head", origin.port)).await.answer;
    assert_eq!(answer, Err(Failure::HeadersTooLarge { limit_bytes: 65536 }));
}

#[tokio::test]
async fn certificates_that_are_not_good_enough() {
    let origin = secure("http/1.1").await;
    let tls = |exchange| match failure(exchange) {
        Failure::Tls(why) => why,
        other => panic!("{other:?}"),
    };
    let unknown = Fetch::with_network(at_home(), Arc::new(Scripted::with("127.0.0.1"))).unwrap();
    let why = tls(visit(&unknown, &format!("https://feed.example:{}/", origin.port)).await);
    assert!(why.contains("UnknownIssuer"), "{why}");
    let trusting = trusting(&origin);
    let why = tls(visit(&trusting, &format!("https://other.example:{}/", origin.port)).await);
    assert!(why.contains("not valid for"), "{why}");
    let why = tls(visit(&trusting, &format!("https://127.0.0.1:{}/", origin.port)).await);
    assert!(why.contains("not valid for"), "{why}");
}

#[tokio::test]
async fn a_plain_server_is_not_secure() {
    let origin = Origin::saying(ok("", "hi")).await;
    // It waits for a line end that a handshake need not contain, so hang up on it from our side.
    let origin_of_nonsense = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = origin_of_nonsense.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = origin_of_nonsense.accept().await {
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let fetch = Fetch::new(at_home()).unwrap();
    let refused = failure(visit(&fetch, &format!("https://127.0.0.1:{port}/")).await);
    assert!(matches!(refused, Failure::Tls(_)), "{refused:?}");
    assert_eq!(told(&visit(&fetch, &origin.url("/")).await), "200 identity 2/2");
}
