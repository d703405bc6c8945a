//! Private addresses: only those of the server whose URL the operator configured.

use crate::{KEY, now, options, prompt, summary, told};
use fetch::{Dialled, Network, Promise};
use llm::{Key, Llm, Options};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use testkit::{ModelServer, Reply};

/// Every name has this address. Dialling is recorded and refused.
struct Names {
    address: IpAddr,
    dialled: Mutex<Vec<SocketAddr>>,
}

impl Network for Names {
    fn resolve<'a>(&'a self, _: &'a str) -> Promise<'a, Vec<IpAddr>> {
        Box::pin(async { Ok(vec![self.address]) })
    }

    fn dial(&self, address: SocketAddr) -> Promise<'_, Dialled> {
        self.dialled.lock().unwrap().push(address);
        Box::pin(async { Err(io::ErrorKind::ConnectionRefused.into()) })
    }
}

/// What a call says where all names have the address, and how often it dialled.
async fn called(options: Options, address: &str) -> (String, usize) {
    let network = Arc::new(Names { address: address.parse().unwrap(), dialled: Mutex::default() });
    // Feeds may be in these networks, which says nothing about models.
    let allow_private = ["10.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16"].map(|net| net.parse().unwrap()).to_vec();
    let feeds = fetch::Options { allow_private, ..fetch::Options::default() };
    let llm = Llm::with_network(options, feeds, Arc::clone(&network) as _, now).unwrap();
    let told = told(&llm.complete(&prompt()).await);
    let dialled = network.dialled.lock().unwrap().len();
    (told, dialled)
}

fn refused(address: &str) -> (String, usize) {
    let why = format!("{address} is not an address that visits may reach");
    (format!("permanent: the model's server refuses the request: {why}"), 0)
}

fn dialled() -> (String, usize) {
    ("temporary: the model cannot be reached: no connection: connection refused".to_owned(), 1)
}

#[tokio::test]
async fn a_configured_url_may_be_private() {
    let server = ModelServer::start().await;
    for url in [server.url(), format!("http://localhost:{}", server.port())] {
        server.then(Reply::json(&summary()));
        let llm = Llm::new(options(&url), fetch::Options::default(), now).unwrap();
        assert_eq!(told(&llm.complete(&prompt()).await), "\"Rain on Monday.\" by scripted", "{url}");
    }
    for address in ["127.0.0.1", "10.0.0.7", "192.168.1.7", "fd00::7"] {
        assert_eq!(called(options("http://gpu.lan:8000/v1"), address).await, dialled(), "{address}");
    }
    let ollama = Options::new(Some("ollama"), None, "m", Key::default()).unwrap();
    assert_eq!(called(ollama, "127.0.0.1").await, dialled(), "choosing a local server is choosing this machine");
}

#[tokio::test]
async fn a_url_that_nobody_configured_may_not() {
    let openai = || Options::new(Some("openai"), None, "m", Key::new(KEY)).unwrap();
    for address in ["127.0.0.1", "10.0.0.7", "fd00::7", "169.254.169.254"] {
        assert_eq!(called(openai(), address).await, refused(address));
    }
    assert_eq!(called(openai(), "93.184.216.34").await, dialled());
}

#[tokio::test]
async fn no_url_leads_to_the_credentials_of_the_machine() {
    for address in ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "0.0.0.0"] {
        assert_eq!(called(options("http://gpu.lan:8000/v1"), address).await, refused(address));
    }
    assert_eq!(called(options("http://169.254.169.254/v1"), "1.1.1.1").await, refused("169.254.169.254"));
}
