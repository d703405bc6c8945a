//! `deflate`: zlib by the standard (RFC 9110), raw deflate from servers that take the name literally.
//!
//! The first two bytes decide: read as raw deflate, a zlib header is a stored block with non-zero padding, which no
//! encoder writes.

use flate2::Decompress;

use crate::decoder::{Step, Then};
use crate::gzip;

/// The state of a deflate body.
#[derive(Default)]
pub(crate) struct Deflate {
    first: Option<u8>,
    inflate: Option<Decompress>,
    ended: bool,
}

impl Deflate {
    pub(crate) fn step(&mut self, wire: &[u8], out: &mut [u8]) -> Step {
        let Some(inflate) = &mut self.inflate else { return self.sniff(wire, out) };
        let (step, ended) = gzip::inflate(inflate, wire, out);
        self.end(step, ended)
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.ended
    }

    fn sniff(&mut self, wire: &[u8], out: &mut [u8]) -> Step {
        let Some((&byte, rest)) = wire.split_first() else { return Step { read: 0, wrote: 0, then: Then::More } };
        let Some(first) = self.first else {
            self.first = Some(byte);
            let step = self.sniff(rest, out);
            return Step { read: step.read + 1, ..step };
        };
        let inflate = self.inflate.insert(Decompress::new(is_zlib(first, byte)));
        let (step, ended) = gzip::inflate(inflate, &[first, byte], out);
        // The first byte was read in an earlier step or counted by it.
        let step = Step { read: 1, ..step };
        self.end(step, ended)
    }

    fn end(&mut self, step: Step, ended: bool) -> Step {
        self.ended |= ended;
        if ended { Step { then: Then::End, ..step } } else { step }
    }
}

/// Method 8, a window of at most 32 KiB, and the check bits (RFC 1950).
fn is_zlib(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && first >> 4 <= 7 && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

#[cfg(test)]
mod tests {
    use crate::{Coding, Decoder, Limits};

    #[test]
    fn zlib_and_raw_whatever_the_chunks() {
        let check = |case: &str, wire: &[u8], expected: &str| {
            for size in [1, 2, 3, 100] {
                let mut decoder = Decoder::new(Coding::Deflate, Limits::default());
                let pushed = wire.chunks(size).try_for_each(|chunk| decoder.push(chunk));
                let decoded = decoder.finish();
                assert_eq!(pushed.err(), decoded.stopped.clone().filter(|s| s.to_string() != "the body ends early"));
                let text = String::from_utf8(decoded.bytes).unwrap();
                let said = decoded.stopped.map_or(text.clone(), |stopped| format!("{text}, {stopped}"));
                assert_eq!(said, expected, "{case} in chunks of {size}");
            }
        };
        // zlib and raw deflate of "abc", as Python's zlib writes them.
        check("zlib", b"\x78\x9cKLJ\x06\x00\x02M\x01'", "abc");
        check("zlib, lowest level", b"\x78\x01KLJ\x06\x00\x02M\x01'", "abc");
        check("raw", b"KLJ\x06\x00", "abc");
        check("raw, stored block", b"\x01\x03\x00\xfc\xffabc", "abc");
        check("raw, empty", b"\x03\x00", "");
        check("zlib, something behind", b"\x78\x9cKLJ\x06\x00\x02M\x01'\r\n", "abc");
        check("raw, something behind", b"KLJ\x06\x00\r\n", "abc");
        check("zlib, no checksum", b"\x78\x9cKLJ\x06\x00", "abc, the body ends early");
        check("one byte", b"\x78", ", the body ends early");
        check("header alone", b"\x78\x9c", ", the body ends early");
        check("wrong checksum", b"\x78\x9cKLJ\x06\x00\x02M\x01\x00", "abc, the body is corrupt: incorrect data check");
    }
}
