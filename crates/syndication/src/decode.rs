//! Bytes to text: detects the encoding of a document, and converts it to UTF-8.
//!
//! The order is byte order mark, HTTP charset, XML declaration, detection. A candidate that does not decode without
//! errors is skipped, because declarations are wrong more often than bytes are broken. Borrowed if the bytes are UTF-8
//! already. Byte ranges of entries refer to the result of this file.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::codepage;

/// A document as text.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    /// The UTF-8 form, without a byte order mark.
    pub text: Cow<'a, str>,
    /// The label of the encoding used, in lower case.
    pub encoding: String,
    /// What was odd about it.
    pub problem: Option<String>,
    /// Length of a UTF-8 byte order mark before the text: ranges include it, because the served document has it.
    pub mark_bytes: usize,
}

/// The UTF-8 form of a document, to which the byte ranges of its entries refer.
///
/// For a document in UTF-8 that is the document itself, with its byte order mark if it has one. `url` is where it was
/// served.
pub fn utf8_form<'a>(bytes: &'a [u8], content_type: Option<&str>, url: Option<&str>) -> Cow<'a, str> {
    let decoded = decode(bytes, content_type, url);
    if decoded.mark_bytes > 0 { String::from_utf8_lossy(bytes) } else { decoded.text }
}

/// How far into a document an XML declaration is searched for.
const DECLARATION_WINDOW: usize = 1024;

/// Decodes `bytes`; `content_type` is the HTTP header, if any, and `url` is where they were served.
pub(crate) fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>, url: Option<&str>) -> Decoded<'a> {
    if let Some(decoded) = by_mark(bytes) {
        return decoded;
    }
    let http = content_type.and_then(charset);
    let declared = declared_encoding(bytes);
    let ascii_by_rule = http.is_none() && content_type.is_some_and(is_text) && bytes.is_ascii();

    let claims = [http.as_deref(), declared.as_deref()];
    let first_claim = claims.iter().flatten().next().map(|label| (*label).to_owned());
    if ascii_by_rule {
        // RFC 3023: text/* without a charset is US-ASCII, whatever the document says.
        if let Ok(text) = std::str::from_utf8(bytes) {
            return Decoded { text: Cow::Borrowed(text), encoding: "us-ascii".into(), problem: None, mark_bytes: 0 };
        }
    }
    for label in claims.into_iter().flatten() {
        if names_single_bytes(label)
            && let Some(text) = evident_utf8(bytes)
        {
            let problem = Some(format!("declared as {label}, but that is not what the bytes are; read as utf-8"));
            return Decoded { text, encoding: "utf-8".into(), problem, mark_bytes: 0 };
        }
        if let Some(text) = by_label(bytes, label) {
            let problem = (Some(label) != first_claim.as_deref())
                .then(|| format!("the server says {}, but the text is {label}", first_claim.unwrap_or_default()));
            return Decoded { text, encoding: canonical(label), problem, mark_bytes: 0 };
        }
    }
    let (text, encoding) = detect(bytes, url);
    let problem = match first_claim {
        Some(claim) => Some(format!("declared as {claim}, but that is not what the bytes are; read as {encoding}")),
        None if encoding == "utf-8" => {
            matches!(text, Cow::Owned(_)).then(|| "some bytes are not UTF-8 and were replaced".to_owned())
        }
        None => Some(format!("no encoding is declared; read as {encoding}")),
    };
    Decoded { text, encoding, problem, mark_bytes: 0 }
}

/// The charset parameter of a Content-Type header.
pub(crate) fn charset(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_ascii_lowercase())
    })
}

fn is_text(content_type: &str) -> bool {
    content_type.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("text/"))
}

