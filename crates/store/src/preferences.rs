//! Preferences of a foreign front end: a JSON object per user that only that front end understands.

use crate::StoreError;
use crate::db::sql::{Text, statements};
use crate::store::Store;
use model::UserId;

statements! {
    GET(Int) = Text::One("SELECT preferences FROM users WHERE id = $1 AND preferences IS NOT NULL");
    SET(Int, Json) = Text::One("UPDATE users SET preferences = $2 WHERE id = $1");
}

impl Store {
    /// What a user's front end keeps here, as JSON.
    pub async fn preferences(&self, user: UserId) -> Result<Option<String>, StoreError> {
        self.read_first(&GET, vec![user.0.into()], |row| row.next()).await
    }

    /// Keeps it.
    pub async fn set_preferences(&self, user: UserId, json: &str) -> Result<(), StoreError> {
        self.write_one(&SET, vec![user.0.into(), json.into()]).await.map(|_| ())
    }
}
