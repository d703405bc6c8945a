//! Connects to the server, waits for it where waiting helps, and brings the schema up to date under a lock.

use super::{Postgres, run};
use crate::StoreError;
use crate::db::migrate::{self, MIGRATIONS};
use crate::db::sql::Dialect;
use crate::store::Options;
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use jiff::Timestamp;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{CancelToken, Client, Config, Error, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Connections of one process.
pub(crate) const POOL: usize = 16;
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
const QUESTION_PATIENCE: Duration = Duration::from_secs(30);
/// Any number, as long as every Courant uses the same.
const MIGRATION_LOCK: i64 = 0x0c0a_11a0;

pub(crate) async fn open(config: &Config, name: &str, options: &Options) -> Result<Postgres, StoreError> {
    let (config, tls) = prepared(config, name, options)?;
    connect_and_migrate(&config, &tls, name, options).await?;
    let dialler = Dialler { config: config.clone(), tls: tls.clone(), name: name.to_owned() };
    let manager = Manager::from_config(config, tls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
    let pool = Pool::builder(manager)
        .max_size(POOL)
        .build()
        .map_err(|error| StoreError::Database { doing: "build the connection pool", source: error.into() })?;
    // A question that is asked later has somebody waiting for it: it is not worth a night.
    Ok(Postgres::start(name.to_owned(), pool, options.patience.min(QUESTION_PATIENCE), dialler))
}

/// Opens connections beside the pool, in the same way.
#[derive(Clone)]
pub(super) struct Dialler {
    config: Config,
    tls: MakeRustlsConnect,
    name: String,
}

/// What speaks with the server; somebody has to poll it.
type Connection = tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

impl Dialler {
    /// What to call the database in a message.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Asks the server to end the statement that runs on a connection.
    pub(super) async fn cancel(&self, token: &CancelToken) -> Result<(), Error> {
        token.cancel_query(self.tls.clone()).await
    }

    #[expect(clippy::disallowed_methods, reason = "the database is the operator's own")]
    pub(super) async fn connect(&self) -> Result<(Client, Connection), StoreError> {
        self.config.connect(self.tls.clone()).await.map_err(|error| run::explain_connect(&self.name, error))
    }
}

/// One connection, and the task that drives it.
pub(super) async fn connect(
    config: &Config,
    name: &str,
    options: &Options,
) -> Result<(Client, JoinHandle<Result<(), Error>>), StoreError> {
    let (mut config, tls) = prepared(config, name, options)?;
    config.connect_timeout(options.patience.min(CONNECT_PATIENCE));
    dial(&config, &tls, name).await
}

#[expect(clippy::disallowed_methods, reason = "the database is the operator's own")]
async fn dial(
    config: &Config,
    tls: &MakeRustlsConnect,
    name: &str,
) -> Result<(Client, JoinHandle<Result<(), Error>>), StoreError> {
    let (client, connection) = config.connect(tls.clone()).await.map_err(|error| run::explain_connect(name, error))?;
    Ok((client, tokio::spawn(connection)))
}

/// The address with what is needed to connect to it.
fn prepared(config: &Config, name: &str, options: &Options) -> Result<(Config, MakeRustlsConnect), StoreError> {
    let mut config = config.clone();
    if let Some(password) = &options.password {
        config.password(password);
    }
    // A process that is stopped in the middle of a transaction (a frozen machine, SIGSTOP) must not keep its locks, among
    // them that of the arrival row, for which everybody waits. A fenced batch is replayed.
    let given = config.get_options().unwrap_or_default();
    let options = format!("-c idle_in_transaction_session_timeout=10s {given}");
    config.options(options.trim_end());
    if config.get_application_name().is_none() {
        config.application_name("courant");
    }
    config.connect_timeout(CONNECT_PATIENCE).keepalives_idle(Duration::from_secs(30));
    let tls = tls(config.get_ssl_mode(), name)?;
    Ok((config, tls))
}

/// `prefer` (the default) encrypts without asking who answers, as libpq does; `require` checks the certificate.
fn tls(mode: SslMode, name: &str) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let broken = |why: String| StoreError::Denied { database: name.to_owned(), why };
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| broken(error.to_string()))?;
    let config = if mode == SslMode::Require {
        let mut roots = rustls::RootCertStore::empty();
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            return Err(broken(
                "sslmode=require, but this system has no root certificates; install ca-certificates".into(),
            ));
        }
        builder.with_root_certificates(roots).with_no_client_auth()
    } else {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Anybody(provider))).with_no_client_auth()
    };
    Ok(MakeRustlsConnect::new(config))
}

