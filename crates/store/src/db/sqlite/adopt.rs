//! A copy of a database becomes a database of its own: leases and locks of the processes of the original are ended.
//!
//! For restoring a backup, before the copy is opened. Works on every schema that we know, without migrating it.

use super::run::explain;
use crate::StoreError;
use crate::db::sql::Dialect;
use crate::settings;
use jiff::Timestamp;
use rusqlite::{Connection, params};
use std::path::Path;

// A lease is the due time moved forward: a leased feed was due when the copy was made, and is due again at once. The
// token moves on, as whenever a lease ends. A slot that was reserved goes with the lease; one that waits stays.
const END_LEASES: &str = "UPDATE schedule SET due_at = min(due_at, ?1), slot_at = NULL, going_at = NULL, worker = NULL,
                                 token = token + 1
                          WHERE worker IS NOT NULL";
const END_LOCKS: &str = "DELETE FROM locks";

/// Ends the leases and locks of a copied file; returns how many feeds were being visited. Blocks.
pub fn adopt_file(path: &Path, now: Timestamp) -> Result<usize, StoreError> {
    let name = path.display().to_string();
    let adopt = || {
        let mut connection = Connection::open(path)?;
        let transaction = connection.transaction()?;
        let leases = transaction.execute(END_LEASES, [now.as_microsecond()])?;
        transaction.execute(END_LOCKS, [])?;
        // No server was killed here, and the restore has checked the whole file.
        let set = settings::SET.text(Dialect::Sqlite);
        transaction.execute(set, params![settings::LAST_STOP, "clean", now.as_microsecond()])?;
        transaction.commit()?;
        Ok(leases)
    };
    adopt().map_err(|error| explain(&name, "end its leases", error))
}
