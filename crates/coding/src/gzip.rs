//! gzip (RFC 1952), one byte of framing at a time around an inflater.
//!
//! We parse the framing ourselves, because real responses are untidy: members follow each other, garbage follows
//! members, and a body may be cut anywhere. Header fields are skipped, not stored, so a long file name costs no memory.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::decoder::{Step, Then};

/// The state of a gzip body.
pub(crate) struct Gzip {
    state: State,
    flags: u8,
    left: u16,
    inflate: Decompress,
    crc: Crc,
    trailer: [u8; 8],
    members: u64,
}

/// The part of the format that the next byte belongs to. Numbers count the bytes of that part read so far.
#[derive(Clone, Copy)]
enum State {
    Fixed(u8),
    ExtraLength(u8),
    Extra,
    Name,
    Comment,
    HeaderCrc(u8),
    Body,
    Trailer(u8),
}

const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
const FIXED_BYTES: u8 = 10;
const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

impl Default for Gzip {
    fn default() -> Self {
        Self {
            state: State::Fixed(0),
            flags: 0,
            left: 0,
            inflate: Decompress::new(false),
            crc: Crc::new(),
            trailer: [0; 8],
            members: 0,
        }
    }
}

impl Gzip {
    pub(crate) fn step(&mut self, wire: &[u8], out: &mut [u8]) -> Step {
        if matches!(self.state, State::Body) {
            return self.inflate(wire, out);
        }
        for (at, &byte) in wire.iter().enumerate() {
            let then = self.frame(byte);
            if matches!(self.state, State::Body) || !matches!(then, Then::More) {
                return Step { read: at + 1, wrote: 0, then };
            }
        }
        Step { read: wire.len(), wrote: 0, then: Then::More }
    }

    /// Between members, or after a member followed by bytes that are not a member.
    pub(crate) fn is_whole(&self) -> bool {
        self.members > 0 && matches!(self.state, State::Fixed(read) if usize::from(read) < MAGIC.len())
    }

    fn inflate(&mut self, wire: &[u8], out: &mut [u8]) -> Step {
        let (step, ended) = inflate(&mut self.inflate, wire, out);
        self.crc.update(&out[..step.wrote]);
        if ended {
            self.state = State::Trailer(0);
        }
        step
    }

    fn frame(&mut self, byte: u8) -> Then {
        match self.state {
            State::Fixed(at) => return self.fixed(at, byte),
            State::ExtraLength(0) => {
                self.left = u16::from(byte);
                self.state = State::ExtraLength(1);
            }
            State::ExtraLength(_) => {
                self.left |= u16::from(byte) << 8;
                self.state = if self.left == 0 { self.after(EXTRA) } else { State::Extra };
            }
            State::Extra => {
                self.left -= 1;
                if self.left == 0 {
                    self.state = self.after(EXTRA);
                }
            }
            State::Name if byte == 0 => self.state = self.after(NAME),
            State::Comment if byte == 0 => self.state = self.after(COMMENT),
            State::Name | State::Comment => {}
            State::HeaderCrc(0) => self.state = State::HeaderCrc(1),
            State::HeaderCrc(_) => self.state = State::Body,
            State::Trailer(at) => return self.trailer(at, byte),
            State::Body => unreachable!("the body is inflated, not framed"),
        }
        Then::More
    }

    fn fixed(&mut self, at: u8, byte: u8) -> Then {
        if MAGIC.get(usize::from(at)).is_some_and(|&magic| magic != byte) {
            if self.members > 0 {
                return Then::End;
            }
            return Then::Bad("no gzip header".to_owned());
        }
        if at == 3 {
            if byte & RESERVED != 0 {
                return Then::Bad("gzip header with reserved flags".to_owned());
            }
            self.flags = byte;
        }
        self.state = if at + 1 < FIXED_BYTES { State::Fixed(at + 1) } else { self.after(0) };
        Then::More
    }

    /// The part that follows the one named by its flag; 0 is the fixed part.
    fn after(&self, part: u8) -> State {
        // Parts come in this order, which differs from the order of their bits: the checksum is bit 1 and comes last.
        if part < EXTRA && self.flags & EXTRA != 0 {
            State::ExtraLength(0)
        } else if part < NAME && self.flags & NAME != 0 {
            State::Name
        } else if part < COMMENT && self.flags & COMMENT != 0 {
            State::Comment
        } else if self.flags & HEADER_CRC != 0 {
            State::HeaderCrc(0)
        } else {
            State::Body
        }
    }

