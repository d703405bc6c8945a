//! The icon of a site: a small picture whose kind was told from its bytes.

/// A picture for a site.
#[derive(Clone, PartialEq, Eq)]
pub struct Icon {
    /// Where it came from.
    pub url: String,
    /// As its bytes say, whatever the server called it.
    pub media_type: String,
    /// The picture.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Icon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Icon({}, {}, {} bytes)", self.url, self.media_type, self.bytes.len())
    }
}
