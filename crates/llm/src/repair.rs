//! JSON out of what models write around it: prose, code fences, thoughts, trailing commas, single quotes. Pure.
//!
//! Repairs only what has one meaning; an object that is cut off is never completed. Linear in the length of the text,
//! apart from a fixed number of tries, and without recursion; serde_json limits the depth.

use serde_json::Value;

/// Prose may contain braces, too; after this many pieces that are not JSON it is given up.
const TRIES: usize = 8;

/// The object in the text, or why there is none.
pub(crate) fn object(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    if let Ok(value) = serde_json::from_str(text) {
        return only_object(value);
    }
    // What a model thought aloud is not its answer, and may contain drafts of it.
    let text = text.rfind("</think>").map_or(text, |at| &text[at + "</think>".len()..]);
    let mut rest = text;
    for _ in 0..TRIES {
        let Some(start) = rest.find('{') else { break };
        rest = &rest[start..];
        let Some(end) = balanced(rest) else { return Err("its JSON is cut off".to_owned()) };
        let (piece, behind) = rest.split_at(end);
        if let Some(object) = read(piece) {
            return Ok(object);
        }
        rest = behind;
    }
    Err("it is not JSON".to_owned())
}

/// A list with the one object in it is taken for the object.
fn only_object(value: Value) -> Result<Value, String> {
    match value {
        Value::Object(_) => Ok(value),
        Value::Array(mut items) if items.len() == 1 && items[0].is_object() => Ok(items.remove(0)),
        _ => Err("it is JSON, but not an object".to_owned()),
    }
}

/// The length of the object that the text begins with; none if it has no end.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn read(piece: &str) -> Option<Value> {
    let strict = |text: &str| serde_json::from_str::<Value>(text).ok();
    strict(piece).or_else(|| strict(&mended(piece))).or_else(|| strict(&mended(&double_quoted(piece)?)))
}

/// Without commas before a closing bracket, and with control characters in strings escaped.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    // Where the last comma is, as long as only white space follows it.
    let mut comma = None;
    for c in text.chars() {
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
            match c {
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                c if c.is_ascii_control() => {}
                c => out.push(c),
            }
            continue;
        }
        match c {
            '}' | ']' => {
                if let Some(at) = comma.take() {
                    out.remove(at);
                }
            }
            ',' => comma = Some(out.len()),
            c if c.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        quoted = c == '"';
        out.push(c);
    }
    out
}

/// The same with double quotes; none if the text has double quotes already, or a single one that may be an apostrophe.
fn double_quoted(text: &str) -> Option<String> {
    if text.contains(['"', '\\']) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('\'');
    out.push_str(parts.next()?);
    // Inside and outside take turns. A string ends where JSON continues.
    while let Some(inside) = parts.next() {
        let outside = parts.next()?;
        if !outside.trim_start().starts_with([',', ':', '}', ']']) {
            return None;
        }
        out.push('"');
        out.push_str(inside);
        out.push('"');
        out.push_str(outside);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let told = object(text).map_or_else(|why| why, |value| value.to_string());
        assert_eq!(told, expected, "{text:?}");
    }

    #[test]
    fn what_has_one_meaning_is_repaired() {
        let a = r#"{"a":"b"}"#;
        check(r#"{"a": "b"}"#, a);
        check("\u{feff} {\"a\": \"b\"}\n", a);
        check("```json\n{\"a\": \"b\"}\n```", a);
        check("Sure! Here is the JSON:\n{\"a\": \"b\"}\nI hope it helps.", a);
        check("Using {braces} and {more}: {\"a\": \"b\"}", a);
        check("<think>maybe {\"a\": \"no\"}</think>{\"a\": \"b\"}", a);
        check("<think>a { that is never closed</think> {\"a\": \"b\"}", a);
        check(r#"{"a": "b",}"#, a);
        check("{\"a\": \"b\" , \n }", a);
        check(r#"{"a": ["b", "c",], "d": {"e": 1,},}"#, r#"{"a":["b","c"],"d":{"e":1}}"#);
        check(r#"{"a": "b, ]}",}"#, r#"{"a":"b, ]}"}"#);
        check("{\"a\": \"two\nlines\tand\u{1} more\"}", r#"{"a":"two\nlines\tand more"}"#);
        check("{'a': 'b', 'c': ['d', 1,]}", r#"{"a":"b","c":["d",1]}"#);
        check(r#"[{"a": "b"}]"#, a);
        check(r#"{"a": "b"} {"a": "c"}"#, a);
        check(r#"{"a": "}{\"b"} trailing }"#, r#"{"a":"}{\"b"}"#);
        check(r#"{"a": "<b>bold</b><script>"}"#, r#"{"a":"<b>bold</b><script>"}"#);
    }

    #[test]
    fn what_may_mean_several_things_is_not() {
        check("", "it is empty");
        check(" \n", "it is empty");
        check("I cannot help with that.", "it is not JSON");
        check("<html><body>502</body></html>", "it is not JSON");
        check("{'a': 'it's'}", "it is not JSON");
        check("{'a': 'b' 'c'}", "it is not JSON");
        check("{'a': \"b\"}", "it is not JSON");
        check("{a: 1}", "it is not JSON");
        check(r#"{"a": "b""#, "its JSON is cut off");
        // The inner object is whole, and is not the answer.
        check(r#"{"scores": {"framing": 0.1}, "title": "Half a ti"#, "its JSON is cut off");
        check(r#"{"a": "b\"}"#, "its JSON is cut off");
        check("42", "it is JSON, but not an object");
        check(r#""{\"a\": 1}""#, "it is JSON, but not an object");
        check(r#"[{"a": 1}, {"a": 2}]"#, "it is JSON, but not an object");
        check(&"{".repeat(100_000), "its JSON is cut off");
        check(&format!("{}{}", "{\"a\":".repeat(50_000), "}".repeat(50_000)), "it is not JSON");
        check(&format!("{}1{}", "[".repeat(50_000), "]".repeat(50_000)), "it is not JSON");
        check(&"{x}".repeat(50_000), "it is not JSON");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[{}\\[\\]\"',:\\\\a-z0-9 \n\u{1}ü]{0,60}") {
            if let Ok(value) = object(&text) {
                prop_assert!(value.is_object());
            }
        }

        /// Whatever stands around an object does not change it.
        #[test]
        fn an_object_survives_prose(key in "\\PC{0,8}", value in "\\PC{0,12}", prose in "[a-zA-Z .!`\n]{0,20}") {
            let written = serde_json::json!({ key: value });
            prop_assert_eq!(object(&format!("{prose}{written}{prose}")), Ok(written));
        }
    }
}
