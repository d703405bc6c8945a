//! Prints one exchange: `cargo run -p fetch --example exchange -- URL [allowed network]…`.
//!
//! For inspecting what a server does, and what the guard says about an address. Nothing else uses it.

use fetch::{Egress, Fetch, Options, Request};
use std::error::Error;
use std::io::{Write, stdout};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: exchange URL [allowed network]…")?;
    let allow_private = arguments.map(|network| network.parse()).collect::<Result<_, _>>()?;
    let fetch = Fetch::new(Options { allow_private, ..Options::default() })?;
    let exchange = fetch.exchange(Request::new(&url, Egress::Feed)).await;

    let mut out = stdout().lock();
    writeln!(out, "{} from {:?}", exchange.url, exchange.address)?;
    for (name, value) in &exchange.request_headers {
        writeln!(out, "> {name}: {value}")?;
    }
    match &exchange.answer {
        Err(failure) => writeln!(out, "{failure} ({failure:?})")?,
        Ok(answer) => {
            writeln!(out, "< {}", answer.status)?;
            for (name, value) in answer.headers.iter().take(12) {
                writeln!(out, "< {name}: {}", value.chars().take(100).collect::<String>())?;
            }
            let (wire, decoded) = (answer.wire.len(), answer.decoded.len());
            writeln!(out, "{wire} bytes of {}, {decoded} decoded, stopped: {:?}", answer.coding, answer.stopped)?;
        }
    }
    writeln!(out, "{:?}", exchange.timings)?;
    Ok(())
}
