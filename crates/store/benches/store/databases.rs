//! The two databases, each fresh: a file with `synchronous = FULL`, and a database of the test run's server.

use crate::cpu::Meter;
use crate::world;
use serde::Serialize;
use store::{Address, Options, Store};
use tokio_postgres::NoTls;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// A store on a database of its own, and what measures it.
pub(crate) struct Database {
    pub(crate) kind: Kind,
    pub(crate) store: Store,
    pub(crate) meter: Meter,
    server: Option<tokio_postgres::Client>,
    _keep: Keep,
}

enum Keep {
    Directory(#[expect(dead_code, reason = "dropped last")] tempfile::TempDir),
    Server(#[expect(dead_code, reason = "dropped last")] testkit::services::Database),
}

impl Database {
    pub(crate) async fn open(kind: Kind) -> Self {
        match kind {
            Kind::Sqlite => {
                let directory = tempfile::tempdir().expect("a temporary directory can be made");
                let url = format!("sqlite:{}", directory.path().join("courant.db").display());
                let store = open(&url).await;
                Self { kind, store, meter: Meter::own(), server: None, _keep: Keep::Directory(directory) }
            }
            Kind::Postgres => {
                let database = testkit::services::postgres().await;
                let (client, connection) =
                    tokio_postgres::connect(database.url(), NoTls).await.expect("the server of the test run answers");
                tokio::spawn(connection);
                let row = client.query_one("SELECT pg_backend_pid()", &[]).await.expect("a backend knows its process");
                let meter = Meter::with_server_of(row.get::<_, i32>(0).cast_unsigned());
                let store = open(database.url()).await;
                Self { kind, store, meter, server: Some(client), _keep: Keep::Server(database) }
            }
        }
    }

    /// Does what autovacuum would have done by now: the server of the test run has it off.
    pub(crate) async fn settle(&self) {
        self.run("VACUUM ANALYZE").await;
        // What it has left to write would be written while it is measured.
        self.run("CHECKPOINT").await;
    }

    /// Has the server do something that the store would not, if there is one.
    pub(crate) async fn run(&self, statement: &str) {
        if let Some(server) = &self.server {
            server.batch_execute(statement).await.expect("the server can do it");
        }
    }

    pub(crate) async fn close(self) {
        self.store.close(world::start()).await.expect("the store can be closed");
    }
}

async fn open(url: &str) -> Store {
    let address = Address::parse(url).expect("the address is one of ours");
    Store::open(&address, &Options::at(world::start())).await.expect("the database can be opened")
}
