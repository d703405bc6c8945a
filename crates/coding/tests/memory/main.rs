//! A decompression bomb costs the limit and a window, as measured by the kernel. A binary of its own with one test,
//! because the high-water mark covers the whole process, C code included.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::Write;

use coding::{Coding, Decoder, Limits, Stopped};

const MIB: u64 = 1 << 20;
const BOMB_MIB: usize = 256;

#[test]
fn a_bomb_costs_no_more_than_the_limit_and_a_window() {
    // Built in pieces, so that building the bomb does not raise the mark.
    let piece = vec![0; MIB as usize];
    let bombs = [
        (Coding::Gzip, {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            (0..BOMB_MIB).for_each(|_| encoder.write_all(&piece).unwrap());
            encoder.finish().unwrap()
        }),
        (Coding::Deflate, {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
            (0..BOMB_MIB).for_each(|_| encoder.write_all(&piece).unwrap());
            encoder.finish().unwrap()
        }),
        (Coding::Zstd, {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(23).unwrap();
            (0..BOMB_MIB).for_each(|_| encoder.write_all(&piece).unwrap());
            encoder.finish().unwrap()
        }),
        (Coding::Brotli, {
            let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 1, 24);
            (0..BOMB_MIB).for_each(|_| encoder.write_all(&piece).unwrap());
            encoder.into_inner()
        }),
    ];
    let limits = Limits { ratio: u64::MAX, ..Limits::default() };
    for (coding, bomb) in bombs {
        std::fs::write("/proc/self/clear_refs", "5").expect("resets the high-water mark");
        let before = status("VmHWM:");
        let mut decoder = Decoder::new(coding, limits);
        let stopped = bomb.chunks(8 << 10).find_map(|chunk| decoder.push(chunk).err());
        assert_eq!(stopped, Some(Stopped::TooLarge { limit_bytes: 16 * MIB }), "{coding}");
        assert_eq!(decoder.decoded().len() as u64, 16 * MIB, "{coding}");
        let cost = status("VmHWM:") - before;
        println!("{coding}: {} KiB", cost / 1024);
        let window = match coding {
            Coding::Brotli => 16 * MIB,
            Coding::Zstd => 8 * MIB,
            _ => 0,
        };
        // Data and window, each half again while it grows, and a little state.
        let bound = (16 * MIB + window) * 3 / 2 + 2 * MIB;
        assert!(cost <= bound, "{coding} took {} KiB", cost / 1024);
    }
}

/// A line of the process's status, in bytes.
fn status(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|text| text.strip_prefix(line)).unwrap();
    value.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
}
