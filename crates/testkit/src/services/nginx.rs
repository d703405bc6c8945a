//! A real nginx in a directory of its own, for the configuration that we ship.

use super::environment;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A running nginx; killed when dropped.
pub struct Nginx {
    child: Child,
    directory: TempDir,
}

/// A free port of 127.0.0.1. Another process may take it before nginx does; then the test fails and says so.
pub fn nginx_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Starts nginx with these `server` blocks and files beside them; returns when it listens on the port. `{directory}` in
/// the blocks is the directory of the files.
pub fn nginx(servers: &str, files: &[(&str, &str)], port: u16) -> Nginx {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().display().to_string();
    for (name, text) in files {
        let file = directory.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a directory");
        std::fs::write(file, text).expect("a file");
    }
    let kept =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|kind| format!("{kind}_temp_path {path}/{kind};"));
    // One process: it can be ended by its id.
    let main = format!(
        "daemon off; master_process off; pid {path}/pid; error_log {path}/error.log; worker_rlimit_core 0;
         events {{ worker_connections 64; }}
         http {{ access_log off; {} {} }}",
        kept.join(" "),
        servers.replace("{directory}", &path)
    );
    let config = directory.path().join("nginx.conf");
    std::fs::write(&config, main).expect("a file");
    let mut command = Command::new(environment("COURANT_TEST_NGINX"));
    command.arg("-p").arg(directory.path()).arg("-c").arg(&config).arg("-e").arg(directory.path().join("error.log"));
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut nginx = Nginx { child: child.expect("nginx can be run"), directory };
    nginx.wait_until_it_listens(port);
    nginx
}

impl Nginx {
    #[expect(clippy::disallowed_methods, reason = "asks the program it has started")]
    fn wait_until_it_listens(&mut self, port: u16) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            let ended = self.child.try_wait().expect("a child");
            assert!(ended.is_none() && Instant::now() < deadline, "nginx does not listen: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What it has complained about.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.directory.path().join("error.log")).unwrap_or_default()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
