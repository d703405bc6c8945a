//! Embeds the web app: a table of the files in `ui/dist`, which `make ui` builds. Without them the table is empty, and the
//! server works without the app.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let dist = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../ui/dist");
    println!("cargo:rerun-if-changed={}", dist.display());
    println!("cargo:rerun-if-changed=build.rs");
    let mut files = Vec::new();
    if dist.join("manifest.json").is_file() {
        collect(&dist, &dist, &mut files);
    }
    files.sort();
    let mut table = String::from(
        "/// The files of the web app, by their names below `ui/dist`.\nstatic FILES: &[(&str, &[u8])] = &[\n",
    );
    for (name, path) in &files {
        let path = path.canonicalize().expect("it was just found");
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string()).expect("a String grows");
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("app_files.rs");
    fs::write(&out, table).unwrap_or_else(|error| panic!("cannot write {}: {error}", out.display()));
}

fn collect(root: &Path, directory: &Path, files: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if let Ok(name) = path.strip_prefix(root) {
            let name = name.to_string_lossy().replace('\\', "/");
            if !name.starts_with('.') {
                files.push((name, path));
            }
        }
    }
}
