//! Limits on how much of a document is read.
//!
//! The defaults are far above honest feeds and far below what does harm: together they bound the memory of a reading to
//! a few times the size of its document. Time needs no limit: reading is linear.

/// Limits on one reading. What exceeds a limit is left out and reported as a problem; it never fails a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the decoded document that are read.
    pub document_bytes: usize,
    /// Bytes of one field.
    pub field_bytes: usize,
    /// Entries; if there are more, the newest are kept.
    pub entries: usize,
    /// Nesting depth of elements.
    pub depth: usize,
    /// Attributes of one element.
    pub attributes: usize,
    /// Values in one list of one entry or feed: links, categories, persons, extensions and so on.
    pub list: usize,
    /// Values in all lists of a document together: a bound on memory, not on any entry.
    pub values: usize,
    /// Bytes that the entities of a document type may add.
    pub entity_bytes: usize,
    /// Bytes that resolving relative URLs may add.
    pub resolved_bytes: usize,
    /// Problems that are listed; further ones are only counted.
    pub problems: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            document_bytes: 16 << 20,
            field_bytes: 1 << 20,
            entries: 2_000,
            depth: 256,
            attributes: 512,
            list: 512,
            values: 100_000,
            entity_bytes: 1 << 20,
            resolved_bytes: 8 << 20,
            problems: 32,
        }
    }
}

/// Longer lists are not searched for duplicates: no honest list is that long, and searching would be quadratic.
pub(crate) const FEW: usize = 64;
