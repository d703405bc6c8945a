-- Accounts: passwords, sessions, keys for programs, logins through an identity provider.
-- Tokens are stored as SHA-256 hashes only.

-- NULL: nobody can log in with a password.
ALTER TABLE users ADD COLUMN password_hash TEXT;
-- Moves on with every change of the password, the role or the right to log in: signed tokens of an older one are refused.
-- Begins with the moment of creation: ids may be used again, and a token of the user before must not fit.
ALTER TABLE users ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN disabled_at INTEGER;
ALTER TABLE users ADD COLUMN last_login_at INTEGER;
-- A JSON object in the shape of the reader's settings.
ALTER TABLE users ADD COLUMN settings TEXT;
-- The same of a foreign front end, which has keys of its own.
ALTER TABLE users ADD COLUMN preferences TEXT;
UPDATE users SET role = 'user' WHERE role = 'reader';
-- What names are compared by: without regard to case, in Unicode's composed form.
ALTER TABLE users ADD COLUMN name_key TEXT;
UPDATE users SET name_key = lower(name);
CREATE UNIQUE INDEX users_by_name ON users (name_key);

CREATE TABLE sessions (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash   BLOB NOT NULL UNIQUE,
    user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    address      TEXT,
    agent        TEXT
) STRICT;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expired ON sessions (expires_at);

CREATE TABLE api_keys (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash   BLOB NOT NULL UNIQUE,
    user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    -- The first letters, so that a person recognises it.
    prefix       TEXT NOT NULL,
    -- A JSON array.
    scopes       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    last_used_at INTEGER
) STRICT;
CREATE INDEX api_keys_user ON api_keys (user_id);

-- Signed tokens that were given back before they expired.
CREATE TABLE revoked_tokens (
    jti        BLOB PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX revoked_tokens_expired ON revoked_tokens (expires_at);

-- Who a user is at an identity provider: never by an address of mail.
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_user ON identities (user_id);

-- Logins that have gone to the identity provider and have not come back. Each is used once.
CREATE TABLE oidc_logins (
    state_hash   BLOB PRIMARY KEY,
    browser_hash BLOB NOT NULL,
    nonce        TEXT NOT NULL,
    verifier     TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    return_to    TEXT NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX oidc_logins_expired ON oidc_logins (expires_at);

-- Links that are good for one use: `setup` sets a first password.
CREATE TABLE one_time_links (
    token_hash BLOB PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose    TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Failed logins of the last minutes. `subject` is `address:…` or `account:…`.
CREATE TABLE login_failures (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;
CREATE INDEX login_failures_subject ON login_failures (subject, at);
CREATE INDEX login_failures_at ON login_failures (at);

-- Addresses from which a user has logged in: a block of the account spares them.
CREATE TABLE login_addresses (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (user_id, address)
) STRICT, WITHOUT ROWID;
