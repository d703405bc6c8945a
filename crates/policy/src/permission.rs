//! Permissions: what a person or an API key may do. Pure; `web` and `rpc` ask before every handler.
//!
//! A role contains the ones below it. A key has its user's role and, on top, needs a scope for each thing it does.
//! Whose data it is is not decided here: ownership is a condition of the SQL.

use model::access_scope::Scope;
use model::reader::Role;
use std::fmt;

/// One kind of action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Read one's own subscriptions, entries and settings.
    ReadOwn,
    /// Change them.
    WriteOwn,
    /// Approve or reject submitted feeds.
    Moderate,
    /// Change state, proxy and policies of a feed.
    FeedSettings,
    /// Create, change and delete users and moderators.
    ManageUsers,
    /// See and set the AI budget.
    Budget,
    /// Create and change system sources.
    SystemSources,
    /// Create, change and delete admins.
    ManageAdmins,
    /// Read from the engine API.
    ReadEngine,
    /// Change feeds through the engine API.
    WriteEngine,
    /// Read published out-feeds that are not public.
    ReadPublished,
    /// Status and upkeep of the installation, such as vacuum.
    System,
}

impl Permission {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::ReadOwn,
        Self::WriteOwn,
        Self::Moderate,
        Self::FeedSettings,
        Self::ManageUsers,
        Self::Budget,
        Self::SystemSources,
        Self::ManageAdmins,
        Self::ReadEngine,
        Self::WriteEngine,
        Self::ReadPublished,
        Self::System,
    ];

    /// The least role that has it, and the scope that a key needs for it.
    fn needs(self) -> (Role, Scope) {
        match self {
            Self::ReadOwn => (Role::User, Scope::ReaderRead),
            Self::WriteOwn => (Role::User, Scope::ReaderWrite),
            Self::ReadPublished => (Role::User, Scope::PublishRead),
            Self::Moderate => (Role::Moderator, Scope::Admin),
            Self::ReadEngine => (Role::Admin, Scope::EngineRead),
            Self::WriteEngine => (Role::Admin, Scope::EngineWrite),
            Self::FeedSettings | Self::ManageUsers | Self::Budget | Self::System => (Role::Admin, Scope::Admin),
            Self::SystemSources | Self::ManageAdmins => (Role::SuperAdmin, Scope::Admin),
        }
    }
}

/// Why something is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// The role is too low.
    Role {
        /// The least role that may.
        needs: Role,
        /// The role of who asked.
        has: Role,
    },
    /// The key has no scope for it.
    Scope {
        /// The scope it lacks.
        needs: Scope,
    },
}

/// Whether somebody with this role may do this. `scopes` are those of an API key, `None` in a person's session.
pub fn allowed(role: Role, scopes: Option<&[Scope]>, permission: Permission) -> Result<(), Denied> {
    let (least, scope) = permission.needs();
    at_least(least, role)?;
    match scopes {
        Some(scopes) if !scopes.iter().any(|given| given.covers(scope)) => Err(Denied::Scope { needs: scope }),
        _ => Ok(()),
    }
}

/// Whether `actor` may create, change or delete an account with the role `target`. Admins manage users and moderators;
/// admins and super_admins are managed by a super_admin only.
pub fn may_manage(actor: Role, target: Role) -> Result<(), Denied> {
    match target {
        Role::User | Role::Moderator => at_least(Role::Admin, actor),
        Role::Admin | Role::SuperAdmin => at_least(Role::SuperAdmin, actor),
    }
}

/// Whether `actor` may change a role. They must be allowed to manage both the old and the new one. That one super_admin
/// remains is checked by the statement that writes, which can count them.
pub fn may_change_role(actor: Role, target_before: Role, target_after: Role) -> Result<(), Denied> {
    may_manage(actor, target_before)?;
    may_manage(actor, target_after)
}

/// The name of a role, as people and the API write it.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Moderator => "moderator",
        Role::Admin => "admin",
        Role::SuperAdmin => "super_admin",
    }
}

/// The role of that name.
pub fn role_named(name: &str) -> Option<Role> {
    [Role::User, Role::Moderator, Role::Admin, Role::SuperAdmin].into_iter().find(|role| role_name(*role) == name)
}

fn at_least(needs: Role, has: Role) -> Result<(), Denied> {
    if rank(has) >= rank(needs) { Ok(()) } else { Err(Denied::Role { needs, has }) }
}

fn rank(role: Role) -> u8 {
    match role {
        Role::User => 0,
        Role::Moderator => 1,
        Role::Admin => 2,
        Role::SuperAdmin => 3,
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role { needs, has } => {
                write!(f, "this needs the role {}; you are {}", role_name(*needs), role_name(*has))
            }
            Self::Scope { needs } => write!(f, "this key lacks the scope {needs}"),
        }
    }
}

