//! `courant user`: who may log in. The operator of the machine may do everything; what users may do to each other is decided
//! for the web in `policy::permission`.

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use accounts::{AddedUser, NewPassword as Password};
use anyhow::Context as _;
use clap::{Subcommand, ValueEnum};
use engine::KEPT_AFTER_DELETION;
use model::account::Account;
use model::reader::{Role, User};
use policy::permission::role_name;
use serde_json::{Value, json};
use store::{Changed, Linked, Store};

use super::each::each;
use super::typed_password::{NewPassword, new_password};
use super::{Context, table};
use crate::output::Output;
use crate::wiring;

/// What to do with users.
#[derive(Subcommand)]
pub(crate) enum Args {
    /// Add a user
    Add {
        /// Letters, digits and . - _ @ +
        #[arg(value_name = "NAME")]
        name: String,
        /// What they may do
        #[arg(long, value_name = "ROLE", default_value = "user")]
        role: RoleName,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// List users
    List,
    /// Give a user another role; they have to log in again
    Role {
        /// Who
        #[arg(value_name = "NAME")]
        name: String,
        /// What they may do
        #[arg(value_name = "ROLE")]
        role: RoleName,
    },
    /// Give a user another password; they have to log in again
    Password {
        /// Who
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        password: PasswordArgs,
    },
    /// Let users log in no more; their data stays
    Disable(Names),
    /// Let users log in again
    Enable(Names),
    /// Let a user log in through the identity provider
    Link {
        /// Who
        #[arg(value_name = "NAME")]
        name: String,
        /// Their subject at the provider (`sub`)
        #[arg(value_name = "SUBJECT")]
        subject: String,
    },
    /// Delete users with everything that is theirs
    Delete {
        #[command(flatten)]
        users: Names,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// Where the password comes from.
#[derive(clap::Args)]
pub(crate) struct PasswordArgs {
    /// A file with the password; `-` reads it from standard input. Without one a terminal asks, and elsewhere one is made up
    /// and shown once
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// Which users.
#[derive(clap::Args)]
pub(crate) struct Names {
    /// Who
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
}

/// The roles by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum RoleName {
    /// Reads, and manages their own data
    User,
    /// Also approves or rejects submitted feeds
    Moderator,
    /// Also changes settings of feeds, users and the AI budget
    Admin,
    /// Also changes system sources and admins
    SuperAdmin,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::User => Self::User,
            RoleName::Moderator => Self::Moderator,
            RoleName::Admin => Self::Admin,
            RoleName::SuperAdmin => Self::SuperAdmin,
        }
    }
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match args {
        Args::Add { name, role, password } => add(context, name, (*role).into(), password),
        Args::List => context.with_store(async |_, store| list(context, &store.accounts().await?)),
        Args::Role { name, role } => context.with_store(async |_, store| {
            let user = find(&store, name).await?;
            let said = changed(store.set_role(user.id, (*role).into()).await?, &user)?;
            told(context, &user.name, &format!("{said}: {}", role_name((*role).into())))
        }),
        Args::Password { name, password } => set_password(context, name, password),
        Args::Disable(users) => context.with_store(async |_, store| {
            each(context, "user", &users.names, async |name| {
                let user = find(&store, name).await?;
                changed(store.disable_user(user.id, context.clock.now()).await?, &user)?;
                Ok("disabled".to_owned())
            })
            .await
        }),
        Args::Enable(users) => context.with_store(async |_, store| {
            each(context, "user", &users.names, async |name| {
                let user = find(&store, name).await?;
                changed(store.enable_user(user.id).await?, &user)?;
                Ok("enabled".to_owned())
            })
            .await
        }),
        Args::Link { name, subject } => context.with_store(async |config, store| {
            let issuer = config.oidc.issuer.as_ref().map(|issuer| issuer.0.as_str());
            let issuer = issuer.context("there is no identity provider: set COURANT_OIDC_ISSUER")?;
            let user = find(&store, name).await?;
            match store.link_identity(user.id, issuer, subject, context.clock.now()).await? {
                Linked::Done => told(context, &user.name, &format!("is {subject} at {issuer}")),
                Linked::Already => told(context, &user.name, &format!("was {subject} at {issuer} already")),
                Linked::Taken(holder) => anyhow::bail!("{subject} at {issuer} is {}", holder.name),
            }
        }),
        Args::Delete { users, yes } => {
            anyhow::ensure!(*yes || confirmed(&users.names)?, "nothing was deleted");
            context.with_store(async |_, store| {
                each(context, "user", &users.names, async |name| {
                    let user = find(&store, name).await?;
                    let now = context.clock.now();
                    changed(store.delete_user(user.id, now + KEPT_AFTER_DELETION, now).await?, &user)?;
                    Ok("deleted".to_owned())
                })
                .await
            })
        }
    }
}

/// The user of that name; the error says who there is.
pub(super) async fn find(store: &Store, name: &str) -> anyhow::Result<User> {
    match store.user(name).await {
        Err(store::StoreError::NotFound { .. }) => {
            anyhow::bail!("there is no user `{name}`; see `courant user list`")
        }
        found => Ok(found?),
    }
}

fn changed(changed: Changed, user: &User) -> anyhow::Result<&'static str> {
    match changed {
        Changed::Done => Ok("changed"),
        Changed::Already => Ok("was so already"),
        Changed::NoUser => anyhow::bail!("there is no user `{}` any more", user.name),
        Changed::LastSuperAdmin => {
            anyhow::bail!("{} is the last super_admin who can log in; make another one first", user.name)
        }
    }
}

