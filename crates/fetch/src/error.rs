//! Errors of setting up `Fetch`. What servers do is never here: that is `model::visit::Failure` in an `Exchange`.

/// A setup error; an operator must act.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// An option cannot be used.
    #[error("the option {option} cannot be used: {why}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// No resolver for names.
    #[error("cannot set up the resolver of host names: {0}")]
    Resolver(String),
}
