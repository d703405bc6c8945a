//! Characters: expands entities, repairs line ends and control characters.
//!
//! All text of a document goes through here once. Borrowed if nothing had to change. Internal entities of a document
//! type are expanded one level and within a byte budget; external ones are never read.

use std::borrow::Cow;

use memchr::memchr;

/// Which repairs a document's text may need; determined once, so that the common document pays for none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Quirks {
    /// Whether there are carriage returns or control characters.
    pub controls: bool,
    /// Whether there may be characters U+0080 to U+009F: windows-1252 by mistake.
    pub c1: bool,
    /// Whether fields may be UTF-8 that was encoded twice.
    pub twice: bool,
}

/// The minimum number of doubly encoded characters: a single one may be a quotation.
const NO_QUOTATION: usize = 3;

impl Quirks {
    /// Examines a whole document. Some texts quote garbled characters, and a doubly encoded document is so as a whole:
    /// a few such letters are kept as they are.
    pub(crate) fn of(text: &str, encoding: &str) -> Quirks {
        let mut quirks = Quirks::of_characters(text);
        quirks.twice = quirks.c1 && (encoding != "utf-8" || times_encoded_twice(text) >= NO_QUOTATION);
        quirks
    }

    fn of_characters(text: &str) -> Quirks {
        let bytes = text.as_bytes();
        let mut controls = false;
        let mut wide = false;
        for chunk in bytes.chunks(4096) {
            // Branch-free, so that it is vectorised.
            let (mut low, mut high) = (0_u8, 0_u8);
            for byte in chunk {
                low |= u8::from(*byte < 0x20) & u8::from(*byte != b'\n') & u8::from(*byte != b'\t');
                high |= *byte;
            }
            controls |= low != 0;
            wide |= high >= 0x80;
        }
        Quirks { controls, c1: wide && memchr(0xC2, bytes).is_some(), twice: false }
    }
}

/// The entities of an internal subset, and how much they may still grow the document.
#[derive(Debug, Clone)]
pub(crate) struct Entities<'a> {
    /// Sorted by name, for fast lookup.
    declared: Vec<(&'a str, &'a str)>,
    budget: usize,
    /// Whether the budget was exceeded: reported once.
    pub overrun: bool,
    /// Bare `&`s and unknown entities; their number is reported.
    pub unknown: usize,
    /// Whether a numeric reference produced what [`Quirks::c1`] and [`Quirks::twice`] are about.
    c1: bool,
}

/// Far more than real documents declare.
const MAX_ENTITIES: usize = 256;

impl<'a> Entities<'a> {
    pub(crate) fn new(budget: usize) -> Self {
        Entities { declared: Vec::new(), budget, overrun: false, unknown: 0, c1: false }
    }

    /// Parses `<!ENTITY name "value">` of a document type. External and parameter entities are ignored.
    pub(crate) fn declare(&mut self, doctype: &'a str) {
        for declaration in doctype.split("<!ENTITY").skip(1) {
            let declaration = declaration.trim_start();
            let Some((name, rest)) = declaration.split_once(|c: char| c.is_ascii_whitespace()) else { continue };
            let rest = rest.trim_start();
            let Some(quote @ ('"' | '\'')) = rest.chars().next() else { continue };
            if name != "%"
                && let Some((value, _)) = rest[1..].split_once(quote)
                // If a name is declared twice, the first counts.
                && self.declared.len() < MAX_ENTITIES
                && let Err(place) = self.place_of(name)
            {
                self.declared.insert(place, (name, value));
            }
        }
    }

    /// The index of an entity among those declared, or where to insert it.
    fn place_of(&self, name: &str) -> Result<usize, usize> {
        self.declared.binary_search_by_key(&name, |(declared, _)| *declared)
    }

    fn expand(&mut self, name: &str, out: &mut String) -> bool {
        let Ok(found) = self.place_of(name) else { return false };
        let (_, value) = self.declared[found];
        if value.len() > self.budget {
            self.overrun = true;
            return false;
        }
        self.budget -= value.len();
        // One level: in an entity's value only the five XML entities and character references are expanded.
        expand_into(value, out, None);
        true
    }

    /// Expands the entities of `text`.
    pub(crate) fn unescape<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if memchr(b'&', text.as_bytes()).is_none() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        expand_into(text, &mut out, Some(self));
        Cow::Owned(out)
    }

    /// Like [`clean`], also for characters from references.
    pub(crate) fn clean<'t>(&self, text: Cow<'t, str>, quirks: Quirks) -> Cow<'t, str> {
        clean(text, Quirks { c1: quirks.c1 || self.c1, twice: quirks.twice || self.c1, ..quirks })
    }

    /// Expands the entities of `text` onto `out`.
    pub(crate) fn unescape_into(&mut self, text: &str, out: &mut String) {
        expand_into(text, out, Some(self));
    }
}

