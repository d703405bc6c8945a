//! The macro behind `options.rs`: one declaration generates the typed sections of `Config`, the table `OPTIONS` (flags,
//! environment names, reference page) and the function that fills the sections. Nothing about a single option is here.

use super::value::Value;

/// One option, without its type.
#[derive(Debug)]
pub struct Declaration {
    /// Its path in the TOML file.
    pub key: &'static str,
    /// Its environment variable.
    pub env: &'static str,
    /// Its flag on the command line; secrets have none, because every process can read a command line.
    pub flag: Option<Flag>,
    /// Its documentation for users; lines as written, to be trimmed.
    pub(super) doc: &'static [&'static str],
    /// The default as text; `{data}` stands for the data directory, empty for none.
    pub default: &'static str,
    /// Defaults of single presets.
    pub in_presets: &'static [(&'static str, &'static str)],
    /// Smallest and largest value.
    pub range: Option<(&'static str, &'static str)>,
    /// Never shown, and may be given as a file.
    pub secret: bool,
    /// Whether it may be an array in the file.
    pub list: bool,
    /// Whether the flag may be given without a value.
    pub switch: bool,
    /// What to write.
    pub expected: fn() -> String,
    /// Checks a text, or says what was expected.
    pub check: fn(&str) -> Result<(), String>,
}

/// An option's place on the command line.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Its long name, without dashes.
    pub name: &'static str,
    /// The placeholder of its value in help.
    pub value: &'static str,
    /// Whether it is listed in every help text, or only on the reference page.
    pub listed: bool,
}

/// A flag that everybody needs.
pub(super) const fn listed(name: &'static str, value: &'static str) -> Flag {
    Flag { name, value, listed: true }
}

/// A flag that is not listed in help.
pub(super) const fn unlisted(name: &'static str, value: &'static str) -> Flag {
    Flag { name, value, listed: false }
}

impl Declaration {
    pub(super) const fn of<T: Value>(key: &'static str, env: &'static str, doc: &'static [&'static str]) -> Self {
        Self {
            key,
            env,
            flag: None,
            doc,
            default: "",
            in_presets: &[],
            range: None,
            secret: T::SECRET,
            list: T::LIST,
            switch: T::SWITCH,
            expected: T::expected,
            check: |text| T::read(text).map(drop),
        }
    }

    /// The documentation as one paragraph.
    pub fn doc(&self) -> String {
        self.doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }

    /// The first sentence of `doc`, for help.
    pub fn summary(&self) -> String {
        let doc = self.doc();
        doc.split_once(". ").map_or_else(|| doc.trim_end_matches('.').to_owned(), |(first, _)| first.to_owned())
    }

    /// The variable that names a file with the value.
    pub fn env_file(&self) -> Option<String> {
        self.secret.then(|| format!("{}_FILE", self.env))
    }

    /// The key that names a file with the value.
    pub fn key_file(&self) -> Option<String> {
        self.secret.then(|| format!("{}_file", self.key))
    }
}

/// Finds an option by its key.
pub(super) fn find(key: &str) -> Option<&'static Declaration> {
    super::options::OPTIONS.iter().find(|option| option.key == key)
}

/// Refuses values outside a range; the bounds are written as a user would write them.
pub(super) fn within<T: Value + PartialOrd>(value: &T, low: &str, high: &str) -> Result<(), String> {
    let inside = T::read(low).is_ok_and(|low| *value >= low) && T::read(high).is_ok_and(|high| *value <= high);
    if inside { Ok(()) } else { Err(format!("{} from `{low}` to `{high}`", T::expected())) }
}

/// See `options.rs` for how a declaration reads.
macro_rules! options {
    ($(
        $(#[doc = $section_doc:literal])+
        $section:ident: $Section:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $Type:ty {
                    key: $key:literal,
                    env: $env:literal,
                    $(flag: $flag:expr,)?
                    default: $default:literal,
                    $(in preset $preset:literal: $in_preset:literal,)*
                    $(range: $low:literal to $high:literal,)?
                    $(check: $check:expr,)?
                }
            )+
        }
    )+) => {
        /// Every setting, typed and checked; each section is handed to its crate by value.
        #[derive(Debug, Clone)]
        pub struct Config {
            $($(#[doc = $section_doc])+ pub $section: $Section,)+
        }

        $(
            $(#[doc = $section_doc])+
            #[derive(Debug, Clone)]
            pub struct $Section {
                $($(#[doc = $doc])+ pub $field: $Type,)+
            }
        )+

        /// Every option, in the order of the reference page.
        pub static OPTIONS: &[Declaration] = &[$($(
            Declaration {
                $(flag: Some($flag),)?
                $(range: Some(($low, $high)),)?
                default: $default,
                in_presets: &[$(($preset, $in_preset)),*],
                check: |text| <$Type>::read(text).and_then(|value| {
                    $(within::<$Type>(&value, $low, $high)?;)?
                    $($check(&value)?;)?
                    let _ = value;
                    Ok(())
                }),
                ..Declaration::of::<$Type>($key, $env, &[$($doc),+])
            },
        )+)+];

        /// The sections: name, what each is about, the keys that belong to it.
        pub(super) static SECTIONS: &[(&str, &[&str], &[&str])] =
            &[$((stringify!($section), &[$($section_doc),+], &[$($key),+])),+];

        /// Reads every option, or none: the reader has noted each problem.
        pub(super) fn fill(reader: &mut Reader) -> Option<Config> {
            $(
                // All fields are read before the first missing one fails: users want every problem at once.
                let $section = {
                    $(let $field = reader.read::<$Type>($key);)+
                    move || Some($Section { $($field: $field?),+ })
                }();
            )+
            Some(Config { $($section: $section?),+ })
        }
    };
}

pub(super) use options;
