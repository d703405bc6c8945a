//! Verbs that change a feed somebody added, one file each. Called by commands today, by handlers of `web` later.
//!
//! A verb looks, lets `policy` decide, and writes under the condition that what it saw still holds. It takes no more than
//! it needs: a [`store::Store`] and the time where that is enough, the engine where something must be sealed or removed.
//! What may be expected (not allowed, nothing to do) is an outcome; an error means that somebody must act.

pub(crate) mod access;