fn expand_into(text: &str, out: &mut String, mut entities: Option<&mut Entities<'_>>) {
    let mut rest = text;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        // The five that make up nearly all of escaped HTML, before anything is searched for.
        let (character, used) = match rest.as_bytes() {
            [b'l', b't', b';', ..] => ('<', 3),
            [b'g', b't', b';', ..] => ('>', 3),
            [b'a', b'm', b'p', b';', ..] => ('&', 4),
            [b'q', b'u', b'o', b't', b';', ..] => ('"', 5),
            [b'#', b'3', b'9', b';', ..] => ('\'', 4),
            [b'a', b'p', b'o', b's', b';', ..] => ('\'', 5),
            bytes => {
                let before = out.len();
                let used = reference(rest, out, entities.as_deref_mut());
                if used == 0 {
                    out.push('&');
                }
                // U+0080 to U+00BF: alone a mistake for windows-1252, after another one a byte of UTF-8.
                let is_c1 = bytes.starts_with(b"#") && out.as_bytes().get(before) == Some(&0xC2);
                if let (true, Some(entities)) = (is_c1, entities.as_deref_mut()) {
                    entities.c1 = true;
                }
                rest = &rest[used..];
                continue;
            }
        };
        out.push(character);
        rest = &rest[used..];
    }
    out.push_str(rest);
}

/// Expands the reference after an `&`; returns its length, 0 if it is not a reference.
fn reference(text: &str, out: &mut String, mut entities: Option<&mut Entities<'_>>) -> usize {
    let window = &text.as_bytes()[..text.len().min(40)];
    if let Some(end) = memchr(b';', window) {
        let name = &text[..end];
        let known = match name.strip_prefix('#') {
            Some(number) => numbered(number, out),
            None => entities.as_deref_mut().is_some_and(|entities| entities.expand(name, out)) || named(name, out),
        };
        if known {
            return end + 1;
        }
    }
    if let Some(entities) = entities {
        entities.unknown += 1;
    }
    without_semicolon(text, out)
}

/// `8217` or `x2019`. Numbers that are not allowed in a document are references to nothing; those of the C1 range are
/// repaired by `clean`.
fn numbered(number: &str, out: &mut String) -> bool {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(hex) => (hex, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return false;
    }
    let code = u32::from_str_radix(digits, radix);
    match code {
        Ok(9) => out.push('\t'),
        Ok(10 | 13) => out.push('\n'),
        Ok(0..=0x1F | 0x7F) => {}
        Ok(code) => out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
        // Too large.
        Err(_) => out.push(char::REPLACEMENT_CHARACTER),
    }
    true
}

/// HTML's named characters; publishers use them in XML without declaring them.
fn named(name: &str, out: &mut String) -> bool {
    // HTML 5 changed these two; XML documents mean those of the XHTML entity sets.
    if let "lang" | "rang" = name {
        out.push(if name == "lang" { '\u{2329}' } else { '\u{232a}' });
        return true;
    }
    let mut key = [0_u8; 42];
    let Some(slot) = key.get_mut(..name.len() + 2) else { return false };
    slot[0] = b'&';
    slot[1..=name.len()].copy_from_slice(name.as_bytes());
    slot[name.len() + 1] = b';';
    match htmlize::ENTITIES.get(slot).and_then(|value| std::str::from_utf8(value).ok()) {
        Some(value) => {
            out.push_str(value);
            true
        }
        None => false,
    }
}

/// `&copy 2004` and `&#169 2004`, as in browsers; returns the length. Not `?a=1&copy=2`.
fn without_semicolon(text: &str, out: &mut String) -> usize {
    /// The longest name that HTML accepts without a semicolon, and more digits than characters have.
    const LONGEST: usize = 8;
    let digits_from = usize::from(text.starts_with('#'));
    let name = text[digits_from..].bytes().take(LONGEST + 1).take_while(u8::is_ascii_alphanumeric).count();
    let end = digits_from + name;
    if name == 0 || name > LONGEST || text[end..].starts_with(['=', ';']) {
        return 0;
    }
    let mut key = [b'&'; LONGEST + 1];
    key[1..=name].copy_from_slice(&text.as_bytes()[digits_from..end]);
    let known = match digits_from {
        0 => htmlize::ENTITIES.get(&key[..=name]).and_then(|value| std::str::from_utf8(value).ok()),
        _ => return if numbered(&text[1..end], out) { end } else { 0 },
    };
    out.push_str(known.unwrap_or_default());
    if known.is_some() { end } else { 0 }
}

