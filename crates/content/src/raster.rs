//! Detects raster images by their first bytes. SVG is not among them, because it can contain scripts. The media type
//! that a server sends is not trusted.

/// The media type of a raster image that browsers show, or `None`.
pub fn raster(bytes: &[u8]) -> Option<&'static str> {
    let at = |from: usize, mark: &[u8]| bytes.get(from..).is_some_and(|rest| rest.starts_with(mark));
    Some(match () {
        () if at(0, b"\x89PNG\r\n\x1a\n") => "image/png",
        () if at(0, b"\xff\xd8\xff") => "image/jpeg",
        () if at(0, b"GIF87a") || at(0, b"GIF89a") => "image/gif",
        () if at(0, b"RIFF") && at(8, b"WEBP") => "image/webp",
        () if at(4, b"ftypavif") || at(4, b"ftypavis") => "image/avif",
        // Reserved zero, type 1 (icon), and at least one picture.
        () if at(0, b"\0\0\x01\0") && bytes.get(4..6).is_some_and(|count| count != [0, 0]) => "image/x-icon",
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_their_first_bytes() {
        let check = |bytes: &[u8], expected: &str| assert_eq!(raster(bytes).unwrap_or("none"), expected, "{bytes:?}");
        check(b"\x89PNG\r\n\x1a\n....", "image/png");
        check(b"\xff\xd8\xff\xe0....", "image/jpeg");
        check(b"GIF89a....", "image/gif");
        check(b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp");
        check(b"\0\0\0\x1cftypavif", "image/avif");
        check(b"\0\0\x01\0\x02\0\x10\x10", "image/x-icon");
        check(b"\0\0\x01\0\0\0", "none");
        check(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "none");
        check(b"<html>", "none");
        check(b"RIFF\x10\0\0\0WAVE", "none");
        check(b"\x89PN", "none");
        check(b"", "none");
    }
}
