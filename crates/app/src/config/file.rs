//! The configuration file: where it is searched, and its TOML as texts with line numbers. The meaning of the texts is
//! not known here. An undeclared key is refused, so that a typo does not silently mean the default.

use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::declare::{Declaration, find as find_option};
use super::environment::CONFIG;
use super::load::{Given, Layer, Origin, Text};
use super::options::OPTIONS;
use super::suggest::{did_you_mean, nearest};
use super::{Sources, value::Value};

/// The name looked for.
const NAME: &str = "courant.toml";

/// The file to use: the one that was named, else the first that exists.
pub(super) fn find(sources: &Sources, data: Option<&str>, problems: &mut Vec<String>) -> Option<PathBuf> {
    let var = |name: &str| sources.env.get(std::ffi::OsStr::new(name)).filter(|value| !value.is_empty());
    let by_flag = sources.config.as_ref().map(|path| (path.clone(), "--config"));
    let named = by_flag.or_else(|| var(CONFIG).map(|path| (PathBuf::from(path), CONFIG)));
    if let Some((path, origin)) = named {
        // Not `is_file`: a pipe from a shell (`--config <(…)`) is valid.
        let place = sources.directory.join(&path);
        if place.exists() && !place.is_dir() {
            return Some(path);
        }
        problems.push(format!("there is no configuration file {}, named by {origin}", path.display()));
        return None;
    }
    let data = data.or_else(|| find_option("data").map(|option| option.default)).unwrap_or_default();
    let user = var("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(Path::new(var("HOME")?).join(".config")));
    let places = [
        Some(PathBuf::from(NAME)),
        Some(Path::new(data).join(NAME)),
        user.map(|directory| directory.join("courant").join(NAME)),
        Some(Path::new("/etc/courant").join(NAME)),
    ];
    places.into_iter().flatten().find(|path| sources.directory.join(path).is_file())
}

/// What the file says.
pub(super) fn layer(path: &Path, sources: &Sources, problems: &mut Vec<String>) -> Layer {
    match std::fs::read(sources.directory.join(path)).map(String::from_utf8) {
        Ok(Ok(text)) => parse(&text, path, problems),
        Ok(Err(_)) => {
            problems.push(format!("the configuration file {} is not UTF-8 text", path.display()));
            Layer::new()
        }
        Err(error) => {
            problems.push(format!("cannot read the configuration file {}: {error}", path.display()));
            Layer::new()
        }
    }
}

fn parse(text: &str, path: &Path, problems: &mut Vec<String>) -> Layer {
    let (table, errors) = DeTable::parse_recoverable(text);
    let line = |offset: usize| text[..offset].matches('\n').count() + 1;
    if !errors.is_empty() {
        // Only the parser's message: its full text quotes the line, which may contain a password.
        problems.extend(errors.iter().map(|error| {
            let line = error.span().map_or(1, |span| line(span.start));
            format!("{} line {line} is not TOML: {}", path.display(), error.message())
        }));
        return Layer::new();
    }
    let mut leaves = Vec::new();
    flatten("", table.get_ref(), &mut leaves);
    leaves.sort_by_key(|leaf| leaf.offset);

    let mut layer = Layer::new();
    for leaf in leaves {
        let origin = Origin::File { path: path.to_owned(), line: line(leaf.offset) };
        let Some((option, in_file)) = named_by(&leaf.key) else {
            problems.push(unknown(&leaf.key, &origin));
            continue;
        };
        let Some(text) = text_of(leaf.value, option) else {
            problems.push(format!(
                "`{}` from {origin} is {}, expected {}",
                leaf.key,
                kind(leaf.value),
                (option.expected)()
            ));
            continue;
        };
        let text = if in_file { Text::InFile(text.into()) } else { Text::Here(text) };
        if layer.insert(option.key, Given { text, origin: origin.clone() }).is_some() {
            problems.push(format!(
                "`{}` and `{}_file` are both set in {}: keep one of them",
                option.key,
                option.key,
                path.display()
            ));
        }
    }
    layer
}

struct Leaf<'t, 'i> {
    key: String,
    value: &'t DeValue<'i>,
    offset: usize,
}

/// `[a] b = 1` as `a.b`. An unknown table without keys is a leaf, too, so that it is reported.
fn flatten<'t, 'i>(prefix: &str, table: &'t DeTable<'i>, leaves: &mut Vec<Leaf<'t, 'i>>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.get_ref().to_string() } else { format!("{prefix}.{}", name.get_ref()) };
        match value.get_ref() {
            DeValue::Table(inner) if find_option(&key).is_none() && (!inner.is_empty() || is_section(&key)) => {
                flatten(&key, inner, leaves);
            }
            value => leaves.push(Leaf { key, value, offset: name.span().start }),
        }
    }
}

