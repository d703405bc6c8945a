//! `courant parse` without Courant: `parse [--json] FILE…` or `parse --json --jobs -`.
//!
//! For trying out the parser alone. Only reads files and prints; everything else is in the library, where the real
//! command finds it too.

use std::io::{BufRead, Write};

use syndication::jobs::Job;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_set = |name: &str| arguments.iter().any(|argument| argument == name);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if is_set("--jobs") {
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            let reply = match Job::parse(&line) {
                Ok(job) => match std::fs::read(&job.path) {
                    Ok(bytes) => job.answer(Ok(&bytes)),
                    Err(error) => job.answer(Err(error.to_string())),
                },
                Err(error) => Job::default().answer(Err(error)),
            };
            writeln!(out, "{reply}")?;
            out.flush()?;
        }
        return Ok(());
    }
    for path in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        let bytes = std::fs::read(path)?;
        let reading = syndication::read(&bytes, &syndication::Hints::default(), &syndication::Limits::default());
        match reading {
            Ok(reading) if is_set("--json") => {
                writeln!(out, "{}", serde_json::to_string_pretty(&syndication::normalised::document(&reading))?)?;
            }
            Ok(reading) => write!(out, "{}", syndication::summary::render(&reading))?,
            Err(refusal) => writeln!(out, "{path}: {refusal}")?,
        }
    }
    Ok(())
}
