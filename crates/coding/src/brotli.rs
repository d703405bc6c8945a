//! Brotli (RFC 7932), by the decoder half of the Brotli crates.
//!
//! Strict: the "large window" extension may ask for 1 GiB and is not part of the coding. Without it a window has at
//! most 16 MiB, which is all the memory that a body can claim beyond its decoded size.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use crate::decoder::{Step, Then};

/// The state of a Brotli body.
pub(crate) struct Brotli {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    ended: bool,
}

impl Default for Brotli {
    fn default() -> Self {
        let alloc = StandardAlloc::default;
        Self { state: BrotliState::new_strict(alloc(), alloc(), alloc()), ended: false }
    }
}

impl Brotli {
    pub(crate) fn step(&mut self, wire: &[u8], out: &mut [u8]) -> Step {
        let (mut read, mut wrote, mut total) = (0, 0, 0);
        let result = BrotliDecompressStream(
            &mut wire.len(),
            &mut read,
            wire,
            &mut out.len(),
            &mut wrote,
            out,
            &mut total,
            &mut self.state,
        );
        let then = match result {
            BrotliResult::ResultSuccess => {
                self.ended = true;
                Then::End
            }
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => Then::More,
            BrotliResult::ResultFailure => Then::Bad(format!("brotli: {:?}", self.state.error_code)),
        };
        Step { read, wrote, then }
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.ended
    }
}
