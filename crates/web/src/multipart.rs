//! `multipart/form-data` (RFC 7578), as far as uploads of one file need it: finds a field in a body that is there as a
//! whole. Pure and linear; nothing is copied. What it does not understand is no field.

/// A part has few header lines; more are an attack.
const LONGEST_HEAD: usize = 8 << 10;
/// Parts of a form; ours has one.
const MOST_PARTS: usize = 64;
/// RFC 2046 allows 70 characters.
const LONGEST_BOUNDARY: usize = 70;

/// The boundary that a `Content-Type` names; `None` if it is no form.
pub(crate) fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    parameter(parameters, "boundary").filter(|boundary| (1..=LONGEST_BOUNDARY).contains(&boundary.len()))
}

/// Whether a body is a form at all.
pub(crate) fn is_form(content_type: &str) -> bool {
    content_type.trim_start().get(..10).is_some_and(|start| start.eq_ignore_ascii_case("multipart/"))
}

/// The content of the first field of this name.
pub(crate) fn field<'a>(body: &'a [u8], boundary: &str, name: &str) -> Option<&'a [u8]> {
    let delimiter = format!("--{boundary}");
    // The first delimiter may come without a line before it.
    let mut rest = if body.starts_with(delimiter.as_bytes()) {
        &body[delimiter.len()..]
    } else {
        after(body, format!("\r\n{delimiter}").as_bytes())?.1
    };
    let delimiter = format!("\r\n{delimiter}");
    for _ in 0..MOST_PARTS {
        // `--` after a delimiter ends the form; spaces may stand before the end of the line.
        let (padding, part) = after(rest, b"\r\n")?;
        if !padding.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            return None;
        }
        // A part without header lines begins with an empty one.
        let (head, content) = match part.strip_prefix(b"\r\n") {
            Some(content) => (&b""[..], content),
            None => after(part, b"\r\n\r\n")?,
        };
        if head.len() > LONGEST_HEAD {
            return None;
        }
        let (content, next) = after(content, delimiter.as_bytes())?;
        if is_named(head, name) {
            return Some(content);
        }
        rest = next;
    }
    None
}

/// What is before a mark, and what is after it.
fn after<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memchr::memmem::find(bytes, mark)?;
    Some((&bytes[..at], &bytes[at + mark.len()..]))
}

fn is_named(head: &[u8], name: &str) -> bool {
    let head = String::from_utf8_lossy(head);
    let fields = head.split("\r\n").filter_map(|line| line.split_once(':'));
    let mut dispositions = fields.filter(|(field, _)| field.trim().eq_ignore_ascii_case("content-disposition"));
    dispositions.next().is_some_and(|(_, value)| match value.split_once(';') {
        Some((kind, parameters)) if kind.trim().eq_ignore_ascii_case("form-data") => {
            parameter(parameters, "name") == Some(name)
        }
        _ => false,
    })
}

/// The value of a parameter, without its quotation marks. Names of files may contain anything inside of theirs.
fn parameter<'a>(mut parameters: &'a str, name: &str) -> Option<&'a str> {
    loop {
        let (key, rest) = parameters.split_once('=')?;
        let rest = rest.trim_start();
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_at(closing(quoted)?),
            None => rest.split_at(rest.find(';').unwrap_or(rest.len())),
        };
        if key.trim().eq_ignore_ascii_case(name) {
            return Some(value.trim());
        }
        parameters = rest.strip_prefix('"').unwrap_or(rest).split_once(';')?.1;
    }
}

/// Where a quoted text ends.
fn closing(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORM: &str = "--x\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nno\r\n\
        --x\r\ncontent-disposition: form-data; filename=\"a; name=\\\"b\\\".opml\"; name=\"file\"\r\n\
        Content-Type: text/xml\r\n\r\n<opml>\r\n--y\r\n</opml>\r\n--x--\r\n";

    fn found<'a>(body: &'a str, boundary: &str) -> Option<&'a str> {
        field(body.as_bytes(), boundary, "file").map(|bytes| std::str::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_field_is_found_by_its_name() {
        assert_eq!(found(FORM, "x"), Some("<opml>\r\n--y\r\n</opml>"));
        assert_eq!(found(&format!("preamble\r\n{FORM}"), "x"), Some("<opml>\r\n--y\r\n</opml>"));
        assert_eq!(found(&FORM.replace("--x\r\n", "--x \t\r\n"), "x"), Some("<opml>\r\n--y\r\n</opml>"));
        assert_eq!(found("--x\r\ncontent-disposition:form-data;name=file\r\n\r\n\r\n--x--", "x"), Some(""));
    }

    #[test]
    fn what_is_broken_has_no_field() {
        let check = |body: &str| assert_eq!(found(body, "x"), None, "{body:?}");
        check("");
        check("--x");
        check("--x--\r\n");
        check("--x\r\n");
        check("--x\r\n\r\n--x--");
        check(&FORM.replace("name=\"file\"", "name=\"files\""));
        check(&FORM.replace("form-data", "attachment"));
        check(&FORM.replace("\r\n--x--", ""));
        check(&FORM.replace("\r\n", "\n"));
        check(&FORM.replace("--x\r\n", "--xy\r\n"));
        check(&format!(
            "--x\r\na: {}\r\ncontent-disposition: form-data; name=file\r\n\r\n1\r\n--x--",
            "b".repeat(9_000)
        ));
        let many = "--x\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n".repeat(MOST_PARTS);
        check(&format!("{many}{FORM}"));
    }

    #[test]
    fn a_boundary_is_read() {
        let check = |content_type: &str, expected: Option<&str>| {
            assert_eq!(boundary(content_type), expected, "{content_type}");
        };
        check("multipart/form-data; boundary=x", Some("x"));
        check("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", Some("a b"));
        check("multipart/form-data; boundary=", None);
        check("multipart/form-data; boundary=\"x", None);
        check("multipart/form-data", None);
        check("multipart/mixed; boundary=x", None);
        check("text/xml; boundary=x", None);
        check(&format!("multipart/form-data; boundary={}", "x".repeat(71)), None);
        assert!(is_form("Multipart/mixed; boundary=x") && is_form("multipart/form-data") && !is_form("text/xml"));
    }

    #[test]
    fn a_hostile_form_takes_linear_time() {
        let body = "\r\n--x".repeat(1 << 20);
        assert_eq!(found(&body, "x"), None);
        let body = format!("--x\r\n{}", "--x\r\n--x".repeat(1 << 20));
        assert_eq!(found(&body, "x"), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(body in "(--x|--|\r\n|\r|;|=|\"|\\\\|name|file|content-disposition:|form-data| |\\PC){0,60}") {
            let _ = (found(&body, "x"), boundary(&body));
        }
    }
}
