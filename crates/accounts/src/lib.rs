//! Who asks: passwords, sessions, signed tokens, keys of programs, logins through an identity provider.
//!
//! Everything that hashes, signs or verifies is here, so that the libraries for it are in one place. `store` keeps hashes,
//! `policy` decides, `web` and the command line ask. Every way to log in ends in one [`Principal`].

mod accounts;
mod authenticate;
mod derived_keys;
mod keys;
mod login;
mod oidc;
mod owner;
mod passwords;
mod principal;
mod secret_token;
mod sessions;
mod signed_token;
mod users;

pub use accounts::{Accounts, Options, Parts};
pub use keys::{KEY_PREFIX, NewApiKey};
pub use login::LoginOutcome;
pub use oidc::{BegunLogin, Oidc, OidcError, OidcOptions, OidcOutcome, OidcRefusal};
pub use owner::{OwnerPassword, Setup};
pub use passwords::Passwords;
pub use principal::{Credential, Principal, Via};
pub use sessions::OpenedSession;
pub use signed_token::SignedToken;
pub use users::{AddedUser, ChangedPassword, NewPassword};
