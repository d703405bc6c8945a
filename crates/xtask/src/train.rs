//! `cargo xtask train-clickbait` and `train-answers`: runs the training program of `prose`, which writes its weights file.
//!
//! The program is an example of that crate, so that this one need not know what a model is.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::repository::cargo;

/// Trains one model on a file. The path is relative to where the command was called.
pub fn train(root: &Path, model: &str, arguments: &[String]) -> Result<u8> {
    let [file] = arguments else { bail!("on which file? cargo xtask train-{model} FILE") };
    let file = std::path::absolute(file)?;
    let mut command = cargo(root);
    command.args(["run", "--quiet", "--release", "--package", "prose", "--example", "train", "--", model]).arg(file);
    let status = command.status().context("cannot run cargo")?;
    Ok(u8::from(!status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_asked_for() {
        let error = train(Path::new("."), "answers", &[]).expect_err("there is no file");
        assert_eq!(error.to_string(), "on which file? cargo xtask train-answers FILE");
    }
}
