//! `courant token`: keys for programs. The secret is shown once, when it is made.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Subcommand;
use jiff::SignedDuration;
use model::access_scope::Scope;
use model::account::ApiKey;
use model::{KeyId, UserId};
use serde_json::{Value, json};

use super::each::each;
use super::user::find;
use super::{Context, table};
use crate::config::Value as _;
use crate::output::Output;
use crate::wiring;

/// What to do with keys.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Make a key for a program, and show it once
    Create {
        /// Whose; the owner's if not given
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// What to call it in lists
        #[arg(long, value_name = "TEXT", default_value = "command line")]
        name: String,
        /// What it may do; several may be given
        #[arg(long, value_name = "SCOPE", value_delimiter = ',', default_value = "reader:read")]
        scope: Vec<Scope>,
        /// When it ends, such as `90d`; never if not given
        #[arg(long, value_name = "DURATION")]
        expires: Option<String>,
    },
    /// List keys, without their secrets
    List,
    /// End keys
    Revoke {
        /// As `courant token list` shows them
        #[arg(value_name = "ID", required = true)]
        ids: Vec<String>,
    },
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Create { user, name, scope, expires } => {
            create(context, user.as_deref(), name, scope, expires.as_deref())
        }
        Args::List => context.with_store(async |_, store| {
            let users = store.accounts().await?.into_iter().map(|account| (account.user, account.name)).collect();
            list(context, &store.api_keys(None).await?, &users)
        }),
        Args::Revoke { ids } => context.with_store(async |_, store| {
            each(context, "id", ids, async |id| {
                let key = id.parse().map(KeyId).map_err(|_| anyhow::anyhow!("`{id}` is no id of a key"))?;
                let missing = || anyhow::anyhow!("there is no key {id}; see `courant token list`");
                store.revoke_key(None, key).await?.then(|| "revoked".to_owned()).ok_or_else(missing)
            })
            .await
        }),
    }
}

fn create(
    context: &Context,
    user: Option<&str>,
    name: &str,
    scopes: &[Scope],
    expires: Option<&str>,
) -> anyhow::Result<()> {
    let now = context.clock.now();
    let lasts = |text: &str| -> anyhow::Result<_> {
        let lasts = Duration::read(text).map_err(|expected| anyhow::anyhow!("`{text}` is not {expected}"))?;
        Ok(now.checked_add(SignedDuration::try_from(lasts)?)?)
    };
    let expires_at = expires.map(lasts).transpose()?;
    context.with_new_store(async |config, store| {
        let user = match user {
            Some(name) => find(&store, name).await?,
            None => store.owner().await?,
        };
        let made =
            wiring::accounts(&config, store, &context.clock)?.create_key(user.id, name, scopes, expires_at).await?;
        let scopes: Vec<&str> = scopes.iter().map(|scope| scope.as_str()).collect();
        match context.output {
            Output::Json(_) => context.output.json(&json!({
                "id": made.id.0, "user": user.name, "name": name, "scopes": scopes, "token": made.token,
                "expires_at": expires_at.map(|at| at.to_string()),
            })),
            Output::Text => context.output.print(format_args!(
                "key {} of {}, for {}; shown this once:\n{}",
                made.id,
                user.name,
                scopes.join(", "),
                made.token
            )),
        }
    })
}

fn list(context: &Context, keys: &[ApiKey], users: &BTreeMap<UserId, String>) -> anyhow::Result<()> {
    let user = |key: &ApiKey| users.get(&key.user).cloned().unwrap_or_else(|| key.user.to_string());
    match context.output {
        Output::Json(_) => {
            let row = |key: &ApiKey| {
                json!({
                    "id": key.id.0,
                    "user": user(key),
                    "name": key.name,
                    "prefix": key.prefix,
                    "scopes": key.scopes,
                    "created_at": key.created_at.to_string(),
                    "expires_at": key.expires_at.map(|at| at.to_string()),
                    "last_used_at": key.last_used_at.map(|at| at.to_string()),
                })
            };
            context.output.json(&keys.iter().map(row).collect::<Vec<Value>>().into())
        }
        Output::Text if keys.is_empty() => context.output.print("no keys"),
        Output::Text => {
            let moments = || keys.iter().flat_map(|key| [key.expires_at, key.last_used_at]).flatten();
            let (ends, used) = (table::header("ends", moments()), table::header("last used", moments()));
            let rows = keys.iter().map(|key| {
                vec![
                    key.id.to_string(),
                    user(key),
                    key.name.clone(),
                    format!("{}…", key.prefix),
                    key.scopes.join(", "),
                    key.expires_at.map_or_else(|| "never".to_owned(), table::in_table),
                    key.last_used_at.map(table::in_table).unwrap_or_default(),
                ]
            });
            context.output.print(table::render(&["id", "user", "name", "key", "scopes", &ends, &used], rows))
        }
    }
}
