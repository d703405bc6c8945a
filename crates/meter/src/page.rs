//! A page of metrics, in the Prometheus text format (0.0.4) or as a table for people.

use crate::count::{Counter, Counters, Gauge, Histogram};
use std::fmt::{self, Write as _};
use std::time::Duration;

/// The kind of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only grows; a restart begins at zero.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Durations by bucket.
    Histogram,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        })
    }
}

/// The metrics of a page, in the order in which they were added.
#[derive(Debug, Default)]
pub struct Page {
    figures: Vec<Figure>,
    text: String,
}

#[derive(Debug)]
struct Figure {
    name: &'static str,
    kind: Kind,
    label: Option<&'static str>,
    help: &'static str,
}

impl Page {
    /// A counter; its name ends in `_total`.
    pub fn counter(&mut self, name: &'static str, help: &'static str, counter: &Counter) {
        self.value(name, Kind::Counter, help, counter.get());
    }

    /// Counters by a label.
    pub fn counters(&mut self, name: &'static str, help: &'static str, counters: &Counters) {
        let samples: Vec<_> = counters.samples().collect();
        self.labelled(name, Kind::Counter, help, counters.label, &samples);
    }

    /// A gauge.
    pub fn gauge(&mut self, name: &'static str, help: &'static str, gauge: &Gauge) {
        self.value(name, Kind::Gauge, help, gauge.get());
    }

    /// A value that was measured elsewhere.
    pub fn value(&mut self, name: &'static str, kind: Kind, help: &'static str, value: impl fmt::Display) {
        self.begin(name, kind, None, help);
        self.line(format_args!("{name} {value}"));
    }

    /// Values by a label that were measured elsewhere.
    pub fn labelled<V: fmt::Display>(
        &mut self,
        name: &'static str,
        kind: Kind,
        help: &'static str,
        label: &'static str,
        samples: &[(&'static str, V)],
    ) {
        self.begin(name, kind, Some(label), help);
        for (word, value) in samples {
            self.line(format_args!("{name}{{{label}=\"{word}\"}} {value}"));
        }
    }

    /// A histogram; its name ends in `_seconds`.
    pub fn histogram(&mut self, name: &'static str, help: &'static str, histogram: &Histogram) {
        self.begin(name, Kind::Histogram, None, help);
        self.buckets(name, None, histogram);
    }

    /// Histograms by a label.
    pub fn histograms(
        &mut self,
        name: &'static str,
        help: &'static str,
        label: &'static str,
        histograms: &[(&'static str, &Histogram)],
    ) {
        self.begin(name, Kind::Histogram, Some(label), help);
        for (word, histogram) in histograms {
            self.buckets(name, Some((label, word)), histogram);
        }
    }

    /// The Prometheus text format.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A table in Markdown, without values.
    pub fn table(&self) -> String {
        let mut table = String::from("| Name | Kind | By | What it says |\n|---|---|---|---|\n");
        for Figure { name, kind, label, help } in &self.figures {
            let label = label.map(|label| format!("`{label}`")).unwrap_or_default();
            writeln!(table, "| `{name}` | {kind} | {label} | {help} |").expect("text can be written to text");
        }
        table
    }

    /// All metrics of the page: name, kind and help text.
    pub fn figures(&self) -> impl Iterator<Item = (&'static str, Kind, &'static str)> {
        self.figures.iter().map(|figure| (figure.name, figure.kind, figure.help))
    }

    fn begin(&mut self, name: &'static str, kind: Kind, label: Option<&'static str>, help: &'static str) {
        self.figures.push(Figure { name, kind, label, help });
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} {kind}"));
    }

    fn buckets(&mut self, name: &'static str, label: Option<(&str, &str)>, histogram: &Histogram) {
        let inside = label.map(|(label, word)| format!("{label}=\"{word}\"")).unwrap_or_default();
        let comma = if inside.is_empty() { "" } else { "," };
        let mut all = 0;
        for (bound, count) in histogram.samples() {
            let bound = bound.map_or("+Inf".to_owned(), seconds);
            self.line(format_args!("{name}_bucket{{{inside}{comma}le=\"{bound}\"}} {count}"));
            all = count;
        }
        let inside = if inside.is_empty() { inside } else { format!("{{{inside}}}") };
        self.line(format_args!("{name}_sum{inside} {}", seconds(histogram.sum())));
        self.line(format_args!("{name}_count{inside} {all}"));
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("text can be written to text");
        self.text.push('\n');
    }
}

fn seconds(time: Duration) -> String {
    time.as_secs_f64().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_text_for_programs_and_a_table_for_people() {
        const BOUNDS: &[Duration] = &[Duration::from_millis(250), Duration::from_hours(1)];
        let (visits, took) = (Counters::by("result", &["fresh", "failed"]), Histogram::within(BOUNDS));
        visits.of("failed").add(2);
        took.note(Duration::from_millis(250));
        took.note(Duration::from_millis(1500));
        let mut page = Page::default();
        page.counters("visits_total", "Visits.", &visits);
        page.gauge("due", "Feeds that are due.", &Gauge::default());
        page.histogram("took_seconds", "Time.", &took);
        page.histograms("phase_seconds", "Phases.", "phase", &[("dns", &took)]);
        let expected = r#"# HELP visits_total Visits.
# TYPE visits_total counter
visits_total{result="fresh"} 0
visits_total{result="failed"} 2
# HELP due Feeds that are due.
# TYPE due gauge
due 0
# HELP took_seconds Time.
# TYPE took_seconds histogram
took_seconds_bucket{le="0.25"} 1
took_seconds_bucket{le="3600"} 2
took_seconds_bucket{le="+Inf"} 2
took_seconds_sum 1.75
took_seconds_count 2
# HELP phase_seconds Phases.
# TYPE phase_seconds histogram
phase_seconds_bucket{phase="dns",le="0.25"} 1
phase_seconds_bucket{phase="dns",le="3600"} 2
phase_seconds_bucket{phase="dns",le="+Inf"} 2
phase_seconds_sum{phase="dns"} 1.75
phase_seconds_count{phase="dns"} 2
"#;
        assert_eq!(page.text(), expected);
        let table = page.table();
        assert_eq!(table.lines().count(), 6, "{table}");
        assert!(table.contains("| `visits_total` | counter | `result` | Visits. |\n"), "{table}");
    }
}
