//! The results of the benchmarks: figures with commit and machine, as a table for people and as JSON.
//!
//! A new measurement replaces the earlier one if commit and size of the run are the same, so a run can be made in
//! parts.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The table of the page is between these lines.
const BEGIN: &str = "<!-- the last table: written by `cargo xtask bench -- --keep` -->";
const END: &str = "<!-- end of the table -->";

pub(super) struct Results {
    about: Value,
    figures: Vec<Value>,
}

impl Results {
    /// Empty, or the results of an earlier part of the same run.
    pub(super) fn begin(root: &Path, directory: &Path, quick: bool) -> Self {
        let about = about(root, quick);
        let before = fs::read_to_string(directory.join("results.json")).ok();
        let before: Option<Value> = before.and_then(|text| serde_json::from_str(&text).ok());
        let same = |before: &Value| ["commit", "machine", "quick"].iter().all(|key| before["about"][key] == about[key]);
        let figures = before.filter(same).and_then(|before| before["figures"].as_array().cloned()).unwrap_or_default();
        Self { about, figures }
    }

    /// Adds figures from lines of JSON.
    pub(super) fn add(&mut self, lines: &str) -> Result<()> {
        for line in lines.lines() {
            let figure: Value = serde_json::from_str(line).with_context(|| format!("not a figure: {line}"))?;
            let name = |figure: &Value| (figure["figure"].clone(), figure["what"].clone());
            self.figures.retain(|known| name(known) != name(&figure));
            self.figures.push(figure);
        }
        // P2 before P10, and names without a number last; the sort is stable.
        self.figures.sort_by_key(|figure| order(figure["figure"].as_str().unwrap_or_default()));
        Ok(())
    }

    /// Markdown.
    pub(super) fn table(&self) -> String {
        let about = |key: &str| self.about[key].as_str().unwrap_or("unknown").to_owned();
        let size = if self.about["quick"] == json!(true) { "; a quick run: its figures mean little" } else { "" };
        let mut out = format!("Commit {}, {}, {}{size}.\n\n", about("commit"), about("date"), about("machine"));
        out.push_str("| Bar | What | Figure | Must be | Verdict | Note |\n|---|---|--:|--:|---|---|\n");
        for figure in &self.figures {
            let text = |key: &str| figure[key].as_str().unwrap_or_default().replace('|', "\\|");
            let verdict = match &figure["met"] {
                Value::Bool(true) => "met",
                Value::Bool(false) => "**missed**",
                _ if figure["bar"].is_null() => "–",
                _ => "not measured",
            };
            let bar = match (figure["better"].as_str(), number(&figure["bar"])) {
                (Some(better), Some(bar)) => format!("{better} {bar}"),
                _ => "–".to_owned(),
            };
            let value = number(&figure["value"]).unwrap_or_else(|| "–".to_owned());
            let (name, what, note) = (text("figure"), text("what"), text("note"));
            let _ = writeln!(out, "| {name} | {what} | {value} | {bar} | {verdict} | {note} |");
        }
        out
    }

    pub(super) fn write(&self, directory: &Path) -> Result<()> {
        let path = directory.join("results.json");
        fs::write(&path, serde_json::to_string_pretty(&self.json())? + "\n")
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Adds this run to the history in `docs/operate/performance.json`, and puts its table into the page beside it.
    pub(super) fn keep(&self, operate: &Path) -> Result<()> {
        let (history, page) = (operate.join("performance.json"), operate.join("performance.md"));
        let mut runs: Vec<Value> = match fs::read_to_string(&history) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("{} is damaged", history.display()))?,
            Err(_) => Vec::new(),
        };
        runs.retain(|run| ["commit", "machine"].iter().any(|key| run["about"][key] != self.about[key]));
        runs.push(self.json());
        fs::write(&history, serde_json::to_string_pretty(&runs)? + "\n")?;
        let text = fs::read_to_string(&page).with_context(|| format!("cannot read {}", page.display()))?;
        fs::write(&page, with_table(&text, &self.table()).context("the page has no markers for the table")?)?;
        Ok(())
    }

    fn json(&self) -> Value {
        json!({ "about": self.about, "figures": self.figures })
    }
}

/// The page with its table replaced.
fn with_table(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{table}\n{END}{after}"))
}

/// A number with its significant digits only.
fn number(value: &Value) -> Option<String> {
    let value = value.as_f64()?;
    let digits = if value.abs() >= 100.0 {
        0
    } else if value.abs() >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{value:.digits$}");
    Some(if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text })
}

fn order(name: &str) -> (u8, u32) {
    let number = name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
    (
        if name.starts_with('P') {
            0
        } else if name.starts_with('F') {
            1
        } else {
            2
        },
        number,
    )
}

fn about(root: &Path, quick: bool) -> Value {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(root).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let field = |path: &str, name: &str| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start_matches([' ', '\t', ':']).to_owned())
    };
    let memory = field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let model = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "an unknown processor".into());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    json!({
        // Ignoring the files that this command itself writes.
        "commit": said("git", &["describe", "--always", "--dirty", "--abbrev=12"]),
        "date": said("date", &["-u", "+%F"]),
        "machine": format!("{model}, {cores} cores, {} GB", memory.unwrap_or(0) / 1_000_000),
        "quick": quick,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(name: &str, value: &str, bar: &str, met: &str) -> String {
        format!(
            "{{\"figure\":\"{name}\",\"what\":\"a ratio\",\"value\":{value},\"better\":\"at most\",\"bar\":{bar},\"met\":{met},\"note\":\"a | b\"}}\n"
        )
    }

    fn results() -> Results {
        Results {
            about: json!({"commit": "abc", "date": "2026-11-16", "machine": "two cores", "quick": false}),
            figures: Vec::new(),
        }
    }

    #[test]
    fn figures_become_a_table_in_the_order_of_the_bars() {
        let mut results = results();
        results.add(&(figure("P10", "1.2345", "1.1", "false") + &figure("P2", "0.7", "1.0", "true"))).unwrap();
        results.add(&(figure("F-130", "null", "5.0", "null") + &figure("P2", "123.4", "1.0", "false"))).unwrap();
        let rows: Vec<String> = results.table().lines().skip(4).map(str::to_owned).collect();
        assert_eq!(
            rows,
            [
                "| P2 | a ratio | 123 | at most 1 | **missed** | a \\| b |",
                "| P10 | a ratio | 1.23 | at most 1.1 | **missed** | a \\| b |",
                "| F-130 | a ratio | – | at most 5 | not measured | a \\| b |",
            ]
        );
        assert!(results.add("what is this?").is_err());
    }

    #[test]
    fn the_table_of_a_page_is_replaced_and_nothing_else() {
        let page = format!("Before.\n{BEGIN}\nold\n{END}\nAfter.\n");
        let expected = format!("Before.\n{BEGIN}\n\nnew\n\n{END}\nAfter.\n");
        assert_eq!(with_table(&page, "new\n").as_deref(), Some(expected.as_str()));
        assert_eq!(with_table("no place", "new"), None);
    }
}
