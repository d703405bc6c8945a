//! Being asked to stop: SIGINT, SIGTERM and SIGHUP become a value to look at, instead of an end.
//!
//! Otherwise a Ctrl-C would leave a PostgreSQL behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use rustix::process::Signal;

/// Which signal has asked us to stop, if any. From its creation on, signals no longer end the process.
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Takes over the signals that mean "stop".
    pub fn listen() -> Result<Self> {
        let seen = Arc::new(AtomicUsize::new(0));
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let number = signal.as_raw();
            signal_hook::flag::register_usize(number, Arc::clone(&seen), number as usize)?;
        }
        Ok(Self(seen))
    }

    /// The last signal that asked us to stop.
    pub fn signal(&self) -> Option<Signal> {
        Signal::from_named_raw(self.0.load(Ordering::Relaxed) as i32)
    }

    /// An error when we were asked to stop, for the steps between which stopping is easy.
    pub fn check(&self) -> Result<()> {
        if self.signal().is_some() {
            bail!("interrupted");
        }
        Ok(())
    }
}
