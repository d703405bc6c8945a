//! Users: the people who read here. Their categories and subscriptions are `subscriptions.rs`.

use crate::StoreError;
use crate::db::batch::Batch;
use crate::db::sql::{Text, statements};
use crate::db::value::{Record, returned_id};
use crate::store::Store;
use jiff::Timestamp;
use model::UserId;
use model::reader::{Role, User};

statements! {
    OWNER() = Text::One("SELECT id, name, role, created_at FROM users ORDER BY id LIMIT 1");
    USER(Text) = Text::One("SELECT id, name, role, created_at FROM users WHERE name = $1");
    ADD_USER(Text, Text, Int) = Text::One(
        "INSERT INTO users (name, role, created_at) VALUES ($1, $2, $3) RETURNING id");
    ADD_DEFAULT(Text, Int) = Text::One(
        "INSERT INTO categories (user_id, name, created_at) SELECT id, 'Default', $2 FROM users WHERE name = $1");
}

fn user(row: &mut Record) -> Result<User, StoreError> {
    Ok(User { id: UserId(row.next()?), name: row.next()?, role: row.next()?, created_at: row.next()? })
}

impl Store {
    /// The owner: the first user there was.
    pub async fn owner(&self) -> Result<User, StoreError> {
        let owner = self.read_first(&OWNER, vec![], user).await?;
        owner.ok_or(StoreError::NotFound { what: "owner", name: "of this installation".into() })
    }

    /// A user by name.
    pub async fn user(&self, name: &str) -> Result<User, StoreError> {
        let found = self.read_first(&USER, vec![name.into()], user).await?;
        found.ok_or_else(|| StoreError::NotFound { what: "user", name: name.to_owned() })
    }

    /// Adds a user with their permanent `Default` category.
    pub async fn add_user(&self, name: &str, role: Role, now: Timestamp) -> Result<UserId, StoreError> {
        let mut batch = Batch::one(&ADD_USER, vec![name.into(), role.into(), now.into()]);
        batch.step_exactly(1, &ADD_DEFAULT, vec![vec![name.into(), now.into()]]);
        let mut answer = self.write(batch).await?;
        returned_id(answer.swap_remove(0).records).map(UserId)
    }
}
