//! The environment as a layer: every `COURANT_…` variable must be an option. Pure; `Sources` reads the variables of the
//! process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::load::{Given, Layer, Origin, Text};
use super::options::OPTIONS;
use super::suggest::{did_you_mean, nearest};

const PREFIX: &str = "COURANT_";

/// Names the configuration file; not an option itself, since a file cannot name itself.
pub(super) const CONFIG: &str = "COURANT_CONFIG";

/// What the environment sets. An empty variable counts as unset: that is how compose files omit one.
pub(super) fn layer(env: &BTreeMap<OsString, OsString>, problems: &mut Vec<String>) -> Layer {
    let mut layer = Layer::new();
    let set = |name: &str| env.get(OsStr::new(name)).filter(|value| !value.is_empty());
    for option in OPTIONS {
        let here = set(option.env);
        let file = option.env_file().and_then(|name| Some((set(&name)?, name)));
        match (here, file) {
            (Some(_), Some((_, name))) => {
                problems.push(format!("{} and {name} are both set: keep one of them", option.env));
            }
            (Some(text), None) => match text.to_str() {
                Some(text) => {
                    let origin = Origin::Env(option.env.to_owned());
                    layer.insert(option.key, Given { text: Text::Here(text.to_owned()), origin });
                }
                None => problems.push(format!("`{}` from {} is not UTF-8 text", option.key, option.env)),
            },
            (None, Some((path, name))) => {
                layer.insert(option.key, Given { text: Text::InFile(PathBuf::from(path)), origin: Origin::Env(name) });
            }
            (None, None) => {}
        }
    }
    problems.extend(env.iter().filter_map(|(name, value)| unknown(name.to_str()?, value.to_str().unwrap_or_default())));
    layer
}

/// The problem with a variable that has our prefix and is not an option.
fn unknown(name: &str, value: &str) -> Option<String> {
    let known = || OPTIONS.iter().flat_map(|option| [Some(option.env.to_owned()), option.env_file()]).flatten();
    let foreign = !name.starts_with(PREFIX) || name.starts_with("COURANT_TEST_") || is_service_link(name, value);
    if foreign || name == CONFIG || known().any(|known| known == name) {
        return None;
    }
    // Compared without the common prefix, or everything would be similar to everything.
    let names: Vec<String> = known().chain([CONFIG.to_owned()]).map(|known| known.replace(PREFIX, "")).collect();
    let near = |name| nearest(name, names.iter().map(String::as_str));
    let short = name.trim_start_matches(PREFIX);
    let suggestion = near(short).or_else(|| near(short.strip_suffix("_FILE")?)).map(|near| format!("{PREFIX}{near}"));
    Some(format!("unknown variable `{name}` in the environment{}", did_you_mean(suggestion.as_deref())))
}

/// Kubernetes sets such variables for every service: those of a service called `courant` have our prefix
/// (`COURANT_SERVICE_HOST`, `COURANT_PORT=tcp://…`, `COURANT_PORT_8100_TCP_ADDR`).
fn is_service_link(name: &str, value: &str) -> bool {
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    let linked = ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme));
    let after_port = name.split_once("PORT_").map(|(_, rest)| rest);
    name.ends_with("SERVICE_HOST")
        || name.contains("SERVICE_PORT")
        || (name.ends_with("PORT") && linked)
        || after_port.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_known_foreign_or_refused() {
        let check =
            |name, value, expected: &str| assert_eq!(unknown(name, value).unwrap_or_default(), expected, "{name}");
        check("COURANT_LISTEN", "", "");
        check("COURANT_CONFIG", "", "");
        check("COURANT_SECRET_FILE", "", "");
        check("PATH", "", "");
        check("COURANT_TEST_PG", "", "");
        check(
            "COURANT_LISTN",
            "",
            "unknown variable `COURANT_LISTN` in the environment: did you mean `COURANT_LISTEN`?",
        );
        check(
            "COURANT_SECRET_FIEL",
            "",
            "unknown variable `COURANT_SECRET_FIEL` in the environment: did you mean `COURANT_SECRET_FILE`?",
        );
        check(
            "COURANT_LISTEN_FILE",
            "",
            "unknown variable `COURANT_LISTEN_FILE` in the environment: did you mean `COURANT_LISTEN`?",
        );
        check("COURANT_COLOUR", "", "unknown variable `COURANT_COLOUR` in the environment");
        check("COURANT_SERVICE_HOST", "10.0.0.1", "");
        check("COURANT_POSTGRES_SERVICE_PORT_SQL", "5432", "");
        check("COURANT_PORT", "tcp://10.0.0.1:80", "");
        check("COURANT_PORT_8100_TCP_ADDR", "10.0.0.1", "");
        check("COURANT_PORT", "8100", "unknown variable `COURANT_PORT` in the environment");
    }
}