/// Encryption without identity, for `sslmode=prefer`.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// The first connection: waits for a server that is not there yet, says so once, and migrates.
async fn connect_and_migrate(
    config: &Config,
    tls: &MakeRustlsConnect,
    name: &str,
    options: &Options,
) -> Result<(), StoreError> {
    let began = Instant::now();
    let mut pause = Duration::from_millis(50);
    let mut said = false;
    loop {
        let attempt = async {
            let (client, connection) = dial(config, tls, name).await?;
            let result = migrate(&client, name, options.now).await;
            drop(client);
            let _ = connection.await;
            result
        };
        match attempt.await {
            Err(StoreError::Unavailable { database, why }) if began.elapsed() < options.patience => {
                if !said {
                    tracing::warn!(%database, %why, "waiting for the database");
                    said = true;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(1));
            }
            result => return result,
        }
    }
}

/// Runs what is pending in one transaction under an advisory lock: all of it, or nothing.
async fn migrate(client: &Client, name: &str, now: Timestamp) -> Result<(), StoreError> {
    let fail = |error: Error| run::explain(name, "read its version", error);
    let (found, min_compatible) = version(client).await.map_err(fail)?;
    if migrate::pending(name, found, min_compatible, MIGRATIONS)?.is_empty() {
        return Ok(());
    }
    client.batch_execute("BEGIN").await.map_err(fail)?;
    let result = migrate_locked(client, name, now).await;
    let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
    client.batch_execute(end).await.map_err(|error| run::explain(name, "finish a migration", error))?;
    result
}

async fn migrate_locked(client: &Client, name: &str, now: Timestamp) -> Result<(), StoreError> {
    let fail = |error: Error| run::explain(name, "prepare for migrations", error);
    client.execute("SELECT pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await.map_err(fail)?;
    client.batch_execute(migrate::CREATE_TABLE).await.map_err(fail)?;
    let (found, min_compatible) = version(client).await.map_err(fail)?;
    let now = now.as_microsecond();
    for migration in migrate::pending(name, found, min_compatible, MIGRATIONS)? {
        let broken = |error: Error| match run::explain(name, "migrate", error) {
            StoreError::Database { source, .. }
            | StoreError::Unfit { source, .. }
            | StoreError::Conflict { source, .. } => {
                StoreError::Migration { database: name.to_owned(), migration: migration.name.to_owned(), source }
            }
            telling => telling,
        };
        client.batch_execute(migration.postgres).await.map_err(broken)?;
        let row: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [&migration.version, &migration.name, &migration.min_compatible, &now];
        client.execute(migrate::RECORD, &row).await.map_err(broken)?;
        tracing::info!(migration = migration.name, "database brought up to date");
    }
    for seed in migrate::SEEDS {
        client.execute(seed.text(Dialect::Postgres), &[&now]).await.map_err(fail)?;
    }
    Ok(())
}

/// The schema's version and the oldest one that may still use it; nothing for a database that has none yet.
pub(super) async fn version(client: &Client) -> Result<(i64, i64), Error> {
    let exists = client.query_one("SELECT to_regclass('schema_migrations') IS NOT NULL", &[]).await?;
    if !exists.get::<_, bool>(0) {
        return Ok((0, 0));
    }
    let row = client.query_one(migrate::FOUND, &[]).await?;
    Ok((row.get(0), row.get(1)))
}
