//! The icon of a site: a small picture whose type was determined from its bytes.

/// A picture for a site.
#[derive(Clone, PartialEq, Eq)]
pub struct Icon {
    /// Where it came from.
    pub url: String,
    /// Determined from the bytes, whatever the server said.
    pub media_type: String,
    /// The picture.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Icon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Icon({}, {}, {} bytes)", self.url, self.media_type, self.bytes.len())
    }
}