    fn trailer(&mut self, at: u8, byte: u8) -> Then {
        self.trailer[usize::from(at)] = byte;
        if at < 7 {
            self.state = State::Trailer(at + 1);
            return Then::More;
        }
        let [a, b, c, d, size @ ..] = self.trailer;
        if u32::from_le_bytes([a, b, c, d]) != self.crc.sum() {
            return Then::Bad("wrong gzip checksum".to_owned());
        }
        if u32::from_le_bytes(size) != self.crc.amount() {
            return Then::Bad("wrong gzip length".to_owned());
        }
        self.members += 1;
        self.state = State::Fixed(0);
        self.crc.reset();
        self.inflate.reset(false);
        Then::More
    }
}

/// One step of an inflater, and whether its stream ended. Bytes written before an error count.
pub(crate) fn inflate(inflate: &mut Decompress, wire: &[u8], out: &mut [u8]) -> (Step, bool) {
    let (in_before, out_before) = (inflate.total_in(), inflate.total_out());
    let status = inflate.decompress(wire, out, FlushDecompress::None);
    let read = (inflate.total_in() - in_before) as usize;
    let wrote = (inflate.total_out() - out_before) as usize;
    let (then, ended) = match status {
        Ok(Status::StreamEnd) => (Then::More, true),
        Ok(Status::Ok | Status::BufError) => (Then::More, false),
        Err(error) => (Then::Bad(error.message().unwrap_or("invalid deflate data").to_owned()), false),
    };
    (Step { read, wrote, then }, ended)
}

#[cfg(test)]
mod tests {
    use flate2::write::DeflateEncoder;
    use flate2::{Compression, Crc};
    use std::io::Write;

    use crate::{Coding, Limits, decode};

    /// A member with content `text`, header `flags` and their fields.
    fn member(flags: u8, fields: &[u8], text: &str) -> Vec<u8> {
        let mut wire = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255];
        wire.extend(fields);
        let mut deflate = DeflateEncoder::new(wire, Compression::default());
        deflate.write_all(text.as_bytes()).unwrap();
        let mut wire = deflate.finish().unwrap();
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        wire.extend(crc.sum().to_le_bytes());
        wire.extend(crc.amount().to_le_bytes());
        wire
    }

    fn check(case: &str, wire: &[u8], expected: &str) {
        let decoded = decode(Coding::Gzip, wire, Limits::default());
        let text = String::from_utf8(decoded.bytes).unwrap();
        let said = decoded.stopped.map_or(text.clone(), |stopped| format!("{text}, {stopped}"));
        assert_eq!(said, expected, "{case}");
    }

    #[test]
    fn headers_and_trailers() {
        check("plain", &member(0, b"", "one"), "one");
        check("file name", &member(8, b"feed.xml\0", "one"), "one");
        check("comment", &member(16, b"why\0", "one"), "one");
        check("extra field", &member(4, b"\x03\x00abc", "one"), "one");
        check("empty extra field", &member(4, b"\x00\x00", "one"), "one");
        check("header checksum", &member(2, b"\xab\xcd", "one"), "one");
        check("all of them", &member(30, b"\x01\x00xname\0comment\0\xab\xcd", "one"), "one");
        check("two members", &[member(0, b"", "one"), member(8, b"n\0", "two")].concat(), "onetwo");
        check("an empty member", &[member(0, b"", ""), member(0, b"", "two")].concat(), "two");
        check("a newline behind", &[member(0, b"", "one"), b"\n".to_vec()].concat(), "one");
        check("zeros behind", &[member(0, b"", "one"), vec![0; 512]].concat(), "one");
        check("half a magic number behind", &[member(0, b"", "one"), vec![0x1f]].concat(), "one");
        check(
            "second member cut",
            &[&member(0, b"", "one"), &MAGIC_AND_FLAGS[..]].concat(),
            "one, the body ends early",
        );
        check("no trailer", &member(0, b"", "one")[..15], "one, the body ends early");
        check("not gzip", b"<rss/>", ", the body is corrupt: no gzip header");
        check("reserved flags", &member(32, b"", "one"), ", the body is corrupt: gzip header with reserved flags");
        let mut wrong = member(0, b"", "one");
        wrong[16] ^= 1;
        check("wrong checksum", &wrong, "one, the body is corrupt: wrong gzip checksum");
        let mut wrong = member(0, b"", "one");
        *wrong.last_mut().unwrap() ^= 1;
        check("wrong length", &wrong, "one, the body is corrupt: wrong gzip length");
        check("nothing at all", b"", "");
    }

    const MAGIC_AND_FLAGS: [u8; 4] = [0x1f, 0x8b, 8, 0];
}