impl std::error::Error for Denied {}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 4] = [Role::User, Role::Moderator, Role::Admin, Role::SuperAdmin];

    /// The names of the roles for which the answer is yes.
    fn who(may: impl Fn(Role) -> Result<(), Denied>) -> String {
        let who: Vec<_> = ROLES.into_iter().filter(|role| may(*role).is_ok()).map(role_name).collect();
        who.join(" ")
    }

    #[test]
    fn each_role_may_do_this_much() {
        let mut seen = Vec::new();
        let mut check = |permission: Permission, expected: &str| {
            seen.push(permission);
            assert_eq!(who(|role| allowed(role, None, permission)), expected, "{permission:?}");
            let all = Some(Scope::ALL.as_slice());
            assert_eq!(who(|role| allowed(role, all, permission)), expected, "a key for everything: {permission:?}");
            assert_eq!(who(|role| allowed(role, Some(&[]), permission)), "", "a key for nothing: {permission:?}");
        };
        check(Permission::ReadOwn, "user moderator admin super_admin");
        check(Permission::WriteOwn, "user moderator admin super_admin");
        check(Permission::Moderate, "moderator admin super_admin");
        check(Permission::FeedSettings, "admin super_admin");
        check(Permission::ManageUsers, "admin super_admin");
        check(Permission::Budget, "admin super_admin");
        check(Permission::SystemSources, "super_admin");
        check(Permission::ManageAdmins, "super_admin");
        check(Permission::ReadEngine, "admin super_admin");
        check(Permission::WriteEngine, "admin super_admin");
        check(Permission::ReadPublished, "user moderator admin super_admin");
        check(Permission::System, "admin super_admin");
        assert_eq!(seen, Permission::ALL);
    }

    #[test]
    fn each_scope_lets_a_key_do_this_much() {
        let check = |scope: Scope, expected: &str| {
            let may = |permission: &Permission| allowed(Role::SuperAdmin, Some(&[scope]), *permission).is_ok();
            let may: Vec<_> = Permission::ALL.into_iter().filter(may).map(|it| format!("{it:?}")).collect();
            assert_eq!(may.join(" "), expected, "{scope}");
        };
        check(Scope::ReaderRead, "ReadOwn");
        check(Scope::ReaderWrite, "ReadOwn WriteOwn");
        check(Scope::EngineRead, "ReadEngine");
        check(Scope::EngineWrite, "ReadEngine WriteEngine");
        check(Scope::PublishRead, "ReadPublished");
        check(Scope::Admin, "Moderate FeedSettings ManageUsers Budget SystemSources ManageAdmins System");
    }

    #[test]
    fn a_refusal_says_what_is_missing() {
        let check = |role, scopes: Option<&[Scope]>, permission, expected: &str| {
            let said = allowed(role, scopes, permission).map_or_else(|no| no.to_string(), |()| "yes".to_owned());
            assert_eq!(said, expected);
        };
        check(Role::User, None, Permission::Budget, "this needs the role admin; you are user");
        check(Role::Admin, None, Permission::SystemSources, "this needs the role super_admin; you are admin");
        let read = Some([Scope::ReaderRead].as_slice());
        check(Role::SuperAdmin, read, Permission::WriteOwn, "this key lacks the scope reader:write");
        check(Role::SuperAdmin, read, Permission::ReadOwn, "yes");
        // A scope adds nothing to a role.
        let engine = Some([Scope::EngineWrite].as_slice());
        check(Role::Moderator, engine, Permission::WriteEngine, "this needs the role admin; you are moderator");
    }

    #[test]
    fn nobody_makes_or_unmakes_their_betters() {
        let manages = |target| who(|actor| may_manage(actor, target));
        assert_eq!(ROLES.map(manages), ["admin super_admin", "admin super_admin", "super_admin", "super_admin"]);
        for before in ROLES {
            for after in ROLES {
                let high = [before, after].iter().any(|role| matches!(role, Role::Admin | Role::SuperAdmin));
                let expected = if high { "super_admin" } else { "admin super_admin" };
                let said = who(|actor| may_change_role(actor, before, after));
                assert_eq!(said, expected, "{before:?} becomes {after:?}");
            }
        }
        let no = may_change_role(Role::Admin, Role::User, Role::Admin).unwrap_err();
        assert_eq!(no.to_string(), "this needs the role super_admin; you are admin");
    }

    #[test]
    fn a_role_is_read_as_it_is_written() {
        assert_eq!(ROLES.map(|role| role_named(role_name(role))), ROLES.map(Some));
        assert_eq!(role_named("owner"), None);
    }
}