fn is_section(key: &str) -> bool {
    OPTIONS.iter().any(|option| option.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.')))
}

/// The option of a key, and whether the key names a file with the value.
fn named_by(key: &str) -> Option<(&'static Declaration, bool)> {
    let by_file = || OPTIONS.iter().find(|option| option.key_file().is_some_and(|name| name == key));
    find_option(key).map(|option| (option, false)).or_else(|| by_file().map(|option| (option, true)))
}

fn unknown(key: &str, origin: &Origin) -> String {
    let suggestion = nearest(key, OPTIONS.iter().map(|option| option.key));
    format!("unknown key `{key}` in {origin}{}", did_you_mean(suggestion))
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
        DeValue::Datetime(_) => "a date",
        DeValue::Integer(_) => "a number out of reach",
        _ => "a value",
    }
}

fn text_of(value: &DeValue<'_>, option: &Declaration) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().map(|n| n.to_string()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(yes) => Some(yes.show()),
        DeValue::Array(parts) if option.list => {
            let parts: Option<Vec<String>> =
                parts.iter().map(|part| part.get_ref().as_str().map(str::to_owned)).collect();
            parts.map(|parts| parts.join(","))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys and texts, then problems.
    fn check(case: &str, toml: &str, expected: &[&str]) {
        let mut problems = Vec::new();
        let layer = parse(toml, Path::new("courant.toml"), &mut problems);
        let mut got: Vec<String> = layer
            .iter()
            .map(|(key, given)| match &given.text {
                Text::Here(text) => format!("{key} = {text}"),
                Text::InFile(path) => format!("{key} in {}", path.display()),
            })
            .collect();
        got.extend(problems);
        assert_eq!(got, expected, "{case}");
    }

    #[test]
    fn a_file_is_keys_with_texts() {
        check("empty", "", &[]);
        check(
            "sections",
            "preset = \"reader\"\n[web]\nlisten = \"[::]:80\"",
            &["preset = reader", "web.listen = [::]:80"],
        );
        check("dotted", "web.listen = \"[::]:80\"", &["web.listen = [::]:80"]);
        check("inline", "web = { listen = \"[::]:80\" }", &["web.listen = [::]:80"]);
        check(
            "numbers",
            "[fetch]\nconcurrency = 1_000\nhost_rps = 0.5",
            &["fetch.concurrency = 1000", "fetch.host_rps = 0.5"],
        );
        check("array", "[fetch]\nallow_private = [\"10.0.0.0/8\", \"::1\"]", &["fetch.allow_private = 10.0.0.0/8,::1"]);
        check("secret in a file", "[auth]\nsecret_file = \"/run/s\"", &["auth.secret in /run/s"]);
        check("an empty section", "[web]", &[]);
    }

    #[test]
    fn slips_are_named_with_their_line() {
        check(
            "unknown section",
            "\n[databse]\nurl = \"x\"",
            &["unknown key `databse.url` in courant.toml line 3: did you mean `database.url`?"],
        );
        check(
            "two of them, in order",
            "zebra = 1\nbear = 2",
            &["unknown key `zebra` in courant.toml line 1", "unknown key `bear` in courant.toml line 2"],
        );
        check("empty unknown section", "[wep]", &["unknown key `wep` in courant.toml line 1"]);
        check(
            "a section where a value belongs",
            "[data]\nx = 1",
            &["`data` from courant.toml line 1 is a table, expected a path"],
        );
        check(
            "not TOML",
            "a = \n",
            &["courant.toml line 1 is not TOML: string values must be quoted, expected literal string"],
        );
        check(
            "value and file",
            "[auth]\nsecret = \"a\"\nsecret_file = \"b\"",
            &[
                "auth.secret in b",
                "`auth.secret` and `auth.secret_file` are both set in courant.toml: keep one of them",
            ],
        );
    }
}
