//! The configuration: one TOML file, the environment and flags, parsed once into checked structs. `options.rs` declares
//! every option; `load` turns `Sources` into `Loaded`. The rest of the program gets sections by value and never reads
//! the environment itself.

mod ai;
mod check;
mod declare;
pub mod docs;
mod endpoint;
mod environment;
mod file;
mod inward;
pub mod keys;
mod load;
mod options;
mod outward;
mod secret;
mod sources;
mod suggest;
mod value;
mod words;

pub use ai::Dollars;
pub use declare::{Declaration, Flag};
pub use endpoint::{BlobsUrl, DatabaseUrl, EventsUrl, S3Endpoint};
pub use inward::{Origin as PublicOrigin, Origins};
pub use load::{Loaded, Origin, Setting, load};
pub use options::{Auth, Blobs, Config, Database, Events, Fetch, General, Log, OPTIONS, Web};
pub use outward::{EgressList, GroupPatterns, MediaTypes, RuleTexts};
pub use secret::{HIDDEN, Secret, SecretUrl, redacted};
pub use sources::Sources;
pub use value::{Bytes, Contact, PerSecond, Value};
pub use words::{AiProvider, LogFormat, Preset, StartCheck, Synchronous};

/// All problems of the configuration, one sentence each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<String>);

impl std::fmt::Display for Problems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Problems {}
