//! A PostgreSQL database per test, cloned from a template that was prepared once per run.
//!
//! Migrating is slow, cloning is not. Tests run in processes of their own, so PostgreSQL itself coordinates who
//! prepares the template: an advisory lock, and a name that the template gets only when it is complete. The caller
//! prepares it; this file knows no schema.

use std::fmt;
use std::thread;

use tokio::runtime;
use tokio_postgres::{Client, Config, NoTls};

use super::{environment, unique_name};

/// A private database. Dropping it drops the database, and disconnects its clients.
#[derive(Debug)]
pub struct Database {
    url: String,
    name: String,
}

impl Database {
    /// `postgres://user:password@127.0.0.1:port/name`
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs statements directly.
    pub async fn run(&self, statements: &str) {
        Admin::connect_to(self.url.clone()).await.run(statements).await;
    }
}

/// A new, empty database.
pub async fn postgres() -> Database {
    let admin = Admin::connect().await;
    admin.clone_of("template1").await
}

/// A new database as `prepare` leaves it, which gets the URL of an empty one, at most once per run and `template`.
///
/// All callers of the same template must prepare the same.
///
/// ```no_run
/// # async fn migrate(url: &str) -> Result<(), std::fmt::Error> { Ok(()) }
/// # async {
/// let database = testkit::services::postgres_prepared("store", async |url| migrate(&url).await).await;
/// # };
/// ```
pub async fn postgres_prepared<E: fmt::Debug>(
    template: &str,
    prepare: impl AsyncFnOnce(String) -> Result<(), E>,
) -> Database {
    let admin = Admin::connect().await;
    let complete = format!("template_{template}");
    if !admin.has_database(&complete).await {
        admin.prepare_template(&complete, prepare).await;
    }
    admin.clone_of(&complete).await
}

impl Drop for Database {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(&self.name));
        // On a thread of its own: a test may drop its database inside a runtime, which must not block.
        let dropped = thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
            runtime.block_on(async { Admin::connect().await.run(&statement).await });
        })
        .join();
        // The cluster is removed at the end of the run anyway, so this costs only space.
        if dropped.is_err() {
            eprintln!("testkit: the database {} could not be dropped", self.name);
        }
    }
}

/// A connection of the superuser, usually to the maintenance database.
struct Admin {
    client: Client,
    url: String,
}

impl Admin {
    async fn connect() -> Self {
        Self::connect_to(environment("COURANT_TEST_POSTGRES")).await
    }

    #[expect(clippy::disallowed_methods, reason = "the server is the test run's own")]
    async fn connect_to(url: String) -> Self {
        let config: Config = url.parse().expect("a postgres:// URL");
        let (client, connection) = config.connect(NoTls).await.expect("the PostgreSQL of the test run answers");
        tokio::spawn(connection);
        Self { client, url }
    }

    /// The same server, another database.
    fn url_of(&self, database: &str) -> String {
        let (server, _maintenance) = self.url.rsplit_once('/').expect("the URL ends in /database");
        format!("{server}/{database}")
    }

    async fn run(&self, statement: &str) {
        if let Err(error) = self.client.batch_execute(statement).await {
            panic!("PostgreSQL refused `{statement}`: {error:?}");
        }
    }

    async fn has_database(&self, name: &str) -> bool {
        let found = self.client.query_opt("SELECT FROM pg_database WHERE datname = $1", &[&name]).await;
        found.expect("the list of databases can be read").is_some()
    }

    async fn clone_of(&self, template: &str) -> Database {
        let name = unique_name();
        // Copying files (PostgreSQL 15 and later) writes half of what copying through the log does.
        let (new, old) = (quoted(&name), quoted(template));
        self.run(&format!("CREATE DATABASE {new} TEMPLATE {old} STRATEGY file_copy")).await;
        Database { url: self.url_of(&name), name }
    }

    /// Creates the template, unless another process does so meanwhile.
    async fn prepare_template<E: fmt::Debug>(
        &self,
        complete: &str,
        prepare: impl AsyncFnOnce(String) -> Result<(), E>,
    ) {
        // Held by this connection: released when it is closed, even if we are killed.
        self.client
            .query("SELECT pg_advisory_lock(hashtextextended($1, 0))", &[&complete])
            .await
            .expect("the lock on the template can be waited for");
        if !self.has_database(complete).await {
            // Left over by a test that failed while preparing.
            let unfinished = format!("unfinished_{complete}");
            self.run(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(&unfinished))).await;
            self.run(&format!("CREATE DATABASE {}", quoted(&unfinished))).await;
            prepare(self.url_of(&unfinished)).await.expect("the template database can be prepared");
            self.close_to_clients(&unfinished).await;
            self.run(&format!("ALTER DATABASE {} RENAME TO {}", quoted(&unfinished), quoted(complete))).await;
        }
        self.client
            .query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", &[&complete])
            .await
            .expect("the lock on the template can be given back");
    }

    /// A database can only be cloned without connections; pools close their connections with a delay.
    async fn close_to_clients(&self, name: &str) {
        self.run(&format!("ALTER DATABASE {} ALLOW_CONNECTIONS false", quoted(name))).await;
        let terminate = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE datname = $1";
        self.client.query(terminate, &[&name]).await.expect("the connections to the template can be ended");
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
