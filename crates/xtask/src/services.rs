//! The real services that tests use: PostgreSQL, NATS and an S3 server, started once per run.
//!
//! nextest runs a process per test, so a server per process would be a server per test. Here one set of servers is used
//! by all, in a temporary directory, on free ports of 127.0.0.1; tests are isolated by database, prefix and name
//! (`testkit`). Their addresses are passed by environment. Whatever happens, the servers that were started are stopped,
//! by their process id.

mod clusters;
mod interrupt;
mod litellm;
mod moto;
mod nats;
mod node;
mod postgres;
mod process;
mod scratch;
mod venv;

use std::io::IsTerminal;
use std::net::TcpListener;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal};

use clusters::Clusters;
pub use interrupt::Interrupt;
pub use nats::nats_server;
pub use node::{ensure_modules, node, npm};
pub use postgres::postgres_bin;
use process::Service;
use scratch::Scratch;
pub use venv::{ensure_venv, python};

/// The servers of one run. Dropping it stops them and removes their directory.
pub struct Services {
    // Invariant: declared before `scratch`, so that the servers are stopped before their directory is removed.
    running: Vec<Service>,
    clusters: Clusters,
    environment: Vec<(&'static str, String)>,
    scratch: Scratch,
}

impl Services {
    /// Starts all servers and returns when each responds.
    pub fn start(root: &Path, interrupt: &Interrupt) -> Result<Self> {
        let programs = crate::setup::programs()?;
        let venv = ensure_venv(root, &programs.python)?;
        let modules = ensure_modules(root, &programs.npm)?;
        let mut attempt = 1;
        loop {
            match Self::attempt(&programs, &venv, &modules, interrupt) {
                // A free port may be taken before the server binds it: rare, and solved by trying again.
                Err(error) if attempt < 3 && process::is_port_taken(&error) => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    fn attempt(programs: &crate::setup::Programs, venv: &Path, modules: &Path, interrupt: &Interrupt) -> Result<Self> {
        let scratch = Scratch::new()?;
        let [postgres_port, nats_port, s3_port] = free_ports()?;
        let dir = scratch.path().to_path_buf();
        let clusters = Clusters::inside(&dir, &programs.postgres_bin)?;
        let wishes = clusters.directory().display().to_string();
        let mut services = Self { running: Vec::new(), clusters, environment: Vec::new(), scratch };

        // The slowest first: while moto imports Python modules, initdb can work.
        services.running.push(moto::spawn(venv, &dir, s3_port)?);
        services.running.push(nats::spawn(&programs.nats_server, &dir, nats_port)?);
        let cluster = postgres::Cluster::make(&programs.postgres_bin, &dir, postgres_port)?;
        services.running.push(cluster.start(&dir, &[])?);

        let deadline = Instant::now() + Duration::from_mins(1);
        let [s3, nats, postgres] = &mut services.running[..] else { unreachable!("three were pushed") };
        postgres.wait_until(deadline, interrupt, || cluster.answers())?;
        nats.wait_until(deadline, interrupt, || nats::answers(nats_port))?;
        s3.wait_until(deadline, interrupt, || moto::answers(s3_port))?;
        moto::create_bucket(s3_port).context("cannot create the S3 bucket of the tests")?;

        services.environment = vec![
            ("COURANT_TEST_POSTGRES", cluster.url()),
            ("COURANT_TEST_CLUSTERS", wishes),
            ("COURANT_TEST_NATS", format!("nats://127.0.0.1:{nats_port}")),
            ("COURANT_TEST_S3", format!("http://127.0.0.1:{s3_port}")),
            ("COURANT_TEST_PROMTOOL", programs.promtool.display().to_string()),
            ("COURANT_TEST_NGINX", programs.nginx.display().to_string()),
            ("COURANT_TEST_NODE", programs.node.display().to_string()),
            ("COURANT_TEST_NODE_MODULES", modules.display().to_string()),
            ("COURANT_TEST_PYTHON", venv.join("bin/python").display().to_string()),
        ];
        Ok(services)
    }

    /// Starts LiteLLM's proxy beside them, unless it runs already.
    pub fn add_litellm(&mut self, root: &Path, interrupt: &Interrupt) -> Result<()> {
        if self.environment.iter().any(|(name, _)| *name == "COURANT_TEST_LITELLM") {
            return Ok(());
        }
        let venv = venv::ensure_litellm(root, &crate::setup::programs()?.python)?;
        let [port, ..] = free_ports()?;
        let dir = self.scratch.path().to_path_buf();
        let mut service = litellm::spawn(&venv, root, &dir, port)?;
        service.wait_until(Instant::now() + Duration::from_mins(3), interrupt, || litellm::answers(port))?;
        self.running.push(service);
        self.environment.push(("COURANT_TEST_LITELLM", format!("http://127.0.0.1:{port}/v1")));
        self.environment.push(("COURANT_TEST_LITELLM_KEY", litellm::KEY.to_owned()));
        Ok(())
    }

    /// Runs a command with the servers in its environment; returns the exit code.
    ///
    /// A signal sent to us is passed on, and the command must end before the servers are stopped.
    pub fn run(&mut self, command: &Command, interrupt: &Interrupt) -> Result<u8> {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut wrapped = process::ending_with_us(command, Signal::TERM);
        wrapped.envs(self.environment.iter().map(|(name, value)| (*name, value)));
        // At a terminal the command must stay in the foreground process group, which Ctrl-C reaches as a whole.
        // Elsewhere it gets a group of its own, so that a signal reaches its child processes, too.
        let at_terminal = std::io::stdin().is_terminal();
        if !at_terminal {
            wrapped.process_group(0);
        }
        let mut child = wrapped.spawn().with_context(|| format!("cannot run {name}"))?;
        let status = self.watch(&mut child, at_terminal, interrupt)?;
        Ok(interrupt.signal().map_or_else(|| exit_code(status), |signal| 128 + signal.as_raw() as u8))
    }

    /// Waits for the command, passes on signals, and reports a server that dies during the tests.
    fn watch(&mut self, child: &mut Child, at_terminal: bool, interrupt: &Interrupt) -> Result<ExitStatus> {
        let mut patience = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            for service in &mut self.running {
                service.complain_if_dead();
            }
            self.clusters.handle_requests(interrupt);
            if let Some(signal) = interrupt.signal() {
                let ends_at = *patience.get_or_insert_with(|| {
                    if !(at_terminal && signal == Signal::INT) {
                        send(child, at_terminal, signal);
                    }
                    Instant::now() + Duration::from_secs(15)
                });
                if Instant::now() > ends_at {
                    send(child, at_terminal, Signal::KILL);
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Signals the command, or its whole process group if it has one.
fn send(child: &Child, at_terminal: bool, signal: Signal) {
    let pid = Pid::from_child(child);
    // Either call fails only if the command has just ended, which the next check will show.
    let _ = if at_terminal {
        rustix::process::kill_process(pid, signal)
    } else {
        rustix::process::kill_process_group(pid, signal)
    };
}

fn exit_code(status: ExitStatus) -> u8 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)) as u8
}

/// Ports that were free a moment ago; all are bound while searching, so that they differ.
fn free_ports() -> Result<[u16; 3]> {
    let port = || TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1");
    let held = [port()?, port()?, port()?];
    let mut ports = [0; 3];
    for (port, listener) in ports.iter_mut().zip(&held) {
        *port = listener.local_addr()?.port();
    }
    Ok(ports)
}
