//! How good and how fast the toolkit is: `cargo bench -p prose`.
//!
//! Speed is always measured, on generated text. Quality needs labelled texts, which are not in the repository: each
//! measure takes a file of JSON lines by its flag, and says that it was not measured without one. One file per measure.

#![expect(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]

mod answers;
mod clickbait;
mod faithfulness;
mod framing;
mod labelled;
mod language;
mod rouge;
mod sentiment;
mod speed;
mod summary;
mod topics;

use trial::{Bar, unmeasured};

/// One measure of quality: its flag, the lines it wants, and its target.
struct Measure {
    flag: &'static str,
    format: &'static str,
    what: &'static str,
    bar: Bar,
    /// Reports its figures for a file.
    run: fn(&str),
}

const MEASURES: &[Measure] = &[
    language::MEASURE,
    summary::MEASURE,
    topics::MEASURE,
    sentiment::MEASURE,
    clickbait::MEASURE,
    framing::MEASURE,
    answers::MEASURE,
    faithfulness::MEASURE,
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.iter().any(|argument| argument == "--help") {
        return help();
    }
    if let Some(unknown) = arguments.iter().find(|a| a.starts_with("--") && !MEASURES.iter().any(|m| is_flag(m, a))) {
        eprintln!("`{unknown}` is not understood; --help lists what is");
        std::process::exit(2);
    }
    for measure in MEASURES {
        match file_of(&arguments, measure) {
            Some(file) => (measure.run)(file),
            None => unmeasured("prose", measure.what, measure.bar, &format!("no {} FILE", measure.flag)),
        }
    }
    speed::measure();
}

/// `--flag` or `--flag=FILE`.
fn is_flag(measure: &Measure, argument: &str) -> bool {
    argument.strip_prefix(measure.flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

fn file_of<'a>(arguments: &'a [String], measure: &Measure) -> Option<&'a str> {
    let at = arguments.iter().position(|argument| is_flag(measure, argument))?;
    match arguments[at].split_once('=') {
        Some((_, file)) => Some(file),
        None => arguments.get(at + 1).map(String::as_str),
    }
}

fn help() {
    println!(
        "make bench ARGS=\"prose [FLAG FILE]...\", or cargo bench -p prose -- [FLAG FILE]...\n\nEach FILE is an absolute path; it has one JSON object per line:"
    );
    for measure in MEASURES {
        println!("  {} FILE\n      {}\n      figure: {}", measure.flag, measure.format, measure.what);
    }
}