/// Byte order marks, and the first character in wide encodings if the mark is missing.
fn by_mark(bytes: &[u8]) -> Option<Decoded<'_>> {
    let wide = |text: String, encoding: &str| Decoded {
        text: Cow::Owned(text),
        encoding: encoding.into(),
        problem: None,
        mark_bytes: 0,
    };
    Some(match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            let (text, problem) = utf8_or_lossy(rest);
            Decoded { text, encoding: "utf-8".into(), problem, mark_bytes: bytes.len() - rest.len() }
        }
        [0x00, 0x00, 0xFE, 0xFF, rest @ ..] => wide(utf32(rest, u32::from_be_bytes), "utf-32be"),
        [0xFF, 0xFE, 0x00, 0x00, rest @ ..] => wide(utf32(rest, u32::from_le_bytes), "utf-32le"),
        [0x00, 0x00, 0x00, b'<' | b'{', ..] => wide(utf32(bytes, u32::from_be_bytes), "utf-32be"),
        [b'<' | b'{', 0x00, 0x00, 0x00, ..] => wide(utf32(bytes, u32::from_le_bytes), "utf-32le"),
        [0xFE, 0xFF, rest @ ..] => wide(lossy(rest, UTF_16BE), "utf-16be"),
        [0xFF, 0xFE, rest @ ..] => wide(lossy(rest, UTF_16LE), "utf-16le"),
        [0x00, b'<' | b'{', ..] => wide(lossy(bytes, UTF_16BE), "utf-16be"),
        [b'<' | b'{', 0x00, ..] => wide(lossy(bytes, UTF_16LE), "utf-16le"),
        // `<?xm` in EBCDIC: the letters are the same in all of its pages, so that the declaration can be read.
        [0x4C, 0x6F, 0xA7, 0x94, ..] => {
            let text = codepage::decode("cp037", bytes)?;
            let label = declared_encoding(text.as_bytes()).unwrap_or_default();
            match codepage::decode(&label, bytes) {
                Some(text) => wide(text, &label),
                None => wide(text, "cp037"),
            }
        }
        _ => return None,
    })
}

/// The encoding an XML declaration names, in lower case.
fn declared_encoding(bytes: &[u8]) -> Option<String> {
    let window = &bytes[..bytes.len().min(DECLARATION_WINDOW)];
    let start = memchr::memmem::find(window, b"<?xml")?;
    let declaration = &window[start..];
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let after = &declaration[memchr::memmem::find(declaration, b"encoding")? + 8..];
    let after = after.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, rest) = after.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let name = std::str::from_utf8(&rest[..memchr::memchr(*quote, rest)?]).ok()?.trim();
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}

/// Decodes by a label; `None` if the label is unknown or the bytes contradict it.
fn by_label<'a>(bytes: &'a [u8], label: &str) -> Option<Cow<'a, str>> {
    if matches!(label, "us-ascii" | "ascii") {
        return bytes.is_ascii().then(|| String::from_utf8_lossy(bytes));
    }
    // These are wide encodings, but without a mark and without zero bytes the document cannot be in one.
    if label.starts_with("utf-16") || label.starts_with("utf-32") || label.starts_with("ucs-") || label == "utf-7" {
        return None;
    }
    let Some(encoding) = Encoding::for_label(label.as_bytes()).or_else(|| by_other_name(label)) else {
        return codepage::decode(label, bytes).map(Cow::Owned);
    };
    if encoding == UTF_8 {
        // encoding_rs validates non-ASCII text faster than the standard library.
        if let Some(text) = UTF_8.decode_without_bom_handling_and_without_replacement(bytes) {
            return Some(text);
        }
        return match std::str::from_utf8(bytes) {
            Ok(text) => Some(Cow::Borrowed(text)),
            // Cut in the middle of a character: the document is truncated, not in another encoding.
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).ok().map(Cow::Borrowed)
            }
            Err(_) => None,
        };
    }
    encoding.decode_without_bom_handling_and_without_replacement(bytes)
}

/// Whether any bytes are valid in this encoding, so that nothing can contradict the declaration.
fn names_single_bytes(label: &str) -> bool {
    Encoding::for_label(label.as_bytes()).or_else(|| by_other_name(label)).is_some_and(Encoding::is_single_byte)
}

/// Text in which every non-ASCII byte is part of a UTF-8 character. In other encodings that happens by chance to one
/// pair of letters, hardly to two and never to three in a row.
fn evident_utf8(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if bytes.is_ascii() {
        return None;
    }
    let text = by_label(bytes, "utf-8")?;
    let mut wide = text.chars().filter(|c| !c.is_ascii());
    let first = wide.next()?;
    // U+0080 to U+00FF are the most frequent mistakes. A text that ends in the middle of a character needs more
    // evidence.
    let more = match text.len() == bytes.len() {
        true if !('\u{100}'..'\u{800}').contains(&first) => 0,
        true => 1,
        false => 3,
    };
    (wide.take(more).count() == more).then_some(text)
}

/// Labels that are in use but not on the web's list.
fn by_other_name(label: &str) -> Option<&'static Encoding> {
    let label = label.replace('_', "-");
    let usual = match label.as_str() {
        "latin-1" => "latin1",
        "mac-roman" | "macroman" => "macintosh",
        "mac-cyrillic" | "maccyrillic" => "x-mac-cyrillic",
        "cp874" => "windows-874",
        "ms-ansi" => "windows-1252",
        "ms-arab" => "windows-1256",
        "ms-cyrl" => "windows-1251",
        "ms-ee" => "windows-1250",
        "ms-greek" => "windows-1253",
        "ms-hebr" => "windows-1255",
        "ms-turk" => "windows-1254",
        "winbaltrim" => "windows-1257",
        "cp932" | "ms932" => "shift_jis",
        "cp936" | "ms936" => "gbk",
        "cp949" | "ms949" => "euc-kr",
        "cp950" | "ms950" => "big5",
        "u8" | "cp65001" => "utf-8",
        other => other,
    };
    Encoding::for_label(usual.as_bytes())
}

