//! The bytes that hostile publishers send: heads, bombs, noise, documents that expand when parsed.

use std::fmt::Write as _;

use trial::Dice;

pub(super) const MIB: usize = 1 << 20;
/// The beginning of a response.
pub(super) const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/rss+xml\r\n";

pub(super) fn text(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// The head of a body of `length` bytes.
pub(super) fn head(length: usize) -> Vec<u8> {
    text(&format!("{OK}content-length: {length}\r\n\r\n"))
}

/// A whole response, with additional header fields.
pub(super) fn body(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("{OK}connection: close\r\n{fields}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A whole response.
pub(super) fn plain(document: &str) -> Vec<u8> {
    body("", document.as_bytes())
}

/// The beginning of a coded body of unknown length.
pub(super) fn coded(coding: &str, begins: &[u8]) -> Vec<u8> {
    [format!("{OK}content-encoding: {coding}\r\n\r\n").as_bytes(), begins].concat()
}

/// The beginning of a body in chunks.
pub(super) fn chunked(begins: &str) -> Vec<u8> {
    text(&format!("{OK}transfer-encoding: chunked\r\n\r\n{begins}"))
}

/// A document with one entry, after something else.
pub(super) fn rss(before: &str) -> String {
    format!("<rss version='2.0'><channel><title>hostile</title>{before}<item><guid>1</guid></item></channel></rss>")
}

/// A response with `entries` entries.
pub(super) fn feed(entries: usize, entry: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::from("<rss version='2.0'><channel><title>hostile</title>");
    for n in 0..entries {
        let _ = write!(text, "<item>{}</item>", entry(n));
    }
    text.push_str("</channel></rss>");
    plain(&text)
}

/// A response with one entry with this HTML.
pub(super) fn html(visit: usize, html: &str) -> Vec<u8> {
    feed(1, |_| format!("<guid>{visit}</guid><description><![CDATA[{html}]]></description>"))
}

pub(super) fn noise(seed: usize, bytes: usize) -> Vec<u8> {
    let mut dice = Dice::new(seed as u64);
    (0..bytes).map(|_| dice.roll(256) as u8).collect()
}

/// Entities that expand to ten of the one before.
pub(super) fn laughs() -> String {
    let mut text = String::from("<!DOCTYPE rss [<!ENTITY e0 'ha'>");
    for n in 1..20 {
        let _ = write!(text, "<!ENTITY e{n} '{}'>", format!("&e{};", n - 1).repeat(10));
    }
    text.push_str("]><rss version='2.0'><channel><title>&e19;</title></channel></rss>");
    text
}

/// One long entity, two thousand times.
pub(super) fn quadratic() -> String {
    let title = format!("<title>{}</title>", "&q;".repeat(2_000));
    format!("<!DOCTYPE rss [<!ENTITY q '{}'>]>{}", "A".repeat(50_000), rss(&title))
}

/// An uncompressed deflate block, not the last one.
pub(super) fn stored(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("a stored block is short");
    [&[0], &length.to_le_bytes()[..], &(!length).to_le_bytes(), bytes].concat()
}

/// A megabyte of deflate that expands to 160 MB: one zero, then "repeat it 258 times", for ever.
pub(super) fn bomb() -> Vec<u8> {
    // Header of gzip; then bits, lowest first: last block, fixed codes.
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let (mut held, mut count) = (0u32, 0);
    let mut put = |bits: &[u8]| {
        for bit in bits {
            held |= u32::from(*bit) << count;
            count += 1;
            if count == 8 {
                bytes.push(held as u8);
                (held, count) = (0, 0);
            }
        }
    };
    put(&[1, 1, 0]);
    put(&[0, 0, 1, 1, 0, 0, 0, 0]);
    for _ in 0..650_000 {
        put(&[1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]);
    }
    bytes
}

/// 8,000 zstd blocks, each "128 KiB of this byte": a gigabyte in 32 KB. Its window is 8 MiB.
pub(super) fn zstd_bomb() -> Vec<u8> {
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3];
    let block = ((128u32 << 10) << 3 | 1 << 1).to_le_bytes();
    for _ in 0..8_000 {
        bytes.extend([block[0], block[1], block[2], b'A']);
    }
    bytes
}
