//! Python with what `tests/requirements.txt` names, for tests that run programs from PyPI.

use super::environment;
use std::path::PathBuf;

/// Its interpreter.
pub fn python() -> PathBuf {
    environment("COURANT_TEST_PYTHON").into()
}
