//! Trains the models that `prose` ships: `cargo xtask train-clickbait FILE` and `cargo xtask train-answers FILE`.
//!
//! Prints what cross-validation on the file says, then writes the weights of a model trained on all of it. Everything is
//! done in a fixed order with plain arithmetic (no threads, no library's logarithm), so that the same file gives the same
//! bytes.

#![expect(clippy::print_stdout, reason = "this is a command-line program")]

mod answers;
mod clickbait;
mod figures;
mod ridge;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, file] = arguments.as_slice() else {
        eprintln!("train clickbait|answers FILE");
        return ExitCode::FAILURE;
    };
    let trained =
        std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}")).and_then(|text| {
            match model.as_str() {
                "clickbait" => clickbait::train(&text).map(|bytes| ("clickbait.weights", bytes)),
                "answers" => answers::train(&text).map(|bytes| ("answers.weights", bytes)),
                other => Err(format!("there is no model {other}")),
            }
        });
    let written = trained.and_then(|(name, bytes)| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
        std::fs::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("data/{name}: {} bytes", bytes.len());
        Ok(())
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("train: {error}");
            ExitCode::FAILURE
        }
    }
}
