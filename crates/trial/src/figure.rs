//! A measured figure and its target, as one line of JSON on stdout. Every benchmark reports its results this way, so
//! that `cargo xtask bench` can put them into one table. Text for people is printed by the benchmark itself.
//!
//! `COURANT_FIGURES` names a file that gets the same lines, because the output of a benchmark goes to the terminal.

use std::fmt::Write as _;
use std::io::Write as _;

/// The target of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bar {
    /// This or less.
    AtMost(f64),
    /// This or more.
    AtLeast(f64),
}

impl Bar {
    /// Whether a figure meets it.
    fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtMost(bar) => value <= bar,
            Self::AtLeast(bar) => value >= bar,
        }
    }
}

/// Reports a figure with a target ("P1"), its unit or what it is a ratio of, and a note.
pub fn figure(name: &str, what: &str, value: f64, bar: Bar, note: &str) {
    tell(&line(name, what, Some(value), Some(bar), note));
}

/// Reports a figure without a target: one of another program, or one that explains another.
pub fn remark(name: &str, what: &str, value: f64, note: &str) {
    tell(&line(name, what, Some(value), None, note));
}

/// Reports that a figure could not be measured, and why.
pub fn unmeasured(name: &str, what: &str, bar: Bar, why: &str) {
    tell(&line(name, what, None, Some(bar), why));
}

fn line(name: &str, what: &str, value: Option<f64>, bar: Option<Bar>, note: &str) -> String {
    let number = |value: Option<f64>| match value.filter(|value| value.is_finite()) {
        Some(value) => format!("{value:.4}"),
        None => "null".to_owned(),
    };
    let (better, limit) = match bar {
        Some(Bar::AtMost(bar)) => ("\"at most\"", Some(bar)),
        Some(Bar::AtLeast(bar)) => ("\"at least\"", Some(bar)),
        None => ("null", None),
    };
    let met = match (value, bar) {
        (Some(value), Some(bar)) => bar.is_met(value).to_string(),
        _ => "null".to_owned(),
    };
    format!(
        "{{\"figure\":{},\"what\":{},\"value\":{},\"better\":{better},\"bar\":{},\"met\":{met},\"note\":{}}}",
        quoted(name),
        quoted(what),
        number(value),
        number(limit),
        quoted(note)
    )
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            control if control.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[expect(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]
fn tell(line: &str) {
    println!("{line}");
    if let Ok(path) = std::env::var("COURANT_FIGURES") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        if let Err(error) = file.and_then(|mut file| writeln!(file, "{line}")) {
            eprintln!("cannot write {path}: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(case: &str, value: Option<f64>, bar: Option<Bar>, note: &str, expected: &str) {
        assert_eq!(line("P0", "a \"ratio\"", value, bar, note), expected, "{case}");
    }

    #[test]
    fn a_figure_is_one_line_of_json() {
        let head = r#"{"figure":"P0","what":"a \"ratio\"","value""#;
        let most = Some(Bar::AtMost(1.0));
        let least = Some(Bar::AtLeast(2.5));
        let met = r#":0.5000,"better":"at most","bar":1.0000,"met":true,"note":"two\u000alines"}"#;
        check("met", Some(0.5), most, "two\nlines", &format!("{head}{met}"));
        let missed = r#":2.4000,"better":"at least","bar":2.5000,"met":false,"note":""}"#;
        check("missed", Some(2.4), least, "", &format!("{head}{missed}"));
        let unmeasured = r#":null,"better":"at most","bar":1.0000,"met":null,"note":"no server"}"#;
        check("not measured", None, most, "no server", &format!("{head}{unmeasured}"));
        let remark = r#":7.0000,"better":null,"bar":null,"met":null,"note":""}"#;
        check("a remark", Some(7.0), None, "", &format!("{head}{remark}"));
        let nothing = r#":null,"better":"at most","bar":1.0000,"met":false,"note":""}"#;
        check("no number is not met", Some(f64::NAN), most, "", &format!("{head}{nothing}"));
    }
}
