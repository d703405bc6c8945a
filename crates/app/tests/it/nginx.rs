//! The configuration for nginx that we ship, in a real nginx in front of the real binary.

use std::io::{Read, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use testkit::services::{Nginx, nginx, nginx_port};

use crate::serve::{Server, program};

const COURANT: &str = include_str!("../../../../deploy/nginx/courant.conf");
const REEDME: &str = include_str!("../../../../deploy/nginx/reedme.conf");
const RISOS: &str = include_str!("../../../../deploy/nginx/risos.conf");

/// nginx with one of our files, on another port and in front of another address than the file says.
struct Front {
    nginx: Nginx,
    port: u16,
    host: &'static str,
    trusted: CertificateDer<'static>,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn headers(&self, name: &str) -> Vec<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect()
    }
}

impl Front {
    fn start(config: &str, host: &'static str, server: &Server, files: &[(&str, &str)]) -> Self {
        let (port, plain) = (nginx_port(), nginx_port());
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![host.to_owned()]).unwrap().self_signed(&key).unwrap();
        let config = config
            .replace("listen [::]:80;", "")
            .replace("listen [::]:443 ssl http2;", "")
            .replace("listen 80;", &format!("listen 127.0.0.1:{plain};"))
            .replace("listen 443 ssl", &format!("listen 127.0.0.1:{port} ssl"))
            .replace(&format!("/etc/letsencrypt/live/{host}"), "{directory}")
            .replace("/srv/", "{directory}/")
            .replace("127.0.0.1:8100", server.address());
        assert!(!config.contains("letsencrypt") && !config.contains("8100"), "{config}");
        let (certificate_text, key_text) = (certificate.pem(), key.serialize_pem());
        let files = [files, &[("fullchain.pem", &certificate_text), ("privkey.pem", &key_text)]].concat();
        Self { nginx: nginx(&config, &files, port), port, host, trusted: certificate.der().clone() }
    }

    /// A connection, and the protocol that nginx has chosen of these.
    fn connect(&self, protocols: &[&str]) -> (StreamOwned<ClientConnection, TcpStream>, String) {
        let mut roots = RootCertStore::empty();
        roots.add(self.trusted.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let mut config = builder.with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let mut client = ClientConnection::new(Arc::new(config), ServerName::try_from(self.host).unwrap()).unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        client.complete_io(&mut stream).unwrap();
        let chosen = client.alpn_protocol().map(|name| String::from_utf8_lossy(name).into_owned());
        (StreamOwned::new(client, stream), chosen.unwrap_or_default())
    }

    fn ask(&self, line: &str, headers: &str, body: &[u8]) -> Answer {
        let (mut stream, _) = self.connect(&["http/1.1"]);
        let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let head = format!("{line} HTTP/1.1\r\nhost: {}\r\n{headers}{length}connection: close\r\n\r\n", self.host);
        stream.write_all(head.as_bytes()).unwrap();
        // Who answers before it has read everything may close the connection.
        let _ = stream.write_all(body).and_then(|()| stream.flush());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{answer:?} {}", self.nginx.log()));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), "", b"")
    }
}

#[test]
fn courant_answers_through_nginx() {
    let program = program();
    let server = Server::start(&program, &["--data", "data"]);
    let front = Front::start(COURANT, "news.example", &server, &[]);

    assert_eq!(front.connect(&["h2", "http/1.1"]).1, "h2");
    let health = front.get("/api/health");
    assert_eq!((health.status, health.body.contains("\"status\":\"ok\"")), (200, true), "{}", health.body);
    assert_eq!(server.get("/metrics").0, 200, "this machine may see the metrics");
    for path in ["/metrics", "//metrics", "/%6detrics", "/metrics/", "/metrics?x"] {
        let answer = front.get(path);
        assert_eq!((answer.status, answer.body.contains("courant_")), (404, false), "{path}");
    }
    for path in ["/", "/api/health", "/no/such/path"] {
        let answer = front.get(path);
        for name in ["content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy"] {
            assert_eq!(answer.headers(name).len(), 1, "{path}: {}", answer.head);
        }
    }
}

#[test]
fn nginx_lets_lists_of_feeds_through_and_no_other_large_body() {
    let program = program();
    let server = Server::start(&program, &["--data", "data"]);
    let front = Front::start(COURANT, "news.example", &server, &[]);
    let by_nginx = |path: &str, bytes: usize| {
        let answer = front.ask(&format!("POST {path}"), "content-type: text/xml\r\n", &vec![b' '; bytes]);
        // Its pages name it; the server's never do.
        (answer.status == 413 && answer.body.contains("<center>nginx")).then_some(413)
    };
    assert_eq!(by_nginx("/api/feeds/import-opml", 15_000_000), None);
    assert_eq!(by_nginx("/api/feeds/import-opml", 17_000_000), Some(413));
    assert_eq!(by_nginx("/reedme/api/feeds/batch", 15_000_000), None);
    assert_eq!(by_nginx("/api/bookmarks", 1_000_000), None);
    assert_eq!(by_nginx("/api/bookmarks", 1_100_000), Some(413));
}

#[test]
fn front_ends_have_their_own_origins_and_policies() {
    let program = program();
    let server = Server::start(&program, &["--data", "data"]);
    let files = [
        ("reedme/index.html", "the page"),
        ("reedme/sw.js", "the worker"),
        ("reedme/assets/app-1a2b.js", "the script"),
        ("risos/index.html", "the page"),
        ("risos/static/app.js", "the script"),
    ];
    let check = |front: &Front, path: &str, status: u16, body: &str, policy: &str, caching: &str| {
        let answer = front.get(path);
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.body.contains(body), "{path}: {}", answer.body);
        let policies = answer.headers("content-security-policy");
        assert_eq!(policies.len(), usize::from(!policy.is_empty()), "{path}: {policies:?}");
        assert!(policies.iter().all(|found| found.contains(policy)), "{path}: {policies:?}");
        assert_eq!(answer.headers("cache-control").concat(), caching, "{path}");
        assert_eq!(answer.headers("x-content-type-options"), ["nosniff"], "{path}");
    };
    let ours = "require-trusted-types-for";

    let reedme = Front::start(REEDME, "reedme.example", &server, &files);
    let own = "img-src 'self' http: https: data:; font-src 'self' data:; connect-src 'self'";
    for path in ["/", "/login", "/feeds/7"] {
        check(&reedme, path, 200, "the page", own, "no-cache");
    }
    check(&reedme, "/sw.js", 200, "the worker", own, "no-cache");
    check(&reedme, "/assets/app-1a2b.js", 200, "the script", "", "public, max-age=31536000, immutable");
    check(&reedme, "/favicon.ico", 404, "404", own, "");
    // Nothing of it is under that name: the health check is not part of ReedMe's API.
    check(&reedme, "/api/health", 404, "", ours, "");

    let risos = Front::start(RISOS, "risos.example", &server, &files);
    for path in ["/", "/anything"] {
        check(&risos, path, 200, "the page", "'unsafe-eval' https://cdn.tailwindcss.com", "max-age=3600");
    }
    check(&risos, "/static/app.js", 200, "the script", "", "public, max-age=2592000, immutable");
    check(&risos, "/api/health", 200, "\"status\":\"ok\"", ours, "");
}