/// Python's and IANA's spellings; gb2312 is decoded as its superset.
fn canonical(label: &str) -> String {
    match label {
        "gb2312" => "gb18030".into(),
        "utf8" => "utf-8".into(),
        _ => label.into(),
    }
}

/// No declaration is valid: UTF-8 if nearly all of it is, else the result of the detector.
fn detect<'a>(bytes: &'a [u8], url: Option<&str>) -> (Cow<'a, str>, String) {
    if let Some(text) = by_label(bytes, "utf-8") {
        return (text, "utf-8".into());
    }
    let (mut wide, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        wide += chunk.valid().len() - chunk.valid().bytes().filter(u8::is_ascii).count();
        broken += chunk.invalid().len();
    }
    if wide > broken.saturating_mul(4) {
        return (String::from_utf8_lossy(bytes), "utf-8".into());
    }
    let region = languages_region(bytes).or_else(|| url.and_then(country));
    if is_short_latin(bytes)
        && region.is_none()
        && let Some(text) = WINDOWS_1252.decode_without_bom_handling_and_without_replacement(bytes)
    {
        return (text, "windows-1252".into());
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(64 * 1024)], true);
    let guess = detector.guess(region.map(str::as_bytes), Utf8Detection::Deny);
    for encoding in [guess, WINDOWS_1252] {
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            return (text, encoding.name().to_ascii_lowercase());
        }
    }
    (Cow::Owned(lossy(bytes, guess)), guess.name().to_ascii_lowercase())
}

/// Whether non-ASCII letters are so few and so far apart that a detector could only guess.
fn is_short_latin(bytes: &[u8]) -> bool {
    /// Fewer letters say nothing about a language.
    const FEW: usize = 12;
    let is_high = |byte: &&u8| **byte >= 0x80;
    bytes.iter().filter(is_high).take(FEW).count() < FEW
        && !bytes.windows(3).any(|three| three.iter().all(|byte| *byte >= 0x80))
}

/// The region of the document's declared language, as the top-level domain that the detector expects. Western European
/// languages have none: their letters are the default.
fn languages_region(bytes: &[u8]) -> Option<&'static str> {
    let window = &bytes[..bytes.len().min(4 * DECLARATION_WINDOW)];
    let starts: [&[u8]; 4] = [b"xml:lang=\"", b"xml:lang='", b"<language>", b"<dc:language>"];
    let start = starts.iter().find_map(|start| memchr::memmem::find(window, start).map(|at| at + start.len()))?;
    let tag: Vec<u8> = window[start..]
        .trim_ascii_start()
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .take(8)
        .map(u8::to_ascii_lowercase)
        .collect();
    Some(match tag.as_slice() {
        b"cs" => "cz",
        b"pl" => "pl",
        b"sk" => "sk",
        b"hu" => "hu",
        b"sl" => "si",
        b"hr" | b"bs" => "hr",
        b"ro" => "ro",
        b"sq" => "al",
        b"ru" => "ru",
        b"uk" => "ua",
        b"be" => "by",
        b"bg" => "bg",
        b"mk" => "mk",
        b"sr" => "rs",
        b"el" => "gr",
        b"tr" => "tr",
        b"he" | b"iw" => "il",
        b"ar" => "eg",
        b"fa" => "ir",
        b"th" => "th",
        b"vi" => "vn",
        b"et" => "ee",
        b"lv" => "lv",
        b"lt" => "lt",
        b"ja" => "jp",
        b"ko" => "kr",
        b"zh" => "cn",
        _ => return None,
    })
}

/// The country of a URL, if texts from there do not use western European letters. Country domains that anybody can
/// register (`.me`, `.io`) do not count.
fn country(url: &str) -> Option<&'static str> {
    const COUNTRIES: &[&str] = &[
        "al", "ba", "bg", "by", "cn", "cz", "ee", "eg", "gr", "hk", "hr", "hu", "il", "ir", "jp", "kr", "kz", "lt",
        "lv", "mk", "pl", "ro", "rs", "ru", "si", "sk", "su", "th", "tr", "tw", "ua", "vn",
    ];
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    let (_, last) = host.trim_end_matches('.').rsplit_once('.')?;
    COUNTRIES.iter().find(|country| last.eq_ignore_ascii_case(country)).copied()
}