fn told(context: &Context, name: &str, result: &str) -> anyhow::Result<()> {
    match context.output {
        Output::Json(_) => context.output.json(&json!({ "user": name, "result": result })),
        Output::Text => context.output.print(format_args!("{name}  {result}")),
    }
}

fn add(context: &Context, name: &str, role: Role, password: &PasswordArgs) -> anyhow::Result<()> {
    let password = new_password(password.password_file.as_deref(), name)?;
    context.with_new_store(async |config, store| {
        let accounts = wiring::accounts(&config, store, &context.clock)?;
        let id = match accounts.add_user(name, role, Some(password.text())).await? {
            AddedUser::Added(id) => id,
            AddedUser::Taken => anyhow::bail!("there is a user `{name}` already"),
            AddedUser::BadName(problem) => anyhow::bail!(problem),
            AddedUser::Weak(weak) => anyhow::bail!(weak),
        };
        let made_up = generated(&password);
        match context.output {
            Output::Json(_) => context.output.json(&json!({
                "id": id.0, "user": name, "role": role_name(role), "password": made_up, "result": "added",
            })),
            Output::Text => {
                context.output.print(format_args!("{name}  added as {}", role_name(role)))?;
                made_up.map_or(Ok(()), |text| show(context, text))
            }
        }
    })
}

fn set_password(context: &Context, name: &str, args: &PasswordArgs) -> anyhow::Result<()> {
    let password = new_password(args.password_file.as_deref(), name)?;
    context.with_new_store(async |config, store| {
        let user = find(&store, name).await?;
        let accounts = wiring::accounts(&config, store, &context.clock)?;
        match accounts.set_password(user.id, password.text()).await? {
            Password::Set => {}
            Password::Weak(weak) => anyhow::bail!(weak),
            Password::NoUser => anyhow::bail!("there is no user `{name}` any more"),
        }
        let made_up = generated(&password);
        match context.output {
            Output::Json(_) => {
                context.output.json(&json!({ "user": user.name, "password": made_up, "result": "password set" }))
            }
            Output::Text => {
                context.output.print(format_args!("{}  password set; all sessions have ended", user.name))?;
                made_up.map_or(Ok(()), |text| show(context, text))
            }
        }
    })
}

fn generated(password: &NewPassword) -> Option<&str> {
    match password {
        NewPassword::Generated(text) => Some(text),
        NewPassword::Known(_) => None,
    }
}

fn show(context: &Context, text: &str) -> anyhow::Result<()> {
    context.output.print(format_args!("password, shown this once: {text}"))
}

/// Asks at a terminal; elsewhere the flag is needed.
fn confirmed(names: &[String]) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        anyhow::bail!("deleting a user cannot be undone: say --yes");
    }
    eprint!("Delete {} with everything that is theirs? [y/N] ", names.join(", "));
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn list(context: &Context, accounts: &[Account]) -> anyhow::Result<()> {
    match context.output {
        Output::Json(_) => {
            let row = |account: &Account| {
                json!({
                    "id": account.user.0,
                    "user": account.name,
                    "role": role_name(account.role),
                    "created_at": account.created_at.to_string(),
                    "has_password": account.has_password,
                    "disabled_at": account.disabled_at.map(|at| at.to_string()),
                    "last_login_at": account.last_login_at.map(|at| at.to_string()),
                })
            };
            context.output.json(&accounts.iter().map(row).collect::<Vec<Value>>().into())
        }
        Output::Text => {
            let logins = table::header("last login", accounts.iter().filter_map(|account| account.last_login_at));
            let rows = accounts.iter().map(|account| {
                let state = match (account.disabled_at, account.has_password) {
                    (Some(_), _) => "disabled",
                    (None, true) => "active",
                    (None, false) => "no password",
                };
                vec![
                    account.user.to_string(),
                    account.name.clone(),
                    role_name(account.role).to_owned(),
                    state.to_owned(),
                    account.last_login_at.map(table::in_table).unwrap_or_default(),
                ]
            });
            context.output.print(table::render(&["id", "user", "role", "state", &logins], rows))
        }
    }
}
