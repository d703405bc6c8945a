//! NATS: the server runs and has JetStream.
//!
//! Over plain TCP: a server greets every client, and its greeting lists its features, so that no client library is
//! needed here.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use testkit::services::nats;

#[test]
fn the_server_greets_and_offers_jetstream() {
    let nats = nats();
    let address = nats.url.strip_prefix("nats://").expect("a nats:// URL");
    let stream = TcpStream::connect(address).expect("the server accepts");
    let mut greeting = String::new();
    BufReader::new(stream).read_line(&mut greeting).expect("the server greets");
    assert!(greeting.starts_with("INFO {"), "{greeting}");
    assert!(greeting.contains(r#""jetstream":true"#), "{greeting}");
}
