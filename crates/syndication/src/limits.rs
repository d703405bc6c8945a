//! How much of a document is read, however much there is of it.
//!
//! The defaults are far above what honest feeds have and far below what hurts: together they bound the memory of a
//! reading to a few times the size of its document. Time needs no limit: reading is linear.

/// Limits on one reading. What lies beyond a limit is left out and reported as a problem; it never fails a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the decoded document that are looked at.
    pub document_bytes: usize,
    /// Bytes of one field.
    pub field_bytes: usize,
    /// Entries; where there are more, the newest.
    pub entries: usize,
    /// Elements inside each other.
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
    /// Problems that are written down; more are only counted as "and more".
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

/// Lists longer than this are not searched for duplicates: no honest list is, and searching would be quadratic.
pub(crate) const FEW: usize = 64;
