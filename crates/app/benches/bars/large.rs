//! F-130: documents of a megabyte over realistic internet connections are visited within five seconds, 99 of 100. The
//! origin's part, the slow responses, is here, too.
//!
//! The first byte comes after 0.1 to 2 s, the rest at 0.5 to 10 MB a second, both log-uniform.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use trial::{Bar, Dice, figure};

use crate::Bench;
use crate::cost::cost;
use crate::origin::addresses;
use crate::ours::Ours;
use crate::world;

const VISITS: usize = 300;
const BYTES: usize = 1 << 20;
const PIECE: usize = 32 << 10;

pub(crate) fn run(bench: &Bench) {
    let visits = if bench.asked.quick { VISITS / 6 } else { VISITS };
    let hosts = addresses(&bench.world);
    let urls: Vec<String> = (0..visits).map(|n| format!("http://{}/large/{n}", hosts[n % hosts.len()])).collect();
    let ours = Ours::in_directory(bench.directory.join("large"));
    let opml = bench.directory.join("large.opml");
    std::fs::write(&opml, world::opml(&urls)).expect("a list can be written");
    ours.import(&opml);
    cost(&ours.command(&["fetch", "--all"]), &bench.directory.join("large.log"));
    let took = took(&ours);
    assert_eq!(took.len(), visits, "every visit brought its megabyte");
    let p99 = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        seconds[(seconds.len() * 99).div_ceil(100) - 1]
    };
    let theirs = p99((0..visits).map(|n| Way::to(n).seconds()).collect());
    let note = format!("{visits} visits; the way itself takes {theirs:.2} s");
    figure("F-130", "a visit of 1 MB, p99, s", p99(took), Bar::AtMost(5.0), &note);
    std::fs::remove_dir_all(&ours.directory).expect("what is no longer needed can go");
}

/// The duration of successful visits, in seconds.
fn took(ours: &Ours) -> Vec<f64> {
    let database = rusqlite::Connection::open(ours.database_file()).expect("the database is there");
    let mut visits = database
        .prepare("SELECT took_us FROM visits WHERE status = 200 AND decoded_bytes > 900000")
        .expect("visits are kept");
    let rows = visits.query_map([], |row| row.get::<_, i64>(0)).expect("visits can be read");
    rows.map(|took| took.expect("a number") as f64 / 1e6).collect()
}

/// The distance of a feed.
#[derive(Debug, Clone, Copy)]
struct Way {
    first_byte: f64,
    bytes_per_second: f64,
}

impl Way {
    fn to(number: usize) -> Self {
        let mut dice = Dice::new(number as u64 * 0x9e37_79b9 + 1);
        dice.roll(2);
        let mut between = |low: f64, high: f64| low * (high / low).powf(dice.roll(1 << 16) as f64 / f64::from(1 << 16));
        Self { first_byte: between(0.1, 2.0), bytes_per_second: between(0.5e6, 10e6) }
    }

    fn seconds(self) -> f64 {
        self.first_byte + BYTES as f64 / self.bytes_per_second
    }
}

/// The origin's part: one response.
pub(crate) async fn answer(stream: &mut TcpStream, number: usize) -> std::io::Result<()> {
    let way = Way::to(number);
    let body = world::large(number, BYTES);
    tokio::time::sleep(Duration::from_secs_f64(way.first_byte)).await;
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).await?;
    let begun = tokio::time::Instant::now();
    for (n, piece) in body.as_bytes().chunks(PIECE).enumerate() {
        stream.write_all(piece).await?;
        tokio::time::sleep_until(begun + Duration::from_secs_f64((n + 1) as f64 * PIECE as f64 / way.bytes_per_second))
            .await;
    }
    Ok(())
}
