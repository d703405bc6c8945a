//! What exists in Courant.
//!
//! Plain data with public fields; no I/O, no clock, no SQL, no wire format. The ids' docs are the glossary.

pub mod reading;
