//! Courant as these benchmarks run it: the real binary, everything on, allowed to visit this machine and without
//! spacing between visits, which would only measure waiting.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// A data directory and the commands on it.
pub(crate) struct Ours {
    pub(crate) directory: PathBuf,
    database: Option<String>,
}

impl Ours {
    /// In a directory that is there, on SQLite.
    pub(crate) fn at(directory: PathBuf) -> Self {
        Self { directory, database: None }
    }

    /// In an empty directory, on SQLite.
    pub(crate) fn in_directory(directory: PathBuf) -> Self {
        if directory.exists() {
            std::fs::remove_dir_all(&directory).expect("what an earlier run left can be removed");
        }
        std::fs::create_dir_all(&directory).expect("a directory can be made");
        Self { directory, database: None }
    }

    /// The same on PostgreSQL.
    pub(crate) fn on(self, database: &str) -> Self {
        Self { database: Some(database.to_owned()), ..self }
    }

    pub(crate) fn database_file(&self) -> PathBuf {
        self.directory.join("courant.db")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let program = std::env::var("COURANT").unwrap_or_else(|_| env!("CARGO_BIN_EXE_courant").to_owned());
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env("COURANT_DATA", &self.directory)
            .env("COURANT_ALLOW_PRIVATE", "127.0.0.0/8")
            .env("COURANT_HOST_RPS", "0")
            .env("COURANT_HOST_MAX_CONCURRENCY", "8")
            .env("COURANT_API_LIMIT", "1000000")
            .env("COURANT_LOG", "warn");
        if let Some(database) = &self.database {
            command
                .env("COURANT_DATABASE_URL", database)
                .env("COURANT_SECRET", "a secret of this benchmark and nobody else");
        }
        command
    }

    /// Subscribes to a list of feeds.
    pub(crate) fn import(&self, opml: &Path) {
        let done = self.command(&["opml", "import"]).arg(opml).stdout(Stdio::null()).status();
        assert!(done.is_ok_and(|status| status.success()), "the list could not be imported");
    }

    /// The size of the database with its index and its log, in megabytes.
    pub(crate) fn database_megabytes(&self) -> f64 {
        let files = std::fs::read_dir(&self.directory).expect("the directory is there").flatten();
        let database = files.filter(|file| file.file_name().to_string_lossy().contains(".db"));
        database.filter_map(|file| file.metadata().ok()).map(|file| file.len() as f64).sum::<f64>() / 1e6
    }

    /// A new key of a user, who may read and write with it.
    pub(crate) fn key_of(&self, user: &str) -> String {
        let scopes = ["--scope", "reader:read", "--scope", "reader:write"];
        let mut command = self.command(&["token", "create", "--json", "--user", user]);
        let output = command.args(scopes).output().expect("courant starts");
        let made: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a key as JSON");
        made["token"].as_str().expect("a key").to_owned()
    }

    /// Starts serving and returns after the first response, with its milliseconds.
    pub(crate) fn serve(&self) -> (Serving, f64) {
        self.serve_as("all")
    }

    /// The same in one role.
    pub(crate) fn serve_only(&self, role: &str) -> Serving {
        self.serve_as(role).0
    }

    #[expect(clippy::disallowed_methods, reason = "asks the program that it has started")]
    fn serve_as(&self, role: &str) -> (Serving, f64) {
        let begun = Instant::now();
        let mut command = self.command(&["serve", "--role", role, "--listen", "127.0.0.1:0"]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("courant starts");
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("it says where it serves");
        let address = line.trim().rsplit('/').next().expect("an address").to_owned();
        let mut stream = std::net::TcpStream::connect(&address).expect("it listens");
        write!(stream, "GET /api/health HTTP/1.1\r\nhost: courant\r\nconnection: close\r\n\r\n").expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        (Serving { process, address }, begun.elapsed().as_secs_f64() * 1000.0)
    }

    /// Starts another worker.
    pub(crate) fn worker(&self, at_once: usize) -> Serving {
        let mut command = self.command(&["serve", "--role", "worker"]);
        command.env("COURANT_CONCURRENCY", at_once.to_string()).stdout(Stdio::null());
        Serving { process: command.spawn().expect("courant starts"), address: String::new() }
    }
}

/// A process that serves; killed when dropped.
pub(crate) struct Serving {
    process: Child,
    /// Empty if it answers nobody.
    address: String,
}

impl Serving {
    /// Where it answers.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Its current memory, in megabytes.
    pub(crate) fn megabytes(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(f64::NAN) / 1024.0
    }

    /// Asks it to stop and waits until it has.
    pub(crate) fn stop(mut self) {
        let pid = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it is ours");
        let status = self.process.wait().expect("it ends");
        assert!(status.success(), "it did not stop as it should: {status}");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
