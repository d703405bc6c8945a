//! Bytes to feeds, leniently; feeds to bytes, strictly.
