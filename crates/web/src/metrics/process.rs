//! Metrics of this process as the system reports them, under the names that Prometheus' own clients use. Only on Linux.

use meter::{Kind, Page};
use rustix::param::{clock_ticks_per_second, page_size};
use std::fs;

pub(super) fn show(page: &mut Page) {
    let ticks = clock_ticks_per_second() as f64;
    if let Some(stat) = fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(Stat::read) {
        let cpu = stat.ticks as f64 / ticks;
        page.value("process_cpu_seconds_total", Kind::Counter, "Processor time, all threads together.", cpu);
        let resident = stat.resident_pages * page_size() as u64;
        page.value("process_resident_memory_bytes", Kind::Gauge, "Memory that is in use.", resident);
        page.value("process_threads", Kind::Gauge, "Threads.", stat.threads);
        if let Some(booted) = fs::read_to_string("/proc/stat").ok().as_deref().and_then(booted_at) {
            let started = booted as f64 + stat.started_ticks as f64 / ticks;
            page.value("process_start_time_seconds", Kind::Gauge, "When it was started, in Unix time.", started);
        }
    }
    // Not counting the one that reads the directory.
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        page.value("process_open_fds", Kind::Gauge, "Open files and connections.", open.count().saturating_sub(1));
    }
}

/// The used fields of `/proc/self/stat`, as numbered in proc(5).
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    ticks: u64,
    threads: u64,
    started_ticks: u64,
    resident_pages: u64,
}

impl Stat {
    fn read(text: &str) -> Option<Self> {
        // The second field is a name in parentheses, which may contain spaces and parentheses; the third follows it.
        let (_, rest) = text.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        Some(Self {
            ticks: field(14)? + field(15)?,
            threads: field(20)?,
            started_ticks: field(22)?,
            resident_pages: field(24)?,
        })
    }
}

/// The boot time of the machine, in Unix time.
fn booted_at(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_brackets_and_spaces() {
        let text =
            "42 (a (b) c) S 1 42 42 0 -1 4194560 9 0 0 0 150 50 0 0 20 0 7 0 12345 1000000 2048 18446744073709551615 1";
        let expected = Stat { ticks: 200, threads: 7, started_ticks: 12_345, resident_pages: 2048 };
        assert_eq!(Stat::read(text), Some(expected));
        assert_eq!(Stat::read("42 (cut off"), None);
        assert_eq!(Stat::read("42 (short) S 1"), None);
    }

    #[test]
    fn the_boot_time_is_read() {
        assert_eq!(booted_at("cpu 1 2\nbtime 1767225600\nprocesses 9\n"), Some(1_767_225_600));
        assert_eq!(booted_at("cpu 1 2\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_memory_and_threads() {
        let mut page = Page::default();
        show(&mut page);
        let value = |name: &str| {
            let line = page.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|value| value.parse::<f64>().ok()).unwrap_or_else(|| panic!("{name}: {}", page.text()))
        };
        assert!(value("process_resident_memory_bytes") > 1e6);
        assert!(value("process_threads") >= 1.0 && value("process_open_fds") >= 3.0);
        assert!(value("process_cpu_seconds_total") >= 0.0 && value("process_start_time_seconds") > 1.7e9);
    }
}
