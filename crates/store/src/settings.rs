//! Settings: what is remembered by name. Config pins a value by not asking here.

use crate::StoreError;
use crate::db::sql::{Text, statements};
use crate::store::Store;
use jiff::Timestamp;

/// How the last serving process ended: `clean` or `unclean`.
pub(crate) const LAST_STOP: &str = "store.stop";

/// What an operator should know, in words; set only while something is wrong.
pub const HEALTH_WARNING: &str = "health_warning";

statements! {
    GET(Text) = Text::One("SELECT value FROM settings WHERE key = $1");
    LIST() = Text::One("SELECT key, value FROM settings ORDER BY key");
    DELETE(Text) = Text::One("DELETE FROM settings WHERE key = $1");
    SET(Text, Text, Int) = Text::One(
        "INSERT INTO settings (key, value, updated_at) VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at");
}

impl Store {
    /// The value under a name.
    pub async fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.read_first(&GET, vec![key.into()], |row| row.next()).await
    }

    /// All names and values.
    pub async fn settings(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.read_all(&LIST, vec![], |row| Ok((row.next()?, row.next()?))).await
    }

    /// Sets a name.
    pub async fn set_setting(&self, key: &str, value: &str, now: Timestamp) -> Result<(), StoreError> {
        self.write_one(&SET, vec![key.into(), value.into(), now.into()]).await.map(|_| ())
    }

    /// Forgets a name.
    pub async fn delete_setting(&self, key: &str) -> Result<(), StoreError> {
        self.write_one(&DELETE, vec![key.into()]).await.map(|_| ())
    }
}
