//! Logging: lines are written everywhere (`tracing::info!`); where they go is set up here, once, when a command starts.
//! To standard error, never to standard output, which is for a command's result; for the service also to a file. The
//! filter is in `log/filter.rs`, the line format in `log/line.rs`, the file in `log/rotate.rs`.

mod filter;
mod line;
mod rotate;

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::sync::Mutex;

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::{FmtSpan, Writer};
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::Registry;
use tracing_subscriber::util::SubscriberInitExt as _;

pub use filter::{LogFilter, OURS};
pub use rotate::RotatingFile;

use crate::clock::Clock;
use crate::config::{Log, LogFormat};

/// What kind of command logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `serve`: everything that passes the filter, also to the file.
    Service,
    /// A command that answers and ends: its lines are for its user, so not for the file of a service.
    Tool,
}

/// What standard error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// A terminal that wants colours.
    Colour,
    /// A terminal without colours.
    Plain,
    /// A file, a pipe, a collector of logs.
    NoTerminal,
}

impl Screen {
    /// What standard error is for this process; `NO_COLOR` disables colours.
    pub fn of_process(no_color: bool) -> Self {
        match (io::stderr().is_terminal(), no_color) {
            (true, false) => Self::Colour,
            (true, true) => Self::Plain,
            (false, _) => Self::NoTerminal,
        }
    }
}

/// Starts logging for the rest of the process. A second call changes nothing.
pub fn start(config: &Log, clock: &Clock, role: Role, screen: Screen) {
    let (subscriber, trouble) = subscriber(config, clock, role, screen, io::stderr);
    let _ = subscriber.try_init();
    // A log file is optional, serving feeds is not: report it once and continue.
    if let Some(trouble) = trouble {
        tracing::error!("{trouble}; logging to standard error only");
    }
}

/// The subscriber that `start` installs, and why the log file cannot be used, if so.
pub fn subscriber<W>(
    config: &Log,
    clock: &Clock,
    role: Role,
    screen: Screen,
    stderr: W,
) -> (impl Subscriber + Send + Sync + use<W>, Option<String>)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let as_json = |screen| match config.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => screen == Screen::NoTerminal,
    };
    let mut layers = vec![lines(stderr, as_json(screen), screen == Screen::Colour, clock.clone())];
    let mut trouble = None;
    if let (Some(path), Role::Service) = (&config.file, role) {
        match RotatingFile::open(path, config.file_max_bytes.0, config.file_keep) {
            Ok(file) => layers.push(lines(Mutex::new(file), as_json(Screen::NoTerminal), false, clock.clone())),
            Err(error) => trouble = Some(format!("cannot write the log file {}: {error}", path.display())),
        }
    }
    (tracing_subscriber::registry().with(layers.with_filter(config.level.by_target())), trouble)
}

type Lines = Box<dyn Layer<Registry> + Send + Sync>;

fn lines<W>(writer: W, json: bool, colour: bool, clock: Clock) -> Lines
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    // A line that cannot be written is dropped: an error about it on a closed standard error would panic.
    let layer = tracing_subscriber::fmt::layer().with_writer(writer).with_timer(Time(clock)).log_internal_errors(false);
    // A span logs its duration and its parents when it ends.
    let layer = layer.with_span_events(FmtSpan::CLOSE);
    if json {
        let layer = layer.json().flatten_event(true).with_current_span(true).with_span_list(true);
        layer.map_event_format(line::BoundedJson).boxed()
    } else {
        layer.with_ansi(colour).fmt_fields(line::BoundedText).boxed()
    }
}

/// RFC 3339 in UTC with milliseconds, from the program's clock.
struct Time(Clock);

impl FormatTime for Time {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        write!(w, "{:.3}", self.0.now())
    }
}