fn utf8_or_lossy(bytes: &[u8]) -> (Cow<'_, str>, Option<String>) {
    let text = String::from_utf8_lossy(bytes);
    let problem = matches!(text, Cow::Owned(_)).then(|| "some bytes are not UTF-8 and were replaced".to_owned());
    (text, problem)
}

fn lossy(bytes: &[u8], encoding: &'static Encoding) -> String {
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

fn utf32(bytes: &[u8], number: fn([u8; 4]) -> u32) -> String {
    let (units, _cut) = bytes.as_chunks::<4>();
    units.iter().map(|unit| char::from_u32(number(*unit)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: &str, bytes: &[u8], content_type: Option<&str>, expected: &str) {
        let decoded = decode(bytes, content_type, None);
        assert_eq!(format!("{} {}", decoded.encoding, decoded.text), expected, "{case}");
    }

    #[test]
    fn the_ladder() {
        check("nothing said", "é".as_bytes(), None, "utf-8 é");
        check("mark wins", b"\xEF\xBB\xBF<?xml encoding='utf-16'?>", None, "utf-8 <?xml encoding='utf-16'?>");
        check(
            "http wins over declaration",
            b"<?xml encoding='koi8-r'?>\xE9",
            Some("a/b; charset=iso-8859-1"),
            "iso-8859-1 <?xml encoding='koi8-r'?>é",
        );
        check(
            "a lie is passed over",
            b"<?xml encoding='iso-8859-1'?>\xE9.",
            Some("a/b; charset=\"UTF-8\""),
            "iso-8859-1 <?xml encoding='iso-8859-1'?>é.",
        );
        check(
            "text without charset is ascii",
            b"<?xml encoding='utf-8'?>",
            Some("text/xml"),
            "us-ascii <?xml encoding='utf-8'?>",
        );
        check("wide without mark", b"<\0a\0>\0", None, "utf-16le <a>");
        check("wide with mark", b"\xFE\xFF\0<\0a\0>", None, "utf-16be <a>");
        check("four bytes", b"\0\0\xFE\xFF\0\0\0<", None, "utf-32be <");
        check(
            "windows quotes",
            b"<?xml encoding='iso-8859-1'?>\x93",
            None,
            "iso-8859-1 <?xml encoding='iso-8859-1'?>\u{201c}",
        );
        check(
            "a name of Microsoft's own",
            b"<?xml encoding='ms-cyrl'?>\xCF",
            None,
            "ms-cyrl <?xml encoding='ms-cyrl'?>П",
        );
        check("undeclared latin", b"caf\xE9 cr\xE8me", None, "windows-1252 café crème");
        check("cut in a character", b"caf\xC3", None, "utf-8 caf");
        check("utf-7 is never honoured", b"<?xml encoding='utf-7'?>+ADw-", None, "utf-8 <?xml encoding='utf-7'?>+ADw-");
    }

    #[test]
    fn utf8_declared_as_something_else_is_utf8() {
        for label in ["iso-8859-1", "windows-1252", "windows-1251", "iso-8859-15"] {
            for text in ["Größe", "’", "日本語", "Привет", "caf\u{e9}"] {
                let document = format!("<?xml encoding='{label}'?>{text}");
                check(label, document.as_bytes(), None, &format!("utf-8 {document}"));
                check(label, text.as_bytes(), Some(&format!("text/xml; charset={label}")), &format!("utf-8 {text}"));
            }
        }
        check("one pair by chance", b"CAF\xC9\xAE", Some("a/b; charset=iso-8859-1"), "iso-8859-1 CAFÉ®");
        check("not all of it", b"\xC3\xA9 \xE9", Some("a/b; charset=iso-8859-1"), "iso-8859-1 Ã© é");
    }

    #[test]
    fn a_short_text_is_of_western_europe() {
        check("pound", b"<t>only \xA3 5</t>", None, "windows-1252 <t>only £ 5</t>");
        check("i with dots", b"<t>na\xEFve</t>", None, "windows-1252 <t>naïve</t>");
        check("many letters", b"\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0", None, "windows-1251 Привет, мир");
        let czech = b"<language>cs</language>P\xF8\xEDli\x9A \x9Elu\x9Dou\xE8k\xFD k\xF9\xF2";
        let at = |url: &str| decode(b"<t>ma\xB3y</t>", None, Some(url)).text.into_owned();
        assert_eq!(at("https://gazeta.example.pl/rss"), "<t>mały</t>", "the domain is Polish");
        for other in ["https://example.org/pl", "https://pl.example.me/", "http://127.0.0.1/", "pl"] {
            assert_eq!(at(other), "<t>ma³y</t>", "{other}");
        }
        check("the language is said", czech, None, "windows-1250 <language>cs</language>Příliš žluťoučký kůň");
    }
}