/// The meaning of a byte of the C1 range on the web.
pub(crate) fn windows_1252(byte: u8) -> char {
    encoding_rs::WINDOWS_1252
        .decode_without_bom_handling(&[byte])
        .0
        .chars()
        .next()
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Repairs what `quirks` reports: CRLF, control characters, mislabelled windows-1252, doubly encoded UTF-8.
pub(crate) fn clean(text: Cow<'_, str>, quirks: Quirks) -> Cow<'_, str> {
    if !quirks.controls && !quirks.c1 {
        return text;
    }
    let text = if quirks.controls && text.bytes().any(|byte| byte < 0x20 && byte != b'\n' && byte != b'\t') {
        let mut out = String::with_capacity(text.len());
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' => {
                    if characters.peek() != Some(&'\n') {
                        out.push('\n');
                    }
                }
                '\n' | '\t' => out.push(character),
                '\0'..='\x1f' => {}
                _ => out.push(character),
            }
        }
        Cow::Owned(out)
    } else {
        text
    };
    // U+0080 to U+00BF, in UTF-8.
    if !quirks.c1 || memchr(0xC2, text.as_bytes()).is_none() {
        return text;
    }
    if let Some(once) = quirks.twice.then(|| encoded_twice(&text)).flatten() {
        return Cow::Owned(once);
    }
    if text.chars().any(|character| ('\u{80}'..='\u{9f}').contains(&character)) {
        let mapped = text.chars().map(|character| match character {
            '\u{80}'..='\u{9f}' => windows_1252(character as u8),
            _ => character,
        });
        return Cow::Owned(mapped.collect());
    }
    text
}

/// How many characters of a document are doubly encoded UTF-8; 0 unless all non-ASCII characters are.
fn times_encoded_twice(text: &str) -> usize {
    let (mut times, mut awaited) = (0, 0);
    for c in text.chars() {
        awaited = match (awaited, u32::from(c)) {
            (0, 0..=0x7F) => 0,
            (0, 0xC2..=0xDF) => 1,
            (0, 0xE0..=0xEF) => 2,
            (0, 0xF0..=0xF4) => 3,
            (1.., 0x80..=0xBF) => awaited - 1,
            _ => return 0,
        };
        times += usize::from(awaited == 0 && !c.is_ascii());
    }
    times
}

/// Decodes UTF-8 that was taken for ISO 8859-1 and encoded again.
fn encoded_twice(text: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect();
    String::from_utf8(bytes?).ok()
}

/// Without white space at either end; borrowed or owned as before.
pub(crate) fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) if text.trim().len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// Whether a character is harmless in display: not a control character, not a bidirectional override, and not a
/// non-character.
pub(crate) fn is_honest(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        && !matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// Escapes text between tags.
pub(crate) fn escape_into(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'&', b'<', b'>', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Escapes a double-quoted attribute.
pub(crate) fn escape_attribute_into(text: &str, out: &mut String) {
    for (index, part) in text.split('"').enumerate() {
        if index > 0 {
            out.push_str("&quot;");
        }
        escape_into(part, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: &str, text: &str, expected: &str) {
        let mut entities = Entities::new(20);
        entities.declare("x [<!ENTITY me 'my &amp; name'><!ENTITY long '0123456789 0123456789'><!ENTITY % p 'q'>");
        let expanded = entities.unescape(text);
        assert_eq!(entities.clean(expanded, Quirks::default()), expected, "{case}");
    }

    #[test]
    fn entities() {
        check("the five", "&lt;&gt;&amp;&quot;&apos;&#39;", "<>&\"''");
        check("named by HTML", "caf&eacute;&nbsp;&hellip;", "café\u{a0}…");
        check("numbers", "&#233;&#xE9;&#x1F600;", "éé😀");
        check("windows-1252 numbers", "&#146;&#x93;", "’“");
        check("UTF-8 by its bytes", "&acirc;&#128;&brvbar; caf&#195;&#169;", "… café");
        check("not every byte of it", "&acirc;&#128;&brvbar; &eacute;", "â€¦ é");
        check("no such thing", "&nosuch; & &; AT&T &#; &#xzz;", "&nosuch; & &; AT&T &#; &#xzz;");
        check("no semicolon", "&copy 2004, &eacute&nbsp, 5 &lt 6 &#146 &#xE9, &copy", "© 2004, é\u{a0}, 5 < 6 ’ é, ©");
        check("a query is no entity", "?a=1&copy=2&reg=3&lang", "?a=1&copy=2&reg=3&lang");
        check("letters go on", "&copyright &#12a34 &notation", "&copyright &#12a34 &notation");
        check("numbers out of range", "&#0;&#xD800;&#9999999999999;", "\u{fffd}\u{fffd}");
        check("declared, one level", "&me;", "my & name");
        check("declared, over budget", "&long;", "&long;");
        check("parameter entities are not read", "&p;", "&p;");
    }

    #[test]
    fn characters() {
        let quirks = |text: &str| clean(Cow::Borrowed(text), Quirks::of(text, "utf-8")).into_owned();
        assert_eq!(quirks("a\r\nb\rc\0d\u{b}"), "a\nb\ncd");
        assert_eq!(quirks("\u{93}x\u{94}"), "“x”");
        assert_eq!(quirks("Why CafÃ© appears"), "Why CafÃ© appears", "a quotation");
        assert_eq!(quirks("IÃ±tÃ«rnÃ¢tiÃ´n â\u{80}\u{93}"), "Iñtërnâtiôn –");
        assert_eq!(quirks("10\u{a0}° café"), "10\u{a0}° café");
        assert_eq!(quirks("Why CafÃ© appears for “Café”"), "Why CafÃ© appears for “Café”");
    }
}
