//! Stop signals: SIGINT, SIGTERM and SIGHUP set a value instead of ending the process.
//!
//! Otherwise Ctrl-C would leave a PostgreSQL server running.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use rustix::process::Signal;

/// The signal that asked us to stop, if any. Once created, these signals no longer end the process.
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Installs the handlers.
    pub fn listen() -> Result<Self> {
        let seen = Arc::new(AtomicUsize::new(0));
        for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
            let number = signal.as_raw();
            signal_hook::flag::register_usize(number, Arc::clone(&seen), number as usize)?;
        }
        Ok(Self(seen))
    }

    /// The last stop signal.
    pub fn signal(&self) -> Option<Signal> {
        Signal::from_named_raw(self.0.load(Ordering::Relaxed) as i32)
    }

    /// An error if a stop was requested, for steps between which stopping is easy.
    pub fn check(&self) -> Result<()> {
        if self.signal().is_some() {
            bail!("interrupted");
        }
        Ok(())
    }
}
