//! HTTPS: HTTP/1.1 and HTTP/2, and certificates that are refused.

use crate::network::Scripted;
use crate::{at_home, told, visit};
use bytes::Bytes;
use fetch::{Fetch, Options};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use model::visit::Failure;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, SupportedProtocolVersion};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

pub(crate) struct Secure {
    pub(crate) port: u16,
    pub(crate) certificate: CertificateDer<'static>,
}

/// An origin for `feed.example` that speaks `protocol` and responds with the HTTP version of the request.
pub(crate) async fn secure(protocol: &'static str) -> Secure {
    let key = KeyPair::generate().unwrap();
    let certificate = named("feed.example").self_signed(&key).unwrap();
    serving(protocol, certificate.der().clone(), &key, TLS).await
}

const TLS: &[&SupportedProtocolVersion] = &[&TLS12, &TLS13];

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

fn acceptor(
    protocol: &str,
    certificate: CertificateDer<'static>,
    key: &KeyPair,
    versions: &[&'static SupportedProtocolVersion],
) -> TlsAcceptor {
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_protocol_versions(versions).unwrap();
    let mut config = builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    TlsAcceptor::from(Arc::new(config))
}

async fn serving(
    protocol: &'static str,
    certificate: CertificateDer<'static>,
    key: &KeyPair,
    versions: &[&'static SupportedProtocolVersion],
) -> Secure {
    let acceptor = acceptor(protocol, certificate.clone(), key, versions);
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
            assert!(String::from_utf8(decoded.to_vec()).unwrap().starts_with(expected), "{protocol} {host}");
        }
    }
}

#[tokio::test]
async fn a_large_head_is_refused_in_http2_too() {
    let origin = secure("h2").await;
    let answer = visit(&trusting(&origin), &format!("https://feed.example:{}/large-head", origin.port)).await.answer;
    assert_eq!(answer.err(), Some(Failure::HeadersTooLarge { limit_bytes: 65536 }));
}

/// The message about a certificate, signed by a known authority or not.
#[track_caller]
fn check(params: &CertificateParams, known: bool, host: &str, expected: &str) -> impl Future<Output = ()> + use<> {
    let (key, authority_key) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
    let mut authority = named("An Authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = authority.self_signed(&authority_key).unwrap().der().clone();
    let certificate = params.signed_by(&key, &Issuer::new(authority, authority_key)).unwrap().der().clone();
    let (host, expected) = (host.to_owned(), expected.to_owned());
    let authorities = if known { vec![root] } else { Vec::new() };
    async move {
        let origin = serving("http/1.1", certificate, &key, TLS).await;
        let options = Options { authorities, ..at_home() };
        let fetch = Fetch::with_network(options, Arc::new(Scripted::with("127.0.0.1"))).unwrap();
        let exchange = visit(&fetch, &format!("https://{host}:{}/", origin.port)).await;
        assert_eq!(told(&exchange), expected, "{host}");
    }
}

#[tokio::test]
async fn bad_certificates_are_refused() {
    let feed = || named("feed.example");
    let no = |why| format!("no secure connection: {why}");
    check(&feed(), true, "feed.example", "200 identity 13/13").await;
    check(&feed(), false, "feed.example", &no("the issuer of the certificate is not known")).await;
    check(&feed(), true, "other.example", &no("the certificate is not valid for other.example")).await;
    check(&feed(), true, "127.0.0.1", &no("the certificate is not valid for 127.0.0.1")).await;
    check(&named("*.feed.example"), true, "a.feed.example", "200 identity 13/13").await;
    check(&named("*.feed.example"), true, "feed.example", &no("the certificate is not valid for feed.example")).await;
    let mut clients = feed();
    clients.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    check(&clients, true, "feed.example", &no("the certificate is not for servers")).await;
    for (years, expected) in
        [([3000, 3001], "the certificate becomes valid in "), ([2001, 2002], "the certificate expired ")]
    {
        let mut params = feed();
        [params.not_before, params.not_after] = years.map(|year| date_time_ymd(year, 1, 1));
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().der().clone();
        let origin = serving("http/1.1", certificate, &key, TLS).await;
        let said = told(&visit(&trusting(&origin), &format!("https://feed.example:{}/", origin.port)).await);
        assert!(said.starts_with(&no(expected)) && said.contains(" days"), "{said}");
    }
}

#[tokio::test]
async fn self_signed_certificates_and_unknown_issuers_have_different_messages() {
    let mut authority = named("feed.example");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    for params in [named("feed.example"), authority] {
        let key = KeyPair::generate().unwrap();
        let origin = serving("http/1.1", params.self_signed(&key).unwrap().der().clone(), &key, TLS).await;
        let fetch = Fetch::with_network(at_home(), Arc::new(Scripted::with("127.0.0.1"))).unwrap();
        let said = told(&visit(&fetch, &format!("https://feed.example:{}/", origin.port)).await);
        assert_eq!(said, "no secure connection: the certificate is self-signed");
    }
}

#[tokio::test]
async fn both_versions_of_tls() {
    for version in TLS {
        let key = KeyPair::generate().unwrap();
        let certificate = named("feed.example").self_signed(&key).unwrap().der().clone();
        let origin = serving("h2", certificate, &key, &[*version]).await;
        let exchange = visit(&trusting(&origin), &format!("https://feed.example:{}/", origin.port)).await;
        assert_eq!(told(&exchange), "200 identity 25/25", "{version:?}");
    }
}

/// The message when the server responds to a handshake with these bytes and closes the connection.
async fn answered_with(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut hello = [0; 4096];
            let _ = stream.read(&mut hello).await;
            let _ = stream.write_all(bytes).await;
        }
    });
    told(&visit(&Fetch::new(at_home()).unwrap(), &format!("https://127.0.0.1:{port}/")).await)
}

#[tokio::test]
async fn handshakes_that_fail() {
    for (bytes, expected) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "the server does not speak TLS"),
        (b"", "the server closed the connection"),
        (b"\x15\x03\x03\x00\x02\x02\x28", "the server refuses the handshake: HandshakeFailure"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "the server refuses the handshake: ProtocolVersion"),
        (b"\x15\x03\x03\x00\x02\x02\x70", "the server refuses the handshake: UnrecognisedName"),
    ] {
        assert_eq!(answered_with(bytes).await, format!("no secure connection: {expected}"));
    }
}

/// Sends the bytes as an HTTP/2 server would, after a good handshake.
async fn after_handshake(bytes: &'static [u8]) -> String {
    let key = KeyPair::generate().unwrap();
    let certificate = named("feed.example").self_signed(&key).unwrap().der().clone();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = acceptor("h2", certificate.clone(), &key, TLS);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let _ = stream.write_all(bytes).await;
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.shutdown().await;
        }
    });
    told(&visit(&trusting(&Secure { port, certificate }), &format!("https://feed.example:{port}/")).await)
}

#[tokio::test]
async fn http2_that_breaks_off() {
    for (bytes, expected) in [
        (&b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"[..], "frame with invalid size"),
        // SETTINGS, then GOAWAY: enhance your calm.
        (b"\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x0b", "excessive load"),
        // SETTINGS, then RST_STREAM of our request: internal error.
        (b"\0\0\0\x04\0\0\0\0\0\0\0\x04\x03\0\0\0\0\x01\0\0\0\x02", "internal error"),
    ] {
        let said = after_handshake(bytes).await;
        assert!(said.starts_with("the answer breaks the protocol: ") && said.contains(expected), "{said}");
    }
}
